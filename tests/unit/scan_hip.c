/* HIP sources share CUDA's keywords; only their headers and macros tell. */
#include "check.h"

#include "front/front.h"

static bool is_hip(const char *text) {
    struct cw_arena a;
    cw_arena_init(&a);
    const struct cw_scan *s = cw_scan_text(&a, text, strlen(text));
    bool hip = cw_scan_is_hip(s, text, strlen(text));
    cw_arena_free(&a);
    return hip;
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
    CHECK(!is_hip("#ifdef __HIPCC__\n#include <hip/hip_runtime.h>\n#endif\n#ifdef __CUDACC__\n#define F\n#endif\n" KERNEL));
    return check_report();
}
