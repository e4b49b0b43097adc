/* Calls of the device API that copy asynchronously, or wait for such copies or at a barrier in memory, as IR.
 *
 * requires: a row of cuda/intrinsics.def with CW_INTR_ASYNC. computes: the operations that enum cw_async names.
 * The semantics are those of the CUDA C++ Programming Guide (asynchronous data copies, asynchronous barrier,
 * pipelines) and of libcu++. A group's copy is one of its first thread: which thread moves which byte is not
 * specified. */
#ifndef CW_FRONT_ASYNC_LOWER_H
#define CW_FRONT_ASYNC_LOWER_H

#include "front/intrinsic_lower.h"

/* Appends the instructions at *at. The result (a token, or that the wait has succeeded); CW_NONE: none. */
cw_ref cw_async_lower(struct cw_at *at, const struct cw_intrinsic_call *call, const struct cw_intrinsic *row);

#endif
