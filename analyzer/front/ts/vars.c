/* Variables: what a name stands for. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_LOCALS = 20000 };

static const struct {
    const char *name;
    enum cw_sreg first;
} builtin_vectors[] = {
    {"threadIdx", CW_TID_X}, {"blockIdx", CW_CTAID_X}, {"blockDim", CW_NTID_X}, {"gridDim", CW_NCTAID_X}};

static cw_ref sreg(uint32_t r) {
    return cw_ref_of(CW_REF_SREG, r);
}

static bool is_shadowed(struct ts_scope *s, const char *name) {
    return (s->body && ts_find_local(s->body, name)) || ts_find_binding(s->env, name);
}

/* The first register when the name is threadIdx and the like, CW_NSREGS otherwise. */
static enum cw_sreg builtin_vector(struct ts_scope *s, TSNode e) {
    if (!ts_is(s->u, e, TS_IDENTIFIER))
        return CW_NSREGS;
    cw_str text = ts_text(s->u, e);
    for (size_t i = 0; i < sizeof builtin_vectors / sizeof *builtin_vectors; i++)
        if (cw_str_is(text, builtin_vectors[i].name))
            return is_shadowed(s, ts_name(s->u, e)) ? CW_NSREGS : builtin_vectors[i].first;
    return CW_NSREGS;
}

/* threadIdx.x */
bool ts_sreg(struct ts_body *b, TSNode e, cw_ref *value) {
    enum cw_sreg first = builtin_vector(&b->s, ts_field(e, "argument"));
    cw_str axis = ts_text(b->u, ts_field(e, "field"));
    if (first == CW_NSREGS || axis.n != 1 || axis.at[0] < 'x' || axis.at[0] > 'z')
        return false;
    *value = sreg((uint32_t)first + (uint32_t)(axis.at[0] - 'x'));
    return true;
}

static const struct ts_type *vector_type(struct ts_body *b, const char *name) {
    struct ts_symbol *y = ts_symbols(b->u, cw_intern(&b->u->module->names, name));
    return y && y->cls ? ts_record_type(b->u, ts_record_plain(b->u, y->cls, NULL))
                       : ts_array_of(b->u, ts_scalar(b->u, CW_I32, false), 3);
}

/* threadIdx as a whole is copied to a temporary. */
static struct ts_value materialise(struct ts_body *b, enum cw_sreg first) {
    const struct ts_type *t = vector_type(b, first == CW_NTID_X || first == CW_NCTAID_X ? "dim3" : "uint3");
    cw_ref at = ts_temp(b, t, "temporary");
    for (uint32_t i = 0; i < 3; i++)
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 4, sreg((uint32_t)first + i), ts_offset(b, at, 4 * i));
    return ts_place_of(at, t);
}

const struct ts_local *ts_find_local(const struct ts_body *b, const char *name) {
    for (uint32_t i = b->locals.n; i-- > 0;)
        if (b->locals.at[i].name == name)
            return &b->locals.at[i];
    return NULL;
}

void ts_bind(struct ts_body *b, const char *name, cw_ref addr, const struct ts_type *t) {
    if (b->locals.n < MAX_LOCALS)
        cw_vec_push(&b->u->scratch, &b->locals,
                    ((struct ts_local){.name = name, .addr = addr, .type = t, .init = ts_none()}));
}

/* ---- globals ---- */

static enum cw_space space_of(struct ts_unit *u, TSNode declaration, bool is_local) {
    if (ts_has_word(u, declaration, "__shared__"))
        return ts_has_word(u, declaration, "extern") ? CW_SPACE_DYNSHARED : CW_SPACE_SHARED;
    if (ts_has_word(u, declaration, "__constant__"))
        return CW_SPACE_CONSTANT;
    bool is_static = ts_has_word(u, declaration, "static") || ts_has_word(u, declaration, "extern");
    return !is_local || is_static || ts_has_word(u, declaration, "__device__") ? CW_SPACE_GLOBAL : CW_SPACE_LOCAL;
}

static const char *interned(struct ts_body *b, const char *text) {
    return cw_intern(&b->u->module->names, text);
}

static const struct ts_type *symbol_type(struct ts_body *b, struct ts_symbol *y, struct ts_record *home) {
    struct ts_scope at = {.u = b->u, .env = home ? home->env : NULL, .record = home, .cls = y->owner};
    const struct ts_type *t = ts_declarator_type(&at, ts_declaration_type(&at, y->node), y->declarator);
    TSNode value = ts_is(b->u, y->declarator, TS_INIT_DECLARATOR) ? ts_field(y->declarator, "value") : ts_none();
    if (t->form == TS_FORM_ARRAY && t->count < 0 && ts_is(b->u, value, TS_INITIALIZER_LIST))
        return ts_array_of(b->u, t->of, ts_node_named_child_count(value));
    return t;
}

