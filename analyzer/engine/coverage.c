/* The scan's list is what coverage is measured against: it finds kernels by their tokens, whatever the parser makes of
 * the code. Kernels that only the parser saw, made by macros, are added. */
#include "engine/coverage.h"

#include "base/str.h"
#include "engine/later_archs.h"
#include "engine/partial.h"
#include "front/front.h"
#include "source/alternatives.h"
#include "source/makers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What is known of one kernel of the file. */
struct verdict {
    bool delivered;
    const char *reason;            /* why it was not */
    struct cw_part_reasons partial; /* of all its instantiations */
};

/* `file`: which of the module's it was scanned in. */
static bool is_same(const struct cw_scan_function *function, uint32_t file, const struct cw_fn *fn) {
    struct cw_span span = fn->span;
    if (span.file != file)
        return false;
    span.file = 0;
    return cw_scan_is_same(function, fn->name, span);
}

static void add_reasons(const struct cw_unit *unit, const struct cw_fn *fn, struct verdict *verdict) {
    uint64_t why;
    if (cw_map_get(&unit->partial, (uint64_t)(uintptr_t)fn, &why))
        cw_part_reasons_add(unit->arena, &verdict->partial, (const struct cw_part_reasons *)(uintptr_t)why);
}

static struct verdict verdict_in(const struct cw_unit *unit, uint32_t file, const struct cw_scan_function *function) {
    struct verdict v = {0};
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        const struct cw_fn *fn = unit->module->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || !is_same(function, file, fn))
            continue;
        v.delivered = true;
        add_reasons(unit, fn, &v);
    }
    for (uint32_t i = 0; i < unit->module->seen.n && !v.delivered && !file; i++)
        if (unit->module->seen.at[i].reason &&
            cw_scan_is_same(function, unit->module->seen.at[i].name, unit->module->seen.at[i].span))
            v.reason = unit->module->seen.at[i].reason;
    return v;
}

static struct verdict verdict_of(const struct cw_unit *unit, const struct cw_scan_function *function) {
    return verdict_in(unit, 0, function);
}

static const char *lost_reason(struct cw_unit *unit, const struct cw_scan_function *function) {
    if (function->attribute_macro)
        return cw_arena_printf(unit->arena, "not delivered by the parser: '%s' before it is not defined",
                               function->attribute_macro);
    if (function->is_template)
        return "not delivered by the parser: a template that nothing in the file instantiates, or code it cannot read";
    return "not delivered by the parser: in an inactive #if branch, or behind code it cannot read";
}

/* ---- alternatives ---- */

/* Branches of the unit's text, read when something is missing. */
struct alternatives {
    const struct cw_source *source;
    struct cw_branches branches;
    bool is_read;
};

static uint32_t branch_of(const struct alternatives *alt, const struct cw_scan_function *function) {
    return cw_branch_at(&alt->branches,
                        (uint32_t)cw_source_offset(alt->source, function->name_span.line, function->name_span.col));
}

static void read_branches(struct cw_unit *unit, struct alternatives *alt) {
    if (alt->is_read)
        return;
    alt->source = cw_sources_get(unit->sources, unit->result->path, NULL);
    if (alt->source)
        alt->branches = cw_branches_read(unit->arena, alt->source->text, alt->source->size);
    alt->is_read = true;
}

/* Of code for another maker's devices, which no build for CUDA has. */
static const char *lost_reason_in(struct cw_unit *unit, struct alternatives *alt,
                                  const struct cw_scan_function *function) {
    read_branches(unit, alt);
    uint32_t branch = alt->source ? branch_of(alt, function) : 0;
    if (branch && cw_branch_is_other_makers(unit->arena, &alt->branches, branch))
        return "in an #if branch for another maker's devices";
    return lost_reason(unit, function);
}

/* Another branch of the same #if defines a kernel of this name, and that one was delivered: no compiler sees both, so
 * one of them is all there is to analyse. */
static bool has_delivered_twin(struct cw_unit *unit, struct alternatives *alt,
                               const struct cw_scan_function *function) {
    read_branches(unit, alt);
    for (uint32_t i = 0; i < unit->scan->functions.n && alt->branches.n; i++) {
        const struct cw_scan_function *other = &unit->scan->functions.at[i];
        if (other->is_kernel && other != function && !strcmp(other->name, function->name) &&
            verdict_of(unit, other).delivered &&
            cw_branches_exclude(&alt->branches, branch_of(alt, other), branch_of(alt, function)))
            return true;
    }
    return false;
}

static struct cw_place place_of(const char *path, struct cw_span span) {
    return (struct cw_place){path, span.line, span.col, span.end_line, span.end_col};
}

static void count_delivered(struct cw_unit *unit, const char *name, struct cw_place place,
                            const struct verdict *verdict) {
    struct cw_partial p = {.kernel = name, .place = place};
    unit->result->analysed += !verdict->partial.n;
    unit->result->degraded += verdict->partial.n > 0;
    for (uint32_t i = 0; i < verdict->partial.n; i++)
        cw_vec_push(unit->arena, &p.reasons, verdict->partial.at[i]);
    if (verdict->partial.n)
        cw_vec_push(unit->arena, &unit->result->partial, p);
}

