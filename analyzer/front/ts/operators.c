/* Operators: arithmetic, comparison, assignment, ++ and --, ?:, casts, and branches. */
#include "front/ts/lower.h"

#include <string.h>

static const struct ts_type *int_type(struct ts_body *b) {
    return ts_scalar(b->u, CW_I32, true);
}

static const struct ts_type *bool_type(struct ts_body *b) {
    return ts_scalar(b->u, CW_I1, false);
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

const struct ts_type *ts_promoted(struct ts_unit *u, const struct ts_type *t) {
    if (t->form == TS_FORM_SCALAR && cw_type_is_int(t->kind.type) && cw_type_bits(t->kind.type) < 32)
        return ts_scalar(u, CW_I32, true);
    return t;
}

/* The usual arithmetic conversions. */
const struct ts_type *ts_common(struct ts_unit *u, const struct ts_type *a, const struct ts_type *b) {
    if (a->form != TS_FORM_SCALAR || b->form != TS_FORM_SCALAR)
        return a->form == TS_FORM_SCALAR ? b : a;
    if (cw_type_is_float(a->kind.type) || cw_type_is_float(b->kind.type)) {
        if (!cw_type_is_float(b->kind.type))
            return a;
        if (!cw_type_is_float(a->kind.type))
            return b;
        return a->kind.type > b->kind.type ? a : b;
    }
    a = ts_promoted(u, a);
    b = ts_promoted(u, b);
    unsigned x = cw_type_bits(a->kind.type), y = cw_type_bits(b->kind.type);
    if (x != y)
        return ts_scalar(u, x > y ? a->kind.type : b->kind.type, x > y ? a->kind.is_signed : b->kind.is_signed);
    return ts_scalar(u, a->kind.type, a->kind.is_signed && b->kind.is_signed);
}

/* ---- values ---- */

static cw_ref as_pointer(struct ts_body *b, cw_ref v) {
    if (cw_ref_type(b->fn, v) == CW_PTR)
        return v;
    ts_degrade(b, CW_BAIL_BROKEN_CODE);
    return cw_emit_opaque(b->at, CW_PTR, ts_why(b, CW_BAIL_BROKEN_CODE), &v, v.tag != CW_REF_NONE);
}

struct ts_value ts_rvalue(struct ts_body *b, struct ts_value v) {
    if (!v.is_place)
        return v;
    if (v.type->form == TS_FORM_ARRAY)
        return ts_rvalue_of(v.ref, ts_pointer_to(b->u, v.type->of));
    if (v.type->form == TS_FORM_RECORD || v.type->form == TS_FORM_CLOSURE)
        return v;
    if (v.early.tag != CW_REF_NONE)
        return ts_rvalue_of(v.early, v.type);
    if (v.is_bit_field)
        return ts_unknown(b, v.type, CW_BAIL_UNION_OR_BITFIELD, &v.ref, 1);
    return ts_rvalue_of(ts_load(b, v.ref, v.type), v.type);
}

cw_ref ts_address(struct ts_body *b, struct ts_value v) {
    if (v.is_place)
        ts_closure_refer(b, v.ref, v.type);
    if (v.is_place)
        return as_pointer(b, v.ref);
    if (v.type->form == TS_FORM_VOID || v.ref.tag == CW_REF_NONE)
        return cw_fn_const(b->fn, CW_PTR, 0);
    cw_ref at = ts_temp(b, v.type, "temporary");
    ts_store(b, v.ref, at, v.type);
    return at;
}

/* Pointers between base and derived class move by the base's offset. */
static cw_ref convert_pointer(struct ts_body *b, cw_ref v, const struct ts_type *from, const struct ts_type *to) {
    uint64_t offset;
    if (from->form != TS_FORM_POINTER || to->form != TS_FORM_POINTER || from->of->form != TS_FORM_RECORD ||
        to->of->form != TS_FORM_RECORD || from->of->record == to->of->record)
        return v;
    if (ts_is_base_of(b->u, to->of->record, from->of->record, &offset))
        return ts_offset(b, v, offset);
    return v;
}

/* The class's own `operator T()` for the type, or for a reference to it. Of a const and another one, the object's. */
static struct ts_function *conversion_to(struct ts_body *b, struct ts_record *home, const struct ts_type *to,
                                         bool is_const) {
    const char *name = cw_intern(&b->u->module->names, TS_CONVERSION);
    struct ts_scope s = {.u = b->u, .env = home->env, .record = home, .cls = home->cls};
    struct ts_function *found = NULL;
    for (uint32_t i = 0; i < home->cls->members.n; i++) {
        struct ts_symbol *y = home->cls->members.at[i];
        struct ts_function *f = y->kind == TS_SYM_FUNCTION && y->name == name ? y->function : NULL;
        if (!f || !ts_node_is_null(f->tmpl) || !ts_type_same(ts_plain(ts_result_type(&s, f)), to))
            continue;
        bool fits = ts_has_word(b->u, f->declarator, "const") == is_const;
        found = !found || fits ? f : found;
    }
    return found;
}

static bool convert_by_user(struct ts_body *b, struct ts_value v, const struct ts_type *to, struct ts_value *out) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_arguments none = {0};
    if (v.type->form != TS_FORM_RECORD || !v.is_place || b->depth >= TS_MAX_DEPTH ||
        !ts_find_member(b->u, v.type->record, cw_intern(&b->u->module->names, TS_CONVERSION), &home, &offset))
        return false;
    struct ts_function *f = conversion_to(b, home, to, v.type->is_const);
    if (f)
        *out = ts_call_function(b, f, NULL, home, ts_offset(b, v.ref, offset), &none, CW_NONE);
    return f && !ts_is_object(out->type);
}

