/* A call of the device API to IR; shared by the front ends. The table cuda/intrinsics.def says what each row means. */
#ifndef CW_FRONT_INTRINSIC_LOWER_H
#define CW_FRONT_INTRINSIC_LOWER_H

#include "cuda/intrinsics.h"
#include "front/arith.h"

struct cw_intrinsic_arg {
    cw_ref value; /* CW_NONE: not written (a default argument, or missing) */
    struct cw_kind kind;
    uint32_t bytes;           /* of the value; 0 unknown */
    uint32_t pointee;         /* of what a pointer points to; 0 unknown */
    const char *class_name;   /* the class of the argument, else NULL */
    int64_t class_n;          /* its first template argument, -1 unknown */
};

struct cw_intrinsic_call {
    const struct cw_intrinsic *row;
    const struct cw_intrinsic_arg *args; /* for a non-static method, args[0] is the object */
    uint32_t nargs;
    struct cw_kind result;  /* VOID: none; AGG with result_at: a class */
    uint32_t result_bytes;
    cw_ref result_at;       /* where a result of class type goes, else CW_NONE */
    int64_t template_n;     /* first template argument of the call or of the method's class; -1 unknown */
    int64_t scope;          /* of a pipeline: the first of the method's class, the second of the call; -1 unknown */
};

/* A texture reference is no value: which one it is counts, not what is in it. `type`: "texture", "texture<float, 2>".
 */
bool cw_intrinsic_is_texture(const char *type);

/* What argument i means, see cuda/intrinsics.h. */
char cw_intrinsic_role(const struct cw_intrinsic *row, uint32_t i);

/* The row that stands for the call: follows FORWARD. */
const struct cw_intrinsic *cw_intrinsic_resolve(const struct cw_intrinsic_call *call);

/* The row for a call with so many arguments (CW_INTR_BY_COUNT), a method's object not counted. */
const struct cw_intrinsic *cw_intrinsic_of_count(const struct cw_intrinsic *row, uint32_t nargs);

/* Appends the instructions at *at; a call that does not return ends the block and moves *at to a new one.
 * The result; CW_NONE when there is none or it went to result_at. */
cw_ref cw_intrinsic_lower(struct cw_at *at, const struct cw_intrinsic_call *call);

#endif
