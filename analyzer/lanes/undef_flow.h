/* Which lanes' results are used: does an indeterminate value reach anything that matters?
 *
 * A shuffle tree reads lanes that hold nothing in its upper half, and that is fine as long as only lane 0's sum is
 * stored. So garbage is followed forwards from where it arises, lane by lane and iteration by iteration, through
 * arithmetic, phis, selects and further shuffles, each step with the formula under which the lane holds it, until a
 * thread that has it stores it, reads or branches by it.
 *
 * Whatever cannot be followed (private arrays, unknown lanes, budgets) counts as unused: an answer "used" is a proof.
 */
#ifndef CW_LANES_UNDEF_FLOW_H
#define CW_LANES_UNDEF_FLOW_H

#include "lanes/lanes.h"
#include "uniformity/uses.h"

struct cw_undef_flow; /* one kernel's values, for one launch and sample */

struct cw_use {
    uint32_t ins;   /* the instruction that uses the garbage, or UINT32_MAX: the branch at the end of `block` */
    uint32_t block;
    uint32_t loc;   /* index in fn->locs */
    uint32_t lane;  /* of the warp: who uses it */
    uint32_t lanes; /* all lanes that use it there, as a mask */
    bool certain;   /* `lane` does so whatever the input data are */
};

/* requires: lanes of the kernel. */
struct cw_undef_flow *cw_undef_flow_new(struct cw_lanes *l, struct cw_arena *a);
/* The same with the function's uses, which all launches share. */
struct cw_undef_flow *cw_undef_flow_with(struct cw_lanes *l, const struct cw_uses *uses, struct cw_arena *a);

/* In `context`, the result of `ins` is indeterminate in lane j of the warp where formula when[j] holds. Is it used? */
bool cw_undef_flow_used(struct cw_undef_flow *d, uint32_t warp, uint32_t ins, const struct cw_context *context,
                    const uint32_t when[32], struct cw_use *use);

/* Is everything that uses the result of `ins` a sum that it is added to? */
bool cw_undef_flow_only_added(const struct cw_undef_flow *d, uint32_t ins);

#endif
