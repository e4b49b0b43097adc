/* Loads, stores and copies of typed objects. */
#include "front/clang/lower.h"

void cw_clang_bail(struct cw_body *body, enum cw_bail why) {
    body->fn->bails[why]++;
}

static uint16_t access_flags(const struct cw_ctype *ctype) {
    return ctype->is_volatile ? CW_INS_VOLATILE : 0;
}

cw_ref cw_clang_load(struct cw_body *body, cw_ref addr, CXType type) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_VOID)
        return CW_NONE;
    enum cw_type of = t->shape == CW_SHAPE_SCALAR ? t->kind.type : CW_AGG;
    cw_ref r = cw_emit1(body->at, CW_OP_LOAD, of, (uint32_t)t->size, addr);
    cw_add_flags(body->fn, r, access_flags(t));
    return r;
}

void cw_clang_store(struct cw_body *body, cw_ref value, cw_ref addr, CXType type) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_VOID)
        return;
    cw_ref r = cw_emit2(body->at, CW_OP_STORE, CW_VOID, (uint32_t)t->size, value, addr);
    cw_add_flags(body->fn, r, access_flags(t));
}

/* Accesses have these flags; the parts live in the unit's scratch. */
static struct cw_emit_parts parts_of(struct cw_body *body, CXType type, uint16_t flags) {
    const struct cw_leaves *leaves = cw_clang_leaves(body->u, type);
    struct cw_emit_part *at = CW_NEW_ARRAY(&body->u->scratch, struct cw_emit_part, leaves->n + 1);
    for (uint32_t i = 0; i < leaves->n; i++)
        at[i] = (struct cw_emit_part){leaves->at[i].offset, leaves->at[i].kind.type, leaves->at[i].size, flags};
    uint32_t size = (uint32_t)cw_clang_type(body->u, type)->size;
    return (struct cw_emit_parts){at, leaves->n, leaves->is_split, size};
}

void cw_clang_copy(struct cw_body *body, cw_ref to, cw_ref from, CXType type) {
    struct cw_emit_parts parts = parts_of(body, type, access_flags(cw_clang_type(body->u, type)));
    cw_at_copy(body->at, to, from, &parts);
}

void cw_clang_zero(struct cw_body *body, cw_ref to, CXType type) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_SCALAR && t->kind.type != CW_GROUP) {
        cw_clang_store(body, cw_fn_const(body->fn, t->kind.type, 0), to, type);
        return;
    }
    struct cw_emit_parts parts = parts_of(body, type, 0);
    cw_at_zero(body->at, to, &parts);
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

void cw_clang_forget(struct cw_body *body, cw_ref addr, CXType type, enum cw_bail why, const cw_ref *args, uint32_t n) {
    struct cw_emit_parts parts = parts_of(body, type, 0);
    cw_at_forget(body->at, &body->u->scratch, addr, &parts, why, args, n);
}
