/* Branches of a header for builds with CUDA: `#ifdef WITH_CUDA` / `#define HD __host__ __device__` / `#else` /
 * `#define HD`, or `#ifdef WITH_CUDA` / `#include <cuda_runtime.h>`. In a build without CUDA nobody compiles the .cu
 * files that include the header. */
#ifndef CW_SOURCE_DEVICE_BRANCHES_H
#define CW_SOURCE_DEVICE_BRANCHES_H

#include "source/branches.h"

/* Indices plus 1 (as cw_branch_at gives them) of branches that define a macro with __device__ in its body, where
 * another branch of the same conditional defines it without, in the order of the text; then of those that include a
 * header of the CUDA runtime or driver. `b`: the branches of the text. Cost: one pass over the tokens, and the square
 * of the definitions, at most 1024. */
struct cw_vec_u32 cw_device_branches(struct cw_arena *a, const struct cw_branches *b, const char *text, size_t size);

#endif
