/* Inlining: one function that holds everything a kernel does.
 *
 * requires: lowered functions with linked preds. computes: a copy of `root` in which calls of functions of the module
 * are replaced by copies of their bodies; keyed objects (shared memory and the like) are one object however many
 * copies name them, local ones are new in every copy; every location knows the calls that lead to it. preserves: root
 * and callees.
 *
 * Copies are made outside in: a call that turns up in a copied body is looked at when its block is, so the work is
 * proportional to the result, and the budget is spent on outer levels first. */
#include "ir/callee_syncs.h"
#include "ir/condense.h"
#include "ir/edit.h"

#include <string.h>

enum { MAX_DEPTH = 128 }; /* a template that calls itself with one step less, as unrolled loops are written */

struct refs {
    cw_ref *at;
    uint32_t n, cap;
};

/* A level of inlining, parallel to fn->sites. */
struct level {
    const struct cw_fn *callee;
    uint32_t outer; /* site of the caller */
    uint32_t depth;
};

struct inliner {
    struct cw_fn *fn;
    const struct cw_module *module;
    struct cw_arena scratch;
    uint32_t max_ins;
    CW_VEC(struct level) levels;
    struct cw_map site_of_call; /* CALL instruction -> site it stands in */
    struct cw_map tparams_of;   /* function -> 1 + index of its first template parameter here */
    bool has_phis;
    bool is_noted;       /* arguments are noted, see cw_inline_noted() */
    bool is_condensed;   /* callees are inlined as cw_condensed() has them */
    struct cw_map syncs, objects; /* what is known of callees that are left as calls */
};

/* One copy in progress: how indices of `from` translate. */
struct copy {
    struct inliner *in;
    const struct cw_fn *from;
    uint32_t site;           /* of everything in the copy */
    uint32_t call_loc;       /* for what has no place of its own */
    uint32_t tparam;         /* first index of the copy's */
    uint32_t *ins, *blocks;  /* old -> new; what was removed has none */
    const cw_ref *args;      /* for parameters; NULL for the root */
    uint32_t *objects, *locs, *sites; /* old -> 1 + new, 0 not yet */
    uint32_t resume;         /* block to go on in after a return */
    cw_ref result;           /* object that takes the result, or CW_NONE */
};

/* ---- translation ---- */

static uint32_t map_loc(struct copy *c, uint32_t loc);

static uint32_t map_site(struct copy *copy, uint32_t site) {
    if (site == 0)
        return copy->site;
    if (!copy->sites[site]) { /* `from` had been inlined into before; its outer sites have smaller numbers */
        struct cw_site s = copy->from->sites.at[site];
        uint32_t outer = map_site(copy, copy->from->locs.at[s.loc].site);
        s.loc = map_loc(copy, s.loc);
        cw_vec_push(copy->in->fn->arena, &copy->in->fn->sites, s);
        struct level l = {.outer = outer, .depth = copy->in->levels.at[outer].depth + 1};
        cw_vec_push(&copy->in->scratch, &copy->in->levels, l);
        copy->sites[site] = copy->in->fn->sites.n;
    }
    return copy->sites[site] - 1;
}

static uint32_t map_loc(struct copy *copy, uint32_t loc) {
    if (loc == 0 || copy->from->is_model) /* a model of a library happens where it is called */
        return copy->call_loc;
    if (!copy->locs[loc]) {
        struct cw_loc l = copy->from->locs.at[loc];
        l.site = map_site(copy, l.site);
        copy->locs[loc] = cw_fn_add_loc(copy->in->fn, l) + 1;
    }
    return copy->locs[loc] - 1;
}

static cw_ref map_object(struct copy *copy, uint32_t object) {
    if (!copy->objects[object]) {
        struct cw_object o = copy->from->objects.at[object];
        o.loc = map_loc(copy, o.loc);
        copy->objects[object] = cw_fn_add_object(copy->in->fn, o).index + 1;
    }
    return cw_ref_of(CW_REF_OBJECT, copy->objects[object] - 1);
}

