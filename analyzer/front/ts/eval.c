/* Integer constants: array bounds, template arguments, case labels, `if constexpr`. What is not one is not guessed. */
#include "front/ts/lower.h"

#include <stdlib.h>
#include <string.h>

static bool evaluate(struct ts_scope *s, TSNode e, int64_t *value);

/* ---- literals ---- */

static enum cw_type width_of(uint64_t v, bool is_unsigned, bool is_long, bool is_decimal, bool *is_signed) {
    *is_signed = !is_unsigned;
    if (!is_long && v <= INT32_MAX)
        return CW_I32;
    if (!is_long && v <= UINT32_MAX && (is_unsigned || !is_decimal)) {
        *is_signed = false;
        return CW_I32;
    }
    if (v > INT64_MAX)
        *is_signed = false;
    return CW_I64;
}

static bool is_float_text(const char *text, bool is_hex) {
    return strpbrk(text, is_hex ? ".pP" : ".eE") != NULL;
}

bool ts_number(cw_str text, int64_t *value, struct cw_kind *kind, double *real) {
    char copy[72];
    size_t n = 0;
    for (size_t i = 0; i < text.n && n + 1 < sizeof copy; i++)
        if (text.at[i] != '\'')
            copy[n++] = text.at[i];
    copy[n] = '\0';
    bool is_hex = n > 1 && copy[0] == '0' && (copy[1] == 'x' || copy[1] == 'X');
    bool is_binary = n > 1 && copy[0] == '0' && (copy[1] == 'b' || copy[1] == 'B');
    char *end;
    if (!n || !((copy[0] >= '0' && copy[0] <= '9') || copy[0] == '.'))
        return false;
    if (!is_binary && (is_float_text(copy, is_hex) || (!is_hex && strpbrk(copy, "fF")))) {
        *real = strtod(copy, &end);
        *kind = (struct cw_kind){*end == 'f' || *end == 'F' ? CW_F32 : CW_F64, true};
        return true;
    }
    uint64_t v = is_binary ? strtoull(copy + 2, &end, 2) : strtoull(copy, &end, 0);
    bool is_unsigned = strpbrk(end, "uU") != NULL, is_long = strpbrk(end, "lL") != NULL;
    bool is_signed = true;
    kind->type = width_of(v, is_unsigned, is_long, !is_hex && !is_binary && copy[0] != '0', &is_signed);
    kind->is_signed = is_signed;
    *value = cw_type_wrap(kind->type, (int64_t)v);
    return true;
}

static bool number(struct ts_scope *s, TSNode e, int64_t *value) {
    struct cw_kind k = {CW_VOID, false};
    double real;
    cw_str text = ts_text(s->u, e);
    bool is_negative = cw_str_starts(text, "-");
    if (is_negative || cw_str_starts(text, "+"))
        text = cw_str_trim((cw_str){text.at + 1, text.n - 1});
    if (!ts_number(text, value, &k, &real) || !cw_type_is_int(k.type))
        return false;
    if (!k.is_signed && k.type == CW_I32)
        *value &= UINT32_MAX; /* here a plain integer, not the IR's form */
    if (is_negative)
        *value = (int64_t)(0 - (uint64_t)*value);
    return true;
}

static bool character(cw_str text, int64_t *value) {
    static const char escapes[][2] = {{'n', '\n'}, {'t', '\t'}, {'0', '\0'}, {'r', '\r'}, {'\\', '\\'}, {'\'', '\''}};
    if (text.n == 3) {
        *value = text.at[1];
        return true;
    }
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (text.n == 4 && text.at[1] == '\\' && text.at[2] == escapes[i][0]) {
            *value = escapes[i][1];
            return true;
        }
    return false;
}

/* ---- names ---- */

bool ts_enumerator(struct ts_unit *u, struct ts_symbol *y, int64_t *value) {
    if (y->state == 2)
        *value = y->value;
    if (y->state)
        return y->state == 2;
    y->state = 1;
    TSNode list = ts_node_parent(y->node);
    struct ts_scope s = {.u = u, .cls = y->owner};
    int64_t next = 0;
    bool is_known = true;
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode e = ts_node_named_child(list, i), written = ts_field(e, "value");
        if (!ts_is(u, e, TS_ENUMERATOR))
            continue;
        if (!ts_node_is_null(written))
            is_known = ts_eval(&s, written, &next);
        if (ts_same(e, y->node))
            break;
        next++;
    }
    y->value = next;
    y->state = is_known ? 2 : 3;
    *value = next;
    return is_known;
}

