/* What clang dropped. A statement or initialiser with an unknown name vanishes from the tree; only the error's place
 * tells that something stood there. Every variable that the lost text names becomes unknown, so no value is ever wrong.
 */
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

/* ---- words of a text ----
 *
 * The text of a macro's use is lost once for each statement of its body that ends there, and has hundreds of those when
 * such macros are nested. Each file is cut into words once; a range of it is asked by binary search. */

struct occurrences {
    CW_VEC(uint32_t) at; /* offsets, ascending */
};

struct cw_file_words {
    CW_VEC(struct cw_file_word { uint32_t offset; const char *word; }) all; /* by offset; `word` interned */
    struct cw_map by_word; /* interned word -> struct occurrences * */
    struct occurrences semicolons;
};

static void add_word(struct cw_unit *u, struct cw_file_words *w, cw_str word, uint32_t offset) {
    const char *unique = cw_intern_n(&u->module->names, word.at, word.n);
    uint64_t found = 0;
    if (!cw_map_get(&w->by_word, (uint64_t)(uintptr_t)unique, &found)) {
        found = (uint64_t)(uintptr_t)CW_NEW(&u->scratch, struct occurrences);
        cw_map_put(&w->by_word, (uint64_t)(uintptr_t)unique, found);
    }
    cw_vec_push(&u->scratch, &((struct occurrences *)(uintptr_t)found)->at, offset);
    cw_vec_push(&u->scratch, &w->all, ((struct cw_file_word){offset, unique}));
}

static const struct cw_file_words *words_of(struct cw_unit *u, CXFile file) {
    struct cw_file_text *f = cw_clang_file(u, file);
    if (f->words || !f->text)
        return f->words;
    struct cw_file_words *w = CW_NEW(&u->scratch, struct cw_file_words);
    cw_map_init(&w->by_word, &u->scratch);
    for (size_t i = 0, end; i < f->size && i < UINT32_MAX; i = end) {
        for (end = i; end < f->size && cw_clang_is_name(f->text[end]);)
            end++;
        if (end > i)
            add_word(u, w, (cw_str){f->text + i, end - i}, (uint32_t)i);
        else if (f->text[end++] == ';')
            cw_vec_push(&u->scratch, &w->semicolons.at, (uint32_t)i);
    }
    u->module->searched_bytes += f->size;
    return f->words = w;
}

/* The first of them at `from` or after it; UINT32_MAX: none. */
static uint32_t first_from(const struct occurrences *o, uint32_t from) {
    uint32_t low = 0, high = o->at.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (o->at.at[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->at.n ? o->at.at[low] : UINT32_MAX;
}

struct range {
    const struct cw_file_words *words;
    uint32_t from, to;
};

static bool range_has(struct range r, const char *word) {
    uint64_t found = 0;
    cw_map_get(&r.words->by_word, (uint64_t)(uintptr_t)word, &found);
    return found && first_from((const struct occurrences *)(uintptr_t)found, r.from) < r.to;
}

static uint32_t first_word(const struct cw_file_words *w, uint32_t from) {
    uint32_t low = 0, high = w->all.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->all.at[middle].offset < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- variables in scope ---- */

void cw_clang_name(struct cw_body *b, const char *name, const struct cw_var *v) {
    uint64_t hidden = 0, key = (uint64_t)(uintptr_t)name;
    if (!b->u->errors.n || !*name)
        return;
    cw_map_get(&b->by_name, key, &hidden);
    cw_vec_push(&b->u->scratch, &b->named, ((struct cw_named){name, v, (uint32_t)hidden, 0}));
    cw_map_put(&b->by_name, key, b->named.n);
}

void cw_clang_leave_scope(struct cw_body *b, uint32_t outer) {
    while (b->named.n > outer) {
        const struct cw_named *last = &b->named.at[--b->named.n];
        cw_map_put(&b->by_name, (uint64_t)(uintptr_t)last->name, last->hidden);
    }
}

static void forget_word(struct cw_body *b, const char *word) {
    uint64_t at = 0;
    cw_map_get(&b->by_name, (uint64_t)(uintptr_t)word, &at);
    for (struct cw_named *n; at; at = n->hidden) {
        n = &b->named.at[at - 1];
        if (n->lost == b->losses)
            break;
        n->lost = b->losses;
        forget(b, n->var);
    }
}

/* Goes through the words or through the variables, whichever are fewer. */
static void forget_named(struct cw_body *b, struct range r) {
    uint32_t first = first_word(r.words, r.from), end = first_word(r.words, r.to), n = b->named.n;
    b->losses++;
    for (uint32_t i = first; end - first <= n && i < end; i++)
        forget_word(b, r.words->all.at[i].word);
    for (uint32_t i = 0; end - first > n && i < n; i++)
        if (range_has(r, b->named.at[i].name))
            forget(b, b->named.at[i].var);
}

static void lose(struct cw_body *b, struct range r) {
    static const char *const jumps[] = {"return", "break", "continue", "goto"};
    b->is_degraded = true;
    cw_clang_bail(b, CW_BAIL_BROKEN_CODE);
    if (!cw_clang_is_open(b))
        return;
    cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, CW_VOID, CW_BAIL_BROKEN_CODE, NULL, 0, b->at.loc);
    if (!r.words || r.from >= r.to)
        return;
    forget_named(b, r);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        if (range_has(r, cw_intern(&b->u->module->names, jumps[i]))) {
            maybe_return(b);
            return;
        }
}

void cw_clang_lost_between(struct cw_body *b, CXCursor parent, const CXCursor *before, const CXCursor *after) {
    if (!b->u->errors.n)
        return;
    struct cw_place_of from = before ? end_of(*before) : start_of(parent);
    struct cw_place_of to = after ? start_of(*after) : end_of(parent);
    if (from.file == to.file && has_error(b->u, from.file, from.offset, to.offset))
        lose(b, (struct range){words_of(b->u, from.file), from.offset, to.offset});
}

void cw_clang_lost(struct cw_body *b, CXCursor whole) {
    cw_clang_lost_between(b, whole, NULL, NULL);
}

bool cw_clang_is_broken_before(struct cw_body *b, CXCursor whole, CXCursor part) {
    struct cw_place_of from = start_of(whole), to = start_of(part);
    return b->u->errors.n && from.file == to.file && has_error(b->u, from.file, from.offset, to.offset);
}

/* Behind the `;` that ends the declaration, at which a missing initialiser is an error, or the text's end. */
static unsigned declaration_end(struct cw_unit *u, CXFile file, unsigned from) {
    const struct cw_file_words *w = words_of(u, file);
    uint32_t at = w ? first_from(&w->semicolons, from) : from;
    return w && at < UINT32_MAX ? at + 1 : at;
}

bool cw_clang_lost_initialiser(struct cw_body *b, CXCursor var) {
    if (!b->u->errors.n)
        return false;
    struct cw_place_of from = start_of(var);
    if (!from.file || !has_error(b->u, from.file, from.offset, declaration_end(b->u, from.file, from.offset)))
        return false;
    b->is_degraded = true;
    return true;
}
