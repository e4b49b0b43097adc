/* cuwarp-lint [check]: lint, report, decide the exit status. */
#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/printable.h"
#include "base/str.h"
#include "cli/cli.h"
#include "emit/emit.h"
#include "engine/commands.h"
#include "engine/report.h"
#include "base/suggest.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
    const struct cw_format *format;
    const char *path; /* NULL: standard output */
};

struct check {
    const struct cw_command_line *line; /* over what the configuration says of the run */
    struct cw_arena *arena;
    struct cw_cli_config *config;
    struct cw_run_options run;
    struct cw_sources sources;
    struct cw_run_report report;
    CW_VEC(struct output) outputs;
    enum cw_severity fail_on;
    struct cw_fixing fixing;
    struct cw_fixed fixed;
    struct cw_gating gating;
    uint32_t max_results;
    uint32_t told; /* findings that went to standard output while files were analysed */
    bool is_early_broken; /* and could not be written */
};

/* ---- options ---- */

static const char *unknown_format(struct check *check, const char *name) {
    const char **names = CW_NEW_ARRAY(check->arena, const char *, cw_nformats);
    struct cw_buf list = {0};
    for (uint32_t i = 0; i < cw_nformats; i++) {
        names[i] = cw_formats[i].name;
        cw_buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = cw_suggest(name, names, cw_nformats);
    const char *error =
        near ? cw_arena_printf(check->arena, "--output: unknown format '%s'; did you mean '%s'?", name, near)
             : cw_arena_printf(check->arena, "--output: unknown format '%s'; there are %s", name, list.at);
    cw_buf_free(&list);
    return error;
}

/* The folder of a path, resolved, with the name behind it: also of a file that is not there yet. */
static bool resolve_path(const char *path, char full[PATH_MAX + NAME_MAX + 2]) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_MAX];
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (n <= 0 || (size_t)n >= sizeof folder || strlen(name) > NAME_MAX || !realpath(folder, full))
        return false;
    strcat(full, "/");
    strcat(full, name);
    return true;
}

/* Devices and pipes may take several reports. */
static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    char full[2][PATH_MAX + NAME_MAX + 2];
    bool has_first = !stat(a, &x), has_other = !stat(b, &y);
    if (has_first && has_other)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return !has_first && !has_other && resolve_path(a, full[0]) && resolve_path(b, full[1]) &&
           !strcmp(full[0], full[1]);
}

static const char *parse_output(struct check *check, const char *value) {
    const char *colon = strchr(value, ':');
    const char *name = colon ? cw_arena_strndup(check->arena, value, (size_t)(colon - value)) : value;
    struct output o = {cw_format_find(name), colon ? colon + 1 : NULL};
    if (!o.format)
        return unknown_format(check, name);
    if (colon && !colon[1])
        return cw_arena_printf(check->arena, "--output: '%s' names no file", value);
    for (uint32_t i = 0; i < check->outputs.n && !o.path; i++)
        if (!check->outputs.at[i].path)
            return cw_arena_printf(check->arena,
                                   "--output: %s and %s cannot both go to standard output; name a file: %s:FILE",
                                   check->outputs.at[i].format->name, name, name);
    for (uint32_t i = 0; i < check->outputs.n && o.path; i++)
        if (check->outputs.at[i].path && is_same_file(check->outputs.at[i].path, o.path))
            return cw_arena_printf(check->arena, "--output: %s and %s cannot both go to %s",
                                   check->outputs.at[i].format->name, name, o.path);
    cw_vec_push(check->arena, &check->outputs, o);
    return NULL;
}

static const char *parse_color(struct check *check) {
    const char *value = cw_option_value(check->line, CW_OPT_COLOR);
    if (!value || !strcmp(value, "auto") || !strcmp(value, "always") || !strcmp(value, "never"))
        return NULL;
    return cw_arena_printf(check->arena, "--color: '%s' is not auto, always or never", value);
}

