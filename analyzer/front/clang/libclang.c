/* Finds and loads libclang. See libclang.h for why, docs/internals/front-end.md for the order of the search. */
#include "front/clang/libclang.h"

#include "base/arena.h"
#include "front/front.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cw_libclang cw_libclang;

static const char *const names[] = {
#define CW_LIBCLANG(name) #name,
#include "front/clang/libclang.def"
};

enum { NNAMES = sizeof names / sizeof *names };
_Static_assert(sizeof cw_libclang == NNAMES * sizeof(void *), "one pointer per name");

/* Without a file that can be named beforehand: whatever the loader knows, newest tested first. */
static const char *const sonames[] = {"libclang-19.so.19", "libclang.so.19.1", "libclang-18.so.18", "libclang.so.18.1",
                                      "libclang-17.so.17", "libclang.so.17",   "libclang-20.so.20", "libclang.so"};

static struct {
    void *handle;
    char path[PATH_MAX]; /* of the library; empty: not found yet */
    char error[PATH_MAX + 256];
} library;

static bool take_path(const char *path) {
    return path && *path && realpath(path, library.path) && access(library.path, R_OK) == 0;
}

/* The PyPI package `libclang` beside this program: PREFIX/bin/cuwarp-lint, PREFIX/lib/python3.N/site-packages/… */
static bool take_from_python(void) {
    char program[PATH_MAX], pattern[PATH_MAX + 80];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = n > 0 ? (program[n] = '\0', strrchr(program, '/')) : NULL;
    glob_t found;
    if (!slash)
        return false;
    *slash = '\0';
    snprintf(pattern, sizeof pattern, "%s/../lib*/python3*/{site,dist}-packages/clang/native/libclang.so", program);
    bool taken = glob(pattern, GLOB_BRACE, NULL, &found) == 0 && take_path(found.gl_pathv[0]);
    globfree(&found);
    return taken;
}

static const char *file_of(void *handle) {
    void *address = dlsym(handle, names[0]);
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

static bool take_from_loader(void) {
    for (size_t i = 0; i < sizeof sonames / sizeof *sonames; i++) {
        void *handle = dlopen(sonames[i], RTLD_LAZY | RTLD_LOCAL);
        if (handle && take_path(file_of(handle))) {
            library.handle = handle;
            return true;
        }
    }
    return false;
}

static bool locate_library(void) {
    const char *chosen = getenv("CUWARP_LIBCLANG");
    if (library.path[0])
        return true;
    if (chosen && *chosen) {
        if (!take_path(chosen))
            snprintf(library.error, sizeof library.error, "CUWARP_LIBCLANG=%s: no such library", chosen);
    } else if (!take_path(CUWARP_LIBCLANG_FILE) && !take_from_python() && !take_from_loader()) {
        snprintf(library.error, sizeof library.error,
                 "libclang 17 or later was not found: install it (Debian: libclang1-19; "
                 "or `pip install libclang`), or name its file in CUWARP_LIBCLANG");
    }
    if (library.error[0])
        library.path[0] = '\0';
    return library.path[0] != '\0';
}

/* ISO C has no cast from dlsym's result to a function, POSIX promises that the bytes are the same. */
static bool resolve_names(void) {
    for (size_t i = 0; i < NNAMES; i++) {
        void *address = dlsym(library.handle, names[i]);
        if (!address) {
            snprintf(library.error, sizeof library.error, "%s: no %s: LLVM 17 or later is needed", library.path,
                     names[i]);
            return false;
        }
        memcpy((char *)&cw_libclang + i * sizeof address, &address, sizeof address);
    }
    return true;
}

bool cw_front_clang_load(const char **error) {
    static bool is_loaded;
    if (!is_loaded && !library.error[0] && locate_library()) {
        if (!library.handle && !(library.handle = dlopen(library.path, RTLD_LAZY | RTLD_LOCAL)))
            snprintf(library.error, sizeof library.error, "%s", dlerror());
        is_loaded = library.handle && resolve_names();
    }
    if (!is_loaded)
        *error = library.error;
    return is_loaded;
}

const char *cw_front_clang_problem(void) {
    return library.error[0] ? library.error : NULL;
}

const char *cw_front_clang_library(void) {
    return locate_library() ? library.path : NULL;
}

const char *cw_front_clang_version(struct cw_arena *a, const char **error) {
    if (!cw_front_clang_load(error))
        return NULL;
    CXString version = clang_getClangVersion();
    const char *text = clang_getCString(version);
    const char *out = cw_arena_printf(a, "%s (%s)", text ? text : "unknown version", library.path);
    clang_disposeString(version);
    return out;
}
