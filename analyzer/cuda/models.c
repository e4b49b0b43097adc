/* See models.h. */
#include "cuda/models.h"

#include "base/str.h"

#include <string.h>

static bool ends_in_scope(const char *prefix, size_t n) {
    return n > 2 && prefix[n - 1] == ':';
}

/* A name of the user's own that only begins alike, `freeList` or `stdPush`, is another. */
static bool begins_with(const char *name, const char *prefix) {
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
        if (begins_with(qualified, prefixes[k]))
            return !is_for_waiting(qualified);
    return false;
}

/* ---- collectives ---- */

enum { FIRST_ID = 1 << 24 };

enum class_index {
#define CW_COLLECTIVE_CLASS(name, scope, header, x, y, z, algorithm) CLASS_##name,
#include "cuda/models/collectives.def"
};

static const struct cw_collective_class classes[] = {
#define CW_COLLECTIVE_CLASS(name, scope, header, x, y, z, algorithm) {#name, CW_SCOPE_##scope, {x, y, z}, algorithm},
#include "cuda/models/collectives.def"
};

static const struct cw_collective collectives[] = {
#define CW_COLLECTIVE(class, member, result, roles, valid, storage, alone, warps)                                      \
    {&classes[CLASS_##class], #member, roles, CW_VALID_##valid, CW_STORAGE_##storage, alone, warps},
#include "cuda/models/collectives.def"
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* Behind the last namespace called "cub" or "hipcub"; NULL: there is none. */
static const char *behind_cub(const char *qualified) {
    const char *behind = NULL;
    for (const char *at = qualified; at != NULL; at = strstr(at, "::"), at = at ? at + 2 : NULL)
        if (strncmp(at, "cub::", 5) == 0 || strncmp(at, "hipcub::", 8) == 0)
            behind = strstr(at, "::") + 2;
    return behind;
}

const struct cw_collective *cw_collective_find(const char *qualified) {
    const char *name = behind_cub(qualified), *member = name ? strstr(name, "::") : NULL;
    if (member == NULL)
        return NULL;
    for (uint32_t k = 0; k < COLLECTIVES; k++)
        if (strcmp(member + 2, collectives[k].member) == 0 &&
            cw_str_is((cw_str){name, (size_t)(member - name)}, collectives[k].of->name))
            return &collectives[k];
    return NULL;
}

int cw_collective_base_argument(const char *qualified) {
    static const struct {
        const char *name;
        int argument;
    } bases[] = {
#define CW_COLLECTIVE_BASE(name, argument) {#name, argument},
#include "cuda/models/collectives.def"
    };
    const char *name = behind_cub(qualified), *member = name ? strstr(name, "::") : NULL;
    for (size_t k = 0; member && k < sizeof bases / sizeof *bases; k++)
        if (cw_str_is((cw_str){name, (size_t)(member - name)}, bases[k].name))
            return bases[k].argument;
    return -1;
}

uint32_t cw_collective_id(const struct cw_collective *collective) {
    return FIRST_ID + (uint32_t)(collective - collectives);
}

const struct cw_collective *cw_collective_at(uint32_t intrinsic) {
    return intrinsic >= FIRST_ID && intrinsic - FIRST_ID < COLLECTIVES ? &collectives[intrinsic - FIRST_ID] : NULL;
}

char cw_collective_role(const struct cw_collective *collective, uint32_t k) {
    size_t last = strlen(collective->roles) - 1;
    return collective->roles[k < last ? k : last];
}
