/* Panels of source text: the lines around what a finding points at, with what there is to say under each line. */
#include "emit/html_parts.h"

#include "emit/merge.h"
#include "emit/xml.h"

#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT = 2,
    BRIDGE = 3,
    MOST_LINES_OF_A_PIN = 8,
    MOST_LINES_OF_A_FIX = 12,
    MOST_LINES = 80,
    LINE_BYTES = 1200,
    LEAD_BYTES = 200
};

struct panel {
    struct cw_emit *e;
    const struct cw_source *source;
    const char *letters;     /* colours, by offset in the source */
    const struct cw_pin *at; /* sorted by line */
    uint32_t n;
};

/* ---- a line ---- */

static size_t from_of(const struct panel *panel, const struct cw_pin *pin) {
    return cw_source_offset(panel->source, pin->place.line, pin->place.col);
}

static size_t to_of(const struct panel *panel, const struct cw_pin *pin) {
    size_t from = from_of(panel, pin), to = cw_source_offset(panel->source, pin->place.end_line, pin->place.end_col);
    return to > from ? to : from + 1;
}

/* The pin that the byte at `offset` belongs to: the narrowest, so that none hides another. */
static const struct cw_pin *pin_at(const struct panel *panel, size_t offset) {
    const struct cw_pin *best = NULL;
    size_t width = 0;
    for (uint32_t i = 0; i < panel->n; i++) {
        size_t from = from_of(panel, &panel->at[i]), to = to_of(panel, &panel->at[i]);
        if (offset < from || offset >= to || (best && to - from >= width))
            continue;
        best = &panel->at[i];
        width = to - from;
    }
    return best;
}

static void put_run(const struct panel *panel, size_t from, size_t to, char letter, const struct cw_pin *pin) {
    struct cw_buf *out = panel->e->out;
    if (pin && letter)
        cw_buf_printf(out, "<mark class=\"%s %c\">", pin->kind, letter);
    else if (pin)
        cw_buf_printf(out, "<mark class=\"%s\">", pin->kind);
    else if (letter)
        cw_buf_printf(out, "<i class=\"%c\">", letter);
    cw_html_text(out, (cw_str){panel->source->text + from, to - from});
    cw_buf_puts(out, pin ? "</mark>" : letter ? "</i>" : "");
}

/* The first byte at or after `offset` that begins a character. */
static size_t character_start(const struct cw_source *source, size_t offset, size_t end) {
    while (offset < end && ((unsigned char)source->text[offset] & 0xc0) == 0x80)
        offset++;
    return offset;
}

/* The part of a very long line that is shown: around the first pin in it. */
static void window_of(const struct panel *panel, size_t *from, size_t *to) {
    size_t first = *to;
    if (*to - *from <= LINE_BYTES)
        return;
    for (uint32_t i = 0; i < panel->n; i++) {
        size_t at = from_of(panel, &panel->at[i]);
        first = at >= *from && at < first ? at : first;
    }
    size_t start = first < *to && first > *from + LEAD_BYTES ? first - LEAD_BYTES : *from;
    *from = character_start(panel->source, start, *to);
    *to = *to - *from > LINE_BYTES ? character_start(panel->source, *from + LINE_BYTES, *to) : *to;
}

static void put_text(const struct panel *panel, uint32_t line) {
    cw_str text = cw_source_line(panel->source, line);
    size_t begin = (size_t)(text.at - panel->source->text), end = begin + text.n, from = begin, to = end;
    window_of(panel, &from, &to);
    cw_buf_puts(panel->e->out, from > begin ? "<s>\xe2\x80\xa6</s>" : "");
    size_t blank = from; /* the indentation of a range's further lines is not marked */
    while (blank < to && (panel->source->text[blank] == ' ' || panel->source->text[blank] == '\t'))
        blank++;
    put_run(panel, from, blank, 0, NULL);
    from = blank;
    while (from < to) {
        const struct cw_pin *pin = pin_at(panel, from);
        char letter = panel->letters[from];
        size_t next = from + 1;
        while (next < to && panel->letters[next] == letter && pin_at(panel, next) == pin)
            next++;
        next = character_start(panel->source, next, to);
        put_run(panel, from, next, letter, pin);
        from = next;
    }
    cw_buf_puts(panel->e->out, to < end ? "<s>\xe2\x80\xa6</s>" : "");
}

