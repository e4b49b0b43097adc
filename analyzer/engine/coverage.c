/* The scan's list is what coverage is measured against: it finds kernels by their tokens, whatever the parser makes of
 * the code. Kernels that only the parser saw, made by macros, are added. */
#include "engine/coverage.h"

#include "base/str.h"
#include "engine/later_archs.h"
#include "engine/partial.h"
#include "front/front.h"
#include "source/alternatives.h"

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
static bool is_same(const struct cw_scan_function *f, uint32_t file, const struct cw_fn *fn) {
    struct cw_span span = fn->span;
    if (span.file != file)
        return false;
    span.file = 0;
    return cw_scan_is_same(f, fn->name, span);
}

static void add_reasons(const struct cw_unit *u, const struct cw_fn *fn, struct verdict *v) {
    uint64_t why;
    if (cw_map_get(&u->partial, (uint64_t)(uintptr_t)fn, &why))
        cw_part_reasons_add(u->arena, &v->partial, (const struct cw_part_reasons *)(uintptr_t)why);
}

static struct verdict verdict_in(const struct cw_unit *u, uint32_t file, const struct cw_scan_function *f) {
    struct verdict v = {0};
    for (uint32_t i = 0; i < u->module->fns.n; i++) {
        const struct cw_fn *fn = u->module->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || !is_same(f, file, fn))
            continue;
        v.delivered = true;
        add_reasons(u, fn, &v);
    }
    for (uint32_t i = 0; i < u->module->seen.n && !v.delivered && !file; i++)
        if (u->module->seen.at[i].reason && cw_scan_is_same(f, u->module->seen.at[i].name, u->module->seen.at[i].span))
            v.reason = u->module->seen.at[i].reason;
    return v;
}

static struct verdict verdict_of(const struct cw_unit *u, const struct cw_scan_function *f) {
    return verdict_in(u, 0, f);
}

