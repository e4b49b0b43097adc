/* What became of the kernels that the scan saw. */
#ifndef CW_ENGINE_COVERAGE_H
#define CW_ENGINE_COVERAGE_H

#include "engine/kernel.h"

/* requires: the unit's kernels have been analysed. computes: result->kernels, analysed, degraded, skipped. */
void cw_coverage(struct cw_unit *u);
/* The same unit for one more architecture: kernels that the others did not have are no longer skipped. */
void cw_coverage_more(struct cw_unit *u);
/* Of a unit that cannot be read: the scan's kernels are skipped for this reason. */
void cw_coverage_unread(struct cw_unit *u, const char *reason);

#endif
