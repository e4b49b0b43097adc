#include "front/emit.h"

bool cw_at_is_open(struct cw_at at) {
    return at.fn->blocks.at[at.block].jump.kind == CW_JUMP_NONE;
}

void cw_at_go(struct cw_at at, uint32_t target, uint32_t loc, enum cw_origin origin) {
    if (cw_at_is_open(at))
        cw_fn_jump(at.fn, at.block, target, loc, origin);
}

void cw_at_enter(struct cw_at *at, uint32_t block) {
    cw_at_go(*at, block, 0, CW_FROM_NONE);
    at->block = block;
}

void cw_at_dead(struct cw_at *at) {
    at->block = cw_fn_add_block(at->fn);
}

void cw_add_flags(struct cw_fn *fn, cw_ref ref, uint16_t flags) {
    struct cw_ins *i = cw_ins_of(fn, ref);
    if (i)
        i->flags |= flags;
}

cw_ref cw_at_offset(struct cw_at at, cw_ref addr, uint64_t bytes) {
    if (!bytes)
        return addr;
    return cw_emit2(at, CW_OP_PTRADD, CW_PTR, 0, addr, cw_fn_const(at.fn, CW_I64, (int64_t)bytes));
}

void cw_at_clobber(struct cw_at at, struct cw_arena *scratch, cw_ref addr, enum cw_bail why, const cw_ref *args,
                   uint32_t n) {
    cw_ref *all = CW_NEW_ARRAY(scratch, cw_ref, n + 1);
    all[0] = addr;
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = args[i];
    cw_fn_emit(at.fn, at.block, CW_OP_OPCALL, CW_VOID, why, all, n + 1, at.loc);
    at.fn->ins.at[at.fn->ins.n - 1].flags = CW_INS_IMPLICIT;
}

/* ---- parts of objects ---- */

static void store_part(struct cw_at at, cw_ref value, cw_ref object, const struct cw_emit_part *part) {
    cw_ref store = cw_emit2(at, CW_OP_STORE, CW_VOID, part->size, value, cw_at_offset(at, object, part->offset));
    cw_add_flags(at.fn, store, (uint16_t)(CW_INS_IMPLICIT | part->flags));
}

void cw_at_copy(struct cw_at at, cw_ref to, cw_ref from, const struct cw_emit_parts *parts) {
    if (!parts->is_split) {
        cw_add_flags(at.fn, cw_emit2(at, CW_OP_MEMCOPY, CW_VOID, parts->size, to, from), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < parts->n; i++) {
        const struct cw_emit_part *part = &parts->at[i];
        cw_ref value = cw_emit1(at, CW_OP_LOAD, part->type, part->size, cw_at_offset(at, from, part->offset));
        cw_add_flags(at.fn, value, (uint16_t)(CW_INS_IMPLICIT | part->flags));
        store_part(at, value, to, part);
    }
}

void cw_at_zero(struct cw_at at, cw_ref to, const struct cw_emit_parts *parts) {
    if (!parts->is_split) {
        cw_ref zero = cw_fn_const(at.fn, CW_I8, 0);
        cw_add_flags(at.fn, cw_emit2(at, CW_OP_MEMSET, CW_VOID, parts->size, to, zero), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < parts->n; i++)
        if (parts->at[i].type != CW_GROUP && parts->at[i].type != CW_AGG)
            store_part(at, cw_fn_const(at.fn, parts->at[i].type, 0), to, &parts->at[i]);
}

void cw_at_forget(struct cw_at at, struct cw_arena *scratch, cw_ref addr, const struct cw_emit_parts *parts,
                  enum cw_bail why, const cw_ref *args, uint32_t n) {
    if (!parts->is_split) {
        cw_at_clobber(at, scratch, addr, why, args, n);
        return;
    }
    for (uint32_t i = 0; i < parts->n; i++)
        store_part(at, cw_emit_opaque(at, parts->at[i].type, why, args, n), addr, &parts->at[i]);
}
