#include "fix/apply/diff.h"

#include <string.h>

enum { CONTEXT = 3 };

/* Lines of a text, as [start[i], start[i + 1]). */
struct lines {
    CW_VEC(size_t) start;
    uint32_t n;
};

static struct lines split_lines(struct cw_arena *a, const char *text, size_t size) {
    struct lines l = {0};
    for (size_t at = 0; at < size;) {
        cw_vec_push(a, &l.start, at);
        const char *end = memchr(text + at, '\n', size - at);
        at = end ? (size_t)(end - text) + 1 : size;
    }
    l.n = l.start.n;
    cw_vec_push(a, &l.start, size);
    return l;
}

/* The line that holds a byte; the number of lines for the end. */
static uint32_t line_of(const struct lines *lines, size_t offset) {
    uint32_t low = 0, high = lines->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lines->start.at[middle + 1] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whole lines of the old text, and the text that takes their place. */
struct change {
    uint32_t from, to;
    const char *text;
    size_t size;
    uint32_t new_lines;
};

struct differ {
    struct cw_arena *arena;
    const char *text;
    size_t size;
    struct lines old;
    CW_VEC(struct change) changes;
};

static uint32_t count_lines(const char *text, size_t size) {
    uint32_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += text[i] == '\n' || i + 1 == size;
    return n;
}

/* What edits [i, j) make of the old text [from, to). */
static void put_edited(struct differ *differ, const struct cw_edits *edits, uint32_t i, uint32_t j, size_t from,
                       size_t to, struct cw_buf *out) {
    struct cw_edits inner = {0};
    for (; i < j; i++) {
        struct cw_replacement r = edits->at.at[i];
        r.from -= from, r.to -= from;
        cw_vec_push(differ->arena, &inner.at, r);
    }
    cw_edits_apply(&inner, differ->text + from, to - from, out);
}

/* The first line of a text, with its end. */
static size_t first_line(const char *text, size_t size) {
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) + 1 : size;
}

static size_t last_line(const char *text, size_t size) {
    const char *end = size > 1 ? memrchr(text, '\n', size - 1) : NULL;
    return end ? size - (size_t)(end + 1 - text) : size;
}

/* Whole lines that are the same before and after are no change: a statement put in front of another touches that
 * one's line. */
static void trim_change(const struct differ *differ, struct change *change) {
    const size_t *start = differ->old.start.at;
    for (size_t n; change->from < change->to && change->size; change->from++, change->text += n, change->size -= n) {
        n = first_line(change->text, change->size);
        if (n != start[change->from + 1] - start[change->from] ||
            memcmp(change->text, differ->text + start[change->from], n) != 0)
            break;
    }
    for (size_t n; change->from < change->to && change->size; change->to--, change->size -= n) {
        n = last_line(change->text, change->size);
        if (n != start[change->to] - start[change->to - 1] ||
            memcmp(change->text + change->size - n, differ->text + start[change->to - 1], n) != 0)
            break;
    }
    change->new_lines = count_lines(change->text, change->size);
}

/* The lines that edits [i, j) touch. One that they end in is taken with its rest, unless they end where it begins. */
static void add_change(struct differ *differ, const struct cw_edits *edits, uint32_t i, uint32_t j) {
    size_t last = edits->at.at[j - 1].to;
    struct change c = {.from = line_of(&differ->old, edits->at.at[i].from), .to = line_of(&differ->old, last)};
    struct cw_buf text = {0};
    put_edited(differ, edits, i, j, differ->old.start.at[c.from], last, &text);
    bool whole = differ->old.start.at[c.to] == last && (!text.n || text.at[text.n - 1] == '\n');
    if (!whole && c.to < differ->old.n) {
        c.to++;
        cw_buf_add(&text, differ->text + last, differ->old.start.at[c.to] - last);
    }
    c.text = cw_arena_strndup(differ->arena, text.at ? text.at : "", text.n);
    c.size = text.n;
    trim_change(differ, &c);
    cw_buf_free(&text);
    if (c.from < c.to || c.size)
        cw_vec_push(differ->arena, &differ->changes, c);
}

static void find_changes(struct differ *differ, const struct cw_edits *edits) {
    for (uint32_t i = 0, j; i < edits->at.n; i = j) {
        j = i + 1;
        while (j < edits->at.n &&
               line_of(&differ->old, edits->at.at[j].from) <= line_of(&differ->old, edits->at.at[j - 1].to))
            j++;
        add_change(differ, edits, i, j);
    }
}

/* ---- printing ---- */

