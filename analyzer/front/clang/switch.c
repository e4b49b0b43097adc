/* switch. Cases register with the innermost switch as the body is lowered, wherever they stand (Duff's device); the
 * jump is made when all are known. */
#include "front/clang/lower.h"

enum { MAX_RANGE = 256 };

static void add_case(struct cw_body *body, struct cw_switch *sw, int64_t value, uint32_t block) {
    cw_vec_push(&body->u->scratch, &sw->values, cw_type_wrap(sw->type, value));
    cw_vec_push(&body->u->scratch, &sw->blocks, block);
}

static struct cw_switch *innermost_switch(struct cw_body *body) {
    struct cw_loop *l = body->loop;
    while (l && !l->sw)
        l = l->outer;
    return l ? l->sw : NULL;
}

/* Children: value, [last value of a GNU range], statement. */
void cw_clang_case(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    struct cw_switch *sw = innermost_switch(body);
    struct cw_case c = {.block = cw_fn_add_block(body->fn)};
    cw_at_enter(&body->at, c.block);
    if (!sw || kids.n < 2) {
        cw_clang_broken_stmt(body);
        return;
    }
    c.is_range = cw_clang_evaluate(kids.at[0], &c.from);
    c.to = c.from;
    if (c.is_range && kids.n == 3)
        c.is_range = cw_clang_evaluate(kids.at[1], &c.to);
    if (c.is_range && c.to - c.from < MAX_RANGE)
        for (int64_t v = c.from; v <= c.to; v++)
            add_case(body, sw, v, c.block);
    else
        cw_vec_push(&body->u->scratch, &sw->others, c);
    cw_clang_stmt(body, kids.at[kids.n - 1]);
}

void cw_clang_default(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    struct cw_switch *sw = innermost_switch(body);
    uint32_t block = cw_fn_add_block(body->fn);
    cw_at_enter(&body->at, block);
    if (sw)
        sw->default_to = block;
    else
        cw_clang_broken_stmt(body);
    if (kids.n)
        cw_clang_stmt(body, kids.at[kids.n - 1]);
}

/* Ranges that are too wide for a table, and cases whose value is unknown (dependent), are tested one by one first. */
static uint32_t other_cases(struct cw_body *body, struct cw_switch *sw, cw_ref value, uint32_t head, uint32_t loc) {
    struct cw_at at = {body->fn, head, loc};
    for (uint32_t i = 0; i < sw->others.n; i++) {
        const struct cw_case *c = &sw->others.at[i];
        cw_ref taken, width = cw_fn_const(body->fn, sw->type, c->to - c->from);
        if (c->is_range)
            taken =
                cw_emit2(at, CW_OP_ULE, CW_I1, 0,
                         cw_emit2(at, CW_OP_SUB, sw->type, 0, value, cw_fn_const(body->fn, sw->type, c->from)), width);
        else
            taken = cw_emit_opaque(at, CW_I1, CW_BAIL_DEPENDENT, &value, 1);
        uint32_t next = cw_fn_add_block(body->fn);
        cw_fn_branch(body->fn, at.block, taken, c->block, next, loc, CW_FROM_SWITCH);
        at.block = next;
    }
    return at.block;
}

static void emit_dispatch(struct cw_body *body, struct cw_switch *sw, cw_ref value, uint32_t head, uint32_t done,
                          uint32_t loc) {
    uint32_t n = sw->values.n;
    uint32_t *succ = CW_NEW_ARRAY(&body->u->scratch, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        succ[i] = sw->blocks.at[i];
    succ[n] = sw->default_to == CW_NO_BLOCK ? done : sw->default_to;
    head = other_cases(body, sw, value, head, loc);
    cw_fn_switch(body->fn, head, value, n, sw->values.at, succ, loc);
}

/* Children: [init], [condition variable], condition, body. */
void cw_clang_switch(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n < 2)
        return;
    uint32_t i = kids.n - 2;
    for (uint32_t k = 0; k < i; k++)
        if (clang_getCursorKind(kids.at[k]) == CXCursor_VarDecl)
            cw_clang_declare(body, kids.at[k]);
        else
            cw_clang_stmt(body, kids.at[k]);
    body->declares_on_use = true;
    cw_ref value = cw_clang_value(body, kids.at[i]);
    body->declares_on_use = false;
    if (!cw_type_is_int(cw_ref_type(body->fn, value)))
        value = cw_emit_opaque(body->at, CW_I32, body->fn->is_pattern ? CW_BAIL_DEPENDENT : CW_BAIL_BROKEN_CODE, &value,
                               value.tag != CW_REF_NONE);
    struct cw_switch sw = {.type = cw_ref_type(body->fn, value), .default_to = CW_NO_BLOCK};
    uint32_t head = body->at.block, done = cw_fn_add_block(body->fn), loc = cw_clang_loc(body, kids.at[i]);
    struct cw_loop loop = {.outer = body->loop, .break_to = done, .continue_to = CW_NO_BLOCK, .sw = &sw};
    body->loop = &loop;
    cw_at_dead(&body->at);
    cw_clang_stmt(body, kids.at[i + 1]);
    cw_at_go(body->at, done, 0, CW_FROM_NONE);
    body->loop = loop.outer;
    emit_dispatch(body, &sw, value, head, done, loc);
    body->at.block = done;
}
