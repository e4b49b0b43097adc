/* Expressions: literals, names, members, elements; who lowers the rest. */
#include "front/ts/lower.h"

#include <string.h>

/* ---- literals ---- */

static struct ts_value number(struct ts_body *b, TSNode e) {
    int64_t value = 0, bits;
    double real = 0;
    struct cw_kind k = {CW_I32, true};
    cw_str text = ts_text(b->u, e);
    bool is_negative = cw_str_starts(text, "-"), has_sign = is_negative || cw_str_starts(text, "+");
    if (has_sign) /* the grammar's numbers may have one */
        text = cw_str_trim((cw_str){text.at + 1, text.n - 1});
    if (!ts_number(text, &value, &k, &real))
        return ts_unknown(b, ts_scalar(b->u, CW_I32, true), CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    memcpy(&bits, &real, sizeof bits);
    cw_ref r = cw_fn_const(b->fn, k.type, cw_type_is_float(k.type) ? bits : value);
    return ts_rvalue_of(is_negative ? cw_arith_negate(b->at, k, r) : r, ts_scalar(b->u, k.type, k.is_signed));
}

static struct ts_value character(struct ts_body *b, TSNode e) {
    int64_t value;
    const struct ts_type *t = ts_scalar(b->u, CW_I8, true);
    if (!ts_eval(&b->s, e, &value))
        return ts_unknown(b, t, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    return ts_rvalue_of(cw_fn_const(b->fn, CW_I8, value), t);
}

/* A string: constant memory that every use of the same text shares. */
static struct ts_value string(struct ts_body *b, TSNode e) {
    const char *text = ts_name(b->u, e);
    const struct ts_type *t = ts_array_of(b->u, ts_scalar(b->u, CW_I8, true), (int64_t)strlen(text) - 1);
    const char *key = cw_intern(&b->u->module->names, cw_arena_printf(&b->u->scratch, "string:%s", text));
    return ts_place_of(cw_fn_add_object(b->fn, (struct cw_object){.name = text, .key = key, .space = CW_SPACE_CONSTANT,
                                                                  .size = t->size, .align = 1, .element = 1,
                                                                  .loc = b->at.loc, .type_text = "const char[]"}), t);
}

static struct ts_value constant(struct ts_body *b, TSNode e) {
    bool is_true = ts_is(b->u, e, TS_TRUE);
    return ts_rvalue_of(cw_fn_const(b->fn, CW_I1, is_true), ts_scalar(b->u, CW_I1, false));
}

static struct ts_value null_pointer(struct ts_body *b, TSNode e) {
    (void)e;
    return ts_rvalue_of(cw_fn_const(b->fn, CW_PTR, 0), ts_pointer_to(b->u, b->u->void_type));
}

static struct ts_value this_value(struct ts_body *b, TSNode e) {
    (void)e;
    if (b->this_ptr.tag == CW_REF_NONE || !b->s.record)
        return ts_unknown(b, ts_pointer_to(b->u, b->u->unknown_type), CW_BAIL_UNRESOLVED_NAME, NULL, 0);
    return ts_rvalue_of(b->this_ptr, ts_pointer_to(b->u, ts_record_type(b->u, b->s.record)));
}

static struct ts_value size_of(struct ts_body *b, TSNode e) {
    int64_t value;
    const struct ts_type *t = ts_scalar(b->u, CW_I64, false);
    if (ts_eval(&b->s, e, &value))
        return ts_rvalue_of(cw_fn_const(b->fn, CW_I64, value), t);
    return ts_rvalue_of(cw_emit_pure(b->at, CW_I64, ts_name(b->u, e), NULL, 0), t);
}

/* ---- names ---- */

static struct ts_value name(struct ts_body *b, TSNode e) {
    struct ts_value v;
    if (ts_name_value(b, e, &v))
        return v;
    if (cw_str_is(ts_text(b->u, e), "__null"))
        return null_pointer(b, e);
    const char *qualified = ts_qualified_name(&b->s, e);
    if (ts_is_api_scope(qualified)) /* an enumerator or constant of the API: the same everywhere */
        return ts_rvalue_of(cw_emit_pure(b->at, CW_I32, qualified, NULL, 0), ts_scalar(b->u, CW_I32, true));
    ts_degrade(b, CW_BAIL_UNRESOLVED_NAME);
    return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNRESOLVED_NAME), NULL, 0);
}

