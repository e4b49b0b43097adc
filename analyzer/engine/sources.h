/* Files' texts, each read once. */
#ifndef CW_ENGINE_SOURCES_H
#define CW_ENGINE_SOURCES_H

#include "base/intern.h"
#include "source/source.h"

/* Text in place of what the disk has, whatever name a file is reached by. */
struct cw_override {
    const char *real; /* path without links; or the name of what is no file */
    const struct cw_source *source;
};

struct cw_sources {
    struct cw_arena *arena;
    CW_VEC(struct cw_override) overrides;
    struct cw_intern names;
    struct cw_map loaded; /* interned path -> struct cw_source * (NULL: could not be read) */
};

void cw_sources_init(struct cw_sources *s, struct cw_arena *a);
/* Text that is not on the disk under this name: standard input. */
void cw_sources_put(struct cw_sources *s, const char *path, struct cw_source *source);
/* From now on the file has this text for everyone who asks here, and for the front ends (cw_front_options.files). A
 * later call for the same file takes the place of this one. */
void cw_sources_override(struct cw_sources *s, const char *path, const struct cw_source *source);
/* The text that an override gives the file; NULL: none does. */
const struct cw_source *cw_sources_overridden(const struct cw_sources *s, const char *path);
/* NULL and *error (arena text) when it cannot be read. `error` may be NULL. */
const struct cw_source *cw_sources_get(struct cw_sources *s, const char *path, const char **error);

/* The same as a callback for emitters, rules and fingerprints; ctx is a struct cw_sources. */
const struct cw_source *cw_sources_callback(void *ctx, const char *path);

#endif
