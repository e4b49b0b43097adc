/* Loads, stores and copies of typed objects. */
#include "front/clang/lower.h"

void cw_clang_bail(struct cw_body *b, enum cw_bail why) {
    b->fn->bails[why]++;
}

static uint16_t access_flags(const struct cw_ctype *t) {
    return t->is_volatile ? CW_INS_VOLATILE : 0;
}

static void flag(struct cw_body *b, cw_ref r, uint16_t flags) {
    struct cw_ins *i = cw_ins_of(b->fn, r);
    if (i)
        i->flags |= flags;
}

cw_ref cw_clang_load(struct cw_body *b, cw_ref addr, CXType type) {
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    if (t->shape == CW_SHAPE_VOID)
        return CW_NONE;
    enum cw_type of = t->shape == CW_SHAPE_SCALAR ? t->kind.type : CW_AGG;
    cw_ref r = cw_emit1(b->at, CW_OP_LOAD, of, (uint32_t)t->size, addr);
    flag(b, r, access_flags(t));
    return r;
}

void cw_clang_store(struct cw_body *b, cw_ref value, cw_ref addr, CXType type) {
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    if (t->shape == CW_SHAPE_VOID)
        return;
    cw_ref r = cw_emit2(b->at, CW_OP_STORE, CW_VOID, (uint32_t)t->size, value, addr);
    flag(b, r, access_flags(t));
}

cw_ref cw_clang_offset(struct cw_body *b, cw_ref addr, uint64_t bytes) {
    if (!bytes)
        return addr;
    return cw_emit2(b->at, CW_OP_PTRADD, CW_PTR, 0, addr, cw_fn_const(b->fn, CW_I64, (int64_t)bytes));
}

void cw_clang_copy(struct cw_body *b, cw_ref to, cw_ref from, CXType type) {
    const struct cw_leaves *leaves = cw_clang_leaves(b->u, type);
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    if (!leaves->is_split) {
        flag(b, cw_emit2(b->at, CW_OP_MEMCOPY, CW_VOID, (uint32_t)t->size, to, from), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves->n; i++) {
        const struct cw_leaf *l = &leaves->at[i];
        cw_ref v = cw_emit1(b->at, CW_OP_LOAD, l->kind.type, l->size, cw_clang_offset(b, from, l->offset));
        flag(b, v, CW_INS_IMPLICIT | access_flags(t));
        cw_ref s = cw_emit2(b->at, CW_OP_STORE, CW_VOID, l->size, v, cw_clang_offset(b, to, l->offset));
        flag(b, s, CW_INS_IMPLICIT | access_flags(t));
    }
}

void cw_clang_zero(struct cw_body *b, cw_ref to, CXType type) {
    const struct cw_leaves *leaves = cw_clang_leaves(b->u, type);
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    if (t->shape == CW_SHAPE_SCALAR && t->kind.type != CW_GROUP) {
        cw_clang_store(b, cw_fn_const(b->fn, t->kind.type, 0), to, type);
        return;
    }
    if (!leaves->is_split) {
        cw_ref zero = cw_fn_const(b->fn, CW_I8, 0);
        flag(b, cw_emit2(b->at, CW_OP_MEMSET, CW_VOID, (uint32_t)t->size, to, zero), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves->n; i++) {
        const struct cw_leaf *l = &leaves->at[i];
        if (l->kind.type == CW_GROUP)
            continue;
        cw_ref at = cw_clang_offset(b, to, l->offset);
        cw_ref zero = cw_fn_const(b->fn, l->kind.type, 0);
        flag(b, cw_emit2(b->at, CW_OP_STORE, CW_VOID, l->size, zero, at), CW_INS_IMPLICIT);
    }
}

static uint32_t element_size(struct cw_unit *u, CXType t) {
    CXType e = clang_getCanonicalType(t);
    while (cw_clang_type(u, e)->is_array)
        e = clang_getCanonicalType(clang_getArrayElementType(e));
    return (uint32_t)cw_clang_type(u, e)->size;
}

cw_ref cw_clang_temp(struct cw_body *b, CXType type, const char *name) {
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    return cw_fn_add_object(b->fn, (struct cw_object){
        .name = name, .space = CW_SPACE_LOCAL, .size = t->size, .align = t->align,
        .element = element_size(b->u, type), .loc = b->at.loc,
        .type_text = cw_clang_text(b->u, clang_getTypeSpelling(type)), .is_volatile = t->is_volatile});
}

cw_ref cw_clang_spill(struct cw_body *b, cw_ref value, CXType type) {
    cw_ref at = cw_clang_temp(b, type, "temporary");
    cw_clang_store(b, value, at, type);
    return at;
}

cw_ref cw_clang_unknown(struct cw_body *b, CXType type, enum cw_bail why, const cw_ref *args, uint32_t n) {
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    if (t->shape == CW_SHAPE_VOID) {
        cw_clang_bail(b, why);
        return CW_NONE;
    }
    enum cw_type of = t->shape == CW_SHAPE_SCALAR ? t->kind.type : CW_AGG;
    return cw_emit_opaque(b->at, of, why, args, n);
}

/* The object's value becomes unknown, by stores of its parts where those are known: nothing else is touched. */
void cw_clang_forget(struct cw_body *b, cw_ref addr, CXType type, enum cw_bail why, const cw_ref *args, uint32_t n) {
    const struct cw_leaves *leaves = cw_clang_leaves(b->u, type);
    if (!leaves->is_split) {
        cw_clang_clobber(b, addr, why, args, n);
        return;
    }
    for (uint32_t i = 0; i < leaves->n; i++) {
        const struct cw_leaf *l = &leaves->at[i];
        cw_ref v = cw_emit_opaque(b->at, l->kind.type, why, args, n);
        cw_ref at = cw_clang_offset(b, addr, l->offset);
        flag(b, cw_emit2(b->at, CW_OP_STORE, CW_VOID, l->size, v, at), CW_INS_IMPLICIT);
    }
}

void cw_clang_clobber(struct cw_body *b, cw_ref addr, enum cw_bail why, const cw_ref *args, uint32_t n) {
    cw_ref *all = CW_NEW_ARRAY(&b->u->scratch, cw_ref, n + 1);
    all[0] = addr;
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = args[i];
    cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, CW_VOID, why, all, n + 1, b->at.loc);
    b->fn->ins.at[b->fn->ins.n - 1].flags = CW_INS_IMPLICIT;
}
