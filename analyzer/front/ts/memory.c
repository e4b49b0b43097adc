/* Loads, stores and copies of typed objects. */
#include "front/ts/lower.h"

static void flag(struct ts_body *b, cw_ref r, uint16_t flags) {
    struct cw_ins *i = cw_ins_of(b->fn, r);
    if (i)
        i->flags |= flags;
}

static uint16_t access_flags(const struct ts_type *t) {
    return t->is_volatile ? CW_INS_VOLATILE : 0;
}

static enum cw_type value_type(const struct ts_type *t) {
    return ts_is_object(t) || t->form == TS_FORM_UNKNOWN || t->form == TS_FORM_FUNCTION ? CW_AGG : t->kind.type;
}

cw_ref ts_offset(struct ts_body *b, cw_ref addr, uint64_t bytes) {
    if (!bytes)
        return addr;
    return cw_emit2(b->at, CW_OP_PTRADD, CW_PTR, 0, addr, cw_fn_const(b->fn, CW_I64, (int64_t)bytes));
}

cw_ref ts_load(struct ts_body *b, cw_ref addr, const struct ts_type *t) {
    if (t->form == TS_FORM_VOID)
        return CW_NONE;
    cw_ref r = cw_emit1(b->at, CW_OP_LOAD, value_type(t), (uint32_t)ts_size(t), addr);
    flag(b, r, access_flags(t));
    return r;
}

void ts_store(struct ts_body *b, cw_ref value, cw_ref addr, const struct ts_type *t) {
    if (t->form == TS_FORM_VOID || value.tag == CW_REF_NONE)
        return;
    flag(b, cw_emit2(b->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(t), value, addr), access_flags(t));
}

void ts_copy(struct ts_body *b, cw_ref to, cw_ref from, const struct ts_type *t) {
    ts_closure_refer(b, from, t);
    struct ts_leaves leaves = ts_leaves_of(b->u, t);
    if (!leaves.is_split) {
        flag(b, cw_emit2(b->at, CW_OP_MEMCOPY, CW_VOID, (uint32_t)ts_size(t), to, from), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves.n; i++) {
        const struct ts_leaf *l = &leaves.at[i];
        uint16_t flags = (uint16_t)(CW_INS_IMPLICIT | access_flags(t) | access_flags(l->type));
        cw_ref v =
            cw_emit1(b->at, CW_OP_LOAD, value_type(l->type), (uint32_t)ts_size(l->type), ts_offset(b, from, l->offset));
        flag(b, v, flags);
        flag(b, cw_emit2(b->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(l->type), v, ts_offset(b, to, l->offset)),
             flags);
    }
}

void ts_zero(struct ts_body *b, cw_ref to, const struct ts_type *t) {
    struct ts_leaves leaves = ts_leaves_of(b->u, t);
    if (!leaves.is_split) {
        cw_ref zero = cw_fn_const(b->fn, CW_I8, 0);
        flag(b, cw_emit2(b->at, CW_OP_MEMSET, CW_VOID, (uint32_t)ts_size(t), to, zero), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves.n; i++) {
        const struct ts_leaf *l = &leaves.at[i];
        if (l->type->form == TS_FORM_GROUP || l->type->kind.type == CW_AGG)
            continue;
        cw_ref zero = cw_fn_const(b->fn, l->type->kind.type, 0);
        flag(b, cw_emit2(b->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(l->type), zero, ts_offset(b, to, l->offset)),
             CW_INS_IMPLICIT);
    }
}

void ts_clobber(struct ts_body *b, cw_ref addr, enum cw_bail why, const cw_ref *args, uint32_t n) {
    cw_ref *all = CW_NEW_ARRAY(&b->u->scratch, cw_ref, n + 1);
    all[0] = addr;
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = args[i];
    cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, CW_VOID, why, all, n + 1, b->at.loc);
    b->fn->ins.at[b->fn->ins.n - 1].flags = CW_INS_IMPLICIT;
}

static uint32_t innermost(const struct ts_type *t) {
    while (t->form == TS_FORM_ARRAY)
        t = t->of;
    return (uint32_t)ts_size(t);
}

struct cw_object ts_object(struct ts_body *b, const char *name, const struct ts_type *t, enum cw_space space) {
    return (struct cw_object){.name = name,
                              .space = space,
                              .size = ts_size(t),
                              .loc = b->at.loc,
                              .element = innermost(t),
                              .align = t->form == TS_FORM_RECORD ? t->record->align : t->align,
                              .type_text = ts_type_text(b->u, t),
                              .is_volatile = t->is_volatile};
}

cw_ref ts_temp(struct ts_body *b, const struct ts_type *t, const char *name) {
    return cw_fn_add_object(b->fn, ts_object(b, name, t, CW_SPACE_LOCAL));
}

struct ts_value ts_rvalue_of(cw_ref r, const struct ts_type *t) {
    return (struct ts_value){.type = t, .ref = r};
}

struct ts_value ts_place_of(cw_ref addr, const struct ts_type *t) {
    return (struct ts_value){.type = t, .ref = addr, .is_place = true};
}

/* An unknown value of the type; an object of class type is a temporary with unknown contents. */
struct ts_value ts_unknown(struct ts_body *b, const struct ts_type *t, enum cw_bail why, const cw_ref *args,
                           uint32_t n) {
    if (t->form == TS_FORM_REFERENCE)
        return ts_place_of(cw_emit_opaque(b->at, CW_PTR, why, args, n), t->of);
    if (t->form == TS_FORM_VOID) {
        ts_bail(b, why);
        return ts_rvalue_of(CW_NONE, t);
    }
    if (ts_is_object(t)) {
        cw_ref at = ts_temp(b, t, "temporary");
        ts_clobber(b, at, why, args, n);
        return ts_place_of(at, t);
    }
    return ts_rvalue_of(cw_emit_opaque(b->at, value_type(t), why, args, n), t);
}
