/* How the tool would have libclang read each file: what it infers of include folders and the architecture, as a list
 * for cuwarp-bare-parse --list. So that the yardstick reads the same headers, and what finding them costs is the
 * tool's.
 *
 *     cuwarp-arguments FILE… > LIST */
#include "engine/flags.h"
#include "engine/known_files.h"
#include "engine/run.h"
#include "engine/sources.h"

#include <stdio.h>

static int print(struct cw_flags *flags, const char *path) {
    const char *error = NULL;
    struct cw_unit_options *o = cw_flags_of(flags, path, &error);
    if (!o) {
        fprintf(stderr, "cuwarp-arguments: %s: %s\n", path, error);
        return 1;
    }
    printf("file %s\narch %u\n", path, o->archs[0]);
    for (uint32_t i = 0; i < o->nargs; i++)
        printf("arg %s\n", o->args[i]);
    return 0;
}

int main(int argc, char **argv) {
    struct cw_run_options o = {.paths = (const char *const *)argv + 1, .npaths = (uint32_t)(argc - 1), .jobs = 1,
                               .unit = {.archs = {75}, .narchs = 1}};
    const char *error = NULL;
    struct cw_arena a;
    int failed = 0;
    cw_arena_init(&a);
    struct cw_cache *none = cw_cache_open(&a, NULL, 0, (struct cw_hash128){0});
    struct cw_known_files *known = cw_known_files_open(none, &a, o.paths, o.npaths);
    struct cw_sources sources;
    cw_sources_init(&sources, &a);
    struct cw_inputs inputs = cw_run_inputs(&o, &a, &error);
    struct cw_flags *flags = error ? NULL : cw_flags_open(&o, &inputs, &sources, known, &a, &error);
    if (!flags) {
        fprintf(stderr, "cuwarp-arguments: %s\n", error);
        return 1;
    }
    for (uint32_t i = 0; i < inputs.paths.n; i++)
        failed |= print(flags, inputs.paths.at[i]);
    cw_flags_close(flags);
    cw_arena_free(&a);
    return failed;
}
