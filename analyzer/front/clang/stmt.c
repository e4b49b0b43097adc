/* Statements other than loops and switch. */
#include "front/clang/lower.h"

static void lower_compound(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    uint32_t outer = body->named.n;
    for (uint32_t i = 0; i < kids.n; i++) {
        cw_clang_lost_between(body, cursor, i ? &kids.at[i - 1] : NULL, &kids.at[i]);
        cw_clang_stmt(body, kids.at[i]);
    }
    cw_clang_lost_between(body, cursor, kids.n ? &kids.at[kids.n - 1] : NULL, NULL);
    cw_clang_leave_scope(body, outer);
}

static void lower_declarations(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_VarDecl)
            cw_clang_declare(body, kids.at[i]);
        else if (clang_getCursorKind(kids.at[i]) == CXCursor_UnexposedDecl)
            cw_clang_binding(body, kids.at[i]);
}

void cw_clang_broken_stmt(struct cw_body *body) {
    cw_clang_bail(body, CW_BAIL_BROKEN_CODE);
    body->is_degraded = true;
}

static bool is_expression(CXCursor cursor) {
    return clang_isExpression(clang_getCursorKind(cursor));
}

/* An init statement that is an expression: `if (n = f(); n > 2)`. A condition has type bool. */
static bool is_expression_init(struct cw_body *body, const struct cw_kids *kids) {
    return kids->n >= 3 && is_expression(kids->at[0]) && is_expression(kids->at[1]) &&
           cw_clang_type_of(body->u, kids->at[0])->kind.type != CW_I1 &&
           cw_clang_type_of(body->u, kids->at[1])->kind.type == CW_I1;
}

/* Lowers what stands before the condition; the condition's index. */
static uint32_t lower_heading(struct cw_body *body, const struct cw_kids *kids) {
    uint32_t i = 0;
    if (kids->n >= 3 && (!is_expression(kids->at[0]) || is_expression_init(body, kids)) &&
        clang_getCursorKind(kids->at[0]) != CXCursor_VarDecl)
        cw_clang_stmt(body, kids->at[i++]);
    if (i < kids->n && clang_getCursorKind(kids->at[i]) == CXCursor_VarDecl)
        cw_clang_declare(body, kids->at[i++]);
    return i;
}

/* Children: [init], [condition variable], condition, then, [else]. A condition variable is a bare VarDecl; an init
 * statement is a DeclStmt or an expression before the condition. */
static void if_stmt(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    uint32_t i = lower_heading(body, &kids);
    if (i + 1 >= kids.n) {
        cw_clang_lost(body, cursor);
        cw_clang_broken_stmt(body);
        return;
    }
    bool has_else = i + 2 < kids.n;
    uint32_t yes = cw_fn_add_block(body->fn), done = cw_fn_add_block(body->fn),
             no = has_else ? cw_fn_add_block(body->fn) : done;
    cw_clang_cond(body, kids.at[i], yes, no, CW_FROM_IF);
    body->at.block = yes;
    cw_clang_stmt(body, kids.at[i + 1]);
    cw_at_go(body->at, done, 0, CW_FROM_NONE);
    if (has_else) {
        body->at.block = no;
        cw_clang_stmt(body, kids.at[i + 2]);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
}

static void return_stmt(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    uint32_t loc = cw_clang_loc(body, cursor);
    cw_ref value = CW_NONE;
    if (body->lambda_end) {
        if (kids.n)
            cw_clang_effect(body, kids.at[0]);
        if (cw_at_is_open(body->at))
            cw_fn_jump(body->fn, body->at.block, body->lambda_end, loc, CW_FROM_RETURN);
        cw_at_dead(&body->at);
        return;
    }
    if (kids.n) {
        const struct cw_ctype *t = cw_clang_type(body->u, body->result);
        if (t->is_reference)
            value = cw_clang_addr(body, kids.at[0]);
        else if (t->shape == CW_SHAPE_OBJECT && body->sret.tag != CW_REF_NONE)
            cw_clang_init(body, kids.at[0], body->sret, body->result);
        else if (body->fn->result != CW_VOID)
            value = cw_clang_value_as(body, kids.at[0], body->result);
        else
            cw_clang_effect(body, kids.at[0]);
    }
    if (body->fn->result != CW_VOID && value.tag == CW_REF_NONE)
        value = cw_fn_undef(body->fn->result);
    if (cw_at_is_open(body->at))
        cw_fn_return(body->fn, body->at.block, value, loc);
    cw_at_dead(&body->at);
}

static void lower_jump(struct cw_body *body, CXCursor cursor, bool is_break) {
    struct cw_loop *l = body->loop;
    while (l && !is_break && l->continue_to == CW_NO_BLOCK)
        l = l->outer;
    if (!l) {
        cw_clang_broken_stmt(body);
        return;
    }
    cw_at_go(body->at, is_break ? l->break_to : l->continue_to, cw_clang_loc(body, cursor),
                is_break ? CW_FROM_BREAK : CW_FROM_CONTINUE);
    cw_at_dead(&body->at);
}

static void break_stmt(struct cw_body *body, CXCursor cursor) {
    lower_jump(body, cursor, true);
}

static void continue_stmt(struct cw_body *body, CXCursor cursor) {
    lower_jump(body, cursor, false);
}

static uint32_t label_block(struct cw_body *body, CXCursor label) {
    uint64_t found, id = cw_clang_stmt_id(label);
    if (cw_map_get(&body->labels, id, &found))
        return (uint32_t)found;
    uint32_t block = cw_fn_add_block(body->fn);
    cw_map_put(&body->labels, id, block);
    return block;
}

static void goto_stmt(struct cw_body *body, CXCursor cursor) {
    CXCursor label = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(label) != CXCursor_LabelStmt) {
        cw_clang_broken_stmt(body);
        return;
    }
    cw_at_go(body->at, label_block(body, label), cw_clang_loc(body, cursor), CW_FROM_GOTO);
    cw_at_dead(&body->at);
}

