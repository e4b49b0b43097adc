#include "config/internal.h"

static const struct {
    const char *name;
    enum cw_key_kind kind;
    enum cw_key_reach reach;
    const char *missing;
} keys[CW_NKEYS] = {
#define CW_KEY(id, name, kind, reach, missing) {name, CW_KIND_##kind, CW_OF_##reach, missing},
#include "config/keys.def"
};

const char *cw_key_name(enum cw_key key) {
    return keys[key].name;
}

enum cw_key_reach cw_key_reach(enum cw_key key) {
    return keys[key].reach;
}

const char *cw_key_missing(enum cw_key key) {
    return keys[key].missing;
}

enum cw_key_kind cw_key_kind(enum cw_key key) {
    return keys[key].kind;
}

enum cw_key cw_key_find(cw_str name) {
    for (int k = 0; k < CW_NKEYS; k++)
        if (cw_str_is(name, keys[k].name))
            return (enum cw_key)k;
    return CW_NKEYS;
}

bool cw_key_is_list(enum cw_key key) {
    switch (keys[key].kind) {
    case CW_KIND_NAMES:
    case CW_KIND_TEXTS:
    case CW_KIND_PATHS:
    case CW_KIND_PATTERNS:
    case CW_KIND_LEVELS: return true;
    default: return false;
    }
}
