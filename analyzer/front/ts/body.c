/* Lowering of one function: blocks, parameters, body. */
#include "front/ts/lower.h"

#include <string.h>

uint32_t ts_block(struct ts_body *b) {
    return cw_fn_add_block(b->fn);
}

bool ts_is_open(const struct ts_body *b) {
    return b->fn->blocks.at[b->at.block].jump.kind == CW_JUMP_NONE;
}

void ts_go(struct ts_body *b, uint32_t target, uint32_t loc, enum cw_origin origin) {
    if (ts_is_open(b))
        cw_fn_jump(b->fn, b->at.block, target, loc, origin);
}

void ts_enter(struct ts_body *b, uint32_t block) {
    ts_go(b, block, 0, CW_FROM_NONE);
    b->at.block = block;
}

void ts_dead(struct ts_body *b) {
    b->at.block = ts_block(b);
}

uint32_t ts_loc(struct ts_body *b, TSNode n) {
    struct cw_loc loc = ts_place(b->u, n);
    return loc.span.line ? cw_fn_add_loc(b->fn, loc) : b->at.loc;
}

void ts_bail(struct ts_body *b, enum cw_bail why) {
    b->fn->bails[why]++;
}

enum cw_bail ts_why(const struct ts_body *b, enum cw_bail why) {
    return b->fn->is_pattern ? CW_BAIL_DEPENDENT : why;
}

void ts_degrade(struct ts_body *b, enum cw_bail why) {
    ts_bail(b, ts_why(b, why));
    b->is_degraded |= !b->fn->is_pattern;
}

/* ---- parameters ---- */

static struct cw_param parameter(struct ts_body *b, TSNode p, const char *name, const struct ts_type *t) {
    struct cw_param out = {.name = name, .type = t->kind.type, .loc = ts_loc(b, p)};
    cw_str raw = ts_raw(b->u, ts_node_start_byte(p), ts_node_end_byte(p), p);
    if (t->form == TS_FORM_POINTER || t->form == TS_FORM_REFERENCE) {
        uint64_t size = t->of->form == TS_FORM_VOID ? 1 : ts_size(t->of);
        out.pointee_bytes = size <= UINT32_MAX ? (uint32_t)size : 0;
        out.points_to_const = t->of->is_const;
        out.is_restrict = raw.n && memmem(raw.at, raw.n, "restrict", 8) != NULL;
    }
    return out;
}

/* A class passed by value: constant memory of a kernel; for a device function, the caller's copy by address. */
static void object_parameter(struct ts_body *b, TSNode p, const char *name, const struct ts_type *t) {
    if (b->fn->kind != CW_FN_KERNEL) {
        struct cw_param param = {
            .name = name, .type = CW_PTR, .loc = ts_loc(b, p), .pointee_bytes = (uint32_t)ts_size(t)};
        ts_bind(b, name, cw_fn_add_param(b->fn, param), t);
        return;
    }
    struct cw_object o = {.name = name, .space = CW_SPACE_PARAM, .size = ts_size(t), .loc = ts_loc(b, p),
                          .type_text = ts_type_text(b->u, t)};
    ts_bind(b, name, cw_fn_add_object(b->fn, o), t);
}

static void scalar_parameter(struct ts_body *b, TSNode p, const char *name, const struct ts_type *t) {
    uint32_t outer = b->at.loc;
    b->at.loc = ts_loc(b, p);
    cw_ref value = cw_fn_add_param(b->fn, parameter(b, p, name, t));
    if (t->form == TS_FORM_REFERENCE) {
        ts_bind(b, name, value, t->of);
    } else {
        cw_ref at = ts_temp(b, t, name);
        ts_store(b, value, at, t);
        ts_bind(b, name, at, t);
    }
    b->at.loc = outer;
}

static void one_parameter(struct ts_body *b, TSNode p, const char *name) {
    const struct ts_type *t = ts_param_type(&b->s, p);
    if (ts_is_object(t))
        object_parameter(b, p, name, t);
    else
        scalar_parameter(b, p, name, t);
}

/* `Args... args`: a parameter for each, all of that name. Of a pattern nobody knows how many; there are none then. */
static void parameter_pack(struct ts_body *b, TSNode p) {
    TSNode d = ts_field(p, "declarator");
    const char *name = ts_node_is_null(d) ? "" : ts_declared_name(b->u, d);
    const struct ts_env *env = b->s.env;
    int64_t n = ts_pack_length(&b->s, p);
    for (uint32_t i = 0; (int64_t)i < n; i++) {
        ts_pick(&b->s, p, i);
        one_parameter(b, p, name);
        b->s.env = env;
        if (b->locals.n)
            cw_vec_last(&b->locals).name = ts_element_name(b->u, name, i);
    }
    ts_bind(b, name, CW_NONE, b->u->unknown_type);
    cw_vec_last(&b->locals).is_pack = true;
    cw_vec_last(&b->locals).value = n;
}

