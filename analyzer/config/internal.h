/* Between config.c (which files) and read.c (what one says). */
#ifndef CW_CONFIG_INTERNAL_H
#define CW_CONFIG_INTERNAL_H

#include "config/config.h"

/* CW_NKEYS when there is none of that name. */
enum cw_key cw_key_find(cw_str name);

/* `path` from `directory`, unless it is absolute. */
const char *cw_config_join(struct cw_arena *a, const char *directory, const char *path);

#endif
