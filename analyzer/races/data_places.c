/* See data_places.h. */
#include "races/data_places.h"

#include "uniformity/alias.h"

struct origin {
    const struct cw_uniformity *u;
    const struct cw_fn *fn;
    struct cw_bitset seen;
};

static bool is_from_data(struct origin *o, cw_ref r);

static bool stores_into(const struct cw_fn *fn, const struct cw_access *access, cw_ref object) {
    struct cw_bases to = cw_memory_bases(fn, access->pointer);
    for (uint32_t k = 0; access->writes && k < to.n; k++)
        if (to.at[k].root.tag == CW_REF_NONE || cw_ref_eq(to.at[k].root, object))
            return true;
    return false;
}

/* Does the array hold data alone, whoever stores into it? */
static bool holds_data(struct origin *o, cw_ref object) {
    for (uint32_t k = 0; k < o->fn->ins.n; k++) {
        const struct cw_ins *i = &o->fn->ins.at[k];
        struct cw_access access[2];
        uint32_t n = cw_memory_accesses(o->fn, i, access);
        for (uint32_t j = 0; j < n; j++)
            if (stores_into(o->fn, &access[j], object) && i->op != CW_OP_ATOMIC &&
                (i->op != CW_OP_STORE || !is_from_data(o, cw_arg(o->fn, i, 0))))
                return false;
    }
    return true;
}

static bool loads_data(struct origin *o, const struct cw_ins *load) {
    struct cw_bases from = cw_memory_bases(o->fn, cw_arg(o->fn, load, 0));
    for (uint32_t k = 0; k < from.n; k++) {
        cw_ref root = from.at[k].root;
        enum cw_space space = root.tag == CW_REF_OBJECT && !from.at[k].is_read
                                  ? (enum cw_space)o->fn->objects.at[root.index].space
                                  : CW_SPACE_UNKNOWN;
        bool is_of_block = space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
        if (space == CW_SPACE_LOCAL || (is_of_block && !holds_data(o, root)))
            return false;
    }
    return true;
}

static bool is_from_data(struct origin *o, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(o->fn, r);
    if (cw_uni_of(o->u, r) <= CW_UNI_BLOCK)
        return true;
    if (!i)
        return false;
    if (cw_bitset_has(&o->seen, r.index))
        return true;
    cw_bitset_add(&o->seen, r.index);
    if (i->op == CW_OP_LOAD)
        return loads_data(o, i);
    if (i->op == CW_OP_ATOMIC)
        return true;
    if (i->op != CW_OP_PHI && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
        return false;
    for (uint32_t k = i->op == CW_OP_SELECT; k < i->narg; k++) /* what decides is no part of what is chosen */
        if (!is_from_data(o, cw_arg(o->fn, i, k)))
            return false;
    return i->narg > 0;
}

bool cw_is_made_of_data(const struct cw_uniformity *u, cw_ref value, struct cw_arena *a) {
    struct origin o = {.u = u, .fn = u->fn, .seen = cw_bitset_new(a, u->fn->ins.n)};
    return is_from_data(&o, value);
}
