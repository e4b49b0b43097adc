/* See budget.h. */
#include "engine/budget.h"

const char *const cw_effort_names[CW_NEFFORTS] = {
    [CW_EFFORT_QUICK] = "quick", [CW_EFFORT_NORMAL] = "normal", [CW_EFFORT_THOROUGH] = "thorough"};

enum { ALONE_PART = 8 };

static const struct cw_budget budgets[CW_NEFFORTS] = {[CW_EFFORT_QUICK] = {UINT64_C(1) << 22, 30000},
                                                      [CW_EFFORT_NORMAL] = {UINT64_C(1) << 26, 200000},
                                                      [CW_EFFORT_THOROUGH] = {UINT64_C(1) << 29, 400000}};

struct cw_budget cw_budget_of(enum cw_effort effort, bool is_alone) {
    struct cw_budget b = budgets[effort];
    if (is_alone)
        b = (struct cw_budget){b.work / ALONE_PART, b.instructions / ALONE_PART};
    return b;
}
