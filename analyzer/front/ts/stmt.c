/* Statements other than loops and switch. */
#include "front/ts/lower.h"

#include <string.h>

static void lower_compound(struct ts_body *body, TSNode node) {
    uint32_t n = ts_node_named_child_count(node), locals = body->locals.n;
    for (uint32_t i = 0; i < n; i++)
        ts_stmt(body, ts_node_named_child(node, i));
    body->locals.n = locals;
}

static void lower_declaration(struct ts_body *body, TSNode node) {
    ts_declare(body, node);
    if (ts_node_has_error(node)) /* what a variable begins with is not what was written */
        ts_broken(body, node);
}

static void lower_expression(struct ts_body *body, TSNode node) {
    if (ts_node_named_child_count(node))
        ts_expr(body, ts_node_named_child(node, 0));
}

/* A condition: [init;] then an expression or a declaration `T x = value`. */
void ts_condition_clause(struct ts_body *body, TSNode clause, uint32_t yes, uint32_t no, enum cw_origin origin) {
    TSNode init = ts_field(clause, "initializer"), value = ts_field(clause, "value");
    if (!ts_is(body->u, clause, TS_CONDITION_CLAUSE)) {
        ts_cond(body, clause, yes, no, origin);
        return;
    }
    for (uint32_t i = 0; !ts_node_is_null(init) && i < ts_node_named_child_count(init); i++)
        ts_stmt(body, ts_node_named_child(init, i));
    if (!ts_is(body->u, value, TS_DECLARATION)) {
        ts_cond(body, value, yes, no, origin);
        return;
    }
    TSNode d = ts_field(value, "declarator"), given = ts_field(value, "value");
    const struct ts_type *t = ts_declarator_type(&body->s, ts_declaration_type(&body->s, value), d);
    struct ts_value v = ts_scalar_of(body, given);
    if (t->form == TS_FORM_UNKNOWN)
        t = v.type;
    cw_ref at = ts_temp(body, t, ts_declared_name(body->u, d)), r = ts_convert(body, v, t);
    ts_store(body, r, at, t);
    ts_bind(body, ts_declared_name(body->u, d), at, t);
    cw_ref truth = r.tag == CW_REF_NONE || ts_is_object(t)
                       ? cw_emit_opaque(body->at, CW_I1, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0)
                       : cw_convert(body->at, r, (struct cw_kind){cw_ref_type(body->fn, r), t->kind.is_signed},
                                    (struct cw_kind){CW_I1, false});
    cw_fn_branch(body->fn, body->at.block, truth, yes, no, ts_loc(body, value), origin);
}

static TSNode else_body(const struct ts_unit *unit, TSNode node) {
    TSNode clause = ts_field(node, "alternative");
    if (!ts_is(unit, clause, TS_ELSE))
        return clause;
    uint32_t n = ts_node_named_child_count(clause);
    return n ? ts_node_named_child(clause, n - 1) : ts_none();
}

/* The side that `if constexpr` drops is not lowered: it need not even compile. */
static bool if_constexpr(struct ts_body *body, TSNode node) {
    int64_t value;
    if (!ts_has_word(body->u, node, "constexpr") ||
        !ts_eval(&body->s, ts_field(ts_field(node, "condition"), "value"), &value))
        return false;
    TSNode taken = value ? ts_field(node, "consequence") : else_body(body->u, node);
    if (!ts_node_is_null(taken))
        ts_stmt(body, taken);
    return true;
}

