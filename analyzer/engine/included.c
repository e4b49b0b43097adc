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

/* An includer's reading of the kernel that has the fewest reasons; NULL: no file includes it. */
static const struct cw_partial *best_reading(const struct cw_map *readings, const struct cw_place *place,
                                             const char *kernel) {
    uint64_t found;
    if (!kernel || !place->file || !cw_map_get(readings, key_of(place->file, place->line, kernel), &found))
        return NULL;
    return (const struct cw_partial *)(uintptr_t)found;
}

/* Of the kernels that are in part: the reasons of the best reading, or they count as analysed. */
static void settle_partial(struct cw_file_result *result, const struct cw_map *readings) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->partial.n; i++) {
        struct cw_partial *own = &result->partial.at[i];
        const struct cw_partial *best = best_reading(readings, &own->place, own->kernel);
        if (best && best->reasons.n < own->reasons.n)
            memcpy(&own->reasons, &best->reasons, sizeof own->reasons);
        if (own->reasons.n)
            result->partial.at[kept++] = *own;
    }
    result->degraded -= result->partial.n - kept;
    result->analysed += result->partial.n - kept;
    result->partial.n = kept;
}

static void settle_skipped(struct cw_file_result *result, const struct cw_map *readings) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->skipped.n; i++) {
        const struct cw_partial *best =
            best_reading(readings, &result->skipped.at[i].place, result->skipped.at[i].kernel);
        if (!best || best->reasons.n)
            result->skipped.at[kept++] = result->skipped.at[i];
    }
    result->analysed += result->skipped.n - kept;
    result->skipped.n = kept;
}

static struct cw_map readings_of(const struct cw_file_result *results, uint32_t n, struct cw_arena *a) {
    struct cw_map readings;
    cw_map_init(&readings, a);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < results[i].included.n; k++) {
            const struct cw_partial *p = &results[i].included.at[k];
            const struct cw_partial *best = best_reading(&readings, &p->place, p->kernel);
            if (!best || p->reasons.n < best->reasons.n)
                cw_map_put(&readings, key_of(p->place.file, p->place.line, p->kernel), (uint64_t)(uintptr_t)p);
        }
    return readings;
}

void cw_included_count(struct cw_file_result *results, uint32_t n, struct cw_arena *a) {
    struct cw_map readings = readings_of(results, n, a);
    for (uint32_t i = 0; i < n; i++)
        if (!results[i].failed) {
            settle_partial(&results[i], &readings);
            settle_skipped(&results[i], &readings);
        }
}

static void count_kernel(struct cw_file_result *result, const struct cw_partial *kernel, struct cw_arena *a) {
    result->kernels++;
    result->analysed += !kernel->reasons.n;
    result->degraded += kernel->reasons.n > 0;
    if (kernel->reasons.n)
        cw_vec_push(a, &result->partial, *kernel);
}

void cw_included_add(struct cw_file_result *results, uint32_t n, struct cw_arena *a, cw_included_asked *is_asked,
                     void *ctx) {
    struct cw_map readings = readings_of(results, n, a), counted;
    cw_map_init(&counted, a);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < results[i].included.n; k++) {
            const struct cw_partial *p = &results[i].included.at[k];
            uint64_t key = key_of(p->place.file, p->place.line, p->kernel);
            if (cw_map_get(&counted, key, NULL) || !is_asked(ctx, i, p->place.file))
                continue;
            cw_map_put(&counted, key, 1);
            count_kernel(&results[i], best_reading(&readings, &p->place, p->kernel), a);
        }
}
