/* Which libclang this is. */
#include "base/arena.h"
#include "front/front.h"

#include <clang-c/Index.h>
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

static const char *library_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "linked in";
}

const char *cw_front_clang_version(struct cw_arena *a) {
    CXString (*function)(void) = clang_getClangVersion;
    void *address;
    memcpy(&address, &function, sizeof address);
    CXString version = clang_getClangVersion();
    const char *text = clang_getCString(version);
    const char *out = cw_arena_printf(a, "%s (%s)", text ? text : "unknown version", library_of(address));
    clang_disposeString(version);
    return out;
}
