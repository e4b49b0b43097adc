/* Which instances of a kernel are lowered, and what the parser is told of the others. */
#ifndef CW_FRONT_CLANG_INSTANCES_H
#define CW_FRONT_CLANG_INSTANCES_H

#include "front/clang/lower.h"

/* Adds to *next what a parse that follows is told of instances that are not lowered: those of the parse before, and
 * those that cw_clang_queue_spare() left. All text lives in the module's arena. Cost: linear in them. */
void cw_clang_leave_out(struct cw_unit *u, struct cw_assumed *next);
/* Adds the body of the kernel template to next->bodies, where it can be left out of the text. */
void cw_clang_find_body(struct cw_unit *u, const struct cw_callee *pattern, struct cw_assumed *next);
/* Of a parse with options->is_survey: module->assumed becomes that of the options, with the instances of these kernels
 * that are not to be lowered. Nothing is lowered. */
void cw_clang_survey_instances(struct cw_unit *u, struct cw_callee *const *kernels, uint32_t n);

#endif