static cw_ref map_ref(struct copy *copy, cw_ref ref) {
    switch ((enum cw_ref_tag)ref.tag) {
    case CW_REF_INS: return cw_ref_ins(copy->ins[ref.index]);
    case CW_REF_CONST: {
        const struct cw_const *k = &copy->from->consts.at[ref.index];
        return cw_fn_const(copy->in->fn, k->type, k->value);
    }
    case CW_REF_OBJECT: return map_object(copy, ref.index);
    case CW_REF_PARAM: return copy->args ? copy->args[ref.index] : ref;
    case CW_REF_TPARAM: return cw_ref_of(CW_REF_TPARAM, copy->tparam + ref.index);
    default: return ref;
    }
}

static uint32_t map_aux(struct copy *copy, const struct cw_ins *ins) {
    if (ins->op == CW_OP_PURE || ins->op == CW_OP_ASM)
        return cw_fn_add_text(copy->in->fn, copy->from->texts.at[ins->aux]);
    if (ins->op == CW_OP_CALL || ins->op == CW_OP_LAUNCH)
        return cw_fn_add_callee(copy->in->fn, copy->from->callees.at[ins->aux]);
    return ins->aux;
}

/* ---- copying a body ---- */

static void copy_ins(struct copy *copy, const struct cw_ins *old) {
    struct cw_fn *fn = copy->in->fn;
    struct cw_ins i = *old;
    if (i.op == CW_OP_HOLE)
        return;
    i.arg = fn->args.n;
    i.block = copy->blocks[i.block];
    i.loc = map_loc(copy, i.loc);
    i.aux = map_aux(copy, old);
    for (uint32_t k = 0; k < i.narg; k++)
        cw_vec_push(fn->arena, &fn->args, map_ref(copy, cw_arg(copy->from, old, k)));
    copy->in->has_phis |= i.op == CW_OP_PHI;
    if (i.op == CW_OP_CALL)
        cw_map_put(&copy->in->site_of_call, fn->ins.n, copy->site);
    cw_vec_push(fn->arena, &fn->ins, i);
}

static void add_ins(struct cw_fn *fn, uint32_t block, struct cw_vec_u32 *list, uint32_t index) {
    fn->ins.at[index].block = block;
    cw_vec_push(fn->arena, list, index);
}

/* A value as another type; the cast stands at the end of `list`. */
static cw_ref cast_value(struct cw_fn *fn, uint32_t block, struct cw_vec_u32 *list, cw_ref ref, enum cw_type to,
                         uint32_t loc) {
    enum cw_type from = cw_ref_type(fn, ref);
    if (from == to)
        return ref;
    if (ref.tag == CW_REF_UNDEF)
        return cw_fn_undef(to);
    enum cw_op op = cw_edit_cast(from, to);
    uint32_t index = cw_fn_new_ins(fn, op, to, op == CW_OP_PURE ? cw_fn_add_text(fn, "bits") : 0, &ref, 1, loc);
    add_ins(fn, block, list, index);
    return cw_ref_ins(index);
}

/* The end of a callee: the result goes into its object, control to what follows the call. */
static void copy_return(struct copy *copy, uint32_t block, const struct cw_jump *old) {
    struct cw_fn *fn = copy->in->fn;
    uint32_t loc = map_loc(copy, old->loc);
    if (copy->result.tag != CW_REF_NONE && old->value.tag != CW_REF_NONE) {
        cw_ref args[] = {map_ref(copy, old->value), copy->result};
        uint32_t bytes = (uint32_t)fn->objects.at[copy->result.index].size;
        uint32_t index = cw_fn_new_ins(fn, CW_OP_STORE, CW_VOID, bytes, args, 2, loc);
        fn->ins.at[index].flags = CW_INS_IMPLICIT;
        add_ins(fn, block, &fn->blocks.at[block].ins, index);
    }
    cw_fn_jump(fn, block, copy->resume, loc, CW_FROM_RETURN);
    cw_vec_push(fn->arena, &fn->blocks.at[copy->resume].pred, block);
}

