/* See used_values.h: a worklist over instructions, and a set of private objects that hold what rests on the value. */
#include "races/used_values.h"

#include "uniformity/alias.h"

struct walk {
    const struct cw_fn *fn;
    const struct cw_uses *uses;
    struct cw_arena *a;
    struct cw_bitset seen, objects; /* instructions whose result rests on the value; objects that hold such results */
    struct cw_vec_u32 todo;
    struct cw_bitset *shown;
};

static void follow_result(struct walk *walk, uint32_t ins) {
    if (cw_bitset_has(&walk->seen, ins))
        return;
    cw_bitset_add(&walk->seen, ins);
    cw_vec_push(walk->a, &walk->todo, ins);
}

/* The private object that a pointer surely points into, or CW_NONE. */
static cw_ref private_object(const struct cw_fn *fn, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    cw_ref root = bases.at[0].root;
    bool is_private = bases.n == 1 && !bases.at[0].is_read && root.tag == CW_REF_OBJECT &&
                      fn->objects.at[root.index].space == CW_SPACE_LOCAL;
    return is_private ? root : CW_NONE;
}

static bool may_point_into(const struct cw_fn *fn, cw_ref pointer, cw_ref object) {
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++)
        if (cw_ref_eq(bases.at[k].root, object) || bases.at[k].root.tag == CW_REF_NONE)
            return true;
    return false;
}

/* May the instruction read the object, by itself or in what it calls? */
static bool may_read(const struct cw_fn *fn, const struct cw_ins *ins, cw_ref object) {
    struct cw_access acc[2];
    uint32_t count = cw_memory_accesses(fn, ins, acc);
    for (uint32_t k = 0; k < count; k++)
        if (acc[k].reads && may_point_into(fn, acc[k].pointer, object))
            return true;
    for (uint32_t k = 0; k < ins->narg && cw_memory_is_call(ins); k++)
        if (may_point_into(fn, cw_arg(fn, ins, k), object))
            return true;
    return false;
}

static void visit_user(struct walk *walk, uint32_t ins);

/* All that is read from the object rests on the value as well. */
static void visit_readers(struct walk *walk, cw_ref object) {
    const struct cw_fn *fn = walk->fn;
    if (cw_bitset_has(&walk->objects, object.index))
        return;
    cw_bitset_add(&walk->objects, object.index);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n; n++)
            if (may_read(fn, &fn->ins.at[list->at[n]], object))
                visit_user(walk, list->at[n]);
    }
}

static bool has_effect(const struct cw_ins *ins) {
    unsigned flags = cw_op_flags((enum cw_op)ins->op);
    return (flags & ~(unsigned)(CW_OP_P | CW_OP_R | CW_OP_O)) != 0 || cw_memory_is_call(ins);
}

/* One instruction that rests on the value. */
static void visit_user(struct walk *walk, uint32_t ins) {
    const struct cw_ins *i = &walk->fn->ins.at[ins];
    struct cw_access acc[2];
    cw_ref object = CW_NONE;
    if (i->op == CW_OP_STORE && cw_memory_accesses(walk->fn, i, acc) == 1)
        object = private_object(walk->fn, acc[0].pointer);
    if (object.tag == CW_REF_OBJECT)
        visit_readers(walk, object); /* as deep as private objects are stored into each other */
    else if (has_effect(i) && i->op != CW_OP_ASSUME)
        cw_bitset_add(walk->shown, i->block);
    else
        follow_result(walk, ins);
}

struct cw_bitset cw_blocks_that_use(const struct cw_fn *fn, const struct cw_uses *uses, uint32_t ins,
                                    struct cw_arena *a) {
    struct cw_bitset shown = cw_bitset_new(a, fn->blocks.n);
    struct walk walk = {.fn = fn,
                        .uses = uses,
                        .a = a,
                        .seen = cw_bitset_new(a, fn->ins.n),
                        .objects = cw_bitset_new(a, fn->objects.n),
                        .shown = &shown};
    if (has_effect(&fn->ins.at[ins]))
        cw_bitset_add(&shown, fn->ins.at[ins].block);
    follow_result(&walk, ins);
    while (walk.todo.n) {
        uint32_t at = walk.todo.at[--walk.todo.n];
        for (uint32_t k = uses->first[at]; k < uses->first[at + 1]; k++) {
            uint32_t user = uses->user[k];
            if (user & CW_USE_JUMP)
                cw_bitset_add(&shown, user & ~CW_USE_JUMP);
            else
                visit_user(&walk, user);
        }
    }
    return shown;
}

bool cw_comes_to_some(struct cw_lanes *lanes, const struct cw_bitset *blocks, uint32_t thread) {
    for (uint32_t block = 0; block < cw_lanes_fn(lanes)->blocks.n; block++)
        if (cw_bitset_has(blocks, block) && cw_lanes_may_come(lanes, block, thread))
            return true;
    return false;
}
