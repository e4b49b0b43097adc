/* Statements other than loops and switch. */
#include "front/ts/lower.h"

#include <string.h>

static void compound(struct ts_body *b, TSNode s) {
    uint32_t n = ts_node_named_child_count(s), locals = b->locals.n;
    for (uint32_t i = 0; i < n; i++)
        ts_stmt(b, ts_node_named_child(s, i));
    b->locals.n = locals;
}

static void declaration(struct ts_body *b, TSNode s) {
    ts_declare(b, s);
    if (ts_node_has_error(s)) /* what a variable begins with is not what was written */
        ts_broken(b, s);
}

static void expression(struct ts_body *b, TSNode s) {
    if (ts_node_named_child_count(s))
        ts_expr(b, ts_node_named_child(s, 0));
}

/* A condition: [init;] then an expression or a declaration `T x = value`. */
void ts_condition_clause(struct ts_body *b, TSNode clause, uint32_t yes, uint32_t no, enum cw_origin origin) {
    TSNode init = ts_field(clause, "initializer"), value = ts_field(clause, "value");
    if (!ts_is(b->u, clause, TS_CONDITION_CLAUSE)) {
        ts_cond(b, clause, yes, no, origin);
        return;
    }
    for (uint32_t i = 0; !ts_node_is_null(init) && i < ts_node_named_child_count(init); i++)
        ts_stmt(b, ts_node_named_child(init, i));
    if (!ts_is(b->u, value, TS_DECLARATION)) {
        ts_cond(b, value, yes, no, origin);
        return;
    }
    TSNode d = ts_field(value, "declarator"), given = ts_field(value, "value");
    const struct ts_type *t = ts_declarator_type(&b->s, ts_declaration_type(&b->s, value), d);
    struct ts_value v = ts_scalar_of(b, given);
    if (t->form == TS_FORM_UNKNOWN)
        t = v.type;
    cw_ref at = ts_temp(b, t, ts_declared_name(b->u, d)), r = ts_convert(b, v, t);
    ts_store(b, r, at, t);
    ts_bind(b, ts_declared_name(b->u, d), at, t);
    cw_ref truth = r.tag == CW_REF_NONE || ts_is_object(t)
                       ? cw_emit_opaque(b->at, CW_I1, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0)
                       : cw_convert(b->at, r, (struct cw_kind){cw_ref_type(b->fn, r), t->kind.is_signed},
                                    (struct cw_kind){CW_I1, false});
    cw_fn_branch(b->fn, b->at.block, truth, yes, no, ts_loc(b, value), origin);
}

static TSNode else_body(const struct ts_unit *u, TSNode s) {
    TSNode clause = ts_field(s, "alternative");
    if (!ts_is(u, clause, TS_ELSE))
        return clause;
    uint32_t n = ts_node_named_child_count(clause);
    return n ? ts_node_named_child(clause, n - 1) : ts_none();
}

/* The side that `if constexpr` drops is not lowered: it need not even compile. */
static bool if_constexpr(struct ts_body *b, TSNode s) {
    int64_t value;
    if (!ts_has_word(b->u, s, "constexpr") || !ts_eval(&b->s, ts_field(ts_field(s, "condition"), "value"), &value))
        return false;
    TSNode taken = value ? ts_field(s, "consequence") : else_body(b->u, s);
    if (!ts_node_is_null(taken))
        ts_stmt(b, taken);
    return true;
}

static void if_stmt(struct ts_body *b, TSNode s) {
    uint32_t locals = b->locals.n;
    TSNode otherwise = else_body(b->u, s);
    bool has_else = !ts_node_is_null(otherwise);
    if (if_constexpr(b, s))
        return;
    uint32_t yes = ts_block(b), done = ts_block(b), no = has_else ? ts_block(b) : done;
    ts_condition_clause(b, ts_field(s, "condition"), yes, no, CW_FROM_IF);
    b->at.block = yes;
    ts_stmt(b, ts_field(s, "consequence"));
    ts_go(b, done, 0, CW_FROM_NONE);
    if (has_else) {
        b->at.block = no;
        ts_stmt(b, otherwise);
        ts_go(b, done, 0, CW_FROM_NONE);
    }
    b->at.block = done;
    b->locals.n = locals;
}

/* ---- return ---- */