/* ---- members ---- */

static struct ts_value field_of(struct ts_body *b, struct ts_value object, TSNode e) {
    const struct ts_field *f;
    struct ts_record *home;
    uint64_t offset;
    const char *field = ts_name(b->u, ts_last_name(b->u, ts_field(e, "field")));
    if (ts_find_field(b->u, object.type->record, field, &f, &offset)) {
        struct ts_value v = ts_place_of(ts_offset(b, object.ref, offset), f->type);
        if (object.type->is_volatile || object.type->is_const)
            v.type = ts_qualified(b->u, f->type, object.type->is_const, object.type->is_volatile);
        v.is_bit_field = f->is_bit_field;
        if (!object.type->record->is_known && f->offset)
            v.ref = cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNKNOWN_TYPE, &object.ref, 1);
        if (f->type->form == TS_FORM_REFERENCE)
            v = ts_place_of(cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, v.ref), f->type->of);
        return v;
    }
    int64_t value;
    struct ts_symbol *y = ts_find_member(b->u, object.type->record, field, &home, &offset);
    struct ts_scope at = {.u = b->u, .env = home->env, .record = home, .cls = home->cls};
    if (y && y->kind != TS_SYM_FUNCTION && ts_eval(&at, ts_field(e, "field"), &value))
        return ts_rvalue_of(cw_fn_const(b->fn, CW_I32, value), ts_scalar(b->u, CW_I32, true));
    ts_degrade(b, CW_BAIL_UNRESOLVED_NAME);
    return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNRESOLVED_NAME), &object.ref, 1);
}

/* What `.` or `->` is applied to, as the place of an object. */
struct ts_value ts_object_of(struct ts_body *b, TSNode e) {
    bool is_arrow = cw_str_is(ts_text(b->u, ts_field(e, "operator")), "->");
    struct ts_value v = ts_expr(b, ts_field(e, "argument"));
    if (is_arrow) {
        v = ts_rvalue(b, v);
        if (v.type->form != TS_FORM_POINTER || cw_ref_type(b->fn, v.ref) != CW_PTR)
            return v;
        return ts_place_of(v.ref, v.type->of);
    }
    return v;
}

struct ts_value ts_member(struct ts_body *b, TSNode e) {
    cw_ref value;
    if (ts_sreg(b, e, &value))
        return ts_rvalue_of(value, ts_scalar(b->u, CW_I32, false));
    struct ts_value v = ts_object_of(b, e);
    if (v.type->form == TS_FORM_RECORD && v.is_place)
        return field_of(b, v, e);
    bool has_address = v.is_place && v.ref.tag != CW_REF_NONE;
    if (!b->fn->is_pattern)
        ts_degrade(b, CW_BAIL_UNKNOWN_TYPE);
    if (has_address)
        return ts_place_of(cw_emit_opaque(b->at, CW_PTR, ts_why(b, CW_BAIL_UNKNOWN_TYPE), &v.ref, 1),
                           b->u->unknown_type);
    return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNKNOWN_TYPE), &v.ref, v.ref.tag != CW_REF_NONE);
}

/* ---- elements ---- */

static struct ts_value as_scalar(struct ts_body *b, struct ts_value v, TSNode e);

/* extent: bytes of the array that is indexed, 0 for pointers and for arrays of one element, the usual way to declare
 * one whose length is not known. */
static struct ts_value element(struct ts_body *b, struct ts_value base, struct ts_value index, uint64_t extent) {
    const struct ts_type *of = base.type->of;
    uint64_t size = ts_size(of);
    struct cw_kind k = {cw_ref_type(b->fn, index.ref), index.type->kind.is_signed};
    if (index.ref.tag == CW_REF_NONE)
        return ts_place_of(cw_emit_opaque(b->at, CW_PTR, ts_why(b, CW_BAIL_BROKEN_CODE), &base.ref, 1), of);
    if (size && cw_type_is_int(k.type))
        return ts_place_of(cw_array_element(b->at, base.ref, index.ref, k, (int64_t)size, extent), of);
    ts_bail(b, CW_BAIL_UNKNOWN_TYPE);
    cw_ref scaled = cw_emit_pure(b->at, CW_I64, "scaled", &index.ref, 1);
    return ts_place_of(cw_emit2(b->at, CW_OP_PTRADD, CW_PTR, 0, base.ref, scaled), of);
}