static void count_in(struct cw_unit *unit, const char *path, const char *name, struct cw_span span,
                     struct verdict verdict) {
    struct cw_file_result *r = unit->result;
    r->kernels++;
    if (verdict.delivered) {
        count_delivered(unit, name, place_of(path, span), &verdict);
        return;
    }
    struct cw_skipped skipped = {name, place_of(path, span), verdict.reason};
    cw_vec_push(unit->arena, &r->skipped, skipped);
}

static void count_function(struct cw_unit *unit, const char *name, struct cw_span span, struct verdict verdict) {
    count_in(unit, unit->result->path, name, span, verdict);
}

static bool scan_saw(const struct cw_unit *unit, const char *name, struct cw_span span) {
    for (uint32_t i = 0; i < unit->scan->functions.n; i++)
        if (cw_scan_is_same(&unit->scan->functions.at[i], name, span))
            return true;
    return false;
}

/* Instantiations and overloads made by one macro use share a span and count once. */
static bool counted_before(const struct cw_module *m, uint32_t index) {
    const struct cw_fn *fn = m->fns.at[index];
    for (uint32_t i = 0; i < index; i++) {
        const struct cw_fn *other = m->fns.at[i];
        if (other->kind == CW_FN_KERNEL && other->span.file == fn->span.file && other->span.line == fn->span.line &&
            cw_str_eq(cw_scan_base_name(other->name), cw_scan_base_name(fn->name)))
            return true;
    }
    return false;
}

/* ---- headers that nobody else looks at ---- */

static uint32_t file_of(const struct cw_module *m, const char *path) {
    char full[PATH_MAX];
    for (uint32_t i = 1; i < m->files.n; i++)
        if (realpath(m->files.at[i], full) && !strcmp(full, path))
            return i;
    return 0;
}

static void count_header(struct cw_unit *unit, const char *path) {
    char full[PATH_MAX];
    uint32_t file = realpath(path, full) ? file_of(unit->module, full) : 0;
    const char *shown = file ? unit->module->files.at[file] : path;
    const struct cw_source *source = cw_sources_get(unit->sources, shown, NULL);
    const struct cw_scan *scan = source ? cw_scan_text(unit->arena, source->text, source->size) : NULL;
    for (uint32_t i = 0; scan && i < scan->functions.n; i++) {
        const struct cw_scan_function *f = &scan->functions.at[i];
        if (!f->is_kernel)
            continue;
        struct verdict v = file ? verdict_in(unit, file, f) : (struct verdict){0};
        if (!v.delivered)
            v.reason = lost_reason(unit, f);
        count_in(unit, shown, f->name, f->name_span, v);
    }
}

/* What looked like a hidden kernel is a device function when the parser delivered it as one, and knew its macro. */
static bool is_no_kernel(struct cw_unit *unit, const struct cw_scan_function *function) {
    bool is_known = false, is_other = false;
    for (uint32_t i = 0; function->hidden && i < unit->module->fns.n && !is_other; i++)
        is_other = unit->module->fns.at[i]->kind != CW_FN_KERNEL && is_same(function, 0, unit->module->fns.at[i]);
    for (uint32_t i = 0; function->hidden && i < unit->module->seen.n && !is_other; i++)
        is_other = cw_scan_is_same(function, unit->module->seen.at[i].name, unit->module->seen.at[i].span);
    for (uint32_t i = 0; is_other && i < unit->options->nfiles && !is_known; i++) {
        const struct cw_source *s = cw_sources_get(unit->sources, unit->options->files[i], NULL);
        is_known = s && cw_macro_is_defined(s->text, s->size, function->attribute_macro);
    }
    return is_known;
}

/* The reasons of all instances of an included file's kernel. */
static void list_included_kernel(struct cw_unit *unit, uint32_t index) {
    const struct cw_module *m = unit->module;
    const struct cw_fn *fn = m->fns.at[index];
    cw_str name = cw_scan_base_name(fn->name);
    struct cw_partial p = {.kernel = cw_arena_strndup(unit->arena, name.at, name.n),
                           .place = place_of(m->files.at[fn->span.file], fn->name_span)};
    struct verdict v = {.delivered = true};
    for (uint32_t i = index; i < m->fns.n; i++) {
        const struct cw_fn *other = m->fns.at[i];
        if (other->kind == CW_FN_KERNEL && other->span.file == fn->span.file && other->span.line == fn->span.line)
            add_reasons(unit, other, &v);
    }
    for (uint32_t i = 0; i < v.partial.n; i++)
        cw_vec_push(unit->arena, &p.reasons, v.partial.at[i]);
    cw_vec_push(unit->arena, &unit->result->included, p);
}

static void list_included(struct cw_unit *unit) {
    const struct cw_module *m = unit->module;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind == CW_FN_KERNEL && fn->span.file > 0 && fn->span.file < m->files.n && !counted_before(m, i))
            list_included_kernel(unit, i);
    }
}

