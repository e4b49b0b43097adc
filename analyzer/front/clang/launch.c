/* Kernel launches in host code. */
#include "front/clang/lower.h"
#include "front/launch_lower.h"

#include <string.h>

enum { FIXED = 7 }; /* grid and block by axis, shared bytes */

static bool is_null(CXCursor cursor) {
    return clang_Cursor_isNull(cursor) || clang_isInvalid(clang_getCursorKind(cursor));
}

/* What a constant outside of functions is initialised with, where the expression is a copy of one; or null. */
static CXCursor constant_initialiser(struct cw_body *body, CXCursor expr) {
    for (int i = 0; i < 16 && !is_null(expr); i++) {
        enum CXCursorKind kind = clang_getCursorKind(expr);
        struct cw_kids kids = cw_clang_kids(body->u, expr);
        CXCursor decl = clang_getCursorReferenced(expr);
        if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr)
            return clang_getCursorKind(decl) == CXCursor_VarDecl && clang_Cursor_hasVarDeclGlobalStorage(decl) == 1 &&
                           clang_isConstQualifiedType(clang_getCanonicalType(cw_clang_cursor_type(body->u, decl)))
                       ? clang_Cursor_getVarDeclInitializer(decl)
                       : clang_getNullCursor();
        if (kids.n != 1 || (kind != CXCursor_CallExpr && kind != CXCursor_UnexposedExpr))
            break;
        expr = kids.at[0];
    }
    return clang_getNullCursor();
}

static cw_ref dimensions_operand(struct cw_body *body, CXCursor arg) {
    CXCursor constant = constant_initialiser(body, arg);
    CXType type = cw_clang_cursor_type(body->u, arg);
    if (is_null(constant) || cw_clang_type(body->u, type)->shape != CW_SHAPE_OBJECT)
        return cw_clang_operand(body, arg);
    cw_ref at = cw_clang_temp(body, type, "constant");
    cw_clang_init(body, constant, at, type);
    return at;
}

/* A dim3 argument, or unknown extents when its type is not the dim3 that everybody knows. */
static void lower_dimensions(struct cw_body *body, CXCursor arg, cw_ref *out) {
    cw_ref v = is_null(arg) ? CW_NONE : dimensions_operand(body, arg);
    if (v.tag != CW_REF_NONE && cw_ref_type(body->fn, v) == CW_PTR && cw_clang_type_of(body->u, arg)->size == 12) {
        cw_load_extents(body->at, v, out);
        return;
    }
    struct cw_kind from = cw_clang_type_of(body->u, arg)->kind;
    if (v.tag != CW_REF_NONE &&
        cw_type_is_int(cw_ref_type(body->fn, v))) { /* beside an error clang converts nothing to dim3 */
        out[0] = cw_convert(body->at, v, from, (struct cw_kind){CW_I32, false});
        out[1] = out[2] = cw_fn_const(body->fn, CW_I32, 1);
        return;
    }
    for (uint32_t i = 0; i < 3; i++)
        out[i] = cw_emit_opaque(body->at, CW_I32, CW_BAIL_UNSUPPORTED_EXPR, &v, v.tag != CW_REF_NONE);
}

static cw_ref shared_bytes(struct cw_body *body, CXCursor arg) {
    if (is_null(arg) || clang_Range_isNull(clang_getCursorExtent(arg)))
        return cw_fn_const(body->fn, CW_I64, 0);
    cw_ref v = cw_clang_value(body, arg);
    struct cw_kind from = cw_clang_type_of(body->u, arg)->kind;
    return v.tag == CW_REF_NONE ? cw_emit_opaque(body->at, CW_I64, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0)
                                : cw_convert(body->at, v, from, (struct cw_kind){CW_I64, false});
}

/* Of `kernel`, or NULL: of the one whose address is the last argument. A launch from device code (dynamic parallelism)
 * is a call that nobody follows. */
static void emit_launch(struct cw_body *body, struct cw_callee *kernel, const struct cw_refs *args, unsigned flags) {
    const char *key =
        kernel ? kernel->key : cw_intern_n(&body->u->module->names, CW_STR(CW_LAUNCH_BY_POINTER).at, 1);
    if (kernel && !kernel->is_pattern) /* a template without an instance is queued as such */
        cw_clang_queue(body->u, kernel);
    if (kernel && kernel->pattern)
        cw_map_put(&body->u->module->patterns, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)kernel->pattern);
    cw_emit_launch(body->at, key, args->at, args->n, flags);
}

