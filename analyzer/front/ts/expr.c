/* Expressions: literals, names, members, elements; who lowers the rest. */
#include "front/ts/lower.h"

#include <string.h>

/* ---- literals ---- */

static struct ts_value lower_number(struct ts_body *body, TSNode node) {
    int64_t value = 0, bits;
    double real = 0;
    struct cw_kind k = {CW_I32, true};
    cw_str text = ts_text(body->u, node);
    bool is_negative = cw_str_starts(text, "-"), has_sign = is_negative || cw_str_starts(text, "+");
    if (has_sign) /* the grammar's numbers may have one */
        text = cw_str_trim((cw_str){text.at + 1, text.n - 1});
    if (!ts_number(text, &value, &k, &real))
        return ts_unknown(body, ts_scalar(body->u, CW_I32, true), CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    memcpy(&bits, &real, sizeof bits);
    cw_ref r = cw_fn_const(body->fn, k.type, cw_type_is_float(k.type) ? bits : value);
    return ts_rvalue_of(is_negative ? cw_arith_negate(body->at, k, r) : r, ts_scalar(body->u, k.type, k.is_signed));
}

static struct ts_value lower_character(struct ts_body *body, TSNode node) {
    int64_t value;
    const struct ts_type *t = ts_scalar(body->u, CW_I8, true);
    if (!ts_eval(&body->s, node, &value))
        return ts_unknown(body, t, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    return ts_rvalue_of(cw_fn_const(body->fn, CW_I8, value), t);
}

/* A string: constant memory that every use of the same text shares. */
static struct ts_value lower_string(struct ts_body *body, TSNode node) {
    const char *text = ts_name(body->u, node);
    const struct ts_type *t = ts_array_of(body->u, ts_scalar(body->u, CW_I8, true), (int64_t)strlen(text) - 1);
    const char *key = cw_intern(&body->u->module->names, cw_arena_printf(&body->u->scratch, "string:%s", text));
    return ts_place_of(cw_fn_add_object(body->fn, (struct cw_object){.name = text,
                                                                     .key = key,
                                                                     .space = CW_SPACE_CONSTANT,
                                                                     .size = t->size,
                                                                     .align = 1,
                                                                     .element = 1,
                                                                     .loc = body->at.loc,
                                                                     .type_text = "const char[]"}),
                       t);
}

static struct ts_value lower_constant(struct ts_body *body, TSNode node) {
    bool is_true = ts_is(body->u, node, TS_TRUE);
    return ts_rvalue_of(cw_fn_const(body->fn, CW_I1, is_true), ts_scalar(body->u, CW_I1, false));
}

static struct ts_value null_pointer(struct ts_body *body, TSNode node) {
    (void)node;
    return ts_rvalue_of(cw_fn_const(body->fn, CW_PTR, 0), ts_pointer_to(body->u, body->u->void_type));
}

static struct ts_value this_value(struct ts_body *body, TSNode node) {
    (void)node;
    if (body->this_ptr.tag == CW_REF_NONE || !body->s.record)
        return ts_unknown(body, ts_pointer_to(body->u, body->u->unknown_type), CW_BAIL_UNRESOLVED_NAME, NULL, 0);
    return ts_rvalue_of(body->this_ptr, ts_pointer_to(body->u, ts_record_type(body->u, body->s.record)));
}

static struct ts_value size_of(struct ts_body *body, TSNode node) {
    int64_t value;
    const struct ts_type *t = ts_scalar(body->u, CW_I64, false);
    if (ts_eval(&body->s, node, &value))
        return ts_rvalue_of(cw_fn_const(body->fn, CW_I64, value), t);
    return ts_rvalue_of(cw_emit_pure(body->at, CW_I64, ts_name(body->u, node), NULL, 0), t);
}

/* ---- names ---- */

static struct ts_value lower_name(struct ts_body *body, TSNode node) {
    struct ts_value v;
    if (ts_name_value(body, node, &v))
        return v;
    if (cw_str_is(ts_text(body->u, node), "__null"))
        return null_pointer(body, node);
    const char *qualified = ts_qualified_name(&body->s, node);
    if (ts_is_api_scope(qualified)) /* an enumerator or constant of the API: the same everywhere */
        return ts_rvalue_of(cw_emit_pure(body->at, CW_I32, qualified, NULL, 0), ts_scalar(body->u, CW_I32, true));
    ts_degrade(body, CW_BAIL_UNRESOLVED_NAME);
    return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNRESOLVED_NAME), NULL, 0);
}