static void label_stmt(struct cw_body *body, CXCursor cursor) {
    cw_at_enter(&body->at, label_block(body, cursor));
    lower_compound(body, cursor);
}

/* A computed goto may go anywhere: the function is given up from here on, visibly. */
static void indirect_goto(struct cw_body *body, CXCursor cursor) {
    cw_clang_bail(body, CW_BAIL_INDIRECT_GOTO);
    body->is_degraded = true;
    if (cw_at_is_open(body->at))
        cw_fn_trap(body->fn, body->at.block, cw_clang_loc(body, cursor));
    cw_at_dead(&body->at);
}

/* Device code cannot throw; in host code the handlers are ignored and the try block is straight-line code. */
static void try_stmt(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    cw_clang_bail(body, CW_BAIL_EXCEPTION);
    if (kids.n)
        cw_clang_stmt(body, kids.at[0]);
}

/* An attributed statement: attributes, then the statement. */
static void lower_unexposed(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    int32_t outer = body->unroll;
    body->unroll = cw_clang_unroll(body, cursor);
    for (uint32_t i = 0; i < kids.n; i++)
        if (!clang_isAttribute(clang_getCursorKind(kids.at[i])))
            cw_clang_stmt(body, kids.at[i]);
    body->unroll = outer;
}

static void lower_nothing(struct cw_body *body, CXCursor cursor) {
    (void)body;
    (void)cursor;
}

typedef void (*stmt_fn)(struct cw_body *, CXCursor);

static const stmt_fn statement[] = {
    [CXCursor_CompoundStmt - CXCursor_FirstStmt] = lower_compound,
    [CXCursor_DeclStmt - CXCursor_FirstStmt] = lower_declarations,
    [CXCursor_IfStmt - CXCursor_FirstStmt] = if_stmt,
    [CXCursor_ForStmt - CXCursor_FirstStmt] = cw_clang_for,
    [CXCursor_WhileStmt - CXCursor_FirstStmt] = cw_clang_while,
    [CXCursor_DoStmt - CXCursor_FirstStmt] = cw_clang_do,
    [CXCursor_CXXForRangeStmt - CXCursor_FirstStmt] = cw_clang_range_for,
    [CXCursor_SwitchStmt - CXCursor_FirstStmt] = cw_clang_switch,
    [CXCursor_CaseStmt - CXCursor_FirstStmt] = cw_clang_case,
    [CXCursor_DefaultStmt - CXCursor_FirstStmt] = cw_clang_default,
    [CXCursor_ReturnStmt - CXCursor_FirstStmt] = return_stmt,
    [CXCursor_BreakStmt - CXCursor_FirstStmt] = break_stmt,
    [CXCursor_ContinueStmt - CXCursor_FirstStmt] = continue_stmt,
    [CXCursor_GotoStmt - CXCursor_FirstStmt] = goto_stmt,
    [CXCursor_LabelStmt - CXCursor_FirstStmt] = label_stmt,
    [CXCursor_IndirectGotoStmt - CXCursor_FirstStmt] = indirect_goto,
    [CXCursor_CXXTryStmt - CXCursor_FirstStmt] = try_stmt,
    [CXCursor_GCCAsmStmt - CXCursor_FirstStmt] = cw_clang_asm,
    [CXCursor_UnexposedStmt - CXCursor_FirstStmt] = lower_unexposed,
    [CXCursor_NullStmt - CXCursor_FirstStmt] = lower_nothing,
};

static void lower_statement(struct cw_body *body, CXCursor cursor) {
    enum CXCursorKind k = clang_getCursorKind(cursor);
    size_t row = (size_t)k - CXCursor_FirstStmt;
    if (clang_isExpression(k))
        cw_clang_effect(body, cursor);
    else if (clang_isStatement(k) && row < sizeof statement / sizeof *statement && statement[row])
        statement[row](body, cursor);
    else if (clang_isStatement(k))
        cw_clang_bail(body, CW_BAIL_UNSUPPORTED_STMT);
}

void cw_clang_stmt(struct cw_body *body, CXCursor cursor) {
    uint32_t outer = body->at.loc;
    if (body->depth >= CW_MAX_DEPTH) {
        cw_clang_bail(body, CW_BAIL_TOO_LARGE);
        body->is_degraded = true;
        return;
    }
    body->depth++;
    body->at.loc = cw_clang_loc(body, cursor);
    lower_statement(body, cursor);
    body->at.loc = outer;
    body->depth--;
}
