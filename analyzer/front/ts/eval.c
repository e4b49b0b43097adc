/* Integer constants: array bounds, template arguments, case labels, `if constexpr`. What is not one is not guessed. */
#include "front/ts/lower.h"

#include <stdlib.h>
#include <string.h>

static bool eval_node(struct ts_scope *s, TSNode e, int64_t *value);

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

static bool eval_number(struct ts_scope *scope, TSNode node, int64_t *value) {
    struct cw_kind k = {CW_VOID, false};
    double real;
    cw_str text = ts_text(scope->u, node);
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

static bool eval_character(cw_str text, int64_t *value) {
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

bool ts_enumerator(struct ts_unit *unit, struct ts_symbol *symbol, int64_t *value) {
    if (symbol->state == 2)
        *value = symbol->value;
    if (symbol->state)
        return symbol->state == 2;
    symbol->state = 1;
    TSNode list = ts_node_parent(symbol->node);
    struct ts_scope s = {.u = unit, .cls = symbol->owner};
    int64_t next = 0;
    bool is_known = true;
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode e = ts_node_named_child(list, i), written = ts_field(e, "value");
        if (!ts_is(unit, e, TS_ENUMERATOR))
            continue;
        if (!ts_node_is_null(written))
            is_known = ts_eval(&s, written, &next);
        if (ts_same(e, symbol->node))
            break;
        next++;
    }
    symbol->value = next;
    symbol->state = is_known ? 2 : 3;
    *value = next;
    return is_known;
}

/* The initialiser of a declarator: `= value`, `{value}`; of a static member, the default value. */
static TSNode initialiser_of(const struct ts_unit *unit, const struct ts_symbol *symbol) {
    TSNode value = ts_is(unit, symbol->declarator, TS_INIT_DECLARATOR) ? ts_field(symbol->declarator, "value")
                                                               : ts_field(symbol->node, "default_value");
    if (ts_is(unit, value, TS_INITIALIZER_LIST) && ts_node_named_child_count(value) == 1)
        value = ts_node_named_child(value, 0);
    return value;
}

static bool is_constant_declaration(const struct ts_unit *unit, TSNode node) {
    return ts_has_word(unit, node, "const") || ts_has_word(unit, node, "constexpr");
}

static bool eval_variable(struct ts_scope *scope, struct ts_symbol *symbol, struct ts_record *home, int64_t *value) {
    TSNode init = initialiser_of(scope->u, symbol);
    struct ts_scope at = {.u = scope->u, .env = home ? home->env : NULL, .record = home, .cls = symbol->owner};
    if (!ts_node_is_null(symbol->tmpl) || ts_node_is_null(init) || !is_constant_declaration(scope->u, symbol->node) ||
        symbol->state == 1 || ts_has_word(scope->u, symbol->node, "__constant__") ||
        ts_has_word(scope->u, symbol->node, "__device__"))
        return false;
    uint8_t state = symbol->state;
    symbol->state = 1;
    bool is_known = eval_node(&at, init, value);
    symbol->state = state;
    if (is_known) {
        const struct ts_type *t = ts_declaration_type(&at, symbol->node);
        is_known =
            t->form == TS_FORM_UNKNOWN ? !t->is_dependent : t->form == TS_FORM_SCALAR && cw_type_is_int(t->kind.type);
    }
    return is_known;
}

static bool eval_symbol(struct ts_scope *scope, struct ts_symbol *y, struct ts_record *home, int64_t *value) {
    if (y->kind == TS_SYM_ENUMERATOR)
        return ts_enumerator(scope->u, y, value);
    return y->kind == TS_SYM_VARIABLE && eval_variable(scope, y, home, value);
}

static bool member_of(struct ts_scope *scope, struct ts_record *record, const char *name, int64_t *value) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_symbol *y = ts_find_member(scope->u, record, name, &home, &offset);
    return y && eval_symbol(scope, y, home, value);
}

static bool eval_qualified(struct ts_scope *s, TSNode node, int64_t *value) {
    TSNode scope = ts_field(node, "scope"), name = ts_field(node, "name");
    const char *last = ts_name(s->u, ts_last_name(s->u, node));
    const struct ts_type *t = ts_node_is_null(scope) ? NULL : ts_named_type(s, scope);
    if (t && t->form == TS_FORM_RECORD && !ts_is(s->u, name, TS_QUALIFIED))
        return member_of(s, t->record, last, value);
    for (struct ts_symbol *y = t && t->form == TS_FORM_UNKNOWN ? NULL : ts_symbols(s->u, last); y; y = y->next)
        if (eval_symbol(s, y, NULL, value))
            return true;
    return false;
}

