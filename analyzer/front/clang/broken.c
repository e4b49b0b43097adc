/* What clang dropped. A statement or initialiser with an unknown name vanishes from the tree; only the error's place
 * tells that something stood there. Every variable that the lost text names becomes unknown, so no value is ever wrong.
 */
#include "front/clang/lower.h"

#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

struct cw_place_of {
    CXFile file;
    unsigned offset;
};

static struct cw_place_of place_of(CXSourceLocation location) {
    struct cw_place_of p = {NULL, 0};
    clang_getFileLocation(location, &p.file, NULL, NULL, &p.offset);
    return p;
}

static struct cw_place_of start_of(CXCursor cursor) {
    return place_of(clang_getRangeStart(clang_getCursorExtent(cursor)));
}

static struct cw_place_of end_of(CXCursor cursor) {
    return place_of(clang_getRangeEnd(clang_getCursorExtent(cursor)));
}

/* `child<<<1, 32>>>(x)` in a kernel. clang's words: reference to __global__ function 'child' in __device__ function. */
static bool is_device_launch(struct cw_unit *unit, CXDiagnostic d) {
    static const char begin[] = "reference to __global__ function";
    const char *text = cw_clang_text(unit, clang_getDiagnosticSpelling(d));
    return !strncmp(text, begin, sizeof begin - 1);
}

void cw_clang_note_error(struct cw_unit *unit, CXDiagnostic d) {
    struct cw_place_of p = place_of(clang_getDiagnosticLocation(d));
    if (p.file)
        cw_vec_push(&unit->scratch, &unit->errors,
                    ((struct cw_error_place){p.file, p.offset, is_device_launch(unit, d)}));
}