static void copy_jump(struct copy *copy, uint32_t block, const struct cw_jump *old) {
    struct cw_fn *fn = copy->in->fn;
    if (old->kind == CW_JUMP_RETURN && copy->args) {
        copy_return(copy, block, old);
        return;
    }
    struct cw_jump j = *old;
    j.value = map_ref(copy, j.value);
    j.loc = map_loc(copy, j.loc);
    j.succ = CW_NEW_ARRAY(fn->arena, uint32_t, j.nsucc + 1);
    for (uint32_t s = 0; s < j.nsucc; s++)
        j.succ[s] = copy->blocks[old->succ[s]];
    if (old->cases) {
        j.cases = CW_NEW_ARRAY(fn->arena, int64_t, j.nsucc + 1);
        memcpy(j.cases, old->cases, sizeof *j.cases * (j.nsucc ? j.nsucc - 1 : 0));
    }
    fn->blocks.at[block].jump = j;
}

static bool is_removed(const struct cw_fn *fn, uint32_t block) {
    const struct cw_block *b = &fn->blocks.at[block];
    return block != 0 && b->jump.kind == CW_JUMP_NONE && b->ins.n == 0;
}

static void copy_block(struct copy *copy, uint32_t old) {
    struct cw_fn *fn = copy->in->fn;
    const struct cw_block *from = &copy->from->blocks.at[old];
    if (is_removed(copy->from, old))
        return;
    struct cw_block *to = &fn->blocks.at[copy->blocks[old]];
    to->unroll = from->unroll;
    to->always = from->always ? map_loc(copy, from->always) : 0;
    for (uint32_t k = 0; k < from->ins.n; k++)
        cw_vec_push(fn->arena, &to->ins, copy->ins[from->ins.at[k]]);
    for (uint32_t k = 0; k < from->pred.n; k++)
        cw_vec_push(fn->arena, &to->pred, copy->blocks[from->pred.at[k]]);
    copy_jump(copy, copy->blocks[old], &from->jump);
}

/* Template parameters of a pattern: unknowns of their own, the same in every copy of it. */
static uint32_t copy_tparams(struct copy *copy) {
    struct inliner *in = copy->in;
    uint64_t key = (uint64_t)(uintptr_t)copy->from, found;
    if (cw_map_get(&in->tparams_of, key, &found))
        return (uint32_t)found - 1;
    uint32_t first = in->fn->tparams.n;
    for (uint32_t k = 0; k < copy->from->tparams.n; k++) {
        struct cw_param p = copy->from->tparams.at[k];
        p.loc = map_loc(copy, p.loc);
        cw_fn_add_tparam(in->fn, p);
    }
    cw_map_put(&in->tparams_of, key, first + 1);
    return first;
}

static void number_instructions(struct copy *copy) {
    uint32_t next = copy->in->fn->ins.n;
    copy->ins = CW_NEW_ARRAY(&copy->in->scratch, uint32_t, copy->from->ins.n + 1);
    for (uint32_t i = 0; i < copy->from->ins.n; i++)
        if (copy->from->ins.at[i].op != CW_OP_HOLE)
            copy->ins[i] = next++;
}

static void number_blocks(struct copy *copy) {
    copy->blocks = CW_NEW_ARRAY(&copy->in->scratch, uint32_t, copy->from->blocks.n + 1);
    for (uint32_t b = 0; b < copy->from->blocks.n; b++)
        if (!is_removed(copy->from, b))
            copy->blocks[b] = cw_fn_add_block(copy->in->fn);
}

/* All in order, also declared ones that nothing uses; local ones of optimised code became values, most of them. */
static void copy_objects(struct copy *copy) {
    for (uint32_t o = 0; o < copy->from->objects.n; o++)
        if (!copy->from->is_ssa || copy->from->objects.at[o].space != CW_SPACE_LOCAL)
            map_object(copy, o);
}

