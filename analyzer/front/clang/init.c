/* Objects built in place, and expressions whose value nobody needs. */
#include "front/clang/lower.h"

#include <string.h>

static CXCursor only_expression(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CXCursor found = clang_getNullCursor();
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_isExpression(clang_getCursorKind(kids.at[i])))
            found = kids.at[i];
    return found;
}

/* An object nobody can say more about: it becomes unknown, the operands are kept. */
static void into_unknown(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CW_VEC(cw_ref) args = {0};
    for (uint32_t i = 0; i < kids.n; i++) {
        cw_ref v = cw_clang_operand(body, kids.at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&body->u->scratch, &args, v);
    }
    bool is_dependent = cw_clang_type_of(body->u, cursor)->is_dependent;
    enum cw_bail why = is_dependent ? CW_BAIL_DEPENDENT : CW_BAIL_UNSUPPORTED_EXPR;
    if (cw_clang_looks_like_call(body, cursor))
        cw_at_clobber(body->at, &body->u->scratch, dest, why, args.at, args.n);
    else
        cw_clang_forget(body, dest, cw_clang_cursor_type(body->u, cursor), why, args.at, args.n);
}

static void into_copy(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    cw_clang_copy(body, dest, cw_clang_addr(body, cursor), cw_clang_cursor_type(body->u, cursor));
}

/* The braces behind a std::initializer_list, and the type of its elements. */
bool cw_clang_initializer_list(struct cw_body *body, CXCursor cursor, CXCursor *list, CXType *element) {
    CXType t = clang_getCanonicalType(cw_clang_cursor_type(body->u, cursor));
    if (t.kind != CXType_Record ||
        strcmp(cw_clang_text(body->u, clang_getCursorSpelling(clang_getTypeDeclaration(t))), "initializer_list") != 0)
        return false;
    *list = cw_clang_peel(body->u, cursor);
    *element = clang_getUnqualifiedType(clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(t, 0)));
    return element->kind != CXType_Invalid && clang_getCursorKind(*list) == CXCursor_InitListExpr &&
           cw_clang_kids(body->u, *list).n > 0;
}

/* The array that the compiler makes for it. */
cw_ref cw_clang_backing_array(struct cw_body *body, CXCursor list, CXType element, uint32_t *n) {
    struct cw_kids kids = cw_clang_kids(body->u, list);
    *n = kids.n;
    uint64_t size = cw_clang_type(body->u, element)->size;
    cw_ref at = cw_fn_add_object(body->fn, (struct cw_object){
        .name = "list", .space = CW_SPACE_LOCAL, .size = size * kids.n, .element = (uint32_t)size, .loc = body->at.loc,
        .type_text = cw_clang_text(body->u, clang_getTypeSpelling(cw_clang_cursor_type(body->u, list)))});
    for (uint32_t i = 0; i < kids.n; i++)
        cw_clang_list_element(body, kids.at[i], cw_at_offset(body->at, at, i * size), element);
    return at;
}

/* A pointer to the first element, and either the number of elements or a pointer behind the last. */
static void into_initializer_list(struct cw_body *body, CXCursor list, cw_ref dest, CXType type, CXType element) {
    struct cw_kids fields = cw_clang_fields(body->u, type);
    uint32_t n;
    cw_ref first = cw_clang_backing_array(body, list, element, &n);
    if (fields.n != 2) {
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
        return;
    }
    bool is_count = cw_type_is_int(cw_clang_type_of(body->u, fields.at[1])->kind.type);
    cw_ref second = is_count ? cw_fn_const(body->fn, CW_I64, n)
                             : cw_at_offset(body->at, first, n * cw_clang_type(body->u, element)->size);
    cw_clang_store(body, first, dest, cw_clang_cursor_type(body->u, fields.at[0]));
    cw_clang_store(body, second, cw_at_offset(body->at, dest, 8), cw_clang_cursor_type(body->u, fields.at[1]));
}

