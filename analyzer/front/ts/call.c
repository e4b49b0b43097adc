/* Calls.
 *
 * The convention between a CALL and its callee's parameters: [address of the result, when it is a class], [this],
 * then the parameters; a class by value goes by the address of a copy the caller made, a reference as a pointer. */
#include "front/ts/lower.h"

#include <string.h>

enum { SMALL_HOST_FUNCTION = 600, MAX_ARGUMENTS = 64 };

static bool has_body(struct ts_function *f) {
    return !ts_node_is_null(ts_field(f->node, "body"));
}

static uint32_t count(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

/* Whether evaluating the expression may change a variable: of a very large one that is not known. */
static bool may_change(const struct ts_unit *u, TSNode e) {
    enum { FAR = 400 };
    struct ts_walk w = ts_walk_of(e, FAR);
    bool found = false;
    for (TSNode node; !found && ts_walk_next(&w, &node);) {
        enum ts_kind k = ts_kind(u, node);
        found = k == TS_CALL || k == TS_ASSIGN || k == TS_UPDATE || k == TS_ASM;
    }
    ts_walk_end(&w);
    return found || w.is_cut;
}

struct ts_arguments ts_arguments(struct ts_body *b, TSNode list) {
    struct ts_arguments out = {0};
    uint32_t n = ts_each_count(&b->s, list);
    n = n < MAX_ARGUMENTS ? n : MAX_ARGUMENTS;
    out.at = CW_NEW_ARRAY(&b->u->scratch, struct ts_value, n);
    out.node = CW_NEW_ARRAY(&b->u->scratch, TSNode, n);
    TSNode arg;
    struct ts_each each = ts_each_of(&b->s, list);
    while (out.n < n && ts_each_next(&each, &arg)) {
        out.node[out.n] = arg;
        bool is_list = ts_is(b->u, arg, TS_INITIALIZER_LIST), is_changed = false;
        struct ts_value v = is_list ? ts_rvalue_of(CW_NONE, b->u->unknown_type) : ts_expr(b, arg);
        bool is_scalar = v.is_place && (v.type->form == TS_FORM_SCALAR || v.type->form == TS_FORM_POINTER);
        for (uint32_t k = each.next; k < each.count && is_scalar && !is_changed; k++)
            is_changed = may_change(b->u, ts_node_named_child(list, k));
        if (is_changed) /* it stays a place, for a reference may be bound to it; its value is that of now */
            v.early = ts_rvalue(b, v).ref;
        out.at[out.n++] = v;
    }
    ts_each_end(&each);
    return out;
}

/* ---- which function ---- */

static struct ts_scope scope_of(struct ts_body *b, const struct ts_env *env, struct ts_record *record,
                                struct ts_class *owner) {
    return (struct ts_scope){.u = b->u, .env = env, .record = record, .cls = owner};
}

static TSNode nth_parameter(const struct ts_unit *u, const struct ts_function *f, uint32_t index) {
    TSNode list = ts_field(f->declarator, "parameters");
    for (uint32_t i = 0, k = 0; i < count(list); i++) {
        TSNode p = ts_node_named_child(list, i);
        if ((ts_is(u, p, TS_PARAMETER) || ts_is(u, p, TS_OPTIONAL_PARAMETER)) && k++ == index)
            return p;
    }
    return ts_none();
}

/* How well an argument fits a parameter; below zero: not at all. */
static int fit(const struct ts_type *param, const struct ts_type *arg) {
    const struct ts_type *p = ts_plain(param), *a = ts_plain(arg);
    if (ts_type_same(p, a))
        return p->form == TS_FORM_UNKNOWN ? 2 : 8;
    if (p->form == TS_FORM_UNKNOWN || a->form == TS_FORM_UNKNOWN)
        return 2;
    if (p->form == TS_FORM_POINTER && (a->form == TS_FORM_POINTER || a->form == TS_FORM_ARRAY))
        return ts_type_same(p->of, a->of)       ? 7
               : p->of->form == TS_FORM_VOID    ? 4
               : p->of->form == TS_FORM_UNKNOWN ? 3
                                                : -20;
    if (p->form == TS_FORM_SCALAR && a->form == TS_FORM_SCALAR)
        return cw_type_is_int(p->kind.type) == cw_type_is_int(a->kind.type) ? 5 : 3;
    if (p->form == TS_FORM_GROUP && a->form == TS_FORM_GROUP)
        return 4;
    if (p->form == TS_FORM_RECORD && a->form == TS_FORM_SCALAR)
        return 0; /* a converting constructor, perhaps */
    return p->form == a->form && p->form != TS_FORM_RECORD ? 2 : -20;
}

static int score(struct ts_body *b, struct ts_function *f, const struct ts_arguments *args) {
    struct ts_scope s = scope_of(b, NULL, NULL, f->owner);
    struct ts_env *env = ts_node_is_null(f->tmpl) ? NULL : ts_env_make(&s, f->tmpl, ts_none(), NULL);
    if (env)
        ts_env_deduce(&s, env, f, args->at, args->n);
    s.env = env;
    int total = has_body(f) ? 4 : 0;
    total += f->is_device == (b->fn->kind != CW_FN_HOST) ? 2 : 0;
    total += env ? 0 : 1;
    for (uint32_t i = 0; i < args->n && i < f->nparams; i++)
        total += fit(ts_param_type(&s, nth_parameter(b->u, f, i)), args->at[i].type);
    return ts_node_is_null(f->pack) ? total : total - 1; /* the one without a pack is more special */
}

struct ts_function *ts_choose(struct ts_body *b, struct ts_symbol *first, const struct ts_arguments *args,
                              bool has_list) {
    struct ts_function *best = NULL;
    int best_score = -1000;
    uint32_t seen = 0;
    for (struct ts_symbol *y = first; y && seen < 64; y = y->next) {
        struct ts_function *f = y->kind == TS_SYM_FUNCTION ? y->function : NULL;
        bool fits = f && args->n >= f->nrequired && (args->n <= f->nparams || f->is_variadic) && !f->is_deleted &&
                    !f->is_specialisation && (!has_list || !ts_node_is_null(f->tmpl));
        if (!fits)
            continue;
        seen++;
        int s = score(b, f, args);
        if (s > best_score)
            best = f, best_score = s;
    }
    return best_score > -10 ? best : NULL;
}

/* ---- emission ---- */

struct refs {
    cw_ref *at;
    uint32_t n, cap;
};

static void add(struct ts_body *b, struct refs *to, cw_ref r) {
    if (r.tag != CW_REF_NONE)
        cw_vec_push(&b->u->scratch, to, r);
}

/* The value of an argument is read where the argument stands. */
static struct ts_value read_at(struct ts_body *b, struct ts_value v, TSNode node) {
    uint32_t outer = b->at.loc;
    b->at.loc = ts_loc(b, node);
    v = ts_rvalue(b, v);
    b->at.loc = outer;
    return v;
}

struct ts_value ts_opaque_call(struct ts_body *b, const char *name, const struct ts_type *result, enum cw_bail why,
                               cw_ref first, const struct ts_arguments *args) {
    struct refs refs = {0};
    const struct ts_type *r = ts_plain(result);
    cw_ref dest = ts_is_object(r) && result->form != TS_FORM_REFERENCE ? ts_temp(b, r, "result") : CW_NONE;
    add(b, &refs, dest);
    add(b, &refs, first);
    for (uint32_t i = 0; i < args->n; i++)
        ts_closure_refer(b, args->at[i].ref, args->at[i].type);
    for (uint32_t i = 0; i < args->n; i++)
        add(b, &refs,
            args->at[i].is_place && ts_is_object(args->at[i].type) ? args->at[i].ref
                                                                   : read_at(b, args->at[i], args->node[i]).ref);
    enum cw_type type = dest.tag != CW_REF_NONE ? CW_VOID : result->kind.type;
    cw_ref v = cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, type, why, refs.at, refs.n, b->at.loc);
    b->fn->ins.at[b->fn->ins.n - 1].name = name;
    if (dest.tag != CW_REF_NONE)
        return ts_place_of(dest, r);
    if (result->form == TS_FORM_REFERENCE)
        return ts_place_of(v, r);
    return ts_rvalue_of(type == CW_VOID ? CW_NONE : v, result);
}

