#include "emit/excerpt.h"

#include <stdlib.h>
#include <string.h>

/* Lines wider than the terminal, or than MAX_COLUMNS, are shown through a window that starts LEAD columns before the
 * first mark. */
enum { TAB_COLUMNS = 4, MAX_COLUMNS = 160, LEAST_COLUMNS = 40, GUTTER_COLUMNS = 9, LEAD_COLUMNS = 40 };
enum { MAX_LINE_BYTES = 1 << 16, MAX_LINES = 12 };

/* A line as it will stand on the terminal: one cell per column. */
struct cell {
    const char *at;
    uint32_t n; /* bytes; 0 in the second column of a wide character */
};

struct line_view {
    struct cell *cells;
    uint32_t ncells;
    uint32_t *column; /* byte offset -> column, for offsets 0 … n */
    uint32_t n;
};

void cw_emit_style(struct cw_emit *emit, enum cw_style style) {
    static const char *const codes[] = {
        [CW_STYLE_NONE] = "0",        [CW_STYLE_STRONG] = "1",     [CW_STYLE_DIM] = "2",     [CW_STYLE_ERROR] = "1;31",
        [CW_STYLE_WARNING] = "1;33",  [CW_STYLE_INFO] = "1;36",    [CW_STYLE_MARK] = "1;34", [CW_STYLE_HELP] = "1;32",
    };
    if (emit->color)
        cw_buf_printf(emit->out, "\x1b[%sm", codes[style]);
}

/* ---- a line's columns ---- */

static void add_cell(struct line_view *line_view, const char *at, uint32_t n) {
    line_view->cells[line_view->ncells++] = (struct cell){at, n};
}

/* `left`: bytes of the line from `at` on. One column for what cannot be shown, so that marks below the line fit. */
static void add_character(struct line_view *line_view, const char *at, size_t left, uint32_t length, uint32_t code) {
    if (code == '\t') {
        do
            add_cell(line_view, " ", 1);
        while (line_view->ncells % TAB_COLUMNS);
        return;
    }
    char before = line_view->ncells ? *line_view->cells[line_view->ncells - 1].at : '\0';
    if (cw_is_unprintable(code) || cw_is_command_mark(before, (cw_str){at, left})) {
        add_cell(line_view, "?", 1);
        return;
    }
    uint32_t columns = cw_source_cells((cw_str){at, length}, length, TAB_COLUMNS);
    bool follows = line_view->ncells &&
                   line_view->cells[line_view->ncells - 1].at + line_view->cells[line_view->ncells - 1].n == at;
    if (columns == 0 && follows) {
        line_view->cells[line_view->ncells - 1].n += length;
        return;
    }
    add_cell(line_view, at, length);
    if (columns > 1)
        add_cell(line_view, at, 0);
}

static struct line_view view_of(struct cw_arena *a, cw_str line) {
    uint32_t n = (uint32_t)(line.n < MAX_LINE_BYTES ? line.n : MAX_LINE_BYTES);
    struct line_view v = {.cells = CW_NEW_ARRAY(a, struct cell, n * TAB_COLUMNS + 1),
                          .column = CW_NEW_ARRAY(a, uint32_t, n + 1),
                          .n = n};
    for (uint32_t i = 0; i < n;) {
        uint32_t code, length = cw_utf8_decode((cw_str){line.at + i, n - i}, &code);
        for (uint32_t k = 0; k < length; k++)
            v.column[i + k] = v.ncells;
        add_character(&v, line.at + i, n - i, length, code);
        i += length;
    }
    v.column[n] = v.ncells;
    return v;
}

/* Byte column from 1 to terminal column from 0. */
static uint32_t column_at(const struct line_view *line_view, uint32_t col) {
    uint32_t offset = col ? col - 1 : 0;
    return line_view->column[offset < line_view->n ? offset : line_view->n];
}

/* ---- drawing ---- */

static void put_gutter(struct cw_emit *emit, uint32_t line) {
    cw_emit_style(emit, CW_STYLE_MARK);
    if (line)
        cw_buf_printf(emit->out, "%5u |", line);
    else
        cw_buf_puts(emit->out, "      |");
    cw_emit_style(emit, CW_STYLE_NONE);
}

static void put_spaces(struct cw_buf *out, uint32_t n) {
    while (n--)
        cw_buf_putc(out, ' ');
}

/* Part of the line that is shown. */
struct window {
    uint32_t from, to;
};

/* The last column stays free (it is counted with the gutter): some terminals break the line there. */
static uint32_t room_of(const struct cw_emit *emit) {
    if (!emit->width || emit->width > MAX_COLUMNS + GUTTER_COLUMNS)
        return MAX_COLUMNS;
    return emit->width > LEAST_COLUMNS + GUTTER_COLUMNS ? emit->width - GUTTER_COLUMNS : LEAST_COLUMNS;
}

static struct window window_of(const struct line_view *line_view, uint32_t room, uint32_t first_mark) {
    if (line_view->ncells <= room)
        return (struct window){0, line_view->ncells};
    uint32_t lead = LEAD_COLUMNS < room / 2 ? LEAD_COLUMNS : room / 4;
    uint32_t from = first_mark > lead ? first_mark - lead : 0;
    from = from + room > line_view->ncells ? line_view->ncells - room : from;
    return (struct window){from, from + room};
}

static void draw_cells(struct cw_emit *emit, const struct line_view *line_view, uint32_t from, uint32_t to) {
    for (uint32_t c = from; c < to; c++)
        cw_buf_add(emit->out, line_view->cells[c].at, line_view->cells[c].n);
}