cw_ref ts_convert(struct ts_body *b, struct ts_value v, const struct ts_type *to) {
    v = ts_rvalue(b, v);
    struct ts_value made;
    if (convert_by_user(b, v, to, &made))
        v = ts_rvalue(b, made);
    if (v.ref.tag == CW_REF_NONE || to->form == TS_FORM_VOID)
        return v.ref;
    if (to->form == TS_FORM_REFERENCE)
        return ts_address(b, v);
    if (v.is_place && v.type->form != TS_FORM_CLOSURE) { /* a class where a scalar is wanted */
        struct ts_leaves leaves = ts_leaves_of(b->u, v.type);
        bool is_plain = v.type->form != TS_FORM_RECORD || !v.type->record->cls->members.n;
        if (leaves.is_split && leaves.n == 1 && is_plain)
            v = ts_rvalue_of(ts_load(b, v.ref, leaves.at[0].type), leaves.at[0].type);
        else
            return cw_emit_opaque(b->at, to->kind.type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &v.ref, 1);
    }
    if (to->form == TS_FORM_UNKNOWN && v.type->form == TS_FORM_UNKNOWN)
        return v.ref;
    if (to->kind.type == CW_PTR && v.type->kind.type == CW_PTR)
        return convert_pointer(b, v.ref, v.type, to);
    struct cw_kind from = {cw_ref_type(b->fn, v.ref), v.type->kind.is_signed}, kind = to->kind;
    if (kind.type == CW_GROUP || from.type == CW_GROUP)
        return kind.type == from.type ? v.ref : cw_emit_opaque(b->at, kind.type, CW_BAIL_UNSUPPORTED_EXPR, &v.ref, 1);
    return cw_convert(b->at, v.ref, from, kind);
}

cw_ref ts_number_of(struct ts_body *b, TSNode e, const struct ts_type *t) {
    cw_ref v = ts_convert(b, ts_scalar_of(b, e), t);
    bool is_it = v.tag != CW_REF_NONE && cw_ref_type(b->fn, v) == t->kind.type;
    return is_it ? v : cw_emit_opaque(b->at, t->kind.type, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0);
}

/* ---- arithmetic ---- */

static struct ts_value advance(struct ts_body *b, struct ts_value pointer, struct ts_value n, bool back) {
    uint64_t size = pointer.type->of->form == TS_FORM_VOID ? 1 : ts_size(pointer.type->of);
    struct cw_kind k = {cw_ref_type(b->fn, n.ref), n.type->kind.is_signed};
    if (!size || !cw_type_is_int(k.type)) {
        cw_ref scaled = cw_emit_pure(b->at, CW_I64, back ? "-scaled" : "scaled", &n.ref, 1);
        return ts_rvalue_of(cw_emit2(b->at, CW_OP_PTRADD, CW_PTR, 0, pointer.ref, scaled), pointer.type);
    }
    int64_t step = back ? -(int64_t)size : (int64_t)size;
    return ts_rvalue_of(cw_pointer_add(b->at, pointer.ref, n.ref, k, step), pointer.type);
}

