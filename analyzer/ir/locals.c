#include "ir/locals.h"

struct finder {
    const struct cw_fn *fn;
    struct cw_locals l;
};

struct cw_pointee cw_locals_pointee(const struct cw_locals *locals, cw_ref ref) {
    if (ref.tag == CW_REF_OBJECT)
        return (struct cw_pointee){ref.index, 0, true};
    if (ref.tag == CW_REF_INS)
        return (struct cw_pointee){locals->object[ref.index], locals->offset[ref.index], locals->exact[ref.index]};
    return (struct cw_pointee){.object = CW_NO_OBJECT};
}

static void mark_object(struct finder *finder, uint32_t object, unsigned flags) {
    if (object != CW_NO_OBJECT)
        finder->l.flags[object] |= (uint8_t)flags;
}

static void mark_escape(struct finder *finder, cw_ref ref) {
    mark_object(finder, cw_locals_pointee(&finder->l, ref).object, CW_LOCAL_ESCAPES);
}

/* bytes: 0 when not known, or the whole of an object whose size is not known. */
static void mark_access(struct finder *finder, cw_ref pointer, uint64_t bytes, unsigned flags) {
    struct cw_pointee p = cw_locals_pointee(&finder->l, pointer);
    if (p.object == CW_NO_OBJECT)
        return;
    uint64_t size = finder->fn->objects.at[p.object].size;
    bool whole = bytes == 0 && size == 0 && p.offset == 0; /* of unknown size: all of it or nothing */
    bool inside = p.exact && p.offset >= 0 && (whole || (bytes && (size == 0 || (uint64_t)p.offset + bytes <= size)));
    mark_object(finder, p.object, flags | CW_LOCAL_ACCESSED | (inside ? 0 : CW_LOCAL_INDEXED));
}

/* Sets and copies of unknown extent reach beyond any object. */
static uint64_t extent_of(const struct cw_ins *ins) {
    return ins->aux ? ins->aux : UINT32_MAX;
}

static void derive_pointer(struct finder *finder, uint32_t index, const struct cw_ins *ins) {
    struct cw_pointee p = cw_locals_pointee(&finder->l, cw_arg(finder->fn, ins, 0));
    int64_t by = 0;
    bool fixed = ins->op != CW_OP_PTRADD || cw_ref_const(finder->fn, cw_arg(finder->fn, ins, 1), &by);
    finder->l.object[index] = p.object;
    finder->l.exact[index] = p.exact && fixed && !__builtin_add_overflow(p.offset, by, &finder->l.offset[index]);
}

static bool can_hold_address(enum cw_type type) {
    return type == CW_PTR || type == CW_I64 || type == CW_AGG || type == CW_GROUP;
}

static void visit_instruction(struct finder *finder, uint32_t index) {
    const struct cw_ins *i = &finder->fn->ins.at[index];
    switch ((enum cw_op)i->op) {
    case CW_OP_PTRADD: derive_pointer(finder, index, i); return;
    case CW_OP_COPY: derive_pointer(finder, index, i); return;
    case CW_OP_LOAD: mark_access(finder, cw_arg(finder->fn, i, 0), i->aux, CW_LOCAL_LOADED); return;
    case CW_OP_STORE:
        mark_escape(finder, cw_arg(finder->fn, i, 0));
        mark_access(finder, cw_arg(finder->fn, i, 1), i->aux, 0);
        return;
    case CW_OP_MEMSET: mark_access(finder, cw_arg(finder->fn, i, 0), extent_of(i), 0); return;
    case CW_OP_MEMCOPY:
        mark_access(finder, cw_arg(finder->fn, i, 0), extent_of(i), 0);
        mark_access(finder, cw_arg(finder->fn, i, 1), extent_of(i), CW_LOCAL_LOADED);
        return;
    case CW_OP_PHI: return; /* afterwards: operands over back edges are not known yet */
    default: break;
    }
    if (!(cw_op_flags((enum cw_op)i->op) & (CW_OP_R | CW_OP_W | CW_OP_E)) && !can_hold_address((enum cw_type)i->type))
        return; /* touches no memory, and its result leads nowhere */
    for (uint32_t k = 0; k < i->narg; k++)
        mark_escape(finder, cw_arg(finder->fn, i, k));
}

static void visit_phis_and_jump(struct finder *finder, const struct cw_block *block) {
    for (uint32_t k = 0; k < block->ins.n && finder->fn->ins.at[block->ins.at[k]].op == CW_OP_PHI; k++) {
        const struct cw_ins *i = &finder->fn->ins.at[block->ins.at[k]];
        for (uint32_t o = 0; o < i->narg; o++)
            mark_escape(finder, cw_arg(finder->fn, i, o));
    }
    mark_escape(finder, block->jump.value);
}

struct cw_locals cw_locals_find(const struct cw_fn *fn, const struct cw_order_of_blocks *blocks, struct cw_arena *a) {
    struct finder f = {.fn = fn};
    f.l.object = CW_NEW_ARRAY(a, uint32_t, fn->ins.n + 1);
    f.l.offset = CW_NEW_ARRAY(a, int64_t, fn->ins.n + 1);
    f.l.exact = CW_NEW_ARRAY(a, uint8_t, fn->ins.n + 1);
    f.l.flags = CW_NEW_ARRAY(a, uint8_t, fn->objects.n + 1);
    for (uint32_t i = 0; i < fn->ins.n; i++)
        f.l.object[i] = CW_NO_OBJECT;
    for (uint32_t k = 0; k < blocks->n; k++) {
        const struct cw_block *b = &fn->blocks.at[blocks->rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            visit_instruction(&f, b->ins.at[i]);
    }
    for (uint32_t k = 0; k < blocks->n; k++)
        visit_phis_and_jump(&f, &fn->blocks.at[blocks->rpo[k]]);
    return f.l;
}
