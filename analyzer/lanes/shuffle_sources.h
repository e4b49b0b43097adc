/* Where a shuffle's result comes from, thread by thread, and whether anything sensible is there.
 *
 * "If the target thread is inactive, the retrieved value is undefined." A source lane can be inactive because the mask
 * does not name it, because its thread has exited, or because the block ends before it; and it can take part with a
 * variable that it never assigned. A lane that is named, alive and elsewhere is a fault of the mask (lanes/masks.h),
 * not told here. */
#ifndef CW_LANES_SHUFFLE_SOURCES_H
#define CW_LANES_SHUFFLE_SOURCES_H

#include "lanes/lanes.h"

enum cw_source_fault {
    CW_SOURCE_UNNAMED, /* outside the reader's mask */
    CW_SOURCE_EXITED,  /* its thread has returned from the kernel */
    CW_SOURCE_BEYOND,  /* named, but the block ends before it */
    CW_SOURCE_UNDEF,   /* takes part with an indeterminate value */
    CW_SOURCE_OUTSIDE, /* so far away that no lane of the segment has it: the reader gets its own value, or a stranger's
                        */
    CW_SOURCE_FAULTS
};

struct cw_shuffle; /* one shuffle in one context */

/* requires: lanes of the kernel; `ins` is a SHFL. context: NULL for the first iteration of every loop around it.
 * computes: answers on demand. */
struct cw_shuffle *cw_shuffle_new(struct cw_lanes *l, uint32_t ins, const struct cw_context *context,
                                  struct cw_arena *a);

const struct cw_context *cw_shuffle_context(const struct cw_shuffle *s);

/* The thread that t reads, t itself where the source lies outside its segment. False when it cannot be known. The
 * thread may lie beyond the block's end. */
bool cw_shuffle_source(const struct cw_shuffle *s, uint32_t t, uint32_t *source);

/* One of the threads that t may read where that is no number, if the mask of t names none of them: `__ffs(votes) - 1`,
 * where the votes are of eight lanes, in the mask of other lanes. False else. */
bool cw_shuffle_some_source(struct cw_shuffle *s, uint32_t t, uint32_t *source);

/* The distance that t asks for, and the width of its segments. False when they cannot be known. */
bool cw_shuffle_distance(const struct cw_shuffle *s, uint32_t t, uint32_t *by, uint32_t *width);

/* False when the code alone excludes the fault, whatever the launch: an operand that is a number within its segment, a
 * mask of all lanes, nobody who could have exited. Constant time but for the first question about a block. */
bool cw_shuffle_may_fault(const struct cw_fn *fn, uint32_t ins, enum cw_source_fault fault);
/* False when the number of threads of the launch excludes it: blocks of whole warps end before no lane. */
bool cw_shuffle_may_fault_under(const struct cw_lanes *lanes, enum cw_source_fault fault);

/* The formula (bdd.h) under which what t reads is not what it wants, for that reason; CW_BDD_FALSE also when
 * nothing may be claimed. */
uint32_t cw_shuffle_fault(struct cw_shuffle *s, uint32_t t, enum cw_source_fault fault);

/* The lane that `lane` reads with that operand in segments of `width` lanes, a power of two. */
uint32_t cw_shuffle_lane(enum cw_shfl mode, uint32_t lane, uint32_t by, uint32_t width);

#endif
