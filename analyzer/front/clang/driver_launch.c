/* Launches by the driver's interface: `cuLaunchKernel(function, grid x, y, z, block x, y, z, bytes, stream, …)`. The
 * kernel is found by its name when the program runs: cuModuleGetFunction(&function, module, "name"). The function is
 * then CW_KERNEL_BY_NAME of the name's address, which is a string's object where the source writes the name. */
#include "front/clang/lower.h"
#include "front/launch_lower.h"

#include <string.h>

enum { AXES = 6, FIXED = 7 };

static bool is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static CXCursor argument(CXCursor cursor, uint32_t number) {
    return clang_Cursor_getArgument(cursor, number);
}

static bool has_arguments(CXCursor cursor, int n) {
    return clang_Cursor_getNumArguments(cursor) >= n;
}

static cw_ref pointer_value(struct cw_body *body, CXCursor cursor) {
    cw_ref value = cw_clang_operand(body, cursor);
    bool is_pointer = value.tag != CW_REF_NONE && cw_ref_type(body->fn, value) == CW_PTR;
    return is_pointer ? value : cw_emit_opaque(body->at, CW_PTR, CW_BAIL_INDIRECT_CALL, NULL, 0);
}

static cw_ref integer_value(struct cw_body *body, CXCursor cursor, enum cw_type type) {
    cw_ref value = cw_clang_value(body, cursor);
    if (value.tag == CW_REF_NONE || !cw_type_is_int(cw_ref_type(body->fn, value)))
        return cw_emit_opaque(body->at, type, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    return cw_convert(body->at, value, cw_clang_type_of(body->u, cursor)->kind, (struct cw_kind){type, false});
}

static void emit_launch(struct cw_body *body, const cw_ref *fixed, cw_ref function, unsigned flags) {
    struct cw_refs args = {0};
    for (uint32_t i = 0; i < FIXED; i++)
        cw_vec_push(&body->u->scratch, &args, fixed[i]);
    cw_vec_push(&body->u->scratch, &args, function);
    const char *key = cw_intern(&body->u->module->names, CW_LAUNCH_BY_POINTER);
    cw_emit_launch(body->at, key, args.at, args.n, flags);
}

/* The kernel's arguments stand behind pointers: they stay unknown. */
static bool launch_kernel(struct cw_body *body, CXCursor cursor, bool is_cooperative) {
    cw_ref fixed[FIXED];
    if (!has_arguments(cursor, FIXED + 1))
        return false;
    cw_ref function = pointer_value(body, argument(cursor, 0));
    for (uint32_t i = 0; i < FIXED; i++)
        fixed[i] = integer_value(body, argument(cursor, i + 1), i < AXES ? CW_I32 : CW_I64);
    for (int i = FIXED + 1; i < clang_Cursor_getNumArguments(cursor); i++)
        cw_clang_operand(body, argument(cursor, (uint32_t)i));
    emit_launch(body, fixed, function, is_cooperative ? CW_INS_COOPERATIVE : 0);
    return true;
}

/* cuLaunchKernelEx(&config, function, arguments, extra) */
static bool launch_by_config(struct cw_body *body, CXCursor cursor) {
    static const char *const names[FIXED] = {"gridDimX",  "gridDimY",  "gridDimZ",      "blockDimX",
                                             "blockDimY", "blockDimZ", "sharedMemBytes"};
    cw_ref fixed[FIXED];
    if (!has_arguments(cursor, 2))
        return false;
    CXType pointer = clang_getCanonicalType(cw_clang_cursor_type(body->u, argument(cursor, 0)));
    struct cw_kids fields = cw_clang_fields(body->u, clang_getPointeeType(pointer));
    cw_ref config = pointer_value(body, argument(cursor, 0));
    for (uint32_t i = 0; i < FIXED; i++) {
        cw_ref at = cw_clang_struct_field(body, config, &fields, names[i]);
        if (at.tag == CW_REF_NONE)
            return false;
        fixed[i] = cw_emit1(body->at, CW_OP_LOAD, CW_I32, 4, at);
    }
    fixed[AXES] = cw_convert(body->at, fixed[AXES], (struct cw_kind){CW_I32, false}, (struct cw_kind){CW_I64, false});
    emit_launch(body, fixed, pointer_value(body, argument(cursor, 1)), 0);
    return true;
}

/* A call that writes what belongs to a name through its argument `to`. */
static bool copy_name(struct cw_body *body, CXCursor cursor, uint32_t name, uint32_t to, bool is_kernel) {
    if (!has_arguments(cursor, 3))
        return false;
    cw_ref at = pointer_value(body, argument(cursor, to)), value = pointer_value(body, argument(cursor, name));
    if (is_kernel)
        value = cw_emit_pure(body->at, CW_PTR, CW_KERNEL_BY_NAME, &value, 1);
    cw_emit2(body->at, CW_OP_STORE, CW_VOID, 8, value, at);
    return true;
}

bool cw_clang_driver_launch(struct cw_body *body, CXCursor cursor, const char *name) {
    static const char *const by_name[] = {"cuModuleGetFunction", "cuLibraryGetKernel"};
    if (strcmp(name, "cuLaunchKernel") == 0)
        return launch_kernel(body, cursor, false);
    if (strcmp(name, "cuLaunchCooperativeKernel") == 0)
        return launch_kernel(body, cursor, true);
    if (strcmp(name, "cuLaunchKernelEx") == 0)
        return launch_by_config(body, cursor);
    if (is_one_of(name, by_name, sizeof by_name / sizeof *by_name))
        return copy_name(body, cursor, 2, 0, true);
    if (strcmp(name, "nvrtcGetLoweredName") == 0)
        return copy_name(body, cursor, 1, 2, false);
    if (strcmp(name, "cuKernelGetFunction") == 0 && has_arguments(cursor, 2)) {
        cw_ref at = pointer_value(body, argument(cursor, 0));
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 8, pointer_value(body, argument(cursor, 1)), at);
        return true;
    }
    return false;
}
