/* What clang dropped. A statement or initialiser with an unknown name vanishes from the tree; only the error's place tells
 * that something stood there. Every variable that the lost text names becomes unknown, so no value is ever wrong. */
#include "front/clang/lower.h"

#include <stdlib.h>

struct cw_place_of {
    CXFile file;
    unsigned offset;
};

static struct cw_place_of place(CXSourceLocation l) {
    struct cw_place_of p = {NULL, 0};
    clang_getFileLocation(l, &p.file, NULL, NULL, &p.offset);
    return p;
}

static struct cw_place_of start_of(CXCursor c) {
    return place(clang_getRangeStart(clang_getCursorExtent(c)));
}

static struct cw_place_of end_of(CXCursor c) {
    return place(clang_getRangeEnd(clang_getCursorExtent(c)));
}

void cw_clang_note_error(struct cw_unit *u, CXSourceLocation l) {
    struct cw_place_of p = place(l);
    if (p.file)
        cw_vec_push(&u->scratch, &u->errors, ((struct cw_error_place){p.file, p.offset}));
}

static int by_place(const void *a, const void *b) {
    const struct cw_error_place *x = a, *y = b;
    if (x->file != y->file)
        return (uintptr_t)x->file < (uintptr_t)y->file ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void cw_clang_sort_errors(struct cw_unit *u) {
    if (u->errors.n)
        qsort(u->errors.at, u->errors.n, sizeof *u->errors.at, by_place);
}

/* An error strictly inside the range: one at its start belongs to what ends there ("expected ';'"). */
static bool has_error(const struct cw_unit *u, CXFile file, unsigned from, unsigned to) {
    struct cw_error_place start = {file, from + 1};
    uint32_t low = 0, high = u->errors.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_place(&u->errors.at[middle], &start) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < u->errors.n && u->errors.at[low].file == file && u->errors.at[low].offset < to;
}

/* The variable holds anything from here on. */
static void forget(struct cw_body *b, const struct cw_var *v) {
    const struct cw_ctype *t = cw_clang_type(b->u, v->type);
    if (v->addr.tag != CW_REF_OBJECT && v->addr.tag != CW_REF_INS)
        return;
    if (t->shape == CW_SHAPE_SCALAR)
        cw_clang_store(b, cw_clang_unknown(b, v->type, CW_BAIL_BROKEN_CODE, NULL, 0), v->addr, v->type);
    else
        cw_clang_clobber(b, v->addr, CW_BAIL_BROKEN_CODE, NULL, 0);
}

/* A lost `return` or jump may have been taken, or not. */
static void maybe_return(struct cw_body *b) {
    uint32_t leave = cw_clang_block(b), on = cw_clang_block(b);
    cw_ref unknown = cw_emit_opaque(b->at, CW_I1, CW_BAIL_BROKEN_CODE, NULL, 0);
    cw_fn_branch(b->fn, b->at.block, unknown, leave, on, b->at.loc, CW_FROM_RETURN);
    cw_fn_return(b->fn, leave, b->fn->result == CW_VOID ? CW_NONE : cw_fn_undef(b->fn->result), b->at.loc);
    b->at.block = on;
}

static void lose(struct cw_body *b, cw_str text) {
    static const char *const jumps[] = {"return", "break", "continue", "goto"};
    b->is_degraded = true;
    cw_clang_bail(b, CW_BAIL_BROKEN_CODE);
    if (!cw_clang_is_open(b))
        return;
    cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, CW_VOID, CW_BAIL_BROKEN_CODE, NULL, 0, b->at.loc);
    for (uint32_t i = 0; i < b->named.n; i++)
        if (cw_clang_mentions(text, b->named.at[i].name, true))
            forget(b, b->named.at[i].var);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        if (cw_clang_mentions(text, jumps[i], true)) {
            maybe_return(b);
            return;
        }
}

static cw_str text_between(struct cw_body *b, CXFile file, unsigned from, unsigned to) {
    const struct cw_file_text *f = cw_clang_file(b->u, file);
    if (!f->text || from >= to || to > f->size)
        return CW_STR("");
    return (cw_str){f->text + from, to - from};
}

void cw_clang_lost_between(struct cw_body *b, CXCursor parent, const CXCursor *before, const CXCursor *after) {
    if (!b->u->errors.n)
        return;
    struct cw_place_of from = before ? end_of(*before) : start_of(parent);
    struct cw_place_of to = after ? start_of(*after) : end_of(parent);
    if (from.file == to.file && has_error(b->u, from.file, from.offset, to.offset))
        lose(b, text_between(b, from.file, from.offset, to.offset));
}

void cw_clang_lost(struct cw_body *b, CXCursor whole) {
    cw_clang_lost_between(b, whole, NULL, NULL);
}

bool cw_clang_is_broken_before(struct cw_body *b, CXCursor whole, CXCursor part) {
    struct cw_place_of from = start_of(whole), to = start_of(part);
    return b->u->errors.n && from.file == to.file && has_error(b->u, from.file, from.offset, to.offset);
}

/* The offset of the `;` that ends the declaration, or of the text's end. */
static unsigned declaration_end(const struct cw_file_text *f, unsigned from) {
    while (f->text && from < f->size && f->text[from] != ';')
        from++;
    return from;
}

bool cw_clang_lost_initialiser(struct cw_body *b, CXCursor var) {
    if (!b->u->errors.n)
        return false;
    struct cw_place_of from = start_of(var);
    if (!from.file || !has_error(b->u, from.file, from.offset, declaration_end(cw_clang_file(b->u, from.file), from.offset)))
        return false;
    b->is_degraded = true;
    return true;
}
