/* Budgets grow with the effort, and a function that only its callers could judge has less. */
#include "check.h"

#include "engine/budget.h"

int main(void) {
    for (int e = CW_EFFORT_QUICK; e < CW_NEFFORTS; e++) {
        struct cw_budget kernel = cw_budget_of((enum cw_effort)e, false), alone = cw_budget_of((enum cw_effort)e, true);
        CHECK(alone.work > 0 && alone.work < kernel.work);
        CHECK(alone.instructions > 0 && alone.instructions < kernel.instructions);
        if (e == CW_EFFORT_QUICK)
            continue;
        struct cw_budget less = cw_budget_of((enum cw_effort)(e - 1), false);
        CHECK(less.work < kernel.work && less.instructions < kernel.instructions);
    }
    return check_report();
}