static void into_wrapped(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    bool is_plain =
        kids.n == 1 && clang_isExpression(clang_getCursorKind(kids.at[0])) &&
        (clang_getCursorKind(cursor) == CXCursor_ParenExpr || cw_clang_same_range(body->u, cursor, kids.at[0]));
    if (!kids.n) {
        cw_clang_zero(body, dest, cw_clang_cursor_type(body->u, cursor));
        return;
    }
    if (!is_plain) {
        into_unknown(body, cursor, dest);
        return;
    }
    CXType outer = clang_getCanonicalType(cw_clang_cursor_type(body->u, cursor));
    CXType inner = clang_getCanonicalType(cw_clang_cursor_type(body->u, kids.at[0]));
    CXCursor list;
    CXType element;
    if (cw_clang_same_type(outer, inner))
        cw_clang_into(body, kids.at[0], dest);
    else if (cw_clang_initializer_list(body, cursor, &list, &element))
        into_initializer_list(body, list, dest, outer, element);
    else if (outer.kind == CXType_Record && inner.kind == CXType_Record)
        into_copy(body, cursor, dest);
    else
        into_unknown(body, cursor, dest);
}

static void into_cast(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    CXCursor operand = only_expression(body, cursor);
    if (clang_Cursor_isNull(operand))
        cw_clang_zero(body, dest, cw_clang_cursor_type(body->u, cursor));
    else if (cw_clang_casts_to_reference(body, cursor))
        into_copy(body, cursor, dest);
    else if (cw_clang_same_type(cw_clang_cursor_type(body->u, cursor), cw_clang_cursor_type(body->u, operand)))
        cw_clang_into(body, operand, dest);
    else
        into_unknown(body, cursor, dest);
}

static void into_call(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    if (cw_clang_returns_reference(body->u, cursor))
        into_copy(body, cursor, dest);
    else
        cw_clang_call(body, cursor, dest);
}

static void into_conditional(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 3) {
        into_unknown(body, cursor, dest);
        return;
    }
    uint32_t arm[2] = {cw_fn_add_block(body->fn), cw_fn_add_block(body->fn)}, done = cw_fn_add_block(body->fn);
    cw_clang_cond(body, kids.at[0], arm[0], arm[1], CW_FROM_CONDITIONAL);
    for (uint32_t i = 0; i < 2; i++) {
        body->at.block = arm[i];
        cw_clang_into(body, kids.at[1 + i], dest);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
}

static void into_binary(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Comma || kids.n != 2) {
        into_copy(body, cursor, dest);
        return;
    }
    cw_clang_effect(body, kids.at[0]);
    cw_clang_into(body, kids.at[1], dest);
}

static void into_statement(struct cw_body *b, CXCursor cursor, cw_ref dest) {
    struct cw_kids kids = cw_clang_kids(b->u, cursor);
    struct cw_kids body = kids.n ? cw_clang_kids(b->u, kids.at[0]) : kids;
    for (uint32_t i = 0; i + 1 < body.n; i++)
        cw_clang_stmt(b, body.at[i]);
    if (body.n && clang_isExpression(clang_getCursorKind(body.at[body.n - 1])))
        cw_clang_into(b, body.at[body.n - 1], dest);
}

enum { MAX_STORED_STRING = 64 };

/* A short string is stored character by character, so that its elements are known. */
static void into_string(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    const struct cw_ctype *t = cw_clang_type_of(body->u, cursor);
    bool has_nul = memmem(cw_clang_source(body->u, cursor).at, cw_clang_source(body->u, cursor).n, "\\", 1) != NULL;
    CXEvalResult r = t->size <= MAX_STORED_STRING && !has_nul ? clang_Cursor_Evaluate(cursor) : NULL;
    const char *text = r && clang_EvalResult_getKind(r) == CXEval_StrLiteral ? clang_EvalResult_getAsStr(r) : NULL;
    if (text && cw_clang_type(body->u, clang_getArrayElementType(t->canonical))->kind.type == CW_I8) {
        size_t n = strlen(text);
        for (uint64_t i = 0; i < t->size; i++)
            cw_emit2(body->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(body->fn, CW_I8, i < n ? text[i] : 0),
                     cw_at_offset(body->at, dest, i));
    } else {
        cw_emit2(body->at, CW_OP_MEMCOPY, CW_VOID, (uint32_t)t->size, dest, cw_clang_addr(body, cursor));
    }
    if (r)
        clang_EvalResult_dispose(r);
}

