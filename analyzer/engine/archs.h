/* Which of a unit's architectures have to be looked at. */
#ifndef CW_ENGINE_ARCHS_H
#define CW_ENGINE_ARCHS_H

#include "compdb/includes.h"
#include "engine/pipeline.h"
#include "rules/rule.h"

/* The architectures of the targets in place of the options' own, ascending; none given: those stay. */
void cw_archs_of_targets(struct cw_unit_options *o, const struct cw_target *targets, uint32_t n);
/* The first target that runs code of an architecture without independent thread scheduling on one that has it, while no
 * other target brings that one code of its own; zeros when there is none. */
struct cw_opt_out cw_archs_opt_out(const struct cw_unit_options *o);
/* Leaves one of each group, the lowest, for which no #if of the unit's files can differ. */
void cw_archs_reduce(struct cw_unit_options *o, const struct cw_include_result *unit);

#endif
