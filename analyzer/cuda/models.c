/* See models.h. */
#include "cuda/models.h"

#include <string.h>

static bool ends_in_scope(const char *prefix, size_t n) {
    return n > 2 && prefix[n - 1] == ':';
}

/* A name of the user's own that only begins alike, `freeList` or `stdPush`, is another. */
static bool begins(const char *name, const char *prefix) {
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0)
        return false;
    bool is_family = ends_in_scope(prefix, n) || prefix[n - 1] == '_' || strncmp(prefix, "__", 2) == 0 ||
                     strncmp(prefix, "cuda", 4) == 0 || strncmp(prefix, "curand", 6) == 0;
    return is_family || name[n] == '\0';
}

/* What these namespaces have for threads to wait with. */
static bool is_for_waiting(const char *name) {
    static const char *const words[] = {"barrier", "latch", "semaphore", "mutex", "pipeline", "atomic_flag", "wait"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strstr(name, words[k]))
            return true;
    return false;
}

bool cw_model_is_syncfree(const char *qualified) {
    static const char *const prefixes[] = {
#define CW_SYNCFREE(prefix) prefix,
#include "cuda/models/syncfree.def"
    };
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        if (begins(qualified, prefixes[k]))
            return !is_for_waiting(qualified);
    return false;
}
