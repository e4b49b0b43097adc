/* Lowering of one function: blocks, parameters, body. */
#include "front/ts/lower.h"
#include "ir/assertions.h"

#include <string.h>

uint32_t ts_loc(struct ts_body *body, TSNode node) {
    struct cw_loc loc = ts_place(body->u, node);
    return loc.span.line ? cw_fn_add_loc(body->fn, loc) : body->at.loc;
}

void ts_bail(struct ts_body *body, enum cw_bail why) {
    body->fn->bails[why]++;
}

enum cw_bail ts_why(const struct ts_body *body, enum cw_bail why) {
    return body->fn->is_pattern ? CW_BAIL_DEPENDENT : why;
}

void ts_degrade(struct ts_body *body, enum cw_bail why) {
    ts_bail(body, ts_why(body, why));
    body->is_degraded |= !body->fn->is_pattern;
}

/* ---- parameters ---- */

static struct cw_param make_parameter(struct ts_body *body, TSNode node, const char *name, const struct ts_type *type) {
    struct cw_param out = {.name = name, .type = type->kind.type, .loc = ts_loc(body, node)};
    cw_str raw = ts_raw(body->u, ts_node_start_byte(node), ts_node_end_byte(node), node);
    if (type->form == TS_FORM_POINTER || type->form == TS_FORM_REFERENCE) {
        uint64_t size = type->of->form == TS_FORM_VOID ? 1 : ts_size(type->of);
        out.pointee_bytes = size <= UINT32_MAX ? (uint32_t)size : 0;
        out.points_to_const = type->of->is_const;
        out.is_restrict = raw.n && memmem(raw.at, raw.n, "restrict", 8) != NULL;
    }
    return out;
}

/* A class passed by value: constant memory of a kernel; for a device function, the caller's copy by address. */
static void object_parameter(struct ts_body *body, TSNode node, const char *name, const struct ts_type *type) {
    if (body->fn->kind != CW_FN_KERNEL) {
        struct cw_param param = {
            .name = name, .type = CW_PTR, .loc = ts_loc(body, node), .pointee_bytes = (uint32_t)ts_size(type)};
        ts_bind(body, name, cw_fn_add_param(body->fn, param), type);
        return;
    }
    struct cw_object o = {.name = name, .space = CW_SPACE_PARAM, .size = ts_size(type), .loc = ts_loc(body, node),
                          .type_text = ts_type_text(body->u, type)};
    ts_bind(body, name, cw_fn_add_object(body->fn, o), type);
}

static void scalar_parameter(struct ts_body *body, TSNode node, const char *name, const struct ts_type *type) {
    uint32_t outer = body->at.loc;
    body->at.loc = ts_loc(body, node);
    cw_ref value = cw_fn_add_param(body->fn, make_parameter(body, node, name, type));
    if (type->form == TS_FORM_REFERENCE) {
        ts_bind(body, name, value, type->of);
    } else {
        cw_ref at = ts_temp(body, type, name);
        ts_store(body, value, at, type);
        ts_bind(body, name, at, type);
    }
    body->at.loc = outer;
}

static void one_parameter(struct ts_body *body, TSNode node, const char *name) {
    const struct ts_type *t = ts_param_type(&body->s, node);
    if (ts_is_object(t))
        object_parameter(body, node, name, t);
    else
        scalar_parameter(body, node, name, t);
}

/* `Args... args`: a parameter for each, all of that name. Of a pattern nobody knows how many; there are none then. */
static void parameter_pack(struct ts_body *body, TSNode node) {
    TSNode d = ts_field(node, "declarator");
    const char *name = ts_node_is_null(d) ? "" : ts_declared_name(body->u, d);
    const struct ts_env *env = body->s.env;
    int64_t n = ts_pack_length(&body->s, node);
    for (uint32_t i = 0; (int64_t)i < n; i++) {
        ts_pick(&body->s, node, i);
        one_parameter(body, node, name);
        body->s.env = env;
        if (body->locals.n)
            cw_vec_last(&body->locals).name = ts_element_name(body->u, name, i);
    }
    ts_bind(body, name, CW_NONE, body->u->unknown_type);
    cw_vec_last(&body->locals).is_pack = true;
    cw_vec_last(&body->locals).value = n;
}

static void lower_parameters(struct ts_body *body, struct ts_function *function) {
    TSNode list = ts_field(function->declarator, "parameters");
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        enum ts_kind k = ts_kind(body->u, p);
        if (k == TS_VARIADIC_PARAMETER)
            parameter_pack(body, p);
        if ((k != TS_PARAMETER && k != TS_OPTIONAL_PARAMETER) || cw_str_is(ts_text(body->u, p), "void"))
            continue;
        TSNode d = ts_field(p, "declarator");
        one_parameter(body, p, ts_node_is_null(d) ? "" : ts_declared_name(body->u, d));
    }
}