/* ---- members ---- */

static struct ts_value field_of(struct ts_body *body, struct ts_value object, TSNode node) {
    const struct ts_field *f;
    struct ts_record *home;
    uint64_t offset;
    const char *field = ts_name(body->u, ts_last_name(body->u, ts_field(node, "field")));
    if (ts_find_field(body->u, object.type->record, field, &f, &offset)) {
        struct ts_value v = ts_place_of(cw_at_offset(body->at, object.ref, offset), f->type);
        if (object.type->is_volatile || object.type->is_const)
            v.type = ts_qualified(body->u, f->type, object.type->is_const, object.type->is_volatile);
        v.is_bit_field = f->is_bit_field;
        if (f->type->form == TS_FORM_REFERENCE)
            v = ts_place_of(cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, v.ref), f->type->of);
        return v;
    }
    int64_t value;
    struct ts_symbol *y = ts_find_member(body->u, object.type->record, field, &home, &offset);
    struct ts_scope at = {.u = body->u, .env = home->env, .record = home, .cls = home->cls};
    if (y && y->kind != TS_SYM_FUNCTION && ts_eval(&at, ts_field(node, "field"), &value))
        return ts_rvalue_of(cw_fn_const(body->fn, CW_I32, value), ts_scalar(body->u, CW_I32, true));
    ts_degrade(body, CW_BAIL_UNRESOLVED_NAME);
    return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNRESOLVED_NAME), &object.ref, 1);
}

/* A member of an object whose class is not known: a place in the object, at a distance that only the name tells. */
static cw_ref somewhere_in(struct ts_body *body, cw_ref object, cw_str member) {
    ts_bail(body, ts_why(body, CW_BAIL_UNKNOWN_TYPE));
    const char *offset = cw_arena_printf(&body->u->scratch, "offset of %.*s", (int)member.n, member.at);
    return cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, object, cw_emit_pure(body->at, CW_I64, offset, NULL, 0));
}

/* What `.` or `->` is applied to, as the place of an object. */
struct ts_value ts_object_of(struct ts_body *body, TSNode node) {
    bool is_arrow = cw_str_is(ts_text(body->u, ts_field(node, "operator")), "->");
    struct ts_value v = ts_expr(body, ts_field(node, "argument"));
    if (is_arrow) {
        v = ts_rvalue(body, v);
        if (v.type->form != TS_FORM_POINTER || cw_ref_type(body->fn, v.ref) != CW_PTR)
            return v;
        return ts_place_of(v.ref, v.type->of);
    }
    return v;
}

struct ts_value ts_member(struct ts_body *body, TSNode node) {
    cw_ref value;
    if (ts_sreg(body, node, &value))
        return ts_rvalue_of(value, ts_scalar(body->u, CW_I32, false));
    struct ts_value v = ts_object_of(body, node);
    if (v.type->form == TS_FORM_RECORD && v.is_place)
        return field_of(body, v, node);
    bool has_address = v.is_place && v.ref.tag != CW_REF_NONE;
    if (!body->fn->is_pattern)
        ts_degrade(body, CW_BAIL_UNKNOWN_TYPE);
    if (has_address)
        return ts_place_of(somewhere_in(body, v.ref, ts_text(body->u, ts_field(node, "field"))), body->u->unknown_type);
    return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNKNOWN_TYPE), &v.ref,
                      v.ref.tag != CW_REF_NONE);
}

/* ---- elements ---- */

static struct ts_value as_scalar(struct ts_body *b, struct ts_value v, TSNode e);

/* extent: bytes of the array that is indexed, 0 for pointers and for arrays of one element, the usual way to declare
 * one whose length is not known. */
static struct ts_value lower_element(struct ts_body *body, struct ts_value base, struct ts_value index,
                                     uint64_t extent) {
    const struct ts_type *of = base.type->of;
    uint64_t size = ts_size(of);
    struct cw_kind k = {cw_ref_type(body->fn, index.ref), index.type->kind.is_signed};
    if (index.ref.tag == CW_REF_NONE)
        return ts_place_of(cw_emit_opaque(body->at, CW_PTR, ts_why(body, CW_BAIL_BROKEN_CODE), &base.ref, 1), of);
    if (size && cw_type_is_int(k.type))
        return ts_place_of(cw_array_element(body->at, base.ref, index.ref, k, (int64_t)size, extent), of);
    ts_bail(body, CW_BAIL_UNKNOWN_TYPE);
    cw_ref scaled = cw_emit_pure(body->at, CW_I64, "scaled", &index.ref, 1);
    return ts_place_of(cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, base.ref, scaled), of);
}

