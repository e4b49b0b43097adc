/* Calls.
 *
 * The convention between a CALL and its callee's parameters: [address of the result, when it is a class], [this],
 * then the parameters; a class by value goes by the address of a copy the caller made, a reference as a pointer. */
#include "front/clang/assume.h"
#include "front/clang/lower.h"

#include <ctype.h>
#include <string.h>

bool cw_clang_returns_reference(struct cw_unit *unit, CXCursor call) {
    CXCursor decl = clang_getCursorReferenced(call);
    CXType t = clang_getCanonicalType(clang_getCursorResultType(decl));
    if (t.kind == CXType_Invalid) {
        CXType f = clang_getCanonicalType(clang_getCursorType(decl));
        if (f.kind == CXType_Pointer)
            f = clang_getCanonicalType(clang_getPointeeType(f));
        t = clang_getCanonicalType(clang_getResultType(f));
    }
    (void)unit;
    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

static bool is_null(CXCursor cursor) {
    return clang_Cursor_isNull(cursor) || clang_isInvalid(clang_getCursorKind(cursor));
}

/* A default argument stands in the tree as an unnamed node without a place; its text is at the parameter. */
static bool is_default_argument(CXCursor arg) {
    return clang_getCursorKind(arg) == CXCursor_UnexposedExpr && clang_Range_isNull(clang_getCursorExtent(arg));
}

CXCursor cw_clang_written_argument(CXCursor call, struct cw_callee *callee, uint32_t i, uint32_t from) {
    CXCursor arg = clang_Cursor_getArgument(call, i + from);
    (void)callee;
    return is_null(arg) || is_default_argument(arg) ? clang_getNullCursor() : arg;
}

static CXCursor default_argument(struct cw_callee *callee, uint32_t i) {
    CXCursor decl = is_null(callee->definition) ? callee->decl : callee->definition;
    CXCursor value = clang_Cursor_getVarDeclInitializer(clang_Cursor_getArgument(decl, i));
    return is_null(value) ? clang_Cursor_getVarDeclInitializer(clang_Cursor_getArgument(callee->decl, i)) : value;
}

/* From the function's canonical type, where `int a[4]` is a pointer. */
CXType cw_clang_param_type(struct cw_unit *unit, const struct cw_callee *callee, uint32_t i) {
    CXType t = clang_getArgType(clang_getCanonicalType(clang_getCursorType(callee->decl)), i);
    return t.kind == CXType_Invalid ? cw_clang_cursor_type(unit, clang_Cursor_getArgument(callee->decl, i)) : t;
}

static cw_ref pass_copy(struct cw_body *body, CXCursor arg, CXType type) {
    cw_ref at = cw_clang_temp(body, type, "argument");
    cw_clang_init(body, arg, at, type);
    return at;
}

static bool is_reference_to_const(CXType param) {
    CXType t = clang_getCanonicalType(param);
    return (t.kind == CXType_LValueReference || t.kind == CXType_RValueReference) &&
           clang_isConstQualifiedType(clang_getPointeeType(t));
}

/* `T &&...args`, given a variable: what forwards its arguments does not write them itself. */
static bool is_forwarding_reference(struct cw_body *body, const struct cw_callee *callee, uint32_t i) {
    CXCursor param = clang_Cursor_getArgument(callee->decl, i);
    if (clang_Cursor_isNull(param) || cw_clang_param_type(body->u, callee, i).kind != CXType_LValueReference)
        return false;
    cw_str text = cw_clang_source(body->u, param);
    return text.n && memmem(text.at, text.n, "&&", 2) != NULL;
}

/* A function that nobody sees does not write what it gets as `const T &`, or forwards: it is handed a copy. */
static cw_ref pass_unseen(struct cw_body *body, const struct cw_callee *callee, uint32_t i, cw_ref at, CXType param) {
    enum { MAX_COPIED = 64 };
    CXType pointee = clang_getPointeeType(clang_getCanonicalType(param));
    const struct cw_ctype *t = cw_clang_type(body->u, pointee);
    if ((!is_reference_to_const(param) && !is_forwarding_reference(body, callee, i)) || !t->size ||
        t->size > MAX_COPIED || t->is_array || t->is_volatile ||
        (t->shape != CW_SHAPE_OBJECT && t->shape != CW_SHAPE_SCALAR) || cw_ref_type(body->fn, at) != CW_PTR)
        return at;
    cw_ref copy = cw_clang_temp(body, pointee, "argument");
    if (t->shape == CW_SHAPE_OBJECT)
        cw_clang_copy(body, copy, at, pointee);
    else
        cw_clang_store(body, cw_clang_load(body, at, pointee), copy, pointee);
    return copy;
}

static cw_ref lower_argument(struct cw_body *body, CXCursor arg, CXType param) {
    const struct cw_ctype *t = cw_clang_type(body->u, param);
    if (t->is_reference)
        return cw_clang_addr(body, arg);
    if (t->shape == CW_SHAPE_OBJECT)
        return pass_copy(body, arg, param);
    return cw_clang_value_as(body, arg, param);
}

cw_ref cw_clang_unwritten_argument(struct cw_body *body, CXType param) {
    const struct cw_ctype *t = cw_clang_type(body->u, param);
    enum cw_type of = t->shape == CW_SHAPE_SCALAR ? t->kind.type : t->shape == CW_SHAPE_OBJECT ? CW_PTR : CW_AGG;
    return cw_emit_opaque(body->at, of, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
}

/* Does the function of the runtime only read what its argument leads to? The built-in header does not declare its
 * parameters. */
static bool only_reads(const char *name, uint32_t argument) {
    static const struct {
        const char *name;
        uint32_t argument;
    } rows[] = {{"cudaMemcpyToSymbol", 1}, {"cudaMemcpyToSymbolAsync", 1}, {"cudaMemcpy", 1}, {"cudaMemcpyAsync", 1},
                {"cuMemcpyHtoD", 1}, {"cuMemcpyHtoDAsync", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].argument == argument && strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

void cw_clang_arguments(struct cw_body *body, CXCursor call, struct cw_callee *callee, uint32_t from,
                        struct cw_refs *out) {
    int written = clang_Cursor_getNumArguments(call);
    bool is_unseen = body->fn->kind == CW_FN_HOST && !cw_clang_may_enter(body, callee);
    for (uint32_t i = 0; i < callee->nparam; i++) {
        CXType param = cw_clang_param_type(body->u, callee, i);
        CXCursor arg = cw_clang_written_argument(call, callee, i, from);
        if (is_null(arg))
            arg = default_argument(callee, i);
        cw_ref v = is_null(arg) ? cw_clang_unwritten_argument(body, param) : lower_argument(body, arg, param);
        if (is_unseen && v.tag != CW_REF_NONE)
            v = pass_unseen(body, callee, i, v, param);
        cw_vec_push(&body->u->scratch, out, v.tag == CW_REF_NONE ? cw_clang_unwritten_argument(body, param) : v);
    }
    for (int i = (int)(callee->nparam + from); i < written; i++) {
        cw_ref v = cw_clang_operand(body, clang_Cursor_getArgument(call, (unsigned)i));
        if (v.tag != CW_REF_NONE && callee->kind == CW_CALLEE_UNKNOWN && !only_reads(callee->name, (uint32_t)i - from))
            cw_vec_push(&body->u->scratch, out, v);
    }
}

/* ---- which calls are entered ---- */

enum { SMALL_HOST_FUNCTION = 600 };

/* `kernel_type pick(int bits)`: the kernel is one of those that it returns. */
static bool returns_function(const struct cw_callee *callee) {
    CXType pointee = clang_getPointeeType(clang_getCanonicalType(callee->result));
    return pointee.kind == CXType_FunctionProto;
}

/* The body of a lambda that a lowered function describes is a part of it. Where a macro writes it, as in
 * `BOOL_SWITCH(x, Name, [&] { kernel<Name><<<…>>>(…); })`, its text is the macro's. */
static bool is_described_lambda(const struct cw_unit *unit, const struct cw_callee *callee) {
    return callee->is_method && cw_clang_closure_of(unit, clang_getCursorSemanticParent(callee->decl)) != NULL;
}

/* What the built-in headers define for clang alone: it refuses functions that take a lambda and are defined nowhere. */
static bool is_unseen(struct cw_unit *unit, const struct cw_callee *callee) {
    enum { MAX_TEXT = 200 };
    cw_str text = cw_clang_source(unit, callee->definition);
    return text.n && text.n < MAX_TEXT && memmem(text.at, text.n, "cuwarp_unseen", strlen("cuwarp_unseen"));
}

/* A host function enters what launches or picks kernels, what is shared with the device, and small helpers like
 * `divUp`. */
bool cw_clang_may_enter(struct cw_body *body, struct cw_callee *callee) {
    if (callee->kind != CW_CALLEE_BODY || callee->is_virtual || callee->is_kernel)
        return false;
    if (body->fn->kind != CW_FN_HOST) {
        callee->is_device_by_use = true;
        return true;
    }
    if (callee->is_device || returns_function(callee) || is_described_lambda(body->u, callee) ||
        cw_clang_launches(body->u, callee))
        return true;
    if (is_unseen(body->u, callee))
        return false;
    return clang_Location_isInSystemHeader(clang_getCursorLocation(callee->definition)) ||
           cw_clang_source(body->u, callee->definition).n < SMALL_HOST_FUNCTION;
}

/* `[[noreturn]] void fail(…)`: behind it control does not go on, so that a check that calls it says something of what
 * follows. libclang has no question for the attribute; the declaration, printed, names it, however it was spelled. */
static bool never_returns(CXCursor decl) {
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(decl);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    CXString text = clang_getCursorPrettyPrinted(decl, policy);
    clang_PrintingPolicy_dispose(policy);
    const char *s = clang_getCString(text), *body = s ? strchr(s, '{') : NULL, *at = s ? strstr(s, "noreturn") : NULL;
    bool found = at != NULL && (body == NULL || at < body);
    clang_disposeString(text);
    return found;
}

static void end_path(struct cw_body *body) {
    cw_fn_trap(body->fn, body->at.block, body->at.loc);
    body->at.block = cw_fn_add_block(body->fn);
}

/* A virtual method may be any override of it. */
static bool is_syncfree(struct cw_unit *unit, const struct cw_callee *callee) {
    return !callee->is_virtual && cw_model_is_syncfree(cw_clang_qualified(unit, callee->decl));
}

cw_ref cw_clang_emit_call(struct cw_body *body, struct cw_callee *c, const struct cw_refs *args) {
    const struct cw_ctype *r = cw_clang_type(body->u, c->result);
    enum cw_type type = c->is_constructor || r->shape == CW_SHAPE_OBJECT || r->shape == CW_SHAPE_VOID ? CW_VOID
                        : r->shape == CW_SHAPE_SCALAR                                              ? r->kind.type
                                                                                                   : CW_AGG;
    if (cw_clang_may_enter(body, c)) {
        cw_clang_queue(body->u, c);
        uint32_t callee = cw_fn_add_callee(body->fn, c->key);
        cw_ref made = cw_fn_emit(body->fn, body->at.block, CW_OP_CALL, type, callee, args->at, args->n, body->at.loc);
        return type == CW_VOID ? CW_NONE : made;
    }
    struct cw_refs rest = body->fn->kind == CW_FN_HOST ? cw_clang_call_handed(body, c, args) : *args;
    enum cw_bail why = c->is_virtual                           ? CW_BAIL_INDIRECT_CALL
                       : cw_clang_is_appended(body->u, c->decl) ? CW_BAIL_STAND_IN
                                                                : CW_BAIL_UNKNOWN_CALL;
    cw_ref v = cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, type, why, rest.at, rest.n, body->at.loc);
    body->fn->ins.at[body->fn->ins.n - 1].name = c->is_virtual ? cw_clang_virtual_targets(body->u, c) : c->name;
    body->fn->ins.at[body->fn->ins.n - 1].flags |= is_syncfree(body->u, c) ? CW_INS_SYNCFREE : 0;
    if (type == CW_VOID && body->fn->kind == CW_FN_HOST && !c->is_kernel && never_returns(c->decl))
        end_path(body);
    return type == CW_VOID ? CW_NONE : v;
}

/* ---- the object of a method call ---- */

/* `a.f(x)`, `p->f(x)` and `f(x)` have a MemberRefExpr; of `a + b` and `f(x)` through operator() the object is the first
 * argument. */
static bool is_operator_call(CXCursor cursor, const struct cw_callee *callee) {
    int n = clang_Cursor_getNumArguments(cursor);
    return callee->is_method && !callee->is_constructor && n == (int)callee->nparam + 1 && !callee->is_variadic;
}

cw_ref cw_clang_object_of_call(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, uint32_t *from) {
    if (is_operator_call(cursor, callee)) {
        *from = 1;
        return cw_clang_operand(body, clang_Cursor_getArgument(cursor, 0));
    }
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    for (uint32_t i = 0; i < kids.n; i++) {
        CXCursor member = cw_clang_peel(body->u, kids.at[i]);
        if (clang_getCursorKind(member) != CXCursor_MemberRefExpr)
            continue;
        CXType record;
        cw_ref at = cw_clang_object_of(body, member, &record);
        uint64_t offset;
        CXType owner = cw_clang_cursor_type(body->u, clang_getCursorSemanticParent(callee->decl));
        if (cw_ref_type(body->fn, at) == CW_PTR && !cw_clang_same_type(record, owner) &&
            cw_clang_base_offset(body->u, record, owner, &offset))
            return cw_at_offset(body->at, at, offset);
        return at;
    }
    return cw_clang_this(body);
}

/* `g = h` for groups, which are values: the right one is stored where the left one lives. */
static bool assigns_group(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref *place) {
    if (!callee->is_method || !callee->is_defaulted || strcmp(callee->name, "operator=") != 0 ||
        !is_operator_call(cursor, callee))
        return false;
    CXType type = clang_getCursorType(clang_getCursorSemanticParent(callee->decl));
    if (cw_clang_type(body->u, type)->kind.type != CW_GROUP)
        return false;
    cw_ref value = cw_clang_value(body, clang_Cursor_getArgument(cursor, 1));
    *place = cw_clang_addr(body, clang_Cursor_getArgument(cursor, 0));
    cw_clang_store(body, value, *place, type);
    return true;
}

static cw_ref call_direct(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref dest) {
    struct cw_refs args = {0};
    cw_ref place;
    if (assigns_group(body, cursor, callee, &place))
        return place;
    const struct cw_ctype *r = cw_clang_type(body->u, callee->result);
    uint32_t from = 0;
    if (r->shape == CW_SHAPE_OBJECT && dest.tag == CW_REF_NONE)
        dest = cw_clang_temp(body, callee->result, "result");
    if (r->shape == CW_SHAPE_OBJECT)
        cw_vec_push(&body->u->scratch, &args, dest);
    if (callee->is_method)
        cw_vec_push(&body->u->scratch, &args, cw_clang_object_of_call(body, cursor, callee, &from));
    else if (is_null(callee->decl) == false && clang_getCursorKind(callee->decl) == CXCursor_CXXMethod &&
             clang_Cursor_getNumArguments(cursor) == (int)callee->nparam + 1)
        from = 1; /* a static operator() */
    if (callee->is_method && callee->is_defaulted && strcmp(callee->name, "operator=") == 0) {
        cw_ref right = cw_clang_as_pointer(body, cw_clang_operand(body, clang_Cursor_getArgument(cursor, from)));
        cw_clang_copy(body, args.at[args.n - 1], right,
                      clang_getCursorType(clang_getCursorSemanticParent(callee->decl)));
        return args.at[args.n - 1];
    }
    cw_clang_arguments(body, cursor, callee, from, &args);
    return cw_clang_emit_call(body, callee, &args);
}

/* ---- calls that name no function ---- */

static const char *overload_name(struct cw_unit *unit, CXCursor callee, CXCursor *only) {
    struct cw_kids kids = cw_clang_kids(unit, callee);
    CXCursor found = clang_getCursorKind(callee) == CXCursor_OverloadedDeclRef ? callee : clang_getNullCursor();
    for (uint32_t i = 0; i < kids.n && is_null(found); i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_OverloadedDeclRef)
            found = kids.at[i];
    if (is_null(found))
        found = clang_getCursorReferenced(callee);
    if (is_null(found) || clang_getCursorKind(found) != CXCursor_OverloadedDeclRef)
        return cw_clang_text(unit, clang_getCursorSpelling(callee));
    if (clang_getNumOverloadedDecls(found) == 1)
        *only = clang_getOverloadedDecl(found, 0);
    return cw_clang_text(unit, clang_getCursorSpelling(found));
}

static struct cw_kids without_callee(struct cw_unit *unit, CXCursor cursor, CXCursor *callee) {
    struct cw_kids kids = cw_clang_kids(unit, cursor);
    *callee = kids.n ? kids.at[0] : clang_getNullCursor();
    return kids.n ? (struct cw_kids){kids.at + 1, kids.n - 1} : kids;
}

/* The callee that a text names, `cuda::std::max` of `cuda::std::max<int>`, `find` of `map.find`; NULL: no name. */
static const char *name_in(struct cw_unit *unit, cw_str text) {
    text = cw_str_trim(text);
    for (int depth = 0; text.n && (text.at[text.n - 1] == '>' || depth > 0); text.n--)
        depth += (text.at[text.n - 1] == '>') - (text.at[text.n - 1] == '<');
    size_t from = text.n;
    while (from > 0 && (isalnum((unsigned char)text.at[from - 1]) || strchr("_:", text.at[from - 1])))
        from--;
    return from < text.n && !isdigit((unsigned char)text.at[from])
               ? cw_intern_n(&unit->module->names, text.at + from, text.n - from)
               : NULL;
}

static const char *written_name(struct cw_unit *unit, CXCursor callee) {
    return is_null(callee) ? NULL : name_in(unit, cw_clang_source(unit, callee));
}

/* The same of a call: what is in front of its parentheses. */
static const char *written_callee(struct cw_unit *unit, CXCursor call) {
    cw_str text = cw_clang_source(unit, call);
    size_t n = 0;
    while (n < text.n && text.at[n] != '(')
        n++;
    return n < text.n ? name_in(unit, (cw_str){text.at, n}) : NULL;
}

/* The function that a name means, the first one of several. */
static CXCursor overload_of(CXCursor callee) {
    CXCursor target = is_null(callee) ? callee : clang_getCursorReferenced(callee);
    if (is_null(target) || clang_getCursorKind(target) != CXCursor_OverloadedDeclRef)
        return target;
    return clang_getNumOverloadedDecls(target) > 0 ? clang_getOverloadedDecl(target, 0) : clang_getNullCursor();
}

/* Is it known of the function that is named here that it orders no threads, whichever overload or instance it is? */
static bool names_syncfree(struct cw_unit *unit, CXCursor callee, const char *written) {
    CXCursor target = overload_of(callee);
    if (!is_null(target) && cw_model_is_syncfree(cw_clang_qualified(unit, target)))
        return true;
    return written && cw_model_is_syncfree(written[0] == ':' ? written + 2 : written);
}

/* The pointer that a call goes through is read like any other variable; of what is no pointer nothing is known. */
static void read_pointer(struct cw_body *body, CXCursor callee, struct cw_refs *refs) {
    if (clang_getCanonicalType(cw_clang_cursor_type(body->u, callee)).kind != CXType_Pointer)
        return;
    cw_ref v = cw_clang_value(body, callee);
    if (v.tag != CW_REF_NONE)
        cw_vec_push(&body->u->scratch, refs, v);
}

static cw_ref opaque_call(struct cw_body *body, CXCursor cursor, enum cw_bail why, const struct cw_kids *args,
                          cw_ref dest, CXCursor callee, const char *name) {
    struct cw_refs refs = {0};
    const struct cw_ctype *t = cw_clang_type_of(body->u, cursor);
    if (why == CW_BAIL_INDIRECT_CALL)
        read_pointer(body, callee, &refs);
    if (dest.tag != CW_REF_NONE)
        cw_vec_push(&body->u->scratch, &refs, dest);
    for (uint32_t i = 0; i < args->n; i++) {
        cw_ref v = cw_clang_operand(body, args->at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&body->u->scratch, &refs, v);
    }
    enum cw_type type = t->shape == CW_SHAPE_SCALAR ? t->kind.type : t->shape == CW_SHAPE_UNKNOWN ? CW_AGG : CW_VOID;
    cw_ref v = cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, type, why, refs.at, refs.n, body->at.loc);
    struct cw_ins *made = &body->fn->ins.at[body->fn->ins.n - 1];
    const char *written = written_name(body->u, callee);
    made->name = name && *name ? name : written;
    made->flags |= why != CW_BAIL_INDIRECT_CALL && names_syncfree(body->u, callee, written) ? CW_INS_SYNCFREE : 0;
    return type == CW_VOID ? CW_NONE : v;
}

/* A row of the device API, by the name of the call, by that of its first overload, or as it is written. */
static bool known_call(struct cw_body *body, CXCursor cursor, CXCursor callee, const char *name,
                       const struct cw_kids *args, cw_ref *result) {
    CXCursor target = overload_of(callee);
    const char *written = written_name(body->u, callee);
    if (cw_clang_named_call(body, cursor, name, args, result))
        return true;
    if (!is_null(target) && cw_clang_named_call(body, cursor, cw_clang_qualified(body->u, target), args, result))
        return true;
    return written && cw_clang_named_call(body, cursor, written, args, result);
}

/* ---- operators on types that are not known ---- */

/* Of `a < b` or `-a` libclang shows a call whose parts are the operands and, where it is written, the operator: which
 * part that is; the number of parts: none. */
static uint32_t operator_part(struct cw_unit *unit, const struct cw_kids *kids) {
    for (uint32_t i = 0; i < kids->n && i < 2; i++) {
        cw_str text = cw_clang_source(unit, kids->at[i]);
        if (text.n && text.n <= 3 && strspn(text.at, "+-*/%<>=!&|^~") >= text.n)
            return i;
    }
    return kids->n;
}

/* One that computes a value: no assignment, and no place as `*a` is. */
static bool is_value_operator(struct cw_unit *unit, const struct cw_kids *kids) {
    uint32_t part = operator_part(unit, kids);
    cw_str text = part < kids->n ? cw_clang_source(unit, kids->at[part]) : (cw_str){0};
    bool is_comparison = text.n == 2 && text.at[1] == '=' && strchr("=!<>", text.at[0]);
    bool is_double = text.n == 2 && text.at[0] == text.at[1] && strchr("&|<>", text.at[0]);
    bool is_single = text.n == 1 && (kids->n == 3 ? text.at[0] != '=' : strchr("+-!~", text.at[0]) != NULL);
    return is_comparison || is_double || is_single;
}

/* An operator of which nobody knows what it means for a template's parameter is a function of its operands. */
static cw_ref unknown_operation(struct cw_body *body, CXType type, enum cw_bail why, cw_str name,
                                const struct cw_refs *operands) {
    const struct cw_ctype *of = cw_clang_type(body->u, type);
    enum cw_type result = of->shape == CW_SHAPE_SCALAR ? of->kind.type : CW_AGG;
    if (!body->fn->is_pattern || of->shape == CW_SHAPE_VOID || operands->n == 0 || name.n == 0)
        return cw_clang_unknown(body, type, why, operands->at, operands->n);
    const char *text = cw_arena_printf(&body->u->scratch, "operator %.*s", (int)name.n, name.at);
    return cw_emit_pure(body->at, result, text, operands->at, operands->n);
}

/* Computes a value, whatever its type: it writes nothing and orders nobody. */
static cw_ref operator_call(struct cw_body *body, CXCursor cursor, const struct cw_kids *kids, cw_ref dest) {
    struct cw_refs refs = {0};
    CXType type = cw_clang_cursor_type(body->u, cursor);
    enum cw_bail why = body->fn->is_pattern ? CW_BAIL_DEPENDENT : CW_BAIL_UNRESOLVED_NAME;
    uint32_t part = operator_part(body->u, kids);
    cw_str name = part < kids->n ? cw_clang_source(body->u, kids->at[part]) : (cw_str){0};
    body->is_degraded |= !body->fn->is_pattern;
    for (uint32_t i = 0; i < kids->n; i++) {
        cw_ref v = i == part ? CW_NONE : cw_clang_operand(body, kids->at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&body->u->scratch, &refs, v);
    }
    if (dest.tag == CW_REF_NONE)
        return unknown_operation(body, type, why, name, &refs);
    cw_clang_forget(body, dest, type, why, refs.at, refs.n);
    return CW_NONE;
}

/* In a template's pattern a call of another template: followed into its pattern when there is only one candidate. */
static cw_ref pattern_call(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, const struct cw_kids *args,
                           cw_ref dest) {
    const struct cw_ctype *r = cw_clang_type(body->u, callee->result);
    CXCursor named;
    without_callee(body->u, cursor, &named);
    /* The parameters in front of a pack are enough for a helper that launches what it is handed. */
    bool is_helper = callee->is_variadic && body->fn->kind == CW_FN_HOST && callee->nparam > 0 &&
                     callee->nparam <= args->n && cw_clang_launches(body->u, callee);
    if ((callee->nparam != args->n && !is_helper) || callee->is_method || r->shape == CW_SHAPE_OBJECT ||
        (callee->is_variadic && !is_helper))
        return opaque_call(body, cursor, CW_BAIL_DEPENDENT, args, dest, named, callee->name);
    struct cw_refs refs = {0};
    for (uint32_t i = 0; i < callee->nparam; i++) {
        CXType param = cw_clang_param_type(body->u, callee, i);
        cw_ref v = lower_argument(body, args->at[i], param);
        cw_vec_push(&body->u->scratch, &refs, v.tag == CW_REF_NONE ? cw_clang_unwritten_argument(body, param) : v);
    }
    cw_ref v = cw_clang_emit_call(body, callee, &refs);
    struct cw_kind from = {cw_ref_type(body->fn, v), false}, to = cw_clang_type_of(body->u, cursor)->kind;
    return v.tag == CW_REF_NONE ? v : cw_convert(body->at, v, from, to);
}

/* Through `(*f)`, `(&f)` and a template argument that stands for a function. */
static CXCursor named_callee(struct cw_unit *unit, CXCursor callee) {
    for (int i = 0; i < 8; i++) {
        callee = cw_clang_peel(unit, callee);
        enum CXCursorKind k = clang_getCursorKind(callee);
        bool is_substituted = k == CXCursor_DeclRefExpr && is_null(clang_getCursorReferenced(callee));
        struct cw_kids kids = is_substituted || k == CXCursor_UnaryOperator ? cw_clang_kids(unit, callee)
                                                                            : (struct cw_kids){NULL, 0};
        if (kids.n != 1)
            break;
        callee = kids.at[0];
    }
    return callee;
}

static cw_ref call_nameless(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    CXCursor callee, only = clang_getNullCursor(), target;
    struct cw_kids args = without_callee(body->u, cursor, &callee);
    cw_ref result;
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (is_null(callee))
        return opaque_call(body, cursor, CW_BAIL_BROKEN_CODE, &args, dest, callee, NULL);
    if (is_value_operator(body->u, &kids))
        return operator_call(body, cursor, &kids, dest);
    callee = named_callee(body->u, callee);
    target = clang_getCursorReferenced(callee);
    enum CXCursorKind k = clang_getCursorKind(target);
    if (k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod) {
        struct cw_callee *c = cw_clang_callee(body->u, target);
        return c->is_kernel && cw_clang_launch(body, cursor, c) ? CW_NONE : call_direct(body, cursor, c, dest);
    }
    if (cw_clang_launch_variable(body, cursor, target))
        return CW_NONE;
    const char *name = overload_name(body->u, callee, &only);
    if (known_call(body, cursor, callee, name, &args, &result))
        return result;
    if (!is_null(only) && clang_getCursorKind(only) == CXCursor_FunctionTemplate && body->fn->is_pattern &&
        cw_clang_can_mean(body->u, cw_clang_callee(body->u, only), callee))
        return pattern_call(body, cursor, cw_clang_callee(body->u, only), &args, dest);
    bool is_pointer = k == CXCursor_VarDecl || k == CXCursor_ParmDecl || k == CXCursor_FieldDecl ||
                      cw_clang_points_to_function(clang_getCursorType(callee));
    body->is_degraded |= !is_pointer && !body->fn->is_pattern;
    return is_pointer ? opaque_call(body, cursor, CW_BAIL_INDIRECT_CALL, &args, dest, callee, name)
                      : opaque_call(body, cursor, CW_BAIL_UNRESOLVED_NAME, &args, dest, callee, name);
}

static bool is_function(CXCursor decl) {
    enum CXCursorKind k = clang_getCursorKind(decl);
    return k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_Constructor ||
           k == CXCursor_ConversionFunction || k == CXCursor_Destructor || k == CXCursor_FunctionTemplate;
}

/* In a template's pattern, `helper<float>(x)` names an instance that clang makes only with the pattern's own
 * instances: the template that it would be made from, or NULL. */
static struct cw_callee *template_of(struct cw_body *body, const struct cw_callee *callee) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee->decl);
    if (!body->fn->is_pattern || callee->kind != CW_CALLEE_UNKNOWN || is_null(pattern) ||
        clang_getCursorKind(pattern) != CXCursor_FunctionTemplate)
        return NULL;
    struct cw_callee *made_from = cw_clang_callee(body->u, pattern);
    return made_from->kind == CW_CALLEE_BODY ? made_from : NULL;
}

