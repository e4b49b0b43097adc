#include "engine/report.h"

#include "base/log.h"
#include "base/str.h"
#include "engine/fingerprint.h"
#include "engine/overruled.h"
#include "engine/paths.h"
#include "engine/suppressor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct making {
    const struct cw_run_options *options;
    const struct cw_report_files *files;
    struct cw_arena *arena;
    struct cw_run_report *report;
    struct cw_paths paths;
    struct cw_overruled overruled;
    struct cw_suppressor *suppressor;
    struct cw_findings theirs; /* in others' headers */
    const char *error;
};

/* ---- one finding ---- */

/* The settings of the file that the finding lies in, if it has a configuration of its own; else those of the unit. */
static struct cw_file_options options_for(struct making *m, const struct cw_file_result *r, const struct cw_finding *f) {
    struct cw_file_options o = {0}, other = {0};
    const char *error = NULL;
    if (!cw_run_file_options(m->options, r->path, &o, &error) ||
        (f->place.file && strcmp(f->place.file, r->path) != 0 &&
         !cw_run_file_options(m->options, f->place.file, &other, &error)))
        m->error = error;
    return other.is_own ? other : o;
}

static void override_severity(const struct cw_selection *s, uint32_t rule, struct cw_finding *f) {
    if (s->overridden[rule])
        f->severity = s->severity[rule];
}

/* In a header of somebody else's, which this run was not asked about and nobody here can repair. */
static bool is_theirs(struct making *m, const struct cw_file_options *o, const struct cw_file_result *r,
                      const struct cw_finding *f) {
    return !o->third_party && f->place.file && !cw_paths_is_input(&m->paths, f->place.file) &&
           cw_flags_is_foreign(m->files->flags, r->path, f->place.file);
}

static bool is_silenced(struct making *m, const struct cw_file_result *r, struct cw_finding *f) {
    const struct cw_unit_options *unit = m->files->units[r - m->files->results];
    return cw_suppressor_silences(m->suppressor, f, unit->files, unit->nfiles);
}

static void add_finding(struct making *m, const struct cw_file_result *r, struct cw_finding *f) {
    cw_paths_apply(&m->paths, f);
    struct cw_file_options o = options_for(m, r, f);
    const struct cw_rule *rule = cw_rule_find(f->rule);
    if (rule && !o.unit.selection.enabled[rule - cw_rules])
        return;
    if (rule)
        override_severity(&o.unit.selection, (uint32_t)(rule - cw_rules), f);
    f->is_possible_wanted = o.possible;
    if (is_theirs(m, &o, r, f))
        cw_vec_push(m->arena, &m->theirs, *f);
    else if (is_silenced(m, r, f))
        cw_vec_push(m->arena, &m->report->suppressed, *f);
    else
        cw_vec_push(m->arena, &m->report->findings, *f);
}

/* ---- one file ---- */

static void add_bail(struct cw_arena *a, struct cw_run_report *report, const struct cw_bail_count *b) {
    for (uint32_t i = 0; i < report->bails.n; i++)
        if (!strcmp(report->bails.at[i].reason, b->reason)) {
            report->bails.at[i].count += b->count;
            return;
        }
    cw_vec_push(a, &report->bails, *b);
}

static int by_count(const void *a, const void *b) {
    const struct cw_bail_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->reason, y->reason);
}

/* Findings are copied: the results may be told of again. They keep the names that the run knows, whatever the worker called
 * a header: what was found before and after a change of the text is compared by them. */
static void add_file(struct making *m, const struct cw_file_result *r) {
    for (uint32_t i = 0; i < r->findings.n; i++) {
        cw_paths_apply(&m->paths, &r->findings.at[i]);
        struct cw_finding f = r->findings.at[i];
        bool overruled = cw_is_overruled(&m->overruled, (uint32_t)(r - m->files->results), &f);
        f.rests_on = NULL;
        if (!overruled)
            add_finding(m, r, &f);
    }
    for (uint32_t i = 0; i < r->bails.n; i++)
        add_bail(m->arena, m->report, &r->bails.at[i]);
    m->report->kernels += r->kernels;
    m->report->analysed += r->analysed;
    m->report->degraded += r->degraded;
    m->report->failed += r->failed;
    cw_vec_push(m->arena, &m->report->files, *r);
    cw_vec_last(&m->report->files).findings.n = 0; /* they are the report's now */
}

/* ---- comments that silence nothing ---- */

static bool is_whole(const struct cw_file_result *r) {
    return !r->failed && !r->skipped.n && !r->degraded;
}

static bool reads(const struct cw_unit_options *unit, const char *real) {
    for (uint32_t i = 0; i < unit->nfiles; i++)
        if (!strcmp(unit->files[i], real))
            return true;
    return false;
}