/* The integers and pointers in an argument of class type, as body.c makes parameters of them. */
static void push_members(struct cw_body *body, cw_ref object, CXType type, struct cw_refs *out) {
    const struct cw_leaves *members = cw_clang_member_parameters(body->u, type);
    bool is_place = object.tag != CW_REF_NONE && cw_ref_type(body->fn, object) == CW_PTR;
    for (uint32_t i = 0; i < members->n; i++) {
        const struct cw_leaf *leaf = &members->at[i];
        cw_ref member = is_place ? cw_emit1(body->at, CW_OP_LOAD, leaf->kind.type, leaf->size,
                                            cw_at_offset(body->at, object, leaf->offset))
                                 : cw_fn_undef(leaf->kind.type);
        cw_vec_push(&body->u->scratch, out, member);
    }
}

/* Arguments of class type are not among the kernel's scalar parameters (they are objects of their own there), but for
 * the integers and pointers in them, which come last. */
static void scalar_arguments(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, struct cw_refs *out) {
    struct cw_refs all = {0};
    cw_clang_arguments(body, cursor, callee, 0, &all);
    for (uint32_t i = 0; i < all.n; i++)
        if (cw_clang_type(body->u, cw_clang_param_type(body->u, callee, i))->shape != CW_SHAPE_OBJECT)
            cw_vec_push(&body->u->scratch, out, all.at[i]);
    for (uint32_t i = 0; i < all.n; i++)
        if (cw_clang_type(body->u, cw_clang_param_type(body->u, callee, i))->shape == CW_SHAPE_OBJECT)
            push_members(body, all.at[i], cw_clang_param_type(body->u, callee, i), out);
}

CXCursor cw_clang_configuration(struct cw_unit *unit, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(unit, cursor);
    for (uint32_t i = 1; i < kids.n; i++) {
        if (clang_getCursorKind(kids.at[i]) != CXCursor_CallExpr)
            continue;
        const char *name = cw_clang_text(unit, clang_getCursorSpelling(kids.at[i]));
        if (strcmp(name, "cudaConfigureCall") == 0 || strcmp(name, "__cudaPushCallConfiguration") == 0)
            return kids.at[i];
    }
    return clang_getNullCursor();
}

static void push_configuration(struct cw_body *body, CXCursor config, struct cw_refs *args) {
    cw_ref fixed[FIXED];
    lower_dimensions(body, clang_Cursor_getArgument(config, 0), fixed);
    lower_dimensions(body, clang_Cursor_getArgument(config, 1), fixed + 3);
    fixed[6] = shared_bytes(body, clang_Cursor_getArgument(config, 2));
    for (uint32_t i = 0; i < FIXED; i++)
        cw_vec_push(&body->u->scratch, args, fixed[i]);
}

bool cw_clang_launch(struct cw_body *body, CXCursor cursor, struct cw_callee *callee) {
    CXCursor config = cw_clang_configuration(body->u, cursor);
    struct cw_refs args = {0};
    if (is_null(config))
        return false;
    push_configuration(body, config, &args);
    scalar_arguments(body, cursor, callee, &args);
    emit_launch(body, callee, &args, 0);
    return true;
}

/* Can a call with so many arguments mean the function? */
static bool takes_arguments(const struct cw_callee *callee, int n) {
    uint32_t least = callee->nparam;
    while (least > 0 && !is_null(clang_Cursor_getVarDeclInitializer(
                            clang_Cursor_getArgument(callee->definition, least - 1))))
        least--;
    return n >= 0 && (uint32_t)n >= least && ((uint32_t)n <= callee->nparam || callee->is_variadic);
}

/* Of several functions of one name the only one that the template arguments, as they are written, and the number of
 * arguments fit. */
static CXCursor fitting_overload(struct cw_body *body, CXCursor named, CXCursor written, int n) {
    CXCursor fitting = clang_getNullCursor();
    unsigned overloads = clang_getNumOverloadedDecls(named);
    for (unsigned i = 0; i < overloads; i++) {
        CXCursor decl = clang_getOverloadedDecl(named, i);
        enum CXCursorKind kind = clang_getCursorKind(decl);
        if (kind != CXCursor_FunctionTemplate && kind != CXCursor_FunctionDecl)
            return clang_getNullCursor();
        struct cw_callee *c = cw_clang_callee(body->u, decl);
        bool fits = kind == CXCursor_FunctionTemplate && takes_arguments(c, n) &&
                    cw_clang_can_mean(body->u, c, written);
        if (fits && !is_null(fitting))
            return clang_getNullCursor();
        fitting = fits ? decl : fitting;
    }
    return fitting;
}

/* The only kernel that the expression, in a template's pattern, can mean where it is launched with n arguments; NULL:
 * there is none, or several. */
