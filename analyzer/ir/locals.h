/* What becomes of the addresses of local variables; shared by promote and simplify.
 *
 * requires: every value dominates its uses. computes: for each pointer value the object and constant offset it stands
 * for, and for each LOCAL object whether its address gets out of sight. preserves: the function. */
#ifndef CW_IR_LOCALS_H
#define CW_IR_LOCALS_H

#include "ir/order.h"

#define CW_NO_OBJECT UINT32_MAX

enum cw_local_flag {
    CW_LOCAL_ESCAPES = 1, /* stored, passed on, merged by a phi or select, read by an atomic: anybody may access it */
    CW_LOCAL_INDEXED = 2, /* accessed at an offset or of a size that is not constant, or beyond its end */
    CW_LOCAL_LOADED = 4,  /* something reads it */
    CW_LOCAL_ACCESSED = 8,
};

struct cw_locals {
    uint32_t *object;  /* instruction -> object its pointer result points into, or CW_NO_OBJECT */
    int64_t *offset;   /* instruction -> byte offset; valid when exact */
    uint8_t *exact;    /* instruction -> the offset is constant */
    uint8_t *flags;    /* object -> enum cw_local_flag */
};

/* Where a pointer points: an object (of any space) and, when `exact`, a constant offset. */
struct cw_pointee {
    uint32_t object;
    int64_t offset;
    bool exact;
};

struct cw_locals cw_locals_find(const struct cw_fn *fn, const struct cw_order_of_blocks *o, struct cw_arena *a);
struct cw_pointee cw_locals_pointee(const struct cw_locals *l, cw_ref r);

#endif
