/* The device API as data: one row per function, made from intrinsics.def. */
#ifndef CW_CUDA_INTRINSICS_H
#define CW_CUDA_INTRINSICS_H

#include "ir/ir.h"

/* What an argument means; one letter per parameter in a row's `roles`:
 *   m mask   v value   l lane, delta or lane mask   w width   c predicate   p pointer   q second pointer (source)
 *   i barrier id   n count or size   g group (or `this` of a group method)   x other operand, kept   - ignored
 * A parameter that the caller may leave out is followed by '?'. The operand order of the IR op is that of ops.def. */
enum cw_order { CW_ORDER_NONE, CW_ORDER_WARP /* named lanes */, CW_ORDER_BLOCK, CW_ORDER_CLUSTER, CW_ORDER_GRID,
                CW_ORDER_SELF /* own accesses only: fences */ };

enum cw_intrinsic_flag {
    CW_INTR_LEGACY = 1,      /* removed from sm_70 on */
    CW_INTR_METHOD = 2,      /* C++ method: argument 0 is `this` */
    CW_INTR_VOLATILE = 4,
    CW_INTR_READONLY = 8,    /* __ldg */
    CW_INTR_HOST = 16,       /* host runtime: only needs to parse */
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
    const char *replacement; /* legacy: the name that took over, or NULL */
};

/* By qualified name without template arguments; NULL when unknown. */
const struct cw_intrinsic *cw_intrinsic_find(const char *name);
/* Row index + 1, as kept in cw_ins.intrinsic; 0 gives NULL. */
const struct cw_intrinsic *cw_intrinsic_at(uint32_t id);
uint32_t cw_intrinsic_id(const struct cw_intrinsic *);

#endif