static struct ts_value global(struct ts_body *b, struct ts_symbol *y, struct ts_record *home) {
    struct ts_scope at = {.u = b->u, .env = home ? home->env : NULL, .record = home, .cls = y->owner};
    const struct ts_type *t = symbol_type(b, y, home);
    int64_t value;
    if (!ts_node_is_null(y->tmpl)) { /* a variable template: which of its specialisations is meant is not looked at */
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR);
        return ts_unknown(b, t, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    if (y->state != 3 && (t->is_const || t->form == TS_FORM_UNKNOWN) &&
        ts_eval(&at, ts_declarator_name(b->u, y->declarator), &value) &&
        (t->form == TS_FORM_UNKNOWN ||
         (t->form == TS_FORM_SCALAR && cw_type_is_int(t->kind.type) && !t->is_volatile))) {
        const struct ts_type *of =
            t->form == TS_FORM_SCALAR ? t : ts_scalar(b->u, value > INT32_MAX ? CW_I64 : CW_I32, true);
        return ts_rvalue_of(cw_fn_const(b->fn, of->kind.type, value), of);
    }
    struct cw_object o = ts_object(b, y->name, t, space_of(b->u, y->node, false));
    o.loc = ts_loc(b, y->declarator);
    o.key = o.space == CW_SPACE_DYNSHARED
                ? "dynshared"
                : interned(b, cw_arena_printf(&b->u->scratch, "%svar:%s::%s", b->u->key_prefix,
                                              y->owner ? y->owner->name : "", y->name));
    if (o.space == CW_SPACE_DYNSHARED)
        o.size = 0;
    cw_ref addr = cw_fn_add_object(b->fn, o);
    if (t->form == TS_FORM_REFERENCE)
        return ts_place_of(cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, addr), t->of);
    return ts_place_of(addr, t);
}

/* ---- names ---- */

static struct ts_value function_name(struct ts_body *b, struct ts_function *f) {
    struct ts_type *t = CW_NEW(&b->u->scratch, struct ts_type);
    *t = (struct ts_type){
        .form = TS_FORM_FUNCTION, .kind = {CW_PTR, false}, .size = 8, .align = 8, .count = -1, .tile = -1};
    if (ts_node_is_null(f->tmpl)) { /* of a template it would take the arguments too */
        t->target = f;
        t->name = cw_intern(&b->u->module->names, cw_arena_printf(&b->u->scratch, "%s@%u", f->name, f->index));
    }
    cw_ref v = cw_emit_pure(b->at, CW_PTR, f->name, NULL, 0);
    return (struct ts_value){.type = t, .ref = v, .function = f};
}

static bool from_symbol(struct ts_body *b, struct ts_symbol *y, struct ts_record *home, struct ts_value *out) {
    int64_t value;
    switch (y->kind) {
    case TS_SYM_ENUMERATOR:
        if (ts_enumerator(b->u, y, &value))
            *out = ts_rvalue_of(cw_fn_const(b->fn, CW_I32, value), ts_scalar(b->u, CW_I32, true));
        else
            *out = ts_unknown(b, ts_scalar(b->u, CW_I32, true), ts_why(b, CW_BAIL_UNRESOLVED_NAME), NULL, 0);
        return true;
    case TS_SYM_VARIABLE: *out = global(b, y, home); return true;
    case TS_SYM_FUNCTION: *out = function_name(b, y->function); return true;
    default: return false;
    }
}

static bool from_binding(struct ts_body *b, const char *name, struct ts_value *out) {
    const struct ts_binding *p = ts_find_binding(b->s.env, name);
    if (!p || p->is_type)
        return false;
    if (p->is_pack) {
        *out = ts_unknown(b, b->u->unknown_type, CW_BAIL_DEPENDENT, NULL, 0);
        return true;
    }
    if (p->is_known && p->type->form == TS_FORM_SCALAR)
        *out = ts_rvalue_of(cw_fn_const(b->fn, p->type->kind.type, p->value), p->type);
    else if (p->is_known)
        *out = ts_rvalue_of(cw_fn_const(b->fn, CW_I32, p->value), ts_scalar(b->u, CW_I32, true));
    else if (p->param.tag == CW_REF_TPARAM)
        *out = ts_rvalue_of(p->param, p->type);
    else
        *out = ts_unknown(b, p->type, CW_BAIL_DEPENDENT, NULL, 0);
    return true;
}