static struct cw_callee *kernel_of_pattern(struct cw_body *body, CXCursor callee, int n) {
    struct cw_kids kids = cw_clang_kids(body->u, callee);
    CXCursor named = clang_getCursorReferenced(callee);
    for (uint32_t i = 0; i < kids.n && is_null(named); i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_OverloadedDeclRef)
            named = kids.at[i];
    if (!is_null(named) && clang_getCursorKind(named) == CXCursor_OverloadedDeclRef)
        named = clang_getNumOverloadedDecls(named) == 1 ? clang_getOverloadedDecl(named, 0)
                                                        : fitting_overload(body, named, callee, n);
    enum CXCursorKind kind = is_null(named) ? CXCursor_InvalidFile : clang_getCursorKind(named);
    bool is_function = kind == CXCursor_FunctionTemplate || kind == CXCursor_FunctionDecl;
    struct cw_callee *kernel = is_function ? cw_clang_callee(body->u, named) : NULL;
    return kernel && kernel->is_kernel ? kernel : NULL;
}

/* Is the type a scalar, or an object, in all instances? */
static bool is_settled(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    bool is_builtin = kind >= CXType_FirstBuiltin && kind <= CXType_LastBuiltin && kind != CXType_Dependent &&
                      kind != CXType_Overload;
    return is_builtin || kind == CXType_Pointer || kind == CXType_Enum;
}

/* The arguments as far as it is known which are among the kernel's scalar parameters. */
static void settled_arguments(struct cw_body *body, CXCursor cursor, struct cw_callee *kernel, struct cw_refs *out) {
    struct cw_refs all = {0};
    uint32_t n = 0;
    while (n < kernel->nparam && is_settled(cw_clang_param_type(body->u, kernel, n)))
        n++;
    cw_clang_arguments(body, cursor, kernel, 0, &all);
    for (uint32_t i = 0; i < all.n && i < n; i++)
        cw_vec_push(&body->u->scratch, out, all.at[i]);
}

bool cw_clang_launch_in_pattern(struct cw_body *body, CXCursor cursor) {
    if (body->fn->kind != CW_FN_HOST || !body->fn->is_pattern)
        return false;
    CXCursor config = cw_clang_configuration(body->u, cursor);
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    struct cw_callee *kernel = is_null(config) ? NULL : kernel_of_pattern(body, cw_clang_peel(body->u, kids.at[0]),
                                                                             clang_Cursor_getNumArguments(cursor));
    struct cw_refs args = {0};
    if (!kernel)
        return false;
    push_configuration(body, config, &args);
    settled_arguments(body, cursor, kernel, &args);
    emit_launch(body, kernel, &args, 0);
    return true;
}

/* The function an expression names, through casts and `&`; NULL: none. */
static struct cw_callee *function_named(struct cw_body *body, CXCursor cursor) {
    for (int i = 0; i < 16 && !is_null(cursor); i++) {
        CXCursor decl = clang_getCursorReferenced(cursor);
        if (!is_null(decl) && clang_getCursorKind(decl) == CXCursor_FunctionDecl)
            return cw_clang_callee(body->u, decl);
        struct cw_kids kids = cw_clang_kids(body->u, cursor);
        if (!kids.n)
            return NULL;
        cursor = kids.at[kids.n - 1];
    }
    return NULL;
}

static struct cw_callee *kernel_named(struct cw_body *body, CXCursor cursor) {
    struct cw_callee *c = function_named(body, cursor);
    return c && c->is_kernel ? c : NULL;
}

/* `auto kernel = reduce<256>; kernel<<<…>>>(…)`: the variable's kernel, when it is never assigned another one. */
static struct cw_callee *kernel_of_variable(struct cw_body *body, CXCursor decl) {
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    const char *name = cw_clang_text(body->u, clang_getCursorSpelling(decl));
    cw_str text = cw_clang_source(body->u, body->self->definition);
    size_t n = strlen(name), assignments = 0;
    const char *at = text.at, *end = text.at + text.n;
    if (is_null(init) || !n)
        return NULL;
    while (at < end && (at = memmem(at, (size_t)(end - at), name, n))) {
        for (at += n; at < end && (*at == ' ' || *at == '\t');)
            at++;
        assignments += end - at > 1 && at[0] == '=' && at[1] != '=';
    }
    return assignments <= 1 ? kernel_named(body, init) : NULL;
}

/* ---- kernels by their addresses ---- */

/* The function's type, of a function or of a pointer to it. */
static CXType pointee_type(struct cw_body *body, CXCursor kernel) {
    CXType type = clang_getCanonicalType(cw_clang_cursor_type(body->u, kernel));
    CXType to = clang_getNonReferenceType(type), pointee = clang_getPointeeType(to);
    return pointee.kind == CXType_FunctionProto ? pointee : to;
}

/* The call's arguments from the `from`-th on, as parameters of a function type; of those of class type, the integers
 * and pointers in them. Of any other type nothing is known of the parameters. */
