#include "fix/prove/ignores.h"

#include "source/lexer.h"
#include "suppress/suppress.h"

#include <string.h>

enum { MAX_RULES_A_LINE = 32 };

/* The findings that begin in one line. */
struct line {
    uint32_t number, last;  /* the furthest that one of them reaches */
    const char *rules[MAX_RULES_A_LINE];
    uint32_t nrules, from, n; /* findings[from … from + n) */
};

struct adding {
    struct cw_arena *arena;
    const struct cw_source *source;
    const struct cw_comments *comments;
    const struct cw_finding *const *findings;
    const char *reason;
    struct cw_ignored *out;
};

const char *cw_ignore_reason_check(const char *reason) {
    size_t n = strlen(reason);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)reason[i] < 0x20 || reason[i] == 0x7f)
            return "a reason is one line without control characters";
    if (!n || strspn(reason, " ") == n)
        return "a reason says something";
    if (strstr(reason, " //"))
        return "' //' would end the reason";
    return reason[n - 1] == '\\' ? "a backslash at the end would take the next line into the comment" : NULL;
}

/* ---- lines ---- */

static bool add_rule(struct line *line, const char *rule) {
    for (uint32_t i = 0; i < line->nrules; i++)
        if (!strcmp(line->rules[i], rule))
            return true;
    if (line->nrules == MAX_RULES_A_LINE)
        return false;
    line->rules[line->nrules++] = rule;
    return true;
}

static const char *list_of(const struct adding *adding, const struct line *line) {
    const char *text = "";
    for (uint32_t i = 0; i < line->nrules; i++)
        text = cw_arena_printf(adding->arena, "%s%s%s", text, *text ? ", " : "", line->rules[i]);
    return text;
}

static const char *comment_of(const struct adding *adding, const struct line *line) {
    return cw_arena_printf(adding->arena, "// cuwarp: ignore[%s] -- %s", list_of(adding, line), adding->reason);
}

/* ---- places ---- */

/* What the lexer sees around the beginning of a line, and the last token of code in it. */
struct around {
    bool is_inside;       /* of a token or preprocessor line that begins above */
    bool is_comment;      /* a comment begins in the line, and code does not */
    uint32_t end;         /* of the line's last code, 0: it has none */
    bool goes_on;         /* that code ends in a later line */
    bool is_block_behind; /* a comment of the other kind stands behind it */
};

static struct around look_around(const struct adding *adding, const struct line *line) {
    size_t start = cw_source_offset(adding->source, line->number, 1),
           stop = cw_source_offset(adding->source, line->number + 1, 1);
    struct around found = {0};
    struct cw_lexer lexer;
    if (line->number >= cw_source_lines(adding->source))
        stop = adding->source->size;
    cw_lexer_init(&lexer, adding->source->text, adding->source->size);
    for (struct cw_token t = cw_lexer_next(&lexer); t.kind != CW_TOKEN_END && t.at < stop; t = cw_lexer_next(&lexer)) {
        bool is_before = t.at < start, is_comment = t.kind == CW_TOKEN_COMMENT;
        found.is_inside |= (is_before && t.at + t.n > start) || (!is_before && t.in_directive);
        if (is_before)
            continue;
        found.goes_on |= t.at + t.n > stop;
        found.is_block_behind = is_comment && found.end && adding->source->text[t.at + 1] == '*';
        found.is_comment |= is_comment;
        if (!is_comment)
            found.end = t.at + t.n;
    }
    found.is_comment &= !found.end;
    return found;
}

/* The last line that a comment above would silence. */
static uint32_t reach_above(const struct adding *adding, const struct line *line) {
    struct cw_arena scratch;
    size_t at = cw_source_offset(adding->source, line->number, 1);
    cw_arena_init(&scratch);
    char *text = cw_arena_printf(&scratch, "%.*s// cuwarp: ignore[x]\n%.*s", (int)at, adding->source->text,
                                 (int)(adding->source->size - at), adding->source->text + at);
    const struct cw_comments *c =
        cw_comments_read(&scratch, cw_source_of_text(&scratch, "", text, adding->source->size + 21));
    uint32_t last = 0;
    for (uint32_t i = 0; i < c->list.n; i++)
        if ((size_t)(c->list.at[i].text.at - c->source->text) == at && c->list.at[i].silences.n)
            last = c->list.at[i].silences.at[0].last;
    cw_arena_free(&scratch);
    return last ? last - 1 : 0;
}

static bool put_edit(struct adding *adding, size_t from, const char *text) {
    return cw_edits_add(adding->arena, &adding->out->edits, (struct cw_replacement){from, from, text});
}

/* Into the list of a comment that is for this line, above it or behind. */
static bool extend_comment(struct adding *adding, const struct line *line) {
    for (uint32_t i = 0; i < adding->comments->list.n; i++) {
        const struct cw_comment *c = &adding->comments->list.at[i];
        bool fits = c->directive.kind == CW_DIRECTIVE_IGNORE && !c->macro.n && c->silences.n &&
                    (c->is_behind ? c->silences.at[0].last : c->silences.at[0].first) == line->number;
        if (!fits)
            continue;
        cw_str last = cw_vec_last(&c->directive.names);
        return put_edit(adding, (size_t)(last.at + last.n - adding->source->text),
                        cw_arena_printf(adding->arena, ", %s", list_of(adding, line)));
    }
    return false;
}

