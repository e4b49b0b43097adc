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

int main(void) {
    struct cw_arena a;
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
