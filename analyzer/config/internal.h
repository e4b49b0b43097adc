/* Between config.c (which files) and read.c (what one says). */
#ifndef CW_CONFIG_INTERNAL_H
#define CW_CONFIG_INTERNAL_H

#include "config/config.h"

enum cw_key_kind {
    CW_KIND_FLAG,
    CW_KIND_NUMBER,
    CW_KIND_TEXT,
    CW_KIND_NAMES,
    CW_KIND_JOINED,
    CW_KIND_TEXTS,
    CW_KIND_PATH,
    CW_KIND_PATHS,
    CW_KIND_PATTERNS,
    CW_KIND_LEVELS,
    CW_KIND_OVERRIDES
};

enum cw_key_kind cw_key_kind(enum cw_key key);
/* CW_NKEYS when there is none of that name. */
enum cw_key cw_key_find(cw_str name);

/* `path` from `directory`, unless it is absolute. */
const char *cw_config_join(struct cw_arena *a, const char *directory, const char *path);

#endif
