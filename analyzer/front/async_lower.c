/* See async_lower.h. */
#include "front/async_lower.h"

#include <string.h>

/* Of libcu++ and of the shim: a pipeline of this scope is the thread's own. */
enum { SCOPE_THREAD = 10 };

struct lowering {
    struct cw_at *at;
    const struct cw_intrinsic_call *call;
    const struct cw_intrinsic *row;
};

static cw_ref emit_async(const struct lowering *lowering, enum cw_op op, enum cw_type type, uint32_t aux,
                         const cw_ref *args, uint32_t n) {
    cw_ref r = cw_fn_emit(lowering->at->fn, lowering->at->block, op, type, aux, args, n, lowering->at->loc);
    lowering->at->fn->ins.at[lowering->at->fn->ins.n - 1].intrinsic = cw_intrinsic_id(lowering->row);
    return r;
}

static cw_ref int32_ref(const struct lowering *lowering, int32_t value) {
    return cw_fn_const(lowering->at->fn, CW_I32, value);
}

/* ---- arguments ---- */

static const struct cw_intrinsic_arg *find_operand(const struct lowering *lowering, char role) {
    for (uint32_t i = 0; i < lowering->call->nargs; i++)
        if (cw_intrinsic_role(lowering->row, i) == role && lowering->call->args[i].value.tag != CW_REF_NONE &&
            cw_ref_type(lowering->at->fn, lowering->call->args[i].value) != CW_VOID)
            return &lowering->call->args[i];
    return NULL;
}

static cw_ref as_pointer(const struct lowering *lowering, const struct cw_intrinsic_arg *arg) {
    if (arg && arg->kind.type == CW_PTR)
        return arg->value;
    if (arg && cw_type_is_int(arg->kind.type))
        return cw_convert(*lowering->at, arg->value, arg->kind, (struct cw_kind){CW_PTR, false});
    return cw_emit_opaque(*lowering->at, CW_PTR, CW_BAIL_BROKEN_CODE, arg ? &arg->value : NULL, arg ? 1 : 0);
}

static cw_ref as_integer(const struct lowering *lowering, const struct cw_intrinsic_arg *arg, enum cw_type type) {
    if (arg && cw_type_is_int(arg->kind.type))
        return cw_convert(*lowering->at, arg->value, arg->kind, (struct cw_kind){type, arg->kind.is_signed});
    return cw_emit_opaque(*lowering->at, type, CW_BAIL_UNKNOWN_TYPE, arg ? &arg->value : NULL, arg ? 1 : 0);
}

/* ---- copies ---- */

/* Bytes, or elements where the destination and the source have a count each. */
static cw_ref copied_bytes(const struct lowering *lowering) {
    const struct cw_intrinsic_arg *first = NULL, *second = NULL, *to = find_operand(lowering, 'p');
    for (uint32_t i = 0; i < lowering->call->nargs; i++)
        if (cw_intrinsic_role(lowering->row, i) == 'n' || (lowering->row->aux == CW_ASYNC_COMMITTED_COPY && i >= 3))
            *(first ? &second : &first) = &lowering->call->args[i];
    if (lowering->row->aux != CW_ASYNC_COMMITTED_COPY || !second)
        return as_integer(lowering, first, CW_I64);
    cw_ref counts[] = {as_integer(lowering, &lowering->call->args[2], CW_I64), as_integer(lowering, second, CW_I64)};
    if (!to || !to->pointee)
        return cw_emit_opaque(*lowering->at, CW_I64, CW_BAIL_UNKNOWN_TYPE, counts, 2);
    cw_ref least = cw_emit2(*lowering->at, CW_OP_UMIN, CW_I64, 0, counts[0], counts[1]);
    return cw_emit2(*lowering->at, CW_OP_MUL, CW_I64, 0, least, cw_fn_const(lowering->at->fn, CW_I64, to->pointee));
}

