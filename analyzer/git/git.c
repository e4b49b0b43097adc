#include "git/git.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* POSIX lets dlsym's result be a function, ISO C knows no such cast. */
static bool load_symbol(void *library, const char *name, void *target, size_t size) {
    void *address = dlsym(library, name);
    memcpy(target, &address, size);
    return address != NULL;
}

const struct cw_git *cw_git_load(void) {
    static struct cw_git git;
    static bool tried, good;
    if (tried)
        return good ? &git : NULL;
    tried = true;
    void *library = dlopen(CUWARP_LIBGIT2, RTLD_NOW | RTLD_LOCAL);
    good = library != NULL;
#define CW_GIT(name) good = good && load_symbol(library, "git_" #name, &git.name, sizeof git.name);
#include "git/functions.def"
    good = good && git.libgit2_init() >= 0;
    return good ? &git : NULL;
}
