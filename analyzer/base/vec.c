#include "base/vec.h"

#include "base/log.h"

#include <string.h>

void *cw_vec_grow(struct cw_arena *a, void *at, uint32_t n, uint32_t *cap, size_t element_size) {
    if (*cap > UINT32_MAX / 2)
        cw_die("an array outgrew its limit");
    *cap = *cap ? *cap * 2 : 8;
    void *fresh = cw_arena_alloc(a, *cap * element_size);
    if (n)
        memcpy(fresh, at, n * element_size);
    return fresh;
}
