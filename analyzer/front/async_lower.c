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

static cw_ref emit(const struct lowering *l, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                   uint32_t n) {
    cw_ref r = cw_fn_emit(l->at->fn, l->at->block, op, type, aux, args, n, l->at->loc);
    l->at->fn->ins.at[l->at->fn->ins.n - 1].intrinsic = cw_intrinsic_id(l->row);
    return r;
}

static cw_ref int32(const struct lowering *l, int32_t value) {
    return cw_fn_const(l->at->fn, CW_I32, value);
}

/* ---- arguments ---- */

static const struct cw_intrinsic_arg *find(const struct lowering *l, char role) {
    for (uint32_t i = 0; i < l->call->nargs; i++)
        if (cw_intrinsic_role(l->row, i) == role && l->call->args[i].value.tag != CW_REF_NONE &&
            cw_ref_type(l->at->fn, l->call->args[i].value) != CW_VOID)
            return &l->call->args[i];
    return NULL;
}

static cw_ref as_pointer(const struct lowering *l, const struct cw_intrinsic_arg *a) {
    if (a && a->kind.type == CW_PTR)
        return a->value;
    if (a && cw_type_is_int(a->kind.type))
        return cw_convert(*l->at, a->value, a->kind, (struct cw_kind){CW_PTR, false});
    return cw_emit_opaque(*l->at, CW_PTR, CW_BAIL_BROKEN_CODE, a ? &a->value : NULL, a ? 1 : 0);
}

static cw_ref as_integer(const struct lowering *l, const struct cw_intrinsic_arg *a, enum cw_type type) {
    if (a && cw_type_is_int(a->kind.type))
        return cw_convert(*l->at, a->value, a->kind, (struct cw_kind){type, a->kind.is_signed});
    return cw_emit_opaque(*l->at, type, CW_BAIL_UNKNOWN_TYPE, a ? &a->value : NULL, a ? 1 : 0);
}

/* ---- copies ---- */

/* Bytes, or elements where the destination and the source have a count each. */
static cw_ref copied_bytes(const struct lowering *l) {
    const struct cw_intrinsic_arg *first = NULL, *second = NULL, *to = find(l, 'p');
    for (uint32_t i = 0; i < l->call->nargs; i++)
        if (cw_intrinsic_role(l->row, i) == 'n' || (l->row->aux == CW_ASYNC_COMMITTED_COPY && i >= 3))
            *(first ? &second : &first) = &l->call->args[i];
    if (l->row->aux != CW_ASYNC_COMMITTED_COPY || !second)
        return as_integer(l, first, CW_I64);
    cw_ref counts[] = {as_integer(l, &l->call->args[2], CW_I64), as_integer(l, second, CW_I64)};
    if (!to || !to->pointee)
        return cw_emit_opaque(*l->at, CW_I64, CW_BAIL_UNKNOWN_TYPE, counts, 2);
    cw_ref least = cw_emit2(*l->at, CW_OP_UMIN, CW_I64, 0, counts[0], counts[1]);
    return cw_emit2(*l->at, CW_OP_MUL, CW_I64, 0, least, cw_fn_const(l->at->fn, CW_I64, to->pointee));
}

static const struct cw_intrinsic_arg *source_of(const struct lowering *l) {
    bool has_counts = l->row->aux == CW_ASYNC_COMMITTED_COPY && l->call->nargs > 4;
    return has_counts ? &l->call->args[3] : find(l, 'q');
}

static cw_ref of_first_thread(const struct lowering *l, cw_ref bytes) {
    const struct cw_intrinsic_arg *g = find(l, 'g');
    if (!g || g->kind.type != CW_GROUP)
        return bytes;
    cw_ref rank = emit(l, CW_OP_GROUPRANK, CW_I32, 0, &g->value, 1);
    cw_ref is_first = cw_emit2(*l->at, CW_OP_EQ, CW_I1, 0, rank, int32(l, 0));
    cw_ref args[] = {is_first, bytes, cw_fn_const(l->at->fn, CW_I64, 0)};
    return emit(l, CW_OP_SELECT, CW_I64, 0, args, 3);
}

static bool is_own_pipeline(const struct cw_intrinsic_arg *a) {
    return a->class_name && strstr(a->class_name, "pipeline") && a->class_n == SCOPE_THREAD;
}

static void lower_copy(const struct lowering *l) {
    const struct cw_intrinsic_arg *signal = find(l, 'r');
    if (signal && is_own_pipeline(signal))
        signal = NULL;
    cw_ref args[] = {as_pointer(l, find(l, 'p')), as_pointer(l, source_of(l)), of_first_thread(l, copied_bytes(l)),
                     signal ? as_pointer(l, signal) : CW_NONE};
    emit(l, CW_OP_ASYNCCOPY, CW_VOID, signal ? CW_COPY_BARRIER : CW_COPY_GROUP, args, signal ? 4 : 3);
    if (l->row->aux == CW_ASYNC_COMMITTED_COPY)
        emit(l, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0);
}

