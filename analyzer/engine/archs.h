/* Which of a unit's architectures have to be looked at. */
#ifndef CW_ENGINE_ARCHS_H
#define CW_ENGINE_ARCHS_H

#include "compdb/includes.h"
#include "engine/pipeline.h"

/* The architectures of the targets in place of the options' own, ascending; none given: those stay. */
void cw_archs_of_targets(struct cw_unit_options *o, const struct cw_target *targets, uint32_t n);
/* Leaves one of each group, the lowest, for which no #if of the unit's files can differ. */
void cw_archs_reduce(struct cw_unit_options *o, const struct cw_include_result *unit);

#endif