static struct ts_value distance(struct ts_body *b, struct ts_value x, struct ts_value y) {
    uint64_t size = x.type->of->form == TS_FORM_VOID ? 1 : ts_size(x.type->of);
    const struct ts_type *t = ts_scalar(b->u, CW_I64, true);
    cw_ref args[2] = {x.ref, y.ref};
    if (!size)
        return ts_rvalue_of(cw_emit_pure(b->at, CW_I64, "distance", args, 2), t);
    cw_ref bytes = cw_emit2(b->at, CW_OP_SUB, CW_I64, 0, cw_emit1(b->at, CW_OP_PTRTOINT, CW_I64, 0, x.ref),
                            cw_emit1(b->at, CW_OP_PTRTOINT, CW_I64, 0, y.ref));
    if (size == 1)
        return ts_rvalue_of(bytes, t);
    return ts_rvalue_of(cw_emit2(b->at, CW_OP_SDIV, CW_I64, 0, bytes, cw_fn_const(b->fn, CW_I64, (int64_t)size)), t);
}

/* Operands of unknown type: the result depends on them, and on nothing else. */
static struct ts_value mixed(struct ts_body *b, enum cw_arith op, struct ts_value x, struct ts_value y) {
    cw_ref args[2];
    uint32_t n = 0;
    if (x.ref.tag != CW_REF_NONE)
        args[n++] = x.ref;
    if (y.ref.tag != CW_REF_NONE)
        args[n++] = y.ref;
    bool compares = cw_arith_is_compare(op);
    const struct ts_type *t = compares                                           ? bool_type(b)
                              : x.type->form == TS_FORM_UNKNOWN || !y.type->size ? x.type
                                                                                 : y.type;
    if (t->form == TS_FORM_VOID || ts_is_object(t))
        t = b->u->unknown_type;
    if (n < 2 || x.is_place || y.is_place)
        return ts_unknown(b, t, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), args, n);
    return ts_rvalue_of(cw_emit_pure(b->at, compares ? CW_I1 : t->kind.type, "mixed", args, n), t);
}

static bool is_pointer(const struct ts_type *t) {
    return t->form == TS_FORM_POINTER && t->of;
}

static struct ts_value compare_pointers(struct ts_body *b, enum cw_arith op, struct ts_value x, struct ts_value y) {
    const struct ts_type *t = is_pointer(x.type) ? x.type : y.type;
    cw_ref p = ts_convert(b, x, t), q = ts_convert(b, y, t);
    return ts_rvalue_of(cw_arith(b->at, op, t->kind, t->kind, p, q), bool_type(b));
}

struct ts_value ts_arith(struct ts_body *b, enum cw_arith op, struct ts_value x, struct ts_value y) {
    bool is_shift = op == CW_ARITH_SHL || op == CW_ARITH_SHR;
    if (op == CW_ARITH_SUB && is_pointer(x.type) && is_pointer(y.type))
        return distance(b, x, y);
    if ((op == CW_ARITH_ADD || op == CW_ARITH_SUB) && is_pointer(x.type) && y.ref.tag != CW_REF_NONE)
        return advance(b, x, y, op == CW_ARITH_SUB);
    if (op == CW_ARITH_ADD && is_pointer(y.type) && x.ref.tag != CW_REF_NONE)
        return advance(b, y, x, false);
    if (cw_arith_is_compare(op) && (is_pointer(x.type) || is_pointer(y.type)) &&
        (is_pointer(x.type) || x.type->form == TS_FORM_SCALAR) &&
        (is_pointer(y.type) || y.type->form == TS_FORM_SCALAR))
        return compare_pointers(b, op, x, y);
    if (x.type->form != TS_FORM_SCALAR || y.type->form != TS_FORM_SCALAR)
        return mixed(b, op, x, y);
    const struct ts_type *t = is_shift ? ts_promoted(b->u, x.type) : ts_common(b->u, x.type, y.type);
    cw_ref p = ts_convert(b, x, t), q = is_shift ? ts_convert(b, y, ts_promoted(b->u, y.type)) : ts_convert(b, y, t);
    cw_ref v = cw_arith(b->at, op, t->kind, is_shift ? ts_promoted(b->u, y.type)->kind : t->kind, p, q);
    return ts_rvalue_of(v, cw_arith_is_compare(op) ? bool_type(b) : t);
}

/* `(T)-x`, `(T)*p`, `(T)&x`: the grammar reads the type's name as an operand. */
static bool is_cast(struct ts_body *b, TSNode e, const char *op, const struct ts_type **to) {
    TSNode left = ts_field(e, "left");
    if (!ts_is(b->u, left, TS_PAREN) || ts_node_named_child_count(left) != 1 || !strchr("-+*&", op[0]) || op[1])
        return false;
    TSNode name = ts_node_named_child(left, 0);
    struct ts_value ignored;
    enum ts_kind k = ts_kind(b->u, name);
    if ((k != TS_IDENTIFIER && k != TS_QUALIFIED) || ts_find_local(b, ts_name(b->u, name)))
        return false;
    (void)ignored;
    *to = ts_named_type(&b->s, name);
    return *to != NULL;
}

