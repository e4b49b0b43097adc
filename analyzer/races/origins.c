/* See origins.h. */
#include "races/origins.h"

#include "cfg/cfg.h"

struct walk {
    const struct cw_fn *fn;
    const struct cw_stored *stored;
    struct cw_arena *arena;
    bool through_shared;
    struct cw_bitset seen;
    CW_VEC(cw_ref) open;
    struct cw_origins out;
};

static void add_value(struct walk *walk, cw_ref value) {
    if (value.tag != CW_REF_INS || cw_bitset_has(&walk->seen, value.index))
        return;
    cw_bitset_add(&walk->seen, value.index);
    cw_vec_push(walk->arena, &walk->open, value);
}

/* The shared array that the pointer leads to; CW_NONE: it leads elsewhere, or to several. */
static cw_ref shared_array_of(const struct cw_fn *fn, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    cw_ref root = bases.at[0].root;
    bool is_shared = bases.n == 1 && !bases.at[0].is_read && root.tag == CW_REF_OBJECT &&
                     (fn->objects.at[root.index].space == CW_SPACE_SHARED ||
                      fn->objects.at[root.index].space == CW_SPACE_DYNSHARED);
    return is_shared ? root : CW_NONE;
}

/* All that is stored into the same array; other writes to it are not looked through. */
static void add_stored(struct walk *walk, uint32_t load, cw_ref shared) {
    const struct cw_fn *fn = walk->fn;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        struct cw_access access[2];
        uint32_t n = cw_memory_accesses(fn, i, access);
        bool is_own = walk->stored->private_array[load] != 0 && i->op == CW_OP_STORE &&
                      walk->stored->private_array[k] == walk->stored->private_array[load];
        bool is_shared = false;
        for (uint32_t j = 0; j < n && shared.tag != CW_REF_NONE; j++)
            is_shared |= access[j].writes && cw_ref_eq(shared_array_of(fn, access[j].pointer), shared);
        walk->out.is_lost |= is_shared && i->op != CW_OP_STORE;
        if (is_own || (is_shared && i->op == CW_OP_STORE))
            add_value(walk, cw_arg(fn, i, 0));
    }
}

static void look_behind(struct walk *walk, uint32_t at) {
    const struct cw_ins *i = &walk->fn->ins.at[at];
    if (i->op == CW_OP_LOAD) {
        cw_ref shared = walk->through_shared ? shared_array_of(walk->fn, cw_arg(walk->fn, i, 0)) : CW_NONE;
        if (walk->stored->private_array[at] || shared.tag != CW_REF_NONE)
            add_stored(walk, at, shared);
        else
            cw_vec_push(walk->arena, &walk->out.loads, at);
        return;
    }
    for (uint32_t k = 0; k < i->narg; k++)
        add_value(walk, cw_arg(walk->fn, i, k));
    walk->out.is_lost |= i->op != CW_OP_PHI && !(cw_op_flags((enum cw_op)i->op) & (CW_OP_P | CW_OP_C));
}

struct cw_origins cw_origins_of(const struct cw_fn *fn, const struct cw_stored *stored, cw_ref value,
                                bool through_shared, struct cw_arena *a) {
    struct walk walk = {.fn = fn,
                        .stored = stored,
                        .arena = a,
                        .through_shared = through_shared,
                        .seen = cw_bitset_new(a, fn->ins.n + 1)};
    add_value(&walk, value);
    while (walk.open.n > 0 && !walk.out.is_lost)
        look_behind(&walk, walk.open.at[--walk.open.n].index);
    return walk.out;
}

static bool is_constant(const struct cw_fn *fn, const struct cw_base *base) {
    return base->root.tag == CW_REF_OBJECT && !base->is_read &&
           (fn->objects.at[base->root.index].space == CW_SPACE_CONSTANT ||
            fn->objects.at[base->root.index].space == CW_SPACE_PARAM);
}

static bool is_of_device(const struct cw_fn *fn, const struct cw_base *base) {
    if (base->root.tag != CW_REF_OBJECT || base->is_read)
        return base->root.tag != CW_REF_NONE;
    return fn->objects.at[base->root.index].space == CW_SPACE_GLOBAL;
}

bool cw_is_input_load(const struct cw_fn *fn, const struct cw_stored *stored, uint32_t load) {
    cw_ref pointer = cw_arg(fn, &fn->ins.at[load], 0);
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    bool is_stored = cw_is_stored_into(fn, stored, pointer);
    for (uint32_t k = 0; k < bases.n; k++)
        if (!is_constant(fn, &bases.at[k]) && (is_stored || !is_of_device(fn, &bases.at[k])))
            return false;
    return bases.n > 0;
}