static void copy_body(struct copy *copy) {
    struct inliner *in = copy->in;
    struct cw_fn *fn = in->fn;
    copy->objects = CW_NEW_ARRAY(&in->scratch, uint32_t, copy->from->objects.n + 1);
    copy->locs = CW_NEW_ARRAY(&in->scratch, uint32_t, copy->from->locs.n + 1);
    copy->sites = CW_NEW_ARRAY(&in->scratch, uint32_t, copy->from->sites.n + 1);
    number_instructions(copy);
    copy->tparam = copy_tparams(copy);
    copy_objects(copy);
    number_blocks(copy);
    if (copy->args)
        copy->resume = cw_fn_add_block(fn);
    for (uint32_t i = 0; i < copy->from->ins.n; i++)
        copy_ins(copy, &copy->from->ins.at[i]);
    for (uint32_t b = 0; b < copy->from->blocks.n; b++)
        copy_block(copy, b);
    for (uint32_t b = 0; b < CW_NBAILS; b++)
        fn->bails[b] += copy->from->bails[b];
    fn->is_degraded |= copy->from->is_degraded;
}

/* ---- calls ---- */

/* Why the call cannot be inlined; NONE when it can. */
static enum cw_bail explain_refusal(const struct inliner *in, const struct cw_ins *call, uint32_t site,
                                    const struct cw_fn *callee) {
    if (!callee || callee->kind == CW_FN_KERNEL || callee->params.n != call->narg)
        return CW_BAIL_UNKNOWN_CALL;
    for (uint32_t s = site;; s = in->levels.at[s].outer) {
        if (in->levels.at[s].callee == callee)
            return CW_BAIL_RECURSION;
        if (s == 0)
            break;
    }
    bool fits = in->fn->ins.n < in->max_ins && callee->ins.n <= in->max_ins - in->fn->ins.n;
    return fits && in->levels.at[site].depth < MAX_DEPTH ? CW_BAIL_NONE : CW_BAIL_INLINE_BUDGET;
}

static const struct cw_fn *callee_of(const struct inliner *in, const struct cw_ins *call) {
    uint64_t found;
    const char *key = in->fn->callees.at[call->aux]; /* interned in the module */
    if (!cw_map_get(&in->module->fn_by_key, (uint64_t)(uintptr_t)key, &found))
        return NULL;
    const struct cw_fn *callee = (const struct cw_fn *)(uintptr_t)found;
    return in->is_condensed ? cw_condensed(callee) : callee;
}

/* An object of another function, by its key. */
static cw_ref object_of(struct inliner *in, const struct cw_fn *from, uint32_t index) {
    struct cw_object o = from->objects.at[index];
    struct cw_loc loc = from->locs.at[o.loc];
    loc.site = 0; /* nothing was inlined into functions of the module */
    o.loc = o.loc ? cw_fn_add_loc(in->fn, loc) : 0;
    return cw_fn_add_object(in->fn, o);
}

static void add_once(struct cw_arena *a, struct refs *refs, cw_ref ref) {
    for (uint32_t k = 0; k < refs->n; k++)
        if (cw_ref_eq(refs->at[k], ref))
            return;
    cw_vec_push(a, refs, ref);
}

