/* Operators: arithmetic, comparison, assignment, ++ and --, ?:, casts, and branches. */
#include "front/ts/lower.h"

#include <string.h>

static const struct ts_type *int_type(struct ts_body *body) {
    return ts_scalar(body->u, CW_I32, true);
}

static const struct ts_type *bool_type(struct ts_body *body) {
    return ts_scalar(body->u, CW_I1, false);
}

bool ts_arith_of(const char *op, enum cw_arith *out) {
    static const struct {
        const char *text;
        enum cw_arith arith;
    } rows[] = {{"+", CW_ARITH_ADD},      {"-", CW_ARITH_SUB},    {"*", CW_ARITH_MUL},   {"/", CW_ARITH_DIV},
                {"%", CW_ARITH_REM},      {"&", CW_ARITH_AND},    {"|", CW_ARITH_OR},    {"^", CW_ARITH_XOR},
                {"<<", CW_ARITH_SHL},     {">>", CW_ARITH_SHR},   {"==", CW_ARITH_EQ},   {"!=", CW_ARITH_NE},
                {"<", CW_ARITH_LT},       {"<=", CW_ARITH_LE},    {">", CW_ARITH_GT},    {">=", CW_ARITH_GE},
                {"bitand", CW_ARITH_AND}, {"bitor", CW_ARITH_OR}, {"xor", CW_ARITH_XOR}, {"not_eq", CW_ARITH_NE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(op, rows[i].text) == 0) {
            *out = rows[i].arith;
            return true;
        }
    return false;
}

/* ---- types of results ---- */

const struct ts_type *ts_promoted(struct ts_unit *unit, const struct ts_type *type) {
    if (type->form == TS_FORM_SCALAR && cw_type_is_int(type->kind.type) && cw_type_bits(type->kind.type) < 32)
        return ts_scalar(unit, CW_I32, true);
    return type;
}

/* The usual arithmetic conversions. */
const struct ts_type *ts_common(struct ts_unit *unit, const struct ts_type *type, const struct ts_type *other) {
    if (type->form != TS_FORM_SCALAR || other->form != TS_FORM_SCALAR)
        return type->form == TS_FORM_SCALAR ? other : type;
    if (cw_type_is_float(type->kind.type) || cw_type_is_float(other->kind.type)) {
        if (!cw_type_is_float(other->kind.type))
            return type;
        if (!cw_type_is_float(type->kind.type))
            return other;
        return type->kind.type > other->kind.type ? type : other;
    }
    type = ts_promoted(unit, type);
    other = ts_promoted(unit, other);
    unsigned x = cw_type_bits(type->kind.type), y = cw_type_bits(other->kind.type);
    if (x != y)
        return ts_scalar(unit, x > y ? type->kind.type : other->kind.type,
                         x > y ? type->kind.is_signed : other->kind.is_signed);
    return ts_scalar(unit, type->kind.type, type->kind.is_signed && other->kind.is_signed);
}

/* ---- values ---- */

static cw_ref as_pointer(struct ts_body *body, cw_ref ref) {
    if (cw_ref_type(body->fn, ref) == CW_PTR)
        return ref;
    ts_degrade(body, CW_BAIL_BROKEN_CODE);
    return cw_emit_opaque(body->at, CW_PTR, ts_why(body, CW_BAIL_BROKEN_CODE), &ref, ref.tag != CW_REF_NONE);
}

struct ts_value ts_rvalue(struct ts_body *body, struct ts_value value) {
    if (!value.is_place)
        return value;
    if (value.type->form == TS_FORM_ARRAY)
        return ts_rvalue_of(value.ref, ts_pointer_to(body->u, value.type->of));
    if (value.type->form == TS_FORM_RECORD || value.type->form == TS_FORM_CLOSURE)
        return value;
    if (value.early.tag != CW_REF_NONE)
        return ts_rvalue_of(value.early, value.type);
    if (value.is_bit_field)
        return ts_unknown(body, value.type, CW_BAIL_UNION_OR_BITFIELD, &value.ref, 1);
    return ts_rvalue_of(ts_load(body, value.ref, value.type), value.type);
}

cw_ref ts_address(struct ts_body *body, struct ts_value value) {
    if (value.is_place)
        ts_closure_refer(body, value.ref, value.type);
    if (value.is_place)
        return as_pointer(body, value.ref);
    if (value.type->form == TS_FORM_VOID || value.ref.tag == CW_REF_NONE)
        return cw_fn_const(body->fn, CW_PTR, 0);
    cw_ref at = ts_temp(body, value.type, "temporary");
    ts_store(body, value.ref, at, value.type);
    return at;
}

/* Pointers between base and derived class move by the base's offset. */
static cw_ref convert_pointer(struct ts_body *body, cw_ref ref, const struct ts_type *from, const struct ts_type *to) {
    uint64_t offset;
    if (from->form != TS_FORM_POINTER || to->form != TS_FORM_POINTER || from->of->form != TS_FORM_RECORD ||
        to->of->form != TS_FORM_RECORD || from->of->record == to->of->record)
        return ref;
    if (ts_is_base_of(body->u, to->of->record, from->of->record, &offset))
        return cw_at_offset(body->at, ref, offset);
    return ref;
}

/* The class's own `operator T()` for the type, or for a reference to it. Of a const and another one, the object's. */
static struct ts_function *conversion_to(struct ts_body *body, struct ts_record *home, const struct ts_type *to,
                                         bool is_const) {
    const char *name = cw_intern(&body->u->module->names, TS_CONVERSION);
    struct ts_scope s = {.u = body->u, .env = home->env, .record = home, .cls = home->cls};
    struct ts_function *found = NULL;
    for (uint32_t i = 0; i < home->cls->members.n; i++) {
        struct ts_symbol *y = home->cls->members.at[i];
        struct ts_function *f = y->kind == TS_SYM_FUNCTION && y->name == name ? y->function : NULL;
        if (!f || !ts_node_is_null(f->tmpl) || !ts_type_same(ts_plain(ts_result_type(&s, f)), to))
            continue;
        bool fits = ts_has_word(body->u, f->declarator, "const") == is_const;
        found = !found || fits ? f : found;
    }
    return found;
}

static bool convert_by_user(struct ts_body *body, struct ts_value value, const struct ts_type *to,
                            struct ts_value *out) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_arguments none = {0};
    if (value.type->form != TS_FORM_RECORD || !value.is_place || body->depth >= TS_MAX_DEPTH ||
        !ts_find_member(body->u, value.type->record, cw_intern(&body->u->module->names, TS_CONVERSION), &home, &offset))
        return false;
    struct ts_function *f = conversion_to(body, home, to, value.type->is_const);
    if (f)
        *out = ts_call_function(body, f, NULL, home, cw_at_offset(body->at, value.ref, offset), &none, CW_NONE);
    return f && !ts_is_object(out->type);
}

