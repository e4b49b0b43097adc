#include "ir/locals.h"

struct finder {
    const struct cw_fn *fn;
    struct cw_locals l;
};

struct cw_pointee cw_locals_pointee(const struct cw_locals *l, cw_ref r) {
    if (r.tag == CW_REF_OBJECT)
        return (struct cw_pointee){r.index, 0, true};
    if (r.tag == CW_REF_INS)
        return (struct cw_pointee){l->object[r.index], l->offset[r.index], l->exact[r.index]};
    return (struct cw_pointee){.object = CW_NO_OBJECT};
}

static void mark(struct finder *f, uint32_t object, unsigned flags) {
    if (object != CW_NO_OBJECT)
        f->l.flags[object] |= (uint8_t)flags;
}

static void escape(struct finder *f, cw_ref r) {
    mark(f, cw_locals_pointee(&f->l, r).object, CW_LOCAL_ESCAPES);
}

/* bytes: 0 when not known, or the whole of an object whose size is not known. */
static void access(struct finder *f, cw_ref pointer, uint64_t bytes, unsigned flags) {
    struct cw_pointee p = cw_locals_pointee(&f->l, pointer);
    if (p.object == CW_NO_OBJECT)
        return;
    uint64_t size = f->fn->objects.at[p.object].size;
    bool whole = bytes == 0 && size == 0 && p.offset == 0; /* of unknown size: all of it or nothing */
    bool inside = p.exact && p.offset >= 0 && (whole || (bytes && (size == 0 || (uint64_t)p.offset + bytes <= size)));
    mark(f, p.object, flags | CW_LOCAL_ACCESSED | (inside ? 0 : CW_LOCAL_INDEXED));
}

/* Sets and copies of unknown extent reach beyond any object. */
static uint64_t extent(const struct cw_ins *i) {
    return i->aux ? i->aux : UINT32_MAX;
}

static void derive(struct finder *f, uint32_t index, const struct cw_ins *i) {
    struct cw_pointee p = cw_locals_pointee(&f->l, cw_arg(f->fn, i, 0));
    int64_t by = 0;
    bool fixed = i->op != CW_OP_PTRADD || cw_ref_const(f->fn, cw_arg(f->fn, i, 1), &by);
    f->l.object[index] = p.object;
    f->l.exact[index] = p.exact && fixed && !__builtin_add_overflow(p.offset, by, &f->l.offset[index]);
}

static bool can_hold_address(enum cw_type t) {
    return t == CW_PTR || t == CW_I64 || t == CW_AGG || t == CW_GROUP;
}

static void visit(struct finder *f, uint32_t index) {
    const struct cw_ins *i = &f->fn->ins.at[index];
    switch ((enum cw_op)i->op) {
    case CW_OP_PTRADD: derive(f, index, i); return;
    case CW_OP_COPY: derive(f, index, i); return;
    case CW_OP_LOAD: access(f, cw_arg(f->fn, i, 0), i->aux, CW_LOCAL_LOADED); return;
    case CW_OP_STORE:
        escape(f, cw_arg(f->fn, i, 0));
        access(f, cw_arg(f->fn, i, 1), i->aux, 0);
        return;
    case CW_OP_MEMSET: access(f, cw_arg(f->fn, i, 0), extent(i), 0); return;
    case CW_OP_MEMCOPY:
        access(f, cw_arg(f->fn, i, 0), extent(i), 0);
        access(f, cw_arg(f->fn, i, 1), extent(i), CW_LOCAL_LOADED);
        return;
    case CW_OP_PHI: return; /* afterwards: operands over back edges are not known yet */
    default: break;
    }
    if (!(cw_op_flags((enum cw_op)i->op) & (CW_OP_R | CW_OP_W | CW_OP_E)) && !can_hold_address((enum cw_type)i->type))
        return; /* touches no memory, and its result leads nowhere */
    for (uint32_t k = 0; k < i->narg; k++)
        escape(f, cw_arg(f->fn, i, k));
}

static void visit_phis_and_jump(struct finder *f, const struct cw_block *b) {
    for (uint32_t k = 0; k < b->ins.n && f->fn->ins.at[b->ins.at[k]].op == CW_OP_PHI; k++) {
        const struct cw_ins *i = &f->fn->ins.at[b->ins.at[k]];
        for (uint32_t o = 0; o < i->narg; o++)
            escape(f, cw_arg(f->fn, i, o));
    }
    escape(f, b->jump.value);
}

struct cw_locals cw_locals_find(const struct cw_fn *fn, const struct cw_order_of_blocks *o, struct cw_arena *a) {
    struct finder f = {.fn = fn};
    f.l.object = CW_NEW_ARRAY(a, uint32_t, fn->ins.n + 1);
    f.l.offset = CW_NEW_ARRAY(a, int64_t, fn->ins.n + 1);
    f.l.exact = CW_NEW_ARRAY(a, uint8_t, fn->ins.n + 1);
    f.l.flags = CW_NEW_ARRAY(a, uint8_t, fn->objects.n + 1);
    for (uint32_t i = 0; i < fn->ins.n; i++)
        f.l.object[i] = CW_NO_OBJECT;
    for (uint32_t k = 0; k < o->n; k++) {
        const struct cw_block *b = &fn->blocks.at[o->rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            visit(&f, b->ins.at[i]);
    }
    for (uint32_t k = 0; k < o->n; k++)
        visit_phis_and_jump(&f, &fn->blocks.at[o->rpo[k]]);
    return f.l;
}
