/* Is it HIP? AMD's dialect has the same keywords and built-ins as CUDA and other rules: its warps have no masks. */
#include "base/str.h"
#include "front/front.h"
#include "source/makers.h"
#include "source/source.h"

#include <string.h>

static bool mentions_word(const char *text, size_t size, const char *word) {
    return memmem(text, size, word, strlen(word)) != NULL;
}

/* hip/hip_runtime.h, hip_kernel_utils.h, vectype_ops_hip.h */
static bool is_hip_header(const char *path) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strrchr(base, '.');
    cw_str stem = {base, dot ? (size_t)(dot - base) : strlen(base)};
    return strncmp(path, "hip/", 4) == 0 || strstr(path, "/hip/") || cw_str_starts(stem, "hip_") ||
           cw_str_ends(stem, "_hip");
}

/* libcu++ has headers without an ending below cuda/; with one, it is a folder of the project's own. */
static bool is_cuda_header(const char *path) {
    if (strncmp(path, "cuda/", 5) == 0 && strchr(path, '.'))
        return false;
    static const char *const starts[] = {"cuda", "cooperative_groups", "cub/", "mma.h", "device_functions.h"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(path, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Below no condition but an include guard. */
static bool is_unconditional(const struct cw_branches *branches, const struct cw_source *source, uint32_t line) {
    for (uint32_t at = cw_branch_at(branches, (uint32_t)cw_source_offset(source, line, 1)); at;
         at = branches->at[at - 1].outer)
        if (!cw_str_is(branches->at[at - 1].word, "ifndef"))
            return false;
    return true;
}

/* One hip/… header, for every compiler. */
static bool needs_hip_runtime(struct cw_arena *a, const struct cw_scan *scan, const char *text, size_t size) {
    const struct cw_source *s = NULL;
    struct cw_branches b = {0};
    for (uint32_t i = 0; i < scan->includes.n; i++) {
        if (strncmp(scan->includes.at[i].path, "hip/", 4) != 0)
            continue;
        if (!s) {
            s = cw_source_of_text(a, "", text, size);
            b = cw_branches_read(a, s->text, s->size);
        }
        if (is_unconditional(&b, s, scan->includes.at[i].line))
            return true;
    }
    return false;
}

static bool speaks_of_cuda(const struct cw_scan *scan, const char *text, size_t size) {
    if (mentions_word(text, size, "__CUDACC__") || mentions_word(text, size, "__CUDA_ARCH__"))
        return true;
    for (uint32_t i = 0; i < scan->includes.n; i++)
        if (is_cuda_header(scan->includes.at[i].path))
            return true;
    return false;
}

static bool speaks_of_hip(const struct cw_scan *scan, const char *text, size_t size) {
    bool hip = mentions_word(text, size, "__HIPCC__");
    for (uint32_t i = 0; i < scan->includes.n && !hip; i++)
        hip = is_hip_header(scan->includes.at[i].path);
    return hip;
}

bool cw_scan_is_hip(struct cw_arena *a, const struct cw_scan *scan, const char *text, size_t size,
                    enum cw_name_says name) {
    if (speaks_of_cuda(scan, text, size))
        return false;
    switch (name) {
    case CW_NAME_SAYS_HIP: return true;
    case CW_NAME_SAYS_CUDA: return needs_hip_runtime(a, scan, text, size);
    default: return speaks_of_hip(scan, text, size);
    }
}
