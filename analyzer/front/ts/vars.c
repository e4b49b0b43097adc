/* Variables: what a name stands for. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_LOCALS = 20000 };

static const struct {
    const char *name;
    enum cw_sreg first;
} builtin_vectors[] = {
    {"threadIdx", CW_TID_X}, {"blockIdx", CW_CTAID_X}, {"blockDim", CW_NTID_X}, {"gridDim", CW_NCTAID_X}};

static cw_ref sreg_ref(uint32_t r) {
    return cw_ref_of(CW_REF_SREG, r);
}

static bool is_shadowed(struct ts_scope *scope, const char *name) {
    return (scope->body && ts_find_local(scope->body, name)) || ts_find_binding(scope->env, name);
}

/* The first register when the name is threadIdx and the like, CW_NSREGS otherwise. */
static enum cw_sreg builtin_vector(struct ts_scope *scope, TSNode node) {
    if (!ts_is(scope->u, node, TS_IDENTIFIER))
        return CW_NSREGS;
    cw_str text = ts_text(scope->u, node);
    for (size_t i = 0; i < sizeof builtin_vectors / sizeof *builtin_vectors; i++)
        if (cw_str_is(text, builtin_vectors[i].name))
            return is_shadowed(scope, ts_name(scope->u, node)) ? CW_NSREGS : builtin_vectors[i].first;
    return CW_NSREGS;
}

/* threadIdx.x */
bool ts_sreg(struct ts_body *body, TSNode node, cw_ref *value) {
    enum cw_sreg first = builtin_vector(&body->s, ts_field(node, "argument"));
    cw_str axis = ts_text(body->u, ts_field(node, "field"));
    if (first == CW_NSREGS || axis.n != 1 || axis.at[0] < 'x' || axis.at[0] > 'z')
        return false;
    *value = sreg_ref((uint32_t)first + (uint32_t)(axis.at[0] - 'x'));
    return true;
}

static const struct ts_type *vector_type(struct ts_body *body, const char *name) {
    struct ts_symbol *y = ts_symbols(body->u, cw_intern(&body->u->module->names, name));
    return y && y->cls ? ts_record_type(body->u, ts_record_plain(body->u, y->cls, NULL))
                       : ts_array_of(body->u, ts_scalar(body->u, CW_I32, false), 3);
}

/* threadIdx as a whole is copied to a temporary. */
static struct ts_value materialise_sreg(struct ts_body *body, enum cw_sreg first) {
    const struct ts_type *t = vector_type(body, first == CW_NTID_X || first == CW_NCTAID_X ? "dim3" : "uint3");
    cw_ref at = ts_temp(body, t, "temporary");
    for (uint32_t i = 0; i < 3; i++)
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 4, sreg_ref((uint32_t)first + i), cw_at_offset(body->at, at, 4 * i));
    return ts_place_of(at, t);
}

const struct ts_local *ts_find_local(const struct ts_body *body, const char *name) {
    for (uint32_t i = body->locals.n; i-- > 0;)
        if (body->locals.at[i].name == name)
            return &body->locals.at[i];
    return NULL;
}

void ts_bind(struct ts_body *body, const char *name, cw_ref addr, const struct ts_type *type) {
    if (body->locals.n < MAX_LOCALS)
        cw_vec_push(&body->u->scratch, &body->locals,
                    ((struct ts_local){.name = name, .addr = addr, .type = type, .init = ts_none()}));
}

/* ---- globals ---- */

static enum cw_space space_of(struct ts_unit *unit, TSNode declaration, bool is_local) {
    if (ts_has_word(unit, declaration, "__shared__"))
        return ts_has_word(unit, declaration, "extern") ? CW_SPACE_DYNSHARED : CW_SPACE_SHARED;
    if (ts_has_word(unit, declaration, "__constant__"))
        return CW_SPACE_CONSTANT;
    bool is_static = ts_has_word(unit, declaration, "static") || ts_has_word(unit, declaration, "extern");
    return !is_local || is_static || ts_has_word(unit, declaration, "__device__") ? CW_SPACE_GLOBAL : CW_SPACE_LOCAL;
}