static const char *parse_fail_on(struct check *check) {
    const char *value = cw_option_value(check->line, CW_OPT_FAIL_ON);
    check->fail_on = CW_WARNING;
    if (!value || cw_severity_parse(value, &check->fail_on))
        return NULL;
    return cw_arena_printf(check->arena, "--fail-on: '%s' is not error, warning or info", value);
}

/* A file that was asked for is written, or it is said why not. */
static const char *check_files(const struct check *check) {
    const char *silent = check->fixing.is_diff                             ? "--diff"
                         : cw_option_given(check->line, CW_OPT_ADD_IGNORE) ? "--add-ignore"
                                                                       : NULL;
    for (uint32_t i = 0; i < check->outputs.n && silent; i++)
        if (check->outputs.at[i].path)
            return cw_arena_printf(check->arena,
                                   "%s reports no findings, so none can go to a file: leave out --output %s:%s", silent,
                                   check->outputs.at[i].format->name, check->outputs.at[i].path);
    return NULL;
}

static const char *parse_docs_url(struct check *check) {
    const char *value = cw_option_value(check->line, CW_OPT_DOCS_URL);
    return value && !cw_cli_is_url(value)
               ? cw_arena_printf(check->arena, "--docs-url: '%s' is not an address such as https://host/path", value)
               : NULL;
}

static const char *parse_options(struct check *check) {
    const char *error = cw_cli_run_options(check->line, check->arena, &check->run);
    for (uint32_t i = 0; i < check->line->options.n && !error; i++)
        if (check->line->options.at[i].id == CW_OPT_OUTPUT)
            error = parse_output(check, check->line->options.at[i].value);
    if (!error && !check->outputs.n)
        error = parse_output(check, "text");
    if (!error)
        error = parse_fail_on(check);
    if (!error)
        error = parse_docs_url(check);
    if (!error)
        error = cw_cli_fixing(check->line, &check->fixing);
    if (!error)
        error = check_files(check);
    if (!error)
        error = cw_cli_gating(check->line, &check->fixing, &check->gating);
    check->gating.possible = check->run.possible;
    check->max_results = check->run.max_results;
    check->run.max_results = 0; /* counted behind the gates */
    if (!error)
        error = cw_cli_ignoring(check->line, check->arena);
    return error ? error : parse_color(check);
}

/* ---- inputs ---- */

/* "-" is read here, before any worker: there is only one standard input. */
static const char *read_stdin(struct check *check) {
    const char *given = cw_option_value(check->line, CW_OPT_STDIN_FILENAME), *name = given ? given : "<stdin>";
    const char *error = NULL;
    struct cw_source *s = cw_source_load_fd(check->arena, STDIN_FILENO, name, &error);
    if (!s)
        return cw_arena_printf(check->arena, "standard input: %s", error);
    cw_sources_put(&check->sources, name, s);
    check->run.stdin_name = name;
    return NULL;
}

static const char *collect_inputs(struct check *check) {
    static const char *const here[] = {"."};
    CW_VEC(const char *) paths = {0};
    const char *error = NULL;
    for (uint32_t i = 0; i < check->line->operands.n && !error; i++) {
        if (strcmp(check->line->operands.at[i], "-") != 0)
            cw_vec_push(check->arena, &paths, check->line->operands.at[i]);
        else if (!check->run.stdin_name)
            error = read_stdin(check);
    }
    check->run.paths = check->line->operands.n ? paths.at : here;
    check->run.npaths = check->line->operands.n ? paths.n : 1;
    return error;
}

/* ---- output ---- */

static void emit_to(struct check *check, const struct output *output, const struct cw_run_report *report, bool quiet,
                    struct cw_buf *out) {
    struct cw_emit e = {.report = report,
                        .arena = check->arena,
                        .source_of = cw_sources_callback,
                        .ctx = &check->sources,
                        .color =
                            !output->path && cw_cli_color(cw_option_value(check->line, CW_OPT_COLOR), STDOUT_FILENO),
                        .unicode = cw_cli_unicode(),
                        .width = output->path ? 0 : cw_cli_width(STDOUT_FILENO),
                        .quiet = quiet,
                        .brief = cw_log_level == CW_LOG_QUIET, /* not for a launch, which only leaves the summary out */
                        .told = output->path ? 0 : check->told,
                        .out = out};
    e.links = e.color && cw_cli_width(STDOUT_FILENO) != 0;
    output->format->emit(&e);
}

