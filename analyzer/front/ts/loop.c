/* Loops. The header block (the one a back edge returns to) carries the unroll pragma. */
#include "front/ts/lower.h"

#include <string.h>

static void push_loop(struct ts_body *body, struct ts_loop *loop, uint32_t break_to, uint32_t continue_to) {
    *loop = (struct ts_loop){.outer = body->loop, .break_to = break_to, .continue_to = continue_to};
    body->loop = loop;
}

/* The pragma stands as a masked token before the loop. -1: none, 0: without a number. */
static int32_t unroll_before(struct ts_body *body, TSNode loop) {
    const struct ts_part *part = ts_part_of(body->u, loop);
    uint32_t t = ts_part_token(part, ts_node_start_byte(loop));
    int64_t value;
    if (!t || t > part->tokens.n || part->tokens.at[t - 1].kind != CW_TOKEN_DIRECTIVE)
        return -1;
    cw_str line = {part->tokens.at[t - 1].at, part->tokens.at[t - 1].n};
    const char *at = memmem(line.at, line.n, "unroll", 6);
    if (!at)
        return -1;
    cw_str rest = cw_str_trim((cw_str){at + 6, (size_t)(line.at + line.n - at) - 6});
    if (!rest.n)
        return 0;
    bool is_known = ts_int_words(&body->s, rest, &value) && value > 0 && value <= INT32_MAX;
    return is_known ? (int32_t)value : -1;
}

static void each_condition(struct ts_body *other, TSNode cond, uint32_t body, uint32_t done) {
    if (ts_node_is_null(cond))
        cw_at_go(other->at, body, 0, CW_FROM_NONE);
    else
        ts_condition_clause(other, cond, body, done, CW_FROM_FOR);
}

void ts_for(struct ts_body *b, TSNode node) {
    struct ts_loop loop;
    uint32_t locals = b->locals.n;
    int32_t unroll = unroll_before(b, node);
    TSNode init = ts_field(node, "initializer"), step = ts_field(node, "update");
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), next = cw_fn_add_block(b->fn),
             done = cw_fn_add_block(b->fn);
    if (!ts_node_is_null(init))
        ts_stmt(b, init);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    each_condition(b, ts_field(node, "condition"), body, done);
    push_loop(b, &loop, done, next);
    b->at.block = body;
    ts_stmt(b, ts_field(node, "body"));
    cw_at_enter(&b->at, next);
    if (!ts_node_is_null(step))
        ts_expr(b, step);
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
    b->locals.n = locals;
}

void ts_while(struct ts_body *b, TSNode node) {
    struct ts_loop loop;
    uint32_t locals = b->locals.n;
    int32_t unroll = unroll_before(b, node);
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), done = cw_fn_add_block(b->fn);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    ts_condition_clause(b, ts_field(node, "condition"), body, done, CW_FROM_WHILE);
    push_loop(b, &loop, done, head);
    b->at.block = body;
    ts_stmt(b, ts_field(node, "body"));
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
    b->locals.n = locals;
}

void ts_do(struct ts_body *b, TSNode node) {
    struct ts_loop loop;
    int32_t unroll = unroll_before(b, node);
    uint32_t body = cw_fn_add_block(b->fn), test = cw_fn_add_block(b->fn), done = cw_fn_add_block(b->fn);
    cw_at_enter(&b->at, body);
    b->fn->blocks.at[body].unroll = unroll;
    push_loop(b, &loop, done, test);
    ts_stmt(b, ts_field(node, "body"));
    b->loop = loop.outer;
    cw_at_enter(&b->at, test);
    ts_condition_clause(b, ts_field(node, "condition"), body, done, CW_FROM_DO);
    b->at.block = done;
}

/* ---- over a range ---- */

