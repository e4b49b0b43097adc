/* Configuration files: .cuwarp-lint.yaml (or .yml), the nearest one up the tree from each file.
 *
 * A file becomes sections: its own keys, and each entry of `overrides` with its path patterns; what it extends comes
 * before it. What holds for a source file is the settings of the sections that match it, later ones over earlier ones.
 * Settings are texts as the command line would have them; what they mean is checked by whoever gives `check`. */
#ifndef CW_CONFIG_CONFIG_H
#define CW_CONFIG_CONFIG_H

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define CW_CONFIG_NAME ".cuwarp-lint.yaml"
#define CW_CONFIG_OTHER_NAME ".cuwarp-lint.yml" /* read where the first does not exist */

enum cw_key {
#define CW_KEY(id, name, kind, reach, missing) CW_KEY_##id,
#include "config/keys.def"
    CW_NKEYS
};

enum cw_key_reach { CW_OF_FILE, CW_OF_RUN, CW_OF_TREE };

/* How a value is written, see config/keys.def. */
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

const char *cw_key_name(enum cw_key key);
enum cw_key_reach cw_key_reach(enum cw_key key);
enum cw_key_kind cw_key_kind(enum cw_key key);
/* What holds when it is not given, or NULL. */
const char *cw_key_missing(enum cw_key key);
/* Several settings of it hold at once, as those of a list do. */
bool cw_key_is_list(enum cw_key key);

struct cw_setting {
    enum cw_key key;
    const char *value;
    const char *origin; /* "src/.cuwarp-lint.yaml:3:1", for people */
};

struct cw_settings { struct cw_setting *at; uint32_t n, cap; };

struct cw_section {
    const char *directory;       /* absolute; patterns and `paths` are meant from there */
    CW_VEC(const char *) paths;  /* patterns; none: holds for every file */
    struct cw_settings settings;
};

struct cw_config {
    const char *path;  /* absolute */
    const char *shown; /* as messages call it */
    CW_VEC(const struct cw_section *) sections; /* those of extended files first */
};

/* NULL, or what is wrong with a setting's value (arena text), without its place. */
typedef const char *cw_config_check(void *ctx, struct cw_arena *a, const struct cw_setting *s);

struct cw_configs {
    struct cw_arena *arena;
    cw_config_check *check; /* may be NULL */
    void *ctx;
    const char *here;       /* the working directory, absolute, or NULL; for names in messages */
    bool hides_text;        /* the text read next lies outside of the project: messages do not quote it */
    struct cw_intern names;
    struct cw_map files;       /* interned path -> struct cw_config * */
    struct cw_map directories; /* interned directory -> struct cw_config *, NULL: none above it */
};

void cw_configs_init(struct cw_configs *c, struct cw_arena *a, cw_config_check *check, void *ctx);

/* One text, as of the file `path` (absolute, for what is relative to it); its `extend` are given back unread.
 * NULL, or what is wrong, with its place (arena text). */
const char *cw_config_parse(struct cw_configs *c, cw_str text, const char *path, const char *shown,
                            struct cw_config *out, struct cw_settings *extends);

/* A file with all that it extends. NULL and *error (arena text) when one of them cannot be read or is wrong. */
const struct cw_config *cw_config_load(struct cw_configs *c, const char *path, const char **error);

/* What holds in an absolute directory, NULL: nothing does, or *error is set. */
const struct cw_config *cw_config_of(struct cw_configs *c, const char *directory, const char **error);

/* "possible=true" from a command line, paths in it from `directory`. NULL, or what is wrong. */
const char *cw_config_parse_pair(struct cw_configs *c, const char *pair, const char *directory,
                                 struct cw_settings *out);

/* Does the section hold for this absolute path? */
bool cw_section_matches(const struct cw_section *s, const char *path);

/* Do the patterns of `exclude` and `extend-exclude` leave the absolute path out? A later section's `exclude` replaces
 * what came before. `sections` as in struct cw_config. */
bool cw_config_excludes(const struct cw_section *const *sections, uint32_t n, const char *path, bool is_directory);

#endif