static const struct output *standard_output(const struct check *check) {
    for (uint32_t i = 0; i < check->outputs.n; i++)
        if (!check->outputs.at[i].path)
            return &check->outputs.at[i];
    return NULL;
}

/* Findings that are final while files are still analysed. */
static void emit_early(void *ctx, const struct cw_run_report *report) {
    struct check *k = ctx;
    struct cw_run_report part = *report;
    struct cw_buf out = {0};
    cw_report_cut(&part, k->max_results);
    if (part.findings.n <= k->told || k->is_early_broken)
        return;
    emit_to(k, standard_output(k), &part, true, &out);
    k->is_early_broken = cw_cli_write(&out, NULL) != 0;
    k->told = part.findings.n;
    cw_buf_free(&out);
}

/* What compares with other runs, or changes files, needs the whole report first. */
static bool is_early(const struct check *check) {
    const struct output *o = standard_output(check);
    return o && o->format->is_streamed && check->run.unit.dump == CW_DUMP_NONE && !check->gating.baseline &&
           !check->gating.ref && !check->gating.staged && !check->run.stdin_name;
}

/* The fixed text of standard input has standard output for itself. */
static bool is_filter(const struct check *check) {
    return check->fixing.is_on && !check->fixing.is_diff && check->run.stdin_name;
}

/* A report over a source of the run is a mistake in the command line; a report of an earlier run has no such name. */
static const struct output *output_over_input(const struct check *check) {
    struct stat out, in;
    for (uint32_t i = 0; i < check->outputs.n; i++) {
        if (!check->outputs.at[i].path || stat(check->outputs.at[i].path, &out) || !S_ISREG(out.st_mode))
            continue;
        for (uint32_t n = 0; n < check->report.files.n; n++)
            if (!stat(check->report.files.at[n].path, &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
                return &check->outputs.at[i];
    }
    return NULL;
}

static int emit_all(struct check *check) {
    int failed = 0;
    const struct output *wrong = output_over_input(check);
    if (wrong) {
        cw_error("%s: a report would replace a file that was analysed", wrong->path);
        return -1;
    }
    for (uint32_t i = 0; i < check->outputs.n; i++) {
        struct cw_buf out = {0};
        emit_to(check, &check->outputs.at[i], &check->report, cw_option_given(check->line, CW_OPT_QUIET), &out);
        if (is_filter(check) && !check->outputs.at[i].path)
            fwrite(out.at ? out.at : "", 1, out.n, stderr);
        else
            failed |= cw_cli_write(&out, check->outputs.at[i].path);
        cw_buf_free(&out);
    }
    return failed;
}

static void tell_failures(const struct check *check) {
    for (uint32_t i = 0; i < check->report.files.n; i++) {
        const struct cw_file_result *r = &check->report.files.at[i];
        if (r->failed)
            cw_error("%s: could not be analysed: %s", r->path, r->failure ? r->failure : "no reason is known");
    }
}

static void tell_details(const struct cw_file_result *result) {
    for (uint32_t i = 0; i < result->parse_notes.n; i++) {
        const struct cw_remark *n = &result->parse_notes.at[i];
        cw_verbose("%s:%u:%u: parser: %s", n->place.file ? n->place.file : result->path, n->place.line, n->place.col,
                   n->text);
    }
    for (uint32_t i = 0; i < result->skipped.n; i++)
        cw_verbose("%s:%u: kernel %s skipped: %s", result->path, result->skipped.at[i].place.line,
                   result->skipped.at[i].kernel, result->skipped.at[i].reason);
}

/* One line for all files that say the same: a header that the whole project includes is broken for all of it. */
static void tell_warnings(const struct check *check) {
    struct cw_map told;
    cw_map_init(&told, check->arena);
    for (uint32_t i = 0; i < check->report.files.n; i++)
        for (uint32_t n = 0; n < check->report.files.at[i].warnings.n; n++) {
            const char *text = check->report.files.at[i].warnings.at[n];
            uint64_t key = cw_hash(text, strlen(text), 0);
            if (!cw_map_get(&told, key, NULL))
                cw_note("%s", text);
            cw_map_put(&told, key, 1);
        }
}

/* The summary of the text form says it too, but not every format has room for it. */
static void tell_not_shown(const struct check *check) {
    const struct output *o = standard_output(check);
    bool told = o && !strcmp(o->format->name, "text");
    if (check->report.not_shown && !told)
        cw_note("%u more finding%s not shown (--max-results)", check->report.not_shown,
                check->report.not_shown == 1 ? "" : "s");
}

static void tell_problems(const struct check *check) {
    tell_failures(check);
    tell_warnings(check);
    if (!cw_option_given(check->line, CW_OPT_QUIET))
        cw_cli_missing_headers(&check->report, check->arena);
    tell_not_shown(check);
    for (uint32_t i = 0; i < check->report.files.n; i++)
        tell_details(&check->report.files.at[i]);
    if (cw_option_given(check->line, CW_OPT_STATISTICS))
        cw_cli_statistics(&check->report, check->arena);
    if (cw_option_given(check->line, CW_OPT_PROFILE))
        cw_cli_profile(&check->report, check->arena);
}

/* Somebody at a terminal may not know yet that there are fixes; logs and programs do. */
static void tell_fixes(const struct check *check) {
    uint32_t fixable = 0;
    if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO) || cw_option_given(check->line, CW_OPT_QUIET))
        return;
    for (uint32_t i = 0; i < check->report.findings.n; i++) {
        const struct cw_finding *f = &check->report.findings.at[i];
        bool is_safe = false;
        for (uint32_t k = 0; k < f->fixes.n; k++)
            is_safe |= f->fixes.at[k].safe;
        fixable += is_safe;
    }
    if (fixable)
        cw_note("%u finding%s a fix: --diff shows what it would change, --fix applies it", fixable,
                fixable == 1 ? " has" : "s have");
}