/* Where the window cuts the line, dots stand in the place of its first or last cells. A wide character that would lose
 * one of its two columns is left out. */
static void draw_text(struct cw_emit *emit, const struct line_view *line_view, struct window window, uint32_t line) {
    const char *dots = emit->unicode ? "\xe2\x80\xa6" : "...";
    uint32_t ndots = emit->unicode ? 1 : 3, from = window.from, to = window.to;
    put_gutter(emit, line);
    if (window.to)
        cw_buf_putc(emit->out, ' ');
    if (window.from > 0) {
        cw_buf_puts(emit->out, dots);
        from += ndots;
        for (; from < to && !line_view->cells[from].n; from++)
            cw_buf_putc(emit->out, ' ');
    }
    to -= window.to < line_view->ncells ? ndots : 0;
    bool splits = to < window.to && to > from && !line_view->cells[to].n;
    draw_cells(emit, line_view, from, splits ? to - 1 : to);
    if (to < window.to)
        cw_buf_printf(emit->out, "%s%s", splits ? " " : "", dots);
    while (emit->out->at[emit->out->n - 1] == ' ')
        emit->out->at[--emit->out->n] = '\0';
    cw_buf_putc(emit->out, '\n');
}

/* A mark in columns of the window. */
struct span {
    uint32_t from, to;
    const struct cw_mark *mark;
};

static struct span span_of(const struct line_view *line_view, struct window window, const struct cw_mark *mark) {
    uint32_t from = column_at(line_view, mark->col);
    uint32_t to = mark->end_line == mark->line ? column_at(line_view, mark->end_col) : line_view->ncells;
    from = from < window.from ? window.from : from > window.to ? window.to : from;
    to = to > window.to ? window.to : to;
    if (to <= from)
        to = from + 1;
    return (struct span){from - window.from, to - window.from, mark};
}

/* `~` for every mark, `^` where the main one begins. */
static void draw_marks(struct cw_emit *emit, const struct span *at, uint32_t n) {
    char row[MAX_COLUMNS + 2];
    uint32_t end = 0;
    memset(row, ' ', sizeof row);
    for (uint32_t i = 0; i < n; i++) {
        memset(row + at[i].from, '~', at[i].to - at[i].from);
        end = at[i].to > end ? at[i].to : end;
    }
    for (uint32_t i = 0; i < n; i++)
        if (at[i].mark->is_main)
            row[at[i].from] = '^';
    put_gutter(emit, 0);
    cw_buf_putc(emit->out, ' ');
    cw_emit_style(emit, CW_STYLE_HELP);
    cw_buf_add(emit->out, row, end);
    cw_emit_style(emit, CW_STYLE_NONE);
}

static void draw_label(struct cw_emit *emit, const char *label) {
    cw_emit_style(emit, CW_STYLE_HELP);
    cw_puts_printable(emit->out, label);
    cw_emit_style(emit, CW_STYLE_NONE);
}

static int by_start(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

/* The last mark's label stands beside the marks, the others below, each under its own mark. */
static void draw_labels(struct cw_emit *emit, const struct span *at, uint32_t n) {
    if (at[n - 1].mark->label) {
        cw_buf_putc(emit->out, ' ');
        draw_label(emit, at[n - 1].mark->label);
    }
    cw_buf_putc(emit->out, '\n');
    for (uint32_t i = n - 1; i-- > 0;) {
        if (!at[i].mark->label)
            continue;
        put_gutter(emit, 0);
        put_spaces(emit->out, at[i].from + 1);
        draw_label(emit, at[i].mark->label);
        cw_buf_putc(emit->out, '\n');
    }
}

static void draw_line(struct cw_emit *emit, cw_str text, const struct cw_mark *marks, uint32_t n) {
    struct line_view v = view_of(emit->arena, text);
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t column = column_at(&v, marks[i].col);
        first = column < first ? column : first;
    }
    struct window w = window_of(&v, room_of(emit), first);
    struct span *spans = CW_NEW_ARRAY(emit->arena, struct span, n);
    for (uint32_t i = 0; i < n; i++)
        spans[i] = span_of(&v, w, &marks[i]);
    qsort(spans, n, sizeof *spans, by_start);
    draw_text(emit, &v, w, marks[0].line);
    draw_marks(emit, spans, n);
    draw_labels(emit, spans, n);
}

static int by_line(const void *a, const void *b) {
    const struct cw_mark *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->col != y->col ? (x->col < y->col ? -1 : 1) : (int)y->is_main - (int)x->is_main;
}

bool cw_excerpt(struct cw_emit *emit, const char *file, struct cw_marks *marks) {
    const struct cw_source *source = file && marks->list.n ? emit->source_of(emit->ctx, file) : NULL;
    if (!source)
        return false;
    uint32_t lines = 0;
    qsort(marks->list.at, marks->list.n, sizeof *marks->list.at, by_line);
    for (uint32_t i = 0, k; i < marks->list.n && lines < MAX_LINES; i = k, lines++) {
        uint32_t line = marks->list.at[i].line;
        for (k = i; k < marks->list.n && marks->list.at[k].line == line;)
            k++;
        if (line > cw_source_lines(source))
            break;
        if (i && line > marks->list.at[i - 1].line + 1) {
            put_gutter(emit, 0);
            cw_buf_puts(emit->out, " ...\n");
        }
        draw_line(emit, cw_source_line(source, line), &marks->list.at[i], k - i);
    }
    return lines > 0;
}