static void into_literal(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    CXCursor list = only_expression(body, cursor);
    if (clang_Cursor_isNull(list))
        into_unknown(body, cursor, dest);
    else
        cw_clang_init(body, list, dest, cw_clang_cursor_type(body->u, cursor));
}

static void into_list(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    cw_clang_list(body, cursor, dest, cw_clang_cursor_type(body->u, cursor));
}

typedef void (*into_fn)(struct cw_body *, CXCursor, cw_ref);

static const into_fn into_of[] = {
#define ROW(kind) [CXCursor_##kind - CXCursor_FirstExpr]
    ROW(UnexposedExpr) = into_wrapped,
    ROW(ParenExpr) = into_wrapped,
    ROW(CallExpr) = into_call,
    ROW(InitListExpr) = into_list,
    ROW(CXXParenListInitExpr) = into_list,
    ROW(LambdaExpr) = cw_clang_lambda,
    ROW(ConditionalOperator) = into_conditional,
    ROW(BinaryOperator) = into_binary,
    ROW(CStyleCastExpr) = into_cast,
    ROW(CXXStaticCastExpr) = into_cast,
    ROW(CXXFunctionalCastExpr) = into_cast,
    ROW(CXXReinterpretCastExpr) = into_cast,
    ROW(CXXConstCastExpr) = into_cast,
    ROW(CompoundLiteralExpr) = into_literal,
    ROW(StringLiteral) = into_string,
    ROW(StmtExpr) = into_statement,
    ROW(DeclRefExpr) = into_copy,
    ROW(MemberRefExpr) = into_copy,
    ROW(ArraySubscriptExpr) = into_copy,
    ROW(UnaryOperator) = into_copy,
#undef ROW
};

void cw_clang_into(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    size_t row = (size_t)clang_getCursorKind(cursor) - CXCursor_FirstExpr;
    into_fn lower = row < sizeof into_of / sizeof *into_of && into_of[row] ? into_of[row] : into_unknown;
    uint32_t outer = body->at.loc;
    if (body->depth >= CW_MAX_DEPTH) {
        body->is_degraded = true;
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_TOO_LARGE, NULL, 0);
        return;
    }
    body->depth++;
    body->at.loc = cw_clang_loc(body, cursor);
    lower(body, cursor, dest);
    body->at.loc = outer;
    body->depth--;
}

void cw_clang_init(struct cw_body *body, CXCursor cursor, cw_ref dest, CXType type) {
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->shape == CW_SHAPE_OBJECT) {
        if (clang_getCursorKind(cursor) == CXCursor_InitListExpr)
            cw_clang_list(body, cursor, dest, type);
        else
            cw_clang_into(body, cursor, dest);
        return;
    }
    cw_ref v = t->is_reference ? cw_clang_addr(body, cursor) : cw_clang_value_as(body, cursor, type);
    if (v.tag != CW_REF_NONE)
        cw_clang_store(body, v, dest, type);
}

/* ---- nobody needs the value ---- */

void cw_clang_effect(struct cw_body *body, CXCursor cursor) {
    if (clang_isStatement(clang_getCursorKind(cursor))) {
        cw_clang_stmt(body, cursor);
        return;
    }
    enum CXCursorKind k = clang_getCursorKind(cursor);
    bool is_wrapper = k == CXCursor_ParenExpr || k == CXCursor_UnexposedExpr;
    if (is_wrapper && body->depth < CW_MAX_DEPTH) {
        struct cw_kids kids = cw_clang_kids(body->u, cursor);
        if (kids.n == 1 && clang_isExpression(clang_getCursorKind(kids.at[0])) &&
            (k == CXCursor_ParenExpr || cw_clang_same_range(body->u, cursor, kids.at[0]))) {
            body->depth++;
            cw_clang_effect(body, kids.at[0]);
            body->depth--;
            return;
        }
    }
    if (cw_clang_type_of(body->u, cursor)->shape == CW_SHAPE_OBJECT || cw_clang_is_glvalue(body, cursor))
        cw_clang_addr(body, cursor);
    else
        cw_clang_value(body, cursor);
}