static bool from_record(struct ts_body *b, const char *name, struct ts_value *out) {
    const struct ts_field *f;
    struct ts_record *home;
    uint64_t offset;
    if (!b->s.record)
        return false;
    if (b->this_ptr.tag != CW_REF_NONE && ts_find_field(b->u, b->s.record, name, &f, &offset)) {
        *out = ts_place_of(ts_offset(b, b->this_ptr, offset), f->type);
        out->is_bit_field = f->is_bit_field;
        if (f->type->form == TS_FORM_REFERENCE)
            *out = ts_place_of(cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, out->ref), f->type->of);
        return true;
    }
    struct ts_symbol *y = ts_find_member(b->u, b->s.record, name, &home, &offset);
    return y && from_symbol(b, y, home, out);
}

static bool qualified_value(struct ts_body *b, TSNode e, struct ts_value *out) {
    TSNode scope = ts_field(e, "scope");
    const char *name = ts_name(b->u, ts_last_name(b->u, e));
    const struct ts_type *t = ts_node_is_null(scope) ? NULL : ts_named_type(&b->s, scope);
    struct ts_record *home;
    uint64_t offset;
    if (t && t->form == TS_FORM_RECORD) {
        struct ts_symbol *y = ts_find_member(b->u, t->record, name, &home, &offset);
        return y && from_symbol(b, y, home, out);
    }
    for (struct ts_symbol *y = ts_symbols(b->u, name); y; y = y->next)
        if ((!t || y->kind == TS_SYM_ENUMERATOR) && from_symbol(b, y, NULL, out)) /* color::red, or of a namespace */
            return true;
    return false;
}

bool ts_name_value(struct ts_body *b, TSNode e, struct ts_value *out) {
    if (ts_is(b->u, e, TS_QUALIFIED))
        return qualified_value(b, e, out);
    const char *name = ts_name(b->u, ts_last_name(b->u, e));
    const struct ts_local *l = ts_find_local(b, name);
    enum cw_sreg first = builtin_vector(&b->s, e);
    if (l && l->is_type)
        return false;
    if (l && l->is_pack) {
        *out = ts_unknown(b, b->u->unknown_type, CW_BAIL_DEPENDENT, NULL, 0);
        return true;
    }
    if (l) {
        *out = ts_place_of(l->addr, l->type);
        return true;
    }
    if (from_binding(b, name, out) || from_record(b, name, out))
        return true;
    if (first != CW_NSREGS) {
        *out = materialise(b, first);
        return true;
    }
    if (strcmp(name, "warpSize") == 0) {
        *out = ts_rvalue_of(sreg(CW_WARPSIZE), ts_scalar(b->u, CW_I32, true));
        return true;
    }
    for (struct ts_symbol *y = ts_symbols(b->u, name); y; y = y->next)
        if (from_symbol(b, y, NULL, out))
            return true;
    return false;
}

bool ts_is_variable(struct ts_scope *s, TSNode e) {
    const char *name = ts_name(s->u, ts_last_name(s->u, e));
    const struct ts_field *f;
    uint64_t offset;
    if (s->record && !ts_is(s->u, e, TS_QUALIFIED) && ts_find_field(s->u, s->record, name, &f, &offset))
        return true;
    for (struct ts_symbol *y = ts_symbols(s->u, name); y; y = y->next)
        if (y->kind == TS_SYM_VARIABLE)
            return true;
    return false;
}

/* ---- declarations in a body ---- */

static bool is_auto(const struct ts_unit *u, TSNode declaration) {
    TSNode type = ts_field(declaration, "type");
    return ts_is(u, type, TS_PLACEHOLDER) || cw_str_is(ts_text(u, type), "auto");
}

/* The type `auto` stands for: that of the value, without a reference. */
static const struct ts_type *deduced(struct ts_body *b, const struct ts_value *v, TSNode declaration) {
    const struct ts_type *t = ts_plain(v->type);
    if (t->form == TS_FORM_ARRAY)
        t = ts_pointer_to(b->u, t->of);
    struct ts_type *plain = CW_NEW(&b->u->scratch, struct ts_type);
    *plain = *t;
    plain->is_const = plain->is_volatile = false;
    return ts_qualified(b->u, plain, ts_has_word(b->u, declaration, "const"), false);
}