static const char *lost_reason(struct cw_unit *u, const struct cw_scan_function *f) {
    if (f->attribute_macro)
        return cw_arena_printf(u->arena, "not delivered by the parser: '%s' before it is not defined",
                               f->attribute_macro);
    if (f->is_template)
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

static uint32_t branch_of(const struct alternatives *alt, const struct cw_scan_function *f) {
    return cw_branch_at(&alt->branches, (uint32_t)cw_source_offset(alt->source, f->name_span.line, f->name_span.col));
}

/* Another branch of the same #if defines a kernel of this name, and that one was delivered: no compiler sees both, so
 * one of them is all there is to analyse. */
static bool has_delivered_twin(struct cw_unit *u, struct alternatives *alt, const struct cw_scan_function *f) {
    if (!alt->is_read) {
        alt->source = cw_sources_get(u->sources, u->result->path, NULL);
        if (alt->source)
            alt->branches = cw_branches_read(u->arena, alt->source->text, alt->source->size);
        alt->is_read = true;
    }
    for (uint32_t i = 0; i < u->scan->functions.n && alt->branches.n; i++) {
        const struct cw_scan_function *other = &u->scan->functions.at[i];
        if (other->is_kernel && other != f && !strcmp(other->name, f->name) && verdict_of(u, other).delivered &&
            cw_branches_exclude(&alt->branches, branch_of(alt, other), branch_of(alt, f)))
            return true;
    }
    return false;
}

static struct cw_place place_of(const char *path, struct cw_span s) {
    return (struct cw_place){path, s.line, s.col, s.end_line, s.end_col};
}

static void count_delivered(struct cw_unit *u, const char *name, struct cw_place place, const struct verdict *v) {
    struct cw_partial p = {.kernel = name, .place = place};
    u->result->analysed += !v->partial.n;
    u->result->degraded += v->partial.n > 0;
    for (uint32_t i = 0; i < v->partial.n; i++)
        cw_vec_push(u->arena, &p.reasons, v->partial.at[i]);
    if (v->partial.n)
        cw_vec_push(u->arena, &u->result->partial, p);
}

static void count_in(struct cw_unit *u, const char *path, const char *name, struct cw_span span, struct verdict v) {
    struct cw_file_result *r = u->result;
    r->kernels++;
    if (v.delivered) {
        count_delivered(u, name, place_of(path, span), &v);
        return;
    }
    struct cw_skipped skipped = {name, place_of(path, span), v.reason};
    cw_vec_push(u->arena, &r->skipped, skipped);
}

static void count(struct cw_unit *u, const char *name, struct cw_span span, struct verdict v) {
    count_in(u, u->result->path, name, span, v);
}

static bool scan_saw(const struct cw_unit *u, const char *name, struct cw_span span) {
    for (uint32_t i = 0; i < u->scan->functions.n; i++)
        if (cw_scan_is_same(&u->scan->functions.at[i], name, span))
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

static void count_header(struct cw_unit *u, const char *path) {
    char full[PATH_MAX];
    uint32_t file = realpath(path, full) ? file_of(u->module, full) : 0;
    const char *shown = file ? u->module->files.at[file] : path;
    const struct cw_source *source = cw_sources_get(u->sources, shown, NULL);
    const struct cw_scan *scan = source ? cw_scan_text(u->arena, source->text, source->size) : NULL;
    for (uint32_t i = 0; scan && i < scan->functions.n; i++) {
        const struct cw_scan_function *f = &scan->functions.at[i];
        if (!f->is_kernel)
            continue;
        struct verdict v = file ? verdict_in(u, file, f) : (struct verdict){0};
        if (!v.delivered)
            v.reason = lost_reason(u, f);
        count_in(u, shown, f->name, f->name_span, v);
    }
}

/* What looked like a hidden kernel is a device function when the parser delivered it as one, and knew its macro. */
static bool is_no_kernel(struct cw_unit *u, const struct cw_scan_function *f) {
    bool is_known = false, is_other = false;
    for (uint32_t i = 0; f->hidden && i < u->module->fns.n && !is_other; i++)
        is_other = u->module->fns.at[i]->kind != CW_FN_KERNEL && is_same(f, 0, u->module->fns.at[i]);
    for (uint32_t i = 0; f->hidden && i < u->module->seen.n && !is_other; i++)
        is_other = cw_scan_is_same(f, u->module->seen.at[i].name, u->module->seen.at[i].span);
    for (uint32_t i = 0; is_other && i < u->options->nfiles && !is_known; i++) {
        const struct cw_source *s = cw_sources_get(u->sources, u->options->files[i], NULL);
        is_known = s && cw_macro_is_defined(s->text, s->size, f->attribute_macro);
    }
    return is_known;
}

static bool is_whole(const struct cw_unit *u, const struct cw_fn *fn) {
    return !cw_map_get(&u->partial, (uint64_t)(uintptr_t)fn, NULL);
}

/* An included file's kernel, of which all instances were analysed whole here. */
static bool is_complete_elsewhere(const struct cw_unit *u, uint32_t index) {
    const struct cw_module *m = u->module;
    const struct cw_fn *fn = m->fns.at[index];
    if (fn->kind != CW_FN_KERNEL || fn->span.file == 0 || fn->span.file >= m->files.n || counted_before(m, index))
        return false;
    for (uint32_t i = index; i < m->fns.n; i++) {
        const struct cw_fn *other = m->fns.at[i];
        if (other->kind == CW_FN_KERNEL && other->span.file == fn->span.file && other->span.line == fn->span.line &&
            !is_whole(u, other))
            return false;
    }
    return true;
}

static void list_complete(struct cw_unit *u) {
    for (uint32_t i = 0; i < u->module->fns.n; i++) {
        const struct cw_fn *fn = u->module->fns.at[i];
        if (!is_complete_elsewhere(u, i))
            continue;
        cw_str name = cw_scan_base_name(fn->name);
        struct cw_remark r = {place_of(u->module->files.at[fn->span.file], fn->name_span),
                              cw_arena_strndup(u->arena, name.at, name.n)};
        cw_vec_push(u->arena, &u->result->complete, r);
    }
}

/* Either front end's kernel of this name whose lines are among those that the parser saw. */
static bool is_lowered(const struct cw_module *m, const struct cw_seen *s) {
    cw_str name = cw_scan_base_name(s->name);
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind == CW_FN_KERNEL && fn->span.file == s->span.file && fn->span.line <= s->span.end_line &&
            s->span.line <= fn->span.end_line && cw_str_eq(cw_scan_base_name(fn->name), name))
            return true;
    }
    return false;
}