static const char *intern_text(struct ts_body *body, const char *text) {
    return cw_intern(&body->u->module->names, text);
}

static const struct ts_type *symbol_type(struct ts_body *body, struct ts_symbol *symbol, struct ts_record *home) {
    struct ts_scope at = {.u = body->u, .env = home ? home->env : NULL, .record = home, .cls = symbol->owner};
    const struct ts_type *t = ts_declarator_type(&at, ts_declaration_type(&at, symbol->node), symbol->declarator);
    TSNode value =
        ts_is(body->u, symbol->declarator, TS_INIT_DECLARATOR) ? ts_field(symbol->declarator, "value") : ts_none();
    if (t->form == TS_FORM_ARRAY && t->count < 0 && ts_is(body->u, value, TS_INITIALIZER_LIST))
        return ts_array_of(body->u, t->of, ts_node_named_child_count(value));
    return t;
}

static struct ts_value lower_global(struct ts_body *body, struct ts_symbol *symbol, struct ts_record *home) {
    struct ts_scope at = {.u = body->u, .env = home ? home->env : NULL, .record = home, .cls = symbol->owner};
    const struct ts_type *t = symbol_type(body, symbol, home);
    int64_t value;
    if (!ts_node_is_null(
            symbol->tmpl)) { /* a variable template: which of its specialisations is meant is not looked at */
        ts_degrade(body, CW_BAIL_UNSUPPORTED_EXPR);
        return ts_unknown(body, t, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    if (symbol->state != 3 && (t->is_const || t->form == TS_FORM_UNKNOWN) &&
        ts_eval(&at, ts_declarator_name(body->u, symbol->declarator), &value) &&
        (t->form == TS_FORM_UNKNOWN ||
         (t->form == TS_FORM_SCALAR && cw_type_is_int(t->kind.type) && !t->is_volatile))) {
        const struct ts_type *of =
            t->form == TS_FORM_SCALAR ? t : ts_scalar(body->u, value > INT32_MAX ? CW_I64 : CW_I32, true);
        return ts_rvalue_of(cw_fn_const(body->fn, of->kind.type, value), of);
    }
    struct cw_object o = ts_object(body, symbol->name, t, space_of(body->u, symbol->node, false));
    o.loc = ts_loc(body, symbol->declarator);
    o.key = o.space == CW_SPACE_DYNSHARED
                ? "dynshared"
                : intern_text(body, cw_arena_printf(&body->u->scratch, "%svar:%s::%s", body->u->key_prefix,
                                                 symbol->owner ? symbol->owner->name : "", symbol->name));
    if (o.space == CW_SPACE_DYNSHARED)
        o.size = 0;
    cw_ref addr = cw_fn_add_object(body->fn, o);
    if (t->form == TS_FORM_REFERENCE)
        return ts_place_of(cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, addr), t->of);
    return ts_place_of(addr, t);
}

/* ---- names ---- */

static struct ts_value function_name(struct ts_body *body, struct ts_function *function) {
    struct ts_type *t = CW_NEW(&body->u->scratch, struct ts_type);
    *t = (struct ts_type){
        .form = TS_FORM_FUNCTION, .kind = {CW_PTR, false}, .size = 8, .align = 8, .count = -1, .tile = -1};
    if (ts_node_is_null(function->tmpl)) { /* of a template it would take the arguments too */
        t->target = function;
        t->name = cw_intern(&body->u->module->names,
                            cw_arena_printf(&body->u->scratch, "%s@%u", function->name, function->index));
    }
    cw_ref v = cw_emit_pure(body->at, CW_PTR, function->name, NULL, 0);
    return (struct ts_value){.type = t, .ref = v, .function = function};
}

static bool from_symbol(struct ts_body *body, struct ts_symbol *symbol, struct ts_record *home, struct ts_value *out) {
    int64_t value;
    switch (symbol->kind) {
    case TS_SYM_ENUMERATOR:
        if (ts_enumerator(body->u, symbol, &value))
            *out = ts_rvalue_of(cw_fn_const(body->fn, CW_I32, value), ts_scalar(body->u, CW_I32, true));
        else
            *out = ts_unknown(body, ts_scalar(body->u, CW_I32, true), ts_why(body, CW_BAIL_UNRESOLVED_NAME), NULL, 0);
        return true;
    case TS_SYM_VARIABLE: *out = lower_global(body, symbol, home); return true;
    case TS_SYM_FUNCTION: *out = function_name(body, symbol->function); return true;
    default: return false;
    }
}

static bool from_binding(struct ts_body *body, const char *name, struct ts_value *out) {
    const struct ts_binding *p = ts_find_binding(body->s.env, name);
    if (!p || p->is_type)
        return false;
    if (p->is_pack) {
        *out = ts_unknown(body, body->u->unknown_type, CW_BAIL_DEPENDENT, NULL, 0);
        return true;
    }
    if (p->is_known && p->type->form == TS_FORM_SCALAR)
        *out = ts_rvalue_of(cw_fn_const(body->fn, p->type->kind.type, p->value), p->type);
    else if (p->is_known)
        *out = ts_rvalue_of(cw_fn_const(body->fn, CW_I32, p->value), ts_scalar(body->u, CW_I32, true));
    else if (p->param.tag == CW_REF_TPARAM)
        *out = ts_rvalue_of(p->param, p->type);
    else
        *out = ts_unknown(body, p->type, CW_BAIL_DEPENDENT, NULL, 0);
    return true;
}

static bool from_record(struct ts_body *body, const char *name, struct ts_value *out) {
    const struct ts_field *f;
    struct ts_record *home;
    uint64_t offset;
    if (!body->s.record)
        return false;
    if (body->this_ptr.tag != CW_REF_NONE && ts_find_field(body->u, body->s.record, name, &f, &offset)) {
        *out = ts_place_of(cw_at_offset(body->at, body->this_ptr, offset), f->type);
        out->is_bit_field = f->is_bit_field;
        if (f->type->form == TS_FORM_REFERENCE)
            *out = ts_place_of(cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, out->ref), f->type->of);
        return true;
    }
    struct ts_symbol *y = ts_find_member(body->u, body->s.record, name, &home, &offset);
    return y && from_symbol(body, y, home, out);
}

