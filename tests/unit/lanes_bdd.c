/* Formulas: where there is no room for a variable of a kind, and what is asked of it then; which formulas overlap. */
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

/* Without room for another node: `a && !b` and `b && !c` exclude each other, `a && !b` and `c` do not. */
static void check_overlap(struct cw_arena *a) {
    struct cw_bdds fs;
    cw_bdds_init(&fs, a, NODES);
    uint32_t first = cw_bdd_var(&fs, 1, CW_FREE), second = cw_bdd_var(&fs, 2, CW_FREE);
    uint32_t third = cw_bdd_var(&fs, 3, CW_FREE);
    uint32_t f = cw_bdd_and(&fs, first, cw_bdd_not(second)), g = cw_bdd_and(&fs, second, cw_bdd_not(third));
    fs.max_nodes = fs.nodes.n;
    CHECK(cw_bdd_and(&fs, f, third) == CW_BDD_POISON);
    CHECK_INT(cw_bdd_overlap(&fs, f, third), CW_OVERLAP_SOME);
    CHECK_INT(cw_bdd_overlap(&fs, f, g), CW_OVERLAP_NONE);
    CHECK_INT(cw_bdd_overlap(&fs, f, f), CW_OVERLAP_SOME);
    CHECK_INT(cw_bdd_overlap(&fs, f, cw_bdd_not(f)), CW_OVERLAP_NONE);
    CHECK_INT(cw_bdd_overlap(&fs, f, CW_BDD_FALSE), CW_OVERLAP_NONE);
    CHECK_INT(cw_bdd_overlap(&fs, f, CW_BDD_POISON), CW_OVERLAP_UNDECIDED);
    fs.max_work = fs.work;
    CHECK_INT(cw_bdd_overlap(&fs, f, third), CW_OVERLAP_UNDECIDED);
}

/* What holds whatever the opaque variable is: `free || x` holds where `free` does, `free && x` never does. */
static void check_whatever(struct cw_arena *a) {
    struct cw_bdds fs;
    cw_bdds_init(&fs, a, NODES);
    uint32_t unknown = cw_bdd_var(&fs, 1, CW_OPAQUE), input = cw_bdd_var(&fs, 2, CW_FREE);
    uint32_t racy = cw_bdd_var(&fs, 3, CW_RACY);
    CHECK(cw_bdd_whatever(&fs, input) == input);
    CHECK(cw_bdd_whatever(&fs, unknown) == CW_BDD_FALSE);
    CHECK(cw_bdd_whatever(&fs, cw_bdd_or(&fs, input, unknown)) == input);
    CHECK(cw_bdd_whatever(&fs, cw_bdd_and(&fs, input, unknown)) == CW_BDD_FALSE);
    CHECK(cw_bdd_whatever(&fs, cw_bdd_or(&fs, cw_bdd_and(&fs, racy, unknown), cw_bdd_not(input))) == cw_bdd_not(input));
    CHECK(cw_bdd_whatever(&fs, CW_BDD_POISON) == CW_BDD_POISON);
    fs.max_work = fs.work;
    CHECK(cw_bdd_whatever(&fs, cw_bdd_or(&fs, racy, input)) == CW_BDD_POISON);
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
    check_overlap(&a);
    check_whatever(&a);
    cw_arena_free(&a);
    return check_report();
}
