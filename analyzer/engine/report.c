#include "engine/report.h"

#include "base/log.h"
#include "base/str.h"
#include "diag/fingerprint.h"
#include "engine/basis.h"
#include "engine/included.h"
#include "engine/overruled.h"
#include "engine/paths.h"
#include "engine/suppressor.h"
#include "rules/registry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What one file's result contributes, after it was judged. */
struct judged {
    struct cw_findings findings, suppressed;
    struct cw_findings theirs; /* in others' headers */
    bool is_reviewed;          /* its comments */
};

struct cw_report_draft {
    const struct cw_run_options *options;
    struct cw_report_files files;
    struct cw_arena *arena;
    struct cw_run_report *report;
    struct cw_paths paths;
    struct cw_overruled overruled;
    struct cw_suppressor *suppressor;
    struct judged *judged; /* by index of the file */
    const char *error;
};

/* ---- one finding ---- */

/* The settings of the file that the finding lies in, if it has a configuration of its own; else those of the unit. */
static struct cw_file_options options_for(struct cw_report_draft *report_draft, const char *unit, const char *place) {
    struct cw_file_options o = {0}, other = {0};
    const char *error = NULL;
    if (!cw_run_file_options(report_draft->options, unit, &o, &error) ||
        (place && strcmp(place, unit) != 0 && !cw_run_file_options(report_draft->options, place, &other, &error)))
        report_draft->error = error;
    return other.is_own ? other : o;
}

static void override_severity(const struct cw_selection *selection, uint32_t rule, struct cw_finding *finding) {
    if (selection->overridden[rule])
        finding->severity = selection->severity[rule];
}

/* In a header of somebody else's, which this run was not asked about and nobody here can repair. */
static bool is_theirs(struct cw_report_draft *report_draft, const struct cw_file_options *options, const char *unit,
                      const char *place) {
    return !options->third_party && place && !cw_paths_is_input(&report_draft->paths, place) &&
           cw_flags_is_foreign(report_draft->files.flags, unit, place);
}

static bool is_silenced(struct cw_report_draft *report_draft, uint32_t at, struct cw_finding *finding) {
    const struct cw_unit_options *unit = report_draft->files.units[at];
    return cw_suppressor_silences(report_draft->suppressor, finding, unit->files, unit->nfiles);
}

static void add_finding(struct cw_report_draft *report_draft, uint32_t at, struct cw_finding *finding) {
    struct judged *judged = &report_draft->judged[at];
    const char *unit = report_draft->files.results[at].path;
    cw_paths_apply(&report_draft->paths, finding);
    struct cw_file_options o = options_for(report_draft, unit, finding->place.file);
    const struct cw_rule *rule = cw_rule_find(finding->rule);
    if (rule && !o.unit.selection.enabled[rule - cw_rules])
        return;
    if (rule)
        override_severity(&o.unit.selection, (uint32_t)(rule - cw_rules), finding);
    finding->is_possible_wanted = o.possible;
    if (is_theirs(report_draft, &o, unit, finding->place.file))
        cw_vec_push(report_draft->arena, &judged->theirs, *finding);
    else if (is_silenced(report_draft, at, finding))
        cw_vec_push(report_draft->arena, &judged->suppressed, *finding);
    else
        cw_vec_push(report_draft->arena, &judged->findings, *finding);
}

/* ---- one file ---- */

static void add_bail(struct cw_arena *a, struct cw_run_report *report, const struct cw_bail_count *bail_count) {
    for (uint32_t i = 0; i < report->bails.n; i++)
        if (!strcmp(report->bails.at[i].reason, bail_count->reason)) {
            report->bails.at[i].count += bail_count->count;
            return;
        }
    cw_vec_push(a, &report->bails, *bail_count);
}

static int by_count(const void *a, const void *b) {
    const struct cw_bail_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->reason, y->reason);
}

/* Findings are copied: the results may be told of again. They keep the names that the run knows, whatever the worker
 * called a header: what was found before and after a change of the text is compared by them. */
void cw_report_add(struct cw_report_draft *report_draft, uint32_t at) {
    const struct cw_file_result *r = &report_draft->files.results[at];
    for (uint32_t i = 0; i < r->findings.n; i++) {
        cw_paths_apply(&report_draft->paths, &r->findings.at[i]);
        struct cw_finding f = r->findings.at[i];
        bool overruled = cw_is_overruled(&report_draft->overruled, at, &f);
        f.rests_on = NULL;
        if (!overruled)
            add_finding(report_draft, at, &f);
    }
}

