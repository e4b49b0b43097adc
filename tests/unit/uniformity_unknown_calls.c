/* What the name of a function without a body says about synchronisation. */
#include "check.h"

#include "uniformity/unknown_calls.h"

static void test_names(void) {
    static const struct {
        const char *name;
        enum cw_call_order order;
    } cases[] = {
        {"sync", CW_CALL_ORDERS},
        {"my_block_sync", CW_CALL_ORDERS},
        {"syncAll", CW_CALL_ORDERS},
        {"NamedBarrier::arrive_and_wait", CW_CALL_ORDERS},
        {"barrier<2>", CW_CALL_ORDERS},
        {"TMABarrier", CW_CALL_ORDERS},
        {"blockReduceSum", CW_CALL_MAY},
        {"WARP_SCAN", CW_CALL_MAY},
        {"copy_async", CW_CALL_NOTHING},    /* starts a copy, waits for nobody */
        {"asynchronous", CW_CALL_NOTHING},
        {"embarked", CW_CALL_NOTHING},      /* a word is more than letters in a row */
        {"sync_space::work", CW_CALL_NOTHING},
        {"work<Barrier>", CW_CALL_NOTHING}, /* an argument, not the name */
        {"x1", CW_CALL_NOTHING},
        {"_", CW_CALL_NOTHING},
        {"operator()", CW_CALL_NOTHING},
        {"", CW_CALL_NOTHING},
        {NULL, CW_CALL_NOTHING},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        CHECK_INT(cw_call_order_of_name(cases[k].name), cases[k].order);
}

int main(void) {
    test_names();
    return check_report();
}
