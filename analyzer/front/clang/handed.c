/* Lambdas that are handed to functions which nobody sees: `std::thread`, `std::function`, the framework of a benchmark.
 *
 * requires: the lambda's expression was lowered (lambda.c). computes: a lambda that launches is called any number of
 * times, by values that nobody knows, where it is handed over. The function does nothing else with what the lambda
 * captures, for nobody else has a name for it; so its address does not go there, and the values of captured variables
 * stay known. Where a variable that is captured by reference may be changed behind that, the lambda may be called
 * later: then the address goes there too. Cost: one pass over the enclosing function for each such lambda.
 *
 * In the pattern of a host template libclang knows no closure: there the body stands where the lambda is written. */
#include "front/clang/lower.h"

#include <string.h>

/* ---- is a captured variable changed later? ---- */

enum { CAPTURES_MAX = 32 };

struct captured {
    CXCursor cursor;
    unsigned from; /* offset in the file of what may run behind the lambda */
};

/* Whether one of the variables may change behind the lambda: it is mentioned there, and not just read. libclang shows
 * the cast that reads a variable as an unexposed expression; what else is done with it may change it. */
struct changes {
    struct cw_body *body;
    struct captured variables[CAPTURES_MAX];
    uint32_t n;
    unsigned end; /* of the lambda */
    uint32_t depth;
    bool found;
};

static unsigned offset_of(CXSourceLocation location) {
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

static unsigned end_of(CXCursor cursor) {
    return offset_of(clang_getRangeEnd(clang_getCursorExtent(cursor)));
}

static void add_variable(struct changes *changes, CXCursor variable) {
    if (clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(variable))))
        return;
    if (changes->n == CAPTURES_MAX)
        changes->found = true;
    else
        changes->variables[changes->n++] = (struct captured){variable, changes->end};
}

/* The variable's number; changes->n: it is none of these. */
static uint32_t number_of(const struct changes *changes, CXCursor variable) {
    uint32_t i = 0;
    while (i < changes->n && !clang_equalCursors(changes->variables[i].cursor, variable))
        i++;
    return i;
}

/* Does the function take the argument by a forwarding reference, `T &&x`? Who forwards hands on a value. */
static bool is_forwarded(struct changes *changes, CXCursor call, CXCursor argument) {
    int number = 0, n = clang_Cursor_getNumArguments(call);
    while (number < n && !clang_equalCursors(clang_Cursor_getArgument(call, (unsigned)number), argument))
        number++;
    CXCursor callee = clang_getSpecializedCursorTemplate(clang_getCursorReferenced(call));
    if (number >= n || clang_Cursor_isNull(callee))
        return false;
    struct cw_kids kids = cw_clang_kids(changes->body->u, callee);
    const char *type = "";
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_ParmDecl && number-- >= 0)
            type = cw_clang_text(changes->body->u, clang_getTypeSpelling(clang_getCursorType(kids.at[i])));
    size_t end = strlen(type);
    end -= end > 3 && !strcmp(type + end - 3, "...") ? 3 : 0;
    return end > 2 && !memcmp(type + end - 2, "&&", 2);
}

/* Does the expression only read what is below it? `is_read`: whether what is around it only reads the expression. */
static bool only_reads(struct changes *changes, CXCursor expression, CXCursor below, bool is_read) {
    CXType type = clang_getCanonicalType(clang_getCursorType(expression));
    switch ((int)clang_getCursorKind(expression)) {
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_ParenExpr: return is_read;
    case CXCursor_CallExpr: return is_forwarded(changes, expression, below);
    case CXCursor_CStyleCastExpr: return type.kind == CXType_Void;
    case CXCursor_LambdaExpr: return true; /* a capture; what the body does with it is seen there */
    case CXCursor_UnexposedExpr:
        if (cw_clang_type_of(changes->body->u, below)->shape == CW_SHAPE_OBJECT)
            return is_read || clang_isConstQualifiedType(type);
        return !clang_isVolatileQualifiedType(type);
    default: return false;
    }
}

/* A loop around the lambda runs again over what stands in front of it, for a variable from outside of the loop. */
static void enter_loop(struct changes *changes, CXCursor loop) {
    unsigned begin = offset_of(clang_getCursorLocation(loop));
    for (uint32_t i = 0; i < changes->n && begin < changes->end && changes->end <= end_of(loop); i++)
        if (offset_of(clang_getCursorLocation(changes->variables[i].cursor)) < begin &&
            begin < changes->variables[i].from)
            changes->variables[i].from = begin;
}

static void find_changes(struct changes *changes, CXCursor cursor, bool is_read) {
    struct cw_kids kids = cw_clang_kids(changes->body->u, cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_DeclRefExpr && !is_read) {
        uint32_t i = number_of(changes, clang_getCursorReferenced(cursor));
        changes->found |=
            i < changes->n && offset_of(clang_getCursorLocation(cursor)) >= changes->variables[i].from;
    }
    if (kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
        kind == CXCursor_CXXForRangeStmt)
        enter_loop(changes, cursor);
    changes->found |= ++changes->depth > CW_MAX_DEPTH;
    for (uint32_t i = 0; i < kids.n && !changes->found; i++)
        find_changes(changes, kids.at[i], only_reads(changes, cursor, kids.at[i], is_read));
    changes->depth--;
}

static bool is_captured_for_later(struct cw_body *body, const struct cw_closure *closure, CXCursor lambda) {
    struct changes changes = {.body = body, .end = end_of(lambda)};
    for (uint32_t i = 0; i < closure->n; i++)
        if (!clang_Cursor_isNull(closure->at[i].variable) &&
            cw_clang_type_of(body->u, closure->at[i].field)->is_reference)
            add_variable(&changes, closure->at[i].variable);
    if (changes.n)
        find_changes(&changes, clang_getCursorSemanticParent(changes.variables[0].cursor), false);
    return changes.found;
}