static bool qualified_value(struct ts_body *body, TSNode node, struct ts_value *out) {
    TSNode scope = ts_field(node, "scope");
    const char *name = ts_name(body->u, ts_last_name(body->u, node));
    const struct ts_type *t = ts_node_is_null(scope) ? NULL : ts_named_type(&body->s, scope);
    struct ts_record *home;
    uint64_t offset;
    if (t && t->form == TS_FORM_RECORD) {
        struct ts_symbol *y = ts_find_member(body->u, t->record, name, &home, &offset);
        return y && from_symbol(body, y, home, out);
    }
    for (struct ts_symbol *y = ts_symbols(body->u, name); y; y = y->next)
        if ((!t || y->kind == TS_SYM_ENUMERATOR) && from_symbol(body, y, NULL, out)) /* color::red, or of a namespace */
            return true;
    return false;
}

bool ts_name_value(struct ts_body *body, TSNode node, struct ts_value *out) {
    if (ts_is(body->u, node, TS_QUALIFIED))
        return qualified_value(body, node, out);
    const char *name = ts_name(body->u, ts_last_name(body->u, node));
    const struct ts_local *l = ts_find_local(body, name);
    enum cw_sreg first = builtin_vector(&body->s, node);
    if (l && l->is_type)
        return false;
    if (l && l->is_pack) {
        *out = ts_unknown(body, body->u->unknown_type, CW_BAIL_DEPENDENT, NULL, 0);
        return true;
    }
    if (l) {
        *out = ts_place_of(l->addr, l->type);
        return true;
    }
    if (from_binding(body, name, out) || from_record(body, name, out))
        return true;
    if (first != CW_NSREGS) {
        *out = materialise_sreg(body, first);
        return true;
    }
    if (strcmp(name, "warpSize") == 0) {
        *out = ts_rvalue_of(sreg_ref(CW_WARPSIZE), ts_scalar(body->u, CW_I32, true));
        return true;
    }
    for (struct ts_symbol *y = ts_symbols(body->u, name); y; y = y->next)
        if (from_symbol(body, y, NULL, out))
            return true;
    return false;
}

