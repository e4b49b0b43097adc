#include "engine/assumptions.h"

#include "rules/registry.h"
#include "suppress/suppress.h"

#include <string.h>

/* ---- reading ---- */

static bool is_read(const struct cw_unit *unit, uint32_t file) {
    for (uint32_t i = 0; i < unit->assumptions.n; i++)
        if (unit->assumptions.at[i].file == file)
            return true;
    return false;
}

static void read_file(struct cw_unit *unit, uint32_t file) {
    const char *path = unit->module->files.at[file];
    const struct cw_source *source = cw_sources_get(unit->sources, path, NULL);
    const struct cw_comments *all = source ? cw_comments_read(unit->arena, source) : NULL;
    for (uint32_t i = 0; all && i < all->list.n; i++) {
        const struct cw_comment *c = &all->list.at[i];
        bool is_one =
            c->directive.kind == CW_DIRECTIVE_ASSUME_UNIFORM || c->directive.kind == CW_DIRECTIVE_ASSUME_CONVERGED;
        struct cw_assumption found = {.file = file, .comment = c, .comments = all};
        if (is_one && (c->is_behind || c->code.n))
            cw_vec_push(unit->arena, &unit->assumptions, found);
    }
}

/* Of the files that functions come from: a unit may read hundreds of others. */
static void read_all(struct cw_unit *unit) {
    struct cw_bitset seen = cw_bitset_new(unit->arena, unit->module->files.n);
    unit->assumptions.n = 0;
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        uint32_t file = unit->module->fns.at[i]->span.file;
        if (file >= unit->module->files.n || cw_bitset_has(&seen, file))
            continue;
        cw_bitset_add(&seen, file);
        if (!is_read(unit, file))
            read_file(unit, file);
    }
}

/* ---- places ---- */

static bool in_lines(const struct cw_assumption *assumption, struct cw_span span) {
    return span.file == assumption->file && span.line >= assumption->comment->first &&
           span.line <= assumption->comment->last;
}

static struct cw_span span_of(const struct cw_fn *fn, uint32_t loc) {
    return loc < fn->locs.n ? fn->locs.at[loc].span : (struct cw_span){0};
}

static bool is_before(struct cw_span span, struct cw_span other) {
    return span.line != other.line ? span.line < other.line : span.col < other.col;
}

/* The statement is the whole function. */
static bool is_above(const struct cw_assumption *assumption, const struct cw_fn *fn) {
    return in_lines(assumption, fn->name_span) && fn->name_span.line >= assumption->comment->first;
}

static bool concerns_function(const struct cw_assumption *assumption, const struct cw_fn *fn) {
    struct cw_span s = fn->span;
    if (fn->kind == CW_FN_HOST || s.file != assumption->file || !assumption->comment->last)
        return false;
    return is_above(assumption, fn) ||
           (assumption->comment->first >= s.line && assumption->comment->last <= s.end_line);
}

/* ---- uniform(x) ---- */

/* Puts UNIFORM(value) before position `at` of the block. */
static cw_ref put_uniform(struct cw_fn *fn, uint32_t block, uint32_t at, cw_ref value, uint32_t loc) {
    cw_ref r = cw_fn_emit(fn, block, CW_OP_UNIFORM, cw_ref_type(fn, value), CW_SCOPE_BLOCK, &value, 1, loc);
    struct cw_block *b = &fn->blocks.at[block];
    memmove(&b->ins.at[at + 1], &b->ins.at[at], (b->ins.n - 1 - at) * sizeof *b->ins.at);
    b->ins.at[at] = r.index;
    return r;
}

static bool is_store_to(const struct cw_fn *fn, const struct cw_ins *ins, cw_ref object) {
    return ins->op == CW_OP_STORE && cw_ref_eq(cw_arg(fn, ins, 1), object);
}

/* What is stored into the variable in the comment's lines; above a function, what its caller gives. */
static bool wrap_stores(const struct cw_assumption *assumption, struct cw_fn *fn, cw_ref object) {
    bool any = false, above = is_above(assumption, fn);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            uint32_t index = fn->blocks.at[b].ins.at[k];
            if (!is_store_to(fn, i, object) || !in_lines(assumption, span_of(fn, i->loc)))
                continue;
            cw_ref value = cw_arg(fn, i, 0);
            if (above && value.tag != CW_REF_PARAM)
                continue;
            cw_ref same = put_uniform(fn, b, k, value, i->loc);
            fn->args.at[fn->ins.at[index].arg] = same;
            any = true;
            k++;
        }
    return any;
}

