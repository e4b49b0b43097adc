/* Markdown of the rules' documentation as a terminal shows it. Cost: one pass over the text. */
#include "base/str.h"
#include "cli/cli.h"

#include <string.h>

#define BOLD "\x1b[1m"
#define CODE "\x1b[36m"
#define GOOD "\x1b[1;32m"
#define BAD "\x1b[1;31m"
#define PLAIN "\x1b[0m"

struct drawing {
    struct cw_buf *out;
    bool color, in_code;
};

static void put_style(struct drawing *drawing, const char *style) {
    if (drawing->color)
        cw_buf_puts(drawing->out, style);
}

static void put_styled(struct drawing *drawing, const char *style, cw_str text) {
    put_style(drawing, style);
    cw_buf_add(drawing->out, text.at, text.n);
    put_style(drawing, PLAIN);
}

/* `code` within a line; without colours the marks stay, or the code would not be seen to begin. */
static void put_inline(struct drawing *drawing, cw_str line) {
    while (line.n) {
        const char *open = drawing->color ? memchr(line.at, '`', line.n) : NULL;
        size_t before = open ? (size_t)(open - line.at) : line.n;
        const char *end = open ? memchr(open + 1, '`', line.n - before - 1) : NULL;
        if (!end) {
            cw_buf_add(drawing->out, line.at, line.n);
            return;
        }
        cw_buf_add(drawing->out, line.at, before);
        put_styled(drawing, CODE, (cw_str){open + 1, (size_t)(end - open - 1)});
        line = (cw_str){end + 1, line.n - (size_t)(end + 1 - line.at)};
    }
}

/* "```cuda bad --arch sm_75" becomes "bad, with --arch sm_75:". */
static void put_fence(struct drawing *drawing, cw_str line) {
    cw_str rest = cw_str_trim((cw_str){line.at + 3, line.n - 3});
    drawing->in_code = !drawing->in_code;
    if (!drawing->in_code || !cw_str_starts(rest, "cuda "))
        return;
    rest = cw_str_trim((cw_str){rest.at + 5, rest.n - 5});
    const char *blank = memchr(rest.at, ' ', rest.n);
    cw_str kind = {rest.at, blank ? (size_t)(blank - rest.at) : rest.n};
    cw_buf_puts(drawing->out, "  ");
    put_styled(drawing, cw_str_is(kind, "bad") ? BAD : GOOD, kind);
    if (blank)
        cw_buf_printf(drawing->out, ", with%.*s", (int)(rest.n - kind.n), blank);
    cw_buf_puts(drawing->out, ":\n");
}

static void put_line(struct drawing *drawing, cw_str line) {
    size_t level = line.n ? strspn(line.at, "#") : 0;
    if (cw_str_starts(line, "```")) {
        put_fence(drawing, line);
        return;
    }
    if (drawing->in_code) {
        cw_buf_puts(drawing->out, line.n ? "    " : "");
        cw_buf_add(drawing->out, line.at, line.n);
    } else if (level && level < line.n && line.at[level] == ' ') {
        put_styled(drawing, BOLD, (cw_str){line.at + level + 1, line.n - level - 1});
    } else {
        put_inline(drawing, line);
    }
    cw_buf_putc(drawing->out, '\n');
}

void cw_cli_draw_markdown(cw_str text, bool color, struct cw_buf *out) {
    struct drawing d = {out, color, false};
    while (text.n) {
        const char *end = memchr(text.at, '\n', text.n);
        size_t n = end ? (size_t)(end - text.at) : text.n, step = end ? n + 1 : n;
        put_line(&d, (cw_str){text.at, n});
        text = (cw_str){text.at + step, text.n - step};
    }
}
