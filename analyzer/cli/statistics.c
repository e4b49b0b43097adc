/* --statistics and --profile: they are asked for, so --quiet does not silence them. */
#include "base/log.h"
#include "cli/cli.h"
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

enum { SLOWEST = 10, WORST = 20 };

/* ---- findings per rule ---- */

struct tally {
    const char *rule;
    enum cw_severity severity;
    uint32_t definite, possible, suppressed, fixable;
};

static struct tally *tally_of(struct tally *at, uint32_t *n, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < *n; i++)
        if (!strcmp(at[i].rule, finding->rule))
            return &at[i];
    at[*n] = (struct tally){.rule = finding->rule, .severity = finding->severity};
    return &at[(*n)++];
}

static uint32_t shown_of(const struct tally *tally) {
    return tally->definite + tally->possible;
}

static int most_first(const void *a, const void *b) {
    const struct tally *x = a, *y = b;
    if (shown_of(x) != shown_of(y))
        return shown_of(x) < shown_of(y) ? 1 : -1;
    return strcmp(x->rule, y->rule);
}

static uint32_t count_findings(const struct cw_run_report *report, struct tally *at) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < report->findings.n; i++) {
        const struct cw_finding *f = &report->findings.at[i];
        struct tally *t = tally_of(at, &n, f);
        t->severity = f->severity > t->severity ? f->severity : t->severity;
        t->definite += f->confidence == CW_DEFINITE;
        t->possible += f->confidence == CW_POSSIBLE;
        t->fixable += f->fixes.n > 0;
    }
    for (uint32_t i = 0; i < report->suppressed.n; i++)
        tally_of(at, &n, &report->suppressed.at[i])->suppressed++;
    qsort(at, n, sizeof *at, most_first);
    return n;
}

static void add_count(struct cw_buf *out, uint32_t n, const char *what) {
    if (n)
        cw_buf_printf(out, "%s%u %s", out->n ? ", " : "", n, what);
}

static void tell_rules(const struct cw_run_report *report, struct cw_arena *a) {
    struct tally *at = CW_NEW_ARRAY(a, struct tally, report->findings.n + report->suppressed.n + 1);
    uint32_t n = count_findings(report, at);
    cw_tell("findings by rule:%s", n ? "" : " none");
    for (uint32_t i = 0; i < n; i++) {
        struct cw_buf more = {0};
        add_count(&more, at[i].possible, "possible");
        add_count(&more, at[i].fixable, "fixable");
        add_count(&more, at[i].suppressed, "suppressed");
        cw_tell("  %6u  %-7s  %s%s%s%s", shown_of(&at[i]), cw_severity_text(at[i].severity), at[i].rule,
                more.n ? " (" : "", more.n ? more.at : "", more.n ? ")" : "");
        cw_buf_free(&more);
    }
    if (report->not_shown)
        cw_tell("  %6u  more, beyond --max-results", report->not_shown);
    if (report->possible_hidden)
        cw_tell("  %6u  more that rest on an assumption, see --possible", report->possible_hidden);
    if (report->third_party_hidden)
        cw_tell("findings in third-party headers: %u, see --third-party", report->third_party_hidden);
}

/* ---- coverage ---- */

struct part {
    const struct cw_file_result *file;
    const struct cw_partial *kernel;
    uint32_t weight; /* questions that were given up */
    uint32_t place;  /* in the report */
};