/* How the variable is read: CW_VOID when it never is as a whole. */
static enum cw_type type_of(const struct cw_fn *fn, cw_ref object, uint32_t *bytes) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op == CW_OP_LOAD && cw_ref_eq(cw_arg(fn, i, 0), object)) {
            *bytes = i->aux;
            return (enum cw_type)i->type;
        }
    }
    return CW_VOID;
}

static struct cw_span span_at(const struct cw_fn *fn, uint32_t block, uint32_t at) {
    return span_of(fn, fn->ins.at[fn->blocks.at[block].ins.at[at]].loc);
}

/* Where the comment's lines begin: in the block of what is written first, what is done first. */
static bool find_start(const struct cw_assumption *assumption, const struct cw_fn *fn, uint32_t *block, uint32_t *at) {
    struct cw_span first = {0};
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            struct cw_span s = span_at(fn, b, k);
            if (!in_lines(assumption, s) || (first.line && !is_before(s, first)))
                continue;
            first = s;
            *block = b;
        }
    for (*at = 0; first.line && !in_lines(assumption, span_at(fn, *block, *at));)
        ++*at;
    return first.line != 0;
}

/* x = UNIFORM(x) before the statement. */
static void reload_object(const struct cw_assumption *assumption, struct cw_fn *fn, cw_ref object) {
    uint32_t block = 0, at = 0, bytes = 0;
    enum cw_type type = type_of(fn, object, &bytes);
    if (type == CW_VOID || type == CW_AGG || !find_start(assumption, fn, &block, &at))
        return;
    uint32_t loc = fn->ins.at[fn->blocks.at[block].ins.at[at]].loc;
    cw_ref value = cw_fn_emit(fn, block, CW_OP_LOAD, type, bytes, &object, 1, loc);
    cw_ref same = cw_fn_emit(fn, block, CW_OP_UNIFORM, type, CW_SCOPE_BLOCK, &value, 1, loc);
    cw_ref store = cw_fn_emit(fn, block, CW_OP_STORE, CW_VOID, bytes, (cw_ref[]){same, object}, 2, loc);
    struct cw_block *b = &fn->blocks.at[block];
    memmove(&b->ins.at[at + 3], &b->ins.at[at], (b->ins.n - 3 - at) * sizeof *b->ins.at);
    b->ins.at[at] = value.index;
    b->ins.at[at + 1] = same.index;
    b->ins.at[at + 2] = store.index;
}

static bool is_block_statement(const struct cw_assumption *assumption) {
    cw_str code = assumption->comment->code;
    return code.n && code.at[code.n - 1] == '}';
}

static void assume_uniform(const struct cw_assumption *assumption, struct cw_fn *fn, uint32_t object) {
    cw_ref r = cw_ref_of(CW_REF_OBJECT, object);
    bool declared = in_lines(assumption, span_of(fn, fn->objects.at[object].loc));
    bool stored =
        (is_above(assumption, fn) || declared || !is_block_statement(assumption)) && wrap_stores(assumption, fn, r);
    if (!is_above(assumption, fn) && !declared && !(stored && assumption->comment->is_behind))
        reload_object(assumption, fn, r);
}

static bool assume_in(const struct cw_assumption *assumption, struct cw_fn *fn, cw_str name) {
    bool any = false;
    for (uint32_t k = 0; k < fn->objects.n; k++) {
        const struct cw_object *o = &fn->objects.at[k];
        if (o->space != CW_SPACE_LOCAL || !o->name || !cw_str_is(name, o->name))
            continue;
        any = true;
        assume_uniform(assumption, fn, k);
    }
    return any;
}

/* ---- what is not there ---- */

static void add_missing(struct cw_unit *unit, const struct cw_assumption *assumption, cw_str name) {
    struct cw_missing_variable missing = {cw_arena_strndup(unit->arena, name.at, name.n),
                                          {.file = unit->module->files.at[assumption->file]}};
    struct cw_place *p = &missing.place;
    cw_comments_place(assumption->comments, name, &p->line, &p->col, &p->end_line, &p->end_col);
    cw_vec_push(unit->arena, &unit->missing, missing);
}