cw_ref ts_convert(struct ts_body *body, struct ts_value value, const struct ts_type *to) {
    value = ts_rvalue(body, value);
    struct ts_value made;
    if (convert_by_user(body, value, to, &made))
        value = ts_rvalue(body, made);
    if (value.ref.tag == CW_REF_NONE || to->form == TS_FORM_VOID)
        return value.ref;
    if (to->form == TS_FORM_REFERENCE)
        return ts_address(body, value);
    if (value.is_place && value.type->form != TS_FORM_CLOSURE) { /* a class where a scalar is wanted */
        struct ts_leaves leaves = ts_leaves_of(body->u, value.type);
        bool is_plain = value.type->form != TS_FORM_RECORD || !value.type->record->cls->members.n;
        if (leaves.is_split && leaves.n == 1 && is_plain)
            value = ts_rvalue_of(ts_load(body, value.ref, leaves.at[0].type), leaves.at[0].type);
        else
            return cw_emit_opaque(body->at, to->kind.type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &value.ref, 1);
    }
    if (to->form == TS_FORM_UNKNOWN && value.type->form == TS_FORM_UNKNOWN)
        return value.ref;
    if (to->kind.type == CW_PTR && value.type->kind.type == CW_PTR)
        return convert_pointer(body, value.ref, value.type, to);
    struct cw_kind from = {cw_ref_type(body->fn, value.ref), value.type->kind.is_signed}, kind = to->kind;
    if (kind.type == CW_GROUP || from.type == CW_GROUP)
        return kind.type == from.type ? value.ref
                                      : cw_emit_opaque(body->at, kind.type, CW_BAIL_UNSUPPORTED_EXPR, &value.ref, 1);
    return cw_convert(body->at, value.ref, from, kind);
}

cw_ref ts_number_of(struct ts_body *body, TSNode node, const struct ts_type *type) {
    cw_ref v = ts_convert(body, ts_scalar_of(body, node), type);
    bool is_it = v.tag != CW_REF_NONE && cw_ref_type(body->fn, v) == type->kind.type;
    return is_it ? v : cw_emit_opaque(body->at, type->kind.type, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0);
}

/* ---- arithmetic ---- */

static struct ts_value advance_pointer(struct ts_body *body, struct ts_value pointer, struct ts_value value,
                                       bool back) {
    uint64_t size = pointer.type->of->form == TS_FORM_VOID ? 1 : ts_size(pointer.type->of);
    struct cw_kind k = {cw_ref_type(body->fn, value.ref), value.type->kind.is_signed};
    if (!size || !cw_type_is_int(k.type)) {
        cw_ref scaled = cw_emit_pure(body->at, CW_I64, back ? "-scaled" : "scaled", &value.ref, 1);
        return ts_rvalue_of(cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, pointer.ref, scaled), pointer.type);
    }
    int64_t step = back ? -(int64_t)size : (int64_t)size;
    return ts_rvalue_of(cw_pointer_add(body->at, pointer.ref, value.ref, k, step), pointer.type);
}