static struct cw_kids arguments_of(struct cw_unit *unit, CXCursor call) {
    int n = clang_Cursor_getNumArguments(call);
    struct cw_kids args = {CW_NEW_ARRAY(&unit->scratch, CXCursor, (size_t)(n > 0 ? n : 0) + 1),
                           n > 0 ? (uint32_t)n : 0};
    for (uint32_t i = 0; i < args.n; i++)
        args.at[i] = clang_Cursor_getArgument(call, i);
    return args;
}

/* `std::forward<T>(x)` and the like are casts of a reference. clang knows them by name and makes no bodies of them. */
static bool is_cast_function(struct cw_unit *unit, const struct cw_callee *callee) {
    static const char *const names[] = {"std::forward", "std::move", "std::as_const", "std::move_if_noexcept",
                                        "std::addressof"};
    bool is_cast = false;
    if (callee->kind == CW_CALLEE_BODY || callee->nparam != 1)
        return false;
    const char *name = cw_clang_qualified(unit, callee->decl);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_cast |= strcmp(name, names[i]) == 0;
    return is_cast;
}

cw_ref cw_clang_call(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    CXCursor decl = clang_getCursorReferenced(cursor);
    if (cw_clang_launch_in_pattern(body, cursor))
        return CW_NONE;
    if (is_null(decl) || !is_function(decl))
        return call_nameless(body, cursor, dest);
    struct cw_callee *c = cw_clang_callee(body->u, decl), *made_from = template_of(body, c);
    if (made_from && !c->intrinsic) {
        struct cw_kids args = arguments_of(body->u, cursor);
        return pattern_call(body, cursor, made_from, &args, dest);
    }
    if (c->is_constructor && cw_clang_type_of(body->u, cursor)->kind.type != CW_GROUP) {
        if (dest.tag == CW_REF_NONE)
            dest = cw_clang_temp(body, cw_clang_cursor_type(body->u, cursor), "temporary");
        cw_clang_construct(body, cursor, c, dest);
        return CW_NONE;
    }
    if (c->is_constructor) /* group handles are values */
        return clang_Cursor_getNumArguments(cursor) > 0
                   ? cw_clang_group_value(body, clang_Cursor_getArgument(cursor, 0))
                   : cw_emit_opaque(body->at, CW_GROUP, CW_BAIL_NONE, NULL, 0);
    if (c->is_kernel && cw_clang_launch(body, cursor, c))
        return CW_NONE;
    if (cw_clang_runtime_launch(body, cursor, c))
        return cw_clang_unknown(body, cw_clang_cursor_type(body->u, cursor), CW_BAIL_NONE, NULL, 0);
    if (clang_getCursorKind(decl) == CXCursor_Destructor)
        return CW_NONE;
    if (c->collective && body->fn->kind != CW_FN_HOST)
        return cw_clang_collective(body, cursor, c, dest);
    if (is_cast_function(body->u, c))
        return cw_clang_addr(body, clang_Cursor_getArgument(cursor, 0));
    return c->intrinsic ? cw_clang_intrinsic(body, cursor, c, dest) : call_direct(body, cursor, c, dest);
}