bool ts_is_variable(struct ts_scope *scope, TSNode node) {
    const char *name = ts_name(scope->u, ts_last_name(scope->u, node));
    const struct ts_field *f;
    uint64_t offset;
    if (scope->record && !ts_is(scope->u, node, TS_QUALIFIED) &&
        ts_find_field(scope->u, scope->record, name, &f, &offset))
        return true;
    for (struct ts_symbol *y = ts_symbols(scope->u, name); y; y = y->next)
        if (y->kind == TS_SYM_VARIABLE)
            return true;
    return false;
}

/* ---- declarations in a body ---- */

static bool is_auto(const struct ts_unit *unit, TSNode declaration) {
    TSNode type = ts_field(declaration, "type");
    return ts_is(unit, type, TS_PLACEHOLDER) || cw_str_is(ts_text(unit, type), "auto");
}

/* The type `auto` stands for: that of the value, without a reference. */
static const struct ts_type *deduce_type(struct ts_body *body, const struct ts_value *value, TSNode declaration) {
    const struct ts_type *t = ts_plain(value->type);
    if (t->form == TS_FORM_ARRAY)
        t = ts_pointer_to(body->u, t->of);
    struct ts_type *plain = CW_NEW(&body->u->scratch, struct ts_type);
    *plain = *t;
    plain->is_const = plain->is_volatile = false;
    return ts_qualified(body->u, plain, ts_has_word(body->u, declaration, "const"), false);
}

static TSNode value_of(const struct ts_unit *unit, TSNode declarator) {
    TSNode v = ts_is(unit, declarator, TS_INIT_DECLARATOR) ? ts_field(declarator, "value") : ts_none();
    return v;
}

static void declare_auto(struct ts_body *body, TSNode declaration, TSNode declarator, const char *name, TSNode init) {
    TSNode inner = ts_field(declarator, "declarator");
    bool is_reference = ts_is(body->u, inner, TS_REFERENCE_DECLARATOR);
    if ((ts_is(body->u, init, TS_INITIALIZER_LIST) || ts_is(body->u, init, TS_ARGUMENTS)) &&
        ts_node_named_child_count(init) == 1)
        init = ts_node_named_child(init, 0);
    struct ts_value v = is_reference ? ts_glvalue(body, init) : ts_expr(body, init);
    if (is_reference) {
        ts_bind(body, name, ts_address(body, v), ts_plain(v.type));
        return;
    }
    const struct ts_type *t = deduce_type(body, &v, declaration);
    if (ts_is(body->u, init, TS_LAMBDA) && v.is_place) { /* it is that object */
        ts_bind(body, name, v.ref, t);
        return;
    }
    cw_ref at = ts_temp(body, t, name);
    struct ts_function *f = v.function;
    if (t->form == TS_FORM_RECORD || t->form == TS_FORM_CLOSURE)
        ts_copy(body, at, v.ref, t);
    else
        ts_store(body, ts_rvalue(body, v).ref, at, t);
    ts_bind(body, name, at, t);
    if (f && body->locals.n)
        cw_vec_last(&body->locals).init = init;
}