static struct ts_value cast_of_unary(struct ts_body *b, TSNode e, char op, const struct ts_type *to) {
    struct ts_value v = ts_expr(b, ts_field(e, "right"));
    if (op == '*') {
        v = ts_rvalue(b, v);
        v = ts_place_of(as_pointer(b, v.ref), is_pointer(v.type) ? v.type->of : b->u->unknown_type);
    } else if (op == '&') {
        v = ts_rvalue_of(ts_address(b, v), ts_pointer_to(b->u, v.type));
    } else if (op == '-') {
        v = ts_rvalue(b, v);
        const struct ts_type *t = ts_promoted(b->u, v.type);
        v = ts_rvalue_of(cw_arith_negate(b->at, t->kind, ts_convert(b, v, t)), t);
    }
    return ts_cast_to(b, v, to);
}

/* && and || as a value: a branch over a temporary. */
static struct ts_value logical(struct ts_body *b, TSNode e, bool is_and) {
    uint32_t yes = ts_block(b), no = ts_block(b), done = ts_block(b);
    cw_ref at = ts_temp(b, bool_type(b), "condition");
    ts_cond(b, e, yes, no, is_and ? CW_FROM_AND : CW_FROM_OR);
    for (int i = 0; i < 2; i++) {
        b->at.block = i ? yes : no;
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(b->fn, CW_I1, i), at);
        ts_go(b, done, 0, CW_FROM_NONE);
    }
    b->at.block = done;
    return ts_rvalue_of(cw_emit1(b->at, CW_OP_LOAD, CW_I1, 1, at), bool_type(b));
}

static bool is_and(const char *op) {
    return strcmp(op, "&&") == 0 || strcmp(op, "and") == 0;
}

static bool is_or(const char *op) {
    return strcmp(op, "||") == 0 || strcmp(op, "or") == 0;
}

/* A call of the user's `operator+`. */
static bool user_operator(struct ts_body *b, const char *op, struct ts_value x, struct ts_value y, TSNode left,
                          TSNode right, struct ts_value *out) {
    if (!ts_is_object(x.type) && !ts_is_object(y.type))
        return false;
    struct ts_value values[2] = {x, y};
    TSNode nodes[2] = {left, right};
    const char *name = cw_intern(&b->u->module->names, cw_arena_printf(&b->u->scratch, "operator%s", op));
    struct ts_record *home;
    uint64_t offset;
    struct ts_symbol *y_ = x.type->form == TS_FORM_RECORD && x.is_place
                               ? ts_find_member(b->u, x.type->record, name, &home, &offset) : NULL;
    if (y_ && y_->kind == TS_SYM_FUNCTION && !ts_has_word(b->u, y_->function->node, "default")) {
        struct ts_arguments args = {values + 1, nodes + 1, 1};
        *out = ts_call_function(b, y_->function, home->env, home, ts_offset(b, x.ref, offset), &args, CW_NONE);
        return true;
    }
    struct ts_arguments args = {values, nodes, 2};
    struct ts_function *f = ts_choose(b, ts_symbols(b->u, name), &args, false);
    if (f)
        *out = ts_call_function(b, f, NULL, NULL, CW_NONE, &args, CW_NONE);
    return f != NULL;
}

struct ts_value ts_binary(struct ts_body *b, TSNode e) {
    char op[16];
    enum cw_arith arith;
    const struct ts_type *to;
    struct ts_value made;
    TSNode left = ts_field(e, "left"), right = ts_field(e, "right");
    ts_operator(b->u, ts_field(e, "operator"), op, sizeof op);
    if (is_and(op) || is_or(op))
        return logical(b, e, is_and(op));
    if (is_cast(b, e, op, &to))
        return cast_of_unary(b, e, op[0], to);
    struct ts_value x = ts_scalar_of(b, left), y = ts_scalar_of(b, right);
    if (user_operator(b, op, x, y, left, right, &made))
        return made;
    if (!ts_arith_of(op, &arith) || x.ref.tag == CW_REF_NONE || y.ref.tag == CW_REF_NONE)
        return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    return ts_arith(b, arith, x, y);
}

/* ---- folds over packs: (args + ...), (... && args), (0 + ... + args) ---- */

struct fold {
    char op[16];
    TSNode pattern, init; /* init: null */
    uint32_t n;           /* elements */
    bool is_right, has_init;
};