/* Kernels made by macros that the parser saw and that were not lowered. */
static void count_lost_of_macros(struct cw_unit *u) {
    for (uint32_t i = 0; i < u->module->seen.n; i++) {
        const struct cw_seen *s = &u->module->seen.at[i];
        if (!s->is_kernel || s->fate != CW_FATE_LOST || s->span.file || scan_saw(u, s->name, s->span) ||
            is_lowered(u->module, s))
            continue;
        count(u, s->name, s->span, (struct verdict){.reason = s->reason});
    }
}

void cw_coverage(struct cw_unit *u) {
    struct alternatives alt = {0};
    list_complete(u);
    for (uint32_t i = 0; i < u->scan->functions.n; i++) {
        const struct cw_scan_function *f = &u->scan->functions.at[i];
        if (!f->is_kernel)
            continue;
        struct verdict v = verdict_of(u, f);
        if (!v.delivered && (has_delivered_twin(u, &alt, f) || is_no_kernel(u, f)))
            continue;
        if (!v.delivered && !v.reason)
            v.reason = lost_reason(u, f);
        if (!v.delivered)
            cw_later_arch_of_lost(u, f->name_span);
        count(u, f->name, f->name_span, v);
    }
    for (uint32_t i = 0; i < u->module->fns.n; i++) {
        const struct cw_fn *fn = u->module->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || fn->span.file != 0 || scan_saw(u, fn->name, fn->span) ||
            counted_before(u->module, i))
            continue;
        struct verdict v = {.delivered = true};
        add_reasons(u, fn, &v);
        count(u, fn->name, fn->name_span, v);
    }
    count_lost_of_macros(u);
    for (uint32_t i = 0; i < u->options->nstands_for; i++)
        count_header(u, u->options->stands_for[i]);
}

static struct cw_partial *partial_at(struct cw_file_result *r, struct cw_place at) {
    for (uint32_t i = 0; i < r->partial.n; i++)
        if (r->partial.at[i].place.line == at.line && r->partial.at[i].place.col == at.col)
            return &r->partial.at[i];
    return NULL;
}

/* A kernel that was analysed for an earlier architecture, and now again. */
static void merge(struct cw_unit *u, const char *name, struct cw_place place, const struct verdict *v) {
    struct cw_file_result *r = u->result;
    struct cw_partial *known = partial_at(r, place);
    struct cw_part_reasons all = {0};
    if (!known && v->partial.n) {
        r->analysed--;
        count_delivered(u, name, place, v);
        return;
    }
    for (uint32_t i = 0; known && i < known->reasons.n; i++)
        cw_vec_push(u->arena, &all, known->reasons.at[i]);
    cw_part_reasons_add(u->arena, &all, &v->partial);
    if (known)
        memcpy(&known->reasons, &all, sizeof all);
}

void cw_coverage_more(struct cw_unit *u) {
    struct cw_file_result *r = u->result;
    uint32_t kept = 0, nskipped = r->skipped.n;
    for (uint32_t i = 0; i < u->scan->functions.n; i++) {
        const struct cw_scan_function *f = &u->scan->functions.at[i];
        struct cw_place place = place_of(r->path, f->name_span);
        struct verdict v = f->is_kernel ? verdict_of(u, f) : (struct verdict){0};
        bool is_new = false;
        for (uint32_t k = 0; k < nskipped && !is_new; k++)
            is_new = r->skipped.at[k].place.line == place.line && r->skipped.at[k].place.col == place.col;
        if (v.delivered && !is_new)
            merge(u, f->name, place, &v);
    }
    for (uint32_t i = 0; i < r->skipped.n; i++) {
        struct cw_skipped *s = &r->skipped.at[i];
        struct cw_span span = {0, s->place.line, s->place.col, s->place.end_line, s->place.end_col};
        const struct cw_scan_function f = {.name = s->kernel, .span = span};
        struct verdict v = verdict_of(u, &f);
        if (v.delivered)
            count_delivered(u, s->kernel, s->place, &v);
        else
            r->skipped.at[kept++] = *s;
    }
    r->skipped.n = kept;
}

void cw_coverage_unread(struct cw_unit *u, const char *reason) {
    for (uint32_t i = 0; i < u->scan->functions.n; i++)
        if (u->scan->functions.at[i].is_kernel)
            count(u, u->scan->functions.at[i].name, u->scan->functions.at[i].name_span,
                  (struct verdict){.reason = reason});
}