static bool class_members(struct ts_scope *scope, struct ts_class *class, const char *name, int64_t *value) {
    for (uint32_t i = 0; class && i < class->members.n; i++)
        if (class->members.at[i]->name == name && eval_symbol(scope, class->members.at[i], NULL, value))
            return true;
    return false;
}

static bool eval_name(struct ts_scope *scope, TSNode node, int64_t *value) {
    const char *text = ts_name(scope->u, node);
    const struct ts_local *l = scope->body ? ts_find_local(scope->body, text) : NULL;
    if (l) {
        *value = l->value;
        return l->has_value && !l->is_pack;
    }
    const struct ts_binding *b = ts_find_binding(scope->env, text);
    if (b) {
        *value = b->value;
        if (!b->is_type && b->type->form == TS_FORM_SCALAR && b->type->kind.type == CW_I32 && !b->type->kind.is_signed)
            *value &= UINT32_MAX;
        return !b->is_type && b->is_known && !b->is_pack;
    }
    if ((scope->record && member_of(scope, scope->record, text, value)) ||
        class_members(scope, scope->cls, text, value))
        return true;
    for (struct ts_symbol *y = ts_symbols(scope->u, text); y; y = y->next)
        if (eval_symbol(scope, y, NULL, value))
            return true;
    return false;
}

/* ---- operators ---- */

static bool fold_arith(enum cw_arith op, int64_t a, int64_t b, int64_t *value) {
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

static bool eval_binary(struct ts_scope *scope, TSNode node, int64_t *value) {
    char op[8];
    int64_t a, b;
    enum cw_arith arith;
    ts_operator(scope->u, ts_field(node, "operator"), op, sizeof op);
    if (!eval_node(scope, ts_field(node, "left"), &a))
        return false;
    if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0) {
        bool decides = (a != 0) == (op[0] == '|');
        *value = decides ? a != 0 : 0;
        if (decides)
            return true;
        if (!eval_node(scope, ts_field(node, "right"), &b))
            return false;
        *value = b != 0;
        return true;
    }
    return eval_node(scope, ts_field(node, "right"), &b) && ts_arith_of(op, &arith) && fold_arith(arith, a, b, value);
}

static bool eval_unary(struct ts_scope *scope, TSNode node, int64_t *value) {
    cw_str op = ts_text(scope->u, ts_field(node, "operator"));
    int64_t v;
    if (!op.n || !eval_node(scope, ts_field(node, "argument"), &v))
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

static bool eval_conditional(struct ts_scope *scope, TSNode node, int64_t *value) {
    int64_t c;
    return eval_node(scope, ts_field(node, "condition"), &c) &&
           eval_node(scope, ts_field(node, c ? "consequence" : "alternative"), value);
}

/* `sizeof(Foo<4>)`: the grammar takes the type for a value. */
static const struct ts_type *sized_name(struct ts_scope *scope, TSNode operand) {
    for (int i = 0; i < 8 && ts_is(scope->u, operand, TS_PAREN) && ts_node_named_child_count(operand) == 1; i++)
        operand = ts_node_named_child(operand, 0);
    enum ts_kind k = ts_kind(scope->u, operand);
    bool is_name = k == TS_TEMPLATE_FUNCTION || k == TS_QUALIFIED || k == TS_TEMPLATE_TYPE;
    return is_name ? ts_named_type(scope, operand) : NULL;
}

static bool size_of(struct ts_scope *scope, TSNode node, int64_t *value) {
    TSNode type = ts_field(node, "type"), operand = ts_field(node, "value");
    if (ts_has_word(scope->u, node, "...")) {
        *value = ts_pack_length(scope, ts_node_is_null(type) ? operand : type);
        return *value >= 0;
    }
    const struct ts_type *t = ts_node_is_null(type) ? NULL : ts_type_node(scope, type);
    if (!t && !ts_node_is_null(operand) && !(t = sized_name(scope, operand)))
        t = ts_type_of_expr(scope, operand);
    if (!t || !ts_size(ts_plain(t)))
        return false;
    *value = (int64_t)ts_size(ts_plain(t));
    return true;
}

static bool cast_value(const struct ts_type *type, int64_t v, int64_t *value) {
    if (type->form != TS_FORM_SCALAR || !cw_type_is_int(type->kind.type))
        return false;
    *value = type->kind.type == CW_I1 ? v != 0 : cw_type_wrap(type->kind.type, v);
    if (!type->kind.is_signed && cw_type_bits(type->kind.type) < 64 && type->kind.type != CW_I1)
        *value &= (int64_t)((UINT64_C(1) << cw_type_bits(type->kind.type)) - 1);
    return true;
}

static bool eval_cast(struct ts_scope *scope, TSNode node, int64_t *value) {
    int64_t v;
    return eval_node(scope, ts_field(node, "value"), &v) &&
           cast_value(ts_type_node(scope, ts_field(node, "type")), v, value);
}

/* ---- calls: int(x), static_cast<int>(x), and constexpr functions of one return ---- */

static TSNode only_return(const struct ts_unit *unit, TSNode body) {
    TSNode found = ts_none();
    uint32_t n = ts_node_is_null(body) ? 0 : ts_node_named_child_count(body);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_named_child(body, i);
        if (ts_is(unit, child, TS_COMMENT) || ts_is(unit, child, TS_STATIC_ASSERT))
            continue;
        if (!ts_is(unit, child, TS_RETURN) || !ts_node_is_null(found))
            return ts_none();
        found = child;
    }
    return ts_node_is_null(found) || !ts_node_named_child_count(found) ? ts_none() : ts_node_named_child(found, 0);
}