/* The initialiser of a declarator: `= value`, `{value}`; of a static member, the default value. */
static TSNode initialiser(const struct ts_unit *u, const struct ts_symbol *y) {
    TSNode value = ts_is(u, y->declarator, TS_INIT_DECLARATOR) ? ts_field(y->declarator, "value")
                                                               : ts_field(y->node, "default_value");
    if (ts_is(u, value, TS_INITIALIZER_LIST) && ts_node_named_child_count(value) == 1)
        value = ts_node_named_child(value, 0);
    return value;
}

static bool is_constant_declaration(const struct ts_unit *u, TSNode node) {
    return ts_has_word(u, node, "const") || ts_has_word(u, node, "constexpr");
}

static bool variable(struct ts_scope *s, struct ts_symbol *y, struct ts_record *home, int64_t *value) {
    TSNode init = initialiser(s->u, y);
    struct ts_scope at = {.u = s->u, .env = home ? home->env : NULL, .record = home, .cls = y->owner};
    if (!ts_node_is_null(y->tmpl) || ts_node_is_null(init) || !is_constant_declaration(s->u, y->node) ||
        y->state == 1 || ts_has_word(s->u, y->node, "__constant__") || ts_has_word(s->u, y->node, "__device__"))
        return false;
    uint8_t state = y->state;
    y->state = 1;
    bool is_known = evaluate(&at, init, value);
    y->state = state;
    if (is_known) {
        const struct ts_type *t = ts_declaration_type(&at, y->node);
        is_known =
            t->form == TS_FORM_UNKNOWN ? !t->is_dependent : t->form == TS_FORM_SCALAR && cw_type_is_int(t->kind.type);
    }
    return is_known;
}

static bool symbol(struct ts_scope *s, struct ts_symbol *y, struct ts_record *home, int64_t *value) {
    if (y->kind == TS_SYM_ENUMERATOR)
        return ts_enumerator(s->u, y, value);
    return y->kind == TS_SYM_VARIABLE && variable(s, y, home, value);
}

static bool member_of(struct ts_scope *s, struct ts_record *r, const char *name, int64_t *value) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_symbol *y = ts_find_member(s->u, r, name, &home, &offset);
    return y && symbol(s, y, home, value);
}

static bool qualified(struct ts_scope *s, TSNode e, int64_t *value) {
    TSNode scope = ts_field(e, "scope"), name = ts_field(e, "name");
    const char *last = ts_name(s->u, ts_last_name(s->u, e));
    const struct ts_type *t = ts_node_is_null(scope) ? NULL : ts_named_type(s, scope);
    if (t && t->form == TS_FORM_RECORD && !ts_is(s->u, name, TS_QUALIFIED))
        return member_of(s, t->record, last, value);
    for (struct ts_symbol *y = t && t->form == TS_FORM_UNKNOWN ? NULL : ts_symbols(s->u, last); y; y = y->next)
        if (symbol(s, y, NULL, value))
            return true;
    return false;
}

static bool class_members(struct ts_scope *s, struct ts_class *c, const char *name, int64_t *value) {
    for (uint32_t i = 0; c && i < c->members.n; i++)
        if (c->members.at[i]->name == name && symbol(s, c->members.at[i], NULL, value))
            return true;
    return false;
}

static bool name(struct ts_scope *s, TSNode e, int64_t *value) {
    const char *text = ts_name(s->u, e);
    const struct ts_local *l = s->body ? ts_find_local(s->body, text) : NULL;
    if (l) {
        *value = l->value;
        return l->has_value && !l->is_pack;
    }
    const struct ts_binding *b = ts_find_binding(s->env, text);
    if (b) {
        *value = b->value;
        if (!b->is_type && b->type->form == TS_FORM_SCALAR && b->type->kind.type == CW_I32 && !b->type->kind.is_signed)
            *value &= UINT32_MAX;
        return !b->is_type && b->is_known && !b->is_pack;
    }
    if ((s->record && member_of(s, s->record, text, value)) || class_members(s, s->cls, text, value))
        return true;
    for (struct ts_symbol *y = ts_symbols(s->u, text); y; y = y->next)
        if (symbol(s, y, NULL, value))
            return true;
    return false;
}

/* ---- operators ---- */

