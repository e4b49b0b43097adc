#include "engine/assumptions.h"

#include "rules/registry.h"
#include "suppress/suppress.h"

#include <string.h>

/* ---- reading ---- */

static bool is_read(const struct cw_unit *u, uint32_t file) {
    for (uint32_t i = 0; i < u->assumptions.n; i++)
        if (u->assumptions.at[i].file == file)
            return true;
    return false;
}

static void read_file(struct cw_unit *u, uint32_t file) {
    const char *path = u->module->files.at[file];
    const struct cw_source *source = cw_sources_get(u->sources, path, NULL);
    const struct cw_comments *all = source ? cw_comments_read(u->arena, source) : NULL;
    for (uint32_t i = 0; all && i < all->list.n; i++) {
        const struct cw_comment *c = &all->list.at[i];
        bool is_one =
            c->directive.kind == CW_DIRECTIVE_ASSUME_UNIFORM || c->directive.kind == CW_DIRECTIVE_ASSUME_CONVERGED;
        struct cw_assumption found = {.file = file, .comment = c, .comments = all};
        if (is_one && (c->is_behind || c->code.n))
            cw_vec_push(u->arena, &u->assumptions, found);
    }
}

/* Of the files that functions come from: a unit may read hundreds of others. */
static void read_all(struct cw_unit *u) {
    struct cw_bitset seen = cw_bitset_new(u->arena, u->module->files.n);
    u->assumptions.n = 0;
    for (uint32_t i = 0; i < u->module->fns.n; i++) {
        uint32_t file = u->module->fns.at[i]->span.file;
        if (file >= u->module->files.n || cw_bitset_has(&seen, file))
            continue;
        cw_bitset_add(&seen, file);
        if (!is_read(u, file))
            read_file(u, file);
    }
}

/* ---- places ---- */

static bool in_lines(const struct cw_assumption *a, struct cw_span s) {
    return s.file == a->file && s.line >= a->comment->first && s.line <= a->comment->last;
}

static struct cw_span span_of(const struct cw_fn *fn, uint32_t loc) {
    return loc < fn->locs.n ? fn->locs.at[loc].span : (struct cw_span){0};
}

static bool is_before(struct cw_span a, struct cw_span b) {
    return a.line != b.line ? a.line < b.line : a.col < b.col;
}

/* The statement is the whole function. */
static bool is_above(const struct cw_assumption *a, const struct cw_fn *fn) {
    return in_lines(a, fn->name_span) && fn->name_span.line >= a->comment->first;
}