static void if_stmt(struct ts_body *body, TSNode node) {
    uint32_t locals = body->locals.n;
    TSNode otherwise = else_body(body->u, node);
    bool has_else = !ts_node_is_null(otherwise);
    if (if_constexpr(body, node))
        return;
    uint32_t yes = cw_fn_add_block(body->fn), done = cw_fn_add_block(body->fn),
             no = has_else ? cw_fn_add_block(body->fn) : done;
    ts_condition_clause(body, ts_field(node, "condition"), yes, no, CW_FROM_IF);
    body->at.block = yes;
    ts_stmt(body, ts_field(node, "consequence"));
    cw_at_go(body->at, done, 0, CW_FROM_NONE);
    if (has_else) {
        body->at.block = no;
        ts_stmt(body, otherwise);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
    body->locals.n = locals;
}

/* ---- return ---- */

static void lambda_return(struct ts_body *body, TSNode value, uint32_t loc) {
    if (!ts_node_is_null(value)) {
        struct ts_value v = ts_scalar_of(body, value);
        if (!body->lambda_result && v.ref.tag != CW_REF_NONE) {
            body->lambda_result = v.type;
            body->lambda_slot = ts_temp(body, v.type, "result");
        }
        if (body->lambda_result && ts_is_object(body->lambda_result) && v.is_place)
            ts_copy(body, body->lambda_slot, v.ref, body->lambda_result);
        else if (body->lambda_result && v.ref.tag != CW_REF_NONE && !ts_is_object(body->lambda_result))
            ts_store(body, ts_convert(body, v, body->lambda_result), body->lambda_slot, body->lambda_result);
    }
    cw_at_go(body->at, body->lambda_done, loc, CW_FROM_RETURN);
    cw_at_dead(&body->at);
}

static cw_ref lower_returned(struct ts_body *body, TSNode value) {
    const struct ts_type *t = body->result;
    if (t->form == TS_FORM_REFERENCE)
        return ts_address(body, ts_glvalue(body, value));
    if (ts_is_object(t) && body->sret.tag != CW_REF_NONE) {
        ts_init(body, value, body->sret, t);
        return CW_NONE;
    }
    if (ts_is(body->u, value, TS_INITIALIZER_LIST) && body->fn->result != CW_VOID) {
        cw_ref at = ts_temp(body, t, "result");
        ts_init(body, value, at, t);
        return ts_load(body, at, t);
    }
    struct ts_value v = ts_scalar_of(body, value);
    if (body->fn->result == CW_VOID)
        return CW_NONE;
    cw_ref r = t->form == TS_FORM_UNKNOWN ? v.ref : ts_convert(body, v, t);
    if (r.tag != CW_REF_NONE && cw_ref_type(body->fn, r) != body->fn->result)
        r = cw_emit_pure(body->at, body->fn->result, "convert", &r, 1);
    return r;
}

static void return_stmt(struct ts_body *body, TSNode node) {
    uint32_t loc = ts_loc(body, node);
    TSNode value = ts_node_named_child_count(node) ? ts_node_named_child(node, 0) : ts_none();
    if (body->is_in_lambda) {
        lambda_return(body, value, loc);
        return;
    }
    cw_ref r = ts_node_is_null(value) ? CW_NONE : lower_returned(body, value);
    if (body->fn->result != CW_VOID && r.tag == CW_REF_NONE)
        r = cw_fn_undef(body->fn->result);
    if (cw_at_is_open(body->at))
        cw_fn_return(body->fn, body->at.block, r, loc);
    cw_at_dead(&body->at);
}

/* ---- jumps ---- */

static void lower_jump(struct ts_body *body, TSNode node, bool is_break) {
    struct ts_loop *l = body->loop;
    while (l && !is_break && l->continue_to == TS_NO_BLOCK)
        l = l->outer;
    if (!l) {
        ts_degrade(body, CW_BAIL_BROKEN_CODE);
        return;
    }
    cw_at_go(body->at, is_break ? l->break_to : l->continue_to, ts_loc(body, node),
          is_break ? CW_FROM_BREAK : CW_FROM_CONTINUE);
    cw_at_dead(&body->at);
}

static void break_stmt(struct ts_body *body, TSNode node) {
    lower_jump(body, node, true);
}

static void continue_stmt(struct ts_body *body, TSNode node) {
    lower_jump(body, node, false);
}

static uint32_t label_block(struct ts_body *body, TSNode label) {
    const char *name = ts_name(body->u, label);
    for (uint32_t i = 0; i < body->labels.n; i++)
        if (body->labels.at[i].name == name)
            return body->labels.at[i].block;
    struct ts_label made = {name, cw_fn_add_block(body->fn)};
    cw_vec_push(&body->u->scratch, &body->labels, made);
    return made.block;
}

static void goto_stmt(struct ts_body *body, TSNode node) {
    TSNode label = ts_field(node, "label");
    if (ts_node_is_null(label)) {
        ts_degrade(body, CW_BAIL_INDIRECT_GOTO);
        if (cw_at_is_open(body->at))
            cw_fn_trap(body->fn, body->at.block, ts_loc(body, node));
    } else {
        cw_at_go(body->at, label_block(body, label), ts_loc(body, node), CW_FROM_GOTO);
    }
    cw_at_dead(&body->at);
}

static void label_stmt(struct ts_body *body, TSNode node) {
    cw_at_enter(&body->at, label_block(body, ts_field(node, "label")));
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 1; i < n; i++)
        ts_stmt(body, ts_node_named_child(node, i));
}

/* ---- the rest ---- */

static void lower_children(struct ts_body *body, TSNode node) {
    uint32_t n = ts_node_named_child_count(node);
    for (uint32_t i = 0; i < n; i++)
        ts_stmt(body, ts_node_named_child(node, i));
}

