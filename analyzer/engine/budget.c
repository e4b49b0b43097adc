/* See budget.h. */
#include "engine/budget.h"

const char *const cw_effort_names[CW_NEFFORTS] = {
    [CW_EFFORT_QUICK] = "quick", [CW_EFFORT_NORMAL] = "normal", [CW_EFFORT_THOROUGH] = "thorough"};

enum { ALONE_PART = 8, INSTANCE_WORK = 1 << 24, INSTANCE_INSTRUCTIONS = 20000 };

static const struct cw_budget budgets[CW_NEFFORTS] = {[CW_EFFORT_QUICK] = {UINT64_C(1) << 22, 30000},
                                                      [CW_EFFORT_NORMAL] = {UINT64_C(1) << 26, 100000},
                                                      [CW_EFFORT_THOROUGH] = {UINT64_C(1) << 29, 400000}};

struct cw_budget cw_budget_of(enum cw_effort effort, bool is_alone) {
    struct cw_budget b = budgets[effort];
    if (is_alone)
        b = (struct cw_budget){b.work / ALONE_PART, b.instructions / ALONE_PART};
    return b;
}

struct cw_budget cw_budget_of_instance(struct cw_budget whole, uint32_t before) {
    struct cw_budget b = {whole.work / (before + 1), whole.instructions / (before + 1)};
    uint64_t least_work = whole.work < INSTANCE_WORK ? whole.work : INSTANCE_WORK;
    uint32_t least = whole.instructions < INSTANCE_INSTRUCTIONS ? whole.instructions : INSTANCE_INSTRUCTIONS;
    return (struct cw_budget){b.work < least_work ? least_work : b.work,
                              b.instructions < least ? least : b.instructions};
}