static struct ts_value user_subscript(struct ts_body *b, struct ts_value object, struct ts_value index, TSNode at) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_symbol *y =
        ts_find_member(b->u, object.type->record, cw_intern(&b->u->module->names, "operator[]"), &home, &offset);
    if (y && y->kind == TS_SYM_FUNCTION) {
        struct ts_arguments args = {&index, &at, 1};
        return ts_call_function(b, y->function, home->env, home, ts_offset(b, object.ref, offset), &args, CW_NONE);
    }
    ts_degrade(b, CW_BAIL_UNKNOWN_TYPE);
    cw_ref refs[2] = {object.ref, index.ref};
    return ts_place_of(
        cw_emit_opaque(b->at, CW_PTR, ts_why(b, CW_BAIL_UNKNOWN_TYPE), refs, index.ref.tag == CW_REF_NONE ? 1 : 2),
        b->u->unknown_type);
}

struct ts_value ts_subscript(struct ts_body *b, TSNode e) {
    TSNode list = ts_field(e, "indices");
    if (ts_node_is_null(list) || ts_node_named_child_count(list) != 1)
        return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    TSNode at = ts_node_named_child(list, 0);
    struct ts_value whole = ts_expr(b, ts_field(e, "argument")), base = as_scalar(b, whole, ts_field(e, "argument"));
    struct ts_value index = ts_scalar_of(b, at);
    uint64_t extent = whole.type->form == TS_FORM_ARRAY && whole.type->count > 1 ? ts_size(whole.type) : 0;
    if (base.type->form == TS_FORM_RECORD && base.is_place)
        return user_subscript(b, base, index, at);
    if (base.type->form == TS_FORM_SCALAR && index.type->form == TS_FORM_POINTER) { /* 3[p] */
        struct ts_value swapped = base;
        base = index;
        index = swapped;
    }
    if (base.type->form == TS_FORM_POINTER && base.type->of && cw_ref_type(b->fn, base.ref) == CW_PTR)
        return element(b, base, index, extent);
    if (!b->fn->is_pattern)
        ts_degrade(b, CW_BAIL_UNKNOWN_TYPE);
    cw_ref refs[2] = {base.ref, index.ref};
    uint32_t n = base.ref.tag == CW_REF_NONE ? 0 : index.ref.tag == CW_REF_NONE ? 1 : 2;
    return ts_place_of(cw_emit_opaque(b->at, CW_PTR, ts_why(b, CW_BAIL_UNKNOWN_TYPE), refs, n), b->u->unknown_type);
}

/* ---- the rest ---- */

static struct ts_value unsupported(struct ts_body *b, TSNode e) {
    bool is_broken = ts_node_has_error(e);
    ts_degrade(b, is_broken ? CW_BAIL_BROKEN_CODE : CW_BAIL_UNSUPPORTED_EXPR);
    if (is_broken)
        cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, CW_VOID, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0, b->at.loc);
    return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
}

static struct ts_value comma(struct ts_body *b, TSNode e) {
    TSNode left = ts_field(e, "left"), right = ts_field(e, "right");
    if (ts_node_is_null(left) || ts_node_is_null(right))
        return unsupported(b, e);
    ts_expr(b, left);
    return ts_expr(b, right);
}

/* `({ …; value; })` */
static struct ts_value statement_expression(struct ts_body *b, TSNode compound) {
    uint32_t n = ts_node_named_child_count(compound), locals = b->locals.n;
    struct ts_value v = ts_rvalue_of(CW_NONE, b->u->void_type);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_named_child(compound, i);
        if (i + 1 == n && ts_is(b->u, child, TS_EXPRESSION_STATEMENT) && ts_node_named_child_count(child))
            v = ts_scalar_of(b, ts_node_named_child(child, 0));
        else
            ts_stmt(b, child);
    }
    b->locals.n = locals;
    return v;
}

static struct ts_value paren(struct ts_body *b, TSNode e) {
    if (ts_node_named_child_count(e) < 1)
        return unsupported(b, e);
    TSNode inner = ts_node_named_child(e, 0);
    return ts_is(b->u, inner, TS_COMPOUND) ? statement_expression(b, inner) : ts_expr(b, inner);
}