static bool call_function(struct ts_scope *scope, struct ts_function *function, TSNode callee, TSNode arguments,
                          int64_t *value) {
    TSNode result = only_return(scope->u, ts_field(function->node, "body")),
           list = ts_field(function->declarator, "parameters");
    uint32_t n = ts_node_is_null(arguments) ? 0 : ts_node_named_child_count(arguments);
    if (ts_node_is_null(result) || n != function->nparams || function->is_variadic || function->owner)
        return false;
    struct ts_env *outer = ts_env_make(scope, function->tmpl, ts_template_arguments(scope->u, callee), NULL);
    struct ts_env *env = CW_NEW(&scope->u->scratch, struct ts_env);
    env->outer = outer;
    env->at = CW_NEW_ARRAY(&scope->u->scratch, struct ts_binding, n);
    struct ts_scope inner = {.u = scope->u, .env = outer};
    for (uint32_t i = 0; i < ts_node_named_child_count(list) && env->n < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        if (!ts_is(scope->u, p, TS_PARAMETER) && !ts_is(scope->u, p, TS_OPTIONAL_PARAMETER))
            continue;
        struct ts_binding b = {.name = ts_declared_name(scope->u, ts_field(p, "declarator")), .is_known = true,
                               .type = ts_scalar(scope->u, CW_I64, true), .param = CW_NONE};
        if (!eval_node(scope, ts_node_named_child(arguments, env->n), &b.value))
            return false;
        env->at[env->n++] = b;
    }
    inner.env = env;
    return eval_node(&inner, result, value);
}

static bool eval_call(struct ts_scope *scope, TSNode node, int64_t *value) {
    TSNode callee = ts_field(node, "function"), arguments = ts_field(node, "arguments");
    cw_str text = ts_text(scope->u, ts_last_name(scope->u, callee));
    TSNode given = ts_template_arguments(scope->u, callee);
    int64_t v;
    bool is_single = !ts_node_is_null(arguments) && ts_node_named_child_count(arguments) == 1;
    if (cw_str_is(text, "static_cast") && is_single && !ts_node_is_null(given) && ts_node_named_child_count(given) == 1)
        return eval_node(scope, ts_node_named_child(arguments, 0), &v) &&
               cast_value(ts_type_node(scope, ts_node_named_child(given, 0)), v, value);
    TSNode inner = ts_is(scope->u, callee, TS_PAREN) && ts_node_named_child_count(callee)
                       ? ts_node_named_child(callee, 0)
                       : callee;
    const struct ts_type *t =
        is_single && (ts_is(scope->u, inner, TS_PRIMITIVE) || ts_is(scope->u, inner, TS_IDENTIFIER))
            ? ts_named_type(scope, inner)
            : NULL;
    if (t)
        return eval_node(scope, ts_node_named_child(arguments, 0), &v) && cast_value(t, v, value);
    for (struct ts_symbol *y = ts_symbols(scope->u, ts_name(scope->u, ts_last_name(scope->u, callee))); y; y = y->next)
        if (y->kind == TS_SYM_FUNCTION && call_function(scope, y->function, callee, arguments, value))
            return true;
    return false;
}