static void assume_name(struct cw_unit *unit, const struct cw_assumption *assumption, cw_str name) {
    bool asked = false, found = false, unsure = false;
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        struct cw_fn *fn = unit->module->fns.at[i];
        if (!concerns_function(assumption, fn))
            continue;
        asked = true;
        unsure |= fn->is_degraded;
        found |= assume_in(assumption, fn, name);
    }
    if (asked && !found && !unsure)
        add_missing(unit, assumption, name);
}

void cw_assume_uniform(struct cw_unit *unit) {
    read_all(unit);
    for (uint32_t i = 0; i < unit->assumptions.n; i++) {
        const struct cw_directive *d = &unit->assumptions.at[i].comment->directive;
        for (uint32_t k = 0; k < d->names.n; k++)
            assume_name(unit, &unit->assumptions.at[i], d->names.at[k]);
    }
}

/* ---- converged ---- */

/* The instruction, or a call that it was inlined through. */
static bool is_covered(const struct cw_assumption *assumption, const struct cw_fn *fn, uint32_t loc) {
    for (uint32_t depth = 0; depth < 64 && loc && loc < fn->locs.n; depth++) {
        if (in_lines(assumption, fn->locs.at[loc].span))
            return true;
        uint32_t site = fn->locs.at[loc].site;
        loc = site && site < fn->sites.n ? fn->sites.at[site].loc : 0;
    }
    return false;
}

struct covered {
    const struct cw_assumption *assumption;
    struct cw_fn *fn;
    struct cw_bitset blocks;   /* with an instruction in the comment's lines */
    struct cw_bitset deciding; /* branches that lead there */
    enum cw_scope scope;
};

static bool find_covered(struct covered *covered) {
    bool any = false;
    for (uint32_t b = 0; b < covered->fn->blocks.n; b++)
        for (uint32_t k = 0; k < covered->fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &covered->fn->ins.at[covered->fn->blocks.at[b].ins.at[k]];
            if (!is_covered(covered->assumption, covered->fn, i->loc))
                continue;
            cw_bitset_add(&covered->blocks, b);
            any = true;
            if (cw_op_flags((enum cw_op)i->op) & CW_OP_B)
                covered->scope = CW_SCOPE_BLOCK;
        }
    return any;
}

/* The statement that follows a comment is reached together; what it decides itself is its own affair. Behind a
 * statement all of it is meant. */
static bool add_deciding(void *ctx, struct cw_edge edge) {
    struct covered *c = ctx;
    if (c->assumption->comment->is_behind || !is_covered(c->assumption, c->fn, c->fn->blocks.at[edge.block].jump.loc))
        cw_bitset_add(&c->deciding, edge.block);
    return true;
}

static void assume_converged(const struct cw_assumption *assumption, struct cw_fn *fn, struct cw_arena *scratch) {
    struct covered c = {assumption, fn, cw_bitset_new(scratch, fn->blocks.n), cw_bitset_new(scratch, fn->blocks.n),
                        CW_SCOPE_WARP};
    if (!find_covered(&c))
        return;
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        if (cw_bitset_has(&c.blocks, b))
            cw_cfg_controls(fn, b, add_deciding, &c);
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        struct cw_jump *j = &fn->blocks.at[b].jump;
        if (!cw_bitset_has(&c.deciding, b) || (j->kind != CW_JUMP_BRANCH && j->kind != CW_JUMP_SWITCH))
            continue;
        cw_ref value = j->value;
        cw_ref same = cw_fn_emit(fn, b, CW_OP_UNIFORM, cw_ref_type(fn, value), (uint32_t)c.scope, &value, 1, j->loc);
        fn->blocks.at[b].jump.value = same;
    }
}

void cw_assume_converged(const struct cw_unit *unit, struct cw_fn *fn) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    for (uint32_t i = 0; i < unit->assumptions.n; i++)
        if (unit->assumptions.at[i].comment->directive.kind == CW_DIRECTIVE_ASSUME_CONVERGED &&
            unit->assumptions.at[i].comment->last)
            assume_converged(&unit->assumptions.at[i], fn, &scratch);
    cw_arena_free(&scratch);
}