/* `float4{1, 2, 3, 4}`, `T{}` */
static struct ts_value literal(struct ts_body *b, TSNode e) {
    const struct ts_type *t = ts_type_node(&b->s, ts_field(e, "type"));
    if (t->form == TS_FORM_UNKNOWN && !t->size && !b->fn->is_pattern)
        ts_degrade(b, CW_BAIL_UNKNOWN_TYPE);
    cw_ref at = ts_temp(b, t, "temporary");
    ts_init(b, ts_field(e, "value"), at, t);
    return ts_place_of(at, t);
}

static struct ts_value assembly(struct ts_body *b, TSNode e) {
    ts_asm(b, e);
    return ts_rvalue_of(CW_NONE, b->u->void_type);
}

static struct ts_value call(struct ts_body *b, TSNode e) {
    return ts_call(b, e, CW_NONE);
}

/* A type's name where a value is expected: what the grammar took `sizeof(T)` and template arguments for. */
static struct ts_value wrapped_type(struct ts_body *b, TSNode e) {
    TSNode inner = ts_field(e, "type");
    return ts_node_is_null(inner) ? unsupported(b, e) : ts_expr(b, inner);
}

typedef struct ts_value (*expr_fn)(struct ts_body *, TSNode);

static const expr_fn lower[TS_NKINDS] = {
    [TS_NUMBER] = number,
    [TS_CHAR] = character,
    [TS_STRING] = string,
    [TS_STRINGS] = string,
    [TS_RAW_STRING] = string,
    [TS_TRUE] = constant,
    [TS_FALSE] = constant,
    [TS_NULLPTR] = null_pointer,
    [TS_THIS] = this_value,
    [TS_IDENTIFIER] = name,
    [TS_QUALIFIED] = name,
    [TS_TYPE_IDENTIFIER] = name,
    [TS_TEMPLATE_FUNCTION] = name,
    [TS_FIELD_IDENTIFIER] = name,
    [TS_FIELD] = ts_member,
    [TS_SUBSCRIPT] = ts_subscript,
    [TS_POINTER] = ts_pointer,
    [TS_UNARY] = ts_unary,
    [TS_UPDATE] = ts_update,
    [TS_ASSIGN] = ts_assign,
    [TS_BINARY] = ts_binary,
    [TS_FOLD] = ts_fold,
    [TS_CONDITIONAL] = ts_conditional,
    [TS_CAST] = ts_cast,
    [TS_SIZEOF] = size_of,
    [TS_ALIGNOF] = size_of,
    [TS_COMMA] = comma,
    [TS_CALL] = call,
    [TS_PAREN] = paren,
    [TS_LAMBDA] = ts_lambda,
    [TS_COMPOUND_LITERAL] = literal,
    [TS_ASM] = assembly,
    [TS_TYPE_DESCRIPTOR] = wrapped_type,
    [TS_PRIMITIVE] = unsupported,
};

/* The grammar gave up inside: whatever it made of the rest is not what was written. */
static bool is_broken(const struct ts_unit *u, TSNode e) {
    if (!ts_node_has_error(e) || ts_is(u, e, TS_LAMBDA))
        return false;
    uint32_t n = ts_node_child_count(e);
    for (uint32_t i = 0; i < n; i++)
        if (ts_is(u, ts_node_child(e, i), TS_ERROR))
            return true;
    return false;
}

static struct ts_value broken(struct ts_body *b, TSNode e) {
    ts_broken(b, e);
    return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0);
}

struct ts_value ts_expr(struct ts_body *b, TSNode e) {
    enum ts_kind k = ts_kind(b->u, e);
    uint32_t outer = b->at.loc;
    if (ts_node_is_null(e))
        return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0);
    if (b->depth >= TS_MAX_DEPTH || b->fn->ins.n > TS_MAX_INS || b->u->steps++ > TS_MAX_STEPS) {
        ts_degrade(b, CW_BAIL_TOO_LARGE);
        return ts_unknown(b, b->u->unknown_type, CW_BAIL_TOO_LARGE, NULL, 0);
    }
    b->depth++;
    b->at.loc = ts_loc(b, e);
    struct ts_value v = is_broken(b->u, e) ? broken(b, e) : lower[k] ? lower[k](b, e) : unsupported(b, e);
    b->at.loc = outer;
    b->depth--;
    return v;
}