static bool eval_node(struct ts_scope *scope, TSNode node, int64_t *value) {
    struct ts_unit *u = scope->u;
    bool is_known = false;
    if (ts_node_is_null(node) || u->depth >= TS_MAX_DEPTH || ++u->evaluations > 2000000)
        return false;
    u->depth++;
    switch (ts_kind(u, node)) {
    case TS_NUMBER: is_known = eval_number(scope, node, value); break;
    case TS_CHAR: is_known = eval_character(ts_text(u, node), value); break;
    case TS_TRUE:
    case TS_FALSE: *value = ts_is(u, node, TS_TRUE), is_known = true; break;
    case TS_IDENTIFIER:
    case TS_FIELD_IDENTIFIER:
    case TS_TYPE_IDENTIFIER: is_known = eval_name(scope, node, value); break;
    case TS_QUALIFIED: is_known = eval_qualified(scope, node, value); break;
    case TS_PAREN:
    case TS_CONDITION_CLAUSE:
        is_known = ts_node_named_child_count(node) == 1 && eval_node(scope, ts_node_named_child(node, 0), value);
        break;
    case TS_BINARY: is_known = eval_binary(scope, node, value); break;
    case TS_UNARY: is_known = eval_unary(scope, node, value); break;
    case TS_CONDITIONAL: is_known = eval_conditional(scope, node, value); break;
    case TS_SIZEOF: is_known = size_of(scope, node, value); break;
    case TS_CAST: is_known = eval_cast(scope, node, value); break;
    case TS_CALL: is_known = eval_call(scope, node, value); break;
    case TS_TYPE_DESCRIPTOR: is_known = eval_node(scope, ts_field(node, "type"), value); break;
    default: break;
    }
    u->depth--;
    return is_known;
}

bool ts_eval(struct ts_scope *scope, TSNode node, int64_t *value) {
    return eval_node(scope, node, value);
}

/* ---- words of attributes and pragmas, which the tree does not have ---- */

struct words {
    struct ts_scope *s;
    const char *at, *end;
    int depth;
    bool failed;
};

static int64_t parse_sum(struct words *w);

static bool accept_char(struct words *words, char c) {
    while (words->at < words->end && strchr(" \t\r\n", *words->at))
        words->at++;
    if (words->at >= words->end || *words->at != c)
        return false;
    words->at++;
    return true;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool name_value(struct words *words, cw_str text, int64_t *value) {
    struct ts_unit *u = words->s->u;
    const char *known = cw_intern_n(&u->module->names, text.at, text.n);
    const struct ts_binding *b = ts_find_binding(words->s->env, known);
    if (b) {
        *value = b->value;
        return !b->is_type && b->is_known && !b->is_pack;
    }
    for (struct ts_symbol *y = ts_symbols(u, known); y; y = y->next)
        if (eval_symbol(words->s, y, NULL, value))
            return true;
    return false;
}

static int64_t parse_word(struct words *words) {
    int64_t value = 0;
    struct cw_kind kind;
    double real;
    if (words->depth++ > 24) {
        words->failed = true;
    } else if (accept_char(words, '(')) {
        value = parse_sum(words);
        words->failed |= !accept_char(words, ')');
    } else {
        cw_str text = {words->at, 0};
        while (words->at < words->end && is_word(*words->at))
            words->at++, text.n++;
        bool is_number = text.n && text.at[0] >= '0' && text.at[0] <= '9';
        words->failed |=
            !text.n || (is_number ? !ts_number(text, &value, &kind, &real) : !name_value(words, text, &value));
    }
    words->depth--;
    return value;
}

static int64_t parse_product(struct words *words) {
    int64_t value = parse_word(words);
    while (!words->failed)
        if (accept_char(words, '*')) {
            value = (int64_t)((uint64_t)value * (uint64_t)parse_word(words));
        } else if (accept_char(words, '/')) {
            int64_t by = parse_word(words);
            words->failed |= by <= 0;
            value = by > 0 ? value / by : 0;
        } else {
            break;
        }
    return value;
}

static int64_t parse_sum(struct words *words) {
    int64_t value = parse_product(words);
    while (!words->failed)
        if (accept_char(words, '+'))
            value = (int64_t)((uint64_t)value + (uint64_t)parse_product(words));
        else if (accept_char(words, '-'))
            value = (int64_t)((uint64_t)value - (uint64_t)parse_product(words));
        else
            break;
    return value;
}

uint32_t ts_int_list(struct ts_scope *scope, cw_str text, int64_t values[3]) {
    struct words w = {.s = scope, .at = text.at, .end = text.at + text.n};
    for (uint32_t n = 0; n < 3; n++) {
        values[n] = parse_sum(&w);
        if (!w.failed && accept_char(&w, ')'))
            return n + 1;
        if (w.failed || !accept_char(&w, ','))
            return 0;
    }
    return 0;
}

bool ts_int_words(struct ts_scope *scope, cw_str text, int64_t *value) {
    struct words w = {.s = scope, .at = text.at, .end = text.at + text.n};
    *value = parse_sum(&w);
    while (w.at < w.end && strchr(" \t\r\n", *w.at))
        w.at++;
    return !w.failed && (w.at == w.end || *w.at == ',' || *w.at == ')');
}
