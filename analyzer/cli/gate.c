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

const char *cw_cli_gating(const struct cw_command_line *c, const struct cw_fixing *fixing, struct cw_gating *out) {
    bool since = cw_option_given(c, CW_OPT_SINCE), staged = cw_option_given(c, CW_OPT_STAGED);
    *out = (struct cw_gating){.baseline = cw_option_value(c, CW_OPT_BASELINE),
                              .write = cw_option_given(c, CW_OPT_WRITE_BASELINE),
                              .prune = cw_option_given(c, CW_OPT_PRUNE_BASELINE),
                              .ref = cw_option_value(c, CW_OPT_SINCE),
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

static int read_baseline(const struct cw_gating *g, struct cw_arena *a, struct cw_baseline *b) {
    const char *error = NULL;
    cw_baseline_init(b, a);
    if (g->write && access(g->baseline, F_OK) && errno == ENOENT)
        return 0; /* the first one */
    const struct cw_source *s = cw_source_load(a, g->baseline, &error);
    if (s)
        error = cw_baseline_read(b, (cw_str){s->text, s->size});
    if (error)
        cw_error("--baseline: %s: %s", g->baseline, error);
    return error ? -1 : 0;
}

static int write_baseline(const struct cw_gating *g, const struct cw_baseline *b) {
    struct cw_buf text = {0};
    cw_baseline_print(b, &text);
    int failed = cw_cli_write(&text, g->baseline);
    cw_buf_free(&text);
    return failed;
}

/* The folder that names in the baseline are meant from. */
static const char *root_of(struct cw_arena *a) {
    char here[] = ".";
    const char *root = cw_repository_root(a, here);
    return root ? root : NULL;
}

static const char *many(uint32_t n) {
    return n == 1 ? "" : "s";
}

static int make_baseline(const struct cw_gating *g, struct cw_arena *a, struct cw_baseline *b,
                         struct cw_run_report *report) {
    uint32_t known = cw_baseline_hide(b, report);
    uint32_t gone = cw_baseline_stale(b, report, root_of(a), g->possible, true), new_ones = report->findings.n;
    cw_baseline_add(b, report);
    report->findings.n = 0;
    if (write_baseline(g, b))
        return -1;
    cw_note("%s: %u finding%s written: %u known before, %u new, %u gone", g->baseline, b->entries.n, many(b->entries.n),
            known, new_ones, gone);
    return 0;
}

static int use_baseline(const struct cw_gating *g, struct cw_arena *a, struct cw_run_report *report) {
    struct cw_baseline b;
    if (read_baseline(g, a, &b))
        return -1;
    if (g->write)
        return make_baseline(g, a, &b, report);
    uint32_t known = cw_baseline_hide(&b, report);
    bool all_seen = !g->ref && !g->staged;
    uint32_t gone = all_seen ? cw_baseline_stale(&b, report, root_of(a), g->possible, g->prune) : 0;
    if (known)
        cw_note("%u finding%s known to %s %s not shown", known, many(known), g->baseline, known == 1 ? "is" : "are");
    if (g->prune)
        cw_note("%s: %u finding%s taken out, %u left", g->baseline, gone, many(gone), b.entries.n);
    else if (gone)
        cw_note("%u finding%s in %s %s not found any more; --prune-baseline takes %s out", gone, many(gone),
                g->baseline, gone == 1 ? "is" : "are", gone == 1 ? "it" : "them");
    return g->prune && gone ? write_baseline(g, &b) : 0;
}

int cw_cli_gate_report(const struct cw_gating *g, struct cw_arena *a, struct cw_run_report *report) {
    return g->baseline ? use_baseline(g, a, report) : 0;
}

/* ---- the run ---- */

int cw_cli_gate_run(const struct cw_gating *g, const struct cw_run_options *o, struct cw_sources *sources,
                    struct cw_arena *a, struct cw_run_report *report, struct cw_buf *dump) {
    struct cw_since since = {.ref = g->ref, .staged = g->staged};
    if (!g->ref && !g->staged)
        return cw_run(o, sources, a, report, dump);
    int failed = cw_since_run(&since, o, sources, a, report);
    if (!failed && since.known)
        cw_note("%u finding%s of %s %s not shown", since.known, many(since.known), g->ref ? g->ref : "HEAD",
                since.known == 1 ? "is" : "are");
    return failed;
}