/* Memory of the block or the grid that the function or what it calls may access without being passed its address. */
static const struct refs *objects_of_callee(struct inliner *in, const struct cw_fn *callee) {
    struct cw_map seen;
    struct cw_fn_list reached = {0};
    uint64_t key = (uint64_t)(uintptr_t)callee, found;
    if (cw_map_get(&in->objects, key, &found))
        return (const struct refs *)(uintptr_t)found;
    struct refs *objects = CW_NEW(&in->scratch, struct refs);
    cw_map_init(&seen, &in->scratch);
    cw_map_put(&seen, key, 1);
    cw_vec_push(&in->scratch, &reached, callee);
    cw_module_reach(in->module, callee, &seen, &reached, &in->scratch);
    for (uint32_t f = 0; f < reached.n; f++)
        for (uint32_t o = 0; o < reached.at[f]->objects.n; o++)
            if (reached.at[f]->objects.at[o].key && reached.at[f]->objects.at[o].space != CW_SPACE_CONSTANT)
                add_once(&in->scratch, objects, object_of(in, reached.at[f], o));
    cw_map_put(&in->objects, key, (uint64_t)(uintptr_t)objects);
    return objects;
}

/* The call gets what the callee accesses on its own as arguments, behind those that the user wrote. */
static void pass_objects(struct inliner *in, uint32_t index, const struct cw_fn *callee) {
    const struct refs *objects = objects_of_callee(in, callee);
    struct cw_fn *fn = in->fn;
    struct cw_ins *i = &fn->ins.at[index];
    if (objects->n == 0)
        return;
    uint32_t first = fn->args.n;
    for (uint32_t k = 0; k < i->narg; k++) {
        cw_ref arg = cw_arg(fn, i, k);
        cw_vec_push(fn->arena, &fn->args, arg);
    }
    for (uint32_t k = 0; k < objects->n; k++)
        cw_vec_push(fn->arena, &fn->args, objects->at[k]);
    i->arg = first;
    i->narg += objects->n;
}

/* What stays known of a callee that is not inlined: whether it synchronises, and which memory it may access. */
static void leave_opaque(struct inliner *in, uint32_t index, enum cw_bail why, const struct cw_fn *callee) {
    struct cw_ins *i = &in->fn->ins.at[index];
    i->op = CW_OP_OPCALL;
    i->aux = why;
    in->fn->bails[why]++;
    if (!callee)
        return;
    i->name = callee->name;
    i->flags |= cw_callee_syncs_flag(cw_callee_syncs_of(in->module, callee, &in->syncs, &in->scratch));
    pass_objects(in, index, callee);
}

static uint32_t new_site(struct inliner *in, uint32_t outer, const struct cw_fn *callee, uint32_t loc) {
    cw_vec_push(in->fn->arena, &in->fn->sites, ((struct cw_site){loc, callee->name}));
    struct level l = {.callee = callee, .outer = outer, .depth = in->levels.at[outer].depth + 1};
    cw_vec_push(&in->scratch, &in->levels, l);
    return in->fn->sites.n - 1;
}

/* Where the result waits between the return and the use; promote makes it a value again. */
static cw_ref result_object(struct inliner *in, const struct cw_ins *call, const struct cw_fn *callee) {
    if (call->type == CW_VOID || callee->result == CW_VOID)
        return CW_NONE;
    uint32_t bytes = cw_type_bytes(callee->result);
    return cw_fn_add_object(in->fn, (struct cw_object){.space = CW_SPACE_LOCAL, .size = bytes, .align = bytes,
                                                       .element = bytes, .loc = call->loc});
}

/* The call's own instruction now reads the result, so its uses stay as they are. */
static void receive_result(struct cw_fn *fn, uint32_t index, const struct cw_fn *callee, cw_ref object,
                           uint32_t block, struct cw_vec_u32 *list) {
    struct cw_ins call = fn->ins.at[index];
    enum cw_type type = (enum cw_type)call.type;
    if (type == CW_VOID) {
        cw_edit_remove(fn, index);
        return;
    }
    cw_ref from = object;
    enum cw_op op = CW_OP_LOAD;
    uint32_t aux = cw_type_bytes(type);
    if (object.tag == CW_REF_NONE) {
        from = cw_fn_undef(type);
        op = CW_OP_COPY;
        aux = 0;
    } else if (callee->result != type) {
        uint32_t bytes = cw_type_bytes(callee->result);
        uint32_t load = cw_fn_new_ins(fn, CW_OP_LOAD, callee->result, bytes, &object, 1, call.loc);
        add_ins(fn, block, list, load);
        from = cw_ref_ins(load);
        op = cw_edit_cast(callee->result, type);
        aux = op == CW_OP_PURE ? cw_fn_add_text(fn, "bits") : 0;
    }
    struct cw_ins *i = &fn->ins.at[index];
    *i = (struct cw_ins){.op = (uint8_t)op, .type = call.type, .aux = aux, .arg = fn->args.n, .narg = 1,
                         .loc = call.loc, .name = call.name, .flags = op == CW_OP_LOAD ? CW_INS_IMPLICIT : 0};
    cw_vec_push(fn->arena, &fn->args, from);
    add_ins(fn, block, list, index);
}