static bool read_fold(struct ts_body *b, TSNode e, struct fold *f) {
    TSNode left = ts_field(e, "left"), right = ts_field(e, "right");
    bool is_left = cw_str_is(ts_text(b->u, left), "..."), is_right = cw_str_is(ts_text(b->u, right), "...");
    ts_operator(b->u, ts_field(e, "operator"), f->op, sizeof f->op);
    f->has_init = !is_left && !is_right;
    f->is_right = is_right || (f->has_init && ts_pack_length(&b->s, left) >= 0);
    f->pattern = f->is_right ? left : right;
    f->init = f->has_init ? (f->is_right ? right : left) : ts_none();
    int64_t n = ts_pack_length(&b->s, f->pattern);
    f->n = n > 0 ? (uint32_t)n : 0;
    return n >= 0;
}

/* Operand k in the order of the text, the initial value among them. The scope stays with it until it is put back. */
static TSNode fold_operand(struct ts_body *b, const struct fold *f, uint32_t k) {
    if (f->has_init && k == (f->is_right ? f->n : 0))
        return f->init;
    ts_pick(&b->s, f->pattern, k - (f->has_init && !f->is_right));
    return f->pattern;
}

static struct ts_value fold_logical(struct ts_body *b, const struct fold *f, uint32_t total, bool and) {
    uint32_t stop = ts_block(b), done = ts_block(b), locals = b->locals.n;
    const struct ts_env *env = b->s.env;
    cw_ref at = ts_temp(b, bool_type(b), "condition");
    for (uint32_t k = 0; k < total; k++) {
        uint32_t go = ts_block(b);
        TSNode e = fold_operand(b, f, k);
        ts_cond(b, e, and ? go : stop, and ? stop : go, and ? CW_FROM_AND : CW_FROM_OR);
        b->s.env = env;
        b->locals.n = locals;
        b->at.block = go;
    }
    for (int i = 0; i < 2; i++) {
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(b->fn, CW_I1, i ? !and : and), at);
        ts_go(b, done, 0, CW_FROM_NONE);
        b->at.block = i ? done : stop;
    }
    return ts_rvalue_of(cw_emit1(b->at, CW_OP_LOAD, CW_I1, 1, at), bool_type(b));
}

static struct ts_value fold_two(struct ts_body *b, const char *op, struct ts_value x, struct ts_value y, TSNode e) {
    enum cw_arith arith;
    struct ts_value made;
    if (user_operator(b, op, x, y, e, e, &made))
        return made;
    if (!ts_arith_of(op, &arith) || x.ref.tag == CW_REF_NONE || y.ref.tag == CW_REF_NONE) {
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR);
        return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    return ts_arith(b, arith, x, y);
}

static struct ts_value fold_values(struct ts_body *b, const struct fold *f, uint32_t total, TSNode e) {
    struct ts_value v[TS_MAX_ELEMENTS + 1];
    const struct ts_env *env = b->s.env;
    uint32_t locals = b->locals.n;
    bool is_comma = strcmp(f->op, ",") == 0;
    for (uint32_t k = 0; k < total; k++) {
        TSNode node = fold_operand(b, f, k);
        v[k] = is_comma ? ts_expr(b, node) : ts_scalar_of(b, node);
        b->s.env = env;
        b->locals.n = locals;
    }
    if (is_comma || total == 1)
        return v[total - 1];
    struct ts_value sum = f->is_right ? v[total - 1] : v[0];
    for (uint32_t k = 1; k < total; k++)
        sum = f->is_right ? fold_two(b, f->op, v[total - 1 - k], sum, e) : fold_two(b, f->op, sum, v[k], e);
    return sum;
}

struct ts_value ts_fold(struct ts_body *b, TSNode e) {
    struct fold f;
    if (!read_fold(b, e, &f)) {
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR);
        return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    uint32_t total = f.n + f.has_init;
    if (is_and(f.op) || is_or(f.op))
        return fold_logical(b, &f, total, is_and(f.op));
    if (!total) /* only a comma may have none */
        return ts_rvalue_of(CW_NONE, b->u->void_type);
    return fold_values(b, &f, total, e);
}

struct ts_value ts_unary(struct ts_body *b, TSNode e) {
    cw_str op = ts_text(b->u, ts_field(e, "operator"));
    struct ts_value v = ts_scalar_of(b, ts_field(e, "argument"));
    if (!op.n || v.ref.tag == CW_REF_NONE)
        return ts_unknown(b, v.type, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0);
    if (ts_is_object(v.type))
        return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &v.ref, 1);
    if (op.at[0] == '!' || cw_str_is(op, "not")) {
        cw_ref i1 = ts_convert(b, v, bool_type(b));
        return ts_rvalue_of(cw_arith_not(b->at, i1), bool_type(b));
    }
    const struct ts_type *t = ts_promoted(b->u, v.type);
    cw_ref r = ts_convert(b, v, t);
    if (op.at[0] == '-')
        return ts_rvalue_of(cw_arith_negate(b->at, t->kind, r), t);
    if (op.at[0] == '~' || op.at[0] == 'c')
        return ts_rvalue_of(cw_arith_invert(b->at, t->kind, r), t);
    return ts_rvalue_of(r, t);
}