static void lambda_return(struct ts_body *b, TSNode value, uint32_t loc) {
    if (!ts_node_is_null(value)) {
        struct ts_value v = ts_scalar_of(b, value);
        if (!b->lambda_result && v.ref.tag != CW_REF_NONE) {
            b->lambda_result = v.type;
            b->lambda_slot = ts_temp(b, v.type, "result");
        }
        if (b->lambda_result && ts_is_object(b->lambda_result) && v.is_place)
            ts_copy(b, b->lambda_slot, v.ref, b->lambda_result);
        else if (b->lambda_result && v.ref.tag != CW_REF_NONE && !ts_is_object(b->lambda_result))
            ts_store(b, ts_convert(b, v, b->lambda_result), b->lambda_slot, b->lambda_result);
    }
    ts_go(b, b->lambda_done, loc, CW_FROM_RETURN);
    ts_dead(b);
}

static cw_ref returned(struct ts_body *b, TSNode value) {
    const struct ts_type *t = b->result;
    if (t->form == TS_FORM_REFERENCE)
        return ts_address(b, ts_glvalue(b, value));
    if (ts_is_object(t) && b->sret.tag != CW_REF_NONE) {
        ts_init(b, value, b->sret, t);
        return CW_NONE;
    }
    if (ts_is(b->u, value, TS_INITIALIZER_LIST) && b->fn->result != CW_VOID) {
        cw_ref at = ts_temp(b, t, "result");
        ts_init(b, value, at, t);
        return ts_load(b, at, t);
    }
    struct ts_value v = ts_scalar_of(b, value);
    if (b->fn->result == CW_VOID)
        return CW_NONE;
    cw_ref r = t->form == TS_FORM_UNKNOWN ? v.ref : ts_convert(b, v, t);
    if (r.tag != CW_REF_NONE && cw_ref_type(b->fn, r) != b->fn->result)
        r = cw_emit_pure(b->at, b->fn->result, "convert", &r, 1);
    return r;
}

static void return_stmt(struct ts_body *b, TSNode s) {
    uint32_t loc = ts_loc(b, s);
    TSNode value = ts_node_named_child_count(s) ? ts_node_named_child(s, 0) : ts_none();
    if (b->is_in_lambda) {
        lambda_return(b, value, loc);
        return;
    }
    cw_ref r = ts_node_is_null(value) ? CW_NONE : returned(b, value);
    if (b->fn->result != CW_VOID && r.tag == CW_REF_NONE)
        r = cw_fn_undef(b->fn->result);
    if (ts_is_open(b))
        cw_fn_return(b->fn, b->at.block, r, loc);
    ts_dead(b);
}

/* ---- jumps ---- */

static void leave(struct ts_body *b, TSNode s, bool is_break) {
    struct ts_loop *l = b->loop;
    while (l && !is_break && l->continue_to == TS_NO_BLOCK)
        l = l->outer;
    if (!l) {
        ts_degrade(b, CW_BAIL_BROKEN_CODE);
        return;
    }
    ts_go(b, is_break ? l->break_to : l->continue_to, ts_loc(b, s), is_break ? CW_FROM_BREAK : CW_FROM_CONTINUE);
    ts_dead(b);
}

static void break_stmt(struct ts_body *b, TSNode s) {
    leave(b, s, true);
}

static void continue_stmt(struct ts_body *b, TSNode s) {
    leave(b, s, false);
}

static uint32_t label_block(struct ts_body *b, TSNode label) {
    const char *name = ts_name(b->u, label);
    for (uint32_t i = 0; i < b->labels.n; i++)
        if (b->labels.at[i].name == name)
            return b->labels.at[i].block;
    struct ts_label made = {name, ts_block(b)};
    cw_vec_push(&b->u->scratch, &b->labels, made);
    return made.block;
}

static void goto_stmt(struct ts_body *b, TSNode s) {
    TSNode label = ts_field(s, "label");
    if (ts_node_is_null(label)) {
        ts_degrade(b, CW_BAIL_INDIRECT_GOTO);
        if (ts_is_open(b))
            cw_fn_trap(b->fn, b->at.block, ts_loc(b, s));
    } else {
        ts_go(b, label_block(b, label), ts_loc(b, s), CW_FROM_GOTO);
    }
    ts_dead(b);
}