static bool is_fatal(const struct check *check) {
    for (uint32_t i = 0; i < check->report.findings.n; i++)
        if (check->report.findings.at[i].severity >= check->fail_on)
            return true;
    return false;
}

/* What was found decides, shown or not. Findings win over incomplete input: both are failures, and the first can be
 * acted upon. A diff fails for what it would change, a dump for nothing that it shows. */
static int exit_status(const struct check *check) {
    bool found = check->fixing.is_diff                    ? check->fixed.findings > 0
                 : check->run.unit.dump != CW_DUMP_NONE ? false
                                                      : is_fatal(check);
    if (cw_option_given(check->line, CW_OPT_EXIT_ZERO))
        return CW_EXIT_CLEAN;
    return found ? CW_EXIT_FINDINGS : check->report.failed ? CW_EXIT_INCOMPLETE : CW_EXIT_CLEAN;
}

static void finish_report(struct check *check) {
    const char *docs = cw_option_value(check->line, CW_OPT_DOCS_URL);
    size_t n = docs ? strlen(docs) : 0;
    if (n)
        check->report.docs_url = cw_arena_strndup(check->arena, docs, docs[n - 1] == '/' ? n - 1 : n);
    check->report.fail_on = check->fail_on;
    check->report.exit_status = exit_status(check);
    cw_report_cut(&check->report, check->max_results);
}

/* ---- what would be done ---- */

static void show_path(struct cw_buf *out, const char *path) {
    cw_put_path(out, path);
    cw_buf_putc(out, '\n');
}

/* Found or named: what the options say of files without a command of their own is not all. */
static void show_commands(struct check *check, const struct cw_inputs *inputs, struct cw_buf *out) {
    struct cw_words list = cw_commands_in_use(&check->run, inputs, check->arena);
    for (uint32_t i = 0; i < list.n; i++) {
        cw_buf_puts(out, "# compile commands: ");
        show_path(out, list.at[i]);
    }
}

