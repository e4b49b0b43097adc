/* Questions about cooperative groups; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_GROUPS_H
#define CW_KERNEL_ASK_GROUPS_H

#include "faults/groups.h"

struct cw_kernel;

/* Groups that are created in divergent code; groups used where some lanes hold another one. */
const struct cw_parted_groups *cw_kernel_parted_groups(struct cw_kernel *k);
const struct cw_escaped_groups *cw_kernel_escaped_groups(struct cw_kernel *k);

#endif
