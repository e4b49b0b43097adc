/* switch. Cases register with the innermost switch as the body is lowered, wherever they stand (Duff's device); the
 * jump is made when all are known. */
#include "front/ts/lower.h"

static struct ts_switch *innermost_switch(struct ts_body *body) {
    struct ts_loop *l = body->loop;
    while (l && !l->sw)
        l = l->outer;
    return l ? l->sw : NULL;
}

void ts_case(struct ts_body *body, TSNode node) {
    struct ts_switch *sw = innermost_switch(body);
    TSNode value = ts_field(node, "value");
    uint32_t n = ts_node_named_child_count(node);
    struct ts_case c = {.block = cw_fn_add_block(body->fn)};
    cw_at_enter(&body->at, c.block);
    if (!sw) {
        ts_degrade(body, CW_BAIL_BROKEN_CODE);
        return;
    }
    if (ts_node_is_null(value)) {
        sw->default_to = c.block;
    } else {
        c.is_known = ts_eval(&body->s, value, &c.value);
        cw_vec_push(&body->u->scratch, &sw->cases, c);
    }
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_named_child(node, i);
        if (!ts_same(child, value))
            ts_stmt(body, child);
    }
}

/* Cases whose value is unknown (dependent) are tested one by one first. */
static uint32_t unknown_cases(struct ts_body *body, struct ts_switch *sw, cw_ref value, uint32_t head, uint32_t loc) {
    struct cw_at at = {body->fn, head, loc};
    for (uint32_t i = 0; i < sw->cases.n; i++) {
        if (sw->cases.at[i].is_known)
            continue;
        uint32_t next = cw_fn_add_block(body->fn);
        cw_ref taken = cw_emit_opaque(at, CW_I1, ts_why(body, CW_BAIL_UNRESOLVED_NAME), &value, 1);
        cw_fn_branch(body->fn, at.block, taken, sw->cases.at[i].block, next, loc, CW_FROM_SWITCH);
        at.block = next;
    }
    return at.block;
}

static void emit_dispatch(struct ts_body *body, struct ts_switch *sw, cw_ref value, uint32_t head, uint32_t done,
                          uint32_t loc) {
    uint32_t n = 0;
    uint32_t *succ = CW_NEW_ARRAY(&body->u->scratch, uint32_t, sw->cases.n + 1);
    int64_t *values = CW_NEW_ARRAY(&body->u->scratch, int64_t, sw->cases.n + 1);
    head = unknown_cases(body, sw, value, head, loc);
    for (uint32_t i = 0; i < sw->cases.n; i++) {
        if (!sw->cases.at[i].is_known)
            continue;
        values[n] = cw_type_wrap(sw->type, sw->cases.at[i].value);
        succ[n++] = sw->cases.at[i].block;
    }
    succ[n] = sw->default_to == TS_NO_BLOCK ? done : sw->default_to;
    cw_fn_switch(body->fn, head, value, n, values, succ, loc);
}

void ts_switch(struct ts_body *body, TSNode node) {
    uint32_t locals = body->locals.n;
    TSNode clause = ts_field(node, "condition"), init = ts_field(clause, "initializer"), e = ts_field(clause, "value");
    for (uint32_t i = 0; !ts_node_is_null(init) && i < ts_node_named_child_count(init); i++)
        ts_stmt(body, ts_node_named_child(init, i));
    if (ts_node_is_null(e))
        e = clause;
    struct ts_value v = ts_scalar_of(body, e);
    const struct ts_type *t = ts_promoted(body->u, v.type);
    cw_ref value = v.type->form == TS_FORM_SCALAR && v.ref.tag != CW_REF_NONE ? ts_convert(body, v, t) : v.ref;
    if (!cw_type_is_int(cw_ref_type(body->fn, value)) || ts_is_object(v.type))
        value = cw_emit_opaque(body->at, CW_I32, ts_why(body, CW_BAIL_BROKEN_CODE), &value, value.tag != CW_REF_NONE);
    struct ts_switch sw = {.type = cw_ref_type(body->fn, value), .default_to = TS_NO_BLOCK};
    uint32_t head = body->at.block, done = cw_fn_add_block(body->fn), loc = ts_loc(body, e);
    struct ts_loop loop = {.outer = body->loop, .break_to = done, .continue_to = TS_NO_BLOCK, .sw = &sw};
    body->loop = &loop;
    cw_at_dead(&body->at);
    ts_stmt(body, ts_field(node, "body"));
    cw_at_go(body->at, done, 0, CW_FROM_NONE);
    body->loop = loop.outer;
    emit_dispatch(body, &sw, value, head, done, loc);
    body->at.block = done;
    body->locals.n = locals;
}