static void parameters(struct ts_body *b, struct ts_function *f) {
    TSNode list = ts_field(f->declarator, "parameters");
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        enum ts_kind k = ts_kind(b->u, p);
        if (k == TS_VARIADIC_PARAMETER)
            parameter_pack(b, p);
        if ((k != TS_PARAMETER && k != TS_OPTIONAL_PARAMETER) || cw_str_is(ts_text(b->u, p), "void"))
            continue;
        TSNode d = ts_field(p, "declarator");
        one_parameter(b, p, ts_node_is_null(d) ? "" : ts_declared_name(b->u, d));
    }
}

static void hidden_parameters(struct ts_body *b, struct ts_instance *i) {
    if (!i->f->is_constructor && ts_is_object(b->result))
        b->sret = cw_fn_add_param(b->fn, (struct cw_param){.name = "result", .type = CW_PTR});
    if (!i->record || i->f->is_static)
        return;
    uint64_t size = ts_size(ts_record_type(b->u, i->record));
    b->this_ptr = cw_fn_add_param(b->fn, (struct cw_param){.name = "this", .type = CW_PTR,
                                                           .pointee_bytes = size <= UINT32_MAX ? (uint32_t)size : 0});
}

/* Value parameters of a pattern are unknown, and the same in the whole grid. */
static const struct ts_env *template_parameters(struct ts_body *b, struct ts_instance *i) {
    struct ts_env *first = NULL, **last = &first;
    for (const struct ts_env *e = i->env; e; e = e->outer) {
        struct ts_env *copy = CW_NEW(&b->u->scratch, struct ts_env);
        copy->n = e->n;
        copy->at = CW_NEW_ARRAY(&b->u->scratch, struct ts_binding, e->n);
        for (uint32_t k = 0; k < e->n; k++) {
            copy->at[k] = e->at[k];
            struct ts_binding *p = &copy->at[k];
            if (!p->is_type && !p->is_known && !p->is_pack &&
                (p->type->form == TS_FORM_SCALAR || p->type->form == TS_FORM_POINTER))
                p->param = cw_fn_add_tparam(b->fn, (struct cw_param){.name = p->name, .type = p->type->kind.type});
        }
        *last = copy;
        last = (struct ts_env **)(uintptr_t)&copy->outer;
    }
    return first;
}

/* ---- the function ---- */

static enum cw_fn_kind kind_of(const struct ts_instance *i) {
    if (i->f->is_kernel)
        return CW_FN_KERNEL;
    return i->f->is_device || i->is_device_by_use ? CW_FN_DEVICE : CW_FN_HOST;
}

static void bounds(struct ts_body *b, TSNode function) {
    static const char word[] = "__launch_bounds__";
    cw_str head = ts_head(b->u, function);
    const char *at = head.n ? memmem(head.at, head.n, word, sizeof word - 1) : NULL;
    const char *end = head.at + head.n;
    int64_t value;
    for (at = at ? at + sizeof word - 1 : end; at < end && *at != '(';)
        at++;
    if (at < end && ts_int_words(&b->s, (cw_str){at + 1, (size_t)(end - at) - 1}, &value) && value > 0 && value <= 1024)
        b->fn->bounds_max_threads = (uint32_t)value;
    b->fn->has_unread_bounds = head.n && memmem(head.at, head.n, word, sizeof word - 1) && !b->fn->bounds_max_threads;
}

/* `operator const T *() const` */
static const struct ts_type *conversion_type(struct ts_scope *s, TSNode cast) {
    const struct ts_type *t = ts_declaration_type(s, cast);
    TSNode d = ts_field(cast, "declarator");
    for (int i = 0; i < 32 && !ts_node_is_null(d) && !ts_is(s->u, d, TS_ABSTRACT_FUNCTION); i++) {
        bool is_pointer = ts_is(s->u, d, TS_ABSTRACT_POINTER), is_reference = ts_is(s->u, d, TS_ABSTRACT_REFERENCE);
        t = is_pointer ? ts_pointer_to(s->u, t) : is_reference ? ts_reference_to(s->u, t) : t;
        d = ts_field(d, "declarator");
    }
    return t;
}