static bool fold(enum cw_arith op, int64_t a, int64_t b, int64_t *value) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case CW_ARITH_ADD: *value = (int64_t)(x + y); return true;
    case CW_ARITH_SUB: *value = (int64_t)(x - y); return true;
    case CW_ARITH_MUL: *value = (int64_t)(x * y); return true;
    case CW_ARITH_DIV:
    case CW_ARITH_REM:
        if (!b || (a == INT64_MIN && b == -1))
            return false;
        *value = op == CW_ARITH_DIV ? a / b : a % b;
        return true;
    case CW_ARITH_AND: *value = a & b; return true;
    case CW_ARITH_OR: *value = a | b; return true;
    case CW_ARITH_XOR: *value = a ^ b; return true;
    case CW_ARITH_SHL: *value = y < 64 ? (int64_t)(x << y) : 0; return y < 64;
    case CW_ARITH_SHR: *value = y < 64 ? a >> y : 0; return y < 64;
    case CW_ARITH_EQ: *value = a == b; return true;
    case CW_ARITH_NE: *value = a != b; return true;
    case CW_ARITH_LT: *value = a < b; return true;
    case CW_ARITH_LE: *value = a <= b; return true;
    case CW_ARITH_GT: *value = a > b; return true;
    case CW_ARITH_GE: *value = a >= b; return true;
    default: return false;
    }
}

static bool binary(struct ts_scope *s, TSNode e, int64_t *value) {
    char op[8];
    int64_t a, b;
    enum cw_arith arith;
    ts_operator(s->u, ts_field(e, "operator"), op, sizeof op);
    if (!evaluate(s, ts_field(e, "left"), &a))
        return false;
    if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0) {
        bool decides = (a != 0) == (op[0] == '|');
        *value = decides ? a != 0 : 0;
        if (decides)
            return true;
        if (!evaluate(s, ts_field(e, "right"), &b))
            return false;
        *value = b != 0;
        return true;
    }
    return evaluate(s, ts_field(e, "right"), &b) && ts_arith_of(op, &arith) && fold(arith, a, b, value);
}

static bool unary(struct ts_scope *s, TSNode e, int64_t *value) {
    cw_str op = ts_text(s->u, ts_field(e, "operator"));
    int64_t v;
    if (!op.n || !evaluate(s, ts_field(e, "argument"), &v))
        return false;
    switch (op.at[0]) {
    case '-': *value = (int64_t)(0 - (uint64_t)v); return true;
    case '+': *value = v; return true;
    case '~': *value = ~v; return true;
    case '!':
    case 'n': *value = !v; return true;
    default: return false;
    }
}

static bool conditional(struct ts_scope *s, TSNode e, int64_t *value) {
    int64_t c;
    return evaluate(s, ts_field(e, "condition"), &c) &&
           evaluate(s, ts_field(e, c ? "consequence" : "alternative"), value);
}

/* `sizeof(Foo<4>)`: the grammar takes the type for a value. */
static const struct ts_type *sized_name(struct ts_scope *s, TSNode operand) {
    for (int i = 0; i < 8 && ts_is(s->u, operand, TS_PAREN) && ts_node_named_child_count(operand) == 1; i++)
        operand = ts_node_named_child(operand, 0);
    enum ts_kind k = ts_kind(s->u, operand);
    bool is_name = k == TS_TEMPLATE_FUNCTION || k == TS_QUALIFIED || k == TS_TEMPLATE_TYPE;
    return is_name ? ts_named_type(s, operand) : NULL;
}

static bool size_of(struct ts_scope *s, TSNode e, int64_t *value) {
    TSNode type = ts_field(e, "type"), operand = ts_field(e, "value");
    if (ts_has_word(s->u, e, "...")) {
        *value = ts_pack_length(s, ts_node_is_null(type) ? operand : type);
        return *value >= 0;
    }
    const struct ts_type *t = ts_node_is_null(type) ? NULL : ts_type_node(s, type);
    if (!t && !ts_node_is_null(operand) && !(t = sized_name(s, operand)))
        t = ts_type_of_expr(s, operand);
    if (!t || !ts_size(ts_plain(t)))
        return false;
    *value = (int64_t)ts_size(ts_plain(t));
    return true;
}