/* What the call passes, under the parameter's name and at its place. */
static void note_arguments(struct copy *copy, uint32_t block, struct cw_vec_u32 *list) {
    struct cw_fn *fn = copy->in->fn;
    for (uint32_t k = 0; k < copy->from->params.n && !copy->from->is_model; k++) {
        const struct cw_param *p = &copy->from->params.at[k];
        if (p->name == NULL || p->loc == 0 || copy->args[k].tag == CW_REF_NONE)
            continue;
        struct cw_loc l = copy->from->locs.at[p->loc];
        l.site = copy->site;
        uint32_t index = cw_fn_new_ins(fn, CW_OP_NOTE, CW_VOID, 0, &copy->args[k], 1, cw_fn_add_loc(fn, l));
        fn->ins.at[index].name = p->name;
        add_ins(fn, block, list, index);
    }
}

/* Copies the callee between `block` (whose list is given up to the call) and a new block, which it returns. */
static uint32_t inline_call(struct inliner *in, uint32_t block, struct cw_vec_u32 *list, uint32_t index, uint32_t site,
                            const struct cw_fn *callee) {
    struct cw_fn *fn = in->fn;
    struct cw_ins call = fn->ins.at[index];
    struct copy c = {.in = in, .from = callee, .call_loc = call.loc};
    c.site = new_site(in, site, callee, call.loc);
    cw_ref *args = CW_NEW_ARRAY(&in->scratch, cw_ref, call.narg + 1);
    for (uint32_t k = 0; k < call.narg; k++)
        args[k] = cast_value(fn, block, list, cw_arg(fn, &call, k), callee->params.at[k].type, call.loc);
    c.args = args;
    if (in->is_noted)
        note_arguments(&c, block, list);
    c.result = result_object(in, &call, callee);
    copy_body(&c);
    fn->blocks.at[block].ins = *list;
    cw_fn_jump(fn, block, c.blocks[0], call.loc, CW_FROM_NONE);
    cw_vec_push(fn->arena, &fn->blocks.at[c.blocks[0]].pred, block);
    *list = (struct cw_vec_u32){0};
    receive_result(fn, index, callee, c.result, c.resume, list);
    return c.resume;
}

/* The block that jumped to these now has another number; PHI operands keep their places. */
static void rename_pred(struct cw_fn *fn, const struct cw_jump *jump, uint32_t from, uint32_t to) {
    for (uint32_t s = 0; s < jump->nsucc; s++) {
        struct cw_vec_u32 *pred = &fn->blocks.at[jump->succ[s]].pred;
        for (uint32_t k = 0; k < pred->n; k++)
            if (pred->at[k] == from)
                pred->at[k] = to;
    }
}