static struct ts_value user_subscript(struct ts_body *body, struct ts_value object, struct ts_value index, TSNode at) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_symbol *y =
        ts_find_member(body->u, object.type->record, cw_intern(&body->u->module->names, "operator[]"), &home, &offset);
    if (y && y->kind == TS_SYM_FUNCTION) {
        struct ts_arguments args = {&index, &at, 1};
        return ts_call_function(body, y->function, home->env, home, cw_at_offset(body->at, object.ref, offset), &args,
                                CW_NONE);
    }
    ts_degrade(body, CW_BAIL_UNKNOWN_TYPE);
    cw_ref refs[2] = {object.ref, index.ref};
    return ts_place_of(cw_emit_opaque(body->at, CW_PTR, ts_why(body, CW_BAIL_UNKNOWN_TYPE), refs,
                                      index.ref.tag == CW_REF_NONE ? 1 : 2),
                       body->u->unknown_type);
}

struct ts_value ts_subscript(struct ts_body *body, TSNode node) {
    TSNode list = ts_field(node, "indices");
    if (ts_node_is_null(list) || ts_node_named_child_count(list) != 1)
        return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    TSNode at = ts_node_named_child(list, 0);
    struct ts_value whole = ts_expr(body, ts_field(node, "argument")),
                    base = as_scalar(body, whole, ts_field(node, "argument"));
    struct ts_value index = ts_scalar_of(body, at);
    uint64_t extent = whole.type->form == TS_FORM_ARRAY && whole.type->count > 1 ? ts_size(whole.type) : 0;
    if (base.type->form == TS_FORM_RECORD && base.is_place)
        return user_subscript(body, base, index, at);
    if (base.type->form == TS_FORM_SCALAR && index.type->form == TS_FORM_POINTER) { /* 3[p] */
        struct ts_value swapped = base;
        base = index;
        index = swapped;
    }
    if (base.type->form == TS_FORM_POINTER && base.type->of && cw_ref_type(body->fn, base.ref) == CW_PTR)
        return lower_element(body, base, index, extent);
    if (!body->fn->is_pattern)
        ts_degrade(body, CW_BAIL_UNKNOWN_TYPE);
    cw_ref refs[2] = {base.ref, index.ref};
    uint32_t n = base.ref.tag == CW_REF_NONE ? 0 : index.ref.tag == CW_REF_NONE ? 1 : 2;
    return ts_place_of(cw_emit_opaque(body->at, CW_PTR, ts_why(body, CW_BAIL_UNKNOWN_TYPE), refs, n),
                       body->u->unknown_type);
}

/* ---- the rest ---- */

static struct ts_value lower_unsupported(struct ts_body *body, TSNode node) {
    bool is_broken = ts_node_has_error(node);
    ts_degrade(body, is_broken ? CW_BAIL_BROKEN_CODE : CW_BAIL_UNSUPPORTED_EXPR);
    if (is_broken)
        cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, CW_VOID, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0,
                   body->at.loc);
    return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
}

static struct ts_value lower_comma(struct ts_body *body, TSNode node) {
    TSNode left = ts_field(node, "left"), right = ts_field(node, "right");
    if (ts_node_is_null(left) || ts_node_is_null(right))
        return lower_unsupported(body, node);
    ts_expr(body, left);
    return ts_expr(body, right);
}

/* `({ …; value; })` */
static struct ts_value statement_expression(struct ts_body *body, TSNode compound) {
    uint32_t n = ts_node_named_child_count(compound), locals = body->locals.n;
    struct ts_value v = ts_rvalue_of(CW_NONE, body->u->void_type);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_named_child(compound, i);
        if (i + 1 == n && ts_is(body->u, child, TS_EXPRESSION_STATEMENT) && ts_node_named_child_count(child))
            v = ts_scalar_of(body, ts_node_named_child(child, 0));
        else
            ts_stmt(body, child);
    }
    body->locals.n = locals;
    return v;
}