static int show_inputs(struct check *check) {
    struct cw_buf out = {0};
    const char *error = NULL;
    struct cw_inputs inputs = cw_run_inputs(&check->run, check->arena, &error);
    if (!error && cw_option_given(check->line, CW_OPT_SHOW_SETTINGS))
        error = cw_cli_config_show(check->config, &inputs, &out);
    if (!error && cw_option_given(check->line, CW_OPT_SHOW_SETTINGS))
        show_commands(check, &inputs, &out);
    for (uint32_t i = 0; i < inputs.paths.n && !error && cw_option_given(check->line, CW_OPT_SHOW_FILES); i++)
        show_path(&out, inputs.paths.at[i]);
    int failed = error ? cw_cli_usage(error) : cw_cli_write(&out, NULL);
    cw_buf_free(&out);
    return failed ? CW_EXIT_USAGE : CW_EXIT_CLEAN;
}

/* ---- what is done ---- */

static int fix_files(struct check *check) {
    int failed = cw_cli_fix(&check->fixing, &check->run, &check->sources, check->arena, &check->report, &check->fixed);
    if (!failed)
        failed = cw_cli_gate_report(&check->gating, check->arena, &check->report);
    if (!failed)
        finish_report(check);
    if (!failed && (check->fixing.is_diff || is_filter(check)))
        failed = cw_cli_write(&check->fixed.text, NULL);
    if (!failed && !check->fixing.is_diff)
        failed = emit_all(check);
    cw_buf_free(&check->fixed.text);
    if (failed)
        return CW_EXIT_USAGE;
    tell_problems(check);
    cw_cli_tell_fixed(&check->fixing, &check->fixed);
    return check->report.exit_status;
}

static int write_dump(const struct cw_buf *dump) {
    struct cw_buf out = {0};
    cw_put_printable_lines(&out, (cw_str){dump->at, dump->n});
    int failed = cw_cli_write(&out, NULL);
    cw_buf_free(&out);
    return failed;
}

static int run_check(struct check *check) {
    struct cw_buf dump = {0};
    check->run.early = is_early(check) ? emit_early : NULL;
    check->run.early_ctx = check;
    int failed = cw_cli_gate_run(&check->gating, &check->run, &check->sources, check->arena, &check->report, &dump);
    if (!failed)
        failed = cw_cli_gate_report(&check->gating, check->arena, &check->report);
    if (!failed)
        finish_report(check);
    if (!failed)
        failed = check->run.unit.dump != CW_DUMP_NONE ? write_dump(&dump) : emit_all(check);
    cw_buf_free(&dump);
    if (failed || check->is_early_broken)
        return CW_EXIT_USAGE;
    tell_problems(check);
    tell_fixes(check);
    return check->report.exit_status;
}

int cw_cli_check(const struct cw_command_line *command, struct cw_arena *a) {
    struct check k = {.arena = a};
    cw_sources_init(&k.sources, a);
    const char *error = cw_cli_config_open(command, a, &k.config);
    k.line = error ? NULL : cw_cli_config_run(k.config, &error);
    if (!error)
        error = parse_options(&k);
    if (!error)
        error = collect_inputs(&k);
    if (error)
        return cw_cli_usage(error);
    k.run.options_of = cw_cli_config_file;
    k.run.excludes = cw_cli_config_excludes;
    k.run.ctx = k.config;
    bool only_show = cw_option_given(k.line, CW_OPT_SHOW_SETTINGS) || cw_option_given(k.line, CW_OPT_SHOW_FILES);
    k.run.progress = cw_cli_progress(k.line);
    if (only_show)
        return show_inputs(&k);
    if (cw_option_given(k.line, CW_OPT_ADD_IGNORE)) {
        int status = cw_cli_ignore(k.line, &k.gating, &k.run, &k.sources, a, &k.report);
        tell_failures(&k);
        return status;
    }
    return k.fixing.is_on ? fix_files(&k) : run_check(&k);
}

int cw_command_check(const struct cw_command_line *command, struct cw_arena *a) {
    return cw_option_given(command, CW_OPT_WATCH) ? cw_cli_watch(command, a) : cw_cli_check(command, a);
}
