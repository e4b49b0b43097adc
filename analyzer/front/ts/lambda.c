/* Lambdas: an object with a field for each capture. A call lowers the body in its place, wherever that is: in the
 * function that wrote the lambda the names of its variables are still known, elsewhere they are read from the closure.
 */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_CAPTURES = 64, MAX_CLOSURES = 1000, MAX_NESTING = 6 };

static uint32_t count(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

/* ---- captures ---- */

/* Shared, static and global variables have one place, by which every function knows them. */
static bool has_one_place(const struct cw_fn *fn, const struct ts_local *l) {
    return l->addr.tag == CW_REF_OBJECT && fn->objects.at[l->addr.index].space != CW_SPACE_LOCAL;
}

static void add_field(struct ts_body *b, struct ts_closure *c, const struct ts_local *l, bool is_reference) {
    uint64_t size = is_reference ? 8 : ts_size(l->type);
    uint32_t align = is_reference ? 8 : ts_align(l->type);
    if (!size || c->captures.n >= MAX_CAPTURES)
        return;
    c->size = (c->size + align - 1) / align * align;
    cw_vec_push(&b->u->scratch, &c->captures, ((struct ts_capture){*l, c->size, is_reference}));
    c->size += size;
    c->align = align > c->align ? align : c->align;
}

static bool is_captured(const struct ts_closure *c, const char *name) {
    for (uint32_t i = 0; i < c->captures.n; i++)
        if (c->captures.at[i].variable.name == name)
            return true;
    return false;
}

static void capture(struct ts_body *b, struct ts_closure *c, const char *name, bool is_reference) {
    const struct ts_local *l = ts_find_local(b, name);
    for (uint32_t i = 0; l && l->is_pack && i < l->value; i++)
        capture(b, c, ts_element_name(b->u, name, i), is_reference);
    if (l && !l->is_type && !l->is_pack && l->addr.tag != CW_REF_NONE && !has_one_place(b->fn, l) &&
        !is_captured(c, name))
        add_field(b, c, l, is_reference);
}

/* [=] and [&] capture what the body names. */
static void capture_names(struct ts_body *b, struct ts_closure *c, bool is_reference) {
    enum { FAR = 20000 };
    struct ts_walk w = ts_walk_of(ts_field(c->node, "body"), FAR);
    for (TSNode node; ts_walk_next(&w, &node);) {
        if (ts_is(b->u, node, TS_IDENTIFIER))
            capture(b, c, ts_name(b->u, node), is_reference);
    }
    ts_walk_end(&w);
}

static void capture_this(struct ts_body *b, struct ts_closure *c) {
    if (b->this_ptr.tag == CW_REF_NONE || !b->s.record)
        return;
    struct ts_local object = {.addr = b->this_ptr, .type = ts_record_type(b->u, b->s.record), .init = ts_none()};
    add_field(b, c, &object, true);
}

static void capture_all(struct ts_body *b, struct ts_closure *c) {
    TSNode captures = ts_field(c->node, "captures"), mode = ts_child_of(b->u, captures, TS_LAMBDA_DEFAULT);
    cw_str list = ts_text(b->u, captures);
    for (uint32_t i = 0; i < count(captures); i++) {
        TSNode one = ts_node_named_child(captures, i);
        uint32_t from = ts_node_start_byte(one);
        cw_str before = ts_raw(b->u, from ? from - 1 : 0, from, one);
        if (ts_is(b->u, one, TS_EXPANSION))
            one = ts_field(one, "pattern");
        if (ts_is(b->u, one, TS_IDENTIFIER))
            capture(b, c, ts_name(b->u, one), cw_str_is(before, "&"));
    }
    if (!ts_node_is_null(mode))
        capture_names(b, c, cw_str_is(ts_text(b->u, mode), "&"));
    if (!ts_node_is_null(mode) || (list.n && memmem(list.at, list.n, "this", 4)))
        capture_this(b, c);
}

/* What the body may name without a capture. */
static void keep_names(struct ts_body *b, struct ts_closure *c) {
    for (uint32_t i = 0; i < b->locals.n; i++) {
        const struct ts_local *l = &b->locals.at[i];
        if (l->name &&
            (l->is_type || l->is_pack || has_one_place(b->fn, l) || (l->has_value && l->type->form == TS_FORM_SCALAR)))
            cw_vec_push(&b->u->scratch, &c->names, *l);
    }
}

static void copy_captures(struct ts_body *b, const struct ts_closure *c, cw_ref object) {
    for (uint32_t i = 0; i < c->captures.n; i++) {
        const struct ts_capture *f = &c->captures.at[i];
        const struct ts_local *l = &f->variable;
        cw_ref at = f->is_reference ? CW_NONE : ts_offset(b, object, f->offset);
        if (!f->is_reference && ts_is_object(l->type))
            ts_copy(b, at, l->addr, l->type);
        else if (!f->is_reference)
            ts_store(b, ts_load(b, l->addr, l->type), at, l->type);
    }
}

/* The places that a closure holds are written only when it is handed on: a variable whose address is nowhere stays
 * simple. */
void ts_closure_refer(struct ts_body *b, cw_ref object, const struct ts_type *t) {
    const struct ts_closure *c = t->form == TS_FORM_CLOSURE ? t->closure : NULL;
    for (uint32_t i = 0; c && c->fn == b->fn && object.tag != CW_REF_NONE && i < c->captures.n; i++) {
        const struct ts_capture *f = &c->captures.at[i];
        if (f->is_reference)
            ts_store(b, f->variable.addr, ts_offset(b, object, f->offset), ts_pointer_to(b->u, f->variable.type));
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
static uint32_t nesting(const struct ts_body *b) {
    uint32_t own = nesting_of(b->self->env), scope = nesting_of(b->s.env);
    return (own > scope ? own : scope) + 1;
}

struct ts_value ts_lambda(struct ts_body *b, TSNode e) {
    struct ts_closure *c = CW_NEW(&b->u->scratch, struct ts_closure);
    struct ts_type *t = CW_NEW(&b->u->scratch, struct ts_type);
    struct cw_loc at = ts_place(b->u, e);
    uint32_t nested = nesting(b);
    if (nested > MAX_NESTING || b->u->nclosures++ >= MAX_CLOSURES)
        return ts_unknown(b, b->u->unknown_type, ts_why(b, CW_BAIL_TOO_LARGE), NULL, 0);
    *c = (struct ts_closure){.node = e, .s = b->s, .fn = b->fn, .align = 1, .depth = b->locals.n,
                              .nesting = nested};
    capture_all(b, c);
    keep_names(b, c);
    *t = (struct ts_type){.form = TS_FORM_CLOSURE,
                          .kind = {CW_AGG, false},
                          .size = c->size ? c->size : 1,
                          .align = c->align,
                          .count = -1,
                          .tile = -1,
                          .closure = c};
    /* the number tells the closures of one lambda in several instances apart */
    t->name = cw_intern(&b->u->module->names, cw_arena_printf(&b->u->scratch, "(lambda %u at %u:%u)", b->u->nclosures,
                                                              at.span.line, at.span.col));
    cw_ref object = ts_temp(b, t, "lambda");
    copy_captures(b, c, object);
    return ts_place_of(object, t);
}

/* ---- calls ---- */

static void bind_parameters(struct ts_body *b, TSNode lambda, const struct ts_arguments *args) {
    TSNode list = ts_field(ts_field(lambda, "declarator"), "parameters");
    uint32_t index = 0;
    for (uint32_t i = 0; i < count(list); i++) {
        TSNode p = ts_node_named_child(list, i), d = ts_field(p, "declarator");
        if (!ts_is(b->u, p, TS_PARAMETER) && !ts_is(b->u, p, TS_OPTIONAL_PARAMETER))
            continue;
        uint32_t at = index++;
        if (ts_node_is_null(d))
            continue;
        const struct ts_type *t = ts_param_type(&b->s, p);
        const char *name = ts_declared_name(b->u, d);
        struct ts_value v = at < args->n ? args->at[at]
                                         : ts_unknown(b, ts_plain(t), ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
        bool is_auto = ts_is(b->u, ts_field(p, "type"), TS_PLACEHOLDER);
        if (t->form == TS_FORM_REFERENCE) {
            ts_bind(b, name, ts_address(b, v), is_auto ? ts_plain(v.type) : t->of);
            continue;
        }
        if (is_auto)
            t = ts_rvalue(b, v).type;
        cw_ref to = ts_temp(b, t, name);
        if (ts_is_object(t))
            ts_copy(b, to, ts_address(b, v), t);
        else
            ts_store(b, ts_convert(b, v, t), to, t);
        ts_bind(b, name, to, t);
    }
}

/* Locals that came after the lambda are hidden while its body is lowered; in another function, all. */
static const char **hide(struct ts_body *b, uint32_t from) {
    const char **names = CW_NEW_ARRAY(&b->u->scratch, const char *, b->locals.n - from + 1);
    for (uint32_t i = from; i < b->locals.n; i++) {
        names[i - from] = b->locals.at[i].name;
        b->locals.at[i].name = NULL;
    }
    return names;
}

static void show(struct ts_body *b, uint32_t from, uint32_t n, const char **names) {
    b->locals.n = n;
    for (uint32_t i = from; i < n; i++)
        b->locals.at[i].name = names[i - from];
}

static void bind_like(struct ts_body *b, const struct ts_local *l, cw_ref addr) {
    uint32_t before = b->locals.n;
    ts_bind(b, l->name, addr, l->type);
    if (b->locals.n == before)
        return;
    cw_vec_last(&b->locals) = *l;
    cw_vec_last(&b->locals).addr = addr;
}

/* A variable with one place is the same in every function. */
static cw_ref same_place(struct ts_body *b, const struct ts_closure *c, const struct ts_local *l) {
    struct cw_object o = c->fn->objects.at[l->addr.index];
    o.loc = cw_fn_add_loc(b->fn, c->fn->locs.at[o.loc]);
    return cw_fn_add_object(b->fn, o);
}

static void bind_names(struct ts_body *b, const struct ts_closure *c) {
    cw_str text = ts_text(b->u, ts_field(c->node, "body"));
    for (uint32_t i = 0; i < c->names.n; i++) {
        const struct ts_local *l = &c->names.at[i];
        cw_ref addr = CW_NONE;
        if (!l->is_pack && !memmem(text.at, text.n, l->name, strlen(l->name)))
            continue;
        if (has_one_place(c->fn, l)) {
            addr = same_place(b, c, l);
        } else if (!l->is_type && !l->is_pack) {
            addr = ts_temp(b, l->type, l->name);
            ts_store(b, cw_fn_const(b->fn, l->type->kind.type, l->value), addr, l->type);
        }
        bind_like(b, l, addr);
    }
}

static void bind_captures(struct ts_body *b, const struct ts_closure *c, cw_ref object, bool is_elsewhere) {
    for (uint32_t i = 0; i < c->captures.n; i++) {
        const struct ts_capture *f = &c->captures.at[i];
        if (f->is_reference && !is_elsewhere)
            continue;
        cw_ref addr = ts_offset(b, object, f->offset);
        if (f->is_reference)
            addr = ts_load(b, addr, ts_pointer_to(b->u, f->variable.type));
        if (f->variable.name)
            bind_like(b, &f->variable, addr);
        else
            b->this_ptr = addr;
    }
}

static void enter_scope(struct ts_body *b, const struct ts_closure *c) {
    b->s = c->s;
    b->s.body = b;
    b->this_ptr = CW_NONE;
    bind_names(b, c);
}

static const struct ts_type *lower_body(struct ts_body *b, struct ts_closure *c, cw_ref *slot) {
    c->is_running = true;
    b->lambda_depth++;
    b->is_in_lambda = true;
    b->loop = NULL;
    b->lambda_done = ts_block(b);
    b->lambda_slot = CW_NONE;
    b->lambda_result = NULL;
    ts_stmt(b, ts_field(c->node, "body"));
    ts_go(b, b->lambda_done, 0, CW_FROM_NONE);
    b->at.block = b->lambda_done;
    b->lambda_depth--;
    c->is_running = false;
    *slot = b->lambda_slot;
    return b->lambda_result;
}

static void leave(struct ts_body *b, const struct ts_body *outer) {
    b->s = outer->s;
    b->this_ptr = outer->this_ptr;
    b->is_in_lambda = outer->is_in_lambda;
    b->lambda_done = outer->lambda_done;
    b->lambda_slot = outer->lambda_slot;
    b->lambda_result = outer->lambda_result;
    b->loop = outer->loop;
}

/* A pattern's template parameters mean nothing elsewhere, and `*this` is a copy that nobody made. */
static enum cw_bail not_lowered(const struct ts_body *b, const struct ts_closure *c, cw_ref object) {
    cw_str captures = ts_text(b->u, ts_field(c->node, "captures"));
    if (object.tag == CW_REF_NONE || (c->fn != b->fn && c->fn->is_pattern))
        return CW_BAIL_INDIRECT_CALL;
    if (captures.n && memchr(captures.at, '*', captures.n))
        return CW_BAIL_UNSUPPORTED_EXPR;
    return c->is_running || b->lambda_depth >= 16 ? CW_BAIL_RECURSION : CW_BAIL_NONE;
}

struct ts_value ts_call_closure(struct ts_body *b, struct ts_value closure, const struct ts_arguments *args) {
    struct ts_closure *c = closure.type->closure;
    bool is_elsewhere = c->fn != b->fn;
    uint32_t n = b->locals.n, from = is_elsewhere ? 0 : c->depth < n ? c->depth : n;
    enum cw_bail why = not_lowered(b, c, closure.ref);
    if (why != CW_BAIL_NONE) {
        ts_degrade(b, why);
        return ts_opaque_call(b, "lambda", b->u->unknown_type, ts_why(b, why), b->this_ptr, args);
    }
    struct ts_body outer = *b;
    const char **names = hide(b, from);
    if (is_elsewhere)
        enter_scope(b, c);
    bind_captures(b, c, closure.ref, is_elsewhere);
    bind_parameters(b, c->node, args);
    cw_ref slot;
    const struct ts_type *t = lower_body(b, c, &slot);
    show(b, from, n, names);
    leave(b, &outer);
    return slot.tag == CW_REF_NONE ? ts_rvalue_of(CW_NONE, b->u->void_type) : ts_place_of(slot, t);
}

/* Host code gives lambdas to dispatch helpers: `DISPATCH(type, [&] { kernel<<<…>>>(…); })`. The body may run. */
void ts_run_lambda_maybe(struct ts_body *b, TSNode lambda) {
    struct ts_value v = ts_lambda(b, lambda);
    uint32_t yes = ts_block(b), done = ts_block(b);
    struct ts_arguments none = {0};
    cw_ref runs = cw_emit_opaque(b->at, CW_I1, CW_BAIL_UNKNOWN_CALL, NULL, 0);
    cw_fn_branch(b->fn, b->at.block, runs, yes, done, b->at.loc, CW_FROM_NONE);
    b->at.block = yes;
    if (v.type->form == TS_FORM_CLOSURE)
        ts_call_closure(b, v, &none);
    ts_go(b, done, 0, CW_FROM_NONE);
    b->at.block = done;
}
