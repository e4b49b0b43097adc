/* How each file of a run is parsed: what the command line says, what a compile_commands.json says, and the include
 * directories that the tree itself suggests. */
#ifndef CW_ENGINE_FLAGS_H
#define CW_ENGINE_FLAGS_H

#include "compdb/options.h"
#include "engine/inputs.h"
#include "engine/run.h"

struct cw_flags;
struct cw_known_files;

/* For a run over `inputs`; `known` spares reading some of them. NULL and *error (arena text) when the database that the
 * options name cannot be read. */
struct cw_flags *cw_flags_open(const struct cw_run_options *o, const struct cw_inputs *inputs,
                               struct cw_sources *sources, struct cw_known_files *known, struct cw_arena *a,
                               const char **error);
/* The file's options with its arguments and architectures, in the arena. To be asked for each file once, in the sorted
 * order: the walk for headers then goes the same way in every run. NULL and *error when a configuration is wrong. */
struct cw_unit_options *cw_flags_of(struct cw_flags *f, const char *path, const char **error);
/* Files whose kernels others launch get these as options->launchers, and files that may be parts of others get these as
 * options->includers. To be called once, when all files have been asked about. False and *error when a configuration is
 * wrong. */
bool cw_flags_link(struct cw_flags *f, const char **error);
/* What headers that a unit begins with rest on: these headers and all that they include, whatever the unit is. */
struct cw_beginning {
    struct cw_hash128 contents; /* of the names and texts of all files */
    const char *const *files;   /* absolute paths */
    uint32_t nfiles;
};
/* `headers` (absolute) in their order, read with the arguments of the unit. False when their files cannot all be told.
 */
bool cw_flags_beginning(struct cw_flags *f, const struct cw_unit_options *o, const char *const *headers, uint32_t n,
                        struct cw_beginning *out);
/* Is `header` somebody else's, to a run in which `path` included it: a third-party directory, a submodule, a copy of
 * the toolkit, or outside of the repository? */
bool cw_flags_is_foreign(struct cw_flags *f, const char *path, const char *header);
/* Adds the arguments of a compiler's command line, without the toolkit's and the host's own include directories: theirs
 * would be read in place of the built-in headers. */
void cw_flags_add_compile(struct cw_arena *a, const struct cw_compile *c, struct cw_words *out);
void cw_flags_close(struct cw_flags *f);

#endif
