/* Unique copies of strings: equal text gives the same pointer, so names compare with ==. */
#ifndef CW_BASE_INTERN_H
#define CW_BASE_INTERN_H

#include "base/map.h"

struct cw_intern {
    struct cw_arena *arena;
    struct cw_map chains; /* text hash -> newest struct in the chain */
};

void cw_intern_init(struct cw_intern *in, struct cw_arena *a);

/* Returns the one NUL-terminated copy of the text, owned by the arena. */
const char *cw_intern_n(struct cw_intern *in, const char *text, size_t n);
const char *cw_intern(struct cw_intern *in, const char *text);
/* The copy that there is already, or NULL. */
const char *cw_intern_find(const struct cw_intern *in, const char *text);
const char *cw_intern_find_n(const struct cw_intern *in, const char *text, size_t n);

#endif
