/* What the analysis of one function may cost, in cells of an evaluator (lanes/lanes.h), never in time: the same for
 * every run, number of jobs, and machine.
 *
 * Each function has a budget of its own: it does not depend on the other functions of the file, on which front end
 * read it, or on which rules are selected. One cell stands for about 20 ns. */
#ifndef CW_ENGINE_BUDGET_H
#define CW_ENGINE_BUDGET_H

#include "ir/ir.h"

/* --effort. Quick: a sixteenth of normal. Thorough: eight times as much. */
enum cw_effort { CW_EFFORT_QUICK, CW_EFFORT_NORMAL, CW_EFFORT_THOROUGH, CW_NEFFORTS };

extern const char *const cw_effort_names[CW_NEFFORTS];

struct cw_budget {
    uint64_t work;         /* of each rule's questions, in cells */
    uint32_t instructions; /* that inlining may make of the function */
};

/* is_alone: a device function that no kernel of the unit reaches, of which nothing definite can be said. */
struct cw_budget cw_budget_of(enum cw_effort effort, bool is_alone);

/* The budget of a template's instance, when `before` instances of it have been analysed: they mostly repeat what the
 * first has shown, so the n-th gets an n-th part. Never less than a quarter of what `normal` gives a kernel. */
struct cw_budget cw_budget_of_instance(struct cw_budget whole, uint32_t before);

#endif
