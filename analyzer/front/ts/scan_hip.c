/* Is it HIP? AMD's dialect has the same keywords and built-ins as CUDA and other rules: its warps have no masks. */
#include "base/str.h"
#include "front/front.h"

#include <string.h>

static bool mentions(const char *text, size_t size, const char *word) {
    return memmem(text, size, word, strlen(word)) != NULL;
}

/* hip/hip_runtime.h, hip_kernel_utils.h, vectype_ops_hip.h */
static bool is_hip_header(const char *path) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strrchr(base, '.');
    cw_str stem = {base, dot ? (size_t)(dot - base) : strlen(base)};
    return strncmp(path, "hip/", 4) == 0 || strstr(path, "/hip/") || cw_str_starts(stem, "hip_") || cw_str_ends(stem, "_hip");
}

static bool is_cuda_header(const char *path) {
    static const char *const starts[] = {"cuda", "cooperative_groups", "cub/", "mma.h", "device_functions.h"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(path, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

bool cw_scan_is_hip(const struct cw_scan *scan, const char *text, size_t size) {
    bool hip = mentions(text, size, "__HIPCC__");
    if (mentions(text, size, "__CUDACC__") || mentions(text, size, "__CUDA_ARCH__"))
        return false;
    for (uint32_t i = 0; i < scan->includes.n; i++) {
        if (is_cuda_header(scan->includes.at[i].path))
            return false;
        hip = hip || is_hip_header(scan->includes.at[i].path);
    }
    return hip;
}
