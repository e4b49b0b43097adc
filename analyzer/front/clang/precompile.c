/* The prelude of the shim as a precompiled header. */
#include "front/front.h"
#include "front/shim/shim.h"

#include <clang-c/Index.h>
#include <string.h>

#define UNIT CW_SHIM_ROOT "/cuwarp/prelude.cuh"

struct arguments {
    CW_VEC(const char *) list;
};

static void add_all(struct cw_arena *a, struct arguments *to, const char *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        cw_vec_push(a, &to->list, args[i]);
}

/* Macros and search paths may differ between the units that share one prelude. */
static bool is_of_one_unit(const char *arg, bool *takes_next) {
    static const char *const attached[] = {"-D", "-U", "-I"};
    static const char *const separate[] = {"-isystem", "-iquote", "-include", "-idirafter"};
    *takes_next = false;
    for (size_t i = 0; i < sizeof attached / sizeof *attached; i++)
        if (strncmp(arg, attached[i], 2) == 0) {
            *takes_next = arg[2] == '\0';
            return true;
        }
    for (size_t i = 0; i < sizeof separate / sizeof *separate; i++)
        if (strncmp(arg, separate[i], strlen(separate[i])) == 0) {
            *takes_next = strcmp(arg, separate[i]) == 0;
            return true;
        }
    return false;
}

static void add_users(struct cw_arena *a, struct arguments *to, const struct cw_front_options *o) {
    bool has_standard = false, takes_next;
    for (uint32_t i = 0; i < o->nargs; i++)
        has_standard |= strncmp(o->args[i], "-std=", 5) == 0;
    if (!has_standard)
        cw_vec_push(a, &to->list, "-std=c++17");
    for (uint32_t i = 0; i < o->nargs; i++) {
        if (!is_of_one_unit(o->args[i], &takes_next))
            cw_vec_push(a, &to->list, o->args[i]);
        else
            i += takes_next;
    }
}

static struct CXUnsavedFile *unsaved(struct cw_arena *a, uint32_t *n) {
    static const char text[] = "#include \"" CW_SHIM_PRELUDE "\"\n";
    uint32_t shims;
    const struct cw_shim_file *shim = cw_shim_files(&shims);
    struct CXUnsavedFile *files = CW_NEW_ARRAY(a, struct CXUnsavedFile, shims + 1);
    for (uint32_t i = 0; i < shims; i++)
        files[i] = (struct CXUnsavedFile){shim[i].path, shim[i].text, shim[i].size};
    files[shims] = (struct CXUnsavedFile){UNIT, text, sizeof text - 1};
    *n = shims + 1;
    return files;
}

bool cw_front_clang_precompile(const struct cw_front_options *o, const char *path) {
    if (o->cuda_path)
        return false;
    struct cw_arena a;
    struct arguments args = {0};
    uint32_t n, nfiles;
    cw_arena_init(&a);
    const char *const *fixed = cw_shim_precompiled_args(&a, NULL, &n);
    add_all(&a, &args, fixed, n);
    fixed = cw_shim_arch_args(&a, o->arch ? o->arch : 75, &n);
    add_all(&a, &args, fixed, n);
    add_users(&a, &args, o);
    struct CXUnsavedFile *files = unsaved(&a, &nfiles);
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode e = clang_parseTranslationUnit2(index, UNIT, args.list.at, (int)args.list.n, files, nfiles,
                                                     CXTranslationUnit_Incomplete | CXTranslationUnit_ForSerialization,
                                                     &unit);
    bool saved = e == CXError_Success &&
                 clang_saveTranslationUnit(unit, path, CXSaveTranslationUnit_None) == CXSaveError_None;
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    cw_arena_free(&a);
    return saved;
}