/* ---- calls ---- */

struct handed {
    struct cw_callee *call; /* the call operator, NULL: it is no lambda that launches */
    const struct cw_closure *closure;
};

static struct handed handed_lambda(struct cw_body *body, CXType type) {
    CXType plain = clang_getNonReferenceType(clang_getCanonicalType(type));
    CXCursor record = clang_getTypeDeclaration(clang_getCanonicalType(plain));
    const struct cw_closure *closure = clang_Cursor_isNull(record) || clang_isInvalid(clang_getCursorKind(record))
                                           ? NULL
                                           : cw_clang_closure_of(body->u, record);
    if (!closure)
        return (struct handed){NULL, NULL};
    struct cw_kids kids = cw_clang_kids(body->u, record);
    struct cw_callee *call = NULL;
    for (uint32_t i = 0; i < kids.n && !call; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_CXXMethod &&
            !strcmp(cw_clang_text(body->u, clang_getCursorSpelling(kids.at[i])), "operator()"))
            call = cw_clang_callee(body->u, kids.at[i]);
    bool is_it = call && cw_clang_launches(body->u, call) && cw_clang_may_enter(body, call) &&
                 cw_clang_type(body->u, call->result)->shape != CW_SHAPE_OBJECT;
    return (struct handed){is_it ? call : NULL, closure};
}

/* What comes now is called any number of times: it jumps to the head behind each. The block behind all. */
static uint32_t begin_calls(struct cw_body *body, uint32_t head) {
    uint32_t called = cw_fn_add_block(body->fn), behind = cw_fn_add_block(body->fn);
    cw_fn_jump(body->fn, body->at.block, head, body->at.loc, CW_FROM_WHILE);
    body->at.block = head;
    cw_ref is_called = cw_emit_opaque(body->at, CW_I1, CW_BAIL_UNKNOWN_CALL, NULL, 0);
    cw_fn_branch(body->fn, head, is_called, called, behind, body->at.loc, CW_FROM_WHILE);
    body->at.block = called;
    return behind;
}

/* Calls the lambda any number of times with arguments that nobody knows. */
static void call_any_times(struct cw_body *body, struct cw_callee *lambda, cw_ref closure) {
    uint32_t head = cw_fn_add_block(body->fn), behind = begin_calls(body, head);
    struct cw_refs args = {0};
    cw_vec_push(&body->u->scratch, &args, closure);
    for (uint32_t i = 0; i < lambda->nparam; i++)
        cw_vec_push(&body->u->scratch, &args,
                    cw_clang_unwritten_argument(body, cw_clang_param_type(body->u, lambda, i)));
    (void)cw_clang_emit_call(body, lambda, &args);
    cw_fn_jump(body->fn, body->at.block, head, body->at.loc, CW_FROM_WHILE);
    body->at.block = behind;
}

struct cw_refs cw_clang_call_handed(struct cw_body *body, const struct cw_callee *callee, const struct cw_refs *args) {
    struct cw_refs rest = {0};
    for (uint32_t i = 0; i < args->n; i++) {
        bool is_parameter = args->n - i <= callee->nparam && !callee->is_variadic &&
                            cw_ref_type(body->fn, args->at[i]) == CW_PTR;
        struct handed handed = {NULL, NULL};
        if (is_parameter)
            handed = handed_lambda(body, cw_clang_param_type(body->u, callee, callee->nparam - (args->n - i)));
        if (handed.call)
            call_any_times(body, handed.call, args->at[i]);
        if (!handed.call ||
            is_captured_for_later(body, handed.closure, handed.call->definition))
            cw_vec_push(&body->u->scratch, &rest, args->at[i]);
    }
    return rest;
}

/* ---- in patterns ---- */

static void add_named(struct changes *changes, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(changes->body->u, cursor);
    CXCursor named = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(named);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) && number_of(changes, named) == changes->n)
        add_variable(changes, named);
    for (uint32_t i = 0; i < kids.n; i++)
        add_named(changes, kids.at[i]);
}

/* The variables in the configurations of the launches below. False when there is none. */
static bool add_configurations(struct changes *changes, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(changes->body->u, cursor);
    CXCursor configuration = clang_getCursorKind(cursor) == CXCursor_CallExpr
                                 ? cw_clang_configuration(changes->body->u, cursor) : clang_getNullCursor();
    bool found = !clang_Cursor_isNull(configuration);
    if (found)
        add_named(changes, configuration);
    for (uint32_t i = 0; i < kids.n; i++)
        found |= add_configurations(changes, kids.at[i]);
    return found;
}

void cw_clang_lambda_in_pattern(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    struct changes changes = {.body = body, .end = end_of(cursor)};
    bool is_it = body->fn->kind == CW_FN_HOST && body->fn->is_pattern && kids.n &&
                 clang_getCursorKind(kids.at[kids.n - 1]) == CXCursor_CompoundStmt;
    if (!is_it || !add_configurations(&changes, kids.at[kids.n - 1]))
        return;
    find_changes(&changes, body->self->definition, false);
    if (changes.found)
        return;
    uint32_t head = cw_fn_add_block(body->fn), behind = begin_calls(body, head), outer_end = body->lambda_end;
    struct cw_loop *loop = body->loop;
    body->lambda_end = head;
    body->loop = NULL;
    cw_clang_stmt(body, kids.at[kids.n - 1]);
    body->lambda_end = outer_end;
    body->loop = loop;
    if (cw_at_is_open(body->at))
        cw_fn_jump(body->fn, body->at.block, head, body->at.loc, CW_FROM_WHILE);
    body->at.block = behind;
}