static void expand_block(struct inliner *in, uint32_t first) {
    struct cw_fn *fn = in->fn;
    struct cw_vec_u32 old = fn->blocks.at[first].ins, list = {0};
    struct cw_jump jump = fn->blocks.at[first].jump;
    uint32_t block = first;
    for (uint32_t k = 0; k < old.n; k++) {
        uint32_t index = old.at[k];
        uint64_t site;
        if (fn->ins.at[index].op != CW_OP_CALL || !cw_map_get(&in->site_of_call, index, &site)) {
            add_ins(fn, block, &list, index);
            continue;
        }
        const struct cw_fn *callee = callee_of(in, &fn->ins.at[index]);
        enum cw_bail why = explain_refusal(in, &fn->ins.at[index], (uint32_t)site, callee);
        if (why == CW_BAIL_NONE) {
            block = inline_call(in, block, &list, index, (uint32_t)site, callee);
        } else {
            leave_opaque(in, index, why, callee);
            add_ins(fn, block, &list, index);
        }
    }
    fn->blocks.at[block].ins = list;
    if (block != first) {
        fn->blocks.at[block].jump = jump;
        rename_pred(fn, &jump, first, block);
    }
}

static bool has_call(const struct cw_fn *fn, uint32_t block) {
    const struct cw_vec_u32 *list = &fn->blocks.at[block].ins;
    for (uint32_t k = 0; k < list->n; k++)
        if (fn->ins.at[list->at[k]].op == CW_OP_CALL)
            return true;
    return false;
}

/* ---- the whole ---- */

static struct cw_fn *copy_head(const struct cw_fn *root, struct cw_arena *a) {
    struct cw_fn *fn = cw_fn_bare(root->module, a, root->name, root->key);
    fn->kind = root->kind;
    fn->pattern_key = root->pattern_key;
    fn->assumed = root->assumed;
    fn->span = root->span;
    fn->name_span = root->name_span;
    fn->result = root->result;
    fn->bounds_max_threads = root->bounds_max_threads;
    fn->has_unread_bounds = root->has_unread_bounds;
    memcpy(fn->reqd_block, root->reqd_block, sizeof fn->reqd_block);
    memcpy(fn->reqd_cluster, root->reqd_cluster, sizeof fn->reqd_cluster);
    fn->has_unread_cluster = root->has_unread_cluster;
    fn->is_pattern = root->is_pattern;
    fn->is_static_scope = root->is_static_scope;
    return fn;
}

static struct cw_fn *inline_all(struct inliner *in, const struct cw_fn *root, struct cw_arena *a) {
    in->fn = copy_head(root, a);
    in->module = root->module;
    cw_arena_init(&in->scratch);
    cw_map_init(&in->site_of_call, &in->scratch);
    cw_map_init(&in->tparams_of, &in->scratch);
    cw_map_init(&in->syncs, &in->scratch);
    cw_map_init(&in->objects, &in->scratch);
    cw_vec_push(&in->scratch, &in->levels, ((struct level){.callee = root}));
    struct copy c = {.in = in, .from = root};
    copy_body(&c);
    for (uint32_t k = 0; k < root->params.n; k++) {
        struct cw_param p = root->params.at[k];
        p.loc = map_loc(&c, p.loc);
        p.part_of = p.part_of ? map_object(&c, p.part_of - 1).index + 1 : 0;
        cw_fn_add_param(in->fn, p);
    }
    for (uint32_t b = 0; b < in->fn->blocks.n; b++)
        if (has_call(in->fn, b))
            expand_block(in, b);
    if (!in->has_phis)
        cw_fn_link_preds(in->fn);
    cw_arena_free(&in->scratch);
    cw_fn_verify_after(in->fn, "inline");
    return in->fn;
}

struct cw_fn *cw_inline(const struct cw_fn *root, struct cw_arena *a, uint32_t max_ins) {
    return inline_all(&(struct inliner){.max_ins = max_ins}, root, a);
}

struct cw_fn *cw_inline_noted(const struct cw_fn *root, struct cw_arena *a, uint32_t max_ins) {
    return inline_all(&(struct inliner){.max_ins = max_ins, .is_noted = true}, root, a);
}

struct cw_fn *cw_inline_condensed(const struct cw_fn *root, struct cw_arena *a, uint32_t max_ins) {
    return inline_all(&(struct inliner){.max_ins = max_ins, .is_condensed = true}, root, a);
}