static void add_totals(struct cw_report_draft *report_draft, const struct cw_file_result *result) {
    for (uint32_t i = 0; i < result->bails.n; i++)
        add_bail(report_draft->arena, report_draft->report, &result->bails.at[i]);
    report_draft->report->kernels += result->kernels;
    report_draft->report->analysed += result->analysed;
    report_draft->report->degraded += result->degraded;
    report_draft->report->failed += result->failed;
    report_draft->report->hip += result->is_hip;
    report_draft->report->parser_lost += result->is_parser_lost;
    cw_vec_push(report_draft->arena, &report_draft->report->files, *result);
    cw_vec_last(&report_draft->report->files).findings.n = 0; /* they are the report's now */
}

/* ---- comments that silence nothing ---- */

static bool is_whole(const struct cw_file_result *result) {
    return !result->failed && !result->skipped.n && !result->degraded;
}

static bool reads_file(const struct cw_unit_options *unit, const char *real) {
    for (uint32_t i = 0; i < unit->nfiles; i++)
        if (!strcmp(unit->files[i], real))
            return true;
    return false;
}

/* Would all have been found that there is in the file? What a header has shows in the files that include it. */
static bool is_complete(const struct cw_report_draft *report_draft, uint32_t at) {
    const struct cw_file_result *r = &report_draft->files.results[at];
    char real[PATH_MAX];
    bool is_included = false;
    if (!is_whole(r) || !cw_str_names_header(r->path))
        return is_whole(r);
    if (!realpath(r->path, real))
        return false;
    for (uint32_t i = 0; i < report_draft->files.n; i++) {
        if (i == at || !reads_file(report_draft->files.units[i], real))
            continue;
        is_included = true;
        if (!is_whole(&report_draft->files.results[i]))
            return false;
    }
    return is_included;
}

/* requires: all units that read the file have been added. */
static void review_file(struct cw_report_draft *report_draft, uint32_t at) {
    const struct cw_file_result *r = &report_draft->files.results[at];
    struct cw_findings found = {0};
    struct cw_file_options o;
    report_draft->judged[at].is_reviewed = true;
    if (r->failed || !r->has_directives ||
        !cw_run_file_options(report_draft->options, r->path, &o, &report_draft->error))
        return;
    cw_suppressor_review(report_draft->suppressor, r->path, &o.unit.selection, is_complete(report_draft, at), &found);
    for (uint32_t k = 0; k < found.n; k++)
        add_finding(report_draft, at, &found.at[k]);
}

/* ---- all ---- */

/* Those that some file was checked against; severities are those of the run, which a file may differ from. */
static void list_rules(struct cw_report_draft *report_draft) {
    bool enabled[CW_MAX_RULES] = {false};
    const struct cw_selection *s = &report_draft->options->unit.selection;
    for (uint32_t k = 0; k < report_draft->files.n; k++) {
        struct cw_file_options o = {0};
        const char *error = NULL;
        if (!cw_run_file_options(report_draft->options, report_draft->files.results[k].path, &o, &error))
            report_draft->error = error;
        for (uint32_t i = 0; i < cw_nrules; i++)
            enabled[i] |= o.unit.selection.enabled[i];
    }
    for (uint32_t i = 0; i < cw_nrules; i++) {
        const struct cw_rule *r = &cw_rules[i];
        struct cw_rule_info info = {.name = r->name, .category = r->category, .summary = cw_rule_summary(r),
                                    .doc = cw_rule_doc(r), .preview = r->preview,
                                    .severity = s->overridden[i] ? s->severity[i] : r->severity};
        if (report_draft->files.n ? enabled[i] : s->enabled[i])
            cw_vec_push(report_draft->arena, &report_draft->report->rules, info);
    }
}

/* Does a definite finding of the rule tell of the place as well: one more access with the same cause? A header that is
 * read on its own has the place once more, with guesses for what its includers say. */
static bool is_told_by(const struct cw_finding *other, const struct cw_finding *finding) {
    if (other->confidence != CW_DEFINITE || strcmp(other->rule, finding->rule) != 0)
        return false;
    for (uint32_t k = 0; k < other->notes.n; k++) {
        const struct cw_place *at = &other->notes.at[k].place, *place = &finding->place;
        if (at->file && place->file && at->line == place->line && at->col == place->col &&
            strcmp(at->file, place->file) == 0)
            return true;
    }
    return false;
}

