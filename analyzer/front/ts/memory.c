/* Loads, stores and copies of typed objects. */
#include "front/ts/lower.h"

static uint16_t access_flags(const struct ts_type *type) {
    return type->is_volatile ? CW_INS_VOLATILE : 0;
}

static enum cw_type value_type(const struct ts_type *type) {
    return ts_is_object(type) || type->form == TS_FORM_UNKNOWN || type->form == TS_FORM_FUNCTION ? CW_AGG
                                                                                                 : type->kind.type;
}

cw_ref ts_load(struct ts_body *body, cw_ref addr, const struct ts_type *type) {
    if (type->form == TS_FORM_VOID)
        return CW_NONE;
    cw_ref r = cw_emit1(body->at, CW_OP_LOAD, value_type(type), (uint32_t)ts_size(type), addr);
    cw_add_flags(body->fn, r, access_flags(type));
    return r;
}

void ts_store(struct ts_body *body, cw_ref value, cw_ref addr, const struct ts_type *type) {
    if (type->form == TS_FORM_VOID || value.tag == CW_REF_NONE)
        return;
    cw_add_flags(body->fn, cw_emit2(body->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(type), value, addr),
                 access_flags(type));
}

/* Accesses have these flags and those of each part's type; the parts live in the unit's scratch. */
static struct cw_emit_parts parts_of(struct ts_body *body, const struct ts_type *type, uint16_t flags, bool reads) {
    struct ts_leaves leaves = ts_leaves_of(body->u, type);
    struct cw_emit_part *at = CW_NEW_ARRAY(&body->u->scratch, struct cw_emit_part, leaves.n + 1);
    for (uint32_t i = 0; i < leaves.n; i++) {
        const struct ts_type *t = leaves.at[i].type;
        enum cw_type of = reads ? value_type(t) : t->form == TS_FORM_GROUP ? CW_GROUP : t->kind.type;
        at[i] = (struct cw_emit_part){leaves.at[i].offset, of, (uint32_t)ts_size(t),
                                      reads ? (uint16_t)(flags | access_flags(t)) : flags};
    }
    return (struct cw_emit_parts){at, leaves.n, leaves.is_split, (uint32_t)ts_size(type)};
}

void ts_copy(struct ts_body *body, cw_ref to, cw_ref from, const struct ts_type *type) {
    ts_closure_refer(body, from, type);
    struct cw_emit_parts parts = parts_of(body, type, access_flags(type), true);
    cw_at_copy(body->at, to, from, &parts);
}

void ts_zero(struct ts_body *body, cw_ref to, const struct ts_type *type) {
    struct cw_emit_parts parts = parts_of(body, type, 0, false);
    cw_at_zero(body->at, to, &parts);
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
        cw_at_clobber(body->at, &body->u->scratch, at, why, args, n);
        return ts_place_of(at, type);
    }
    return ts_rvalue_of(cw_emit_opaque(body->at, value_type(type), why, args, n), type);
}
