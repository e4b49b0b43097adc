/* How data races are reported. */
#ifndef CW_RULES_REPORT_RACES_H
#define CW_RULES_REPORT_RACES_H

#include "rules/rule.h"

struct cw_partial_use;
struct cw_proxy_fault;
struct cw_race;

/* Defines a rule on races: `is_mine`, a predicate over the properties of a race, and how its races are reported. Each
 * race is the finding of one rule. */
#define CW_RACE_RULE(id, is_mine, report)                                                                              \
    static void check_races(struct cw_rule_ctx *ctx) {                                                                 \
        cw_report_races(ctx, report);                                                                                  \
    }                                                                                                                  \
    CW_RULE_HOOKS(id, .kernel = check_races, .is_my_race = is_mine)

/* Calls `report` for each race of the kernel that is the rule's own (CW_RACE_RULE in its file). */
void cw_report_races(struct cw_rule_ctx *, void (*report)(struct cw_rule_ctx *, const struct cw_race *));
/* The instruction at which a race becomes visible, for cw_report(): the second access. */
uint32_t cw_race_ins(const struct cw_race *);
/* CW_DEFINITE or CW_POSSIBLE, for cw_report(). */
enum cw_confidence cw_race_confidence(const struct cw_race *);
/* Who races: "lanes 0 and 16 of a warp", "threads 31 and 32", "thread 5". */
const char *cw_race_who(struct cw_rule_ctx *, const struct cw_race *);
/* About what: "s_y[16]", "tile[3][5]", "pairs[7] (byte 4)". */
const char *cw_race_what(struct cw_rule_ctx *, const struct cw_race *);
/* `s[t] += s[t + k]`: one statement reads one element and writes another. */
bool cw_race_in_one_statement(struct cw_rule_ctx *, const struct cw_race *);
/* Two threads write in the same execution of one statement: no barrier orders the two. */
bool cw_race_of_one_write(const struct cw_race *);
/* All of a race: what each thread does with which element and in which iteration, where order is missing, the other
 * places with the same cause, launch and lanes, and the cheapest help (a later cw_report_help() replaces it). */
void cw_report_race(struct cw_rule_ctx *, struct cw_finding *, const struct cw_race *);
/* Use, launch, thread. */
void cw_report_partial_use(struct cw_rule_ctx *, struct cw_finding *, const struct cw_partial_use *);
/* Where the copy is started, and the launch and the two threads. */
void cw_report_proxy_fault(struct cw_rule_ctx *, struct cw_finding *, const struct cw_proxy_fault *);

#endif