static int worst_first(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static const char *list_options(const struct cw_partial *partial, struct cw_arena *a) {
    const char *text = NULL;
    for (uint32_t i = 0; i < partial->reasons.n; i++) {
        const char *option = partial->reasons.at[i].option;
        if (option && (!text || !strstr(text, option)))
            text = text ? cw_arena_printf(a, "%s, %s", text, option) : option;
    }
    return text;
}

/* The kernels of which most was given up, with what would help. */
static void tell_partial(const struct cw_run_report *report, struct cw_arena *a) {
    struct part *at = CW_NEW_ARRAY(a, struct part, report->degraded + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < report->files.n; i++)
        for (uint32_t k = 0; k < report->files.at[i].partial.n && n < report->degraded; k++) {
            const struct cw_partial *p = &report->files.at[i].partial.at[k];
            at[n] = (struct part){&report->files.at[i], p, 0, n};
            for (uint32_t m = 0; m < p->reasons.n; m++)
                at[n].weight += p->reasons.at[m].count;
            n++;
        }
    qsort(at, n, sizeof *at, worst_first);
    for (uint32_t i = 0; i < n && i < WORST; i++) {
        const struct cw_partial *p = at[i].kernel;
        const char *option = list_options(p, a);
        cw_tell("  in part %s (%s:%u): %s%s%s", p->kernel, p->place.file ? p->place.file : at[i].file->path,
                p->place.line, cw_partial_text(a, p), option ? "; may help: " : "", option ? option : "");
    }
    if (n > WORST)
        cw_tell("  and %u more in part", n - WORST);
}

static void tell_coverage(const struct cw_run_report *report, struct cw_arena *a) {
    uint32_t with_device_code = 0, skipped = 0, embedded = 0, silenced = 0;
    for (uint32_t i = 0; i < report->suppressed.n; i++)
        silenced += !strcmp(report->suppressed.at[i].suppression.kind, "inSource");
    for (uint32_t i = 0; i < report->files.n; i++) {
        with_device_code += report->files.at[i].has_device_code;
        skipped += report->files.at[i].skipped.n;
        embedded += report->files.at[i].embedded;
    }
    cw_tell("files: %u, with device code %u, failed %u", report->files.n, with_device_code, report->failed);
    if (embedded)
        cw_tell("strings with device code: %u", embedded);
    cw_tell("kernels: %u, analysed %u, in part %u, skipped %u", report->kernels, report->analysed, report->degraded,
            skipped);
    cw_tell("kernels without an instance of their template: %u, without a known launch: %u, without headers: %u",
            report->basis.patterns, report->basis.guessed, report->basis.no_headers);
    tell_partial(report, a);
    for (uint32_t i = 0; i < report->files.n; i++)
        for (uint32_t n = 0; n < report->files.at[i].skipped.n; n++)
            cw_tell("  skipped %s (%s:%u): %s", report->files.at[i].skipped.at[n].kernel, report->files.at[i].path,
                    report->files.at[i].skipped.at[n].place.line, report->files.at[i].skipped.at[n].reason);
    if (silenced)
        cw_tell("findings silenced by comments: %u", silenced);
    if (report->suppressed.n > silenced)
        cw_tell("findings known to the baseline: %u", report->suppressed.n - silenced);
    cw_tell("left undecided:%s", report->bails.n ? "" : " nothing");
    for (uint32_t i = 0; i < report->bails.n; i++)
        cw_tell("  %6u  %s", report->bails.at[i].count, report->bails.at[i].reason);
}

void cw_cli_statistics(const struct cw_run_report *report, struct cw_arena *a) {
    tell_rules(report, a);
    tell_coverage(report, a);
}

/* ---- time and memory ---- */

static double seconds_of(const struct cw_file_result *result) {
    return result->seconds_scan + result->seconds_parse + result->seconds_lower + result->seconds_analyse;
}

static int slowest_first(const void *a, const void *b) {
    double x = seconds_of(*(const struct cw_file_result *const *)a),
           y = seconds_of(*(const struct cw_file_result *const *)b);
    return (x < y) - (x > y);
}

static void tell_phase(const char *name, double seconds, double all) {
    cw_tell("  %-8s %10.1f ms  %3.0f %%", name, seconds * 1e3, all > 0 ? seconds / all * 100 : 0);
}

void cw_cli_profile(const struct cw_run_report *report, struct cw_arena *a) {
    double scan = 0, parse = 0, analyse = 0;
    uint64_t peak = 0, evaluated = 0, reused = 0;
    uint32_t kept = 0;
    const struct cw_file_result **order = CW_NEW_ARRAY(a, const struct cw_file_result *, report->files.n + 1);
    for (uint32_t i = 0; i < report->files.n; i++) {
        const struct cw_file_result *f = order[i] = &report->files.at[i];
        scan += f->seconds_scan;
        parse += f->seconds_parse + f->seconds_lower;
        analyse += f->seconds_analyse;
        kept += seconds_of(f) <= 0;
        evaluated += f->cells_evaluated;
        reused += f->cells_reused;
        peak = f->peak_bytes > peak ? f->peak_bytes : peak;
    }
    double all = scan + parse + analyse;
    qsort(order, report->files.n, sizeof *order, slowest_first);
    cw_tell("processor time of all workers: %.1f ms; highest memory of one: %.1f MB; "
            "files taken from the cache: %u of %u",
            all * 1e3, (double)peak / 1048576.0, kept, report->files.n);
    tell_phase("scan", scan, all);
    tell_phase("parse", parse, all);
    tell_phase("analyse", analyse, all);
    cw_tell("  cells    %10.3f million evaluated, %.3f million reused", (double)evaluated * 1e-6,
            (double)reused * 1e-6);
    for (uint32_t i = 0; i < report->files.n && i < SLOWEST && seconds_of(order[i]) > 0; i++)
        cw_tell("  %8.1f ms  %6.1f MB  %s", seconds_of(order[i]) * 1e3, (double)order[i]->peak_bytes / 1048576.0,
                order[i]->path);
}
