/* The front ends know nothing of the file around a string: they see the value under the file's name, and the places in
 * what they made are replaced before anything looks at them. */
#include "engine/strings.h"

#include <string.h>

static void place(const struct cw_string_unit *s, struct cw_span *span) {
    if (span->file || !span->line)
        return;
    size_t mark = s->text->has_bom ? 3 : 0; /* not part of a source's text */
    size_t from = mark + cw_source_offset(s->text, span->line, span->col);
    size_t to = mark + cw_source_offset(s->text, span->end_line, span->end_col);
    cw_source_place(s->file, cw_embedded_begin(s->value, (uint32_t)from), &span->line, &span->col);
    if (span->end_line)
        cw_source_place(s->file, cw_embedded_end(s->value, (uint32_t)(to > from ? to : from)), &span->end_line,
                        &span->end_col);
}

static void place_function(const struct cw_string_unit *s, struct cw_fn *fn) {
    place(s, &fn->span);
    place(s, &fn->name_span);
    for (uint32_t i = 0; i < fn->locs.n; i++)
        place(s, &fn->locs.at[i].span);
}

void cw_string_unit_place_module(const struct cw_string_unit *s, struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        place_function(s, m->fns.at[i]);
    for (uint32_t i = 0; i < m->seen.n; i++)
        place(s, &m->seen.at[i].span);
    for (uint32_t i = 0; i < m->notes.n; i++)
        place(s, &m->notes.at[i].span);
}

#define COPY(arena, to, from)                                                                                          \
    for (uint32_t i_ = 0; i_ < (from)->n; i_++)                                                                        \
    cw_vec_push((arena), (to), (from)->at[i_])

struct cw_scan *cw_string_unit_place_scan(const struct cw_string_unit *s, const struct cw_scan *scan,
                                          struct cw_arena *a) {
    struct cw_scan *out = CW_NEW(a, struct cw_scan);
    *out = (struct cw_scan){.has_device_code = scan->has_device_code, .is_truncated = scan->is_truncated};
    COPY(a, &out->functions, &scan->functions);
    COPY(a, &out->launches, &scan->launches);
    COPY(a, &out->directives, &scan->directives);
    for (uint32_t i = 0; i < out->functions.n; i++) {
        place(s, &out->functions.at[i].span);
        place(s, &out->functions.at[i].name_span);
    }
    for (uint32_t i = 0; i < out->launches.n; i++)
        place(s, &out->launches.at[i].span);
    for (uint32_t i = 0; i < out->directives.n; i++)
        place(s, &out->directives.at[i].span);
    return out;
}

/* ---- fixes ---- */

static bool is_inside(const struct cw_string_unit *s, const struct cw_place *p) {
    const struct cw_embedded *e = s->value;
    size_t from = cw_source_offset(s->file, p->line, p->col), to = cw_source_offset(s->file, p->end_line, p->end_col);
    return p->file && !strcmp(p->file, s->file->path) && from >= cw_embedded_begin(e, 0) &&
           to <= cw_embedded_end(e, e->size);
}

/* A quote or a backslash would mean something else in the literal. */
static bool can_be_written(const struct cw_string_unit *s, const struct cw_fix *fix) {
    for (uint32_t i = 0; i < fix->edits.n; i++)
        if (strpbrk(fix->edits.at[i].replacement, "\\\"'") || !is_inside(s, &fix->edits.at[i].place))
            return false;
    return s->value->takes_edits;
}

static void check_finding(const struct cw_string_unit *s, struct cw_finding *f) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->fixes.n; i++)
        if (can_be_written(s, &f->fixes.at[i]))
            f->fixes.at[kept++] = f->fixes.at[i];
    f->fixes.n = kept;
}

void cw_string_unit_check_fixes(const struct cw_string_unit *s, struct cw_file_result *r) {
    for (uint32_t i = 0; i < r->findings.n; i++)
        if (is_inside(s, &r->findings.at[i].place))
            check_finding(s, &r->findings.at[i]);
}
