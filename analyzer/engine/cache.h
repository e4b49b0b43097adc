/* Results of earlier runs, one file per unit, under a key that names everything they depend on.
 *
 * An entry is what a worker wrote to its pipe, so a run with entries says byte for byte what a run without them says.
 * Nothing that happens to the folder can do more than cost time: entries carry their hash and are replaced by rename.
 */
#ifndef CW_ENGINE_CACHE_H
#define CW_ENGINE_CACHE_H

#include "base/hash.h"
#include "base/str.h"
#include "engine/pipeline.h"

struct cw_cache;

enum { CW_CACHE_MEGABYTES = 256 };

/* `folder` is made when the first entry is. `tool`: what tells this build of the program, and its parser, from others.
 * NULL `folder`: a cache that holds nothing and takes nothing. */
struct cw_cache *cw_cache_open(struct cw_arena *a, const char *folder, uint64_t max_bytes, struct cw_hash128 tool);

/* $XDG_CACHE_HOME/cuwarp-lint, else ~/.cache/cuwarp-lint; NULL when neither is known. */
const char *cw_cache_default_folder(struct cw_arena *a);
/* The program's build and its libclang. */
struct cw_hash128 cw_cache_tool(void);

/* False when the unit's result may rest on more than its options and files tell. */
bool cw_cache_key(struct cw_cache *c, const char *path, const struct cw_unit_options *o, struct cw_hash128 *key);
/* Nobody changes the files below this folder (a real path) while the cache is open: they count as settled. */
void cw_cache_trust(struct cw_cache *c, const char *folder);

/* For an entry of another kind, by the bytes that it depends on. */
struct cw_hash128 cw_cache_key_of(const struct cw_cache *c, const char *kind, const char *at, size_t n);
bool cw_cache_is_on(const struct cw_cache *c);
/* Had the file been as it is for long enough when the cache was opened, that a later change cannot look the same? */
struct stat;
bool cw_cache_is_settled(const struct cw_cache *c, const struct stat *st);

/* What was stored, or false. */
bool cw_cache_load(struct cw_cache *c, struct cw_hash128 key, struct cw_buf *out);
void cw_cache_store(struct cw_cache *c, struct cw_hash128 key, const char *text, size_t n);

/* Large files, under the hash of what they hold: those that an entry speaks of. A quarter of the bound is for them. */
/* Makes the folder for them; false when they cannot be kept. */
bool cw_cache_takes_files(const struct cw_cache *c);
/* Copies the open file and says its hash; false: it is not kept. */
bool cw_cache_store_file(struct cw_cache *c, int fd, struct cw_hash128 *content);
/* The file that holds this, open for reading; -1 when there is none, or none that is whole. */
int cw_cache_open_file(const struct cw_cache *c, struct cw_hash128 content);

/* Are all files that the worker opened among those the key was made of, and these as they were when the cache was
 * opened? It is opened before they are looked at. */
bool cw_cache_covers(struct cw_cache *c, const struct cw_unit_options *o, const char *const *reads, uint32_t n);

/* Removes the entries used longest ago where this run made a folder outgrow its share. */
void cw_cache_close(struct cw_cache *c);

#endif
