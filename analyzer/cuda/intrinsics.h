/* The device API as data: one row per function, made from intrinsics.def. */
#ifndef CW_CUDA_INTRINSICS_H
#define CW_CUDA_INTRINSICS_H

#include "ir/ir.h"

/* What an argument means; one letter per parameter in a row's `roles`:
 *   m mask   v value   l lane, delta or lane mask   w width   c predicate   p pointer   q second pointer (source)
 *   i barrier id   n count or size   g group (or `this` of a group method)   x other operand, kept   - ignored
 *   o pointer or reference through which a further result is written (an unknown value as far as lanes go)
 *   r like p, but the argument itself is the object: its address   f function object that says which operation, see
 * cw_intrinsic_redux A parameter that the caller may leave out is followed by '?'. Arguments beyond the roles are
 * ignored ones; the roles "*" mean that every argument is an x. Ignored arguments are still evaluated. The operand
 * order of the IR op is that of ops.def: operand 0 of a warp collective is the argument with role m or g, else undef
 * (LEGACY).
 *
 * How a call becomes IR, by op:
 *   HOLE    nothing happens (printf, __nanosleep, prefetches); a result, if used, is OPAQUE
 *   COPY    the operand v; with SREG the register aux; with SREG3 a dim3 of the registers aux, aux + 1, aux + 2
 *   PURE    aux is the interned name; roles o get an unknown value stored
 *   OPAQUE  unknown, no effect on memory         OPCALL  unknown, with effects through its pointers
 *   others  the op with aux as it stands here (for MEMCOPY and MEMSET: the byte count, argument n, when constant) */
enum cw_order { CW_ORDER_NONE, CW_ORDER_WARP /* named lanes */, CW_ORDER_BLOCK, CW_ORDER_CLUSTER, CW_ORDER_GRID,
                CW_ORDER_SELF /* own accesses only: fences */ };

/* What a row with CW_INTR_ASYNC does. Roles: g group, p destination or barrier, q source, n bytes or arrivals, r the
 * barrier or pipeline that learns of it, v parity, x bytes that are expected. */
enum cw_async {
    CW_ASYNC_COPY,           /* with r: completes with its phase; else with the thread's groups */
    CW_ASYNC_COMMITTED_COPY, /* a group of its own; five arguments: counts of elements of destination and source */
    CW_ASYNC_ARRIVE,
    CW_ASYNC_EXPECT,
    CW_ASYNC_BIND,           /* the thread's earlier copies complete with the barrier's phase */
    CW_ASYNC_ARRIVE_WAIT,
    CW_ASYNC_WAIT,
    CW_ASYNC_WAIT_PARITY,
    CW_ASYNC_ACQUIRE, CW_ASYNC_COMMIT, CW_ASYNC_CONSUME, CW_ASYNC_RELEASE, CW_ASYNC_WAIT_PRIOR /* of a pipeline */
};

enum cw_intrinsic_flag {
    CW_INTR_LEGACY = 1, /* removed from sm_70 on */
    CW_INTR_METHOD = 2, /* C++ method: argument 0 is `this`; a static one has no such argument */
    CW_INTR_VOLATILE = 4,
    CW_INTR_READONLY = 8,    /* __ldg */
    CW_INTR_HOST = 16,       /* host runtime: only needs to parse */
    CW_INTR_BY_SIGN = 32,    /* SMIN, SMAX, ABS as written; the U form for unsigned, PURE for floating result types */
    CW_INTR_NORETURN = 64,   /* the thread traps here: ends the block with a TRAP jump */
    CW_INTR_RETURNS_P = 128, /* the result is the argument with role p */
    CW_INTR_BODY = 256,   /* the shim has a body that means the same and says more: lower that one instead of the row */
    CW_INTR_SREG = 512,   /* aux: enum cw_sreg */
    CW_INTR_SREG3 = 1024, /* aux: the first of three, as a dim3 */
    CW_INTR_ANY_GROUP = 2048, /* the static type does not tell the kind of group: the maker of operand 0 does */
    CW_INTR_FORWARD =
        4096, /* free function: look up "<class of argument 0>::<replacement>" and take that row if there is */
    CW_INTR_TEMPLATE_N = 8192,      /* a missing argument n is the first template argument of the call */
    CW_INTR_TILE_SIZE = 16384,      /* a constant: the first template argument of the class, when that is known */
    CW_INTR_AFTER_COPIES = 1 << 15, /* emits ASYNCWAIT first; of TEMPLATE_N where that is set, else 0 */
    CW_INTR_PER_BLOCK = 1 << 16,    /* PURE, but of the block: add blockIdx to the operands */
    CW_INTR_ASYNC = 1 << 18,        /* aux: enum cw_async; see front/async_lower.h */
    CW_INTR_BY_COUNT = 1 << 19,     /* a call with fewer arguments than roles means the row named `replacement` */
    /* An atomic of libcu++: the argument x is scope and order, see CW_INS_HOW; or n is a std::memory_order, and the
     * class of an argument tells the scope. Argument q of a compare-and-swap: where the expected value is, and the old
     * one goes. */
    CW_INTR_HOW = 1 << 20,
    CW_INTR_C = 1 << 17,            /* extern "C", also callable from the host */
};

struct cw_intrinsic {
    const char *name;       /* qualified: "__shfl_sync", "cooperative_groups::tiled_partition" */
    enum cw_op op;
    uint32_t aux;
    const char *roles;
    uint16_t min_arch, max_arch; /* 70 = sm_70; max 0: still there */
    enum cw_order order;
    enum cw_scope scope;    /* who takes part together; CW_SCOPE_THREAD: nobody else */
    unsigned flags;
    const char *replacement; /* legacy: what took over; FORWARD: the method's name; BY_COUNT: a row; else NULL */
    const char *result, *params, *types; /* C++ text, of the first overload; see intrinsics.def */
};

/* By qualified name without template arguments; NULL when unknown. Inline namespaces and implementation classes of the
 * real toolkit's headers are seen through. A function that the user's own code defines under such a name is the user's:
 * look up only what is declared in a system header. */
const struct cw_intrinsic *cw_intrinsic_find(const char *name);
/* Row index + 1, as kept in cw_ins.intrinsic; 0 gives NULL. */
const struct cw_intrinsic *cw_intrinsic_at(uint32_t id);
uint32_t cw_intrinsic_id(const struct cw_intrinsic *);
uint32_t cw_intrinsic_count(void);

/* What a function object of cooperative groups does, by its class name ("cooperative_groups::plus", "plus"). */
enum cw_redux cw_intrinsic_redux(const char *class_name);

#endif