static TSNode value_of(const struct ts_unit *u, TSNode declarator) {
    TSNode v = ts_is(u, declarator, TS_INIT_DECLARATOR) ? ts_field(declarator, "value") : ts_none();
    return v;
}

static void declare_auto(struct ts_body *b, TSNode declaration, TSNode declarator, const char *name, TSNode init) {
    TSNode inner = ts_field(declarator, "declarator");
    bool is_reference = ts_is(b->u, inner, TS_REFERENCE_DECLARATOR);
    if ((ts_is(b->u, init, TS_INITIALIZER_LIST) || ts_is(b->u, init, TS_ARGUMENTS)) &&
        ts_node_named_child_count(init) == 1)
        init = ts_node_named_child(init, 0);
    struct ts_value v = is_reference ? ts_glvalue(b, init) : ts_expr(b, init);
    if (is_reference) {
        ts_bind(b, name, ts_address(b, v), ts_plain(v.type));
        return;
    }
    const struct ts_type *t = deduced(b, &v, declaration);
    if (ts_is(b->u, init, TS_LAMBDA) && v.is_place) { /* it is that object */
        ts_bind(b, name, v.ref, t);
        return;
    }
    cw_ref at = ts_temp(b, t, name);
    struct ts_function *f = v.function;
    if (t->form == TS_FORM_RECORD || t->form == TS_FORM_CLOSURE)
        ts_copy(b, at, v.ref, t);
    else
        ts_store(b, ts_rvalue(b, v).ref, at, t);
    ts_bind(b, name, at, t);
    if (f && b->locals.n)
        cw_vec_last(&b->locals).init = init;
}

static void bind_reference(struct ts_body *b, const char *name, TSNode init, const struct ts_type *t) {
    if ((ts_is(b->u, init, TS_INITIALIZER_LIST) || ts_is(b->u, init, TS_ARGUMENTS)) &&
        ts_node_named_child_count(init) == 1)
        init = ts_node_named_child(init, 0);
    cw_ref at = ts_node_is_null(init) ? cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNRESOLVED_NAME, NULL, 0) : CW_NONE;
    if (at.tag == CW_REF_NONE) {
        struct ts_value v = ts_glvalue(b, init);
        bool same = v.is_place && (ts_is_object(t->of) || ts_type_same(ts_plain(v.type), t->of) ||
                                   t->of->form == TS_FORM_UNKNOWN || v.type->form == TS_FORM_UNKNOWN);
        if (!same && !ts_is_object(v.type))
            v = ts_rvalue_of(ts_convert(b, v, t->of), t->of);
        at = ts_address(b, v);
    }
    ts_bind(b, name, at, t->of);
}

/* `int s[] = {1, 2, 3}` */
static const struct ts_type *completed(struct ts_body *b, const struct ts_type *t, TSNode init) {
    if (t->form != TS_FORM_ARRAY || t->count >= 0 || ts_node_is_null(init))
        return t;
    if (ts_is(b->u, init, TS_INITIALIZER_LIST))
        return ts_array_of(b->u, t->of, ts_each_count(&b->s, init));
    if (ts_is(b->u, init, TS_STRING))
        return ts_array_of(b->u, t->of, (int64_t)ts_text(b->u, init).n - 1);
    return t;
}

static void declare_object(struct ts_body *b, TSNode declaration, TSNode declarator, const char *name,
                           const struct ts_type *t, TSNode init) {
    enum cw_space space = space_of(b->u, declaration, true);
    struct cw_object o = ts_object(b, name, t, space);
    if (space == CW_SPACE_DYNSHARED)
        o.key = "dynshared", o.size = 0;
    else if (space != CW_SPACE_LOCAL)
        o.key = interned(
            b, cw_arena_printf(&b->u->scratch, "%s/%s@%u", b->self->key, name, ts_node_start_byte(declarator)));
    cw_ref at = cw_fn_add_object(b->fn, o);
    ts_bind(b, name, at, t);
    struct ts_local *l = &cw_vec_last(&b->locals);
    bool is_const = t->is_const && t->form == TS_FORM_SCALAR && cw_type_is_int(t->kind.type) && !ts_node_is_null(init);
    TSNode value = init;
    if (is_const && ts_is(b->u, init, TS_INITIALIZER_LIST) && ts_node_named_child_count(init) == 1)
        value = ts_node_named_child(init, 0);
    l->init = init;
    if (is_const && !t->is_volatile) {
        int64_t known;
        const char *own = l->name;
        l->name = NULL; /* not visible in its own initialiser */
        bool has = ts_eval(&b->s, value, &known);
        l = &cw_vec_last(&b->locals);
        l->name = own;
        l->has_value = has;
        l->value = known;
    }
    if (space == CW_SPACE_LOCAL && ts_node_has_error(declarator)) /* the initialiser may hold what follows it */
        ts_broken(b, declarator);
    if (space == CW_SPACE_LOCAL && !ts_node_is_null(init))
        ts_init(b, init, at, t);
    else if (space == CW_SPACE_LOCAL)
        ts_default_init(b, at, t);
}