static struct ts_value lower_paren(struct ts_body *body, TSNode node) {
    if (ts_node_named_child_count(node) < 1)
        return lower_unsupported(body, node);
    TSNode inner = ts_node_named_child(node, 0);
    return ts_is(body->u, inner, TS_COMPOUND) ? statement_expression(body, inner) : ts_expr(body, inner);
}

/* `float4{1, 2, 3, 4}`, `T{}` */
static struct ts_value lower_literal(struct ts_body *body, TSNode node) {
    const struct ts_type *t = ts_type_node(&body->s, ts_field(node, "type"));
    if (t->form == TS_FORM_UNKNOWN && !t->size && !body->fn->is_pattern)
        ts_degrade(body, CW_BAIL_UNKNOWN_TYPE);
    cw_ref at = ts_temp(body, t, "temporary");
    ts_init(body, ts_field(node, "value"), at, t);
    return ts_place_of(at, t);
}

static struct ts_value lower_asm(struct ts_body *body, TSNode node) {
    ts_asm(body, node);
    return ts_rvalue_of(CW_NONE, body->u->void_type);
}

static struct ts_value lower_call(struct ts_body *body, TSNode node) {
    return ts_call(body, node, CW_NONE);
}

/* A type's name where a value is expected: what the grammar took `sizeof(T)` and template arguments for. */
static struct ts_value wrapped_type(struct ts_body *body, TSNode node) {
    TSNode inner = ts_field(node, "type");
    return ts_node_is_null(inner) ? lower_unsupported(body, node) : ts_expr(body, inner);
}

typedef struct ts_value (*expr_fn)(struct ts_body *, TSNode);

static const expr_fn lower[TS_NKINDS] = {
    [TS_NUMBER] = lower_number,
    [TS_CHAR] = lower_character,
    [TS_STRING] = lower_string,
    [TS_STRINGS] = lower_string,
    [TS_RAW_STRING] = lower_string,
    [TS_TRUE] = lower_constant,
    [TS_FALSE] = lower_constant,
    [TS_NULLPTR] = null_pointer,
    [TS_THIS] = this_value,
    [TS_IDENTIFIER] = lower_name,
    [TS_QUALIFIED] = lower_name,
    [TS_TYPE_IDENTIFIER] = lower_name,
    [TS_TEMPLATE_FUNCTION] = lower_name,
    [TS_FIELD_IDENTIFIER] = lower_name,
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
    [TS_COMMA] = lower_comma,
    [TS_CALL] = lower_call,
    [TS_PAREN] = lower_paren,
    [TS_LAMBDA] = ts_lambda,
    [TS_COMPOUND_LITERAL] = lower_literal,
    [TS_ASM] = lower_asm,
    [TS_TYPE_DESCRIPTOR] = wrapped_type,
    [TS_PRIMITIVE] = lower_unsupported,
};

/* The grammar gave up inside: whatever it made of the rest is not what was written. */
static bool is_broken(const struct ts_unit *unit, TSNode node) {
    if (!ts_node_has_error(node) || ts_is(unit, node, TS_LAMBDA))
        return false;
    uint32_t n = ts_node_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        if (ts_is(unit, ts_node_child(node, i), TS_ERROR))
            return true;
    return false;
}

static struct ts_value lower_broken(struct ts_body *body, TSNode node) {
    ts_broken(body, node);
    return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0);
}

struct ts_value ts_expr(struct ts_body *body, TSNode node) {
    enum ts_kind k = ts_kind(body->u, node);
    uint32_t outer = body->at.loc;
    if (ts_node_is_null(node))
        return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0);
    if (body->depth >= TS_MAX_DEPTH || body->fn->ins.n > TS_MAX_INS || body->u->steps++ > TS_MAX_STEPS) {
        ts_degrade(body, CW_BAIL_TOO_LARGE);
        return ts_unknown(body, body->u->unknown_type, CW_BAIL_TOO_LARGE, NULL, 0);
    }
    body->depth++;
    body->at.loc = ts_loc(body, node);
    struct ts_value v = is_broken(body->u, node) ? lower_broken(body, node)
                        : lower[k]               ? lower[k](body, node)
                                                 : lower_unsupported(body, node);
    body->at.loc = outer;
    body->depth--;
    return v;
}

