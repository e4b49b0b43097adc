/* Formulas: where there is no room for a variable of a kind, and what is asked of it then. */
#include "check.h"

#include "lanes/bdd.h"

enum { NODES = 1000, NAMES = 5000 };

/* The number of variables of one kind that can be made; from there on there are none, and that can be told before. */
static uint32_t fill(struct cw_bdds *fs, uint64_t from, uint8_t known) {
    uint32_t made = 0;
    for (uint64_t name = from; name < from + NAMES; name++) {
        bool is_full = cw_bdd_is_full(fs, known);
        uint32_t f = cw_bdd_between(fs, name, known, CW_BDD_FALSE, CW_BDD_TRUE);
        CHECK_INT(f == CW_BDD_POISON, is_full);
        made += f != CW_BDD_POISON;
    }
    return made;
}

int main(void) {
    struct cw_arena a;
    struct cw_bdds fs;
    cw_arena_init(&a);
    cw_bdds_init(&fs, &a, NODES);
    CHECK(!cw_bdd_is_full(&fs, CW_OPAQUE));
    uint32_t opaque = fill(&fs, 1, CW_OPAQUE);
    CHECK(opaque > 0 && opaque < NODES / 2);
    CHECK(cw_bdd_is_full(&fs, CW_OPAQUE));
    CHECK(cw_bdd_is_full(&fs, CW_FIXED)); /* is not up to the input either */
    CHECK(!cw_bdd_is_full(&fs, CW_FREE));
    CHECK(cw_bdd_var(&fs, 1, CW_OPAQUE) != CW_BDD_POISON); /* one that exists remains */
    uint32_t racy = fill(&fs, 1 + NAMES, CW_RACY);
    CHECK(racy > 0);
    CHECK(!cw_bdd_is_full(&fs, CW_FREE));
    CHECK(fill(&fs, 1 + 2 * NAMES, CW_FREE) > 0);
    CHECK(cw_bdd_is_full(&fs, CW_FREE) && cw_bdd_is_full(&fs, CW_RACY));
    cw_arena_free(&a);
    return check_report();
}
