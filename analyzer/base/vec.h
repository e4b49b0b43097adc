/* Growable arrays in an arena.
 *
 *     CW_VEC(int) v = {0};
 *     cw_vec_push(arena, &v, 42);
 *     for (uint32_t i = 0; i < v.n; i++) use(v.at[i]);
 *
 * Growing copies into fresh arena memory: pointers into `at` do not survive a push. */
#ifndef CW_BASE_VEC_H
#define CW_BASE_VEC_H

#include "base/arena.h"

#include <stdint.h>

#define CW_VEC(T)                                                                                                      \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        uint32_t n, cap;                                                                                               \
    }

/* Named vector types, for use in function signatures. */
struct cw_vec_u32 {
    uint32_t *at;
    uint32_t n, cap;
};

/* Returns room for at least `n + 1` elements; internal to cw_vec_push. */
void *cw_vec_grow(struct cw_arena *a, void *at, uint32_t n, uint32_t *cap, size_t element_size);

#define cw_vec_push(arena, v, x)                                                                                       \
    ((v)->at = (v)->n < (v)->cap ? (v)->at : cw_vec_grow((arena), (v)->at, (v)->n, &(v)->cap, sizeof *(v)->at),        \
     (v)->at[(v)->n] = (x), (v)->n++)

#define cw_vec_last(v) ((v)->at[(v)->n - 1])

#endif