static bool cast_value(const struct ts_type *t, int64_t v, int64_t *value) {
    if (t->form != TS_FORM_SCALAR || !cw_type_is_int(t->kind.type))
        return false;
    *value = t->kind.type == CW_I1 ? v != 0 : cw_type_wrap(t->kind.type, v);
    if (!t->kind.is_signed && cw_type_bits(t->kind.type) < 64 && t->kind.type != CW_I1)
        *value &= (int64_t)((UINT64_C(1) << cw_type_bits(t->kind.type)) - 1);
    return true;
}

static bool cast(struct ts_scope *s, TSNode e, int64_t *value) {
    int64_t v;
    return evaluate(s, ts_field(e, "value"), &v) && cast_value(ts_type_node(s, ts_field(e, "type")), v, value);
}

/* ---- calls: int(x), static_cast<int>(x), and constexpr functions of one return ---- */

static TSNode only_return(const struct ts_unit *u, TSNode body) {
    TSNode found = ts_none();
    uint32_t n = ts_node_is_null(body) ? 0 : ts_node_named_child_count(body);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_named_child(body, i);
        if (ts_is(u, child, TS_COMMENT) || ts_is(u, child, TS_STATIC_ASSERT))
            continue;
        if (!ts_is(u, child, TS_RETURN) || !ts_node_is_null(found))
            return ts_none();
        found = child;
    }
    return ts_node_is_null(found) || !ts_node_named_child_count(found) ? ts_none() : ts_node_named_child(found, 0);
}

static bool call_function(struct ts_scope *s, struct ts_function *f, TSNode callee, TSNode arguments, int64_t *value) {
    TSNode result = only_return(s->u, ts_field(f->node, "body")), list = ts_field(f->declarator, "parameters");
    uint32_t n = ts_node_is_null(arguments) ? 0 : ts_node_named_child_count(arguments);
    if (ts_node_is_null(result) || n != f->nparams || f->is_variadic || f->owner)
        return false;
    struct ts_env *outer = ts_env_make(s, f->tmpl, ts_template_arguments(s->u, callee), NULL);
    struct ts_env *env = CW_NEW(&s->u->scratch, struct ts_env);
    env->outer = outer;
    env->at = CW_NEW_ARRAY(&s->u->scratch, struct ts_binding, n);
    struct ts_scope inner = {.u = s->u, .env = outer};
    for (uint32_t i = 0; i < ts_node_named_child_count(list) && env->n < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        if (!ts_is(s->u, p, TS_PARAMETER) && !ts_is(s->u, p, TS_OPTIONAL_PARAMETER))
            continue;
        struct ts_binding b = {.name = ts_declared_name(s->u, ts_field(p, "declarator")), .is_known = true,
                               .type = ts_scalar(s->u, CW_I64, true), .param = CW_NONE};
        if (!evaluate(s, ts_node_named_child(arguments, env->n), &b.value))
            return false;
        env->at[env->n++] = b;
    }
    inner.env = env;
    return evaluate(&inner, result, value);
}

static bool call(struct ts_scope *s, TSNode e, int64_t *value) {
    TSNode callee = ts_field(e, "function"), arguments = ts_field(e, "arguments");
    cw_str text = ts_text(s->u, ts_last_name(s->u, callee));
    TSNode given = ts_template_arguments(s->u, callee);
    int64_t v;
    bool is_single = !ts_node_is_null(arguments) && ts_node_named_child_count(arguments) == 1;
    if (cw_str_is(text, "static_cast") && is_single && !ts_node_is_null(given) && ts_node_named_child_count(given) == 1)
        return evaluate(s, ts_node_named_child(arguments, 0), &v) &&
               cast_value(ts_type_node(s, ts_node_named_child(given, 0)), v, value);
    TSNode inner =
        ts_is(s->u, callee, TS_PAREN) && ts_node_named_child_count(callee) ? ts_node_named_child(callee, 0) : callee;
    const struct ts_type *t = is_single && (ts_is(s->u, inner, TS_PRIMITIVE) || ts_is(s->u, inner, TS_IDENTIFIER))
                                  ? ts_named_type(s, inner) : NULL;
    if (t)
        return evaluate(s, ts_node_named_child(arguments, 0), &v) && cast_value(t, v, value);
    for (struct ts_symbol *y = ts_symbols(s->u, ts_name(s->u, ts_last_name(s->u, callee))); y; y = y->next)
        if (y->kind == TS_SYM_FUNCTION && call_function(s, y->function, callee, arguments, value))
            return true;
    return false;
}