/* What broken code leaves of `f(x)` may have any effect; of `x + y` it has none. */
bool cw_clang_looks_like_call(struct cw_body *body, CXCursor cursor) {
    cw_str text = cw_str_trim(cw_clang_source(body->u, cursor));
    return !text.n || text.at[text.n - 1] == ')';
}

/* `kernel<<<1, 32>>>(x)` in device code, whose callee clang does not resolve: a grid that runs beside the block. */
static bool is_device_launch(struct cw_body *body, CXCursor cursor) {
    cw_str text = cw_clang_source(body->u, cursor);
    return body->fn->kind != CW_FN_HOST && text.n && memmem(text.at, text.n, "<<<", 3) &&
           cw_clang_looks_like_call(body, cursor);
}

/* What is left of a call in broken code, and other unnamed nodes whose meaning is not visible. */
cw_ref cw_clang_broken(struct cw_body *body, CXCursor cursor, const struct cw_kids *kids) {
    CXType t = cw_clang_cursor_type(body->u, cursor);
    const struct cw_ctype *c = cw_clang_type(body->u, t);
    int64_t value;
    cw_ref result;
    CXCursor only = clang_getNullCursor();
    if (c->shape == CW_SHAPE_SCALAR && cw_type_is_int(c->kind.type) && cw_clang_evaluate(cursor, &value))
        return cw_fn_const(body->fn, c->kind.type, value);
    if (kids->n && cw_clang_launch_in_pattern(body, cursor))
        return CW_NONE;
    if (kids->n) {
        CXCursor first = cw_clang_peel(body->u, kids->at[0]);
        struct cw_kids args = {kids->at + 1, kids->n - 1};
        const char *name = overload_name(body->u, first, &only);
        if (*name && known_call(body, cursor, first, name, &args, &result))
            return result;
    }
    struct cw_refs refs = {0};
    const char *callee = kids->n ? overload_name(body->u, cw_clang_peel(body->u, kids->at[0]), &only) : NULL;
    bool is_pattern = body->fn->is_pattern, is_launch = is_device_launch(body, cursor);
    for (uint32_t i = is_launch; i < kids->n; i++) { /* a launch's first part is the kernel */
        cw_ref v = cw_clang_operand(body, kids->at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&body->u->scratch, &refs, v);
    }
    enum cw_bail why = is_launch ? CW_BAIL_UNKNOWN_CALL : is_pattern ? CW_BAIL_DEPENDENT : CW_BAIL_BROKEN_CODE;
    body->is_degraded |= !is_pattern && !is_launch;
    if (!cw_clang_looks_like_call(body, cursor))
        return cw_clang_unknown(body, t, why, refs.at, refs.n);
    enum cw_type of = c->shape == CW_SHAPE_SCALAR ? c->kind.type : c->shape == CW_SHAPE_VOID ? CW_VOID : CW_AGG;
    cw_ref r = cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, of, why, refs.at, refs.n, body->at.loc);
    const char *written = written_callee(body->u, cursor);
    struct cw_ins *made = &body->fn->ins.at[body->fn->ins.n - 1];
    made->name = callee && *callee ? callee : written;
    made->flags |= is_launch || (kids->n && names_syncfree(body->u, kids->at[0], written)) ? CW_INS_SYNCFREE : 0;
    return of == CW_VOID ? CW_NONE : r;
}
