/* Lanes that wait in a loop for a lane of their own warp.
 *
 * A loop waits when nothing but a volatile or atomic read of one place lets a thread out (uniformity/spin_loops.h). It
 * is a spin within a warp when, under some launch, a lane is in it while the write that lets it out is still ahead of
 * another lane of the same warp: behind the loop (a lock whose release follows), or in the other arm of a branch (a
 * flag).
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: spins in source order, one per loop. preserves: everything.
 * docs/internals/spins.md */
#ifndef CW_FAULTS_SPINS_H
#define CW_FAULTS_SPINS_H

#include "lanes/kernel_query.h"

struct cw_spin {
    uint32_t loop;     /* index in cfg->loops */
    uint32_t watch;    /* the read that the waiting lanes repeat */
    uint32_t release;  /* the write that lets them out */
    bool is_lock;      /* who leaves the loop has taken what the release gives back */
    bool behind;       /* the release follows the loop; else it is in another arm of a branch */
    uint32_t meeting;  /* a barrier or collective that the releasing lane has to pass first and that needs the waiting
                          one:  a deadlock on every GPU; else UINT32_MAX */
    bool definite;
    /* the witness: threads of one warp */
    struct cw_lanes *lanes;
    const struct cw_context *context;
    uint32_t waiter, releaser;
};

struct cw_spins {
    CW_VEC(struct cw_spin) at;
};

struct cw_spins cw_spins_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_spins_print(const struct cw_facts_print *to, const struct cw_spins *spins);

#endif
