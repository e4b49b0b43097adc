/* An arena that is reset is as good as new, and keeps a chunk. */
#include "check.h"

#include "base/arena.h"

#include <stdbool.h>
#include <string.h>

enum { SMALL = 100, LARGE = 300000 };

static bool is_zero(const unsigned char *at, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

static unsigned char *dirty(struct cw_arena *a, size_t n) {
    unsigned char *p = cw_arena_alloc(a, n);
    CHECK(is_zero(p, n));
    memset(p, 0xa5, n);
    return p;
}

/* What is given back comes again for the same size only, and clean. */
static void blocks_return(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    unsigned char *small = cw_arena_take(&a, 256), *large = cw_arena_take(&a, 1 << 20);
    memset(small, 0xa5, 256);
    memset(large, 0xa5, 1 << 20);
    cw_arena_give(&a, small, 256);
    cw_arena_give(&a, large, 1 << 20);
    CHECK(cw_arena_take(&a, 512) != small);
    CHECK(cw_arena_take(&a, 256) == small);
    CHECK(cw_arena_take(&a, 1 << 20) == large);
    CHECK(is_zero(small, 256) && is_zero(large, 1 << 20));
    CHECK(cw_arena_take(&a, 256) != small);
    cw_arena_give(&a, small, 256);
    cw_arena_reset(&a); /* forgotten with everything else */
    CHECK(is_zero(cw_arena_take(&a, 256), 256));
    cw_arena_free(&a);
}

int main(void) {
    struct cw_arena a;
    blocks_return();
    cw_arena_init(&a);
    cw_arena_reset(&a); /* nothing was there */
    unsigned char *first = dirty(&a, SMALL);
    cw_arena_reset(&a);
    CHECK_INT(a.total, 0);
    CHECK(dirty(&a, SMALL) == first);
    for (int round = 0; round < 3; round++) { /* large blocks go, and the kept chunk is clean again */
        dirty(&a, LARGE);
        for (int i = 0; i < 2000; i++)
            dirty(&a, SMALL);
        cw_arena_reset(&a);
        CHECK_INT(a.total, 0);
    }
    dirty(&a, SMALL);
    cw_arena_free(&a);
    CHECK(a.head == NULL);
    return check_report();
}
