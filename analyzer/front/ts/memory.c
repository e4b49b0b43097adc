/* Loads, stores and copies of typed objects. */
#include "front/ts/lower.h"

static void add_flags(struct ts_body *body, cw_ref ref, uint16_t flags) {
    struct cw_ins *i = cw_ins_of(body->fn, ref);
    if (i)
        i->flags |= flags;
}

static uint16_t access_flags(const struct ts_type *type) {
    return type->is_volatile ? CW_INS_VOLATILE : 0;
}

static enum cw_type value_type(const struct ts_type *type) {
    return ts_is_object(type) || type->form == TS_FORM_UNKNOWN || type->form == TS_FORM_FUNCTION ? CW_AGG
                                                                                                 : type->kind.type;
}

cw_ref ts_offset(struct ts_body *body, cw_ref addr, uint64_t bytes) {
    if (!bytes)
        return addr;
    return cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, addr, cw_fn_const(body->fn, CW_I64, (int64_t)bytes));
}

cw_ref ts_load(struct ts_body *body, cw_ref addr, const struct ts_type *type) {
    if (type->form == TS_FORM_VOID)
        return CW_NONE;
    cw_ref r = cw_emit1(body->at, CW_OP_LOAD, value_type(type), (uint32_t)ts_size(type), addr);
    add_flags(body, r, access_flags(type));
    return r;
}

void ts_store(struct ts_body *body, cw_ref value, cw_ref addr, const struct ts_type *type) {
    if (type->form == TS_FORM_VOID || value.tag == CW_REF_NONE)
        return;
    add_flags(body, cw_emit2(body->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(type), value, addr), access_flags(type));
}

void ts_copy(struct ts_body *body, cw_ref to, cw_ref from, const struct ts_type *type) {
    ts_closure_refer(body, from, type);
    struct ts_leaves leaves = ts_leaves_of(body->u, type);
    if (!leaves.is_split) {
        add_flags(body, cw_emit2(body->at, CW_OP_MEMCOPY, CW_VOID, (uint32_t)ts_size(type), to, from), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves.n; i++) {
        const struct ts_leaf *l = &leaves.at[i];
        uint16_t flags = (uint16_t)(CW_INS_IMPLICIT | access_flags(type) | access_flags(l->type));
        cw_ref v = cw_emit1(body->at, CW_OP_LOAD, value_type(l->type), (uint32_t)ts_size(l->type),
                            ts_offset(body, from, l->offset));
        add_flags(body, v, flags);
        add_flags(
            body,
            cw_emit2(body->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(l->type), v, ts_offset(body, to, l->offset)),
            flags);
    }
}

void ts_zero(struct ts_body *body, cw_ref to, const struct ts_type *type) {
    struct ts_leaves leaves = ts_leaves_of(body->u, type);
    if (!leaves.is_split) {
        cw_ref zero = cw_fn_const(body->fn, CW_I8, 0);
        add_flags(body, cw_emit2(body->at, CW_OP_MEMSET, CW_VOID, (uint32_t)ts_size(type), to, zero), CW_INS_IMPLICIT);
        return;
    }
    for (uint32_t i = 0; i < leaves.n; i++) {
        const struct ts_leaf *l = &leaves.at[i];
        if (l->type->form == TS_FORM_GROUP || l->type->kind.type == CW_AGG)
            continue;
        cw_ref zero = cw_fn_const(body->fn, l->type->kind.type, 0);
        add_flags(
            body,
            cw_emit2(body->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(l->type), zero, ts_offset(body, to, l->offset)),
            CW_INS_IMPLICIT);
    }
}

void ts_clobber(struct ts_body *body, cw_ref addr, enum cw_bail why, const cw_ref *args, uint32_t n) {
    cw_ref *all = CW_NEW_ARRAY(&body->u->scratch, cw_ref, n + 1);
    all[0] = addr;
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = args[i];
    cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, CW_VOID, why, all, n + 1, body->at.loc);
    body->fn->ins.at[body->fn->ins.n - 1].flags = CW_INS_IMPLICIT;
}

static uint32_t innermost_count(const struct ts_type *type) {
    while (type->form == TS_FORM_ARRAY)
        type = type->of;
    return (uint32_t)ts_size(type);
}

struct cw_object ts_object(struct ts_body *body, const char *name, const struct ts_type *type, enum cw_space space) {
    return (struct cw_object){.name = name,
                              .space = space,
                              .size = ts_size(type),
                              .loc = body->at.loc,
                              .element = innermost_count(type),
                              .align = type->form == TS_FORM_RECORD ? type->record->align : type->align,
                              .type_text = ts_type_text(body->u, type),
                              .is_volatile = type->is_volatile};
}

cw_ref ts_temp(struct ts_body *body, const struct ts_type *type, const char *name) {
    return cw_fn_add_object(body->fn, ts_object(body, name, type, CW_SPACE_LOCAL));
}

struct ts_value ts_rvalue_of(cw_ref ref, const struct ts_type *type) {
    return (struct ts_value){.type = type, .ref = ref};
}

struct ts_value ts_place_of(cw_ref addr, const struct ts_type *type) {
    return (struct ts_value){.type = type, .ref = addr, .is_place = true};
}

/* An unknown value of the type; an object of class type is a temporary with unknown contents. */
struct ts_value ts_unknown(struct ts_body *body, const struct ts_type *type, enum cw_bail why, const cw_ref *args,
                           uint32_t n) {
    if (type->form == TS_FORM_REFERENCE)
        return ts_place_of(cw_emit_opaque(body->at, CW_PTR, why, args, n), type->of);
    if (type->form == TS_FORM_VOID) {
        ts_bail(body, why);
        return ts_rvalue_of(CW_NONE, type);
    }
    if (ts_is_object(type)) {
        cw_ref at = ts_temp(body, type, "temporary");
        ts_clobber(body, at, why, args, n);
        return ts_place_of(at, type);
    }
    return ts_rvalue_of(cw_emit_opaque(body->at, value_type(type), why, args, n), type);
}