static uint32_t without_told(struct cw_finding *at, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool is_told = false;
        for (uint32_t k = 0; k < n && at[i].confidence == CW_POSSIBLE && !is_told; k++)
            is_told = is_told_by(&at[k], &at[i]);
        if (!is_told)
            at[kept++] = at[i];
    }
    return kept;
}

/* After the duplicates have gone, so that a place counts once and a definite finding there is no possible one. */
static uint32_t without_possible(struct cw_finding *at, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (at[i].confidence == CW_DEFINITE || at[i].is_possible_wanted)
            at[kept++] = at[i];
    return kept;
}

/* ---- findings in order ---- */

static void sort_unique(struct cw_report_draft *report_draft, struct cw_findings *list) {
    cw_findings_sort(report_draft->arena, list->at, list->n);
    list->n = cw_findings_dedupe(report_draft->arena, list->at, list->n);
}

static bool is_before(const struct cw_finding *finding, const char *end) {
    return !end || !finding->place.file || strcmp(finding->place.file, end) < 0;
}

/* Moves the findings in files before `end` to `out`; the others stay, in their order. */
static void take_before(struct cw_arena *a, struct cw_findings *from, const char *end, struct cw_findings *out) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < from->n; i++)
        if (is_before(&from->at[i], end))
            cw_vec_push(a, out, from->at[i]);
        else
            from->at[kept++] = from->at[i];
    from->n = kept;
}

static void review_before(struct cw_report_draft *report_draft, const char *end) {
    for (uint32_t i = 0; i < report_draft->files.n; i++)
        if (!report_draft->judged[i].is_reviewed && (!end || strcmp(report_draft->files.results[i].path, end) < 0))
            review_file(report_draft, i);
}

static void settle_findings(struct cw_report_draft *report_draft, const char *end) {
    struct cw_run_report *report = report_draft->report;
    struct cw_findings settled = {0};
    for (uint32_t i = 0; i < report_draft->files.n; i++)
        take_before(report_draft->arena, &report_draft->judged[i].findings, end, &settled);
    sort_unique(report_draft, &settled);
    settled.n = without_told(settled.at, settled.n);
    uint32_t shown = without_possible(settled.at, settled.n);
    report->possible_hidden += settled.n - shown;
    for (uint32_t i = 0; i < shown; i++)
        cw_vec_push(report_draft->arena, &report->findings, settled.at[i]);
}

void cw_report_settle(struct cw_report_draft *report_draft, const char *end) {
    review_before(report_draft, end);
    settle_findings(report_draft, end);
}

void cw_report_settle_added(struct cw_report_draft *report_draft) {
    settle_findings(report_draft, NULL);
}

static void sort_out(struct cw_report_draft *report_draft) {
    struct cw_run_report *report = report_draft->report;
    struct cw_findings theirs = {0}, suppressed = {0};
    for (uint32_t i = 0; i < report_draft->files.n; i++) {
        take_before(report_draft->arena, &report_draft->judged[i].theirs, NULL, &theirs);
        take_before(report_draft->arena, &report_draft->judged[i].suppressed, NULL, &suppressed);
    }
    sort_unique(report_draft, &theirs);
    sort_unique(report_draft, &suppressed);
    report->third_party_hidden = theirs.n;
    suppressed.n = without_possible(suppressed.at, suppressed.n);
    for (uint32_t i = 0; i < suppressed.n; i++)
        cw_vec_push(report_draft->arena, &report->suppressed, suppressed.at[i]);
    if (report->bails.n)
        qsort(report->bails.at, report->bails.n, sizeof *report->bails.at, by_count);
    cw_findings_fingerprint(report_draft->arena, report->findings.at, report->findings.n, cw_sources_callback,
                            report_draft->files.sources);
    cw_findings_fingerprint(report_draft->arena, report->suppressed.at, report->suppressed.n, cw_sources_callback,
                            report_draft->files.sources);
}

void cw_report_cut(struct cw_run_report *report, uint32_t most) {
    if (!most || report->findings.n <= most)
        return;
    report->not_shown = report->findings.n - most;
    report->findings.n = most;
}

