/* Lambdas: an object with a field for each capture. A call lowers the body in its place, wherever that is: in the
 * function that wrote the lambda the names of its variables are still known, elsewhere they are read from the closure.
 */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_CAPTURES = 64, MAX_CLOSURES = 1000, MAX_NESTING = 6 };

static uint32_t count_children(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

/* ---- captures ---- */

/* Shared, static and global variables have one place, by which every function knows them. */
static bool has_one_place(const struct cw_fn *fn, const struct ts_local *local) {
    return local->addr.tag == CW_REF_OBJECT && fn->objects.at[local->addr.index].space != CW_SPACE_LOCAL;
}

static void add_field(struct ts_body *body, struct ts_closure *closure, const struct ts_local *local,
                      bool is_reference) {
    uint64_t size = is_reference ? 8 : ts_size(local->type);
    uint32_t align = is_reference ? 8 : ts_align(local->type);
    if (!size || closure->captures.n >= MAX_CAPTURES)
        return;
    closure->size = (closure->size + align - 1) / align * align;
    cw_vec_push(&body->u->scratch, &closure->captures, ((struct ts_capture){*local, closure->size, is_reference}));
    closure->size += size;
    closure->align = align > closure->align ? align : closure->align;
}

static bool is_captured(const struct ts_closure *closure, const char *name) {
    for (uint32_t i = 0; i < closure->captures.n; i++)
        if (closure->captures.at[i].variable.name == name)
            return true;
    return false;
}

static void capture_local(struct ts_body *body, struct ts_closure *closure, const char *name, bool is_reference) {
    const struct ts_local *l = ts_find_local(body, name);
    for (uint32_t i = 0; l && l->is_pack && i < l->value; i++)
        capture_local(body, closure, ts_element_name(body->u, name, i), is_reference);
    if (l && !l->is_type && !l->is_pack && l->addr.tag != CW_REF_NONE && !has_one_place(body->fn, l) &&
        !is_captured(closure, name))
        add_field(body, closure, l, is_reference);
}

/* [=] and [&] capture what the body names. */
static void capture_names(struct ts_body *body, struct ts_closure *closure, bool is_reference) {
    enum { FAR = 20000 };
    struct ts_walk w = ts_walk_of(ts_field(closure->node, "body"), FAR);
    for (TSNode node; ts_walk_next(&w, &node);) {
        if (ts_is(body->u, node, TS_IDENTIFIER))
            capture_local(body, closure, ts_name(body->u, node), is_reference);
    }
    ts_walk_end(&w);
}

static void capture_this(struct ts_body *body, struct ts_closure *closure) {
    if (body->this_ptr.tag == CW_REF_NONE || !body->s.record)
        return;
    struct ts_local object = {
        .addr = body->this_ptr, .type = ts_record_type(body->u, body->s.record), .init = ts_none()};
    add_field(body, closure, &object, true);
}

static void capture_all(struct ts_body *body, struct ts_closure *closure) {
    TSNode captures = ts_field(closure->node, "captures"), mode = ts_child_of(body->u, captures, TS_LAMBDA_DEFAULT);
    cw_str list = ts_text(body->u, captures);
    for (uint32_t i = 0; i < count_children(captures); i++) {
        TSNode one = ts_node_named_child(captures, i);
        uint32_t from = ts_node_start_byte(one);
        cw_str before = ts_raw(body->u, from ? from - 1 : 0, from, one);
        if (ts_is(body->u, one, TS_EXPANSION))
            one = ts_field(one, "pattern");
        if (ts_is(body->u, one, TS_IDENTIFIER))
            capture_local(body, closure, ts_name(body->u, one), cw_str_is(before, "&"));
    }
    if (!ts_node_is_null(mode))
        capture_names(body, closure, cw_str_is(ts_text(body->u, mode), "&"));
    if (!ts_node_is_null(mode) || (list.n && memmem(list.at, list.n, "this", 4)))
        capture_this(body, closure);
}

/* What the body may name without a capture. */
static void keep_names(struct ts_body *body, struct ts_closure *closure) {
    for (uint32_t i = 0; i < body->locals.n; i++) {
        const struct ts_local *l = &body->locals.at[i];
        if (l->name && (l->is_type || l->is_pack || has_one_place(body->fn, l) ||
                        (l->has_value && l->type->form == TS_FORM_SCALAR)))
            cw_vec_push(&body->u->scratch, &closure->names, *l);
    }
}

static void copy_captures(struct ts_body *body, const struct ts_closure *closure, cw_ref object) {
    for (uint32_t i = 0; i < closure->captures.n; i++) {
        const struct ts_capture *f = &closure->captures.at[i];
        const struct ts_local *l = &f->variable;
        cw_ref at = f->is_reference ? CW_NONE : cw_at_offset(body->at, object, f->offset);
        if (!f->is_reference && ts_is_object(l->type))
            ts_copy(body, at, l->addr, l->type);
        else if (!f->is_reference)
            ts_store(body, ts_load(body, l->addr, l->type), at, l->type);
    }
}

/* The places that a closure holds are written only when it is handed on: a variable whose address is nowhere stays
 * simple. */
void ts_closure_refer(struct ts_body *body, cw_ref object, const struct ts_type *type) {
    const struct ts_closure *c = type->form == TS_FORM_CLOSURE ? type->closure : NULL;
    for (uint32_t i = 0; c && c->fn == body->fn && object.tag != CW_REF_NONE && i < c->captures.n; i++) {
        const struct ts_capture *f = &c->captures.at[i];
        if (f->is_reference)
            ts_store(body, f->variable.addr, cw_at_offset(body->at, object, f->offset),
                     ts_pointer_to(body->u, f->variable.type));
    }
}

static uint32_t nesting_of(const struct ts_env *env) {
    uint32_t most = 0;
    for (; env; env = env->outer)
        for (uint32_t i = 0; i < env->n; i++) {
            const struct ts_type *t = env->at[i].is_type && env->at[i].type ? ts_plain(env->at[i].type) : NULL;
            if (t && t->form == TS_FORM_CLOSURE && t->closure->nesting > most)
                most = t->closure->nesting;
        }
    return most;
}

/* A template that hands a new lambda to itself has no last instance where its end is not understood. */
static uint32_t nesting_of_body(const struct ts_body *body) {
    uint32_t own = nesting_of(body->self->env), scope = nesting_of(body->s.env);
    return (own > scope ? own : scope) + 1;
}

struct ts_value ts_lambda(struct ts_body *body, TSNode node) {
    struct ts_closure *c = CW_NEW(&body->u->scratch, struct ts_closure);
    struct ts_type *t = CW_NEW(&body->u->scratch, struct ts_type);
    struct cw_loc at = ts_place(body->u, node);
    uint32_t nested = nesting_of_body(body);
    if (nested > MAX_NESTING || body->u->nclosures++ >= MAX_CLOSURES)
        return ts_unknown(body, body->u->unknown_type, ts_why(body, CW_BAIL_TOO_LARGE), NULL, 0);
    *c = (struct ts_closure){.node = node, .s = body->s, .fn = body->fn, .align = 1, .depth = body->locals.n,
                              .nesting = nested};
    capture_all(body, c);
    keep_names(body, c);
    *t = (struct ts_type){.form = TS_FORM_CLOSURE,
                          .kind = {CW_AGG, false},
                          .size = c->size ? c->size : 1,
                          .align = c->align,
                          .count = -1,
                          .tile = -1,
                          .closure = c};
    /* the number tells the closures of one lambda in several instances apart */
    t->name = cw_intern(&body->u->module->names, cw_arena_printf(&body->u->scratch, "(lambda %u at %u:%u)",
                                                                 body->u->nclosures, at.span.line, at.span.col));
    cw_ref object = ts_temp(body, t, "lambda");
    copy_captures(body, c, object);
    return ts_place_of(object, t);
}

/* ---- calls ---- */

static void bind_parameters(struct ts_body *body, TSNode lambda, const struct ts_arguments *args) {
    TSNode list = ts_field(ts_field(lambda, "declarator"), "parameters");
    uint32_t index = 0;
    for (uint32_t i = 0; i < count_children(list); i++) {
        TSNode p = ts_node_named_child(list, i), d = ts_field(p, "declarator");
        if (!ts_is(body->u, p, TS_PARAMETER) && !ts_is(body->u, p, TS_OPTIONAL_PARAMETER))
            continue;
        uint32_t at = index++;
        if (ts_node_is_null(d))
            continue;
        const struct ts_type *t = ts_param_type(&body->s, p);
        const char *name = ts_declared_name(body->u, d);
        struct ts_value v = at < args->n
                                ? args->at[at]
                                : ts_unknown(body, ts_plain(t), ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
        bool is_auto = ts_is(body->u, ts_field(p, "type"), TS_PLACEHOLDER);
        if (t->form == TS_FORM_REFERENCE) {
            ts_bind(body, name, ts_address(body, v), is_auto ? ts_plain(v.type) : t->of);
            continue;
        }
        if (is_auto)
            t = ts_rvalue(body, v).type;
        cw_ref to = ts_temp(body, t, name);
        if (ts_is_object(t))
            ts_copy(body, to, ts_address(body, v), t);
        else
            ts_store(body, ts_convert(body, v, t), to, t);
        ts_bind(body, name, to, t);
    }
}

/* Locals that came after the lambda are hidden while its body is lowered; in another function, all. */
static const char **hide_locals(struct ts_body *body, uint32_t from) {
    const char **names = CW_NEW_ARRAY(&body->u->scratch, const char *, body->locals.n - from + 1);
    for (uint32_t i = from; i < body->locals.n; i++) {
        names[i - from] = body->locals.at[i].name;
        body->locals.at[i].name = NULL;
    }
    return names;
}

static void show_locals(struct ts_body *body, uint32_t from, uint32_t n, const char **names) {
    body->locals.n = n;
    for (uint32_t i = from; i < n; i++)
        body->locals.at[i].name = names[i - from];
}

static void bind_like(struct ts_body *body, const struct ts_local *local, cw_ref addr) {
    uint32_t before = body->locals.n;
    ts_bind(body, local->name, addr, local->type);
    if (body->locals.n == before)
        return;
    cw_vec_last(&body->locals) = *local;
    cw_vec_last(&body->locals).addr = addr;
}

/* A variable with one place is the same in every function. */
static cw_ref same_place(struct ts_body *body, const struct ts_closure *closure, const struct ts_local *local) {
    struct cw_object o = closure->fn->objects.at[local->addr.index];
    o.loc = cw_fn_add_loc(body->fn, closure->fn->locs.at[o.loc]);
    return cw_fn_add_object(body->fn, o);
}

static void bind_names(struct ts_body *body, const struct ts_closure *closure) {
    cw_str text = ts_text(body->u, ts_field(closure->node, "body"));
    for (uint32_t i = 0; i < closure->names.n; i++) {
        const struct ts_local *l = &closure->names.at[i];
        cw_ref addr = CW_NONE;
        if (!l->is_pack && !memmem(text.at, text.n, l->name, strlen(l->name)))
            continue;
        if (has_one_place(closure->fn, l)) {
            addr = same_place(body, closure, l);
        } else if (!l->is_type && !l->is_pack) {
            addr = ts_temp(body, l->type, l->name);
            ts_store(body, cw_fn_const(body->fn, l->type->kind.type, l->value), addr, l->type);
        }
        bind_like(body, l, addr);
    }
}

static void bind_captures(struct ts_body *body, const struct ts_closure *closure, cw_ref object, bool is_elsewhere) {
    for (uint32_t i = 0; i < closure->captures.n; i++) {
        const struct ts_capture *f = &closure->captures.at[i];
        if (f->is_reference && !is_elsewhere)
            continue;
        cw_ref addr = cw_at_offset(body->at, object, f->offset);
        if (f->is_reference)
            addr = ts_load(body, addr, ts_pointer_to(body->u, f->variable.type));
        if (f->variable.name)
            bind_like(body, &f->variable, addr);
        else
            body->this_ptr = addr;
    }
}

static void enter_scope(struct ts_body *body, const struct ts_closure *closure) {
    body->s = closure->s;
    body->s.body = body;
    body->this_ptr = CW_NONE;
    bind_names(body, closure);
}

static const struct ts_type *lower_body(struct ts_body *body, struct ts_closure *closure, cw_ref *slot) {
    closure->is_running = true;
    body->lambda_depth++;
    body->is_in_lambda = true;
    body->loop = NULL;
    body->lambda_done = cw_fn_add_block(body->fn);
    body->lambda_slot = CW_NONE;
    body->lambda_result = NULL;
    ts_stmt(body, ts_field(closure->node, "body"));
    cw_at_go(body->at, body->lambda_done, 0, CW_FROM_NONE);
    body->at.block = body->lambda_done;
    body->lambda_depth--;
    closure->is_running = false;
    *slot = body->lambda_slot;
    return body->lambda_result;
}

static void leave_lambda(struct ts_body *body, const struct ts_body *outer) {
    body->s = outer->s;
    body->this_ptr = outer->this_ptr;
    body->is_in_lambda = outer->is_in_lambda;
    body->lambda_done = outer->lambda_done;
    body->lambda_slot = outer->lambda_slot;
    body->lambda_result = outer->lambda_result;
    body->loop = outer->loop;
}

/* A pattern's template parameters mean nothing elsewhere, and `*this` is a copy that nobody made. */
static enum cw_bail not_lowered(const struct ts_body *body, const struct ts_closure *closure, cw_ref object) {
    cw_str captures = ts_text(body->u, ts_field(closure->node, "captures"));
    if (object.tag == CW_REF_NONE || (closure->fn != body->fn && closure->fn->is_pattern))
        return CW_BAIL_INDIRECT_CALL;
    if (captures.n && memchr(captures.at, '*', captures.n))
        return CW_BAIL_UNSUPPORTED_EXPR;
    return closure->is_running || body->lambda_depth >= 16 ? CW_BAIL_RECURSION : CW_BAIL_NONE;
}

struct ts_value ts_call_closure(struct ts_body *body, struct ts_value closure, const struct ts_arguments *args) {
    struct ts_closure *c = closure.type->closure;
    bool is_elsewhere = c->fn != body->fn;
    uint32_t n = body->locals.n, from = is_elsewhere ? 0 : c->depth < n ? c->depth : n;
    enum cw_bail why = not_lowered(body, c, closure.ref);
    if (why != CW_BAIL_NONE) {
        ts_degrade(body, why);
        return ts_opaque_call(body, "lambda", body->u->unknown_type, ts_why(body, why), body->this_ptr, args);
    }
    struct ts_body outer = *body;
    const char **names = hide_locals(body, from);
    if (is_elsewhere)
        enter_scope(body, c);
    bind_captures(body, c, closure.ref, is_elsewhere);
    bind_parameters(body, c->node, args);
    cw_ref slot;
    const struct ts_type *t = lower_body(body, c, &slot);
    show_locals(body, from, n, names);
    leave_lambda(body, &outer);
    return slot.tag == CW_REF_NONE ? ts_rvalue_of(CW_NONE, body->u->void_type) : ts_place_of(slot, t);
}

/* Host code gives lambdas to dispatch helpers: `DISPATCH(type, [&] { kernel<<<…>>>(…); })`. The body may run. */
void ts_run_lambda_maybe(struct ts_body *body, TSNode lambda) {
    struct ts_value v = ts_lambda(body, lambda);
    uint32_t yes = cw_fn_add_block(body->fn), done = cw_fn_add_block(body->fn);
    struct ts_arguments none = {0};
    cw_ref runs = cw_emit_opaque(body->at, CW_I1, CW_BAIL_UNKNOWN_CALL, NULL, 0);
    cw_fn_branch(body->fn, body->at.block, runs, yes, done, body->at.loc, CW_FROM_NONE);
    body->at.block = yes;
    if (v.type->form == TS_FORM_CLOSURE)
        ts_call_closure(body, v, &none);
    cw_at_go(body->at, done, 0, CW_FROM_NONE);
    body->at.block = done;
}
