/* Launches of a module's kernels in the host code of another module. */
#ifndef CW_LAUNCH_LAUNCHES_ELSEWHERE_H
#define CW_LAUNCH_LAUNCHES_ELSEWHERE_H

#include "ir/ir.h"

/* Is there a kernel with a body of which the module knows no launch? requires: cw_launch_prepare_hosts. */
bool cw_launch_is_lacking(const struct cw_module *m);

/* Adds to m->launches what `other` launches and only declares, of kernels of `m` that nothing in `m` launches; the two
 * agree by their keys, which name the parameters' types. Places in `other` count as places of `m` from then on: `other`
 * belongs to `m`. requires: cw_launch_prepare_hosts of both; one arena, or `other` lives as long. */
void cw_launch_take(struct cw_module *m, struct cw_module *other);

#endif