static bool put_above(struct adding *adding, const struct line *l) {
    cw_str line = cw_source_line(adding->source, l->number);
    size_t blanks = 0;
    while (blanks < line.n && (line.at[blanks] == ' ' || line.at[blanks] == '\t'))
        blanks++;
    struct cw_edit edit = {{NULL, l->number, 1, l->number, 1},
                           cw_arena_printf(adding->arena, "%.*s%s\n", (int)blanks, line.at, comment_of(adding, l))};
    struct cw_replacement r = cw_edit_resolve(adding->arena, adding->source, &edit);
    return cw_edits_add(adding->arena, &adding->out->edits, r);
}

static bool put_behind(struct adding *adding, const struct line *line, const struct around *at) {
    return put_edit(adding, at->end, cw_arena_printf(adding->arena, " %s", comment_of(adding, line)));
}

/* Above, unless that would silence more than the findings' own lines and there is room behind. */
static bool put_comment(struct adding *adding, const struct line *l) {
    if (extend_comment(adding, l))
        return true;
    struct around at = look_around(adding, l);
    if (at.is_inside || (!at.end && !at.is_comment))
        return false;
    cw_str line = cw_source_line(adding->source, l->number);
    bool is_room = at.end && !at.goes_on && !at.is_block_behind && line.n && line.at[line.n - 1] != '\\';
    if (is_room && reach_above(adding, l) > l->last)
        return put_behind(adding, l, &at);
    return put_above(adding, l);
}

/* ---- proof ---- */

static bool is_silenced(const struct cw_comments *comments, uint32_t line, const char *rule) {
    for (uint32_t i = 0; i < comments->list.n; i++)
        for (uint32_t k = 0; k < comments->list.at[i].silences.n; k++) {
            const struct cw_silence *s = &comments->list.at[i].silences.at[k];
            if (line >= s->first && line <= s->last && cw_silence_names(s->name, rule, NULL))
                return true;
        }
    return false;
}

static struct cw_token next_code(struct cw_lexer *lexer) {
    struct cw_token t;
    do
        t = cw_lexer_next(lexer);
    while (t.kind == CW_TOKEN_COMMENT);
    return t;
}

static bool same_code(const struct cw_source *source, const struct cw_source *other) {
    struct cw_lexer a, b;
    struct cw_token s, t;
    cw_lexer_init(&a, source->text, source->size);
    cw_lexer_init(&b, other->text, other->size);
    do {
        s = next_code(&a);
        t = next_code(&b);
        if (s.kind != t.kind || s.n != t.n || s.in_directive != t.in_directive ||
            memcmp(source->text + s.at, other->text + t.at, s.n) != 0)
            return false;
    } while (s.kind != CW_TOKEN_END);
    return true;
}

static bool holds_in(struct cw_arena *a, struct adding *adding, const struct line *l, const struct cw_source *now) {
    const struct cw_comments *c = cw_comments_read(a, now);
    uint32_t line, col;
    size_t start = cw_source_offset(adding->source, l->number, 1);
    cw_source_place(now, cw_edits_map(&adding->out->edits, start).to, &line, &col);
    for (uint32_t i = 0; i < l->nrules; i++)
        if (!is_silenced(c, line, l->rules[i]))
            return false;
    return same_code(adding->source, now);
}

static bool holds_directive(struct adding *adding, const struct line *line) {
    struct cw_arena scratch;
    struct cw_buf text = {0};
    cw_arena_init(&scratch);
    cw_edits_apply(&adding->out->edits, adding->source->text, adding->source->size, &text);
    bool good = holds_in(&scratch, adding, line,
                         cw_source_of_text(&scratch, adding->source->path, text.at ? text.at : "", text.n));
    cw_buf_free(&text);
    cw_arena_free(&scratch);
    return good;
}

/* ---- all ---- */

static void leave_findings(struct adding *adding, const struct line *line) {
    for (uint32_t i = 0; i < line->n; i++)
        cw_vec_push(adding->arena, &adding->out->left, adding->findings[line->from + i]);
}

static void take_line(struct adding *adding, const struct line *line) {
    struct cw_edits before = {0};
    for (uint32_t i = 0; i < adding->out->edits.at.n; i++)
        cw_vec_push(adding->arena, &before.at, adding->out->edits.at.at[i]);
    if (put_comment(adding, line) && holds_directive(adding, line)) {
        adding->out->silenced += line->n;
        return;
    }
    adding->out->edits = before;
    leave_findings(adding, line);
}

void cw_add_ignores(struct cw_arena *a, const struct cw_source *source, const struct cw_finding *const *findings,
                    uint32_t n, const char *reason, struct cw_ignored *out) {
    struct adding d = {a, source, cw_comments_read(a, source), findings, reason, out};
    *out = (struct cw_ignored){0};
    for (uint32_t i = 0; i < n;) {
        struct line l = {.number = findings[i]->place.line, .from = i};
        bool fits = true;
        for (; i < n && findings[i]->place.line == l.number; i++, l.n++) {
            fits &= add_rule(&l, findings[i]->rule);
            l.last = findings[i]->place.end_line > l.last ? findings[i]->place.end_line : l.last;
        }
        if (fits)
            take_line(&d, &l);
        else
            leave_findings(&d, &l);
    }
}