static void bind_reference(struct ts_body *body, const char *name, TSNode init, const struct ts_type *type) {
    if ((ts_is(body->u, init, TS_INITIALIZER_LIST) || ts_is(body->u, init, TS_ARGUMENTS)) &&
        ts_node_named_child_count(init) == 1)
        init = ts_node_named_child(init, 0);
    cw_ref at = ts_node_is_null(init) ? cw_emit_opaque(body->at, CW_PTR, CW_BAIL_UNRESOLVED_NAME, NULL, 0) : CW_NONE;
    if (at.tag == CW_REF_NONE) {
        struct ts_value v = ts_glvalue(body, init);
        bool same = v.is_place && (ts_is_object(type->of) || ts_type_same(ts_plain(v.type), type->of) ||
                                   type->of->form == TS_FORM_UNKNOWN || v.type->form == TS_FORM_UNKNOWN);
        if (!same && !ts_is_object(v.type))
            v = ts_rvalue_of(ts_convert(body, v, type->of), type->of);
        at = ts_address(body, v);
    }
    ts_bind(body, name, at, type->of);
}

/* `int s[] = {1, 2, 3}` */
static const struct ts_type *complete_type(struct ts_body *body, const struct ts_type *type, TSNode init) {
    if (type->form != TS_FORM_ARRAY || type->count >= 0 || ts_node_is_null(init))
        return type;
    if (ts_is(body->u, init, TS_INITIALIZER_LIST))
        return ts_array_of(body->u, type->of, ts_each_count(&body->s, init));
    if (ts_is(body->u, init, TS_STRING))
        return ts_array_of(body->u, type->of, (int64_t)ts_text(body->u, init).n - 1);
    return type;
}

static void declare_object(struct ts_body *body, TSNode declaration, TSNode declarator, const char *name,
                           const struct ts_type *type, TSNode init) {
    enum cw_space space = space_of(body->u, declaration, true);
    struct cw_object o = ts_object(body, name, type, space);
    if (space == CW_SPACE_DYNSHARED)
        o.key = "dynshared", o.size = 0;
    else if (space != CW_SPACE_LOCAL)
        o.key = intern_text(body, cw_arena_printf(&body->u->scratch, "%s/%s@%u", body->self->key, name,
                                                  ts_node_start_byte(declarator)));
    cw_ref at = cw_fn_add_object(body->fn, o);
    ts_bind(body, name, at, type);
    struct ts_local *l = &cw_vec_last(&body->locals);
    bool is_const =
        type->is_const && type->form == TS_FORM_SCALAR && cw_type_is_int(type->kind.type) && !ts_node_is_null(init);
    TSNode value = init;
    if (is_const && ts_is(body->u, init, TS_INITIALIZER_LIST) && ts_node_named_child_count(init) == 1)
        value = ts_node_named_child(init, 0);
    l->init = init;
    if (is_const && !type->is_volatile) {
        int64_t known;
        const char *own = l->name;
        l->name = NULL; /* not visible in its own initialiser */
        bool has = ts_eval(&body->s, value, &known);
        l = &cw_vec_last(&body->locals);
        l->name = own;
        l->has_value = has;
        l->value = known;
    }
    if (space == CW_SPACE_LOCAL && ts_node_has_error(declarator)) /* the initialiser may hold what follows it */
        ts_broken(body, declarator);
    if (space == CW_SPACE_LOCAL && !ts_node_is_null(init))
        ts_init(body, init, at, type);
    else if (space == CW_SPACE_LOCAL)
        ts_default_init(body, at, type);
}