static int by_place(const void *a, const void *b) {
    const struct cw_error_place *x = a, *y = b;
    if (x->file != y->file)
        return (uintptr_t)x->file < (uintptr_t)y->file ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void cw_clang_sort_errors(struct cw_unit *unit) {
    if (unit->errors.n)
        qsort(unit->errors.at, unit->errors.n, sizeof *unit->errors.at, by_place);
}

/* The first error strictly inside the range: one at its start belongs to what ends there ("expected ';'"). The number
 * of errors: there is none. */
static uint32_t first_error(const struct cw_unit *unit, CXFile file, unsigned from, unsigned to) {
    struct cw_error_place start = {file, from + 1, false};
    uint32_t low = 0, high = unit->errors.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_place(&unit->errors.at[middle], &start) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_inside = low < unit->errors.n && unit->errors.at[low].file == file && unit->errors.at[low].offset < to;
    return is_inside ? low : unit->errors.n;
}

static bool has_error(const struct cw_unit *unit, CXFile file, unsigned from, unsigned to) {
    return first_error(unit, file, from, to) < unit->errors.n;
}

/* Are launches by the device all that the range has lost? */
static bool has_only_launches(const struct cw_unit *unit, CXFile file, unsigned from, unsigned to) {
    uint32_t k = first_error(unit, file, from, to), n = unit->errors.n;
    bool is_any = k < n;
    for (; k < n && unit->errors.at[k].file == file && unit->errors.at[k].offset < to; k++)
        if (!unit->errors.at[k].is_device_launch)
            return false;
    return is_any;
}

/* The variable holds anything from here on. */
static void forget_variable(struct cw_body *body, const struct cw_var *var) {
    const struct cw_ctype *t = cw_clang_type(body->u, var->type);
    if (var->addr.tag != CW_REF_OBJECT && var->addr.tag != CW_REF_INS)
        return;
    if (t->shape == CW_SHAPE_SCALAR)
        cw_clang_store(body, cw_clang_unknown(body, var->type, CW_BAIL_BROKEN_CODE, NULL, 0), var->addr, var->type);
    else
        cw_at_clobber(body->at, &body->u->scratch, var->addr, CW_BAIL_BROKEN_CODE, NULL, 0);
}

/* A lost `return` or jump may have been taken, or not. */
static void maybe_return(struct cw_body *body) {
    uint32_t leave = cw_fn_add_block(body->fn), on = cw_fn_add_block(body->fn);
    cw_ref unknown = cw_emit_opaque(body->at, CW_I1, CW_BAIL_BROKEN_CODE, NULL, 0);
    cw_fn_branch(body->fn, body->at.block, unknown, leave, on, body->at.loc, CW_FROM_RETURN);
    cw_fn_return(body->fn, leave, body->fn->result == CW_VOID ? CW_NONE : cw_fn_undef(body->fn->result), body->at.loc);
    body->at.block = on;
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

static void add_word(struct cw_unit *unit, struct cw_file_words *file_words, cw_str word, uint32_t offset) {
    const char *unique = cw_intern_n(&unit->module->names, word.at, word.n);
    uint64_t found = 0;
    if (!cw_map_get(&file_words->by_word, (uint64_t)(uintptr_t)unique, &found)) {
        found = (uint64_t)(uintptr_t)CW_NEW(&unit->scratch, struct occurrences);
        cw_map_put(&file_words->by_word, (uint64_t)(uintptr_t)unique, found);
    }
    cw_vec_push(&unit->scratch, &((struct occurrences *)(uintptr_t)found)->at, offset);
    cw_vec_push(&unit->scratch, &file_words->all, ((struct cw_file_word){offset, unique}));
}

static const struct cw_file_words *words_of(struct cw_unit *unit, CXFile file) {
    struct cw_file_text *f = cw_clang_file(unit, file);
    if (f->words || !f->text)
        return f->words;
    struct cw_file_words *w = CW_NEW(&unit->scratch, struct cw_file_words);
    cw_map_init(&w->by_word, &unit->scratch);
    struct cw_lexer lexer;
    cw_lexer_init(&lexer, f->text, f->size);
    for (struct cw_token t; (t = cw_lexer_next(&lexer)).kind != CW_TOKEN_END;) {
        if (t.kind == CW_TOKEN_NAME)
            add_word(unit, w, (cw_str){f->text + t.at, t.n}, t.at);
        else if (t.n == 1 && f->text[t.at] == ';')
            cw_vec_push(&unit->scratch, &w->semicolons.at, t.at);
    }
    unit->module->searched_bytes += f->size;
    return f->words = w;
}

/* The first of them at `from` or after it; UINT32_MAX: none. */
static uint32_t first_from(const struct occurrences *occurrences, uint32_t from) {
    uint32_t low = 0, high = occurrences->at.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (occurrences->at.at[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < occurrences->at.n ? occurrences->at.at[low] : UINT32_MAX;
}

struct range {
    const struct cw_file_words *words;
    uint32_t from, to;
};

static bool range_has(struct range range, const char *word) {
    uint64_t found = 0;
    cw_map_get(&range.words->by_word, (uint64_t)(uintptr_t)word, &found);
    return found && first_from((const struct occurrences *)(uintptr_t)found, range.from) < range.to;
}

static uint32_t first_word(const struct cw_file_words *file_words, uint32_t from) {
    uint32_t low = 0, high = file_words->all.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (file_words->all.at[middle].offset < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- variables in scope ---- */

void cw_clang_name(struct cw_body *body, const char *name, const struct cw_var *var) {
    uint64_t hidden = 0, key = (uint64_t)(uintptr_t)name;
    if (!body->u->errors.n || !*name)
        return;
    cw_map_get(&body->by_name, key, &hidden);
    cw_vec_push(&body->u->scratch, &body->named, ((struct cw_named){name, var, (uint32_t)hidden, 0}));
    cw_map_put(&body->by_name, key, body->named.n);
}

void cw_clang_leave_scope(struct cw_body *body, uint32_t outer) {
    while (body->named.n > outer) {
        const struct cw_named *last = &body->named.at[--body->named.n];
        cw_map_put(&body->by_name, (uint64_t)(uintptr_t)last->name, last->hidden);
    }
}

static void forget_word(struct cw_body *body, const char *word) {
    uint64_t at = 0;
    cw_map_get(&body->by_name, (uint64_t)(uintptr_t)word, &at);
    for (struct cw_named *n; at; at = n->hidden) {
        n = &body->named.at[at - 1];
        if (n->lost == body->losses)
            break;
        n->lost = body->losses;
        forget_variable(body, n->var);
    }
}

/* Goes through the words or through the variables, whichever are fewer. */
static void forget_named(struct cw_body *body, struct range range) {
    uint32_t first = first_word(range.words, range.from), end = first_word(range.words, range.to), n = body->named.n;
    body->losses++;
    for (uint32_t i = first; end - first <= n && i < end; i++)
        forget_word(body, range.words->all.at[i].word);
    for (uint32_t i = 0; end - first > n && i < n; i++)
        if (range_has(range, body->named.at[i].name))
            forget_variable(body, body->named.at[i].var);
}

/* A grid that a thread launches runs beside the block, and orders no two of its threads. It reads and writes memory
 * that is not the block's own; its arguments are copied. */
static void launch_by_device(struct cw_body *body) {
    if (!cw_at_is_open(body->at))
        return;
    cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, CW_VOID, CW_BAIL_UNKNOWN_CALL, NULL, 0, body->at.loc);
    body->fn->ins.at[body->fn->ins.n - 1].flags |= CW_INS_SYNCFREE;
}

static void lose_range(struct cw_body *body, struct range range) {
    static const char *const jumps[] = {"return", "break", "continue", "goto"};
    body->is_degraded = true;
    cw_clang_bail(body, CW_BAIL_BROKEN_CODE);
    if (!cw_at_is_open(body->at))
        return;
    cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, CW_VOID, CW_BAIL_BROKEN_CODE, NULL, 0, body->at.loc);
    if (!range.words || range.from >= range.to)
        return;
    forget_named(body, range);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        if (range_has(range, cw_intern(&body->u->module->names, jumps[i]))) {
            maybe_return(body);
            return;
        }
}

void cw_clang_lost_between(struct cw_body *body, CXCursor parent, const CXCursor *before, const CXCursor *after) {
    if (!body->u->errors.n)
        return;
    struct cw_place_of from = before ? end_of(*before) : start_of(parent);
    struct cw_place_of to = after ? start_of(*after) : end_of(parent);
    if (from.file != to.file || !has_error(body->u, from.file, from.offset, to.offset))
        return;
    if (has_only_launches(body->u, from.file, from.offset, to.offset))
        launch_by_device(body);
    else
        lose_range(body, (struct range){words_of(body->u, from.file), from.offset, to.offset});
}

void cw_clang_lost(struct cw_body *body, CXCursor whole) {
    cw_clang_lost_between(body, whole, NULL, NULL);
}

bool cw_clang_is_broken_before(struct cw_body *body, CXCursor whole, CXCursor part) {
    struct cw_place_of from = start_of(whole), to = start_of(part);
    return body->u->errors.n && from.file == to.file && has_error(body->u, from.file, from.offset, to.offset);
}

void cw_clang_check_type(struct cw_body *body, CXCursor variable) {
    struct cw_place_of from = start_of(variable), to = place_of(clang_getCursorLocation(variable));
    if (body->u->errors.n && from.offset && from.file == to.file &&
        has_error(body->u, from.file, from.offset - 1, to.offset)) {
        cw_clang_bail(body, CW_BAIL_BROKEN_CODE);
        body->is_degraded = true;
    }
}

/* Behind the `;` that ends the declaration, at which a missing initialiser is an error, or the text's end. */
static unsigned declaration_end(struct cw_unit *unit, CXFile file, unsigned from) {
    const struct cw_file_words *w = words_of(unit, file);
    uint32_t at = w ? first_from(&w->semicolons, from) : from;
    return w && at < UINT32_MAX ? at + 1 : at;
}

bool cw_clang_lost_initialiser(struct cw_body *body, CXCursor var) {
    if (!body->u->errors.n)
        return false;
    struct cw_place_of from = start_of(var);
    unsigned before = from.offset - (from.offset > 0); /* an unknown type is an error at the start */
    if (!from.file || !has_error(body->u, from.file, before, declaration_end(body->u, from.file, from.offset)))
        return false;
    body->is_degraded = true;
    return true;
}