static struct ts_value subtract_pointers(struct ts_body *body, struct ts_value value, struct ts_value other) {
    uint64_t size = value.type->of->form == TS_FORM_VOID ? 1 : ts_size(value.type->of);
    const struct ts_type *t = ts_scalar(body->u, CW_I64, true);
    cw_ref args[2] = {value.ref, other.ref};
    if (!size)
        return ts_rvalue_of(cw_emit_pure(body->at, CW_I64, "distance", args, 2), t);
    cw_ref bytes = cw_emit2(body->at, CW_OP_SUB, CW_I64, 0, cw_emit1(body->at, CW_OP_PTRTOINT, CW_I64, 0, value.ref),
                            cw_emit1(body->at, CW_OP_PTRTOINT, CW_I64, 0, other.ref));
    if (size == 1)
        return ts_rvalue_of(bytes, t);
    return ts_rvalue_of(cw_emit2(body->at, CW_OP_SDIV, CW_I64, 0, bytes, cw_fn_const(body->fn, CW_I64, (int64_t)size)),
                        t);
}

/* Operands of unknown type: the result depends on them, and on nothing else. */
static struct ts_value combine_unknown(struct ts_body *body, enum cw_arith op, struct ts_value value,
                                       struct ts_value other) {
    cw_ref args[2];
    uint32_t n = 0;
    if (value.ref.tag != CW_REF_NONE)
        args[n++] = value.ref;
    if (other.ref.tag != CW_REF_NONE)
        args[n++] = other.ref;
    bool compares = cw_arith_is_compare(op);
    const struct ts_type *t = compares                                           ? bool_type(body)
                              : value.type->form == TS_FORM_UNKNOWN || !other.type->size ? value.type
                                                                                 : other.type;
    if (t->form == TS_FORM_VOID || ts_is_object(t))
        t = body->u->unknown_type;
    if (n < 2 || value.is_place || other.is_place)
        return ts_unknown(body, t, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), args, n);
    return ts_rvalue_of(cw_emit_pure(body->at, compares ? CW_I1 : t->kind.type, "mixed", args, n), t);
}

static bool is_pointer(const struct ts_type *type) {
    return type->form == TS_FORM_POINTER && type->of;
}

static struct ts_value compare_pointers(struct ts_body *body, enum cw_arith op, struct ts_value value,
                                        struct ts_value other) {
    const struct ts_type *t = is_pointer(value.type) ? value.type : other.type;
    cw_ref p = ts_convert(body, value, t), q = ts_convert(body, other, t);
    return ts_rvalue_of(cw_arith(body->at, op, t->kind, t->kind, p, q), bool_type(body));
}

struct ts_value ts_arith(struct ts_body *body, enum cw_arith op, struct ts_value value, struct ts_value other) {
    bool is_shift = op == CW_ARITH_SHL || op == CW_ARITH_SHR;
    if (op == CW_ARITH_SUB && is_pointer(value.type) && is_pointer(other.type))
        return subtract_pointers(body, value, other);
    if ((op == CW_ARITH_ADD || op == CW_ARITH_SUB) && is_pointer(value.type) && other.ref.tag != CW_REF_NONE)
        return advance_pointer(body, value, other, op == CW_ARITH_SUB);
    if (op == CW_ARITH_ADD && is_pointer(other.type) && value.ref.tag != CW_REF_NONE)
        return advance_pointer(body, other, value, false);
    if (cw_arith_is_compare(op) && (is_pointer(value.type) || is_pointer(other.type)) &&
        (is_pointer(value.type) || value.type->form == TS_FORM_SCALAR) &&
        (is_pointer(other.type) || other.type->form == TS_FORM_SCALAR))
        return compare_pointers(body, op, value, other);
    if (value.type->form != TS_FORM_SCALAR || other.type->form != TS_FORM_SCALAR)
        return combine_unknown(body, op, value, other);
    const struct ts_type *t = is_shift ? ts_promoted(body->u, value.type) : ts_common(body->u, value.type, other.type);
    cw_ref p = ts_convert(body, value, t),
           q = is_shift ? ts_convert(body, other, ts_promoted(body->u, other.type)) : ts_convert(body, other, t);
    cw_ref v = cw_arith(body->at, op, t->kind, is_shift ? ts_promoted(body->u, other.type)->kind : t->kind, p, q);
    return ts_rvalue_of(v, cw_arith_is_compare(op) ? bool_type(body) : t);
}

