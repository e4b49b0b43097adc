/* The front ends know nothing of the file around a string: they see the value under the file's name, and the places in
 * what they made are replaced before anything looks at them. */
#include "engine/strings.h"

#include <string.h>

static void place_span(const struct cw_string_unit *string_unit, struct cw_span *span) {
    if (span->file || !span->line)
        return;
    size_t mark = string_unit->text->has_bom ? 3 : 0; /* not part of a source's text */
    size_t from = mark + cw_source_offset(string_unit->text, span->line, span->col);
    size_t to = mark + cw_source_offset(string_unit->text, span->end_line, span->end_col);
    cw_source_place(string_unit->file, cw_embedded_begin(string_unit->value, (uint32_t)from), &span->line, &span->col);
    if (span->end_line)
        cw_source_place(string_unit->file, cw_embedded_end(string_unit->value, (uint32_t)(to > from ? to : from)),
                        &span->end_line, &span->end_col);
}

static void place_function(const struct cw_string_unit *string_unit, struct cw_fn *fn) {
    place_span(string_unit, &fn->span);
    place_span(string_unit, &fn->name_span);
    for (uint32_t i = 0; i < fn->locs.n; i++)
        place_span(string_unit, &fn->locs.at[i].span);
}

void cw_string_unit_place_module(const struct cw_string_unit *string_unit, struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        place_function(string_unit, m->fns.at[i]);
    for (uint32_t i = 0; i < m->seen.n; i++)
        place_span(string_unit, &m->seen.at[i].span);
    for (uint32_t i = 0; i < m->notes.n; i++)
        place_span(string_unit, &m->notes.at[i].span);
}

#define COPY(arena, to, from)                                                                                          \
    for (uint32_t i_ = 0; i_ < (from)->n; i_++)                                                                        \
    cw_vec_push((arena), (to), (from)->at[i_])

struct cw_scan *cw_string_unit_place_scan(const struct cw_string_unit *string_unit, const struct cw_scan *scan,
                                          struct cw_arena *a) {
    struct cw_scan *out = CW_NEW(a, struct cw_scan);
    *out = (struct cw_scan){.has_device_code = scan->has_device_code, .is_truncated = scan->is_truncated};
    COPY(a, &out->functions, &scan->functions);
    COPY(a, &out->launches, &scan->launches);
    COPY(a, &out->directives, &scan->directives);
    for (uint32_t i = 0; i < out->functions.n; i++) {
        place_span(string_unit, &out->functions.at[i].span);
        place_span(string_unit, &out->functions.at[i].name_span);
    }
    for (uint32_t i = 0; i < out->launches.n; i++)
        place_span(string_unit, &out->launches.at[i].span);
    for (uint32_t i = 0; i < out->directives.n; i++)
        place_span(string_unit, &out->directives.at[i].span);
    return out;
}

/* ---- fixes ---- */

static bool is_inside(const struct cw_string_unit *string_unit, const struct cw_place *place) {
    const struct cw_embedded *e = string_unit->value;
    size_t from = cw_source_offset(string_unit->file, place->line, place->col),
           to = cw_source_offset(string_unit->file, place->end_line, place->end_col);
    return place->file && !strcmp(place->file, string_unit->file->path) && from >= cw_embedded_begin(e, 0) &&
           to <= cw_embedded_end(e, e->size);
}

/* A quote or a backslash would mean something else in the literal. */
static bool can_be_written(const struct cw_string_unit *string_unit, const struct cw_fix *fix) {
    for (uint32_t i = 0; i < fix->edits.n; i++)
        if (strpbrk(fix->edits.at[i].replacement, "\\\"'") || !is_inside(string_unit, &fix->edits.at[i].place))
            return false;
    return string_unit->value->takes_edits;
}

static void check_finding(const struct cw_string_unit *string_unit, struct cw_finding *finding) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        if (can_be_written(string_unit, &finding->fixes.at[i]))
            finding->fixes.at[kept++] = finding->fixes.at[i];
    finding->fixes.n = kept;
}

void cw_string_unit_check_fixes(const struct cw_string_unit *string_unit, struct cw_file_result *result) {
    for (uint32_t i = 0; i < result->findings.n; i++)
        if (is_inside(string_unit, &result->findings.at[i].place))
            check_finding(string_unit, &result->findings.at[i]);
}