/* A host function enters what launches, what is shared with the device, and small helpers like `divUp`. */
static bool may_enter(struct ts_body *b, struct ts_function *f) {
    if (!has_body(f) || f->is_kernel || ts_has_word(b->u, f->node, "virtual") ||
        (f->owner && f->owner->has_odd_members))
        return false;
    if (b->fn->kind != CW_FN_HOST)
        return true;
    return f->is_device || ts_launches(b->u, f) ||
           ts_node_end_byte(f->node) - ts_node_start_byte(f->node) < SMALL_HOST_FUNCTION;
}

static cw_ref unwritten(struct ts_body *b, const struct ts_type *t) {
    enum cw_type type =
        t->form == TS_FORM_VOID ? CW_AGG : t->kind.type; /* `void x` is broken code, or a pack's element */
    return cw_emit_opaque(b->at, ts_is_object(t) ? CW_PTR : type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
}

static cw_ref pass(struct ts_body *b, struct ts_value v, TSNode node, const struct ts_type *t) {
    if (ts_is(b->u, node, TS_INITIALIZER_LIST)) {
        cw_ref at = ts_temp(b, ts_plain(t), "argument");
        ts_init(b, node, at, ts_plain(t));
        return ts_is_object(t) || t->form == TS_FORM_REFERENCE ? at : ts_load(b, at, t);
    }
    if (t->form == TS_FORM_REFERENCE && !t->of->is_const && ts_is(b->u, node, TS_CONDITIONAL)) {
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR); /* a copy of one of the two, where a place is wanted */
        return cw_emit_opaque(b->at, CW_PTR, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    if (t->form == TS_FORM_REFERENCE) {
        bool converts = !ts_is_object(t->of) && !ts_is_object(v.type) && t->of->form != TS_FORM_UNKNOWN &&
                        v.type->form != TS_FORM_UNKNOWN && !ts_type_same(ts_plain(v.type), t->of);
        return ts_address(b, converts ? ts_rvalue_of(ts_convert(b, v, t->of), t->of) : v);
    }
    if (ts_is_object(t)) {
        cw_ref at = ts_temp(b, t, "argument");
        if (!v.is_place || !ts_is_object(v.type))
            ts_clobber(b, at, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &v.ref, v.ref.tag != CW_REF_NONE);
        else if (!ts_copy_by_user(b, at, v.ref, t))
            ts_copy(b, at, v.ref, t);
        return at;
    }
    cw_ref r = ts_convert(b, read_at(b, v, node), t);
    if (t->form == TS_FORM_VOID)
        return CW_NONE;
    if (r.tag != CW_REF_NONE && cw_ref_type(b->fn, r) != t->kind.type)
        r = cw_emit_pure(b->at, t->kind.type, "convert", &r, 1);
    return r;
}

/* A default argument is read in the callee's scope. */
static cw_ref default_argument(struct ts_body *b, struct ts_scope *callee, TSNode p, const struct ts_type *t) {
    TSNode value = ts_field(p, "default_value");
    if (ts_node_is_null(value))
        return unwritten(b, t);
    struct ts_scope own = b->s;
    uint32_t locals = b->locals.n;
    b->locals.n = 0;
    b->s.env = callee->env;
    b->s.record = callee->record;
    bool is_list = ts_is(b->u, value, TS_INITIALIZER_LIST);
    cw_ref r = pass(b, is_list ? ts_rvalue_of(CW_NONE, t) : ts_expr(b, value), value, t);
    b->s = own;
    b->locals.n = locals;
    return r;
}

static void pass_arguments(struct ts_body *b, struct ts_function *f, struct ts_scope *callee,
                           const struct ts_arguments *args, struct refs *out) {
    for (uint32_t i = 0; i < f->nparams; i++) {
        TSNode p = nth_parameter(b->u, f, i);
        const struct ts_type *t = ts_param_type(callee, p);
        cw_ref r = i < args->n ? pass(b, args->at[i], args->node[i], t) : default_argument(b, callee, p, t);
        add(b, out, r.tag == CW_REF_NONE ? unwritten(b, t) : r);
    }
    const struct ts_env *env = callee->env;
    int64_t more = ts_node_is_null(f->pack) ? 0 : ts_pack_length(callee, f->pack);
    for (uint32_t k = 0; (int64_t)k < more && f->nparams + k < args->n; k++) {
        uint32_t i = f->nparams + k;
        ts_pick(callee, f->pack, k);
        const struct ts_type *t = ts_param_type(callee, f->pack);
        cw_ref r = pass(b, args->at[i], args->node[i], t);
        add(b, out, r.tag == CW_REF_NONE ? unwritten(b, t) : r);
        callee->env = env;
    }
}

/* `template <> float f(float)`: which arguments it is for follows from its parameters. */
static bool has_parameters_of(struct ts_body *b, struct ts_function *special, struct ts_scope *callee,
                              struct ts_function *f) {
    struct ts_scope own = {.u = b->u};
    if (special->nparams != f->nparams ||
        !ts_node_is_null(ts_template_arguments(b->u, ts_declarator_name(b->u, special->declarator))))
        return false;
    for (uint32_t i = 0; i < f->nparams; i++)
        if (!ts_type_same(ts_param_type(&own, nth_parameter(b->u, special, i)),
                          ts_param_type(callee, nth_parameter(b->u, f, i))))
            return false;
    return f->nparams > 0;
}

struct ts_function *ts_specialised(struct ts_body *b, struct ts_function *f, struct ts_scope *callee, bool *is_open) {
    *is_open = false;
    for (struct ts_symbol *y = f->owner || f->is_specialisation ? NULL : ts_symbols(b->u, f->name); y; y = y->next) {
        struct ts_function *special = y->kind == TS_SYM_FUNCTION ? y->function : NULL;
        if (!special || !special->is_specialisation || special->owner)
            continue;
        *is_open |= !ts_env_is_complete(callee->env);
        if (ts_match_function(&b->s, special, callee->env) || has_parameters_of(b, special, callee, f))
            return special;
    }
    return f;
}

static struct ts_value emit_call(struct ts_body *b, struct ts_instance *i, const struct refs *args,
                                 const struct ts_type *r, cw_ref dest) {
    enum cw_type type = ts_is_object(r) || i->f->is_constructor ? CW_VOID : r->kind.type;
    if (b->fn->kind != CW_FN_HOST)
        i->is_device_by_use = true;
    ts_queue(b->u, i);
    cw_ref v =
        cw_fn_emit(b->fn, b->at.block, CW_OP_CALL, type, cw_fn_add_callee(b->fn, i->key), args->at, args->n, b->at.loc);
    if (ts_is_object(r))
        return ts_place_of(dest, r);
    if (r->form == TS_FORM_REFERENCE)
        return ts_place_of(v, r->of);
    return ts_rvalue_of(type == CW_VOID ? CW_NONE : v, r);
}

struct ts_value ts_call_function(struct ts_body *b, struct ts_function *f, const struct ts_env *env,
                                 struct ts_record *record, cw_ref object, const struct ts_arguments *args,
                                 cw_ref dest) {
    struct ts_scope callee = scope_of(b, record ? record->env : NULL, record, f->owner);
    if (!ts_node_is_null(f->tmpl)) {
        struct ts_env *own = CW_NEW(&b->u->scratch, struct ts_env);
        if (env && env != callee.env)
            *own = *env;
        else
            own = ts_env_make(&b->s, f->tmpl, ts_none(), callee.env);
        own->outer = callee.env;
        ts_env_deduce(&b->s, own, f, args->at, args->n);
        ts_env_defaults(&callee, own, f->tmpl);
        callee.env = own;
    }
    bool is_open = false;
    if (!ts_node_is_null(f->tmpl) && (f = ts_specialised(b, f, &callee, &is_open))->is_specialisation)
        callee.env = NULL;
    struct refs refs = {0};
    const struct ts_type *r = ts_result_type(&callee, f);
    if (ts_is_object(r) && dest.tag == CW_REF_NONE)
        dest = ts_temp(b, r, "result");
    if (!may_enter(b, f) || (is_open && !f->is_specialisation)) {
        struct ts_value v = ts_opaque_call(b, f->name, r, CW_BAIL_UNKNOWN_CALL, object, args);
        if (f->never_returns && b->fn->kind == CW_FN_HOST) { /* a check that calls it says something of what follows */
            cw_fn_trap(b->fn, b->at.block, b->at.loc);
            ts_dead(b);
        }
        return v;
    }
    if (ts_is_object(r))
        add(b, &refs, dest);
    if (record && !f->is_static)
        add(b, &refs, object.tag == CW_REF_NONE ? cw_fn_const(b->fn, CW_PTR, 0) : object);
    pass_arguments(b, f, &callee, args, &refs);
    return emit_call(b, ts_instance_of(b->u, f, callee.env, record), &refs, r, dest);
}

/* ---- casts and constructions that look like calls ---- */

static bool is_cast_word(cw_str name) {
    return cw_str_is(name, "static_cast") || cw_str_is(name, "reinterpret_cast") || cw_str_is(name, "const_cast") ||
           cw_str_is(name, "dynamic_cast");
}

static struct ts_value construct(struct ts_body *b, const struct ts_type *t, TSNode list, cw_ref dest) {
    if (t->form == TS_FORM_RECORD) {
        cw_ref at = dest.tag == CW_REF_NONE ? ts_temp(b, t, "temporary") : dest;
        ts_construct(b, list, at, t);
        return ts_place_of(at, t);
    }
    if (count(list) == 1)
        return ts_cast_to(b, ts_expr(b, ts_node_named_child(list, 0)), t);
    if (!count(list) && t->form == TS_FORM_SCALAR)
        return ts_rvalue_of(cw_fn_const(b->fn, t->kind.type, 0), t);
    struct ts_arguments args = ts_arguments(b, list);
    return ts_opaque_call(b, t->name, t, ts_why(b, CW_BAIL_UNKNOWN_TYPE), CW_NONE, &args);
}

/* `(T)(x)`: the grammar takes the type for a function. */
static const struct ts_type *paren_type(struct ts_body *b, TSNode callee) {
    if (!ts_is(b->u, callee, TS_PAREN) || ts_node_named_child_count(callee) != 1)
        return NULL;
    TSNode inner = ts_node_named_child(callee, 0);
    enum ts_kind k = ts_kind(b->u, inner);
    bool is_name = k == TS_IDENTIFIER || k == TS_QUALIFIED || k == TS_TEMPLATE_FUNCTION;
    return is_name && !ts_find_local(b, ts_name(b->u, inner)) ? ts_named_type(&b->s, inner) : NULL;
}

/* ---- methods ---- */

static struct ts_value call_method(struct ts_body *b, struct ts_value object, TSNode callee, const char *name,
                                   TSNode list, cw_ref dest) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_arguments args = ts_arguments(b, list);
    struct ts_value out;
    if (object.type->form == TS_FORM_GROUP && ts_api_method(b, ts_rvalue(b, object), name, &args, &out))
        return out;
    struct ts_symbol *y = object.type->form == TS_FORM_RECORD && object.is_place
                              ? ts_find_member(b->u, object.type->record, name, &home, &offset) : NULL;
    if (y && y->kind == TS_SYM_FUNCTION) {
        struct ts_symbol *chain = NULL; /* overloads of the class, in the form that ts_choose takes */
        for (uint32_t i = 0; i < home->cls->members.n; i++) {
            struct ts_symbol *m = home->cls->members.at[i];
            if (m->name != name || m->kind != TS_SYM_FUNCTION)
                continue;
            struct ts_symbol *link = CW_NEW(&b->u->scratch, struct ts_symbol);
            *link = *m;
            link->next = chain;
            chain = link;
        }
        TSNode given = ts_template_arguments(b->u, ts_field(callee, "field"));
        struct ts_function *f = ts_choose(b, chain, &args, !ts_node_is_null(given));
        f = f ? f : y->function;
        struct ts_env *env = ts_node_is_null(f->tmpl) ? NULL : ts_env_make(&b->s, f->tmpl, given, home->env);
        return ts_call_function(b, f, env, home, ts_offset(b, object.ref, offset), &args, dest);
    }
    bool is_known_class = object.type->form == TS_FORM_RECORD;
    ts_degrade(b, is_known_class ? CW_BAIL_UNRESOLVED_NAME : CW_BAIL_UNKNOWN_TYPE);
    cw_ref first = object.is_place ? object.ref : ts_rvalue(b, object).ref;
    return ts_opaque_call(b, name, b->u->unknown_type, ts_why(b, CW_BAIL_UNRESOLVED_NAME), first, &args);
}

static struct ts_value method(struct ts_body *b, TSNode callee, TSNode list, cw_ref dest) {
    const char *name = ts_name(b->u, ts_last_name(b->u, ts_field(callee, "field")));
    const struct ts_field *f;
    uint64_t offset;
    struct ts_value object = ts_object_of(b, callee);
    if (object.type->form == TS_FORM_RECORD && object.is_place &&
        ts_find_field(b->u, object.type->record, name, &f, &offset)) {
        struct ts_value field = ts_place_of(ts_offset(b, object.ref, offset), f->type);
        if (f->type->form == TS_FORM_RECORD)
            return call_method(b, field, callee, cw_intern(&b->u->module->names, "operator()"), list, dest);
        struct ts_arguments args = ts_arguments(b, list);
        return ts_opaque_call(b, name, b->u->unknown_type, CW_BAIL_INDIRECT_CALL, ts_rvalue(b, field).ref, &args);
    }
    return call_method(b, object, callee, name, list, dest);
}

/* ---- named functions ---- */

/* What a function that a pointer points to returns. */
static const struct ts_type *pointed_result(struct ts_body *b, const struct ts_type *t) {
    bool is_pointer = t->form == TS_FORM_POINTER && t->of->form == TS_FORM_FUNCTION && t->of->of;
    return is_pointer ? t->of->of : b->u->unknown_type;
}

static struct ts_value call_local(struct ts_body *b, const struct ts_local *l, TSNode callee, TSNode list,
                                  cw_ref dest) {
    struct ts_value object = ts_place_of(l->addr, l->type);
    if (l->type->form == TS_FORM_CLOSURE) {
        struct ts_arguments args = ts_arguments(b, list);
        return ts_call_closure(b, object, &args);
    }
    if (l->type->form == TS_FORM_RECORD)
        return call_method(b, object, callee, cw_intern(&b->u->module->names, "operator()"), list, dest);
    cw_ref pointer = ts_rvalue(b, object).ref;
    struct ts_arguments args = ts_arguments(b, list);
    bool is_dependent = l->type->is_dependent || (l->type->form == TS_FORM_UNKNOWN && b->fn->is_pattern);
    return ts_opaque_call(b, l->name, pointed_result(b, l->type),
                          is_dependent ? CW_BAIL_DEPENDENT : CW_BAIL_INDIRECT_CALL, pointer, &args);
}

bool ts_is_api_scope(const char *qualified) {
    return strncmp(qualified, "cooperative_groups::", 20) == 0 || strncmp(qualified, "cuda::", 6) == 0 ||
           strncmp(qualified, "std::", 5) == 0 || strncmp(qualified, "nvcuda::", 8) == 0 ||
           strncmp(qualified, "wmma::", 6) == 0;
}

static bool is_user_symbol(const struct ts_unit *u, const struct ts_symbol *y) {
    return ts_part_of(u, y->node) != u->prelude;
}

static struct ts_symbol *functions_named(struct ts_body *b, const char *name, bool of_prelude) {
    for (struct ts_symbol *y = ts_symbols(b->u, name); y; y = y->next)
        if (y->kind == TS_SYM_FUNCTION && is_user_symbol(b->u, y) != of_prelude)
            return y;
    return NULL;
}

static bool call_symbols(struct ts_body *b, struct ts_symbol *first, TSNode callee, const struct ts_arguments *args,
                         cw_ref dest, struct ts_value *out) {
    TSNode given = ts_template_arguments(b->u, callee);
    struct ts_function *f = ts_choose(b, first, args, !ts_node_is_null(given));
    if (!f)
        return false;
    struct ts_env *env = ts_node_is_null(f->tmpl) ? NULL : ts_env_make(&b->s, f->tmpl, given, NULL);
    *out = ts_call_function(b, f, env, NULL, CW_NONE, args, dest);
    return true;
}

/* `Class::f(x)`, or a method of the own class. */
static bool call_member_by_name(struct ts_body *b, TSNode callee, TSNode list, cw_ref dest, struct ts_value *out) {
    struct ts_record *r = b->s.record, *home;
    uint64_t offset;
    bool is_qualified = ts_is(b->u, callee, TS_QUALIFIED);
    if (is_qualified) {
        const struct ts_type *t =
            ts_node_is_null(ts_field(callee, "scope")) ? NULL : ts_named_type(&b->s, ts_field(callee, "scope"));
        r = t && t->form == TS_FORM_RECORD ? t->record : NULL;
    }
    const char *name = ts_name(b->u, ts_last_name(b->u, callee));
    struct ts_symbol *y = r ? ts_find_member(b->u, r, name, &home, &offset) : NULL;
    if (!y || y->kind != TS_SYM_FUNCTION)
        return false;
    struct ts_arguments args = ts_arguments(b, list);
    TSNode given = ts_template_arguments(b->u, callee);
    struct ts_env *env =
        ts_node_is_null(y->function->tmpl) ? NULL : ts_env_make(&b->s, y->function->tmpl, given, home->env);
    cw_ref object = b->this_ptr.tag == CW_REF_NONE ? CW_NONE : ts_offset(b, b->this_ptr, offset);
    *out = ts_call_function(b, y->function, env, home, object, &args, dest);
    return true;
}

static struct ts_value unresolved(struct ts_body *b, const char *name, const struct ts_arguments *args) {
    ts_degrade(b, CW_BAIL_UNRESOLVED_NAME);
    return ts_opaque_call(b, name, b->u->unknown_type, ts_why(b, CW_BAIL_UNRESOLVED_NAME), CW_NONE, args);
}

/* Someone else's value is called: a closure, an object with operator(), a pointer. */
static struct ts_value through_value(struct ts_body *b, TSNode callee, TSNode list, cw_ref dest) {
    struct ts_value v = ts_expr(b, callee);
    if (v.type->form == TS_FORM_CLOSURE) {
        struct ts_arguments args = ts_arguments(b, list);
        return ts_call_closure(b, v, &args);
    }
    if (v.type->form == TS_FORM_RECORD && v.is_place)
        return call_method(b, v, callee, cw_intern(&b->u->module->names, "operator()"), list, dest);
    struct ts_arguments args = ts_arguments(b, list);
    if (v.function)
        return ts_call_function(b, v.function, NULL, NULL, CW_NONE, &args, dest);
    bool is_function = v.is_place && v.type->form == TS_FORM_FUNCTION; /* of `(*f)(x)`: what f points to */
    v = is_function ? ts_rvalue_of(v.ref, ts_pointer_to(b->u, v.type)) : read_at(b, v, callee);
    return ts_opaque_call(b, NULL, pointed_result(b, v.type), CW_BAIL_INDIRECT_CALL, v.ref, &args);
}

static struct ts_value named(struct ts_body *b, TSNode e, TSNode callee, TSNode list, cw_ref dest) {
    struct ts_value out;
    const char *name = ts_name(b->u, ts_last_name(b->u, callee)), *qualified = ts_qualified_name(&b->s, callee);
    const struct ts_local *l = ts_is(b->u, callee, TS_QUALIFIED) ? NULL : ts_find_local(b, name);
    if (l && !l->is_type)
        return call_local(b, l, callee, list, dest);
    bool is_api = ts_is_api_scope(qualified);
    struct ts_symbol *own = is_api ? NULL : functions_named(b, name, false);
    const struct ts_type *t = own ? NULL : ts_named_type(&b->s, callee);
    if (t)
        return construct(b, t, list, dest);
    if (call_member_by_name(b, callee, list, dest, &out))
        return out;
    if (!own && !is_api && ts_is_variable(&b->s, callee))
        return through_value(b, callee, list, dest);
    if (!own && b->fn->kind == CW_FN_HOST && strncmp(name, "cudaLaunch", 10) == 0 && ts_runtime_launch(b, e, name))
        return ts_unknown(b, ts_scalar(b->u, CW_I32, true), CW_BAIL_NONE, NULL, 0);
    struct ts_arguments args = {0};
    if (!own && ts_api_call(b, callee, qualified, list, &out))
        return out;
    args = ts_arguments(b, list);
    if (own && call_symbols(b, own, callee, &args, dest, &out))
        return out;
    own = functions_named(b, name, true);
    if (own && call_symbols(b, own, callee, &args, dest, &out))
        return out;
    if (b->fn->kind == CW_FN_HOST)
        for (uint32_t i = 0; i < args.n; i++)
            if (ts_is(b->u, args.node[i], TS_LAMBDA))
                ts_run_lambda_maybe(b, args.node[i]);
    return unresolved(b, name, &args);
}

struct ts_value ts_call(struct ts_body *b, TSNode e, cw_ref dest) {
    TSNode callee = ts_field(e, "function"), list = ts_field(e, "arguments");
    uint32_t outer = b->at.loc;
    struct ts_value v;
    b->at.loc = ts_loc(b, e);
    const struct ts_type *to = paren_type(b, callee);
    enum ts_kind k = ts_kind(b->u, callee);
    cw_str last = ts_text(b->u, ts_last_name(b->u, callee));
    TSNode given = ts_template_arguments(b->u, callee);
    if (!ts_node_is_null(ts_child_of(b->u, e, TS_LAUNCH)) && ts_launch(b, e))
        v = ts_rvalue_of(CW_NONE, b->u->void_type);
    else if (to)
        v = construct(b, to, list, dest);
    else if (k == TS_TEMPLATE_FUNCTION && is_cast_word(last) && count(given) == 1 && count(list) == 1)
        v = ts_cast_to(b, ts_expr(b, ts_node_named_child(list, 0)), ts_type_node(&b->s, ts_node_named_child(given, 0)));
    else if (k == TS_FIELD)
        v = method(b, callee, list, dest);
    else if (k == TS_PRIMITIVE)
        v = construct(b, ts_type_node(&b->s, callee), list, dest);
    else if (k == TS_IDENTIFIER || k == TS_QUALIFIED || k == TS_TEMPLATE_FUNCTION)
        v = named(b, e, callee, list, dest);
    else
        v = through_value(b, callee, list, dest);
    b->at.loc = outer;
    return v;
}
