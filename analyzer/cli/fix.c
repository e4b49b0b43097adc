/* --fix and --diff: what was repaired in memory goes to the files, to standard output, or into a diff. */
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/edits.h"
#include "fix/apply/diff.h"
#include "fix/prove/proof.h"
#include "fix/prove/repair.h"

#include <string.h>

const char *cw_cli_fixing(const struct cw_command_line *command, struct cw_fixing *out) {
    *out = (struct cw_fixing){.is_diff = cw_option_given(command, CW_OPT_DIFF),
                              .unsafe = cw_option_given(command, CW_OPT_UNSAFE_FIXES)};
    out->is_on = out->is_diff || cw_option_given(command, CW_OPT_FIX);
    if (out->unsafe && !out->is_on)
        return "--unsafe-fixes goes with --fix or --diff";
    if (out->is_on && cw_option_given(command, CW_OPT_DUMP))
        return "--fix and --diff change code, --dump shows an analysis: one at a time";
    return NULL;
}

static void put_text(const struct cw_source *source, struct cw_buf *out) {
    if (source->has_bom)
        cw_buf_puts(out, "\xEF\xBB\xBF");
    cw_buf_add(out, source->text, source->size);
}

/* A file that cannot be written is looked at as it is, so that its findings are told. */
static int restore_file(struct cw_run_state *run, struct cw_sources *sources, const struct cw_repaired *repaired,
                        const char *why) {
    cw_error("%s: not fixed: %s", repaired->path, why);
    cw_sources_override(sources, repaired->path, repaired->original);
    for (uint32_t i = 0; i < cw_run_nfiles(run); i++)
        if (!strcmp(cw_run_path(run, i), repaired->path))
            return cw_run_again(run, &i, 1);
    return 0;
}

static int write_files(const struct cw_run_options *options, struct cw_run_state *run, struct cw_sources *sources,
                       struct cw_arena *a, const struct cw_repair *done, struct cw_fixed *out) {
    struct cw_cli_edits edits = {.arena = a, .options = options};
    bool again;
    for (uint32_t i = 0; i < done->files.n; i++) {
        const struct cw_repaired *f = &done->files.at[i];
        if (options->stdin_name && !strcmp(f->path, options->stdin_name))
            continue;
        const char *error = cw_cli_edit(&edits, f->original, f->now->text, f->now->size, &again);
        if (error && restore_file(run, sources, f, error))
            return -1;
        out->files += !error && !again;
        out->findings += error || again ? 0 : f->fixed;
    }
    return 0;
}

static void tell_dropped(const struct cw_repair *done) {
    for (uint32_t i = 0; i < done->dropped.n; i++) {
        const struct cw_unrepaired *u = &done->dropped.at[i];
        cw_verbose("%s:%u: fix of %s dropped (%s): %s", u->place.file, u->place.line, u->rule, u->message, u->reason);
    }
}

static void count_fixes(const struct cw_repair *done, struct cw_fixed *out) {
    out->dropped = done->dropped.n;
    out->unsafe_left = done->unsafe_left;
}

/* Names that are no links first: a patch of a link's name cannot be applied. */
static void show_diff(const struct cw_run_options *options, struct cw_arena *a, const struct cw_repair *done,
                      struct cw_fixed *out) {
    struct cw_cli_edits edits = {.arena = a, .options = options, .only_show = true};
    bool again;
    for (int links = 0; links < 2; links++)
        for (uint32_t i = 0; i < done->files.n; i++) {
            const struct cw_repaired *r = &done->files.at[i];
            if (cw_cli_is_link(r->path) != links)
                continue;
            bool is_stdin = options->stdin_name && !strcmp(r->path, options->stdin_name);
            const char *error = is_stdin ? NULL : cw_cli_edit(&edits, r->original, r->now->text, r->now->size, &again);
            if (error)
                cw_error("%s: not fixed: %s", r->path, error);
            if (error || (!is_stdin && again))
                continue;
            cw_diff_print(a, r->path, r->original->text, r->original->size, &r->edits, &out->text);
            out->findings += r->fixed;
            out->files++;
        }
}

static int deliver_fixes(const struct cw_fixing *fixing, const struct cw_run_options *options, struct cw_run_state *run,
                         struct cw_sources *sources, struct cw_arena *a, const struct cw_repair *done,
                         struct cw_fixed *out) {
    int failed = 0;
    count_fixes(done, out);
    tell_dropped(done);
    if (fixing->is_diff)
        show_diff(options, a, done, out);
    else
        failed = write_files(options, run, sources, a, done, out);
    if (!fixing->is_diff && options->stdin_name) {
        for (uint32_t i = 0; i < done->files.n; i++)
            if (!strcmp(done->files.at[i].path, options->stdin_name)) {
                out->findings += done->files.at[i].fixed;
                out->files++;
            }
        put_text(cw_sources_get(sources, options->stdin_name, NULL), &out->text);
    }
    return failed;
}

int cw_cli_fix(const struct cw_fixing *fixing, const struct cw_run_options *o, struct cw_sources *sources,
               struct cw_arena *a, struct cw_run_report *report, struct cw_fixed *out) {
    const struct cw_source *given = o->stdin_name ? cw_sources_get(sources, o->stdin_name, NULL) : NULL;
    if (given && given->is_converted) {
        cw_error("standard input: it is UTF-16 or holds NUL bytes, which would not be kept");
        return -1;
    }
    struct cw_repair_options options = {.shown = o, .unsafe = fixing->unsafe};
    struct cw_repair done;
    struct cw_run_state *run = cw_run_open(cw_proof_options(o, a), sources, a);
    if (!run)
        return -1;
    int failed = cw_run_all(run, NULL);
    if (!failed)
        failed = cw_repair(run, &options, sources, a, &done);
    if (!failed)
        failed = deliver_fixes(fixing, o, run, sources, a, &done, out);
    if (!failed)
        failed = cw_run_tell(run, o, report);
    cw_run_close(run);
    return failed;
}

void cw_cli_tell_fixed(const struct cw_fixing *fixing, const struct cw_fixed *done) {
    const char *verb = fixing->is_diff ? "would fix" : "fixed";
    if (!done->findings)
        cw_note("nothing to fix");
    else
        cw_note("%s %u finding%s in %u file%s", verb, done->findings, done->findings == 1 ? "" : "s", done->files,
                done->files == 1 ? "" : "s");
    if (done->dropped)
        cw_note("%u fix%s could not be verified and %s not applied (-v shows why)", done->dropped,
                done->dropped == 1 ? "" : "es", done->dropped == 1 ? "was" : "were");
    if (done->unsafe_left && !fixing->unsafe)
        cw_note("%u more finding%s an unsafe fix (enable with --unsafe-fixes)", done->unsafe_left,
                done->unsafe_left == 1 ? " has" : "s have");
}
