/* Lambdas that are called where they were written: the body is lowered in place of the call. Elsewhere they are opaque. */
#include "front/ts/lower.h"

#include <string.h>

static uint32_t count(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

static void capture(struct ts_body *b, struct ts_closure *c, const char *name, uint32_t max) {
    const struct ts_local *l = ts_find_local(b, name);
    for (uint32_t i = 0; l && l->is_pack && i < l->value; i++)
        capture(b, c, ts_element_name(b->u, name, i), max);
    for (uint32_t i = 0; i < c->ncaptures; i++)
        if (c->captures[i].name == name)
            return;
    if (!l || l->is_type || c->ncaptures >= max || l->type->form == TS_FORM_CLOSURE || l->addr.tag == CW_REF_NONE)
        return;
    const struct ts_type *t = l->type;
    cw_ref from = l->addr, at = ts_temp(b, t, name);
    if (ts_is_object(t))
        ts_copy(b, at, from, t);
    else
        ts_store(b, ts_load(b, from, t), at, t);
    c->captures[c->ncaptures++] = (struct ts_capture){name, at, t};
}

/* `[=]` copies what the body names; shared and static variables have one place and are not captured. */
static void capture_names(struct ts_body *b, struct ts_closure *c, TSNode body, uint32_t max) {
    TSTreeCursor cursor = ts_tree_cursor_new(body);
    uint32_t depth = 0, steps = 0;
    for (bool more = true; more && steps < 20000; steps++) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        if (ts_is(b->u, node, TS_IDENTIFIER)) {
            const struct ts_local *l = ts_find_local(b, ts_name(b->u, node));
            bool is_private = l && l->is_pack;
            is_private |= l && l->addr.tag == CW_REF_OBJECT && b->fn->objects.at[l->addr.index].space == CW_SPACE_LOCAL;
            if (is_private)
                capture(b, c, l->name, max);
        }
        if (ts_tree_cursor_goto_first_child(&cursor)) {
            depth++;
            continue;
        }
        while (!(more = ts_tree_cursor_goto_next_sibling(&cursor))) {
            if (!depth || !ts_tree_cursor_goto_parent(&cursor))
                break;
            depth--;
        }
    }
    ts_tree_cursor_delete(&cursor);
}

struct ts_value ts_lambda(struct ts_body *b, TSNode e) {
    enum { MAX_CAPTURES = 64 };
    struct ts_closure *c = CW_NEW(&b->u->scratch, struct ts_closure);
    struct ts_type *t = CW_NEW(&b->u->scratch, struct ts_type);
    TSNode captures = ts_field(e, "captures"), mode = ts_child_of(b->u, captures, TS_LAMBDA_DEFAULT);
    *c = (struct ts_closure){.node = e, .fn = b->fn, .captures = CW_NEW_ARRAY(&b->u->scratch, struct ts_capture, MAX_CAPTURES)};
    if (cw_str_is(ts_text(b->u, mode), "="))
        capture_names(b, c, ts_field(e, "body"), MAX_CAPTURES);
    for (uint32_t i = 0; i < count(captures); i++) {
        TSNode one = ts_node_named_child(captures, i);
        uint32_t from = ts_node_start_byte(one);
        cw_str before = ts_raw(b->u, from ? from - 1 : 0, from, one);
        if (ts_is(b->u, one, TS_EXPANSION))
            one = ts_field(one, "pattern");
        if (ts_is(b->u, one, TS_IDENTIFIER) && !cw_str_is(before, "&"))
            capture(b, c, ts_name(b->u, one), MAX_CAPTURES);
    }
    c->depth = b->locals.n;
    *t = (struct ts_type){.form = TS_FORM_CLOSURE, .kind = {CW_AGG, false}, .size = 1, .align = 1, .count = -1, .tile = -1,
                          .closure = c, .name = "lambda"};
    return ts_place_of(ts_temp(b, t, "lambda"), t);
}

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

/* Locals that came after the lambda are hidden while its body is lowered. */
static void hide_later(struct ts_body *b, uint32_t depth, const char **names) {
    for (uint32_t i = depth; i < b->locals.n; i++) {
        names[i - depth] = b->locals.at[i].name;
        b->locals.at[i].name = NULL;
    }
}

struct ts_value ts_call_closure(struct ts_body *b, struct ts_closure *c, const struct ts_arguments *args) {
    uint32_t before = b->locals.n, depth = c->depth < before ? c->depth : before;
    cw_str captures = ts_text(b->u, ts_field(c->node, "captures"));
    if (c->fn != b->fn) { /* handed to another function: its captures live elsewhere */
        ts_degrade(b, CW_BAIL_INDIRECT_CALL);
        return ts_opaque_call(b, "lambda", b->u->unknown_type, CW_BAIL_INDIRECT_CALL, CW_NONE, args);
    }
    if (captures.n && memchr(captures.at, '*', captures.n)) { /* a copy of the object it was made in */
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR);
        return ts_opaque_call(b, "lambda", b->u->unknown_type, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), b->this_ptr, args);
    }
    if (c->is_running || b->lambda_depth >= 16) {
        ts_degrade(b, CW_BAIL_RECURSION);
        return ts_opaque_call(b, "lambda", b->u->unknown_type, CW_BAIL_RECURSION, CW_NONE, args);
    }
    const char **names = CW_NEW_ARRAY(&b->u->scratch, const char *, before - depth);
    struct ts_body outer = *b;
    struct ts_loop *loop = b->loop;
    hide_later(b, depth, names);
    for (uint32_t i = 0; i < c->ncaptures; i++)
        ts_bind(b, c->captures[i].name, c->captures[i].addr, c->captures[i].type);
    bind_parameters(b, c->node, args);
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
    c->is_running = false;
    const struct ts_type *t = b->lambda_result;
    cw_ref slot = b->lambda_slot;
    b->locals.n = before;
    for (uint32_t i = depth; i < before; i++)
        b->locals.at[i].name = names[i - depth];
    b->is_in_lambda = outer.is_in_lambda;
    b->lambda_done = outer.lambda_done;
    b->lambda_slot = outer.lambda_slot;
    b->lambda_result = outer.lambda_result;
    b->loop = loop;
    b->lambda_depth--;
    if (slot.tag == CW_REF_NONE)
        return ts_rvalue_of(CW_NONE, b->u->void_type);
    return ts_place_of(slot, t);
}

/* Host code gives lambdas to dispatch helpers: `DISPATCH(type, [&] { kernel<<<…>>>(…); })`. The body may run. */
void ts_run_lambda_maybe(struct ts_body *b, TSNode lambda) {
    struct ts_value v = ts_lambda(b, lambda);
    uint32_t yes = ts_block(b), done = ts_block(b);
    struct ts_arguments none = {0};
    cw_ref runs = cw_emit_opaque(b->at, CW_I1, CW_BAIL_UNKNOWN_CALL, NULL, 0);
    cw_fn_branch(b->fn, b->at.block, runs, yes, done, b->at.loc, CW_FROM_NONE);
    b->at.block = yes;
    ts_call_closure(b, v.type->closure, &none);
    ts_go(b, done, 0, CW_FROM_NONE);
    b->at.block = done;
}
