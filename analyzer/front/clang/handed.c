/* Lambdas that are handed to functions which nobody sees: `std::thread`, `std::function`, the framework of a benchmark.
 *
 * requires: the lambda's expression was lowered (lambda.c). computes: a lambda that launches is called any number of
 * times, by values that nobody knows, where it is handed over. The function does nothing else with what the lambda
 * captures, for nobody else has a name for it; so its address does not go there, and the values of captured variables
 * stay known. Where a variable that is captured by reference is changed behind that, by what the text says, the lambda
 * may be called later: then the address goes there too. Cost: the enclosing function's text for each such variable.
 *
 * In the pattern of a host template libclang knows no closure: there the body stands where the lambda is written. */
#include "front/clang/lower.h"

#include <ctype.h>
#include <string.h>

/* ---- is a captured variable changed later? ---- */

static bool is_in(cw_str text, const char *at) {
    return text.n && at >= text.at && at < text.at + text.n;
}

/* Behind a name: `= x`, `+= x`, `++`, also of a member, `.x = 8`. */
static bool is_assigned(const char *at, const char *end) {
    while (at < end && (isspace((unsigned char)*at) || *at == '.' || cw_clang_is_name(*at)))
        at++;
    const char *next = at + 1;
    if (end - at < 2)
        return false;
    if (*at == '=')
        return *next != '=';
    if ((*at == '+' || *at == '-') && *next == *at)
        return true;
    if ((*at == '<' || *at == '>') && *next == *at)
        return end - at > 2 && at[2] == '=';
    return strchr("+-*/%&|^", *at) && *next == '=';
}

/* In front of a name: `++`, `--`, `>>`, and `&` that is no `&&`. */
static bool is_changed_by(const char *begin, const char *at) {
    while (at > begin && isspace((unsigned char)at[-1]))
        at--;
    if (at - begin < 2)
        return false;
    bool is_double = at[-1] == at[-2];
    return strchr("+->", at[-1]) ? is_double : at[-1] == '&' && !is_double;
}

/* How often the text from `from` on changes the variable. */
static uint32_t count_changes(cw_str text, const char *from, const char *name) {
    size_t n = strlen(name);
    const char *end = text.at + text.n;
    uint32_t changes = 0;
    for (const char *at = from; n && at < end && (at = memmem(at, (size_t)(end - at), name, n)); at += n) {
        bool is_word = (at == text.at || !cw_clang_is_name(at[-1])) && (at + n == end || !cw_clang_is_name(at[n]));
        changes += is_word && (is_assigned(at + n, end) || is_changed_by(text.at, at));
    }
    return changes;
}

/* Of a lambda in a macro nobody knows what stands behind it: more than the variable's initialisation is a change. */
static bool is_changed_behind(struct cw_body *body, CXCursor variable, cw_str lambda) {
    cw_str text = cw_clang_source(body->u, clang_getCursorSemanticParent(variable));
    const char *name = cw_clang_text(body->u, clang_getCursorSpelling(variable));
    if (clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(variable))) || !text.n)
        return false;
    return is_in(text, lambda.at) ? count_changes(text, lambda.at + lambda.n, name) > 0
                                  : count_changes(text, text.at, name) > 1;
}

static bool is_captured_for_later(struct cw_body *body, const struct cw_closure *closure, cw_str lambda) {
    for (uint32_t i = 0; i < closure->n; i++)
        if (!clang_Cursor_isNull(closure->at[i].variable) &&
            cw_clang_type_of(body->u, closure->at[i].field)->is_reference &&
            is_changed_behind(body, closure->at[i].variable, lambda))
            return true;
    return false;
}

/* ---- calls ---- */

struct handed {
    struct cw_callee *call; /* the call operator, NULL: it is no lambda that launches */
    const struct cw_closure *closure;
};

static struct handed handed_lambda(struct cw_body *body, CXType type) {
    CXType plain = clang_getNonReferenceType(clang_getCanonicalType(type));
    CXCursor record = clang_getTypeDeclaration(clang_getCanonicalType(plain));
    uint64_t closure;
    if (clang_Cursor_isNull(record) || clang_isInvalid(clang_getCursorKind(record)) ||
        !cw_map_get(&body->u->closures, cw_clang_id(record), &closure))
        return (struct handed){NULL, NULL};
    struct cw_kids kids = cw_clang_kids(body->u, record);
    struct cw_callee *call = NULL;
    for (uint32_t i = 0; i < kids.n && !call; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_CXXMethod &&
            !strcmp(cw_clang_text(body->u, clang_getCursorSpelling(kids.at[i])), "operator()"))
            call = cw_clang_callee(body->u, kids.at[i]);
    bool is_it = call && cw_clang_launches(body->u, call) && cw_clang_may_enter(body, call) &&
                 cw_clang_type(body->u, call->result)->shape != CW_SHAPE_OBJECT;
    return (struct handed){is_it ? call : NULL, (const struct cw_closure *)(uintptr_t)closure};
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
            is_captured_for_later(body, handed.closure, cw_clang_source(body->u, handed.call->definition)))
            cw_vec_push(&body->u->scratch, &rest, args->at[i]);
    }
    return rest;
}

/* ---- in patterns ---- */

/* Is a name in the configuration of a launch in the lambda changed behind it? */
static bool is_configuration_changed(cw_str function, cw_str lambda) {
    const char *end = lambda.at + lambda.n;
    const char *from = memmem(lambda.at, lambda.n, "<<<", 3);
    const char *to = from ? memmem(from, (size_t)(end - from), ">>>", 3) : NULL;
    for (const char *at = from; to && at < to;) {
        size_t n = 0;
        while (at + n < to && cw_clang_is_name(at[n]))
            n++;
        char name[64] = "";
        if (n > 0 && n < sizeof name && memcpy(name, at, n) && count_changes(function, end, name))
            return true;
        at += n ? n : 1;
    }
    return !to;
}

void cw_clang_lambda_in_pattern(struct cw_body *body, CXCursor cursor) {
    cw_str text = cw_clang_source(body->u, cursor), function = cw_clang_source(body->u, body->self->definition);
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    bool is_it = body->fn->kind == CW_FN_HOST && body->fn->is_pattern && kids.n && is_in(function, text.at) &&
                 clang_getCursorKind(kids.at[kids.n - 1]) == CXCursor_CompoundStmt;
    if (!is_it || !cw_clang_shows_launch(text) || is_configuration_changed(function, text))
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