/* `(T)-x`, `(T)*p`, `(T)&x`: the grammar reads the type's name as an operand. */
static bool is_cast(struct ts_body *body, TSNode node, const char *op, const struct ts_type **to) {
    TSNode left = ts_field(node, "left");
    if (!ts_is(body->u, left, TS_PAREN) || ts_node_named_child_count(left) != 1 || !strchr("-+*&", op[0]) || op[1])
        return false;
    TSNode name = ts_node_named_child(left, 0);
    struct ts_value ignored;
    enum ts_kind k = ts_kind(body->u, name);
    if ((k != TS_IDENTIFIER && k != TS_QUALIFIED) || ts_find_local(body, ts_name(body->u, name)))
        return false;
    (void)ignored;
    *to = ts_named_type(&body->s, name);
    return *to != NULL;
}

static struct ts_value cast_of_unary(struct ts_body *body, TSNode node, char op, const struct ts_type *to) {
    struct ts_value v = ts_expr(body, ts_field(node, "right"));
    if (op == '*') {
        v = ts_rvalue(body, v);
        v = ts_place_of(as_pointer(body, v.ref), is_pointer(v.type) ? v.type->of : body->u->unknown_type);
    } else if (op == '&') {
        v = ts_rvalue_of(ts_address(body, v), ts_pointer_to(body->u, v.type));
    } else if (op == '-') {
        v = ts_rvalue(body, v);
        const struct ts_type *t = ts_promoted(body->u, v.type);
        v = ts_rvalue_of(cw_arith_negate(body->at, t->kind, ts_convert(body, v, t)), t);
    }
    return ts_cast_to(body, v, to);
}

/* && and || as a value: a branch over a temporary. */
static struct ts_value lower_logical(struct ts_body *body, TSNode node, bool is_and) {
    uint32_t yes = cw_fn_add_block(body->fn), no = cw_fn_add_block(body->fn), done = cw_fn_add_block(body->fn);
    cw_ref at = ts_temp(body, bool_type(body), "condition");
    ts_cond(body, node, yes, no, is_and ? CW_FROM_AND : CW_FROM_OR);
    for (int i = 0; i < 2; i++) {
        body->at.block = i ? yes : no;
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(body->fn, CW_I1, i), at);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
    return ts_rvalue_of(cw_emit1(body->at, CW_OP_LOAD, CW_I1, 1, at), bool_type(body));
}

static bool is_and(const char *op) {
    return strcmp(op, "&&") == 0 || strcmp(op, "and") == 0;
}

static bool is_or(const char *op) {
    return strcmp(op, "||") == 0 || strcmp(op, "or") == 0;
}

/* A call of the user's `operator+`. */
static bool user_operator(struct ts_body *body, const char *op, struct ts_value value, struct ts_value other,
                          TSNode left, TSNode right, struct ts_value *out) {
    if (!ts_is_object(value.type) && !ts_is_object(other.type))
        return false;
    struct ts_value values[2] = {value, other};
    TSNode nodes[2] = {left, right};
    const char *name = cw_intern(&body->u->module->names, cw_arena_printf(&body->u->scratch, "operator%s", op));
    struct ts_record *home;
    uint64_t offset;
    struct ts_symbol *y_ = value.type->form == TS_FORM_RECORD && value.is_place
                               ? ts_find_member(body->u, value.type->record, name, &home, &offset) : NULL;
    if (y_ && y_->kind == TS_SYM_FUNCTION && !ts_has_word(body->u, y_->function->node, "default")) {
        struct ts_arguments args = {values + 1, nodes + 1, 1};
        *out =
            ts_call_function(body, y_->function, home->env, home, cw_at_offset(body->at, value.ref, offset), &args,
                             CW_NONE);
        return true;
    }
    struct ts_arguments args = {values, nodes, 2};
    struct ts_function *f = ts_choose(body, ts_symbols(body->u, name), &args, false);
    if (f)
        *out = ts_call_function(body, f, NULL, NULL, CW_NONE, &args, CW_NONE);
    return f != NULL;
}

struct ts_value ts_binary(struct ts_body *body, TSNode node) {
    char op[16];
    enum cw_arith arith;
    const struct ts_type *to;
    struct ts_value made;
    TSNode left = ts_field(node, "left"), right = ts_field(node, "right");
    ts_operator(body->u, ts_field(node, "operator"), op, sizeof op);
    if (is_and(op) || is_or(op))
        return lower_logical(body, node, is_and(op));
    if (is_cast(body, node, op, &to))
        return cast_of_unary(body, node, op[0], to);
    struct ts_value x = ts_scalar_of(body, left), y = ts_scalar_of(body, right);
    if (user_operator(body, op, x, y, left, right, &made))
        return made;
    if (!ts_arith_of(op, &arith) || x.ref.tag == CW_REF_NONE || y.ref.tag == CW_REF_NONE)
        return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    return ts_arith(body, arith, x, y);
}

