/* Loops that wait: every way out is decided by what a volatile or atomic read of one unchanging place returns, and by
 * nothing that moves in the loop. Retry loops of lock-free updates (the value compared with was read anew), queues (the
 * atomic itself advances) and bounded waits (a counter lets them out) do not wait in that sense.
 *
 * requires: SSA, fn->cfg. computes: waiting loops, outer ones first. preserves: everything. Private to spins. */
#ifndef CW_UNIFORMITY_SPIN_LOOPS_H
#define CW_UNIFORMITY_SPIN_LOOPS_H

#include "cfg/cfg.h"

enum { CW_SPIN_EXITS = 8 /* ways out of one loop that are looked at */ };

struct cw_spin_loop {
    uint32_t loop;
    uint32_t watch;     /* the read that decides: the first in execution order */
    uint32_t nexits;
    struct cw_edge exits[CW_SPIN_EXITS]; /* without those that end in a trap */
};

struct cw_spin_loops {
    CW_VEC(struct cw_spin_loop) at;
    bool is_cut; /* there may be more */
};

struct cw_spin_loops cw_spin_loops_of(const struct cw_fn *fn, struct cw_arena *a);
/* Loops that would wait if their loads were volatile: ordinary loads of unchanging places decide every way out, and
 * nothing in the loop keeps a compiler from loading once, before it (no fence, barrier, atomic, volatile access, store
 * or call). */
struct cw_spin_loops cw_plain_spin_loops_of(const struct cw_fn *fn, struct cw_arena *a);

/* Does the value stay the same while the loop runs, loads of memory that is not volatile included? */
bool cw_spin_stays(const struct cw_fn *fn, uint32_t loop, cw_ref r);

#endif