/* `auto f(…) -> T`, `auto f(…)`: the type of the first return is asked for when it is lowered. */
static const struct ts_type *result_type(struct ts_scope *s, struct ts_function *f) {
    TSNode trailing = ts_child_of(s->u, f->declarator, TS_TRAILING_RETURN);
    if (!ts_node_is_null(trailing) && ts_node_named_child_count(trailing))
        return ts_type_node(s, ts_node_named_child(trailing, 0));
    if (f->is_constructor)
        return s->u->void_type;
    if (ts_is(s->u, f->declarator, TS_ABSTRACT_FUNCTION))
        return conversion_type(s, ts_field(f->node, "declarator"));
    if (ts_node_is_null(ts_field(f->node, "type")))
        return s->u->unknown_type;
    const struct ts_type *t = ts_declaration_type(s, f->node);
    for (TSNode d = ts_field(f->node, "declarator"); !ts_node_is_null(d);) { /* `float *f()`, `T &f()` */
        enum ts_kind k = ts_kind(s->u, d);
        if (k == TS_FUNCTION_DECLARATOR)
            break;
        t = k == TS_POINTER_DECLARATOR     ? ts_pointer_to(s->u, t)
            : k == TS_REFERENCE_DECLARATOR ? ts_reference_to(s->u, t)
                                           : t;
        TSNode inner = ts_field(d, "declarator");
        if (ts_node_is_null(inner) && ts_node_named_child_count(d))
            inner = ts_node_named_child(d, ts_node_named_child_count(d) - 1);
        d = inner;
    }
    return t;
}

const struct ts_type *ts_result_type(struct ts_scope *s, struct ts_function *f) {
    return result_type(s, f);
}

static struct cw_span span_of(struct ts_unit *u, TSNode n) {
    return ts_place(u, n).span;
}

static void describe(struct ts_body *b, struct ts_instance *i) {
    struct ts_function *f = i->f;
    b->fn->span = span_of(b->u, f->node);
    b->fn->name_span = span_of(b->u, ts_last_name(b->u, ts_declarator_name(b->u, f->declarator)));
    b->fn->is_pattern = i->is_pattern;
    b->fn->is_static_scope = f->is_static_scope;
    b->fn->pattern_key = i->pattern_key;
    if (!i->is_pattern && !i->pattern_key && !ts_node_is_null(f->tmpl)) {
        struct ts_env *none = ts_env_make(&b->s, f->tmpl, ts_none(), i->record ? i->record->env : NULL);
        b->fn->pattern_key = ts_instance_of(b->u, f, none, i->record)->key;
    }
    const struct ts_type *r = b->result;
    b->fn->result = ts_is_object(r) ? CW_VOID : r->kind.type;
    bounds(b, f->node);
}

static void close_blocks(struct cw_fn *fn) {
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        if (fn->blocks.at[i].jump.kind == CW_JUMP_NONE)
            cw_fn_trap(fn, i, 0);
}

static void body(struct ts_body *b, struct ts_instance *i) {
    if (i->f->is_constructor)
        ts_member_inits(b, i->f->node);
    ts_stmt(b, ts_field(i->f->node, "body"));
    if (!ts_is_open(b))
        return;
    cw_ref value = b->fn->result == CW_VOID ? CW_NONE : cw_fn_undef(b->fn->result);
    cw_fn_return(b->fn, b->at.block, value, 0);
}

void ts_lower(struct ts_unit *u, struct ts_instance *i) {
    struct ts_body *b = CW_NEW(&u->scratch, struct ts_body);
    *b =
        (struct ts_body){.u = u, .self = i, .this_ptr = CW_NONE, .sret = CW_NONE, .unroll = -1, .lambda_slot = CW_NONE};
    b->s = (struct ts_scope){.u = u, .env = i->env, .record = i->record, .cls = i->f->owner, .body = b};
    b->fn = i->fn = cw_fn_new(u->module, kind_of(i), i->display, i->key);
    b->at.fn = b->fn;
    b->at.block = ts_block(b);
    if (i->is_pattern)
        b->s.env = template_parameters(b, i);
    b->result = result_type(&b->s, i->f);
    describe(b, i);
    hidden_parameters(b, i);
    parameters(b, i->f);
    body(b, i);
    if (!b->is_degraded && ts_node_has_error(ts_field(i->f->node, "body"))) /* the grammar dropped or made up tokens */
        ts_degrade(b, CW_BAIL_BROKEN_CODE);
    close_blocks(b->fn);
    b->fn->is_degraded = b->is_degraded;
    cw_fn_link_preds(b->fn);
}