static bool evaluate(struct ts_scope *s, TSNode e, int64_t *value) {
    struct ts_unit *u = s->u;
    bool is_known = false;
    if (ts_node_is_null(e) || u->depth >= TS_MAX_DEPTH || ++u->evaluations > 2000000)
        return false;
    u->depth++;
    switch (ts_kind(u, e)) {
    case TS_NUMBER: is_known = number(s, e, value); break;
    case TS_CHAR: is_known = character(ts_text(u, e), value); break;
    case TS_TRUE:
    case TS_FALSE: *value = ts_is(u, e, TS_TRUE), is_known = true; break;
    case TS_IDENTIFIER:
    case TS_FIELD_IDENTIFIER:
    case TS_TYPE_IDENTIFIER: is_known = name(s, e, value); break;
    case TS_QUALIFIED: is_known = qualified(s, e, value); break;
    case TS_PAREN:
    case TS_CONDITION_CLAUSE:
        is_known = ts_node_named_child_count(e) == 1 && evaluate(s, ts_node_named_child(e, 0), value);
        break;
    case TS_BINARY: is_known = binary(s, e, value); break;
    case TS_UNARY: is_known = unary(s, e, value); break;
    case TS_CONDITIONAL: is_known = conditional(s, e, value); break;
    case TS_SIZEOF: is_known = size_of(s, e, value); break;
    case TS_CAST: is_known = cast(s, e, value); break;
    case TS_CALL: is_known = call(s, e, value); break;
    case TS_TYPE_DESCRIPTOR: is_known = evaluate(s, ts_field(e, "type"), value); break;
    default: break;
    }
    u->depth--;
    return is_known;
}

bool ts_eval(struct ts_scope *s, TSNode e, int64_t *value) {
    return evaluate(s, e, value);
}

/* ---- words of attributes and pragmas, which the tree does not have ---- */

struct words {
    struct ts_scope *s;
    const char *at, *end;
    int depth;
    bool failed;
};

static int64_t sum(struct words *w);

static bool accept(struct words *w, char c) {
    while (w->at < w->end && strchr(" \t\r\n", *w->at))
        w->at++;
    if (w->at >= w->end || *w->at != c)
        return false;
    w->at++;
    return true;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool name_value(struct words *w, cw_str text, int64_t *value) {
    struct ts_unit *u = w->s->u;
    const char *known = cw_intern_n(&u->module->names, text.at, text.n);
    const struct ts_binding *b = ts_find_binding(w->s->env, known);
    if (b) {
        *value = b->value;
        return !b->is_type && b->is_known && !b->is_pack;
    }
    for (struct ts_symbol *y = ts_symbols(u, known); y; y = y->next)
        if (symbol(w->s, y, NULL, value))
            return true;
    return false;
}

static int64_t word(struct words *w) {
    int64_t value = 0;
    struct cw_kind kind;
    double real;
    if (w->depth++ > 24) {
        w->failed = true;
    } else if (accept(w, '(')) {
        value = sum(w);
        w->failed |= !accept(w, ')');
    } else {
        cw_str text = {w->at, 0};
        while (w->at < w->end && is_word(*w->at))
            w->at++, text.n++;
        bool is_number = text.n && text.at[0] >= '0' && text.at[0] <= '9';
        w->failed |= !text.n || (is_number ? !ts_number(text, &value, &kind, &real) : !name_value(w, text, &value));
    }
    w->depth--;
    return value;
}

static int64_t product(struct words *w) {
    int64_t value = word(w);
    while (!w->failed)
        if (accept(w, '*')) {
            value = (int64_t)((uint64_t)value * (uint64_t)word(w));
        } else if (accept(w, '/')) {
            int64_t by = word(w);
            w->failed |= by <= 0;
            value = by > 0 ? value / by : 0;
        } else {
            break;
        }
    return value;
}

static int64_t sum(struct words *w) {
    int64_t value = product(w);
    while (!w->failed)
        if (accept(w, '+'))
            value = (int64_t)((uint64_t)value + (uint64_t)product(w));
        else if (accept(w, '-'))
            value = (int64_t)((uint64_t)value - (uint64_t)product(w));
        else
            break;
    return value;
}

bool ts_int_words(struct ts_scope *s, cw_str text, int64_t *value) {
    struct words w = {.s = s, .at = text.at, .end = text.at + text.n};
    *value = sum(&w);
    while (w.at < w.end && strchr(" \t\r\n", *w.at))
        w.at++;
    return !w.failed && (w.at == w.end || *w.at == ',' || *w.at == ')');
}
