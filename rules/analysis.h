/* The other side of rule.h: what the engine gives to the rules of one kernel and takes back from them. */
#ifndef CW_RULES_ANALYSIS_H
#define CW_RULES_ANALYSIS_H

#include "rules/rule.h"
#include "source/branches.h"
#include "source/statements.h"

enum { CW_SAMPLES = 8 }; /* choices of the uniform unknowns that a rule may look at */

struct cw_analysis {
    struct cw_arena *keep;   /* findings live here: until the unit's result has been sent */
    bool is_alone;           /* analysed without its callers: definite becomes possible */
    bool is_doubtful; /* alone, and perhaps an instance that only assumed ones ask for: what its text says, too */
    CW_VEC(struct cw_finding) findings;
    struct cw_lanes **lanes; /* launches.n * CW_SAMPLES evaluators, made when first asked for */
    CW_VEC(struct cw_lanes *) made; /* all evaluators, also those that were replaced */
    uint64_t work_left;      /* that the present rule's questions may cost, in cells of evaluators; set by the engine */
    const struct cw_source *(*source_of)(void *ctx, const char *file);
    void *ctx;
    const struct cw_statements *(*statements_of)(void *ctx, const char *file); /* for fixes; NULL: none are at hand */
    const struct cw_branches *(*branches_of)(void *ctx,
                                             const char *file); /* read once a file; NULL: the text is not at hand */
    void *text_ctx; /* of the two */
};

/* --dump=phases */
struct cw_buf;
void cw_rule_print_races(struct cw_rule_ctx *, struct cw_buf *);

/* Lets go of the evaluators that have exhausted their budget: what follows is asked of new ones. Each costs memory
 * until the kernel is done, so this is for the few points between groups of rules. */
void cw_rule_renew_lanes(struct cw_rule_ctx *ctx);

/* What the analyses are asked with: the kernel's facts and its cached evaluators. */
struct cw_kernel_query cw_rule_query(struct cw_rule_ctx *ctx);

/* An evaluator that draws on the kernel's work; cw_rule_lanes() keeps one per launch and sample. */
struct cw_lanes *cw_rule_new_lanes(struct cw_rule_ctx *ctx, uint32_t launch, uint32_t sample);

/* How many (value, context) pairs an evaluator for that many threads may compute. */
uint32_t cw_lanes_budget_for(uint32_t threads);

#endif