static void convert_arguments(struct cw_body *body, CXCursor cursor, int from, CXType function, struct cw_refs *out) {
    int n = clang_Cursor_getNumArguments(cursor), params = clang_getNumArgTypes(function);
    struct cw_refs members = {0};
    for (int i = from; i < n; i++) {
        CXCursor arg = clang_Cursor_getArgument(cursor, (unsigned)i);
        cw_ref v = cw_clang_operand(body, arg);
        if (i - from >= params)
            continue;
        CXType type = clang_getArgType(function, (unsigned)(i - from));
        if (cw_clang_type(body->u, type)->shape == CW_SHAPE_OBJECT) {
            push_members(body, v, type, &members);
            continue;
        }
        v = cw_clang_convert(body, v, cw_clang_cursor_type(body->u, arg), type);
        cw_vec_push(&body->u->scratch, out, v.tag == CW_REF_NONE ? cw_fn_undef(CW_I32) : v);
    }
    for (uint32_t i = 0; i < members.n; i++)
        cw_vec_push(&body->u->scratch, out, members.at[i]);
}

static void push_address(struct cw_body *body, CXCursor kernel, struct cw_refs *args) {
    cw_ref address = cw_clang_value(body, kernel);
    enum cw_type type = address.tag == CW_REF_NONE ? CW_VOID : cw_ref_type(body->fn, address);
    bool is_address = type == CW_PTR || (type == CW_AGG && body->fn->is_pattern); /* `K kernel` of a template */
    cw_vec_push(&body->u->scratch, args,
                is_address ? address : cw_emit_opaque(body->at, CW_PTR, CW_BAIL_INDIRECT_CALL, NULL, 0));
}

/* `kernel<<<grid, block>>>(…)` where the kernel is a variable or a parameter: which one it is follows where the
 * function is inlined. */
bool cw_clang_launch_variable(struct cw_body *body, CXCursor cursor, CXCursor variable) {
    CXCursor config = cw_clang_configuration(body->u, cursor);
    enum CXCursorKind kind = clang_getCursorKind(variable);
    if (body->fn->kind != CW_FN_HOST || is_null(config))
        return false;
    struct cw_callee *kernel = kind == CXCursor_VarDecl ? kernel_of_variable(body, variable) : NULL;
    if (kernel)
        return cw_clang_launch(body, cursor, kernel);
    CXCursor callee = cw_clang_kids(body->u, cursor).at[0];
    struct cw_refs args = {0};
    push_configuration(body, config, &args);
    convert_arguments(body, cursor, 0, pointee_type(body, callee), &args);
    push_address(body, callee, &args);
    emit_launch(body, NULL, &args, 0);
    return true;
}

/* ---- launches through the runtime's functions ---- */

cw_ref cw_clang_struct_field(struct cw_body *body, cw_ref object, const struct cw_kids *fields, const char *name) {
    for (uint32_t i = 0; i < fields->n; i++) {
        long long bits = clang_Cursor_getOffsetOfField(fields->at[i]);
        if (bits >= 0 && strcmp(cw_clang_text(body->u, clang_getCursorSpelling(fields->at[i])), name) == 0)
            return cw_at_offset(body->at, object, (uint64_t)bits / 8);
    }
    return CW_NONE;
}

static void push_attributes(struct cw_body *body, struct cw_refs *args, cw_ref config, const struct cw_kids *fields) {
    cw_ref attributes = cw_clang_struct_field(body, config, fields, "attrs"), out[CW_LAUNCH_ATTRIBUTES];
    cw_attributes_of_config(body->at, attributes, cw_clang_struct_field(body, config, fields, "numAttrs"), out);
    for (uint32_t i = 0; i < CW_LAUNCH_ATTRIBUTES; i++)
        cw_vec_push(&body->u->scratch, args, out[i]);
}

/* cudaLaunchKernelEx(&config, kernel, arguments…) */
static bool launch_ex(struct cw_body *body, CXCursor cursor) {
    CXCursor config = clang_Cursor_getArgument(cursor, 0), kernel_argument = clang_Cursor_getArgument(cursor, 1);
    struct cw_callee *kernel = kernel_named(body, kernel_argument);
    if (is_null(config) || is_null(kernel_argument))
        return false;
    CXType record = clang_getPointeeType(clang_getCanonicalType(cw_clang_cursor_type(body->u, config)));
    struct cw_kids fields = cw_clang_fields(body->u, record);
    cw_ref at = cw_clang_value(body, config), fixed[FIXED];
    cw_ref grid = cw_clang_struct_field(body, at, &fields, "gridDim");
    cw_ref block = cw_clang_struct_field(body, at, &fields, "blockDim");
    cw_ref bytes = cw_clang_struct_field(body, at, &fields, "dynamicSmemBytes");
    if (grid.tag == CW_REF_NONE || block.tag == CW_REF_NONE || bytes.tag == CW_REF_NONE)
        return false;
    struct cw_refs args = {0};
    cw_load_extents(body->at, grid, fixed);
    cw_load_extents(body->at, block, fixed + 3);
    fixed[6] = cw_emit1(body->at, CW_OP_LOAD, CW_I64, 8, bytes);
    for (uint32_t i = 0; i < FIXED; i++)
        cw_vec_push(&body->u->scratch, &args, fixed[i]);
    convert_arguments(body, cursor, 2, pointee_type(body, kernel_argument), &args);
    push_attributes(body, &args, at, &fields);
    if (!kernel)
        push_address(body, kernel_argument, &args);
    emit_launch(body, kernel, &args, CW_INS_ATTRIBUTES);
    return true;
}

/* cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream): the arguments, behind pointers, stay unknown. */
static bool launch_by_address(struct cw_body *body, CXCursor cursor, bool is_cooperative) {
    struct cw_callee *kernel = kernel_named(body, clang_Cursor_getArgument(cursor, 0));
    cw_ref fixed[FIXED];
    if (is_null(clang_Cursor_getArgument(cursor, 0)))
        return false;
    lower_dimensions(body, clang_Cursor_getArgument(cursor, 1), fixed);
    lower_dimensions(body, clang_Cursor_getArgument(cursor, 2), fixed + 3);
    CXCursor rest = clang_Cursor_getArgument(cursor, 3);
    if (!is_null(rest))
        cw_clang_operand(body, rest);
    fixed[6] = shared_bytes(body, clang_Cursor_getArgument(cursor, 4));
    struct cw_refs args = {0};
    for (uint32_t i = 0; i < FIXED; i++)
        cw_vec_push(&body->u->scratch, &args, fixed[i]);
    if (!kernel)
        push_address(body, clang_Cursor_getArgument(cursor, 0), &args);
    emit_launch(body, kernel, &args, is_cooperative ? CW_INS_COOPERATIVE : 0);
    return true;
}

/* ---- nodes of graphs ---- */

/* The parameters of a kernel node among the call's arguments: a pointer to them, or to the union's struct that has them
 * as `kernel`. */
static cw_ref node_params(struct cw_body *body, CXCursor cursor, struct cw_kids *fields) {
    int n = clang_Cursor_getNumArguments(cursor);
    for (int i = 0; i < n; i++) {
        CXCursor arg = clang_Cursor_getArgument(cursor, (unsigned)i);
        CXType record = clang_getCanonicalType(
            clang_getPointeeType(clang_getCanonicalType(cw_clang_cursor_type(body->u, arg))));
        const char *name = cw_clang_text(body->u, clang_getCursorSpelling(clang_getTypeDeclaration(record)));
        bool is_any = strcmp(name, "cudaGraphNodeParams") == 0;
        if (!is_any && strcmp(name, "cudaKernelNodeParams") != 0)
            continue;
        *fields = cw_clang_fields(body->u, record);
        cw_ref at = cw_clang_value(body, arg);
        cw_ref kernel = is_any ? cw_clang_struct_field(body, at, fields, "kernel") : at;
        for (uint32_t k = 0; is_any && k < fields->n; k++)
            if (strcmp(cw_clang_text(body->u, clang_getCursorSpelling(fields->at[k])), "kernel") == 0) {
                *fields = cw_clang_fields(body->u, clang_getCanonicalType(clang_getCursorType(fields->at[k])));
                break;
            }
        return kernel;
    }
    return CW_NONE;
}

/* cudaGraphAddKernelNode(&node, graph, dependencies, n, &params) and its like: what the graph will launch. */
static bool launch_by_node(struct cw_body *body, CXCursor cursor) {
    struct cw_kids fields;
    struct cw_refs args = {0};
    cw_ref at = node_params(body, cursor, &fields), fixed[FIXED];
    if (at.tag == CW_REF_NONE)
        return false;
    cw_ref grid = cw_clang_struct_field(body, at, &fields, "gridDim");
    cw_ref block = cw_clang_struct_field(body, at, &fields, "blockDim");
    cw_ref bytes = cw_clang_struct_field(body, at, &fields, "sharedMemBytes");
    cw_ref func = cw_clang_struct_field(body, at, &fields, "func");
    if (grid.tag == CW_REF_NONE || block.tag == CW_REF_NONE || bytes.tag == CW_REF_NONE || func.tag == CW_REF_NONE)
        return false;
    cw_load_extents(body->at, grid, fixed);
    cw_load_extents(body->at, block, fixed + 3);
    fixed[6] = cw_convert(body->at, cw_emit1(body->at, CW_OP_LOAD, CW_I32, 4, bytes), (struct cw_kind){CW_I32, false},
                          (struct cw_kind){CW_I64, false});
    for (uint32_t i = 0; i < FIXED; i++)
        cw_vec_push(&body->u->scratch, &args, fixed[i]);
    cw_vec_push(&body->u->scratch, &args, cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, func));
    emit_launch(body, NULL, &args, 0);
    return true;
}