static const struct cw_intrinsic_arg *source_of(const struct lowering *lowering) {
    bool has_counts = lowering->row->aux == CW_ASYNC_COMMITTED_COPY && lowering->call->nargs > 4;
    return has_counts ? &lowering->call->args[3] : find_operand(lowering, 'q');
}

static cw_ref of_first_thread(const struct lowering *lowering, cw_ref bytes) {
    const struct cw_intrinsic_arg *g = find_operand(lowering, 'g');
    if (!g || g->kind.type != CW_GROUP)
        return bytes;
    cw_ref rank = emit_async(lowering, CW_OP_GROUPRANK, CW_I32, 0, &g->value, 1);
    cw_ref is_first = cw_emit2(*lowering->at, CW_OP_EQ, CW_I1, 0, rank, int32_ref(lowering, 0));
    cw_ref args[] = {is_first, bytes, cw_fn_const(lowering->at->fn, CW_I64, 0)};
    return emit_async(lowering, CW_OP_SELECT, CW_I64, 0, args, 3);
}

static bool is_own_pipeline(const struct cw_intrinsic_arg *arg) {
    return arg->class_name && strstr(arg->class_name, "pipeline") && arg->class_n == SCOPE_THREAD;
}

/* By the class of the object, or by that of the argument where the function's own template does not say the scope. */
static bool concerns_own_pipeline(const struct lowering *lowering) {
    const struct cw_intrinsic_arg *arg = find_operand(lowering, 'p');
    arg = arg ? arg : find_operand(lowering, 'r');
    return lowering->call->scope == SCOPE_THREAD || (lowering->call->scope < 0 && arg && is_own_pipeline(arg));
}

static void lower_copy(const struct lowering *lowering) {
    const struct cw_intrinsic_arg *signal = find_operand(lowering, 'r');
    if (signal && is_own_pipeline(signal))
        signal = NULL;
    cw_ref args[] = {as_pointer(lowering, find_operand(lowering, 'p')), as_pointer(lowering, source_of(lowering)),
                     of_first_thread(lowering, copied_bytes(lowering)),
                     signal ? as_pointer(lowering, signal) : CW_NONE};
    emit_async(lowering, CW_OP_ASYNCCOPY, CW_VOID, signal ? CW_COPY_BARRIER : CW_COPY_GROUP, args, signal ? 4 : 3);
    if (lowering->row->aux == CW_ASYNC_COMMITTED_COPY)
        emit_async(lowering, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0);
}

/* ---- barriers in memory ---- */

static cw_ref object_of(const struct lowering *lowering) {
    const struct cw_intrinsic_arg *a = find_operand(lowering, 'p');
    return as_pointer(lowering, a ? a : find_operand(lowering, 'r'));
}

static cw_ref lower_arrive(const struct lowering *lowering, enum cw_mbar_arrive how) {
    const struct cw_intrinsic_arg *count = find_operand(lowering, 'n'), *bytes = find_operand(lowering, 'x');
    cw_ref args[] = {object_of(lowering), count ? as_integer(lowering, count, CW_I32) : int32_ref(lowering, 1),
                     CW_NONE};
    if (bytes)
        args[2] = as_integer(lowering, bytes, CW_I32);
    return emit_async(lowering, CW_OP_MBARARRIVE, CW_I64, how, args, bytes ? 3 : 2);
}

/* The run that is looked at is one in which the wait succeeds. */
static cw_ref lower_wait(const struct lowering *lowering, enum cw_mbar_wait what) {
    const struct cw_intrinsic_arg *parity = what == CW_MBAR_PARITY ? find_operand(lowering, 'v') : NULL;
    cw_ref args[] = {object_of(lowering), CW_NONE};
    if (what == CW_MBAR_PARITY)
        args[1] = as_integer(lowering, parity, CW_I32);
    emit_async(lowering, CW_OP_MBARWAIT, CW_VOID, what, args, what == CW_MBAR_PARITY ? 2 : 1);
    return cw_fn_const(lowering->at->fn, CW_I1, 1);
}

