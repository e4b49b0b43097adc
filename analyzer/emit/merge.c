#include "emit/merge.h"

#include <stdlib.h>
#include <string.h>

struct piece {
    size_t from, to;
    const char *text;
    uint32_t order;
};

static int by_offset(const void *a, const void *b) {
    const struct piece *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The edits as offsets, in order; NULL when two of them overlap or one is in another file. */
static struct piece *pieces_of(struct cw_emit *emit, const struct cw_fix *fix, const struct cw_source *source) {
    struct piece *at = CW_NEW_ARRAY(emit->arena, struct piece, fix->edits.n);
    for (uint32_t i = 0; i < fix->edits.n; i++) {
        const struct cw_place *p = &fix->edits.at[i].place;
        if (!p->file || strcmp(p->file, fix->edits.at[0].place.file) != 0)
            return NULL;
        at[i] = (struct piece){cw_source_offset(source, p->line, p->col),
                               cw_source_offset(source, p->end_line, p->end_col), fix->edits.at[i].replacement, i};
        if (at[i].to < at[i].from)
            return NULL;
    }
    qsort(at, fix->edits.n, sizeof *at, by_offset);
    for (uint32_t i = 1; i < fix->edits.n; i++)
        if (at[i].from < at[i - 1].to)
            return NULL;
    return at;
}

bool cw_emit_merge(struct cw_emit *emit, const struct cw_fix *fix, uint32_t most_lines, struct cw_edit *out) {
    if (!fix->edits.n || !fix->edits.at[0].place.file)
        return false;
    *out = fix->edits.at[0];
    if (fix->edits.n == 1)
        return true;
    const struct cw_source *s = emit->source_of(emit->ctx, fix->edits.at[0].place.file);
    const struct piece *at = s ? pieces_of(emit, fix, s) : NULL;
    if (!at)
        return false;
    const struct piece *last = &at[fix->edits.n - 1];
    struct cw_place p = {.file = fix->edits.at[0].place.file};
    cw_source_place(s, at[0].from, &p.line, &p.col);
    cw_source_place(s, last->to, &p.end_line, &p.end_col);
    if (p.end_line - p.line > most_lines)
        return false;
    struct cw_buf text = {0};
    for (uint32_t i = 0; i < fix->edits.n; i++) {
        if (i)
            cw_buf_add(&text, s->text + at[i - 1].to, at[i].from - at[i - 1].to);
        cw_buf_puts(&text, at[i].text);
    }
    *out = (struct cw_edit){p, cw_arena_strndup(emit->arena, text.at ? text.at : "", text.n)};
    cw_buf_free(&text);
    return true;
}
