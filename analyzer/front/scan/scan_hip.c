/* Is it HIP? AMD's dialect has the same keywords and built-ins as CUDA and other rules: its warps have no masks. */
#include "base/str.h"
#include "front/front.h"
#include "source/branches.h"
#include "source/lexer.h"
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
static bool is_unconditional(const struct cw_branches *branches, uint32_t offset) {
    for (uint32_t at = cw_branch_at(branches, offset); at; at = branches->at[at - 1].outer)
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
        if (is_unconditional(&b, (uint32_t)cw_source_offset(s, scan->includes.at[i].line, 1)))
            return true;
    }
    return false;
}

/* Only the compiler for AMD's devices has these: its own built-in functions, and the types of HIP's headers. */
static bool is_amd_name(cw_str name) {
    return cw_str_starts(name, "__builtin_amdgcn_") || cw_str_starts(name, "__hip_");
}

/* Code for every compiler that names one of them: `nvcc` refuses such a file whatever it includes. Extensions of
 * PyTorch are the common case: their build replaces the names of CUDA's headers before AMD's compiler reads them. */
static bool needs_amd_compiler(struct cw_arena *a, const char *text, size_t size) {
    if (!mentions_word(text, size, "__builtin_amdgcn_") && !mentions_word(text, size, "__hip_"))
        return false;
    struct cw_branches b = cw_branches_read(a, text, size);
    struct cw_lexer lexer;
    cw_lexer_init(&lexer, text, size);
    for (struct cw_token t; (t = cw_lexer_next(&lexer)).kind != CW_TOKEN_END;)
        if (t.kind == CW_TOKEN_NAME && !t.in_directive && is_amd_name((cw_str){text + t.at, t.n}) &&
            is_unconditional(&b, t.at))
            return true;
    return false;
}

static bool asks_for_cuda_compiler(const char *text, size_t size) {
    return mentions_word(text, size, "__CUDACC__") || mentions_word(text, size, "__CUDA_ARCH__");
}

static bool includes_cuda(const struct cw_scan *scan) {
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
    if (asks_for_cuda_compiler(text, size))
        return false;
    if (needs_amd_compiler(a, text, size))
        return true;
    if (includes_cuda(scan))
        return false;
    switch (name) {
    case CW_NAME_SAYS_HIP: return true;
    case CW_NAME_SAYS_CUDA: return needs_hip_runtime(a, scan, text, size);
    default: return speaks_of_hip(scan, text, size);
    }
}
