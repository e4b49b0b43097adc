#include "front/shim/shim.h"

#include <ctype.h>
#include <string.h>

extern const struct cw_shim_file cw_shim_table[];
extern const uint32_t cw_shim_table_size;

const struct cw_shim_file *cw_shim_files(uint32_t *n) {
    *n = cw_shim_table_size;
    return cw_shim_table;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool cw_shim_mentions(const char *word, size_t n) {
    for (uint32_t i = 0; n && i < cw_shim_table_size; i++) {
        const struct cw_shim_file *f = &cw_shim_table[i];
        const char *end = f->text + f->size, *at = f->text;
        while ((at = memmem(at, (size_t)(end - at), word, n))) {
            if ((at == f->text || !is_word(at[-1])) && (at + n == end || !is_word(at[n])))
                return true;
            at++;
        }
    }
    return false;
}

/* Device side only: one pass that defines __CUDA_ARCH__ and still parses every host function. Neither warnings nor
 * spelling corrections are looked at, and both cost time. The toolkit folder is named so that clang searches for none.
 */
static const char *const shim_args[] = {
    "-x", "cuda",
    "--cuda-device-only", "--cuda-path=" CW_SHIM_ROOT "/none",
    "-nocudainc", "-nocudalib", "-nogpulib",
    "-nostdinc", "-nostdinc++", "-nobuiltininc",
    "-isystem", CW_SHIM_ROOT,
    "-Wno-everything", "-ferror-limit=0", "-fno-spell-checking", "-ftemplate-depth=256", "-fconstexpr-steps=100000",
    "-Xclang", "-fcuda-allow-variadic-functions",
    "-include", CW_SHIM_PRELUDE, /* last: see cw_shim_precompiled_args */
};

const char *const *cw_shim_args(uint32_t *n) {
    *n = sizeof shim_args / sizeof shim_args[0];
    return shim_args;
}

const char *const *cw_shim_precompiled_args(struct cw_arena *a, const char *path, uint32_t *n) {
    uint32_t all = sizeof shim_args / sizeof shim_args[0];
    const char **args = CW_NEW_ARRAY(a, const char *, all);
    memcpy(args, shim_args, sizeof shim_args);
    *n = path ? all : all - 2;
    if (path) {
        args[all - 2] = "-include-pch";
        args[all - 1] = path;
    }
    return args;
}

const char *const *cw_shim_toolkit_args(struct cw_arena *a, const char *cuda_path, uint32_t *n,
                                        struct cw_shim_file *stub) {
    const char *const args[] = {
        "-x", "cuda",
        "--cuda-device-only", cw_arena_printf(a, "--cuda-path=%s", cuda_path),
        "-nocudalib", "-nogpulib",
        "-isystem", cw_arena_printf(a, "%s/include/cccl", cuda_path),
        "-Wno-everything", "-ferror-limit=0", "-fno-spell-checking", "-ftemplate-depth=256",
    };
    const char **copy = CW_NEW_ARRAY(a, const char *, sizeof args / sizeof args[0]);
    memcpy(copy, args, sizeof args);
    *n = sizeof args / sizeof args[0];
    *stub = (struct cw_shim_file){cw_arena_printf(a, "%s/include/texture_fetch_functions.h", cuda_path), "", 0};
    return copy;
}

const char *const *cw_shim_arch_args(struct cw_arena *a, uint32_t arch, uint32_t *n) {
    /* clang knows only the architectures of its own time, so it gets one it knows and the macro says the real one. */
    const char **args = CW_NEW_ARRAY(a, const char *, 3);
    args[0] = "--cuda-gpu-arch=sm_75";
    args[1] = "-U__CUDA_ARCH__";
    args[2] = cw_arena_printf(a, "-D__CUDA_ARCH__=%u0", arch);
    *n = 3;
    return args;
}