struct cw_report_draft *cw_report_open(const struct cw_run_options *options, const struct cw_report_files *files,
                                       struct cw_arena *a, struct cw_run_report *report) {
    struct cw_report_draft *m = CW_NEW(a, struct cw_report_draft);
    *m = (struct cw_report_draft){.options = options, .files = *files, .arena = a, .report = report};
    m->judged = CW_NEW_ARRAY(a, struct judged, files->n + 1);
    m->suppressor = cw_suppressor_new(a, files->sources);
    cw_paths_init(&m->paths, a);
    cw_overruled_init(&m->overruled, &m->files, a);
    for (uint32_t i = 0; i < files->n; i++)
        cw_paths_add_input(&m->paths, files->results[i].path);
    *report = (struct cw_run_report){.version = CUWARP_VERSION, .docs_url = CUWARP_DOCS_URL, .fail_on = CW_WARNING};
    return m;
}

const char *cw_report_first_of(struct cw_report_draft *report_draft, uint32_t at) {
    const struct cw_unit_options *unit = report_draft->files.units[at];
    const char *path = report_draft->files.results[at].path, *first = path;
    if (unit->is_open)
        return "";
    for (uint32_t i = 0; i < unit->nfiles; i++) {
        const char *name = cw_paths_name(&report_draft->paths, unit->files[i]);
        if (strcmp(name, first) >= 0)
            continue;
        struct cw_file_options o = options_for(report_draft, path, name);
        if (!is_theirs(report_draft, &o, path, name))
            first = name;
    }
    return first;
}

static void list_commands(struct cw_report_draft *report_draft) {
    struct cw_run_report *r = report_draft->report;
    for (uint32_t i = 0; i < report_draft->files.n; i++) {
        const char *path = report_draft->files.units[i]->commands;
        bool is_known = !path;
        for (uint32_t k = 0; k < r->commands.n && !is_known; k++)
            is_known = !strcmp(r->commands.at[k], path);
        if (!is_known)
            cw_vec_push(report_draft->arena, &r->commands, path);
    }
}

static bool is_stood_for(const struct cw_report_draft *report_draft, const char *file) {
    char real[PATH_MAX];
    if (!realpath(file, real))
        return true;
    for (uint32_t i = 0; i < report_draft->files.n; i++)
        for (uint32_t k = 0; k < report_draft->files.units[i]->nstands_for; k++)
            if (!strcmp(report_draft->files.units[i]->stands_for[k], real))
                return true;
    return false;
}

static void name_included(struct cw_report_draft *draft) {
    for (uint32_t i = 0; i < draft->files.n; i++)
        for (uint32_t k = 0; k < draft->files.results[i].included.n; k++) {
            struct cw_place *place = &draft->files.results[i].included.at[k].place;
            place->file = cw_paths_name(&draft->paths, place->file);
        }
}

/* A header of the project that this run was not asked about by itself. */
static bool is_header_asked(void *ctx, uint32_t at, const char *file) {
    struct cw_report_draft *draft = ctx;
    const char *unit = draft->files.results[at].path;
    struct cw_file_options o = options_for(draft, unit, file);
    return !cw_paths_is_input(&draft->paths, file) && !is_theirs(draft, &o, unit, file) && !is_stood_for(draft, file);
}

int cw_report_finish(struct cw_report_draft *report_draft) {
    list_rules(report_draft);
    list_commands(report_draft);
    cw_report_settle(report_draft, NULL);
    name_included(report_draft);
    cw_included_count(report_draft->files.results, report_draft->files.n, report_draft->arena);
    cw_included_add(report_draft->files.results, report_draft->files.n, report_draft->arena, is_header_asked,
                    report_draft);
    report_draft->report->basis =
        cw_basis_count(report_draft->files.results, report_draft->files.n, report_draft->arena);
    for (uint32_t i = 0; i < report_draft->files.n; i++)
        add_totals(report_draft, &report_draft->files.results[i]);
    if (report_draft->error) {
        cw_error("%s", report_draft->error);
        return -1;
    }
    sort_out(report_draft);
    cw_report_cut(report_draft->report, report_draft->options->max_results);
    return 0;
}

int cw_report_make(const struct cw_run_options *options, const struct cw_report_files *files, struct cw_arena *a,
                   struct cw_run_report *report) {
    struct cw_report_draft *m = cw_report_open(options, files, a, report);
    for (uint32_t i = 0; i < files->n; i++)
        if (files->results[i].has_directives)
            cw_suppressor_read(m->suppressor, files->results[i].path);
    for (uint32_t i = 0; i < files->n; i++)
        cw_report_add(m, i);
    return cw_report_finish(m);
}