static bool concerns(const struct cw_assumption *a, const struct cw_fn *fn) {
    struct cw_span s = fn->span;
    if (fn->kind == CW_FN_HOST || s.file != a->file || !a->comment->last)
        return false;
    return is_above(a, fn) || (a->comment->first >= s.line && a->comment->last <= s.end_line);
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

static bool is_store_to(const struct cw_fn *fn, const struct cw_ins *i, cw_ref object) {
    return i->op == CW_OP_STORE && cw_ref_eq(cw_arg(fn, i, 1), object);
}

/* What is stored into the variable in the comment's lines; above a function, what its caller gives. */
static bool wrap_stores(const struct cw_assumption *a, struct cw_fn *fn, cw_ref object) {
    bool any = false, above = is_above(a, fn);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            uint32_t index = fn->blocks.at[b].ins.at[k];
            if (!is_store_to(fn, i, object) || !in_lines(a, span_of(fn, i->loc)))
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
static bool find_start(const struct cw_assumption *a, const struct cw_fn *fn, uint32_t *block, uint32_t *at) {
    struct cw_span first = {0};
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            struct cw_span s = span_at(fn, b, k);
            if (!in_lines(a, s) || (first.line && !is_before(s, first)))
                continue;
            first = s;
            *block = b;
        }
    for (*at = 0; first.line && !in_lines(a, span_at(fn, *block, *at));)
        ++*at;
    return first.line != 0;
}

/* x = UNIFORM(x) before the statement. */
static void reload(const struct cw_assumption *a, struct cw_fn *fn, cw_ref object) {
    uint32_t block = 0, at = 0, bytes = 0;
    enum cw_type type = type_of(fn, object, &bytes);
    if (type == CW_VOID || type == CW_AGG || !find_start(a, fn, &block, &at))
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

static bool is_block_statement(const struct cw_assumption *a) {
    cw_str code = a->comment->code;
    return code.n && code.at[code.n - 1] == '}';
}

static void assume(const struct cw_assumption *a, struct cw_fn *fn, uint32_t object) {
    cw_ref r = cw_ref_of(CW_REF_OBJECT, object);
    bool declared = in_lines(a, span_of(fn, fn->objects.at[object].loc));
    bool stored = (is_above(a, fn) || declared || !is_block_statement(a)) && wrap_stores(a, fn, r);
    if (!is_above(a, fn) && !declared && !(stored && a->comment->is_behind))
        reload(a, fn, r);
}

static bool assume_in(const struct cw_assumption *a, struct cw_fn *fn, cw_str name) {
    bool any = false;
    for (uint32_t k = 0; k < fn->objects.n; k++) {
        const struct cw_object *o = &fn->objects.at[k];
        if (o->space != CW_SPACE_LOCAL || !o->name || !cw_str_is(name, o->name))
            continue;
        any = true;
        assume(a, fn, k);
    }
    return any;
}

/* ---- what is not there ---- */

static void add_missing(struct cw_unit *u, const struct cw_assumption *a, cw_str name) {
    struct cw_missing_variable missing = {cw_arena_strndup(u->arena, name.at, name.n),
                                          {.file = u->module->files.at[a->file]}};
    struct cw_place *p = &missing.place;
    cw_comments_place(a->comments, name, &p->line, &p->col, &p->end_line, &p->end_col);
    cw_vec_push(u->arena, &u->missing, missing);
}

static void assume_name(struct cw_unit *u, const struct cw_assumption *a, cw_str name) {
    bool asked = false, found = false, unsure = false;
    for (uint32_t i = 0; i < u->module->fns.n; i++) {
        struct cw_fn *fn = u->module->fns.at[i];
        if (!concerns(a, fn))
            continue;
        asked = true;
        unsure |= fn->is_degraded;
        found |= assume_in(a, fn, name);
    }
    if (asked && !found && !unsure)
        add_missing(u, a, name);
}

void cw_assume_uniform(struct cw_unit *u) {
    read_all(u);
    for (uint32_t i = 0; i < u->assumptions.n; i++) {
        const struct cw_directive *d = &u->assumptions.at[i].comment->directive;
        for (uint32_t k = 0; k < d->names.n; k++)
            assume_name(u, &u->assumptions.at[i], d->names.at[k]);
    }
}

/* ---- converged ---- */

/* The instruction, or a call that it was inlined through. */
static bool is_covered(const struct cw_assumption *a, const struct cw_fn *k, uint32_t loc) {
    for (uint32_t depth = 0; depth < 64 && loc && loc < k->locs.n; depth++) {
        if (in_lines(a, k->locs.at[loc].span))
            return true;
        uint32_t site = k->locs.at[loc].site;
        loc = site && site < k->sites.n ? k->sites.at[site].loc : 0;
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

static bool find_covered(struct covered *c) {
    bool any = false;
    for (uint32_t b = 0; b < c->fn->blocks.n; b++)
        for (uint32_t k = 0; k < c->fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &c->fn->ins.at[c->fn->blocks.at[b].ins.at[k]];
            if (!is_covered(c->assumption, c->fn, i->loc))
                continue;
            cw_bitset_add(&c->blocks, b);
            any = true;
            if (cw_op_flags((enum cw_op)i->op) & CW_OP_B)
                c->scope = CW_SCOPE_BLOCK;
        }
    return any;
}

/* The statement that follows a comment is reached together; what it decides itself is its own affair. Behind a
 * statement all of it is meant. */
static bool add_deciding(void *ctx, struct cw_edge e) {
    struct covered *c = ctx;
    if (c->assumption->comment->is_behind || !is_covered(c->assumption, c->fn, c->fn->blocks.at[e.block].jump.loc))
        cw_bitset_add(&c->deciding, e.block);
    return true;
}

static void converge(const struct cw_assumption *a, struct cw_fn *k, struct cw_arena *scratch) {
    struct covered c = {a, k, cw_bitset_new(scratch, k->blocks.n), cw_bitset_new(scratch, k->blocks.n), CW_SCOPE_WARP};
    if (!find_covered(&c))
        return;
    for (uint32_t b = 0; b < k->blocks.n; b++)
        if (cw_bitset_has(&c.blocks, b))
            cw_cfg_controls(k, b, add_deciding, &c);
    for (uint32_t b = 0; b < k->blocks.n; b++) {
        struct cw_jump *j = &k->blocks.at[b].jump;
        if (!cw_bitset_has(&c.deciding, b) || (j->kind != CW_JUMP_BRANCH && j->kind != CW_JUMP_SWITCH))
            continue;
        cw_ref value = j->value;
        cw_ref same = cw_fn_emit(k, b, CW_OP_UNIFORM, cw_ref_type(k, value), (uint32_t)c.scope, &value, 1, j->loc);
        k->blocks.at[b].jump.value = same;
    }
}

void cw_assume_converged(const struct cw_unit *u, struct cw_fn *k) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    for (uint32_t i = 0; i < u->assumptions.n; i++)
        if (u->assumptions.at[i].comment->directive.kind == CW_DIRECTIVE_ASSUME_CONVERGED &&
            u->assumptions.at[i].comment->last)
            converge(&u->assumptions.at[i], k, &scratch);
    cw_arena_free(&scratch);
}