static void label_stmt(struct ts_body *b, TSNode s) {
    ts_enter(b, label_block(b, ts_field(s, "label")));
    uint32_t n = ts_node_named_child_count(s);
    for (uint32_t i = 1; i < n; i++)
        ts_stmt(b, ts_node_named_child(s, i));
}

/* ---- the rest ---- */

static void children(struct ts_body *b, TSNode s) {
    uint32_t n = ts_node_named_child_count(s);
    for (uint32_t i = 0; i < n; i++)
        ts_stmt(b, ts_node_named_child(s, i));
}

/* The handlers are ignored and the try block is straight-line code: device code cannot throw. */
static void try_stmt(struct ts_body *b, TSNode s) {
    ts_bail(b, CW_BAIL_EXCEPTION);
    ts_stmt(b, ts_field(s, "body"));
}

static void throw_stmt(struct ts_body *b, TSNode s) {
    ts_bail(b, CW_BAIL_EXCEPTION);
    if (ts_is_open(b))
        cw_fn_trap(b->fn, b->at.block, ts_loc(b, s));
    ts_dead(b);
}

/* Every variable that lost text names becomes unknown, and so may what it called: nothing is ever wrong. */
void ts_broken(struct ts_body *b, TSNode s) {
    cw_str text = ts_text(b->u, s);
    ts_degrade(b, CW_BAIL_BROKEN_CODE);
    if (!ts_is_open(b))
        return;
    cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, CW_VOID, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0, b->at.loc);
    for (uint32_t i = 0; i < b->locals.n; i++) {
        const struct ts_local *l = &b->locals.at[i];
        if (!l->name || !*l->name || l->is_type || !memmem(text.at, text.n, l->name, strlen(l->name)) ||
            l->addr.tag == CW_REF_NONE || l->type->form == TS_FORM_CLOSURE)
            continue;
        if (ts_is_object(l->type))
            ts_clobber(b, l->addr, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0);
        else
            ts_store(b, ts_unknown(b, l->type, ts_why(b, CW_BAIL_BROKEN_CODE), NULL, 0).ref, l->addr, l->type);
    }
}

static void nothing(struct ts_body *b, TSNode s) {
    (void)b;
    (void)s;
}

typedef void (*stmt_fn)(struct ts_body *, TSNode);

static const stmt_fn statement[TS_NKINDS] = {
    [TS_COMPOUND] = compound,
    [TS_DECLARATION] = declaration,
    [TS_STRUCT] = declaration,
    [TS_CLASS] = declaration,
    [TS_UNION] = declaration,
    [TS_ENUM] = declaration,
    [TS_TYPE_DEFINITION] = declaration,
    [TS_ALIAS] = declaration,
    [TS_EXPRESSION_STATEMENT] = expression,
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
    [TS_ATTRIBUTED] = children,
    [TS_TRY] = try_stmt,
    [TS_THROW] = throw_stmt,
    [TS_COMMENT] = nothing,
    [TS_STATIC_ASSERT] = nothing,
    [TS_USING] = nothing,
    [TS_NAMESPACE_ALIAS] = nothing,
    [TS_ERROR] = ts_broken,
    [TS_ELSE] = children,
    [TS_STATEMENT_IDENTIFIER] = nothing,
    [TS_TYPE_IDENTIFIER] = nothing,
};

static void other(struct ts_body *b, TSNode s) {
    enum ts_kind k = ts_kind(b->u, s);
    if (k == TS_OTHER && !ts_node_has_error(s))
        return;
    if (k == TS_OTHER)
        ts_broken(b, s);
    else
        ts_expr(b, s);
}

/* Names that only a body's own `using` and alias bring are remembered for the unit. */
static void note_names(struct ts_body *b, TSNode s, enum ts_kind k) {
    if (k == TS_USING || k == TS_NAMESPACE_ALIAS)
        ts_index_declaration(b->u, s, ts_none(), NULL);
}

void ts_stmt(struct ts_body *b, TSNode s) {
    enum ts_kind k = ts_kind(b->u, s);
    uint32_t outer = b->at.loc;
    if (ts_node_is_null(s))
        return;
    if (b->depth >= TS_MAX_DEPTH) {
        ts_degrade(b, CW_BAIL_TOO_LARGE);
        return;
    }
    b->depth++;
    b->at.loc = ts_loc(b, s);
    note_names(b, s, k);
    if (statement[k])
        statement[k](b, s);
    else
        other(b, s);
    b->at.loc = outer;
    b->depth--;
}
