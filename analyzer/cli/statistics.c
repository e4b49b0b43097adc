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

static struct tally *tally_of(struct tally *at, uint32_t *n, const struct cw_finding *f) {
    for (uint32_t i = 0; i < *n; i++)
        if (!strcmp(at[i].rule, f->rule))
            return &at[i];
    at[*n] = (struct tally){.rule = f->rule, .severity = f->severity};
    return &at[(*n)++];
}

static uint32_t shown_of(const struct tally *t) {
    return t->definite + t->possible;
}

static int most_first(const void *a, const void *b) {
    const struct tally *x = a, *y = b;
    if (shown_of(x) != shown_of(y))
        return shown_of(x) < shown_of(y) ? 1 : -1;
    return strcmp(x->rule, y->rule);
}

static uint32_t count(const struct cw_run_report *r, struct tally *at) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->findings.n; i++) {
        const struct cw_finding *f = &r->findings.at[i];
        struct tally *t = tally_of(at, &n, f);
        t->severity = f->severity > t->severity ? f->severity : t->severity;
        t->definite += f->confidence == CW_DEFINITE;
        t->possible += f->confidence == CW_POSSIBLE;
        t->fixable += f->fixes.n > 0;
    }
    for (uint32_t i = 0; i < r->suppressed.n; i++)
        tally_of(at, &n, &r->suppressed.at[i])->suppressed++;
    qsort(at, n, sizeof *at, most_first);
    return n;
}

static void add(struct cw_buf *out, uint32_t n, const char *what) {
    if (n)
        cw_buf_printf(out, "%s%u %s", out->n ? ", " : "", n, what);
}

