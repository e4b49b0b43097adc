/* --baseline, --since and --staged: only what is new is shown. */
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "diag/diag_paths.h"
#include "gate/baseline.h"
#include "gate/since.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char *cw_cli_gating(const struct cw_command_line *command, const struct cw_fixing *fixing,
                          struct cw_gating *out) {
    bool since = cw_option_given(command, CW_OPT_SINCE), staged = cw_option_given(command, CW_OPT_STAGED);
    *out = (struct cw_gating){.baseline = cw_option_value(command, CW_OPT_BASELINE),
                              .write = cw_option_given(command, CW_OPT_WRITE_BASELINE),
                              .prune = cw_option_given(command, CW_OPT_PRUNE_BASELINE),
                              .ref = cw_option_value(command, CW_OPT_SINCE),
                              .staged = staged};
    if (out->baseline && !*out->baseline)
        out->baseline = NULL; /* a configuration takes it back */
    if ((out->write || out->prune) && !out->baseline)
        return out->write ? "--write-baseline needs --baseline FILE" : "--prune-baseline needs --baseline FILE";
    if ((out->write || out->prune) && (since || staged))
        return "a baseline is made of all findings: not with --since or --staged";
    if (out->write && out->prune)
        return "--write-baseline and --prune-baseline contradict each other";
    if (fixing->is_on && (out->write || since || staged))
        return "--fix and --diff go with --baseline FILE, but not with --write-baseline, --since and --staged";
    return NULL;
}

/* ---- the baseline ---- */

static int read_baseline(const struct cw_gating *gating, struct cw_arena *a, struct cw_baseline *baseline) {
    const char *error = NULL;
    cw_baseline_init(baseline, a);
    if (gating->write && access(gating->baseline, F_OK) && errno == ENOENT)
        return 0; /* the first one */
    const struct cw_source *s = cw_source_load(a, gating->baseline, &error);
    if (s)
        error = cw_baseline_read(baseline, (cw_str){s->text, s->size});
    if (error)
        cw_error("--baseline: %s: %s", gating->baseline, error);
    return error ? -1 : 0;
}

static int write_baseline(const struct cw_gating *gating, const struct cw_baseline *baseline) {
    struct cw_buf text = {0};
    cw_baseline_print(baseline, &text);
    int failed = cw_cli_write(&text, gating->baseline);
    cw_buf_free(&text);
    return failed;
}

/* The folder that names in the baseline are meant from. */
static const char *root_of(struct cw_arena *a) {
    char here[] = ".";
    const char *root = cw_repository_root(a, here);
    return root ? root : NULL;
}

static const char *plural_of(uint32_t n) {
    return n == 1 ? "" : "s";
}

static int make_baseline(const struct cw_gating *gating, struct cw_arena *a, struct cw_baseline *baseline,
                         struct cw_run_report *report) {
    uint32_t known = cw_baseline_hide(baseline, report);
    uint32_t gone = cw_baseline_stale(baseline, report, root_of(a), gating->possible, true),
             new_ones = report->findings.n;
    cw_baseline_add(baseline, report);
    report->findings.n = 0;
    if (write_baseline(gating, baseline))
        return -1;
    cw_note("%s: %u finding%s written: %u known before, %u new, %u gone", gating->baseline, baseline->entries.n,
            plural_of(baseline->entries.n), known, new_ones, gone);
    return 0;
}

static int use_baseline(const struct cw_gating *gating, struct cw_arena *a, struct cw_run_report *report) {
    struct cw_baseline b;
    if (read_baseline(gating, a, &b))
        return -1;
    if (gating->write)
        return make_baseline(gating, a, &b, report);
    uint32_t known = cw_baseline_hide(&b, report);
    bool all_seen = !gating->ref && !gating->staged;
    uint32_t gone = all_seen ? cw_baseline_stale(&b, report, root_of(a), gating->possible, gating->prune) : 0;
    if (known)
        cw_note("%u finding%s known to %s %s not shown", known, plural_of(known), gating->baseline,
                known == 1 ? "is" : "are");
    if (gating->prune)
        cw_note("%s: %u finding%s taken out, %u left", gating->baseline, gone, plural_of(gone), b.entries.n);
    else if (gone)
        cw_note("%u finding%s in %s %s not found any more; --prune-baseline takes %s out", gone, plural_of(gone),
                gating->baseline, gone == 1 ? "is" : "are", gone == 1 ? "it" : "them");
    return gating->prune && gone ? write_baseline(gating, &b) : 0;
}

int cw_cli_gate_report(const struct cw_gating *gating, struct cw_arena *a, struct cw_run_report *report) {
    return gating->baseline ? use_baseline(gating, a, report) : 0;
}

/* ---- the run ---- */

int cw_cli_gate_run(const struct cw_gating *gating, const struct cw_run_options *options, struct cw_sources *sources,
                    struct cw_arena *a, struct cw_run_report *report, struct cw_buf *dump) {
    struct cw_since since = {.ref = gating->ref, .staged = gating->staged};
    if (!gating->ref && !gating->staged)
        return cw_run(options, sources, a, report, dump);
    int failed = cw_since_run(&since, options, sources, a, report);
    if (!failed && since.known)
        cw_note("%u finding%s of %s %s not shown", since.known, plural_of(since.known),
                gating->ref ? gating->ref : "HEAD", since.known == 1 ? "is" : "are");
    return failed;
}
