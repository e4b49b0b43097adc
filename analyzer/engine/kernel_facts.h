/* What an editor shows of a kernel beside its findings: --dump has no name for it, the language server asks for it. */
#ifndef CW_ENGINE_KERNEL_FACTS_H
#define CW_ENGINE_KERNEL_FACTS_H

#include "engine/kernel.h"

/* requires: the rules have run over ctx. Appends one line of JSON to u->dump:
 *
 *     {"kernel", "is_kernel", "file", "line", "column", "end_line", "end_column", "launches": [text],
 *      "collectives": [{file, line, column, end_line, end_column, text}],
 *      "variables": [{file, line, end_line, name, text, level{, function}}]}
 *
 * Places count from 1, columns in bytes, ends exclusive; a variable's lines are those of the function that it is
 * declared in, and `function` is its name where it is a device function: then `level` (enum cw_uni) is the weakest of
 * all calls in this kernel. A variable of which nothing is known is not listed. Nothing is changed that a finding rests
 * on. Cost: one participation query per collective and launch, for at most 64 collectives and 3 launches, and where
 * functions were inlined one more inlining with its uniformity. */
void cw_kernel_facts(struct cw_unit *u, const struct cw_fn *lowered, struct cw_kernel *kernel);

#endif