static void hidden_parameters(struct ts_body *body, struct ts_instance *instance) {
    if (!instance->f->is_constructor && ts_is_object(body->result))
        body->sret = cw_fn_add_param(body->fn, (struct cw_param){.name = "result", .type = CW_PTR});
    if (!instance->record || instance->f->is_static)
        return;
    uint64_t size = ts_size(ts_record_type(body->u, instance->record));
    body->this_ptr = cw_fn_add_param(body->fn, (struct cw_param){.name = "this", .type = CW_PTR,
                                                           .pointee_bytes = size <= UINT32_MAX ? (uint32_t)size : 0});
}

/* Value parameters of a pattern are unknown, and the same in the whole grid. */
static const struct ts_env *template_parameters(struct ts_body *body, struct ts_instance *instance) {
    struct ts_env *first = NULL, **last = &first;
    for (const struct ts_env *e = instance->env; e; e = e->outer) {
        struct ts_env *copy = CW_NEW(&body->u->scratch, struct ts_env);
        copy->n = e->n;
        copy->at = CW_NEW_ARRAY(&body->u->scratch, struct ts_binding, e->n);
        for (uint32_t k = 0; k < e->n; k++) {
            copy->at[k] = e->at[k];
            struct ts_binding *p = &copy->at[k];
            if (!p->is_type && !p->is_known && !p->is_pack &&
                (p->type->form == TS_FORM_SCALAR || p->type->form == TS_FORM_POINTER))
                p->param = cw_fn_add_tparam(body->fn, (struct cw_param){.name = p->name, .type = p->type->kind.type});
        }
        *last = copy;
        last = (struct ts_env **)(uintptr_t)&copy->outer;
    }
    return first;
}

/* ---- the function ---- */

static enum cw_fn_kind kind_of(const struct ts_instance *instance) {
    if (instance->f->is_kernel)
        return CW_FN_KERNEL;
    return instance->f->is_device || instance->is_device_by_use ? CW_FN_DEVICE : CW_FN_HOST;
}

/* What is behind the parenthesis of the attribute; empty, and *is_written, when it has none. */
static cw_str attribute_text(cw_str head, const char *word, bool *is_written) {
    const char *at = head.n ? memmem(head.at, head.n, word, strlen(word)) : NULL, *end = head.at + head.n;
    *is_written = at != NULL;
    for (at = at ? at + strlen(word) : end; at < end && *at != '(';)
        at++;
    return at < end ? (cw_str){at + 1, (size_t)(end - at) - 1} : (cw_str){NULL, 0};
}

static void read_bounds(struct ts_body *body, cw_str head) {
    bool is_written;
    int64_t value;
    cw_str text = attribute_text(head, "__launch_bounds__", &is_written);
    if (text.n && ts_int_words(&body->s, text, &value) && value > 0 && value <= 1024)
        body->fn->bounds_max_threads = (uint32_t)value;
    body->fn->has_unread_bounds = is_written && !body->fn->bounds_max_threads;
}

static void read_cluster(struct ts_body *body, cw_str head) {
    bool is_written;
    int64_t values[3];
    cw_str text = attribute_text(head, "__cluster_dims__", &is_written);
    bool is_read = text.n && cw_fn_require_cluster(body->fn, values, ts_int_list(&body->s, text, values));
    body->fn->has_unread_cluster = is_written && !is_read;
}

/* `operator const T *() const` */
static const struct ts_type *conversion_type(struct ts_scope *scope, TSNode cast) {
    const struct ts_type *t = ts_declaration_type(scope, cast);
    TSNode d = ts_field(cast, "declarator");
    for (int i = 0; i < 32 && !ts_node_is_null(d) && !ts_is(scope->u, d, TS_ABSTRACT_FUNCTION); i++) {
        bool is_pointer = ts_is(scope->u, d, TS_ABSTRACT_POINTER),
             is_reference = ts_is(scope->u, d, TS_ABSTRACT_REFERENCE);
        t = is_pointer ? ts_pointer_to(scope->u, t) : is_reference ? ts_reference_to(scope->u, t) : t;
        d = ts_field(d, "declarator");
    }
    return t;
}

