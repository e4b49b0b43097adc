#include "engine/overruled.h"

#include "base/str.h"
#include "front/front.h"
#include "source/alternatives.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void cw_overruled_init(struct cw_overruled *overruled, const struct cw_report_files *files, struct cw_arena *a) {
    *overruled = (struct cw_overruled){.files = files, .arena = a};
    cw_intern_init(&overruled->names, a);
    cw_map_init(&overruled->defines, a);
}

static bool defines_function(const struct cw_source *source, const char *name) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    const struct cw_scan *scan = cw_scan_text(&scratch, source->text, source->size);
    bool found = false;
    for (uint32_t i = 0; i < scan->functions.n && !found; i++)
        found = cw_str_is(cw_scan_base_name(scan->functions.at[i].name), name);
    cw_arena_free(&scratch);
    return found;
}

static bool defines_name(struct cw_overruled *overruled, const char *path, const char *name) {
    uint64_t known,
        key = (uint64_t)(uintptr_t)cw_intern(&overruled->names, cw_arena_printf(overruled->arena, "%s %s", name, path));
    if (cw_map_get(&overruled->defines, key, &known))
        return known == 1;
    const struct cw_source *s = cw_sources_get(overruled->files->sources, path, NULL);
    bool is = s && memmem(s->text, s->size, name, strlen(name)) &&
              (cw_macro_is_defined(s->text, s->size, name) || defines_function(s, name));
    cw_map_put(&overruled->defines, key, is ? 1 : 2);
    return is;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The unit names its files as it found them, perhaps through a linked folder. */
static bool reads_file(const struct cw_unit_options *unit, const char *real) {
    char other[PATH_MAX];
    for (uint32_t i = 0; i < unit->nfiles; i++) {
        if (!strcmp(unit->files[i], real))
            return true;
        if (!strcmp(base_name(unit->files[i]), base_name(real)) && realpath(unit->files[i], other) &&
            !strcmp(other, real))
            return true;
    }
    return false;
}

bool cw_is_overruled(struct cw_overruled *overruled, uint32_t at, const struct cw_finding *finding) {
    const char *path = overruled->files->results[at].path;
    char real[PATH_MAX];
    if (!finding->rests_on || !finding->place.file || strcmp(finding->place.file, path) != 0 ||
        !cw_str_names_header(path) || !realpath(path, real))
        return false;
    for (uint32_t i = 0; i < overruled->files->n; i++) {
        const struct cw_unit_options *unit = overruled->files->units[i];
        for (uint32_t k = 0; i != at && reads_file(unit, real) && k < unit->nfiles; k++)
            if (defines_name(overruled, unit->files[k], finding->rests_on))
                return true;
    }
    return false;
}
