/* Calls.
 *
 * The convention between a CALL and its callee's parameters: [address of the result, when it is a class], [this],
 * then the parameters; a class by value goes by the address of a copy the caller made, a reference as a pointer. */
#include "cuda/models.h"
#include "front/ts/lower.h"

#include <string.h>

enum { SMALL_HOST_FUNCTION = 600, MAX_ARGUMENTS = 64 };

static bool has_body(struct ts_function *function) {
    return !ts_node_is_null(ts_field(function->node, "body"));
}

static uint32_t count_children(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

/* Whether evaluating the expression may change a variable: of a very large one that is not known. */
static bool may_change(const struct ts_unit *unit, TSNode e) {
    enum { FAR = 400 };
    struct ts_walk w = ts_walk_of(e, FAR);
    bool found = false;
    for (TSNode node; !found && ts_walk_next(&w, &node);) {
        enum ts_kind k = ts_kind(unit, node);
        found = k == TS_CALL || k == TS_ASSIGN || k == TS_UPDATE || k == TS_ASM;
    }
    ts_walk_end(&w);
    return found || w.is_cut;
}

struct ts_arguments ts_arguments(struct ts_body *body, TSNode list) {
    struct ts_arguments out = {0};
    uint32_t n = ts_each_count(&body->s, list);
    n = n < MAX_ARGUMENTS ? n : MAX_ARGUMENTS;
    out.at = CW_NEW_ARRAY(&body->u->scratch, struct ts_value, n);
    out.node = CW_NEW_ARRAY(&body->u->scratch, TSNode, n);
    TSNode arg;
    struct ts_each each = ts_each_of(&body->s, list);
    while (out.n < n && ts_each_next(&each, &arg)) {
        out.node[out.n] = arg;
        bool is_list = ts_is(body->u, arg, TS_INITIALIZER_LIST), is_changed = false;
        struct ts_value v = is_list ? ts_rvalue_of(CW_NONE, body->u->unknown_type) : ts_expr(body, arg);
        bool is_scalar = v.is_place && (v.type->form == TS_FORM_SCALAR || v.type->form == TS_FORM_POINTER);
        for (uint32_t k = each.next; k < each.count && is_scalar && !is_changed; k++)
            is_changed = may_change(body->u, ts_node_named_child(list, k));
        if (is_changed) /* it stays a place, for a reference may be bound to it; its value is that of now */
            v.early = ts_rvalue(body, v).ref;
        out.at[out.n++] = v;
    }
    ts_each_end(&each);
    return out;
}

/* ---- which function ---- */

static struct ts_scope scope_of(struct ts_body *body, const struct ts_env *env, struct ts_record *record,
                                struct ts_class *owner) {
    return (struct ts_scope){.u = body->u, .env = env, .record = record, .cls = owner};
}

static TSNode nth_parameter(const struct ts_unit *unit, const struct ts_function *function, uint32_t index) {
    TSNode list = ts_field(function->declarator, "parameters");
    for (uint32_t i = 0, k = 0; i < count_children(list); i++) {
        TSNode p = ts_node_named_child(list, i);
        if ((ts_is(unit, p, TS_PARAMETER) || ts_is(unit, p, TS_OPTIONAL_PARAMETER)) && k++ == index)
            return p;
    }
    return ts_none();
}

/* How well an argument fits a parameter; below zero: not at all. */
static int rate_argument(const struct ts_type *param, const struct ts_type *arg) {
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

static int score_function(struct ts_body *body, struct ts_function *function, const struct ts_arguments *args) {
    struct ts_scope s = scope_of(body, NULL, NULL, function->owner);
    struct ts_env *env = ts_node_is_null(function->tmpl) ? NULL : ts_env_make(&s, function->tmpl, ts_none(), NULL);
    if (env)
        ts_env_deduce(&s, env, function, args->at, args->n);
    s.env = env;
    int total = has_body(function) ? 4 : 0;
    total += function->is_device == (body->fn->kind != CW_FN_HOST) ? 2 : 0;
    total += env ? 0 : 1;
    for (uint32_t i = 0; i < args->n && i < function->nparams; i++)
        total += rate_argument(ts_param_type(&s, nth_parameter(body->u, function, i)), args->at[i].type);
    return ts_node_is_null(function->pack) ? total : total - 1; /* the one without a pack is more special */
}

struct ts_function *ts_choose(struct ts_body *body, struct ts_symbol *first, const struct ts_arguments *args,
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
        int s = score_function(body, f, args);
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

static void add_ref(struct ts_body *body, struct refs *to, cw_ref ref) {
    if (ref.tag != CW_REF_NONE)
        cw_vec_push(&body->u->scratch, to, ref);
}

/* The value of an argument is read where the argument stands. */
static struct ts_value read_at(struct ts_body *body, struct ts_value value, TSNode node) {
    uint32_t outer = body->at.loc;
    body->at.loc = ts_loc(body, node);
    value = ts_rvalue(body, value);
    body->at.loc = outer;
    return value;
}

struct ts_value ts_opaque_call(struct ts_body *body, const char *name, const struct ts_type *result, enum cw_bail why,
                               cw_ref first, const struct ts_arguments *args) {
    struct refs refs = {0};
    const struct ts_type *r = ts_plain(result);
    cw_ref dest = ts_is_object(r) && result->form != TS_FORM_REFERENCE ? ts_temp(body, r, "result") : CW_NONE;
    add_ref(body, &refs, dest);
    add_ref(body, &refs, first);
    for (uint32_t i = 0; i < args->n; i++)
        ts_closure_refer(body, args->at[i].ref, args->at[i].type);
    for (uint32_t i = 0; i < args->n; i++)
        add_ref(body, &refs,
                args->at[i].is_place && ts_is_object(args->at[i].type) ? args->at[i].ref
                                                                       : read_at(body, args->at[i], args->node[i]).ref);
    enum cw_type type = dest.tag != CW_REF_NONE ? CW_VOID : result->kind.type;
    cw_ref v = cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, type, why, refs.at, refs.n, body->at.loc);
    struct cw_ins *made = &body->fn->ins.at[body->fn->ins.n - 1];
    made->name = name;
    made->flags |= name && why != CW_BAIL_INDIRECT_CALL && cw_model_is_syncfree(name) ? CW_INS_SYNCFREE : 0;
    if (dest.tag != CW_REF_NONE)
        return ts_place_of(dest, r);
    if (result->form == TS_FORM_REFERENCE)
        return ts_place_of(v, r);
    return ts_rvalue_of(type == CW_VOID ? CW_NONE : v, result);
}

/* A host function enters what launches, what is shared with the device, and small helpers like `divUp`. */
static bool may_enter(struct ts_body *body, struct ts_function *function) {
    if (!has_body(function) || function->is_kernel || ts_has_word(body->u, function->node, "virtual") ||
        (function->owner && function->owner->has_odd_members))
        return false;
    if (body->fn->kind != CW_FN_HOST)
        return true;
    return function->is_device || ts_launches(body->u, function) ||
           ts_node_end_byte(function->node) - ts_node_start_byte(function->node) < SMALL_HOST_FUNCTION;
}

static cw_ref unwritten_argument(struct ts_body *body, const struct ts_type *t) {
    enum cw_type type =
        t->form == TS_FORM_VOID ? CW_AGG : t->kind.type; /* `void x` is broken code, or a pack's element */
    return cw_emit_opaque(body->at, ts_is_object(t) ? CW_PTR : type, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
}

/* What is in the braces for a class that is not known may be changed by way of references to it. */
static void clobber_listed_objects(struct ts_body *body, TSNode list) {
    for (uint32_t i = 0; i < count_children(list); i++) {
        struct ts_value v = ts_expr(body, ts_node_named_child(list, i));
        if (v.is_place && ts_is_object(v.type))
            cw_at_clobber(body->at, &body->u->scratch, v.ref, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
}

static cw_ref pass_argument(struct ts_body *body, struct ts_value value, TSNode node, const struct ts_type *type) {
    if (ts_is(body->u, node, TS_INITIALIZER_LIST)) {
        if (ts_plain(type)->form == TS_FORM_UNKNOWN)
            clobber_listed_objects(body, node);
        cw_ref at = ts_temp(body, ts_plain(type), "argument");
        ts_init(body, node, at, ts_plain(type));
        return ts_is_object(type) || type->form == TS_FORM_REFERENCE ? at : ts_load(body, at, type);
    }
    if (type->form == TS_FORM_REFERENCE && !type->of->is_const && ts_is(body->u, node, TS_CONDITIONAL)) {
        ts_degrade(body, CW_BAIL_UNSUPPORTED_EXPR); /* a copy of one of the two, where a place is wanted */
        return cw_emit_opaque(body->at, CW_PTR, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
    if (type->form == TS_FORM_REFERENCE) {
        bool converts = !ts_is_object(type->of) && !ts_is_object(value.type) && type->of->form != TS_FORM_UNKNOWN &&
                        value.type->form != TS_FORM_UNKNOWN && !ts_type_same(ts_plain(value.type), type->of);
        return ts_address(body, converts ? ts_rvalue_of(ts_convert(body, value, type->of), type->of) : value);
    }
    if (ts_is_object(type)) {
        cw_ref at = ts_temp(body, type, "argument");
        if (!value.is_place || !ts_is_object(value.type))
            cw_at_clobber(body->at, &body->u->scratch, at, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &value.ref,
                          value.ref.tag != CW_REF_NONE);
        else if (!ts_copy_by_user(body, at, value.ref, type))
            ts_copy(body, at, value.ref, type);
        return at;
    }
    cw_ref r = ts_convert(body, read_at(body, value, node), type);
    if (type->form == TS_FORM_VOID)
        return CW_NONE;
    if (r.tag != CW_REF_NONE && cw_ref_type(body->fn, r) != type->kind.type)
        r = cw_emit_pure(body->at, type->kind.type, "convert", &r, 1);
    return r;
}

/* A default argument is read in the callee's scope. */
static cw_ref default_argument(struct ts_body *body, struct ts_scope *callee, TSNode node, const struct ts_type *type) {
    TSNode value = ts_field(node, "default_value");
    if (ts_node_is_null(value))
        return unwritten_argument(body, type);
    struct ts_scope own = body->s;
    uint32_t locals = body->locals.n;
    body->locals.n = 0;
    body->s.env = callee->env;
    body->s.record = callee->record;
    bool is_list = ts_is(body->u, value, TS_INITIALIZER_LIST);
    cw_ref r = pass_argument(body, is_list ? ts_rvalue_of(CW_NONE, type) : ts_expr(body, value), value, type);
    body->s = own;
    body->locals.n = locals;
    return r;
}

static void pass_arguments(struct ts_body *body, struct ts_function *function, struct ts_scope *callee,
                           const struct ts_arguments *args, struct refs *out) {
    for (uint32_t i = 0; i < function->nparams; i++) {
        TSNode p = nth_parameter(body->u, function, i);
        const struct ts_type *t = ts_param_type(callee, p);
        cw_ref r =
            i < args->n ? pass_argument(body, args->at[i], args->node[i], t) : default_argument(body, callee, p, t);
        add_ref(body, out, r.tag == CW_REF_NONE ? unwritten_argument(body, t) : r);
    }
    const struct ts_env *env = callee->env;
    int64_t more = ts_node_is_null(function->pack) ? 0 : ts_pack_length(callee, function->pack);
    for (uint32_t k = 0; (int64_t)k < more && function->nparams + k < args->n; k++) {
        uint32_t i = function->nparams + k;
        ts_pick(callee, function->pack, k);
        const struct ts_type *t = ts_param_type(callee, function->pack);
        cw_ref r = pass_argument(body, args->at[i], args->node[i], t);
        add_ref(body, out, r.tag == CW_REF_NONE ? unwritten_argument(body, t) : r);
        callee->env = env;
    }
}

/* `template <> float f(float)`: which arguments it is for follows from its parameters. */
static bool has_parameters_of(struct ts_body *body, struct ts_function *special, struct ts_scope *callee,
                              struct ts_function *function) {
    struct ts_scope own = {.u = body->u};
    if (special->nparams != function->nparams ||
        !ts_node_is_null(ts_template_arguments(body->u, ts_declarator_name(body->u, special->declarator))))
        return false;
    for (uint32_t i = 0; i < function->nparams; i++)
        if (!ts_type_same(ts_param_type(&own, nth_parameter(body->u, special, i)),
                          ts_param_type(callee, nth_parameter(body->u, function, i))))
            return false;
    return function->nparams > 0;
}

struct ts_function *ts_specialised(struct ts_body *body, struct ts_function *function, struct ts_scope *callee,
                                   bool *is_open) {
    *is_open = false;
    for (struct ts_symbol *y = function->owner || function->is_specialisation ? NULL
                                                                              : ts_symbols(body->u, function->name);
         y; y = y->next) {
        struct ts_function *special = y->kind == TS_SYM_FUNCTION ? y->function : NULL;
        if (!special || !special->is_specialisation || special->owner)
            continue;
        *is_open |= !ts_env_is_complete(callee->env);
        if (ts_match_function(&body->s, special, callee->env) || has_parameters_of(body, special, callee, function))
            return special;
    }
    return function;
}

static struct ts_value emit_call(struct ts_body *body, struct ts_instance *instance, const struct refs *args,
                                 const struct ts_type *r, cw_ref dest) {
    enum cw_type type = ts_is_object(r) || instance->f->is_constructor ? CW_VOID : r->kind.type;
    if (body->fn->kind != CW_FN_HOST)
        instance->is_device_by_use = true;
    ts_queue(body->u, instance);
    cw_ref v = cw_fn_emit(body->fn, body->at.block, CW_OP_CALL, type, cw_fn_add_callee(body->fn, instance->key),
                          args->at, args->n, body->at.loc);
    if (ts_is_object(r))
        return ts_place_of(dest, r);
    if (r->form == TS_FORM_REFERENCE)
        return ts_place_of(v, r->of);
    return ts_rvalue_of(type == CW_VOID ? CW_NONE : v, r);
}

struct ts_value ts_call_function(struct ts_body *body, struct ts_function *function, const struct ts_env *env,
                                 struct ts_record *record, cw_ref object, const struct ts_arguments *args,
                                 cw_ref dest) {
    struct ts_scope callee = scope_of(body, record ? record->env : NULL, record, function->owner);
    if (!ts_node_is_null(function->tmpl)) {
        struct ts_env *own = CW_NEW(&body->u->scratch, struct ts_env);
        if (env && env != callee.env)
            *own = *env;
        else
            own = ts_env_make(&body->s, function->tmpl, ts_none(), callee.env);
        own->outer = callee.env;
        ts_env_deduce(&body->s, own, function, args->at, args->n);
        ts_env_defaults(&callee, own, function->tmpl);
        callee.env = own;
    }
    bool is_open = false;
    if (!ts_node_is_null(function->tmpl) &&
        (function = ts_specialised(body, function, &callee, &is_open))->is_specialisation)
        callee.env = NULL;
    struct refs refs = {0};
    const struct ts_type *r = ts_result_type(&callee, function);
    if (ts_is_object(r) && dest.tag == CW_REF_NONE)
        dest = ts_temp(body, r, "result");
    if (!may_enter(body, function) || (is_open && !function->is_specialisation)) {
        bool is_virtual = ts_has_word(body->u, function->node, "virtual"); /* nobody lists what overrides it */
        struct ts_value v = ts_opaque_call(
            body, function->name, r, is_virtual ? CW_BAIL_UNRESOLVED_NAME : CW_BAIL_UNKNOWN_CALL, object, args);
        if (function->never_returns &&
            body->fn->kind == CW_FN_HOST) { /* a check that calls it says something of what follows */
            cw_fn_trap(body->fn, body->at.block, body->at.loc);
            cw_at_dead(&body->at);
        }
        return v;
    }
    if (ts_is_object(r))
        add_ref(body, &refs, dest);
    if (record && !function->is_static)
        add_ref(body, &refs, object.tag == CW_REF_NONE ? cw_fn_const(body->fn, CW_PTR, 0) : object);
    pass_arguments(body, function, &callee, args, &refs);
    return emit_call(body, ts_instance_of(body->u, function, callee.env, record), &refs, r, dest);
}

/* ---- casts and constructions that look like calls ---- */

static bool is_cast_word(cw_str name) {
    return cw_str_is(name, "static_cast") || cw_str_is(name, "reinterpret_cast") || cw_str_is(name, "const_cast") ||
           cw_str_is(name, "dynamic_cast");
}

static struct ts_value construct_object(struct ts_body *body, const struct ts_type *type, TSNode list, cw_ref dest) {
    if (type->form == TS_FORM_RECORD) {
        cw_ref at = dest.tag == CW_REF_NONE ? ts_temp(body, type, "temporary") : dest;
        ts_construct(body, list, at, type);
        return ts_place_of(at, type);
    }
    if (count_children(list) == 1)
        return ts_cast_to(body, ts_expr(body, ts_node_named_child(list, 0)), type);
    if (!count_children(list) && type->form == TS_FORM_SCALAR)
        return ts_rvalue_of(cw_fn_const(body->fn, type->kind.type, 0), type);
    struct ts_arguments args = ts_arguments(body, list);
    return ts_opaque_call(body, type->name, type, ts_why(body, CW_BAIL_UNKNOWN_TYPE), CW_NONE, &args);
}

/* `(T)(x)`: the grammar takes the type for a function. */
static const struct ts_type *paren_type(struct ts_body *body, TSNode callee) {
    if (!ts_is(body->u, callee, TS_PAREN) || ts_node_named_child_count(callee) != 1)
        return NULL;
    TSNode inner = ts_node_named_child(callee, 0);
    enum ts_kind k = ts_kind(body->u, inner);
    bool is_name = k == TS_IDENTIFIER || k == TS_QUALIFIED || k == TS_TEMPLATE_FUNCTION;
    return is_name && !ts_find_local(body, ts_name(body->u, inner)) ? ts_named_type(&body->s, inner) : NULL;
}

/* ---- methods ---- */

static struct ts_value call_method(struct ts_body *body, struct ts_value object, TSNode callee, const char *name,
                                   TSNode list, cw_ref dest) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_arguments args = ts_arguments(body, list);
    struct ts_value out;
    if (object.type->form == TS_FORM_GROUP && ts_api_method(body, ts_rvalue(body, object), name, &args, &out))
        return out;
    struct ts_symbol *y = object.type->form == TS_FORM_RECORD && object.is_place
                              ? ts_find_member(body->u, object.type->record, name, &home, &offset) : NULL;
    if (y && y->kind == TS_SYM_FUNCTION) {
        struct ts_symbol *chain = NULL; /* overloads of the class, in the form that ts_choose takes */
        for (uint32_t i = 0; i < home->cls->members.n; i++) {
            struct ts_symbol *m = home->cls->members.at[i];
            if (m->name != name || m->kind != TS_SYM_FUNCTION)
                continue;
            struct ts_symbol *link = CW_NEW(&body->u->scratch, struct ts_symbol);
            *link = *m;
            link->next = chain;
            chain = link;
        }
        TSNode given = ts_template_arguments(body->u, ts_field(callee, "field"));
        struct ts_function *f = ts_choose(body, chain, &args, !ts_node_is_null(given));
        f = f ? f : y->function;
        struct ts_env *env = ts_node_is_null(f->tmpl) ? NULL : ts_env_make(&body->s, f->tmpl, given, home->env);
        return ts_call_function(body, f, env, home, cw_at_offset(body->at, object.ref, offset), &args, dest);
    }
    bool is_known_class = object.type->form == TS_FORM_RECORD;
    ts_degrade(body, is_known_class ? CW_BAIL_UNRESOLVED_NAME : CW_BAIL_UNKNOWN_TYPE);
    cw_ref first = object.is_place ? object.ref : ts_rvalue(body, object).ref;
    return ts_opaque_call(body, name, body->u->unknown_type, ts_why(body, CW_BAIL_UNRESOLVED_NAME), first, &args);
}

static struct ts_value call_member(struct ts_body *body, TSNode callee, TSNode list, cw_ref dest) {
    const char *name = ts_name(body->u, ts_last_name(body->u, ts_field(callee, "field")));
    const struct ts_field *f;
    uint64_t offset;
    struct ts_value object = ts_object_of(body, callee);
    if (object.type->form == TS_FORM_RECORD && object.is_place &&
        ts_find_field(body->u, object.type->record, name, &f, &offset)) {
        struct ts_value field = ts_place_of(cw_at_offset(body->at, object.ref, offset), f->type);
        if (f->type->form == TS_FORM_RECORD)
            return call_method(body, field, callee, cw_intern(&body->u->module->names, "operator()"), list, dest);
        struct ts_arguments args = ts_arguments(body, list);
        return ts_opaque_call(body, name, body->u->unknown_type, CW_BAIL_INDIRECT_CALL, ts_rvalue(body, field).ref,
                              &args);
    }
    return call_method(body, object, callee, name, list, dest);
}

/* ---- named functions ---- */

/* What a function that a pointer points to returns. */
static const struct ts_type *pointed_result(struct ts_body *body, const struct ts_type *type) {
    bool is_pointer = type->form == TS_FORM_POINTER && type->of->form == TS_FORM_FUNCTION && type->of->of;
    return is_pointer ? type->of->of : body->u->unknown_type;
}

static struct ts_value call_local(struct ts_body *body, const struct ts_local *local, TSNode callee, TSNode list,
                                  cw_ref dest) {
    struct ts_value object = ts_place_of(local->addr, local->type);
    if (local->type->form == TS_FORM_CLOSURE) {
        struct ts_arguments args = ts_arguments(body, list);
        return ts_call_closure(body, object, &args);
    }
    if (local->type->form == TS_FORM_RECORD)
        return call_method(body, object, callee, cw_intern(&body->u->module->names, "operator()"), list, dest);
    cw_ref pointer = ts_rvalue(body, object).ref;
    struct ts_arguments args = ts_arguments(body, list);
    bool is_dependent = local->type->is_dependent || (local->type->form == TS_FORM_UNKNOWN && body->fn->is_pattern);
    return ts_opaque_call(body, local->name, pointed_result(body, local->type),
                          is_dependent ? CW_BAIL_DEPENDENT : CW_BAIL_INDIRECT_CALL, pointer, &args);
}

bool ts_is_api_scope(const char *qualified) {
    return strncmp(qualified, "cooperative_groups::", 20) == 0 || strncmp(qualified, "cuda::", 6) == 0 ||
           strncmp(qualified, "std::", 5) == 0 || strncmp(qualified, "nvcuda::", 8) == 0 ||
           strncmp(qualified, "wmma::", 6) == 0;
}

static bool is_user_symbol(const struct ts_unit *unit, const struct ts_symbol *symbol) {
    return ts_part_of(unit, symbol->node) != unit->prelude;
}

static struct ts_symbol *functions_named(struct ts_body *body, const char *name, bool of_prelude) {
    for (struct ts_symbol *y = ts_symbols(body->u, name); y; y = y->next)
        if (y->kind == TS_SYM_FUNCTION && is_user_symbol(body->u, y) != of_prelude)
            return y;
    return NULL;
}

static bool call_symbols(struct ts_body *body, struct ts_symbol *first, TSNode callee, const struct ts_arguments *args,
                         cw_ref dest, struct ts_value *out) {
    TSNode given = ts_template_arguments(body->u, callee);
    struct ts_function *f = ts_choose(body, first, args, !ts_node_is_null(given));
    if (!f)
        return false;
    struct ts_env *env = ts_node_is_null(f->tmpl) ? NULL : ts_env_make(&body->s, f->tmpl, given, NULL);
    *out = ts_call_function(body, f, env, NULL, CW_NONE, args, dest);
    return true;
}

/* `Class::f(x)`, or a method of the own class. */
static bool call_member_by_name(struct ts_body *body, TSNode callee, TSNode list, cw_ref dest, struct ts_value *out) {
    struct ts_record *r = body->s.record, *home;
    uint64_t offset;
    bool is_qualified = ts_is(body->u, callee, TS_QUALIFIED);
    if (is_qualified) {
        const struct ts_type *t =
            ts_node_is_null(ts_field(callee, "scope")) ? NULL : ts_named_type(&body->s, ts_field(callee, "scope"));
        r = t && t->form == TS_FORM_RECORD ? t->record : NULL;
    }
    const char *name = ts_name(body->u, ts_last_name(body->u, callee));
    struct ts_symbol *y = r ? ts_find_member(body->u, r, name, &home, &offset) : NULL;
    if (!y || y->kind != TS_SYM_FUNCTION)
        return false;
    struct ts_arguments args = ts_arguments(body, list);
    TSNode given = ts_template_arguments(body->u, callee);
    struct ts_env *env =
        ts_node_is_null(y->function->tmpl) ? NULL : ts_env_make(&body->s, y->function->tmpl, given, home->env);
    cw_ref object = body->this_ptr.tag == CW_REF_NONE ? CW_NONE : cw_at_offset(body->at, body->this_ptr, offset);
    *out = ts_call_function(body, y->function, env, home, object, &args, dest);
    return true;
}

static struct ts_value call_unresolved(struct ts_body *body, const char *name, const struct ts_arguments *args) {
    ts_degrade(body, CW_BAIL_UNRESOLVED_NAME);
    return ts_opaque_call(body, name, body->u->unknown_type, ts_why(body, CW_BAIL_UNRESOLVED_NAME), CW_NONE, args);
}

/* Someone else's value is called: a closure, an object with operator(), a pointer. */
static struct ts_value through_value(struct ts_body *body, TSNode callee, TSNode list, cw_ref dest) {
    struct ts_value v = ts_expr(body, callee);
    if (v.type->form == TS_FORM_CLOSURE) {
        struct ts_arguments args = ts_arguments(body, list);
        return ts_call_closure(body, v, &args);
    }
    if (v.type->form == TS_FORM_RECORD && v.is_place)
        return call_method(body, v, callee, cw_intern(&body->u->module->names, "operator()"), list, dest);
    struct ts_arguments args = ts_arguments(body, list);
    if (v.function)
        return ts_call_function(body, v.function, NULL, NULL, CW_NONE, &args, dest);
    bool is_function = v.is_place && v.type->form == TS_FORM_FUNCTION; /* of `(*f)(x)`: what f points to */
    v = is_function ? ts_rvalue_of(v.ref, ts_pointer_to(body->u, v.type)) : read_at(body, v, callee);
    return ts_opaque_call(body, NULL, pointed_result(body, v.type), CW_BAIL_INDIRECT_CALL, v.ref, &args);
}

/* What a host function that nobody knows is handed may run. */
static void run_lambdas(struct ts_body *body, const struct ts_arguments *args) {
    for (uint32_t i = 0; body->fn->kind == CW_FN_HOST && i < args->n; i++)
        if (ts_is(body->u, args->node[i], TS_LAMBDA))
            ts_run_lambda_maybe(body, args->node[i]);
}

static struct ts_value call_named(struct ts_body *body, TSNode node, TSNode callee, TSNode list, cw_ref dest) {
    struct ts_value out;
    const char *name = ts_name(body->u, ts_last_name(body->u, callee)),
               *qualified = ts_qualified_name(&body->s, callee);
    const struct ts_local *l = ts_is(body->u, callee, TS_QUALIFIED) ? NULL : ts_find_local(body, name);
    if (l && !l->is_type)
        return call_local(body, l, callee, list, dest);
    bool is_api = ts_is_api_scope(qualified);
    struct ts_symbol *own = is_api ? NULL : functions_named(body, name, false);
    const struct ts_type *t = own ? NULL : ts_named_type(&body->s, callee);
    if (t)
        return construct_object(body, t, list, dest);
    if (call_member_by_name(body, callee, list, dest, &out))
        return out;
    if (!own && !is_api && ts_is_variable(&body->s, callee))
        return through_value(body, callee, list, dest);
    if (!own && body->fn->kind == CW_FN_HOST && strncmp(name, "cudaLaunch", 10) == 0 &&
        ts_runtime_launch(body, node, name))
        return ts_unknown(body, ts_scalar(body->u, CW_I32, true), CW_BAIL_NONE, NULL, 0);
    struct ts_arguments args = {0};
    if (!own && ts_api_call(body, callee, qualified, list, &out))
        return out;
    args = ts_arguments(body, list);
    if (own && call_symbols(body, own, callee, &args, dest, &out))
        return out;
    own = functions_named(body, name, true);
    if (own && call_symbols(body, own, callee, &args, dest, &out))
        return out;
    run_lambdas(body, &args);
    return !own && body->fn->kind == CW_FN_HOST && ts_helper_launch(body, node, name)
               ? ts_unknown(body, ts_scalar(body->u, CW_I32, true), CW_BAIL_NONE, NULL, 0)
               : call_unresolved(body, name, &args);
}

struct ts_value ts_call(struct ts_body *body, TSNode node, cw_ref dest) {
    TSNode callee = ts_field(node, "function"), list = ts_field(node, "arguments");
    uint32_t outer = body->at.loc;
    struct ts_value v;
    body->at.loc = ts_loc(body, node);
    const struct ts_type *to = paren_type(body, callee);
    enum ts_kind k = ts_kind(body->u, callee);
    cw_str last = ts_text(body->u, ts_last_name(body->u, callee));
    TSNode given = ts_template_arguments(body->u, callee);
    if (!ts_node_is_null(ts_child_of(body->u, node, TS_LAUNCH)) && ts_launch(body, node))
        v = ts_rvalue_of(CW_NONE, body->u->void_type);
    else if (to)
        v = construct_object(body, to, list, dest);
    else if (k == TS_TEMPLATE_FUNCTION && is_cast_word(last) && count_children(given) == 1 && count_children(list) == 1)
        v = ts_cast_to(body, ts_expr(body, ts_node_named_child(list, 0)),
                       ts_type_node(&body->s, ts_node_named_child(given, 0)));
    else if (k == TS_FIELD)
        v = call_member(body, callee, list, dest);
    else if (k == TS_PRIMITIVE)
        v = construct_object(body, ts_type_node(&body->s, callee), list, dest);
    else if (k == TS_IDENTIFIER || k == TS_QUALIFIED || k == TS_TEMPLATE_FUNCTION)
        v = call_named(body, node, callee, list, dest);
    else
        v = through_value(body, callee, list, dest);
    body->at.loc = outer;
    return v;
}