static bool adds_node(const char *name) {
    static const char *const names[] = {"cudaGraphAddKernelNode", "cudaGraphAddNode", "cudaGraphKernelNodeSetParams",
                                        "cudaGraphExecKernelNodeSetParams", "cudaGraphNodeSetParams",
                                        "cudaGraphExecNodeSetParams"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* ---- launches by a helper ---- */

/* `template <class K, class... A> void launch(K kernel, config c, A &&...args)`: what stands behind the kernel is
 * passed on. */
static bool forwards_arguments(struct cw_body *b, const struct cw_callee *callee) {
    cw_str text = cw_clang_source(b->u, callee->definition);
    const char *body = callee->pattern && text.n ? memchr(text.at, '{', text.n) : NULL;
    return body && memmem(text.at, (size_t)(body - text.at), "...", 3);
}

/* A name or a number, which may be evaluated twice. */
static bool is_plain(struct cw_body *body, CXCursor cursor) {
    for (int i = 0; i < 16; i++) {
        enum CXCursorKind k = clang_getCursorKind(cursor);
        struct cw_kids kids = cw_clang_kids(body->u, cursor);
        if (k == CXCursor_DeclRefExpr || k == CXCursor_IntegerLiteral || k == CXCursor_MemberRefExpr)
            return true;
        if ((k != CXCursor_UnexposedExpr && k != CXCursor_ParenExpr) || kids.n != 1)
            return false;
        cursor = kids.at[0];
    }
    return false;
}

/* What a parameter of type t of the called function gets for the helper's argument e; CW_NONE: not known. */
static cw_ref forwarded_value(struct cw_body *body, CXCursor cursor, CXType type) {
    if (cw_clang_type(body->u, type)->shape != CW_SHAPE_SCALAR || !is_plain(body, cursor))
        return CW_NONE;
    return cw_clang_convert(body, cw_clang_value(body, cursor), cw_clang_cursor_type(body->u, cursor), type);
}

/* The function's parameter that an expression names, by its number plus 1; 0: none. */
static uint32_t parameter_named(struct cw_body *body, CXCursor cursor, CXCursor function) {
    int n = clang_Cursor_getNumArguments(function);
    for (int depth = 0; depth < 16 && !is_null(cursor); depth++) {
        CXCursor decl = clang_getCursorReferenced(cursor);
        for (int i = 0; i < n && !is_null(decl) && clang_getCursorKind(decl) == CXCursor_ParmDecl; i++)
            if (clang_equalCursors(decl, clang_Cursor_getArgument(function, (unsigned)i)))
                return (uint32_t)i + 1;
        struct cw_kids kids = cw_clang_kids(body->u, cursor);
        cursor = kids.n == 1 ? kids.at[0] : clang_getNullCursor();
    }
    return 0;
}

/* Where a helper has `kernel<<<grid, block, bytes>>>(…)` with parameters of its own for all of these: their numbers
 * plus 1, bytes 0 when there is no such parameter. */
struct helper_launch {
    struct cw_body *b;
    CXCursor helper;
    uint32_t kernel, grid, block, bytes;
    uint32_t depth;
};

static enum CXChildVisitResult find_helper_launch(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct helper_launch *h = data;
    (void)parent;
    CXCursor config =
        clang_getCursorKind(cursor) == CXCursor_CallExpr ? cw_clang_configuration(h->b->u, cursor)
                                                         : clang_getNullCursor();
    if (!is_null(config)) {
        struct cw_kids kids = cw_clang_kids(h->b->u, cursor);
        h->kernel = parameter_named(h->b, kids.at[0], h->helper);
        h->grid = parameter_named(h->b, clang_Cursor_getArgument(config, 0), h->helper);
        h->block = parameter_named(h->b, clang_Cursor_getArgument(config, 1), h->helper);
        h->bytes = parameter_named(h->b, clang_Cursor_getArgument(config, 2), h->helper);
        if (h->kernel && h->grid && h->block)
            return CXChildVisit_Break;
        h->kernel = 0;
    }
    if (h->depth >= CW_MAX_DEPTH)
        return CXChildVisit_Continue;
    h->depth++;
    clang_visitChildren(cursor, find_helper_launch, h);
    h->depth--;
    return h->kernel ? CXChildVisit_Break : CXChildVisit_Continue;
}

static void unknown_dimensions(struct cw_body *body, cw_ref *fixed) {
    for (uint32_t i = 0; i < FIXED; i++)
        fixed[i] = cw_emit_opaque(body->at, i + 1 < FIXED ? CW_I32 : CW_I64, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
}

/* A dim3 or an integer, and no struct that holds them. */
static bool is_dimension(struct cw_body *body, CXCursor arg) {
    const struct cw_ctype *type = cw_clang_type_of(body->u, arg);
    return type->shape == CW_SHAPE_OBJECT ? type->size == 12 : cw_type_is_int(type->kind.type);
}

/* The dimensions that the helper launches with, when it takes them as parameters; `kernel`: which of its arguments is
 * the kernel. */
static bool forwarded_dimensions(struct cw_body *body, CXCursor cursor, struct cw_callee *helper, uint32_t kernel,
                                 cw_ref *fixed) {
    struct helper_launch h = {.b = body, .helper = helper->definition};
    clang_visitChildren(helper->definition, find_helper_launch, &h);
    unknown_dimensions(body, fixed);
    if (h.kernel != kernel + 1)
        return false;
    CXCursor grid = clang_Cursor_getArgument(cursor, h.grid - 1), block = clang_Cursor_getArgument(cursor, h.block - 1);
    CXCursor bytes = h.bytes ? clang_Cursor_getArgument(cursor, h.bytes - 1) : clang_getNullCursor();
    if (!is_dimension(body, grid) || !is_dimension(body, block))
        return true;
    lower_dimensions(body, grid, fixed);
    lower_dimensions(body, block, fixed + 3);
    if (!is_null(bytes) && is_dimension(body, bytes))
        fixed[6] = shared_bytes(body, bytes);
    return true;
}

/* The kernel's scalar arguments: those of the call from `from` on. */
static void push_forwarded(struct cw_body *body, CXCursor cursor, struct cw_callee *kernel, uint32_t from,
                           struct cw_refs *args) {
    for (uint32_t i = 0; i < kernel->nparam; i++) {
        CXType t = cw_clang_param_type(body->u, kernel, i);
        if (cw_clang_type(body->u, t)->shape == CW_SHAPE_OBJECT)
            continue;
        cw_ref v = forwarded_value(body, clang_Cursor_getArgument(cursor, from + i), t);
        cw_vec_push(&body->u->scratch, args, v.tag == CW_REF_NONE ? cw_fn_undef(CW_I32) : v);
    }
}

/* What a call of a helper says by itself, for where the helper's own launch is not followed: the helper shows where the
 * dimensions stand among its arguments. What the host says of the others is a fact also where nobody sees the shape: a
 * launch of unknown dimensions, which may be a cooperative one. The last arguments are the kernel's. */
static void note_forwarded(struct cw_body *body, CXCursor cursor, struct cw_callee *helper, struct cw_callee *kernel,
                           uint32_t at) {
    struct cw_refs args = {0};
    cw_ref fixed[FIXED];
    uint32_t from = (uint32_t)clang_Cursor_getNumArguments(cursor) - kernel->nparam;
    bool is_known = forwarded_dimensions(body, cursor, helper, at, fixed);
    for (uint32_t i = 0; i < FIXED; i++)
        cw_vec_push(&body->u->scratch, &args, fixed[i]);
    push_forwarded(body, cursor, kernel, from, &args);
    cw_ref unknown[CW_LAUNCH_ATTRIBUTES];
    cw_unknown_attributes(body->at, unknown);
    for (uint32_t i = 0; i < CW_LAUNCH_ATTRIBUTES && !is_known; i++)
        cw_vec_push(&body->u->scratch, &args, unknown[i]);
    emit_launch(body, kernel, &args, is_known ? 0 : CW_INS_ATTRIBUTES);
}

/* `benchmark(repeats, run, out, n)` with a host function `run` that launches: the helper calls run(out, n), so the
 * call is lowered beside the helper's own. */
static void call_forwarded(struct cw_body *body, CXCursor cursor, struct cw_callee *host, uint32_t from) {
    struct cw_refs args = {0};
    for (uint32_t i = 0; i < host->nparam; i++) {
        CXType t = cw_clang_param_type(body->u, host, i);
        const struct cw_ctype *type = cw_clang_type(body->u, t);
        if (type->shape == CW_SHAPE_OBJECT || type->is_reference) {
            cw_vec_push(&body->u->scratch, &args, cw_emit_opaque(body->at, CW_PTR, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0));
            continue;
        }
        cw_ref v = forwarded_value(body, clang_Cursor_getArgument(cursor, from + i), t);
        enum cw_type of = type->shape == CW_SHAPE_SCALAR ? type->kind.type : CW_AGG;
        if (v.tag == CW_REF_NONE)
            v = cw_emit_opaque(body->at, of, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
        cw_vec_push(&body->u->scratch, &args, v);
    }
    cw_clang_emit_call(body, host, &args);
}

/* A function, or a variable that stands for one kernel: `auto &kernel = reduce<256>;`. */
static struct cw_callee *forwarded_function(struct cw_body *body, CXCursor cursor) {
    struct cw_callee *f = function_named(body, cursor);
    for (int i = 0; i < 16 && !f && !is_null(cursor); i++) {
        CXCursor decl = clang_getCursorReferenced(cursor);
        if (!is_null(decl) && clang_getCursorKind(decl) == CXCursor_VarDecl)
            return kernel_of_variable(body, decl);
        struct cw_kids kids = cw_clang_kids(body->u, cursor);
        cursor = kids.n == 1 ? kids.at[0] : clang_getNullCursor();
    }
    return f;
}

static void launch_by_helper(struct cw_body *body, CXCursor cursor, struct cw_callee *callee) {
    int n = clang_Cursor_getNumArguments(cursor);
    if (n < 2 || !forwards_arguments(body, callee))
        return;
    for (int i = 0; i < n; i++) {
        struct cw_callee *f = forwarded_function(body, clang_Cursor_getArgument(cursor, (unsigned)i));
        uint32_t behind = (uint32_t)(n - i - 1);
        if (!f || f->is_method || f->nparam == 0 || behind < f->nparam)
            continue;
        if (f->is_kernel)
            note_forwarded(body, cursor, callee, f, (uint32_t)i);
        else if (behind == f->nparam && cw_clang_launches(body->u, f) &&
                 cw_clang_type(body->u, f->result)->shape != CW_SHAPE_OBJECT)
            call_forwarded(body, cursor, f, (uint32_t)i + 1);
        else
            continue;
        return;
    }
}

/* A helper of a framework whose header is missing, by its name and the order of arguments that all of them have:
 * kernel, grid, block, perhaps shared bytes and stream, then the kernel's own. */
static bool launch_by_unknown_helper(struct cw_body *body, CXCursor cursor, struct cw_callee *callee) {
    enum { WITHOUT_STREAM = 3, WITH_STREAM = 5 };
    int n = clang_Cursor_getNumArguments(cursor);
    bool is_candidate = callee->kind == CW_CALLEE_UNKNOWN && n > WITHOUT_STREAM && cw_names_launcher(callee->name);
    struct cw_callee *kernel = is_candidate ? forwarded_function(body, clang_Cursor_getArgument(cursor, 0)) : NULL;
    if (!kernel || !kernel->is_kernel || kernel->nparam > (uint32_t)n)
        return false;
    uint32_t first = (uint32_t)n - kernel->nparam;
    CXCursor grid = clang_Cursor_getArgument(cursor, 1), block = clang_Cursor_getArgument(cursor, 2);
    if ((first != WITHOUT_STREAM && first != WITH_STREAM) || !is_dimension(body, grid) || !is_dimension(body, block))
        return false;
    struct cw_refs args = {0};
    cw_ref fixed[FIXED];
    lower_dimensions(body, grid, fixed);
    lower_dimensions(body, block, fixed + 3);
    fixed[6] = shared_bytes(body, first == WITH_STREAM ? clang_Cursor_getArgument(cursor, 3) : clang_getNullCursor());
    for (uint32_t i = 0; i < FIXED; i++)
        cw_vec_push(&body->u->scratch, &args, fixed[i]);
    push_forwarded(body, cursor, kernel, first, &args);
    emit_launch(body, kernel, &args, 0);
    return true;
}

/* False: the call is to be lowered as any other. */
bool cw_clang_runtime_launch(struct cw_body *body, CXCursor cursor, struct cw_callee *callee) {
    if (body->fn->kind == CW_FN_HOST && callee->pattern)
        launch_by_helper(body, cursor, callee);
    if (body->fn->kind == CW_FN_HOST && launch_by_unknown_helper(body, cursor, callee))
        return true;
    if (body->fn->kind == CW_FN_HOST && adds_node(callee->name))
        return launch_by_node(body, cursor);
    if (body->fn->kind == CW_FN_HOST && cw_clang_driver_launch(body, cursor, callee->name))
        return true;
    if (body->fn->kind != CW_FN_HOST || strncmp(callee->name, "cudaLaunch", 10) != 0)
        return false;
    if (strcmp(callee->name, "cudaLaunchKernelEx") == 0)
        return launch_ex(body, cursor);
    if (strcmp(callee->name, "cudaLaunchKernel") == 0)
        return launch_by_address(body, cursor, false);
    return strcmp(callee->name, "cudaLaunchCooperativeKernel") == 0 && launch_by_address(body, cursor, true);
}