static void put_comment(const struct panel *panel, const struct cw_pin *pin) {
    struct cw_buf *out = panel->e->out;
    cw_buf_printf(out, "<div class=\"say %s\">", pin->kind);
    if (pin->number)
        cw_buf_printf(out, "<b class=\"num\">%u</b> ", pin->number);
    cw_html_text(out, cw_str_of(pin->text));
    cw_buf_puts(out, "</div>");
}

static void put_line(const struct panel *panel, uint32_t line) {
    struct cw_buf *out = panel->e->out;
    bool hit = false;
    for (uint32_t i = 0; i < panel->n; i++)
        hit |= panel->at[i].place.line <= line && line <= panel->at[i].place.end_line;
    cw_buf_printf(out, "<div class=\"line%s\"><span class=\"no\">%u</span><code>", hit ? " hit" : "", line);
    put_text(panel, line);
    cw_buf_puts(out, "</code></div>");
    for (uint32_t i = 0; i < panel->n; i++)
        if (panel->at[i].place.line == line && panel->at[i].text)
            put_comment(panel, &panel->at[i]);
}

/* ---- a panel ---- */

/* Behind the last line end is no line. */
static uint32_t lines_of(const struct cw_source *source) {
    uint32_t lines = cw_source_lines(source);
    return lines - (lines > 1 && !cw_source_line(source, lines).n);
}

static uint32_t last_line_of(const struct panel *panel, const struct cw_pin *pin) {
    uint32_t lines = lines_of(panel->source), last = pin->place.end_line;
    last = last < pin->place.line ? pin->place.line : last;
    last = last - pin->place.line > MOST_LINES_OF_A_PIN ? pin->place.line + MOST_LINES_OF_A_PIN : last;
    return last + CONTEXT < lines ? last + CONTEXT : lines;
}

static void put_lines(const struct panel *panel) {
    uint32_t shown = 0, count = 0;
    for (uint32_t i = 0; i < panel->n && count < MOST_LINES; i++) {
        uint32_t line = panel->at[i].place.line, from = line > CONTEXT ? line - CONTEXT : 1,
                 to = last_line_of(panel, &panel->at[i]);
        bool near = shown && from <= shown + BRIDGE;
        if (shown && !near)
            cw_buf_puts(panel->e->out, "<div class=\"gap\" aria-hidden=\"true\">\xe2\x8b\xaf</div>");
        for (uint32_t at = near ? shown + 1 : from; at <= to && count < MOST_LINES; at++, count++)
            put_line(panel, at);
        shown = to > shown ? to : shown;
    }
}

static void panel_head(struct cw_emit *emit, const struct cw_pin *first) {
    cw_buf_puts(emit->out, "<figure class=\"source\"><figcaption>");
    cw_html_text(emit->out, cw_str_of(first->place.file));
    cw_buf_puts(emit->out, "</figcaption><div class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"source\">");
}

/* Without the file's text there are still the words. */
static void put_words(const struct panel *panel) {
    for (uint32_t i = 0; i < panel->n; i++) {
        cw_buf_printf(panel->e->out, "<div class=\"line hit\"><span class=\"no\">%u</span><code></code></div>",
                      panel->at[i].place.line);
        if (panel->at[i].text)
            put_comment(panel, &panel->at[i]);
    }
}

static int by_line(const void *a, const void *b) {
    const struct cw_pin *x = a, *y = b;
    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    return x->place.col != y->place.col ? (x->place.col < y->place.col ? -1 : 1) : 0;
}

static bool is_shown(const struct panel *panel, const struct cw_pin *pin) {
    return !panel->source || pin->place.line <= cw_source_lines(panel->source);
}

void cw_html_panels(struct cw_emit *emit, struct cw_paint *paint, struct cw_pins *pins) {
    bool *done = CW_NEW_ARRAY(emit->arena, bool, pins->list.n + 1);
    for (uint32_t i = 0; i < pins->list.n; i++) {
        struct panel p = {.e = emit, .source = emit->source_of(emit->ctx, pins->list.at[i].place.file)};
        struct cw_pins here = {0};
        for (uint32_t k = i; k < pins->list.n; k++)
            if (!done[k] && !strcmp(pins->list.at[k].place.file, pins->list.at[i].place.file)) {
                done[k] = true;
                if (is_shown(&p, &pins->list.at[k]))
                    cw_vec_push(emit->arena, &here.list, pins->list.at[k]);
            }
        if (!here.list.n)
            continue;
        qsort(here.list.at, here.list.n, sizeof *here.list.at, by_line);
        p.at = here.list.at;
        p.n = here.list.n;
        panel_head(emit, &here.list.at[0]);
        if (p.source) {
            p.letters = cw_paint_of(paint, p.source);
            put_lines(&p);
        } else {
            put_words(&p);
        }
        cw_buf_puts(emit->out, "</div></figure>");
    }
}