/* The handlers are ignored and the try block is straight-line code: device code cannot throw. */
static void try_stmt(struct ts_body *body, TSNode node) {
    ts_bail(body, CW_BAIL_EXCEPTION);
    ts_stmt(body, ts_field(node, "body"));
}

static void throw_stmt(struct ts_body *body, TSNode node) {
    ts_bail(body, CW_BAIL_EXCEPTION);
    if (cw_at_is_open(body->at))
        cw_fn_trap(body->fn, body->at.block, ts_loc(body, node));
    cw_at_dead(&body->at);
}

/* Every variable that lost text names becomes unknown, and so may what it called: nothing is ever wrong. */
void ts_broken(struct ts_body *body, TSNode node) {
    cw_str text = ts_text(body->u, node);
    ts_degrade(body, CW_BAIL_BROKEN_CODE);
    if (!cw_at_is_open(body->at))
        return;
    cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, CW_VOID, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0,
               body->at.loc);
    for (uint32_t i = 0; i < body->locals.n; i++) {
        const struct ts_local *l = &body->locals.at[i];
        if (!l->name || !*l->name || l->is_type || !memmem(text.at, text.n, l->name, strlen(l->name)) ||
            l->addr.tag == CW_REF_NONE || l->type->form == TS_FORM_CLOSURE)
            continue;
        if (ts_is_object(l->type))
            cw_at_clobber(body->at, &body->u->scratch, l->addr, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0);
        else
            ts_store(body, ts_unknown(body, l->type, ts_why(body, CW_BAIL_BROKEN_CODE), NULL, 0).ref, l->addr, l->type);
    }
}

static void lower_nothing(struct ts_body *body, TSNode node) {
    (void)body;
    (void)node;
}

typedef void (*stmt_fn)(struct ts_body *, TSNode);

static const stmt_fn statement[TS_NKINDS] = {
    [TS_COMPOUND] = lower_compound,
    [TS_DECLARATION] = lower_declaration,
    [TS_STRUCT] = lower_declaration,
    [TS_CLASS] = lower_declaration,
    [TS_UNION] = lower_declaration,
    [TS_ENUM] = lower_declaration,
    [TS_TYPE_DEFINITION] = lower_declaration,
    [TS_ALIAS] = lower_declaration,
    [TS_EXPRESSION_STATEMENT] = lower_expression,
    [TS_IF] = if_stmt,
    [TS_FOR] = ts_for,
    [TS_WHILE] = ts_while,
    [TS_DO] = ts_do,
    [TS_RANGE_FOR] = ts_range_for,
    [TS_SWITCH] = ts_switch,
    [TS_CASE] = ts_case,
    [TS_RETURN] = return_stmt,
    [TS_BREAK] = break_stmt,
    [TS_CONTINUE] = continue_stmt,
    [TS_GOTO] = goto_stmt,
    [TS_LABELED] = label_stmt,
    [TS_ATTRIBUTED] = lower_children,
    [TS_TRY] = try_stmt,
    [TS_THROW] = throw_stmt,
    [TS_COMMENT] = lower_nothing,
    [TS_STATIC_ASSERT] = lower_nothing,
    [TS_USING] = lower_nothing,
    [TS_NAMESPACE_ALIAS] = lower_nothing,
    [TS_ERROR] = ts_broken,
    [TS_ELSE] = lower_children,
    [TS_STATEMENT_IDENTIFIER] = lower_nothing,
    [TS_TYPE_IDENTIFIER] = lower_nothing,
};

static void lower_other(struct ts_body *body, TSNode node) {
    enum ts_kind k = ts_kind(body->u, node);
    if (k == TS_OTHER && !ts_node_has_error(node))
        return;
    if (k == TS_OTHER)
        ts_broken(body, node);
    else
        ts_expr(body, node);
}

/* Names that only a body's own `using` and alias bring are remembered for the unit. */
static void note_names(struct ts_body *body, TSNode node, enum ts_kind kind) {
    if (kind == TS_USING || kind == TS_NAMESPACE_ALIAS)
        ts_index_declaration(body->u, node, ts_none(), NULL);
}

void ts_stmt(struct ts_body *body, TSNode node) {
    enum ts_kind k = ts_kind(body->u, node);
    uint32_t outer = body->at.loc;
    if (ts_node_is_null(node))
        return;
    if (body->depth >= TS_MAX_DEPTH) {
        ts_degrade(body, CW_BAIL_TOO_LARGE);
        return;
    }
    body->depth++;
    body->at.loc = ts_loc(body, node);
    note_names(body, node, k);
    if (statement[k])
        statement[k](body, node);
    else
        lower_other(body, node);
    body->at.loc = outer;
    body->depth--;
}
