/* HIP sources share CUDA's keywords; only their headers and macros tell. */
#include "check.h"

#include "front/front.h"

#include "source/makers.h"

static bool is_hip_named(const char *text, enum cw_name_says name) {
    struct cw_arena a;
    cw_arena_init(&a);
    const struct cw_scan *s = cw_scan_text(&a, text, strlen(text));
    bool hip = cw_scan_is_hip(&a, s, text, strlen(text), name);
    cw_arena_free(&a);
    return hip;
}

static bool is_hip(const char *text) {
    return is_hip_named(text, CW_NAME_SAYS_NOTHING);
}

static bool is_cu_hip(const char *text) {
    return is_hip_named(text, CW_NAME_SAYS_CUDA);
}

/* Is the line with "HERE" in code for another maker? */
static bool is_theirs(const char *text) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_branches b = cw_branches_read(&a, text, strlen(text));
    bool is = cw_branch_is_other_makers(&a, &b, cw_branch_at(&b, (uint32_t)(strstr(text, "HERE") - text)));
    cw_arena_free(&a);
    return is;
}

static void check_branches(void) {
    CHECK(is_theirs("#ifdef USE_ROCM\nHERE\n#endif\n"));
    CHECK(is_theirs("#if defined(__HIP_PLATFORM_AMD__) && defined(FAST)\n#ifdef X\nHERE\n#endif\n#endif\n"));
    CHECK(is_theirs("#ifdef __HIP_PLATFORM_NVCC__\n#else\nHERE\n#endif\n"));
    CHECK(is_theirs("#ifndef SITE_HIP\n#else\nHERE\n#endif\n"));
    CHECK(!is_theirs("#ifdef __HIP_PLATFORM_NVCC__\nHERE\n#else\n#endif\n"));
    CHECK(!is_theirs("#ifdef USE_ROCM\n#else\nHERE\n#endif\n"));
    CHECK(!is_theirs("#if defined(__HIPCC__) || defined(__CUDACC__)\nHERE\n#endif\n"));
    CHECK(!is_theirs("#ifdef SHIPPING\nHERE\n#endif\n"));
    CHECK(!is_theirs("HERE\n"));
}

static void check_paths(void) {
    CHECK(cw_path_is_other_makers("src/hip/scan.h"));
    CHECK(cw_path_is_other_makers("src/hip_decoder/scan.cu"));
    CHECK(cw_path_is_other_makers("backend_rocm/detail/scan.h"));
    CHECK(cw_path_is_other_makers("scan.hip"));
    CHECK(cw_path_is_other_makers("cuda/scan.hip.h"));
    CHECK(!cw_path_is_other_makers("src/cuda_hip/scan.h"));
    CHECK(!cw_path_is_other_makers("hip/cuda/scan.cu"));
    CHECK(!cw_path_is_other_makers("ship/chips/scan.cu"));
    CHECK(!cw_path_is_other_makers("hip.cu"));
    CHECK(!cw_path_is_other_makers("scan.cu"));
}

#define KERNEL "__global__ void k(int *p) { p[threadIdx.x] = __shfl_down(p[0], 1); }\n"

int main(void) {
    CHECK(is_hip("#include <hip/hip_runtime.h>\n" KERNEL));
    CHECK(is_hip("#include \"utils/hip_kernel_utils.h\"\n" KERNEL));
    CHECK(is_hip("#include \"vectors_hip.h\"\n" KERNEL));
    CHECK(is_hip("#if !defined(__HIPCC__)\n#error wrong compiler\n#endif\n" KERNEL));
    CHECK(!is_hip(KERNEL));
    CHECK(!is_hip("#include \"ship.h\"\n#include \"chips/relationship.h\"\n" KERNEL));
    CHECK(!is_hip("#include <cuda_runtime.h>\n#include \"hip_compat.h\"\n" KERNEL));
    CHECK(!is_hip(
        "#ifdef __HIPCC__\n#include <hip/hip_runtime.h>\n#endif\n#ifdef __CUDACC__\n#define F\n#endif\n" KERNEL));
    CHECK(is_cu_hip("#ifndef GUARD_H\n#define GUARD_H\n#include <hip/hip_runtime.h>\n" KERNEL "#endif\n"));
    CHECK(!is_cu_hip("#ifdef SITE_HIP\n#include <hip/hip_runtime.h>\n#endif\n" KERNEL));
    CHECK(!is_cu_hip("#include \"hip_compat.h\"\n" KERNEL));
    CHECK(is_hip_named(KERNEL, CW_NAME_SAYS_HIP));
    CHECK(!is_hip_named("#include <cuda_runtime.h>\n" KERNEL, CW_NAME_SAYS_HIP));
    CHECK(
        is_cu_hip("#include <cuda_runtime.h>\n__device__ int f(int v) { return __builtin_amdgcn_readlane(v, 0); }\n"));
    CHECK(is_cu_hip("#include <ATen/cuda/CUDAContext.h>\nstruct t { using type = __hip_bfloat16; };\n" KERNEL));
    CHECK(!is_cu_hip("#ifdef USE_ROCM\nint f(int v) { return __builtin_amdgcn_readlane(v, 0); }\n#endif\n" KERNEL));
    CHECK(!is_cu_hip("// not __builtin_amdgcn_readlane\nconst char *s = \"__hip_bfloat16\";\n" KERNEL));
    CHECK(!is_cu_hip("#if __CUDA_ARCH__\n#else\n__hip_bfloat16 x;\n#endif\n" KERNEL));
    check_branches();
    check_paths();
    return check_report();
}
