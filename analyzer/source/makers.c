#include "source/makers.h"

#include <ctype.h>
#include <string.h>

/* ---- macros ---- */

static bool begins_with_maker(const char *word) {
    static const char *const makers[] = {"HIP", "ROCM", "AMD", "MUSA", "SYCL",
                                         "OPENCL", "HCC", "METAL", "RDNA", "CDNA"};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (!strncmp(word, makers[i], strlen(makers[i])))
            return true;
    return false;
}

/* HIP can run on NVIDIA's devices, through their compiler. */
static bool is_nvidia_platform(const char *name) {
    return !strncmp(name, "__HIP_PLATFORM_NV", strlen("__HIP_PLATFORM_NV"));
}

bool cw_is_other_makers_macro(const char *name) {
    if (is_nvidia_platform(name))
        return false;
    for (const char *part = name; part; part = strchr(part, '_') ? strchr(part, '_') + 1 : NULL)
        if (begins_with_maker(part))
            return true;
    return false;
}

static bool any_is(const struct cw_branch_names *names, bool (*is)(const char *)) {
    for (uint32_t i = 0; i < names->n; i++)
        if (is(names->at[i]))
            return true;
    return false;
}

bool cw_branch_is_other_makers(struct cw_arena *a, const struct cw_branches *branches, uint32_t branch) {
    for (; branch; branch = branches->at[branch - 1].outer) {
        const struct cw_branch *one = &branches->at[branch - 1];
        struct cw_branch_names names = {0}, refused = {0};
        if (cw_branch_requires(a, branches, branch, &names) && any_is(&names, cw_is_other_makers_macro))
            return true;
        bool is_else = cw_str_is(one->word, "else") && one->before && !branches->at[one->before - 1].before;
        if (is_else && cw_branch_requires(a, branches, one->before, &refused) && refused.n == 1 &&
            is_nvidia_platform(refused.at[0]))
            return true;
    }
    return false;
}

/* ---- paths ---- */

/* A word of a file's or folder's name, in lower case letters; words are parted by anything but letters. */
static bool has_word(cw_str name, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i < name.n;) {
        size_t from = i;
        while (i < name.n && isalpha((unsigned char)name.at[i]))
            i++;
        if (i - from == length && !strncasecmp(name.at + from, word, length))
            return true;
        i += i == from;
    }
    return false;
}

static bool names_other_maker(cw_str name) {
    static const char *const words[] = {"hip", "rocm", "musa", "sycl", "hcc"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (has_word(name, words[i]))
            return true;
    return false;
}

static bool names_cuda(cw_str name) {
    return has_word(name, "cuda") || has_word(name, "nvidia");
}

/* ".hip" or ".hip.": as in scan.hip, scan.hip.cpp. */
static bool has_hip_ending(cw_str name) {
    for (size_t i = 0; i + 4 <= name.n; i++)
        if (!strncmp(name.at + i, ".hip", 4) && (i + 4 == name.n || name.at[i + 4] == '.'))
            return true;
    return false;
}

bool cw_path_is_other_makers(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (has_hip_ending(cw_str_of(base)))
        return true;
    while (slash) {
        const char *end = slash;
        for (slash = end; slash > path && slash[-1] != '/';)
            slash--;
        cw_str folder = {slash, (size_t)(end - slash)};
        if (names_other_maker(folder) || names_cuda(folder))
            return !names_cuda(folder);
        slash = slash > path ? slash - 1 : NULL;
    }
    return false;
}