/* ---- barriers in memory ---- */

static cw_ref object_of(const struct lowering *l) {
    const struct cw_intrinsic_arg *a = find(l, 'p');
    return as_pointer(l, a ? a : find(l, 'r'));
}

static cw_ref arrive(const struct lowering *l, enum cw_mbar_arrive how) {
    const struct cw_intrinsic_arg *count = find(l, 'n'), *bytes = find(l, 'x');
    cw_ref args[] = {object_of(l), count ? as_integer(l, count, CW_I32) : int32(l, 1), CW_NONE};
    if (bytes)
        args[2] = as_integer(l, bytes, CW_I32);
    return emit(l, CW_OP_MBARARRIVE, CW_I64, how, args, bytes ? 3 : 2);
}

/* The run that is looked at is one in which the wait succeeds. */
static cw_ref wait(const struct lowering *l, enum cw_mbar_wait what) {
    const struct cw_intrinsic_arg *parity = what == CW_MBAR_PARITY ? find(l, 'v') : NULL;
    cw_ref args[] = {object_of(l), CW_NONE};
    if (what == CW_MBAR_PARITY)
        args[1] = as_integer(l, parity, CW_I32);
    emit(l, CW_OP_MBARWAIT, CW_VOID, what, args, what == CW_MBAR_PARITY ? 2 : 1);
    return cw_fn_const(l->at->fn, CW_I1, 1);
}

/* ---- pipelines: a barrier for stages that are filled, at the object, and one for stages that are free, behind it
 * ---- */

static cw_ref free_stages(const struct lowering *l) {
    cw_ref args[] = {object_of(l), cw_fn_const(l->at->fn, CW_I64, 1)};
    return emit(l, CW_OP_PTRADD, CW_PTR, 0, args, 2);
}

static void lower_own_pipeline(const struct lowering *l) {
    const struct cw_intrinsic_arg *n = find(l, 'n');
    cw_ref pending = n                              ? as_integer(l, n, CW_I32)
                     : l->call->template_n >= 0 ? int32(l, (int32_t)l->call->template_n)
                                                    : int32(l, 0);
    cw_ref none = int32(l, 0);
    switch ((enum cw_async)l->row->aux) {
    case CW_ASYNC_COMMIT: emit(l, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0); return;
    case CW_ASYNC_CONSUME: emit(l, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_OLDEST, &none, 1); return;
    case CW_ASYNC_WAIT_PRIOR: emit(l, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_GROUPS, &pending, 1); return;
    default: return;
    }
}

static void lower_shared_pipeline(const struct lowering *l) {
    cw_ref at = l->row->aux == CW_ASYNC_ACQUIRE || l->row->aux == CW_ASYNC_RELEASE ? free_stages(l) : object_of(l);
    switch ((enum cw_async)l->row->aux) {
    case CW_ASYNC_COMMIT:
    case CW_ASYNC_RELEASE: emit(l, CW_OP_MBARARRIVE, CW_I64, CW_MBAR_ARRIVE_STAGE, &at, 1); return;
    case CW_ASYNC_ACQUIRE: emit(l, CW_OP_MBARWAIT, CW_VOID, CW_MBAR_BEFORE, &at, 1); return;
    default: emit(l, CW_OP_MBARWAIT, CW_VOID, CW_MBAR_NEXT, &at, 1); return;
    }
}

cw_ref cw_async_lower(struct cw_at *at, const struct cw_intrinsic_call *call, const struct cw_intrinsic *row) {
    struct lowering l = {at, call, row};
    switch ((enum cw_async)row->aux) {
    case CW_ASYNC_COPY:
    case CW_ASYNC_COMMITTED_COPY: lower_copy(&l); return CW_NONE;
    case CW_ASYNC_ARRIVE: return arrive(&l, find(&l, 'x') ? CW_MBAR_ARRIVE_TX : CW_MBAR_ARRIVE);
    case CW_ASYNC_EXPECT: arrive(&l, CW_MBAR_EXPECT); return CW_NONE;
    case CW_ASYNC_BIND: arrive(&l, CW_MBAR_BIND); return CW_NONE;
    case CW_ASYNC_ARRIVE_WAIT: arrive(&l, CW_MBAR_ARRIVE); return wait(&l, CW_MBAR_OWN);
    case CW_ASYNC_WAIT: return wait(&l, CW_MBAR_OWN);
    case CW_ASYNC_WAIT_PARITY: return wait(&l, CW_MBAR_PARITY);
    case CW_ASYNC_ACQUIRE:
    case CW_ASYNC_COMMIT:
    case CW_ASYNC_CONSUME:
    case CW_ASYNC_RELEASE:
    case CW_ASYNC_WAIT_PRIOR:
        if (call->scope == SCOPE_THREAD)
            lower_own_pipeline(&l);
        else
            lower_shared_pipeline(&l);
        return cw_fn_const(at->fn, CW_I1, 1);
    }
    return CW_NONE;
}