/* ---- fixes ---- */

static cw_str take_line(cw_str *rest) {
    const char *end = memchr(rest->at, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->at) : rest->n, used = n + (end != NULL);
    cw_str line = {rest->at, n && rest->at[n - 1] == '\r' ? n - 1 : n};
    *rest = (cw_str){rest->at + used, rest->n - used};
    return line;
}

static void diff_line(struct cw_emit *emit, const char *kind, const char *sign, cw_str text) {
    cw_buf_printf(emit->out, "<div class=\"%s\"><span class=\"no\">%s</span><code>", kind, sign);
    cw_html_text(emit->out, text);
    cw_buf_puts(emit->out, "</code></div>");
}

static uint32_t count_lines(cw_str text) {
    uint32_t n = 0;
    for (; text.n; n++)
        take_line(&text);
    return n;
}

/* What stays at the beginning and at the end is context. */
static void diff_lines(struct cw_emit *emit, cw_str before, cw_str after) {
    uint32_t nbefore = count_lines(before), nafter = count_lines(after), head = 0, tail = 0;
    cw_str *old = CW_NEW_ARRAY(emit->arena, cw_str, nbefore + 1), *new = CW_NEW_ARRAY(emit->arena, cw_str, nafter + 1);
    for (uint32_t i = 0; i < nbefore; i++)
        old[i] = take_line(&before);
    for (uint32_t i = 0; i < nafter; i++)
        new[i] = take_line(&after);
    while (head < nbefore && head < nafter && cw_str_eq(old[head], new[head]))
        head++;
    while (head + tail < nbefore && head + tail < nafter && cw_str_eq(old[nbefore - 1 - tail], new[nafter - 1 - tail]))
        tail++;
    for (uint32_t i = 0; i < head; i++)
        diff_line(emit, "same", "", old[i]);
    for (uint32_t i = head; i < nbefore - tail; i++)
        diff_line(emit, "del", "-", old[i]);
    for (uint32_t i = head; i < nafter - tail; i++)
        diff_line(emit, "add", "+", new[i]);
    for (uint32_t i = nbefore - tail; i < nbefore; i++)
        diff_line(emit, "same", "", old[i]);
}

/* Whole lines: those the edit touches, and what they become. */
static void put_edit(struct cw_emit *emit, const struct cw_edit *edit) {
    const struct cw_place *p = &edit->place;
    const struct cw_source *s = p->file ? emit->source_of(emit->ctx, p->file) : NULL;
    if (!s) {
        diff_lines(emit, (cw_str){NULL, 0}, cw_str_of(edit->replacement));
        return;
    }
    cw_str first = cw_source_line(s, p->line), last = cw_source_line(s, p->end_line);
    cw_str before = cw_source_range(s, p->line, 1, p->end_line, (uint32_t)last.n + 1);
    size_t head = p->col ? p->col - 1 : 0, tail = p->end_col ? p->end_col - 1 : 0;
    struct cw_buf after = {0};
    cw_buf_add(&after, first.at, head < first.n ? head : first.n);
    cw_buf_puts(&after, edit->replacement);
    if (tail < last.n)
        cw_buf_add(&after, last.at + tail, last.n - tail);
    diff_lines(emit, before, (cw_str){after.at, after.n});
    cw_buf_free(&after);
}

void cw_html_fix(struct cw_emit *emit, const struct cw_fix *fix) {
    cw_buf_puts(emit->out, "<div class=\"fix\"><h4>Fix <span class=\"pill\">");
    cw_buf_puts(emit->out, fix->safe ? "safe" : "unsafe");
    cw_buf_puts(emit->out, "</span></h4><p>");
    cw_html_text(emit->out, cw_str_of(fix->message));
    cw_buf_puts(emit->out, "</p><div class=\"code diff\" tabindex=\"0\" role=\"group\" aria-label=\"change\">");
    struct cw_edit whole;
    bool is_one = cw_emit_merge(emit, fix, MOST_LINES_OF_A_FIX, &whole);
    for (uint32_t i = 0; i < fix->edits.n && !is_one; i++)
        put_edit(emit, &fix->edits.at[i]);
    if (is_one)
        put_edit(emit, &whole);
    cw_buf_puts(emit->out, "</div></div>");
}
