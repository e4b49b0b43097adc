/* --add-ignore: the present findings get comments that silence them, so that only new ones are told of from now on. */
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/edits.h"
#include "fix/prove/ignores.h"
#include "rules/registry.h"

#include <string.h>

const char *cw_cli_ignoring(const struct cw_command_line *command, struct cw_arena *a) {
    const char *reason = cw_option_value(command, CW_OPT_ADD_IGNORE),
               *wrong = reason ? cw_ignore_reason_check(reason) : NULL;
    static const enum cw_option_id others[] = {CW_OPT_FIX,    CW_OPT_DIFF,           CW_OPT_DUMP,
                                               CW_OPT_STAGED, CW_OPT_WRITE_BASELINE, CW_OPT_PRUNE_BASELINE};
    if (wrong)
        return cw_arena_printf(a, "--add-ignore: %s", wrong);
    for (size_t i = 0; reason && i < sizeof others / sizeof others[0]; i++)
        if (cw_option_given(command, others[i]))
            return cw_arena_printf(a, "--add-ignore writes comments to the working tree; it does not go with --%s",
                                   cw_options[others[i]].name);
    for (uint32_t i = 0; reason && i < command->operands.n; i++)
        if (!strcmp(command->operands.at[i], "-"))
            return "--add-ignore writes into files; standard input is none";
    return NULL;
}

struct writing {
    struct cw_cli_edits edits;
    struct cw_sources *sources;
    struct cw_arena *arena;
    const char *reason;
    uint32_t silenced, files, left;
    bool failed;
};

static void tell_left(struct writing *writing, const struct cw_finding *finding, const char *why) {
    cw_note("%s:%u: %s not silenced: %s", finding->place.file, finding->place.line, finding->rule, why);
    writing->left++;
}

static void write_file(struct writing *writing, const struct cw_source *source, const struct cw_finding *const *at,
                       uint32_t n) {
    struct cw_ignored done;
    struct cw_buf text = {0};
    cw_add_ignores(writing->arena, source, at, n, writing->reason, &done);
    cw_edits_apply(&done.edits, source->text, source->size, &text);
    bool again = false;
    const char *error =
        done.silenced ? cw_cli_edit(&writing->edits, source, text.at ? text.at : "", text.n, &again) : NULL;
    cw_buf_free(&text);
    for (uint32_t i = 0; i < done.left.n; i++)
        tell_left(writing, done.left.at[i], "no comment can stand at this line");
    writing->failed |= error != NULL;
    writing->silenced += error || again ? 0 : done.silenced;
    writing->files += done.silenced && !error && !again;
    if (error)
        cw_error("%s: no comments written: %s", source->path, error);
}

/* Findings about comments themselves are there to be mended. */
static bool is_for_a_comment(const struct cw_finding *finding) {
    const struct cw_rule *rule = cw_rule_find(finding->rule);
    return finding->place.line && rule && strcmp(rule->category, "hygiene") != 0;
}

static void write_next(struct writing *writing, const struct cw_run_report *report, uint32_t *at) {
    CW_VEC(const struct cw_finding *) list = {0};
    const char *file = report->findings.at[*at].place.file, *error = NULL;
    for (; *at < report->findings.n && !strcmp(report->findings.at[*at].place.file, file); ++*at) {
        const struct cw_finding *f = &report->findings.at[*at];
        if (is_for_a_comment(f))
            cw_vec_push(writing->arena, &list, f);
        else
            tell_left(writing, f, "mend the comment, see --fix");
    }
    const struct cw_source *source = cw_sources_get(writing->sources, file, &error);
    if (source && list.n)
        write_file(writing, source, list.at, list.n);
    for (uint32_t i = 0; !source && i < list.n; i++)
        tell_left(writing, list.at[i], error);
}

int cw_cli_ignore(const struct cw_command_line *command, const struct cw_gating *gating,
                  const struct cw_run_options *run, struct cw_sources *sources, struct cw_arena *a,
                  struct cw_run_report *report) {
    struct writing w = {.edits = {.arena = a, .options = run}, .sources = sources, .arena = a,
                        .reason = cw_option_value(command, CW_OPT_ADD_IGNORE)};
    struct cw_run_options all = *run;
    struct cw_buf none = {0};
    all.max_results = 0;
    if (cw_cli_gate_run(gating, &all, sources, a, report, &none) || cw_cli_gate_report(gating, a, report))
        return CW_EXIT_USAGE;
    for (uint32_t i = 0; i < report->findings.n;) {
        if (report->findings.at[i].place.file)
            write_next(&w, report, &i);
        else
            i++;
    }
    cw_note("%u finding%s silenced in %u file%s%s", w.silenced, w.silenced == 1 ? "" : "s", w.files,
            w.files == 1 ? "" : "s", w.left ? ", others left" : "");
    bool is_left = w.left && !cw_option_given(command, CW_OPT_EXIT_ZERO);
    return w.failed ? CW_EXIT_USAGE : is_left ? CW_EXIT_FINDINGS : report->failed ? CW_EXIT_INCOMPLETE : CW_EXIT_CLEAN;
}