static void declare_bindings(struct ts_body *body, TSNode declarator, TSNode init) {
    TSNode list = ts_field(declarator, "declarator");
    struct ts_value v = ts_expr(body, init);
    const struct ts_type *t = ts_plain(v.type);
    uint32_t n = ts_node_named_child_count(list);
    bool is_record = t->form == TS_FORM_RECORD && t->record->is_known && t->record->fields.n == n;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = ts_name(body->u, ts_node_named_child(list, i));
        if (is_record) {
            const struct ts_field *f = &t->record->fields.at[i];
            ts_bind(body, name, cw_at_offset(body->at, v.ref, f->offset), f->type);
        } else {
            ts_degrade(body, CW_BAIL_UNSUPPORTED_STMT);
            ts_bind(body, name, cw_emit_opaque(body->at, CW_PTR, CW_BAIL_UNSUPPORTED_STMT, NULL, 0),
                    body->u->unknown_type);
        }
    }
}

static bool names_function(struct ts_body *body, TSNode declarator) {
    return !ts_node_is_null(ts_function_declarator(body->u, declarator));
}

void ts_declare_one(struct ts_body *body, TSNode declaration, TSNode declarator, const struct ts_type *base) {
    uint32_t outer = body->at.loc;
    TSNode init = value_of(body->u, declarator);
    if (ts_is(body->u, ts_field(declarator, "declarator"), TS_STRUCTURED_BINDING)) {
        declare_bindings(body, declarator, init);
        return;
    }
    if (names_function(body, declarator))
        return;
    const char *name = ts_declared_name(body->u, declarator);
    struct cw_loc loc = ts_place_between(body->u, declaration, declarator);
    body->at.loc = loc.span.line ? cw_fn_add_loc(body->fn, loc) : outer;
    if (is_auto(body->u, declaration) && !ts_node_is_null(init)) {
        declare_auto(body, declaration, declarator, name, init);
    } else {
        const struct ts_type *t = complete_type(body, ts_declarator_type(&body->s, base, declarator), init);
        if (t->form == TS_FORM_REFERENCE)
            bind_reference(body, name, init, t);
        else
            declare_object(body, declaration, declarator, name, t, init);
    }
    body->at.loc = outer;
}

static void local_type(struct ts_body *body, const char *name, const struct ts_type *type) {
    ts_bind(body, name, CW_NONE, type);
    cw_vec_last(&body->locals).is_type = true;
}

/* `struct S {…} x;` inside a function. */
static void local_class(struct ts_body *body, TSNode type) {
    enum ts_kind k = ts_kind(body->u, type);
    if ((k == TS_STRUCT || k == TS_CLASS || k == TS_UNION) && !ts_node_is_null(ts_field(type, "body"))) {
        const struct ts_type *t = ts_type_node(&body->s, type);
        if (!ts_node_is_null(ts_field(type, "name")))
            local_type(body, ts_name(body->u, ts_field(type, "name")), t);
    } else if (k == TS_ENUM) {
        ts_index_declaration(body->u, type, ts_none(), NULL);
    }
}

void ts_declare(struct ts_body *body, TSNode declaration) {
    enum ts_kind k = ts_kind(body->u, declaration);
    if (k == TS_STRUCT || k == TS_CLASS || k == TS_UNION || k == TS_ENUM) {
        local_class(body, declaration);
        return;
    }
    local_class(body, ts_field(declaration, "type"));
    const struct ts_type *base = ts_declaration_type(&body->s, declaration);
    if (k == TS_ALIAS) {
        local_type(body, ts_name(body->u, ts_field(declaration, "name")), base);
        return;
    }
    uint32_t n = ts_node_child_count(declaration);
    for (uint32_t i = 0; i < n; i++) {
        const char *role = ts_node_field_name_for_child(declaration, i);
        TSNode d = ts_node_child(declaration, i);
        if (!role || strcmp(role, "declarator") != 0)
            continue;
        if (k == TS_TYPE_DEFINITION)
            local_type(body, ts_declared_name(body->u, d), ts_declarator_type(&body->s, base, d));
        else
            ts_declare_one(body, declaration, d, base);
    }
}
