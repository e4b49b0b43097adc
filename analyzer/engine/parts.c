/* requires: an includer that was parsed as the unit that it is. computes: the same module with the part as its main
 * file, so that all that follows speaks of the part. Cost: linear in the module's places. */
#include "engine/parts.h"

#include "front/front.h"
#include "launch/launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool has_instance(const struct cw_module *m, const struct cw_fn *pattern) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (m->fns.at[i]->pattern_key && !strcmp(m->fns.at[i]->pattern_key, pattern->key))
            return true;
    return false;
}

static bool is_launched(const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk walk = {.module = m, .kernel = kernel};
    return cw_launch_next(&walk) != NULL;
}

/* An instance does not count, but its template. */
static bool is_kernel_of(const struct cw_fn *fn, uint32_t file) {
    return fn->kind == CW_FN_KERNEL && fn->span.file == file && !fn->pattern_key;
}

struct cw_part_reading cw_part_reading_of(const struct cw_module *m, uint32_t file) {
    struct cw_part_reading reading = {0};
    for (uint32_t i = 0; i < m->notes.n; i++)
        reading.errors += m->notes.at[i].is_error && m->notes.at[i].span.file == file &&
                          !strstr(m->notes.at[i].text, "file not found");
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (!is_kernel_of(fn, file))
            continue;
        reading.kernels++;
        reading.unlaunched += !is_launched(m, fn);
        reading.patterns += fn->is_pattern && !has_instance(m, fn);
    }
    return reading;
}

bool cw_part_is_lacking(const struct cw_part_reading *alone) {
    return alone->errors || alone->unlaunched;
}

bool cw_part_names_unlaunched(const struct cw_module *m, cw_str text, bool is_own) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (!is_kernel_of(fn, 0) || is_launched(m, fn))
            continue;
        cw_str name = cw_scan_base_name(fn->name);
        size_t n = cw_str_count_word(text, cw_arena_strndup(m->arena, name.at, name.n), 2);
        if (is_own ? n != 1 : n > 0)
            return true;
    }
    return false;
}

bool cw_part_is_better(const struct cw_part_reading *with, const struct cw_part_reading *alone) {
    if (with->kernels < alone->kernels || !with->kernels || with->patterns > alone->patterns)
        return false;
    return with->errors < alone->errors || (with->errors == alone->errors && with->unlaunched < alone->unlaunched);
}

uint32_t cw_part_file(const struct cw_module *m, const char *path) {
    char real[PATH_MAX], full[PATH_MAX];
    if (!realpath(path, real))
        return 0;
    for (uint32_t i = 1; i < m->files.n; i++)
        if (realpath(m->files.at[i], full) && !strcmp(full, real))
            return i;
    return 0;
}

static void renumber_span(struct cw_span *span, uint32_t file) {
    span->file = span->file == file ? 0 : span->file ? span->file : file;
}

void cw_part_make_main(struct cw_module *m, uint32_t file, const char *path) {
    const char *whole = m->files.at[0];
    for (uint32_t i = 0; i < m->fns.n; i++) {
        struct cw_fn *fn = m->fns.at[i];
        renumber_span(&fn->span, file);
        renumber_span(&fn->name_span, file);
        for (uint32_t k = 0; k < fn->locs.n; k++)
            renumber_span(&fn->locs.at[k].span, file);
    }
    for (uint32_t i = 0; i < m->seen.n; i++)
        renumber_span(&m->seen.at[i].span, file);
    for (uint32_t i = 0; i < m->notes.n; i++)
        renumber_span(&m->notes.at[i].span, file);
    m->files.at[file] = whole;
    m->files.at[0] = cw_intern(&m->names, path);
}

bool cw_part_concerns(const struct cw_module *m, const struct cw_fn *fn, struct cw_arena *a) {
    struct cw_fn_list reached = {0};
    struct cw_map seen;
    bool is_own = !fn->span.file;
    cw_map_init(&seen, a);
    if (!is_own)
        cw_module_reach(m, fn, &seen, &reached, a);
    for (uint32_t i = 0; i < reached.n && !is_own; i++)
        is_own = reached.at[i]->kind == CW_FN_DEVICE && !reached.at[i]->span.file;
    return is_own;
}

static bool is_own_place(const struct cw_file_result *result, const struct cw_place *place) {
    return place->file && !strcmp(place->file, result->path);
}

void cw_part_finish(struct cw_file_result *result) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->findings.n; i++)
        if (is_own_place(result, &result->findings.at[i].place))
            result->findings.at[kept++] = result->findings.at[i];
    result->findings.n = kept;
    kept = 0;
    for (uint32_t i = 0; i < result->basis.n; i++)
        if (is_own_place(result, &result->basis.at[i].place))
            result->basis.at[kept++] = result->basis.at[i];
    result->basis.n = kept;
    result->included.n = 0;
}