/* The value of an evaluated expression `e`: what its place holds, or an array's address. */
static struct ts_value as_scalar(struct ts_body *b, struct ts_value v, TSNode e) {
    if (!v.is_place)
        return v;
    uint32_t outer = b->at.loc;
    for (int i = 0; i < 64 && ts_is(b->u, e, TS_PAREN) && ts_node_named_child_count(e) == 1; i++)
        e = ts_node_named_child(e, 0);
    b->at.loc = ts_loc(b, e);
    v = ts_rvalue(b, v);
    b->at.loc = outer;
    return v;
}

struct ts_value ts_scalar_of(struct ts_body *b, TSNode e) {
    return as_scalar(b, ts_expr(b, e), e);
}

/* ---- types without values ---- */

static const struct ts_type *infer(struct ts_scope *s, TSNode e, int depth);

static const struct ts_type *infer_name(struct ts_scope *s, TSNode e) {
    const char *text = ts_name(s->u, e);
    const struct ts_local *l = s->body ? ts_find_local(s->body, text) : NULL;
    const struct ts_binding *p = ts_find_binding(s->env, text);
    const struct ts_field *f;
    uint64_t offset;
    if (l)
        return l->type;
    if (p)
        return p->type;
    return s->record && ts_find_field(s->u, s->record, text, &f, &offset) ? ts_plain(f->type) : NULL;
}

static const struct ts_type *infer_field(struct ts_scope *s, TSNode e, int depth) {
    const struct ts_type *t = infer(s, ts_field(e, "argument"), depth);
    const struct ts_field *f;
    uint64_t offset;
    if (t && t->form == TS_FORM_POINTER)
        t = t->of;
    const char *field = ts_name(s->u, ts_last_name(s->u, ts_field(e, "field")));
    return t && t->form == TS_FORM_RECORD && ts_find_field(s->u, t->record, field, &f, &offset) ? ts_plain(f->type)
                                                                                                : NULL;
}

static const struct ts_type *infer_element(struct ts_scope *s, TSNode e, int depth) {
    const struct ts_type *t = infer(s, ts_field(e, "argument"), depth);
    return t && (t->form == TS_FORM_POINTER || t->form == TS_FORM_ARRAY) ? t->of : NULL;
}

static const struct ts_type *infer(struct ts_scope *s, TSNode e, int depth) {
    if (depth > 40)
        return NULL;
    switch (ts_kind(s->u, e)) {
    case TS_IDENTIFIER: return infer_name(s, e);
    case TS_FIELD: return infer_field(s, e, depth + 1);
    case TS_SUBSCRIPT: return infer_element(s, e, depth + 1);
    case TS_POINTER:
        return cw_str_starts(ts_text(s->u, e), "*") ? infer_element(s, e, depth + 1) : NULL;
    case TS_PAREN: return ts_node_named_child_count(e) == 1 ? infer(s, ts_node_named_child(e, 0), depth + 1) : NULL;
    case TS_CAST: return ts_plain(ts_type_node(s, ts_field(e, "type")));
    case TS_TRUE:
    case TS_FALSE: return ts_scalar(s->u, CW_I1, false);
    default: return NULL;
    }
}

const struct ts_type *ts_infer(struct ts_scope *s, TSNode e) {
    const struct ts_type *t = infer(s, e, 0);
    return t ? ts_plain(t) : NULL;
}

/* What cannot be inferred is lowered where no control reaches it. */
const struct ts_type *ts_type_of_expr(struct ts_scope *s, TSNode e) {
    const struct ts_type *t = infer(s, e, 0);
    struct ts_body *b = s->body;
    if (t || !b || ts_is(s->u, e, TS_LAMBDA))
        return t ? ts_plain(t) : NULL;
    if (ts_is(s->u, e, TS_IDENTIFIER) && !ts_symbols(s->u, ts_name(s->u, e)))
        return ts_named_type(s, e);
    uint32_t block = b->at.block, bails[CW_NBAILS];
    bool was_degraded = b->is_degraded;
    memcpy(bails, b->fn->bails, sizeof bails);
    b->at.block = ts_block(b);
    struct ts_value v = ts_expr(b, e);
    b->at.block = block;
    b->is_degraded = was_degraded;
    memcpy(b->fn->bails, bails, sizeof bails);
    return v.type;
}
