#include "engine/included.h"

#include "base/hash.h"
#include "base/map.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The path, the line and the kernel's name in one hash. */
static uint64_t key_of(const char *path, uint32_t line, const char *kernel) {
    char real[PATH_MAX];
    const char *full = realpath(path, real) ? real : path;
    return cw_hash(full, strlen(full), cw_hash(kernel, strlen(kernel), line));
}

static bool is_known(const struct cw_map *complete, const struct cw_place *place, const char *kernel) {
    return kernel && place->file && cw_map_get(complete, key_of(place->file, place->line, kernel), NULL);
}

static void count_in(struct cw_file_result *result, const struct cw_map *complete) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->partial.n; i++) {
        if (is_known(complete, &result->partial.at[i].place, result->partial.at[i].kernel)) {
            result->degraded--;
            result->analysed++;
            continue;
        }
        result->partial.at[kept++] = result->partial.at[i];
    }
    result->partial.n = kept;
    kept = 0;
    for (uint32_t i = 0; i < result->skipped.n; i++) {
        if (is_known(complete, &result->skipped.at[i].place, result->skipped.at[i].kernel)) {
            result->analysed++;
            continue;
        }
        result->skipped.at[kept++] = result->skipped.at[i];
    }
    result->skipped.n = kept;
}

void cw_included_count(struct cw_file_result *results, uint32_t n, struct cw_arena *a) {
    struct cw_map complete;
    bool any = false;
    cw_map_init(&complete, a);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < results[i].complete.n; k++) {
            const struct cw_remark *c = &results[i].complete.at[k];
            cw_map_put(&complete, key_of(c->place.file, c->place.line, c->text), 1);
            any = true;
        }
    for (uint32_t i = 0; any && i < n; i++)
        if (!results[i].failed)
            count_in(&results[i], &complete);
}
