/* Which parts of which local objects become variables; for promote.c.
 *
 * requires: values dominate their uses. computes: for each LOCAL object whose address stays in sight and whose
 * accesses are all at constant offsets, a set of disjoint fields such that every access is one field or consists of
 * whole fields. preserves: the function.
 *
 * An access that contains smaller ones (a float4 moved as a whole, a word read byte by byte) is *wide*: it becomes one
 * access per field. Accesses that overlap without one containing the other leave their object in memory. */
#ifndef CW_IR_FIELDS_H
#define CW_IR_FIELDS_H

#include "ir/locals.h"

#define CW_NO_VAR UINT32_MAX

enum { CW_MAX_FIELDS = 128 }; /* per object; one with more stays in memory */

struct cw_field {
    int64_t offset;
    uint32_t size;
    enum cw_type type;
    bool from_load; /* the type is that of a load */
};

struct cw_fields {
    CW_VEC(struct cw_field) list; /* sorted by offset when done */
    bool promote;
    uint32_t first_var; /* variables are numbered through, object by object */
};

struct cw_fields_of {
    const struct cw_fn *fn;
    struct cw_arena *arena;
    const struct cw_locals *locals;
    struct cw_fields *of; /* by object */
    uint32_t nobjects;    /* that are promoted */
    uint32_t nvars;
    CW_VEC(struct cw_extent) extents; /* accesses of more than one field */
};

/* How many objects are to be promoted: `f->nobjects`. */
struct cw_fields_of cw_fields_choose(const struct cw_fn *fn, const struct cw_order_of_blocks *o,
                                     const struct cw_locals *l, struct cw_arena *a);

static inline bool cw_fields_promoted(const struct cw_fields_of *fields_of, uint32_t object) {
    return object != CW_NO_OBJECT && fields_of->of[object].promote;
}

/* The variable of exactly these bytes; CW_NO_VAR when the object stays in memory or the access is a wide one. */
uint32_t cw_fields_var(const struct cw_fields_of *f, struct cw_pointee at, uint32_t size);

static inline bool cw_field_within(const struct cw_field *field, int64_t from, int64_t bytes) {
    return field->offset >= from && field->offset + field->size <= from + bytes;
}

#endif