static void declare_bindings(struct ts_body *b, TSNode declarator, TSNode init) {
    TSNode list = ts_field(declarator, "declarator");
    struct ts_value v = ts_expr(b, init);
    const struct ts_type *t = ts_plain(v.type);
    uint32_t n = ts_node_named_child_count(list);
    bool is_record = t->form == TS_FORM_RECORD && t->record->is_known && t->record->fields.n == n;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = ts_name(b->u, ts_node_named_child(list, i));
        if (is_record) {
            const struct ts_field *f = &t->record->fields.at[i];
            ts_bind(b, name, ts_offset(b, v.ref, f->offset), f->type);
        } else {
            ts_degrade(b, CW_BAIL_UNSUPPORTED_STMT);
            ts_bind(b, name, cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNSUPPORTED_STMT, NULL, 0), b->u->unknown_type);
        }
    }
}

static bool names_function(struct ts_body *b, TSNode declarator) {
    return !ts_node_is_null(ts_function_declarator(b->u, declarator));
}

void ts_declare_one(struct ts_body *b, TSNode declaration, TSNode declarator, const struct ts_type *base) {
    uint32_t outer = b->at.loc;
    TSNode init = value_of(b->u, declarator);
    if (ts_is(b->u, ts_field(declarator, "declarator"), TS_STRUCTURED_BINDING)) {
        declare_bindings(b, declarator, init);
        return;
    }
    if (names_function(b, declarator))
        return;
    const char *name = ts_declared_name(b->u, declarator);
    struct cw_loc loc = ts_place_between(b->u, declaration, declarator);
    b->at.loc = loc.span.line ? cw_fn_add_loc(b->fn, loc) : outer;
    if (is_auto(b->u, declaration) && !ts_node_is_null(init)) {
        declare_auto(b, declaration, declarator, name, init);
    } else {
        const struct ts_type *t = completed(b, ts_declarator_type(&b->s, base, declarator), init);
        if (t->form == TS_FORM_REFERENCE)
            bind_reference(b, name, init, t);
        else
            declare_object(b, declaration, declarator, name, t, init);
    }
    b->at.loc = outer;
}

static void local_type(struct ts_body *b, const char *name, const struct ts_type *t) {
    ts_bind(b, name, CW_NONE, t);
    cw_vec_last(&b->locals).is_type = true;
}

/* `struct S {…} x;` inside a function. */
static void local_class(struct ts_body *b, TSNode type) {
    enum ts_kind k = ts_kind(b->u, type);
    if ((k == TS_STRUCT || k == TS_CLASS || k == TS_UNION) && !ts_node_is_null(ts_field(type, "body"))) {
        const struct ts_type *t = ts_type_node(&b->s, type);
        if (!ts_node_is_null(ts_field(type, "name")))
            local_type(b, ts_name(b->u, ts_field(type, "name")), t);
    } else if (k == TS_ENUM) {
        ts_index_declaration(b->u, type, ts_none(), NULL);
    }
}

void ts_declare(struct ts_body *b, TSNode declaration) {
    enum ts_kind k = ts_kind(b->u, declaration);
    if (k == TS_STRUCT || k == TS_CLASS || k == TS_UNION || k == TS_ENUM) {
        local_class(b, declaration);
        return;
    }
    local_class(b, ts_field(declaration, "type"));
    const struct ts_type *base = ts_declaration_type(&b->s, declaration);
    if (k == TS_ALIAS) {
        local_type(b, ts_name(b->u, ts_field(declaration, "name")), base);
        return;
    }
    uint32_t n = ts_node_child_count(declaration);
    for (uint32_t i = 0; i < n; i++) {
        const char *role = ts_node_field_name_for_child(declaration, i);
        TSNode d = ts_node_child(declaration, i);
        if (!role || strcmp(role, "declarator") != 0)
            continue;
        if (k == TS_TYPE_DEFINITION)
            local_type(b, ts_declared_name(b->u, d), ts_declarator_type(&b->s, base, d));
        else
            ts_declare_one(b, declaration, d, base);
    }
}
