/* The hash map against a plain array: every key of a permutation that has 0, neighbours and the largest number. */
#include "check.h"

#include "base/map.h"

enum { KEYS = 5000 };

static uint64_t key_of(uint32_t i) {
    return i == 1 ? UINT64_MAX : i % 3 == 0 ? i : (uint64_t)i << 40;
}

int main(void) {
    struct cw_arena a;
    struct cw_map m, other;
    uint64_t value = 7;
    cw_arena_init(&a);
    cw_map_init(&m, &a);
    cw_map_init(&other, &a);
    CHECK(!cw_map_get(&m, 0, &value));
    CHECK(!cw_map_get(&m, 5, &value));
    CHECK_INT(value, 7);
    for (uint32_t i = 0; i < KEYS; i++) {
        cw_map_put(&m, key_of(i), i);
        cw_map_put(&other, ~key_of(i), i); /* two tables growing by turns use each other's old ones */
    }
    for (uint32_t i = 0; i < KEYS; i += 2)
        cw_map_put(&m, key_of(i), i + KEYS);
    for (uint32_t i = 0; i < KEYS; i++) {
        CHECK(cw_map_get(&m, key_of(i), &value));
        CHECK_INT(value, i + (i % 2 ? 0 : KEYS));
        CHECK(cw_map_get(&other, ~key_of(i), &value));
        CHECK_INT(value, i);
    }
    CHECK(cw_map_get(&m, 0, NULL));
    CHECK(!cw_map_get(&m, 1, NULL));
    CHECK(!cw_map_get(&m, KEYS * 3, NULL));
    cw_arena_free(&a);
    return check_report();
}