/* The value of an evaluated expression `node`: what its place holds, or an array's address. */
static struct ts_value as_scalar(struct ts_body *body, struct ts_value value, TSNode node) {
    if (!value.is_place)
        return value;
    uint32_t outer = body->at.loc;
    for (int i = 0; i < 64 && ts_is(body->u, node, TS_PAREN) && ts_node_named_child_count(node) == 1; i++)
        node = ts_node_named_child(node, 0);
    body->at.loc = ts_loc(body, node);
    value = ts_rvalue(body, value);
    body->at.loc = outer;
    return value;
}

struct ts_value ts_scalar_of(struct ts_body *body, TSNode node) {
    return as_scalar(body, ts_expr(body, node), node);
}

/* ---- types without values ---- */

static const struct ts_type *infer_type(struct ts_scope *s, TSNode e, int depth);

static const struct ts_type *infer_name(struct ts_scope *scope, TSNode node) {
    const char *text = ts_name(scope->u, node);
    const struct ts_local *l = scope->body ? ts_find_local(scope->body, text) : NULL;
    const struct ts_binding *p = ts_find_binding(scope->env, text);
    const struct ts_field *f;
    uint64_t offset;
    if (l)
        return l->type;
    if (p)
        return p->type;
    return scope->record && ts_find_field(scope->u, scope->record, text, &f, &offset) ? ts_plain(f->type) : NULL;
}

static const struct ts_type *infer_field(struct ts_scope *scope, TSNode node, int depth) {
    const struct ts_type *t = infer_type(scope, ts_field(node, "argument"), depth);
    const struct ts_field *f;
    uint64_t offset;
    if (t && t->form == TS_FORM_POINTER)
        t = t->of;
    const char *field = ts_name(scope->u, ts_last_name(scope->u, ts_field(node, "field")));
    return t && t->form == TS_FORM_RECORD && ts_find_field(scope->u, t->record, field, &f, &offset) ? ts_plain(f->type)
                                                                                                : NULL;
}

static const struct ts_type *infer_element(struct ts_scope *scope, TSNode node, int depth) {
    const struct ts_type *t = infer_type(scope, ts_field(node, "argument"), depth);
    return t && (t->form == TS_FORM_POINTER || t->form == TS_FORM_ARRAY) ? t->of : NULL;
}

static const struct ts_type *infer_type(struct ts_scope *scope, TSNode node, int depth) {
    if (depth > 40)
        return NULL;
    switch (ts_kind(scope->u, node)) {
    case TS_IDENTIFIER: return infer_name(scope, node);
    case TS_FIELD: return infer_field(scope, node, depth + 1);
    case TS_SUBSCRIPT: return infer_element(scope, node, depth + 1);
    case TS_POINTER:
        return cw_str_starts(ts_text(scope->u, node), "*") ? infer_element(scope, node, depth + 1) : NULL;
    case TS_PAREN:
        return ts_node_named_child_count(node) == 1 ? infer_type(scope, ts_node_named_child(node, 0), depth + 1) : NULL;
    case TS_CAST: return ts_plain(ts_type_node(scope, ts_field(node, "type")));
    case TS_TRUE:
    case TS_FALSE: return ts_scalar(scope->u, CW_I1, false);
    default: return NULL;
    }
}

const struct ts_type *ts_infer(struct ts_scope *scope, TSNode node) {
    const struct ts_type *t = infer_type(scope, node, 0);
    return t ? ts_plain(t) : NULL;
}

/* What cannot be inferred is lowered where no control reaches it. */
const struct ts_type *ts_type_of_expr(struct ts_scope *scope, TSNode node) {
    const struct ts_type *t = infer_type(scope, node, 0);
    struct ts_body *b = scope->body;
    if (t || !b || ts_is(scope->u, node, TS_LAMBDA))
        return t ? ts_plain(t) : NULL;
    if (ts_is(scope->u, node, TS_IDENTIFIER) && !ts_symbols(scope->u, ts_name(scope->u, node)))
        return ts_named_type(scope, node);
    uint32_t block = b->at.block, bails[CW_NBAILS];
    bool was_degraded = b->is_degraded;
    memcpy(bails, b->fn->bails, sizeof bails);
    b->at.block = cw_fn_add_block(b->fn);
    struct ts_value v = ts_expr(b, node);
    b->at.block = block;
    b->is_degraded = was_degraded;
    memcpy(b->fn->bails, bails, sizeof bails);
    return v.type;
}
