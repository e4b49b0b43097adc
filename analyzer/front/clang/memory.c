/* Loads, stores and copies of typed objects. */
#include "front/clang/lower.h"

void cw_clang_bail(struct cw_body *body, enum cw_bail why) {
    body->fn->bails[why]++;
}

static uint16_t access_flags(const struct cw_ctype *ctype) {
    return ctype->is_volatile ? CW_INS_VOLATILE : 0;
}

static void add_flags(struct cw_body *body, cw_ref ref, uint16_t flags) {
    struct cw_ins *i = cw_ins_of(body->fn, ref);
    if (i)
        i->flags |= flags;
}

cw_ref cw_clang_load(struct cw_body *body, cw_ref addr, CXType type) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_VOID)
        return CW_NONE;
    enum cw_type of = t->shape == CW_SHAPE_SCALAR ? t->kind.type : CW_AGG;
    cw_ref r = cw_emit1(body->at, CW_OP_LOAD, of, (uint32_t)t->size, addr);
    add_flags(body, r, access_flags(t));
    return r;
}

void cw_clang_store(struct cw_body *body, cw_ref value, cw_ref addr, CXType type) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_VOID)
        return;
    cw_ref r = cw_emit2(body->at, CW_OP_STORE, CW_VOID, (uint32_t)t->size, value, addr);
    add_flags(body, r, access_flags(t));
}

cw_ref cw_clang_offset(struct cw_body *body, cw_ref addr, uint64_t bytes) {
    if (!bytes)
        return addr;
    return cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, addr, cw_fn_const(body->fn, CW_I64, (int64_t)bytes));
}

void cw_clang_copy(struct cw_body *body, cw_ref to, cw_ref from, CXType type) {
    const struct cw_leaves *leaves = cw_clang_leaves(body->u, type);
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (!leaves->is_split) {
        add_flags(body, cw_emit2(body->at, CW_OP_MEMCOPY, CW_VOID, (uint32_t)t->size, to, from), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves->n; i++) {
        const struct cw_leaf *l = &leaves->at[i];
        cw_ref v = cw_emit1(body->at, CW_OP_LOAD, l->kind.type, l->size, cw_clang_offset(body, from, l->offset));
        add_flags(body, v, CW_INS_IMPLICIT | access_flags(t));
        cw_ref s = cw_emit2(body->at, CW_OP_STORE, CW_VOID, l->size, v, cw_clang_offset(body, to, l->offset));
        add_flags(body, s, CW_INS_IMPLICIT | access_flags(t));
    }
}

void cw_clang_zero(struct cw_body *body, cw_ref to, CXType type) {
    const struct cw_leaves *leaves = cw_clang_leaves(body->u, type);
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_SCALAR && t->kind.type != CW_GROUP) {
        cw_clang_store(body, cw_fn_const(body->fn, t->kind.type, 0), to, type);
        return;
    }
    if (!leaves->is_split) {
        cw_ref zero = cw_fn_const(body->fn, CW_I8, 0);
        add_flags(body, cw_emit2(body->at, CW_OP_MEMSET, CW_VOID, (uint32_t)t->size, to, zero), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves->n; i++) {
        const struct cw_leaf *l = &leaves->at[i];
        if (l->kind.type == CW_GROUP)
            continue;
        cw_ref at = cw_clang_offset(body, to, l->offset);
        cw_ref zero = cw_fn_const(body->fn, l->kind.type, 0);
        add_flags(body, cw_emit2(body->at, CW_OP_STORE, CW_VOID, l->size, zero, at), CW_INS_IMPLICIT);
    }
}

static uint32_t element_size(struct cw_unit *unit, CXType type) {
    CXType e = clang_getCanonicalType(type);
    while (cw_clang_type(unit, e)->is_array)
        e = clang_getCanonicalType(clang_getArrayElementType(e));
    return (uint32_t)cw_clang_type(unit, e)->size;
}

cw_ref cw_clang_temp(struct cw_body *body, CXType type, const char *name) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    return cw_fn_add_object(body->fn, (struct cw_object){
        .name = name, .space = CW_SPACE_LOCAL, .size = t->size, .align = t->align,
        .element = element_size(body->u, type), .loc = body->at.loc,
        .type_text = cw_clang_text(body->u, clang_getTypeSpelling(type)), .is_volatile = t->is_volatile});
}

cw_ref cw_clang_spill(struct cw_body *body, cw_ref value, CXType type) {
    cw_ref at = cw_clang_temp(body, type, "temporary");
    cw_clang_store(body, value, at, type);
    return at;
}

cw_ref cw_clang_unknown(struct cw_body *body, CXType type, enum cw_bail why, const cw_ref *args, uint32_t n) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_VOID) {
        cw_clang_bail(body, why);
        return CW_NONE;
    }
    enum cw_type of = t->shape == CW_SHAPE_SCALAR ? t->kind.type : CW_AGG;
    return cw_emit_opaque(body->at, of, why, args, n);
}

/* The object's value becomes unknown, by stores of its parts where those are known: nothing else is touched. */
void cw_clang_forget(struct cw_body *body, cw_ref addr, CXType type, enum cw_bail why, const cw_ref *args, uint32_t n) {
    const struct cw_leaves *leaves = cw_clang_leaves(body->u, type);
    if (!leaves->is_split) {
        cw_clang_clobber(body, addr, why, args, n);
        return;
    }
    for (uint32_t i = 0; i < leaves->n; i++) {
        const struct cw_leaf *l = &leaves->at[i];
        cw_ref v = cw_emit_opaque(body->at, l->kind.type, why, args, n);
        cw_ref at = cw_clang_offset(body, addr, l->offset);
        add_flags(body, cw_emit2(body->at, CW_OP_STORE, CW_VOID, l->size, v, at), CW_INS_IMPLICIT);
    }
}

void cw_clang_clobber(struct cw_body *body, cw_ref addr, enum cw_bail why, const cw_ref *args, uint32_t n) {
    cw_ref *all = CW_NEW_ARRAY(&body->u->scratch, cw_ref, n + 1);
    all[0] = addr;
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = args[i];
    cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, CW_VOID, why, all, n + 1, body->at.loc);
    body->fn->ins.at[body->fn->ins.n - 1].flags = CW_INS_IMPLICIT;
}