static void tell_rules(const struct cw_run_report *r, struct cw_arena *a) {
    struct tally *at = CW_NEW_ARRAY(a, struct tally, r->findings.n + r->suppressed.n + 1);
    uint32_t n = count(r, at);
    cw_tell("findings by rule:%s", n ? "" : " none");
    for (uint32_t i = 0; i < n; i++) {
        struct cw_buf more = {0};
        add(&more, at[i].possible, "possible");
        add(&more, at[i].fixable, "fixable");
        add(&more, at[i].suppressed, "suppressed");
        cw_tell("  %6u  %-7s  %s%s%s%s", shown_of(&at[i]), cw_severity_text(at[i].severity), at[i].rule,
                more.n ? " (" : "", more.n ? more.at : "", more.n ? ")" : "");
        cw_buf_free(&more);
    }
    if (r->not_shown)
        cw_tell("  %6u  more, beyond --max-results", r->not_shown);
    if (r->possible_hidden)
        cw_tell("  %6u  more that rest on a guess, see --possible", r->possible_hidden);
    if (r->third_party_hidden)
        cw_tell("findings in third-party headers: %u, see --third-party", r->third_party_hidden);
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

static const char *helps(const struct cw_partial *p, struct cw_arena *a) {
    const char *text = NULL;
    for (uint32_t i = 0; i < p->reasons.n; i++) {
        const char *option = p->reasons.at[i].option;
        if (option && (!text || !strstr(text, option)))
            text = text ? cw_arena_printf(a, "%s, %s", text, option) : option;
    }
    return text;
}

/* The kernels of which most was given up, with what would help. */
static void tell_partial(const struct cw_run_report *r, struct cw_arena *a) {
    struct part *at = CW_NEW_ARRAY(a, struct part, r->degraded + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->files.n; i++)
        for (uint32_t k = 0; k < r->files.at[i].partial.n && n < r->degraded; k++) {
            const struct cw_partial *p = &r->files.at[i].partial.at[k];
            at[n] = (struct part){&r->files.at[i], p, 0, n};
            for (uint32_t m = 0; m < p->reasons.n; m++)
                at[n].weight += p->reasons.at[m].count;
            n++;
        }
    qsort(at, n, sizeof *at, worst_first);
    for (uint32_t i = 0; i < n && i < WORST; i++) {
        const struct cw_partial *p = at[i].kernel;
        const char *option = helps(p, a);
        cw_tell("  in part %s (%s:%u): %s%s%s", p->kernel, p->place.file ? p->place.file : at[i].file->path,
                p->place.line, cw_partial_text(a, p), option ? "; may help: " : "", option ? option : "");
    }
    if (n > WORST)
        cw_tell("  and %u more in part", n - WORST);
}

static void tell_coverage(const struct cw_run_report *r, struct cw_arena *a) {
    uint32_t with_device_code = 0, skipped = 0, embedded = 0, silenced = 0;
    for (uint32_t i = 0; i < r->suppressed.n; i++)
        silenced += !strcmp(r->suppressed.at[i].suppression.kind, "inSource");
    for (uint32_t i = 0; i < r->files.n; i++) {
        with_device_code += r->files.at[i].has_device_code;
        skipped += r->files.at[i].skipped.n;
        embedded += r->files.at[i].embedded;
    }
    cw_tell("files: %u, with device code %u, failed %u", r->files.n, with_device_code, r->failed);
    if (embedded)
        cw_tell("strings with device code: %u", embedded);
    cw_tell("kernels: %u, analysed %u, in part %u, skipped %u", r->kernels, r->analysed, r->degraded, skipped);
    cw_tell("kernels without an instance of their template: %u, without a known launch: %u, without headers: %u",
            r->basis.patterns, r->basis.guessed, r->basis.no_headers);
    tell_partial(r, a);
    for (uint32_t i = 0; i < r->files.n; i++)
        for (uint32_t n = 0; n < r->files.at[i].skipped.n; n++)
            cw_tell("  skipped %s (%s:%u): %s", r->files.at[i].skipped.at[n].kernel, r->files.at[i].path,
                    r->files.at[i].skipped.at[n].place.line, r->files.at[i].skipped.at[n].reason);
    if (silenced)
        cw_tell("findings silenced by comments: %u", silenced);
    if (r->suppressed.n > silenced)
        cw_tell("findings known to the baseline: %u", r->suppressed.n - silenced);
    cw_tell("what could not be known:%s", r->bails.n ? "" : " nothing");
    for (uint32_t i = 0; i < r->bails.n; i++)
        cw_tell("  %6u  %s", r->bails.at[i].count, r->bails.at[i].reason);
}

void cw_cli_statistics(const struct cw_run_report *r, struct cw_arena *a) {
    tell_rules(r, a);
    tell_coverage(r, a);
}

/* ---- time and memory ---- */

static double seconds_of(const struct cw_file_result *r) {
    return r->seconds_scan + r->seconds_parse + r->seconds_lower + r->seconds_analyse;
}

static int slowest_first(const void *a, const void *b) {
    double x = seconds_of(*(const struct cw_file_result *const *)a),
           y = seconds_of(*(const struct cw_file_result *const *)b);
    return (x < y) - (x > y);
}

static void tell_phase(const char *name, double seconds, double all) {
    cw_tell("  %-8s %10.1f ms  %3.0f %%", name, seconds * 1e3, all > 0 ? seconds / all * 100 : 0);
}

void cw_cli_profile(const struct cw_run_report *r, struct cw_arena *a) {
    double scan = 0, parse = 0, analyse = 0;
    uint64_t peak = 0, evaluated = 0, reused = 0;
    uint32_t kept = 0;
    const struct cw_file_result **order = CW_NEW_ARRAY(a, const struct cw_file_result *, r->files.n + 1);
    for (uint32_t i = 0; i < r->files.n; i++) {
        const struct cw_file_result *f = order[i] = &r->files.at[i];
        scan += f->seconds_scan;
        parse += f->seconds_parse + f->seconds_lower;
        analyse += f->seconds_analyse;
        kept += seconds_of(f) <= 0;
        evaluated += f->cells_evaluated;
        reused += f->cells_reused;
        peak = f->peak_bytes > peak ? f->peak_bytes : peak;
    }
    double all = scan + parse + analyse;
    qsort(order, r->files.n, sizeof *order, slowest_first);
    cw_tell("processor time of all workers: %.1f ms; highest memory of one: %.1f MB; "
            "files taken from the cache: %u of %u",
            all * 1e3, (double)peak / 1048576.0, kept, r->files.n);
    tell_phase("scan", scan, all);
    tell_phase("parse", parse, all);
    tell_phase("analyse", analyse, all);
    cw_tell("  cells    %10.3f million evaluated, %.3f million reused", (double)evaluated * 1e-6,
            (double)reused * 1e-6);
    for (uint32_t i = 0; i < r->files.n && i < SLOWEST && seconds_of(order[i]) > 0; i++)
        cw_tell("  %8.1f ms  %6.1f MB  %s", seconds_of(order[i]) * 1e3, (double)order[i]->peak_bytes / 1048576.0,
                order[i]->path);
}