/* ---- folds over packs: (args + ...), (... && args), (0 + ... + args) ---- */

struct fold {
    char op[16];
    TSNode pattern, init; /* init: null */
    uint32_t n;           /* elements */
    bool is_right, has_init;
};

static bool read_fold(struct ts_body *body, TSNode node, struct fold *fold) {
    TSNode left = ts_field(node, "left"), right = ts_field(node, "right");
    bool is_left = cw_str_is(ts_text(body->u, left), "..."), is_right = cw_str_is(ts_text(body->u, right), "...");
    ts_operator(body->u, ts_field(node, "operator"), fold->op, sizeof fold->op);
    fold->has_init = !is_left && !is_right;
    fold->is_right = is_right || (fold->has_init && ts_pack_length(&body->s, left) >= 0);
    fold->pattern = fold->is_right ? left : right;
    fold->init = fold->has_init ? (fold->is_right ? right : left) : ts_none();
    int64_t n = ts_pack_length(&body->s, fold->pattern);
    fold->n = n > 0 ? (uint32_t)n : 0;
    return n >= 0;
}

/* Operand k in the order of the text, the initial value among them. The scope stays with it until it is put back. */
static TSNode fold_operand(struct ts_body *body, const struct fold *fold, uint32_t k) {
    if (fold->has_init && k == (fold->is_right ? fold->n : 0))
        return fold->init;
    ts_pick(&body->s, fold->pattern, k - (fold->has_init && !fold->is_right));
    return fold->pattern;
}

static struct ts_value fold_logical(struct ts_body *body, const struct fold *fold, uint32_t total, bool and) {
    uint32_t stop = cw_fn_add_block(body->fn), done = cw_fn_add_block(body->fn), locals = body->locals.n;
    const struct ts_env *env = body->s.env;
    cw_ref at = ts_temp(body, bool_type(body), "condition");
    for (uint32_t k = 0; k < total; k++) {
        uint32_t go = cw_fn_add_block(body->fn);
        TSNode e = fold_operand(body, fold, k);
        ts_cond(body, e, and ? go : stop, and ? stop : go, and ? CW_FROM_AND : CW_FROM_OR);
        body->s.env = env;
        body->locals.n = locals;
        body->at.block = go;
    }
    for (int i = 0; i < 2; i++) {
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(body->fn, CW_I1, i ? !and : and), at);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
        body->at.block = i ? done : stop;
    }
    return ts_rvalue_of(cw_emit1(body->at, CW_OP_LOAD, CW_I1, 1, at), bool_type(body));
}