/* `*p` and `&x` */
struct ts_value ts_pointer(struct ts_body *b, TSNode e) {
    TSNode operand = ts_field(e, "argument");
    if (cw_str_starts(ts_text(b->u, e), "&")) {
        struct ts_value v = ts_glvalue(b, operand);
        if (v.function)
            return v;
        return ts_rvalue_of(ts_address(b, v), ts_pointer_to(b->u, v.type));
    }
    struct ts_value v = ts_scalar_of(b, operand);
    if (v.function || v.type->form == TS_FORM_GROUP)
        return v;
    return ts_place_of(as_pointer(b, v.ref), is_pointer(v.type) ? v.type->of : b->u->unknown_type);
}

/* ---- assignment ---- */

static TSNode without_parens(struct ts_body *b, TSNode e) {
    for (int i = 0; i < 64 && ts_is(b->u, e, TS_PAREN) && ts_node_named_child_count(e) == 1; i++)
        e = ts_node_named_child(e, 0);
    return e;
}

static void put(struct ts_body *b, TSNode place, struct ts_value at, cw_ref value) {
    uint32_t outer = b->at.loc;
    b->at.loc = ts_loc(b, without_parens(b, place));
    if (at.is_bit_field)
        value = cw_emit_opaque(b->at, at.type->kind.type, CW_BAIL_UNION_OR_BITFIELD, &value, value.tag != CW_REF_NONE);
    if (value.tag != CW_REF_NONE)
        ts_store(b, value, at.ref, at.type);
    b->at.loc = outer;
}

static struct ts_value get(struct ts_body *b, TSNode place, struct ts_value at) {
    uint32_t outer = b->at.loc;
    b->at.loc = ts_loc(b, without_parens(b, place));
    struct ts_value v = ts_rvalue(b, at);
    b->at.loc = outer;
    return v;
}

static struct ts_value as_place(struct ts_body *b, struct ts_value v) {
    return v.is_place ? v : ts_place_of(ts_address(b, v), v.type);
}

static struct ts_value assign_object(struct ts_body *b, TSNode left, TSNode right) {
    struct ts_value from = ts_expr(b, right), to = as_place(b, ts_glvalue(b, left)), made;
    if (user_operator(b, "=", to, from, left, right, &made))
        return made;
    if (from.is_place && ts_is_object(from.type))
        ts_copy(b, to.ref, from.ref, to.type);
    else
        ts_clobber(b, to.ref, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &from.ref, from.ref.tag != CW_REF_NONE);
    return to;
}

static bool is_record_place(struct ts_body *b, TSNode left) {
    const struct ts_type *t = ts_type_of_expr(&b->s, left);
    return t && ts_plain(t)->form == TS_FORM_RECORD;
}

static struct ts_value assign_list(struct ts_body *b, TSNode left, TSNode list) {
    struct ts_value at = as_place(b, ts_expr(b, left));
    ts_init(b, list, at.ref, at.type);
    return at;
}

static struct ts_value assign_plain(struct ts_body *b, TSNode left, TSNode right) {
    if (ts_is(b->u, right, TS_INITIALIZER_LIST))
        return assign_list(b, left, right);
    if (is_record_place(b, left))
        return assign_object(b, left, right);
    struct ts_value v = ts_scalar_of(b, right), at = as_place(b, ts_glvalue(b, left));
    if (ts_is_object(at.type)) {
        ts_clobber(b, at.ref, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &v.ref, v.ref.tag != CW_REF_NONE);
        return at;
    }
    cw_ref value = at.type->form == TS_FORM_UNKNOWN && !at.type->size ? v.ref : ts_convert(b, v, at.type);
    if (cw_ref_type(b->fn, value) != at.type->kind.type && value.tag != CW_REF_NONE && at.type->form == TS_FORM_UNKNOWN)
        value = cw_emit_pure(b->at, CW_AGG, "convert", &value, 1);
    put(b, left, at, value);
    return at;
}