static void print_lines(struct cw_buf *out, char mark, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - text) + 1 - at : size - at;
        cw_buf_putc(out, mark);
        cw_buf_add(out, text + at, n);
        if (!end)
            cw_buf_puts(out, "\n\\ No newline at end of file\n");
        at += n;
    }
}

static void print_old(const struct differ *differ, struct cw_buf *out, char mark, uint32_t from, uint32_t to) {
    size_t start = differ->old.start.at[from];
    print_lines(out, mark, differ->text + start, differ->old.start.at[to] - start);
}

static void print_range(struct cw_buf *out, char mark, uint32_t first, uint32_t n) {
    cw_buf_printf(out, " %c%u", mark, n ? first + 1 : first);
    if (n != 1)
        cw_buf_printf(out, ",%u", n);
}

/* Changes of adjacent lines: what goes first, then what comes. Returns the line behind them. */
static uint32_t print_run(const struct differ *differ, struct cw_buf *out, uint32_t *i, uint32_t j) {
    uint32_t first = *i, n = first + 1;
    while (n < j && differ->changes.at[n].from == differ->changes.at[n - 1].to)
        n++;
    print_old(differ, out, '-', differ->changes.at[first].from, differ->changes.at[n - 1].to);
    for (*i = first; *i < n; (*i)++)
        print_lines(out, '+', differ->changes.at[*i].text, differ->changes.at[*i].size);
    return differ->changes.at[n - 1].to;
}

/* Changes [i, j) with the context around them. `shift`: lines gained before. */
static void print_hunk(const struct differ *differ, struct cw_buf *out, uint32_t i, uint32_t j, int64_t *shift) {
    uint32_t from = differ->changes.at[i].from, to = differ->changes.at[j - 1].to;
    from -= from < CONTEXT ? from : CONTEXT;
    to = to + CONTEXT < differ->old.n ? to + CONTEXT : differ->old.n;
    int64_t gained = 0;
    for (uint32_t k = i; k < j; k++)
        gained += (int64_t)differ->changes.at[k].new_lines - (differ->changes.at[k].to - differ->changes.at[k].from);
    cw_buf_puts(out, "@@");
    print_range(out, '-', from, to - from);
    print_range(out, '+', (uint32_t)(from + *shift), (uint32_t)(to - from + gained));
    cw_buf_puts(out, " @@\n");
    *shift += gained;
    while (i < j) {
        print_old(differ, out, ' ', from, differ->changes.at[i].from);
        from = print_run(differ, out, &i, j);
    }
    print_old(differ, out, ' ', from, to);
}

/* A name as git writes it with its default core.quotePath: in quotes, as a C string with octal numbers, when it
 * holds control characters, quotes, backslashes or bytes beyond ASCII; with a tab behind it when it holds a space,
 * which shows where it ends. */
static void print_name(struct cw_buf *out, const char *mark, const char *prefix, const char *name) {
    static const char plain[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";
    bool is_quoted = false;
    for (const char *c = name; *c; c++)
        is_quoted |= *c < ' ' || *c > '~' || *c == '"' || *c == '\\';
    cw_buf_printf(out, "%s %s%s", mark, is_quoted ? "\"" : "", prefix);
    for (const char *c = name; *c; c++) {
        const char *known = is_quoted ? strchr(plain, *c) : NULL;
        if (known)
            cw_buf_printf(out, "\\%c", letters[known - plain]);
        else if (*c < ' ' || *c > '~')
            cw_buf_printf(out, "\\%03o", (unsigned)(unsigned char)*c);
        else
            cw_buf_putc(out, *c);
    }
    cw_buf_puts(out, is_quoted ? "\"" : "");
    cw_buf_puts(out, strchr(name, ' ') ? "\t\n" : "\n");
}

void cw_diff_print(struct cw_arena *a, const char *name, const char *text, size_t size, const struct cw_edits *edits,
                   struct cw_buf *out) {
    struct differ d = {.arena = a, .text = text, .size = size, .old = split_lines(a, text, size)};
    int64_t shift = 0;
    name += strncmp(name, "./", 2) ? 0 : 2;
    name += *name == '/';
    find_changes(&d, edits);
    if (d.changes.n) {
        print_name(out, "---", "a/", name);
        print_name(out, "+++", "b/", name);
    }
    for (uint32_t i = 0, j; i < d.changes.n; i = j) {
        j = i + 1;
        while (j < d.changes.n && d.changes.at[j].from - d.changes.at[j - 1].to <= 2 * CONTEXT)
            j++;
        print_hunk(&d, out, i, j, &shift);
    }
}