static struct ts_value fold_two(struct ts_body *body, const char *op, struct ts_value value, struct ts_value other,
                                TSNode node) {
    enum cw_arith arith;
    struct ts_value made;
    if (user_operator(body, op, value, other, node, node, &made))
        return made;
    if (!ts_arith_of(op, &arith) || value.ref.tag == CW_REF_NONE || other.ref.tag == CW_REF_NONE) {
        ts_degrade(body, CW_BAIL_UNSUPPORTED_EXPR);
        return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    return ts_arith(body, arith, value, other);
}

static struct ts_value fold_values(struct ts_body *body, const struct fold *fold, uint32_t total, TSNode e) {
    struct ts_value v[TS_MAX_ELEMENTS + 1];
    const struct ts_env *env = body->s.env;
    uint32_t locals = body->locals.n;
    bool is_comma = strcmp(fold->op, ",") == 0;
    for (uint32_t k = 0; k < total; k++) {
        TSNode node = fold_operand(body, fold, k);
        v[k] = is_comma ? ts_expr(body, node) : ts_scalar_of(body, node);
        body->s.env = env;
        body->locals.n = locals;
    }
    if (is_comma || total == 1)
        return v[total - 1];
    struct ts_value sum = fold->is_right ? v[total - 1] : v[0];
    for (uint32_t k = 1; k < total; k++)
        sum = fold->is_right ? fold_two(body, fold->op, v[total - 1 - k], sum, e)
                             : fold_two(body, fold->op, sum, v[k], e);
    return sum;
}

struct ts_value ts_fold(struct ts_body *body, TSNode node) {
    struct fold f;
    if (!read_fold(body, node, &f)) {
        ts_degrade(body, CW_BAIL_UNSUPPORTED_EXPR);
        return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    uint32_t total = f.n + f.has_init;
    if (is_and(f.op) || is_or(f.op))
        return fold_logical(body, &f, total, is_and(f.op));
    if (!total) /* only a comma may have none */
        return ts_rvalue_of(CW_NONE, body->u->void_type);
    return fold_values(body, &f, total, node);
}

struct ts_value ts_unary(struct ts_body *body, TSNode node) {
    cw_str op = ts_text(body->u, ts_field(node, "operator"));
    struct ts_value v = ts_scalar_of(body, ts_field(node, "argument"));
    if (!op.n || v.ref.tag == CW_REF_NONE)
        return ts_unknown(body, v.type, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0);
    if (ts_is_object(v.type))
        return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &v.ref, 1);
    if (op.at[0] == '!' || cw_str_is(op, "not")) {
        cw_ref i1 = ts_convert(body, v, bool_type(body));
        return ts_rvalue_of(cw_arith_not(body->at, i1), bool_type(body));
    }
    const struct ts_type *t = ts_promoted(body->u, v.type);
    cw_ref r = ts_convert(body, v, t);
    if (op.at[0] == '-')
        return ts_rvalue_of(cw_arith_negate(body->at, t->kind, r), t);
    if (op.at[0] == '~' || op.at[0] == 'c')
        return ts_rvalue_of(cw_arith_invert(body->at, t->kind, r), t);
    return ts_rvalue_of(r, t);
}

/* `*p` and `&x` */
struct ts_value ts_pointer(struct ts_body *body, TSNode node) {
    TSNode operand = ts_field(node, "argument");
    if (cw_str_starts(ts_text(body->u, node), "&")) {
        struct ts_value v = ts_glvalue(body, operand);
        if (v.function)
            return v;
        return ts_rvalue_of(ts_address(body, v), ts_pointer_to(body->u, v.type));
    }
    struct ts_value v = ts_scalar_of(body, operand);
    if (v.function || v.type->form == TS_FORM_GROUP)
        return v;
    return ts_place_of(as_pointer(body, v.ref), is_pointer(v.type) ? v.type->of : body->u->unknown_type);
}

/* ---- assignment ---- */

static TSNode without_parens(struct ts_body *body, TSNode node) {
    for (int i = 0; i < 64 && ts_is(body->u, node, TS_PAREN) && ts_node_named_child_count(node) == 1; i++)
        node = ts_node_named_child(node, 0);
    return node;
}

static void put_value(struct ts_body *body, TSNode place, struct ts_value at, cw_ref value) {
    uint32_t outer = body->at.loc;
    body->at.loc = ts_loc(body, without_parens(body, place));
    if (at.is_bit_field)
        value =
            cw_emit_opaque(body->at, at.type->kind.type, CW_BAIL_UNION_OR_BITFIELD, &value, value.tag != CW_REF_NONE);
    if (value.tag != CW_REF_NONE)
        ts_store(body, value, at.ref, at.type);
    body->at.loc = outer;
}

static struct ts_value get_value(struct ts_body *body, TSNode place, struct ts_value at) {
    uint32_t outer = body->at.loc;
    body->at.loc = ts_loc(body, without_parens(body, place));
    struct ts_value v = ts_rvalue(body, at);
    body->at.loc = outer;
    return v;
}

static struct ts_value as_place(struct ts_body *body, struct ts_value value) {
    return value.is_place ? value : ts_place_of(ts_address(body, value), value.type);
}

static struct ts_value assign_object(struct ts_body *body, TSNode left, TSNode right) {
    struct ts_value from = ts_expr(body, right), to = as_place(body, ts_glvalue(body, left)), made;
    if (user_operator(body, "=", to, from, left, right, &made))
        return made;
    if (from.is_place && ts_is_object(from.type))
        ts_copy(body, to.ref, from.ref, to.type);
    else
        cw_at_clobber(body->at, &body->u->scratch, to.ref, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &from.ref,
                      from.ref.tag != CW_REF_NONE);
    return to;
}

static bool is_record_place(struct ts_body *body, TSNode left) {
    const struct ts_type *t = ts_type_of_expr(&body->s, left);
    return t && ts_plain(t)->form == TS_FORM_RECORD;
}

static struct ts_value assign_list(struct ts_body *body, TSNode left, TSNode list) {
    struct ts_value at = as_place(body, ts_expr(body, left));
    ts_init(body, list, at.ref, at.type);
    return at;
}

static struct ts_value assign_plain(struct ts_body *body, TSNode left, TSNode right) {
    if (ts_is(body->u, right, TS_INITIALIZER_LIST))
        return assign_list(body, left, right);
    if (is_record_place(body, left))
        return assign_object(body, left, right);
    struct ts_value v = ts_scalar_of(body, right), at = as_place(body, ts_glvalue(body, left));
    if (ts_is_object(at.type)) {
        cw_at_clobber(body->at, &body->u->scratch, at.ref, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &v.ref,
                      v.ref.tag != CW_REF_NONE);
        return at;
    }
    cw_ref value = at.type->form == TS_FORM_UNKNOWN && !at.type->size ? v.ref : ts_convert(body, v, at.type);
    if (cw_ref_type(body->fn, value) != at.type->kind.type && value.tag != CW_REF_NONE &&
        at.type->form == TS_FORM_UNKNOWN)
        value = cw_emit_pure(body->at, CW_AGG, "convert", &value, 1);
    put_value(body, left, at, value);
    return at;
}

static bool compound_by_user(struct ts_body *body, const char *op, TSNode left, TSNode right, struct ts_value *out) {
    if (!is_record_place(body, left))
        return false;
    struct ts_value y = ts_scalar_of(body, right), x = as_place(body, ts_expr(body, left));
    if (!user_operator(body, op, x, y, left, right, out)) {
        ts_degrade(body, CW_BAIL_UNSUPPORTED_EXPR);
        cw_at_clobber(body->at, &body->u->scratch, x.ref, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &y.ref,
                      y.ref.tag != CW_REF_NONE);
    }
    *out = x;
    return true;
}

struct ts_value ts_assign(struct ts_body *body, TSNode node) {
    char op[16];
    enum cw_arith arith;
    struct ts_value made;
    TSNode left = ts_field(node, "left"), right = ts_field(node, "right");
    uint32_t n = ts_operator(body->u, ts_field(node, "operator"), op, sizeof op);
    if (n <= 1)
        return assign_plain(body, left, right);
    if (compound_by_user(body, op, left, right, &made))
        return made;
    op[n - 1] = '\0';
    struct ts_value y = ts_scalar_of(body, right), at = as_place(body, ts_glvalue(body, left));
    struct ts_value old = get_value(body, left, at), v = old;
    if (ts_arith_of(op, &arith) && y.ref.tag != CW_REF_NONE)
        v = ts_arith(body, arith, old, y);
    else
        v = ts_unknown(body, at.type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &old.ref, 1);
    put_value(body, left, at, at.type->form == TS_FORM_UNKNOWN ? v.ref : ts_convert(body, v, at.type));
    return at;
}

struct ts_value ts_update(struct ts_body *body, TSNode node) {
    TSNode operand = ts_field(node, "argument");
    cw_str op = ts_text(body->u, ts_field(node, "operator"));
    bool is_prefix = ts_node_start_byte(operand) > ts_node_start_byte(node), is_inc = op.n && op.at[0] == '+';
    struct ts_value at = as_place(body, ts_expr(body, operand)), old = get_value(body, operand, at), one, v;
    if (ts_is_object(at.type)) {
        ts_degrade(body, CW_BAIL_UNSUPPORTED_EXPR);
        cw_at_clobber(body->at, &body->u->scratch, at.ref, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
        return ts_unknown(body, at.type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &at.ref, 1);
    }
    one = ts_rvalue_of(cw_fn_const(body->fn, CW_I32, 1), int_type(body));
    v = ts_arith(body, is_inc ? CW_ARITH_ADD : CW_ARITH_SUB, old, one);
    put_value(body, operand, at, at.type->form == TS_FORM_UNKNOWN ? v.ref : ts_convert(body, v, at.type));
    return is_prefix ? at : old;
}

/* ---- ?: ---- */

static const struct ts_type *common_type(struct ts_body *body, const struct ts_value *value) {
    const struct ts_type *x = value[0].type, *y = value[1].type;
    if (x->form == TS_FORM_VOID || y->form == TS_FORM_VOID)
        return body->u->void_type;
    if (ts_is_object(x) || ts_type_same(x, y))
        return x;
    if (is_pointer(x) || is_pointer(y))
        return is_pointer(x) && (x->of->form != TS_FORM_VOID || !is_pointer(y)) ? x : y;
    return ts_common(body->u, x, y);
}

static void store_arm(struct ts_body *body, struct ts_value value, cw_ref at, const struct ts_type *type) {
    if (value.ref.tag == CW_REF_NONE)
        return;
    if (ts_is_object(type)) {
        if (value.is_place)
            ts_copy(body, at, value.ref, type);
        return;
    }
    ts_store(body, ts_convert(body, value, type), at, type);
}

/* Each arm in its own block: a collective there is conditional. */
struct ts_value ts_conditional(struct ts_body *body, TSNode node) {
    static const char *const arms[] = {"consequence", "alternative"};
    uint32_t block[2] = {cw_fn_add_block(body->fn), cw_fn_add_block(body->fn)}, end[2],
             done = cw_fn_add_block(body->fn);
    struct ts_value v[2];
    ts_cond(body, ts_field(node, "condition"), block[0], block[1], CW_FROM_CONDITIONAL);
    for (int i = 0; i < 2; i++) {
        body->at.block = block[i];
        TSNode arm = ts_field(node, arms[i]);
        v[i] = ts_node_is_null(arm) ? ts_rvalue_of(CW_NONE, body->u->void_type) : ts_scalar_of(body, arm);
        end[i] = body->at.block;
    }
    const struct ts_type *t = common_type(body, v);
    cw_ref at = t->form == TS_FORM_VOID ? CW_NONE : ts_temp(body, t, "value");
    for (int i = 0; i < 2; i++) {
        body->at.block = end[i];
        if (at.tag != CW_REF_NONE)
            store_arm(body, v[i], at, t);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
    if (at.tag == CW_REF_NONE)
        return ts_rvalue_of(CW_NONE, t);
    return ts_is_object(t) ? ts_place_of(at, t) : ts_rvalue_of(ts_load(body, at, t), t);
}

/* `int &r = c ? x : y`, `(c ? x : y) = 1`: the arms are places of one type. */
struct ts_value ts_glvalue(struct ts_body *body, TSNode node) {
    static const char *const arms[] = {"consequence", "alternative"};
    node = without_parens(body, node);
    const struct ts_type *t[2] = {NULL, NULL};
    for (int i = 0; i < 2 && ts_is(body->u, node, TS_CONDITIONAL); i++)
        t[i] = ts_infer(&body->s, ts_field(node, arms[i]));
    if (!t[0] || !t[1] || !ts_type_same(t[0], t[1]))
        return ts_expr(body, node);
    const struct ts_type *pointer = ts_pointer_to(body->u, t[0]);
    cw_ref at = ts_temp(body, pointer, "place");
    uint32_t block[2] = {cw_fn_add_block(body->fn), cw_fn_add_block(body->fn)}, done = cw_fn_add_block(body->fn);
    ts_cond(body, ts_field(node, "condition"), block[0], block[1], CW_FROM_CONDITIONAL);
    for (int i = 0; i < 2; i++) {
        body->at.block = block[i];
        ts_store(body, ts_address(body, ts_glvalue(body, ts_field(node, arms[i]))), at, pointer);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
    return ts_place_of(ts_load(body, at, pointer), t[0]);
}

/* ---- branches ---- */

static void cond_value(struct ts_body *body, TSNode node, uint32_t yes, uint32_t no, enum cw_origin origin) {
    uint32_t loc = ts_loc(body, node);
    struct ts_value v = ts_scalar_of(body, node);
    cw_ref r = v.ref;
    if (v.ref.tag == CW_REF_NONE || ts_is_object(v.type))
        r = cw_emit_opaque(body->at, CW_I1, ts_why(body, CW_BAIL_BROKEN_CODE), &v.ref, v.ref.tag != CW_REF_NONE);
    else
        r = cw_convert(body->at, v.ref, (struct cw_kind){cw_ref_type(body->fn, v.ref), v.type->kind.is_signed},
                       (struct cw_kind){CW_I1, false});
    if (cw_at_is_open(body->at))
        cw_fn_branch(body->fn, body->at.block, r, yes, no, loc, origin);
}

void ts_cond(struct ts_body *body, TSNode node, uint32_t yes, uint32_t no, enum cw_origin origin) {
    char op[16] = "";
    node = without_parens(body, node);
    if (ts_is(body->u, node, TS_BINARY))
        ts_operator(body->u, ts_field(node, "operator"), op, sizeof op);
    cw_str unary = ts_is(body->u, node, TS_UNARY) ? ts_text(body->u, ts_field(node, "operator")) : CW_STR("");
    if (body->depth >= TS_MAX_DEPTH) {
        cond_value(body, node, yes, no, origin);
        return;
    }
    body->depth++;
    if (is_and(op) || is_or(op)) {
        bool both = is_and(op);
        uint32_t right = cw_fn_add_block(body->fn);
        ts_cond(body, ts_field(node, "left"), both ? right : yes, both ? no : right, both ? CW_FROM_AND : CW_FROM_OR);
        body->at.block = right;
        ts_cond(body, ts_field(node, "right"), yes, no, origin);
    } else if (cw_str_is(unary, "!") || cw_str_is(unary, "not")) {
        ts_cond(body, ts_field(node, "argument"), no, yes, origin);
    } else {
        cond_value(body, node, yes, no, origin);
    }
    body->depth--;
}

/* ---- casts ---- */

struct ts_value ts_cast_to(struct ts_body *body, struct ts_value value, const struct ts_type *to) {
    if (to->form == TS_FORM_VOID)
        return ts_rvalue_of(CW_NONE, to);
    if (to->form == TS_FORM_REFERENCE)
        return ts_place_of(ts_address(body, value), to->of);
    if (ts_is_object(to)) {
        if (value.is_place && ts_type_same(value.type, to))
            return value;
        return ts_unknown(body, to, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &value.ref, value.ref.tag != CW_REF_NONE);
    }
    cw_ref r = ts_convert(body, value, to);
    return r.tag == CW_REF_NONE ? ts_unknown(body, to, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0)
                                : ts_rvalue_of(r, to);
}

struct ts_value ts_cast(struct ts_body *body, TSNode node) {
    const struct ts_type *to = ts_type_node(&body->s, ts_field(node, "type"));
    return ts_cast_to(body, ts_expr(body, ts_field(node, "value")), to);
}