static bool compound_by_user(struct ts_body *b, const char *op, TSNode left, TSNode right, struct ts_value *out) {
    if (!is_record_place(b, left))
        return false;
    struct ts_value y = ts_scalar_of(b, right), x = as_place(b, ts_expr(b, left));
    if (!user_operator(b, op, x, y, left, right, out)) {
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR);
        ts_clobber(b, x.ref, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &y.ref, y.ref.tag != CW_REF_NONE);
    }
    *out = x;
    return true;
}

struct ts_value ts_assign(struct ts_body *b, TSNode e) {
    char op[16];
    enum cw_arith arith;
    struct ts_value made;
    TSNode left = ts_field(e, "left"), right = ts_field(e, "right");
    uint32_t n = ts_operator(b->u, ts_field(e, "operator"), op, sizeof op);
    if (n <= 1)
        return assign_plain(b, left, right);
    if (compound_by_user(b, op, left, right, &made))
        return made;
    op[n - 1] = '\0';
    struct ts_value y = ts_scalar_of(b, right), at = as_place(b, ts_glvalue(b, left));
    struct ts_value old = get(b, left, at), v = old;
    if (ts_arith_of(op, &arith) && y.ref.tag != CW_REF_NONE)
        v = ts_arith(b, arith, old, y);
    else
        v = ts_unknown(b, at.type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &old.ref, 1);
    put(b, left, at, at.type->form == TS_FORM_UNKNOWN ? v.ref : ts_convert(b, v, at.type));
    return at;
}

struct ts_value ts_update(struct ts_body *b, TSNode e) {
    TSNode operand = ts_field(e, "argument");
    cw_str op = ts_text(b->u, ts_field(e, "operator"));
    bool is_prefix = ts_node_start_byte(operand) > ts_node_start_byte(e), is_inc = op.n && op.at[0] == '+';
    struct ts_value at = as_place(b, ts_expr(b, operand)), old = get(b, operand, at), one, v;
    if (ts_is_object(at.type)) {
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR);
        ts_clobber(b, at.ref, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
        return ts_unknown(b, at.type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &at.ref, 1);
    }
    one = ts_rvalue_of(cw_fn_const(b->fn, CW_I32, 1), int_type(b));
    v = ts_arith(b, is_inc ? CW_ARITH_ADD : CW_ARITH_SUB, old, one);
    put(b, operand, at, at.type->form == TS_FORM_UNKNOWN ? v.ref : ts_convert(b, v, at.type));
    return is_prefix ? at : old;
}

/* ---- ?: ---- */

static const struct ts_type *joined(struct ts_body *b, const struct ts_value *v) {
    const struct ts_type *x = v[0].type, *y = v[1].type;
    if (x->form == TS_FORM_VOID || y->form == TS_FORM_VOID)
        return b->u->void_type;
    if (ts_is_object(x) || ts_type_same(x, y))
        return x;
    if (is_pointer(x) || is_pointer(y))
        return is_pointer(x) && (x->of->form != TS_FORM_VOID || !is_pointer(y)) ? x : y;
    return ts_common(b->u, x, y);
}

static void store_arm(struct ts_body *b, struct ts_value v, cw_ref at, const struct ts_type *t) {
    if (v.ref.tag == CW_REF_NONE)
        return;
    if (ts_is_object(t)) {
        if (v.is_place)
            ts_copy(b, at, v.ref, t);
        return;
    }
    ts_store(b, ts_convert(b, v, t), at, t);
}

/* Each arm in its own block: a collective there is conditional. */
struct ts_value ts_conditional(struct ts_body *b, TSNode e) {
    static const char *const arms[] = {"consequence", "alternative"};
    uint32_t block[2] = {ts_block(b), ts_block(b)}, end[2], done = ts_block(b);
    struct ts_value v[2];
    ts_cond(b, ts_field(e, "condition"), block[0], block[1], CW_FROM_CONDITIONAL);
    for (int i = 0; i < 2; i++) {
        b->at.block = block[i];
        TSNode arm = ts_field(e, arms[i]);
        v[i] = ts_node_is_null(arm) ? ts_rvalue_of(CW_NONE, b->u->void_type) : ts_scalar_of(b, arm);
        end[i] = b->at.block;
    }
    const struct ts_type *t = joined(b, v);
    cw_ref at = t->form == TS_FORM_VOID ? CW_NONE : ts_temp(b, t, "value");
    for (int i = 0; i < 2; i++) {
        b->at.block = end[i];
        if (at.tag != CW_REF_NONE)
            store_arm(b, v[i], at, t);
        ts_go(b, done, 0, CW_FROM_NONE);
    }
    b->at.block = done;
    if (at.tag == CW_REF_NONE)
        return ts_rvalue_of(CW_NONE, t);
    return ts_is_object(t) ? ts_place_of(at, t) : ts_rvalue_of(ts_load(b, at, t), t);
}