/* Either front end's kernel of this name whose lines are among those that the parser saw. */
static bool is_lowered(const struct cw_module *m, const struct cw_seen *seen) {
    cw_str name = cw_scan_base_name(seen->name);
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind == CW_FN_KERNEL && fn->span.file == seen->span.file && fn->span.line <= seen->span.end_line &&
            seen->span.line <= fn->span.end_line && cw_str_eq(cw_scan_base_name(fn->name), name))
            return true;
    }
    return false;
}

/* Kernels made by macros that the parser saw and that were not lowered. */
static void count_lost_of_macros(struct cw_unit *unit) {
    for (uint32_t i = 0; i < unit->module->seen.n; i++) {
        const struct cw_seen *s = &unit->module->seen.at[i];
        if (!s->is_kernel || s->fate != CW_FATE_LOST || s->span.file || scan_saw(unit, s->name, s->span) ||
            is_lowered(unit->module, s))
            continue;
        count_function(unit, s->name, s->span, (struct verdict){.reason = s->reason});
    }
}

void cw_coverage(struct cw_unit *unit) {
    struct alternatives alt = {0};
    list_included(unit);
    for (uint32_t i = 0; i < unit->scan->functions.n; i++) {
        const struct cw_scan_function *f = &unit->scan->functions.at[i];
        if (!f->is_kernel)
            continue;
        struct verdict v = verdict_of(unit, f);
        if (!v.delivered && (has_delivered_twin(unit, &alt, f) || is_no_kernel(unit, f)))
            continue;
        if (!v.delivered && !v.reason)
            v.reason = lost_reason_in(unit, &alt, f);
        if (!v.delivered)
            cw_later_arch_of_lost(unit, f->name_span);
        count_function(unit, f->name, f->name_span, v);
    }
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        const struct cw_fn *fn = unit->module->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || fn->span.file != 0 || scan_saw(unit, fn->name, fn->span) ||
            counted_before(unit->module, i))
            continue;
        struct verdict v = {.delivered = true};
        add_reasons(unit, fn, &v);
        count_function(unit, fn->name, fn->name_span, v);
    }
    count_lost_of_macros(unit);
    for (uint32_t i = 0; i < unit->options->nstands_for; i++)
        count_header(unit, unit->options->stands_for[i]);
}

static struct cw_partial *partial_at(struct cw_file_result *result, struct cw_place at) {
    for (uint32_t i = 0; i < result->partial.n; i++)
        if (result->partial.at[i].place.line == at.line && result->partial.at[i].place.col == at.col)
            return &result->partial.at[i];
    return NULL;
}

/* A kernel that was analysed for an earlier architecture, and now again. */
static void merge_verdict(struct cw_unit *unit, const char *name, struct cw_place place,
                          const struct verdict *verdict) {
    struct cw_file_result *r = unit->result;
    struct cw_partial *known = partial_at(r, place);
    struct cw_part_reasons all = {0};
    if (!known && verdict->partial.n) {
        r->analysed--;
        count_delivered(unit, name, place, verdict);
        return;
    }
    for (uint32_t i = 0; known && i < known->reasons.n; i++)
        cw_vec_push(unit->arena, &all, known->reasons.at[i]);
    cw_part_reasons_add(unit->arena, &all, &verdict->partial);
    if (known)
        memcpy(&known->reasons, &all, sizeof all);
}

void cw_coverage_more(struct cw_unit *unit) {
    struct cw_file_result *r = unit->result;
    uint32_t kept = 0, nskipped = r->skipped.n;
    for (uint32_t i = 0; i < unit->scan->functions.n; i++) {
        const struct cw_scan_function *f = &unit->scan->functions.at[i];
        struct cw_place place = place_of(r->path, f->name_span);
        struct verdict v = f->is_kernel ? verdict_of(unit, f) : (struct verdict){0};
        bool is_new = false;
        for (uint32_t k = 0; k < nskipped && !is_new; k++)
            is_new = r->skipped.at[k].place.line == place.line && r->skipped.at[k].place.col == place.col;
        if (v.delivered && !is_new)
            merge_verdict(unit, f->name, place, &v);
    }
    for (uint32_t i = 0; i < r->skipped.n; i++) {
        struct cw_skipped *s = &r->skipped.at[i];
        struct cw_span span = {0, s->place.line, s->place.col, s->place.end_line, s->place.end_col};
        const struct cw_scan_function f = {.name = s->kernel, .span = span};
        struct verdict v = verdict_of(unit, &f);
        if (v.delivered)
            count_delivered(unit, s->kernel, s->place, &v);
        else
            r->skipped.at[kept++] = *s;
    }
    r->skipped.n = kept;
}

void cw_coverage_unread(struct cw_unit *unit, const char *reason) {
    for (uint32_t i = 0; i < unit->scan->functions.n; i++)
        if (unit->scan->functions.at[i].is_kernel)
            count_function(unit, unit->scan->functions.at[i].name, unit->scan->functions.at[i].name_span,
                           (struct verdict){.reason = reason});
}