/* Would all have been found that there is in the file? What a header has shows in the files that include it. */
static bool is_complete(const struct making *m, uint32_t at) {
    const struct cw_file_result *r = &m->files->results[at];
    char real[PATH_MAX];
    bool is_included = false;
    if (!is_whole(r) || !cw_str_names_header(r->path))
        return is_whole(r);
    if (!realpath(r->path, real))
        return false;
    for (uint32_t i = 0; i < m->files->n; i++) {
        if (i == at || !reads(m->files->units[i], real))
            continue;
        is_included = true;
        if (!is_whole(&m->files->results[i]))
            return false;
    }
    return is_included;
}

static void review(struct making *m) {
    struct cw_file_options o;
    for (uint32_t i = 0; i < m->files->n; i++) {
        struct cw_file_result *r = &m->files->results[i];
        struct cw_findings found = {0};
        if (r->failed || !r->has_directives || !cw_run_file_options(m->options, r->path, &o, &m->error))
            continue;
        cw_suppressor_review(m->suppressor, r->path, &o.unit.selection, is_complete(m, i), &found);
        for (uint32_t k = 0; k < found.n; k++)
            add_finding(m, r, &found.at[k]);
    }
}

/* ---- all ---- */

/* Those that some file was checked against; severities are those of the run, which a file may differ from. */
static void list_rules(struct making *m) {
    bool enabled[CW_MAX_RULES] = {false};
    const struct cw_selection *s = &m->options->unit.selection;
    for (uint32_t k = 0; k < m->files->n; k++) {
        struct cw_file_options o = {0};
        const char *error = NULL;
        if (!cw_run_file_options(m->options, m->files->results[k].path, &o, &error))
            m->error = error;
        for (uint32_t i = 0; i < cw_nrules; i++)
            enabled[i] |= o.unit.selection.enabled[i];
    }
    for (uint32_t i = 0; i < cw_nrules; i++) {
        const struct cw_rule *r = &cw_rules[i];
        struct cw_rule_info info = {.name = r->name, .category = r->category, .summary = cw_rule_summary(r),
                                    .doc = cw_rule_doc(r), .preview = r->preview,
                                    .severity = s->overridden[i] ? s->severity[i] : r->severity};
        if (m->files->n ? enabled[i] : s->enabled[i])
            cw_vec_push(m->arena, &m->report->rules, info);
    }
}

/* After the duplicates have gone, so that a place counts once and a definite finding there is no possible one. */
static uint32_t without_possible(struct cw_finding *at, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (at[i].confidence == CW_DEFINITE || at[i].is_possible_wanted)
            at[kept++] = at[i];
    return kept;
}

static void hide_possible(struct cw_run_report *report) {
    uint32_t all = report->findings.n;
    report->findings.n = without_possible(report->findings.at, all);
    report->possible_hidden = all - report->findings.n;
    report->suppressed.n = without_possible(report->suppressed.at, report->suppressed.n);
}

static void sort_out(struct making *m) {
    struct cw_run_report *report = m->report;
    if (report->bails.n)
        qsort(report->bails.at, report->bails.n, sizeof *report->bails.at, by_count);
    cw_findings_sort(m->arena, report->findings.at, report->findings.n);
    report->findings.n = cw_findings_dedupe(m->arena, report->findings.at, report->findings.n);
    cw_findings_sort(m->arena, m->theirs.at, m->theirs.n);
    report->third_party_hidden = cw_findings_dedupe(m->arena, m->theirs.at, m->theirs.n);
    cw_findings_sort(m->arena, report->suppressed.at, report->suppressed.n);
    report->suppressed.n = cw_findings_dedupe(m->arena, report->suppressed.at, report->suppressed.n);
    hide_possible(report);
    cw_findings_fingerprint(m->arena, report->findings.at, report->findings.n, cw_sources_callback, m->files->sources);
    cw_findings_fingerprint(m->arena, report->suppressed.at, report->suppressed.n, cw_sources_callback,
                            m->files->sources);
}

void cw_report_cut(struct cw_run_report *report, uint32_t most) {
    if (!most || report->findings.n <= most)
        return;
    report->not_shown = report->findings.n - most;
    report->findings.n = most;
}

int cw_report_make(const struct cw_run_options *o, const struct cw_report_files *files, struct cw_arena *a,
                   struct cw_run_report *report) {
    struct making m = {.options = o, .files = files, .arena = a, .report = report};
    m.suppressor = cw_suppressor_new(a, files->sources);
    cw_paths_init(&m.paths, a);
    cw_overruled_init(&m.overruled, files, a);
    for (uint32_t i = 0; i < files->n; i++)
        cw_paths_add_input(&m.paths, files->results[i].path);
    *report = (struct cw_run_report){.version = CUWARP_VERSION, .docs_url = CUWARP_DOCS_URL, .fail_on = CW_WARNING};
    list_rules(&m);
    for (uint32_t i = 0; i < files->n; i++)
        if (files->results[i].has_directives)
            cw_suppressor_read(m.suppressor, files->results[i].path);
    for (uint32_t i = 0; i < files->n; i++)
        add_file(&m, &files->results[i]);
    review(&m);
    if (m.error) {
        cw_error("%s", m.error);
        return -1;
    }
    sort_out(&m);
    cw_report_cut(report, o->max_results);
    return 0;
}
