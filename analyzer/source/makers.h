/* Names that belong to another maker's devices: HIP, ROCm, MUSA, SYCL and the like. CUDA's rules do not hold for their
 * code. */
#ifndef CW_SOURCE_MAKERS_H
#define CW_SOURCE_MAKERS_H

#include "source/branches.h"

/* Is one of the words of a macro's name ("USE_ROCM", "__HIP_PLATFORM_AMD__") another maker's? */
bool cw_is_other_makers_macro(const char *name);

/* Does a branch (as cw_branch_at gives it), or one around it, ask for another maker: `#ifdef USE_ROCM`, `#if
 * defined(__HIPCC__) && X`, or the #else of `#ifdef __HIP_PLATFORM_NVCC__`? A condition with || decides nothing. */
bool cw_branch_is_other_makers(struct cw_arena *a, const struct cw_branches *b, uint32_t branch);

/* Is the path below a folder of another maker ("src/hip/scan.h", "backend/rocm/x.cu"), or named so itself ("scan.hip",
 * "scan.hip.h")? The folder nearest to the file that names a maker counts; one that names CUDA as well ("cuda_hip") is
 * common. */
bool cw_path_is_other_makers(const char *path);

#endif