static void range_variable(struct ts_body *body, TSNode node, cw_ref current, const struct ts_type *element) {
    TSNode d = ts_field(node, "declarator");
    const char *name = ts_declared_name(body->u, d);
    const struct ts_type *t = ts_declarator_type(&body->s, ts_declaration_type(&body->s, node), d);
    bool is_auto = ts_is(body->u, ts_field(node, "type"), TS_PLACEHOLDER);
    if (t->form == TS_FORM_REFERENCE) {
        ts_bind(body, name, current, is_auto ? element : t->of);
        return;
    }
    t = is_auto ? element : t;
    cw_ref at = ts_temp(body, t, name);
    if (ts_is_object(t))
        ts_copy(body, at, current, t);
    else
        ts_store(body, ts_convert(body, ts_place_of(current, element), t), at, t);
    ts_bind(body, name, at, t);
}

static void lower_range_for(struct ts_body *b, TSNode node, struct ts_value over, int32_t unroll, uint32_t loc) {
    struct ts_loop loop;
    const struct ts_type *element = over.type->of;
    struct cw_object o = {.name = "range", .space = CW_SPACE_LOCAL, .size = 8, .align = 8, .element = 8, .loc = loc,
                          .type_text = "iterator"};
    cw_ref at = cw_fn_add_object(b->fn, o), end = cw_at_offset(b->at, over.ref, ts_size(over.type));
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), next = cw_fn_add_block(b->fn),
             done = cw_fn_add_block(b->fn);
    cw_emit2(b->at, CW_OP_STORE, CW_VOID, 8, over.ref, at);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    cw_ref more = cw_emit2(b->at, CW_OP_NE, CW_I1, 0, cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, at), end);
    cw_fn_branch(b->fn, b->at.block, more, body, done, loc, CW_FROM_RANGE_FOR);
    push_loop(b, &loop, done, next);
    b->at.block = body;
    range_variable(b, node, cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, at), element);
    ts_stmt(b, ts_field(node, "body"));
    cw_at_enter(&b->at, next);
    cw_emit2(b->at, CW_OP_STORE, CW_VOID, 8, cw_at_offset(b->at, cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, at),
                                                          ts_size(element)),
             at);
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
}

/* Iterators of class type: the loop is kept, its trip count and elements are unknown. */
static void walk_unknown(struct ts_body *b, TSNode node, struct ts_value over, int32_t unroll, uint32_t loc) {
    struct ts_loop loop;
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), done = cw_fn_add_block(b->fn),
             n = over.ref.tag != CW_REF_NONE;
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    cw_ref more = cw_emit_opaque(b->at, CW_I1, CW_BAIL_UNSUPPORTED_STMT, &over.ref, n);
    cw_fn_branch(b->fn, b->at.block, more, body, done, loc, CW_FROM_RANGE_FOR);
    push_loop(b, &loop, done, head);
    b->at.block = body;
    range_variable(b, node, cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNSUPPORTED_STMT, &over.ref, n), b->u->unknown_type);
    ts_stmt(b, ts_field(node, "body"));
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
}

/* `{1, 2, 4}` is an array that nobody named. */
static struct ts_value list_array(struct ts_body *body, TSNode list) {
    uint32_t n = ts_node_named_child_count(list);
    const struct ts_type *of = n ? ts_type_of_expr(&body->s, ts_node_named_child(list, 0)) : NULL;
    const struct ts_type *t = ts_array_of(body->u, of ? of : body->u->unknown_type, n);
    cw_ref at = ts_temp(body, t, "list");
    ts_init(body, list, at, t);
    return ts_place_of(at, t);
}

void ts_range_for(struct ts_body *body, TSNode node) {
    uint32_t locals = body->locals.n;
    TSNode over = ts_field(node, "right"), init = ts_field(node, "initializer");
    int32_t unroll = unroll_before(body, node);
    if (!ts_node_is_null(init))
        ts_stmt(body, init);
    uint32_t loc = ts_loc(body, over);
    struct ts_value v = ts_is(body->u, over, TS_INITIALIZER_LIST) ? list_array(body, over) : ts_expr(body, over);
    if (v.is_place && v.type->form == TS_FORM_ARRAY && ts_size(v.type))
        lower_range_for(body, node, v, unroll, loc);
    else
        walk_unknown(body, node, v, unroll, loc);
    body->locals.n = locals;
}