/* `int &r = c ? x : y`, `(c ? x : y) = 1`: the arms are places of one type. */
struct ts_value ts_glvalue(struct ts_body *b, TSNode e) {
    static const char *const arms[] = {"consequence", "alternative"};
    e = without_parens(b, e);
    const struct ts_type *t[2] = {NULL, NULL};
    for (int i = 0; i < 2 && ts_is(b->u, e, TS_CONDITIONAL); i++)
        t[i] = ts_infer(&b->s, ts_field(e, arms[i]));
    if (!t[0] || !t[1] || !ts_type_same(t[0], t[1]))
        return ts_expr(b, e);
    const struct ts_type *pointer = ts_pointer_to(b->u, t[0]);
    cw_ref at = ts_temp(b, pointer, "place");
    uint32_t block[2] = {ts_block(b), ts_block(b)}, done = ts_block(b);
    ts_cond(b, ts_field(e, "condition"), block[0], block[1], CW_FROM_CONDITIONAL);
    for (int i = 0; i < 2; i++) {
        b->at.block = block[i];
        ts_store(b, ts_address(b, ts_glvalue(b, ts_field(e, arms[i]))), at, pointer);
        ts_go(b, done, 0, CW_FROM_NONE);
    }
    b->at.block = done;
    return ts_place_of(ts_load(b, at, pointer), t[0]);
}

/* ---- branches ---- */

static void cond_value(struct ts_body *b, TSNode e, uint32_t yes, uint32_t no, enum cw_origin origin) {
    uint32_t loc = ts_loc(b, e);
    struct ts_value v = ts_scalar_of(b, e);
    cw_ref r = v.ref;
    if (v.ref.tag == CW_REF_NONE || ts_is_object(v.type))
        r = cw_emit_opaque(b->at, CW_I1, ts_why(b, CW_BAIL_BROKEN_CODE), &v.ref, v.ref.tag != CW_REF_NONE);
    else
        r = cw_convert(b->at, v.ref, (struct cw_kind){cw_ref_type(b->fn, v.ref), v.type->kind.is_signed},
                       (struct cw_kind){CW_I1, false});
    if (ts_is_open(b))
        cw_fn_branch(b->fn, b->at.block, r, yes, no, loc, origin);
}

void ts_cond(struct ts_body *b, TSNode e, uint32_t yes, uint32_t no, enum cw_origin origin) {
    char op[16] = "";
    e = without_parens(b, e);
    if (ts_is(b->u, e, TS_BINARY))
        ts_operator(b->u, ts_field(e, "operator"), op, sizeof op);
    cw_str unary = ts_is(b->u, e, TS_UNARY) ? ts_text(b->u, ts_field(e, "operator")) : CW_STR("");
    if (b->depth >= TS_MAX_DEPTH) {
        cond_value(b, e, yes, no, origin);
        return;
    }
    b->depth++;
    if (is_and(op) || is_or(op)) {
        bool both = is_and(op);
        uint32_t right = ts_block(b);
        ts_cond(b, ts_field(e, "left"), both ? right : yes, both ? no : right, both ? CW_FROM_AND : CW_FROM_OR);
        b->at.block = right;
        ts_cond(b, ts_field(e, "right"), yes, no, origin);
    } else if (cw_str_is(unary, "!") || cw_str_is(unary, "not")) {
        ts_cond(b, ts_field(e, "argument"), no, yes, origin);
    } else {
        cond_value(b, e, yes, no, origin);
    }
    b->depth--;
}

/* ---- casts ---- */

struct ts_value ts_cast_to(struct ts_body *b, struct ts_value v, const struct ts_type *to) {
    if (to->form == TS_FORM_VOID)
        return ts_rvalue_of(CW_NONE, to);
    if (to->form == TS_FORM_REFERENCE)
        return ts_place_of(ts_address(b, v), to->of);
    if (ts_is_object(to)) {
        if (v.is_place && ts_type_same(v.type, to))
            return v;
        return ts_unknown(b, to, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &v.ref, v.ref.tag != CW_REF_NONE);
    }
    cw_ref r = ts_convert(b, v, to);
    return r.tag == CW_REF_NONE ? ts_unknown(b, to, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0) : ts_rvalue_of(r, to);
}

struct ts_value ts_cast(struct ts_body *b, TSNode e) {
    const struct ts_type *to = ts_type_node(&b->s, ts_field(e, "type"));
    return ts_cast_to(b, ts_expr(b, ts_field(e, "value")), to);
}