/* ---- pipelines: a barrier for stages that are filled, at the object, and one for stages that are free, behind it
 * ---- */

static cw_ref free_stages(const struct lowering *lowering) {
    cw_ref args[] = {object_of(lowering), cw_fn_const(lowering->at->fn, CW_I64, 1)};
    return emit_async(lowering, CW_OP_PTRADD, CW_PTR, 0, args, 2);
}

static void lower_own_pipeline(const struct lowering *lowering) {
    const struct cw_intrinsic_arg *n = find_operand(lowering, 'n');
    cw_ref pending = n                              ? as_integer(lowering, n, CW_I32)
                     : lowering->call->template_n >= 0 ? int32_ref(lowering, (int32_t)lowering->call->template_n)
                                                    : int32_ref(lowering, 0);
    cw_ref none = int32_ref(lowering, 0);
    switch ((enum cw_async)lowering->row->aux) {
    case CW_ASYNC_COMMIT: emit_async(lowering, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0); return;
    case CW_ASYNC_CONSUME: emit_async(lowering, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_OLDEST, &none, 1); return;
    case CW_ASYNC_WAIT_PRIOR: emit_async(lowering, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_GROUPS, &pending, 1); return;
    default: return;
    }
}

static void lower_shared_pipeline(const struct lowering *lowering) {
    cw_ref at = lowering->row->aux == CW_ASYNC_ACQUIRE || lowering->row->aux == CW_ASYNC_RELEASE ? free_stages(lowering)
                                                                                                 : object_of(lowering);
    switch ((enum cw_async)lowering->row->aux) {
    case CW_ASYNC_COMMIT:
    case CW_ASYNC_RELEASE: emit_async(lowering, CW_OP_MBARARRIVE, CW_I64, CW_MBAR_ARRIVE_STAGE, &at, 1); return;
    case CW_ASYNC_ACQUIRE: emit_async(lowering, CW_OP_MBARWAIT, CW_VOID, CW_MBAR_BEFORE, &at, 1); return;
    default: emit_async(lowering, CW_OP_MBARWAIT, CW_VOID, CW_MBAR_NEXT, &at, 1); return;
    }
}

cw_ref cw_async_lower(struct cw_at *at, const struct cw_intrinsic_call *call, const struct cw_intrinsic *row) {
    struct lowering l = {at, call, row};
    switch ((enum cw_async)row->aux) {
    case CW_ASYNC_COPY:
    case CW_ASYNC_COMMITTED_COPY: lower_copy(&l); return CW_NONE;
    case CW_ASYNC_ARRIVE: return lower_arrive(&l, find_operand(&l, 'x') ? CW_MBAR_ARRIVE_TX : CW_MBAR_ARRIVE);
    case CW_ASYNC_EXPECT: lower_arrive(&l, CW_MBAR_EXPECT); return CW_NONE;
    case CW_ASYNC_BIND: lower_arrive(&l, CW_MBAR_BIND); return CW_NONE;
    case CW_ASYNC_ARRIVE_WAIT: lower_arrive(&l, CW_MBAR_ARRIVE); return lower_wait(&l, CW_MBAR_OWN);
    case CW_ASYNC_WAIT: return lower_wait(&l, CW_MBAR_OWN);
    case CW_ASYNC_WAIT_PARITY: return lower_wait(&l, CW_MBAR_PARITY);
    case CW_ASYNC_ACQUIRE:
    case CW_ASYNC_COMMIT:
    case CW_ASYNC_CONSUME:
    case CW_ASYNC_RELEASE:
    case CW_ASYNC_WAIT_PRIOR:
        if (concerns_own_pipeline(&l))
            lower_own_pipeline(&l);
        else
            lower_shared_pipeline(&l);
        return cw_fn_const(at->fn, CW_I1, 1);
    }
    return CW_NONE;
}
