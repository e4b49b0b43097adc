/* Lanes that a branch on the threads' positions keeps from a warp collective, where nobody knows which threads get as
 * far as the branch: values behind it are unknown, but whatever they are, one of two threads that get there takes the
 * way to the call, and the other one does not.
 *
 * requires: SSA, fn->cfg, uniformity. computes: the branch, the lanes. preserves: everything. Cost: the condition in
 * the threads of one warp. */
#ifndef CW_FAULTS_GUARDED_CALLS_H
#define CW_FAULTS_GUARDED_CALLS_H

#include "lanes/kernel_query.h"
#include "lanes/masks.h"

struct cw_guarded_call {
    struct cw_edge edge; /* of the branch, toward the call */
    uint32_t thread;     /* takes it, and may get there */
    uint32_t lanes;      /* of its warp: named by its mask, may get there, and never take it */
};

/* False when the mask is no constant, when the call has no such branch, or more than one that decides, or when its
 * other way leaves the kernel or a loop: lanes may have left before, then. */
bool cw_find_guarded_call(const struct cw_kernel_query *q, struct cw_masks *m, uint32_t warp,
                          struct cw_guarded_call *out);

#endif