/* `auto f(…) -> T`, `auto f(…)`: the type of the first return is asked for when it is lowered. */
static const struct ts_type *result_type(struct ts_scope *scope, struct ts_function *function) {
    TSNode trailing = ts_child_of(scope->u, function->declarator, TS_TRAILING_RETURN);
    if (!ts_node_is_null(trailing) && ts_node_named_child_count(trailing))
        return ts_type_node(scope, ts_node_named_child(trailing, 0));
    if (function->is_constructor)
        return scope->u->void_type;
    if (ts_is(scope->u, function->declarator, TS_ABSTRACT_FUNCTION))
        return conversion_type(scope, ts_field(function->node, "declarator"));
    if (ts_node_is_null(ts_field(function->node, "type")))
        return scope->u->unknown_type;
    const struct ts_type *t = ts_declaration_type(scope, function->node);
    for (TSNode d = ts_field(function->node, "declarator"); !ts_node_is_null(d);) { /* `float *f()`, `T &f()` */
        enum ts_kind k = ts_kind(scope->u, d);
        if (k == TS_FUNCTION_DECLARATOR)
            break;
        t = k == TS_POINTER_DECLARATOR     ? ts_pointer_to(scope->u, t)
            : k == TS_REFERENCE_DECLARATOR ? ts_reference_to(scope->u, t)
                                           : t;
        TSNode inner = ts_field(d, "declarator");
        if (ts_node_is_null(inner) && ts_node_named_child_count(d))
            inner = ts_node_named_child(d, ts_node_named_child_count(d) - 1);
        d = inner;
    }
    return t;
}

const struct ts_type *ts_result_type(struct ts_scope *scope, struct ts_function *function) {
    return result_type(scope, function);
}

static struct cw_span span_of(struct ts_unit *unit, TSNode node) {
    return ts_place(unit, node).span;
}

static void describe_function(struct ts_body *body, struct ts_instance *instance) {
    struct ts_function *f = instance->f;
    body->fn->span = span_of(body->u, f->node);
    body->fn->name_span = span_of(body->u, ts_last_name(body->u, ts_declarator_name(body->u, f->declarator)));
    body->fn->is_pattern = instance->is_pattern;
    body->fn->is_static_scope = f->is_static_scope;
    body->fn->pattern_key = instance->pattern_key;
    if (!instance->is_pattern && !instance->pattern_key && !ts_node_is_null(f->tmpl)) {
        struct ts_env *none =
            ts_env_make(&body->s, f->tmpl, ts_none(), instance->record ? instance->record->env : NULL);
        body->fn->pattern_key = ts_instance_of(body->u, f, none, instance->record)->key;
    }
    const struct ts_type *r = body->result;
    body->fn->result = ts_is_object(r) ? CW_VOID : r->kind.type;
    read_bounds(body, ts_head(body->u, f->node));
    read_cluster(body, ts_head(body->u, f->node));
}

static void close_blocks(struct cw_fn *fn) {
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        if (fn->blocks.at[i].jump.kind == CW_JUMP_NONE)
            cw_fn_trap(fn, i, 0);
}

static void lower_body(struct ts_body *b, struct ts_instance *instance) {
    if (instance->f->is_constructor)
        ts_member_inits(b, instance->f->node);
    ts_stmt(b, ts_field(instance->f->node, "body"));
    if (!cw_at_is_open(b->at))
        return;
    cw_ref value = b->fn->result == CW_VOID ? CW_NONE : cw_fn_undef(b->fn->result);
    cw_fn_return(b->fn, b->at.block, value, 0);
}

void ts_lower(struct ts_unit *unit, struct ts_instance *instance) {
    struct ts_body *b = CW_NEW(&unit->scratch, struct ts_body);
    *b = (struct ts_body){
        .u = unit, .self = instance, .this_ptr = CW_NONE, .sret = CW_NONE, .unroll = -1, .lambda_slot = CW_NONE};
    b->s = (struct ts_scope){
        .u = unit, .env = instance->env, .record = instance->record, .cls = instance->f->owner, .body = b};
    b->fn = instance->fn = cw_fn_new(unit->module, kind_of(instance), instance->display, instance->key);
    b->at.fn = b->fn;
    b->at.block = cw_fn_add_block(b->fn);
    if (instance->is_pattern)
        b->s.env = template_parameters(b, instance);
    b->result = result_type(&b->s, instance->f);
    describe_function(b, instance);
    hidden_parameters(b, instance);
    lower_parameters(b, instance->f);
    lower_body(b, instance);
    if (!b->is_degraded &&
        ts_node_has_error(ts_field(instance->f->node, "body"))) /* the grammar dropped or made up tokens */
        ts_degrade(b, CW_BAIL_BROKEN_CODE);
    close_blocks(b->fn);
    b->fn->is_degraded = b->is_degraded;
    cw_fn_lower_assertions(b->fn);
    cw_fn_link_preds(b->fn);
}
