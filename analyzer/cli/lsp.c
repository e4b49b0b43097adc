/* cuwarp-lint lsp: the language server with this command line and the configuration files of what it looks at. */
#include "lsp/lsp.h"

#include "base/log.h"
#include "cli/cli.h"
#include "front/front.h"
#include "git/git.h"

#include <string.h>

/* Analyses are short and often replaced by the next: one more than there are processors keeps them busy. */
enum { MORE_JOBS = 1 };

static void copy_line(struct cw_arena *a, const struct cw_command_line *from, struct cw_command_line *to) {
    *to = (struct cw_command_line){.command = CW_COMMAND_CHECK};
    for (uint32_t i = 0; i < from->options.n; i++)
        cw_vec_push(a, &to->options, from->options.at[i]);
    for (uint32_t i = 0; i < from->rest.n; i++)
        cw_vec_push(a, &to->rest, from->rest.at[i]);
}

static const char *docs_url_of(struct cw_arena *a, const struct cw_command_line *line) {
    const char *url = cw_option_value(line, CW_OPT_DOCS_URL);
    size_t n = strlen(url ? url : CUWARP_DOCS_URL);
    const char *given = url ? url : CUWARP_DOCS_URL;
    return cw_arena_strndup(a, given, n && given[n - 1] == '/' ? n - 1 : n);
}

/* The same as for `cuwarp-lint check PATH…` with the client's settings as --config KEY=VALUE. */
static const char *run_options(void *ctx, struct cw_arena *a, const char *const *paths, uint32_t npaths,
                               const char *const *settings, uint32_t nsettings, struct cw_run_options *out,
                               const char **docs_url) {
    struct cw_command_line *line = CW_NEW(a, struct cw_command_line);
    struct cw_cli_config *config;
    copy_line(a, ctx, line);
    for (uint32_t i = 0; i < nsettings; i++)
        cw_vec_push(a, &line->options, ((struct cw_given){.id = CW_OPT_CONFIG, .value = settings[i]}));
    for (uint32_t i = 0; i < npaths; i++)
        cw_vec_push(a, &line->operands, paths[i]);
    const char *error = cw_cli_config_open(line, a, &config);
    const struct cw_command_line *whole = error ? NULL : cw_cli_config_run(config, &error);
    if (!error)
        error = cw_cli_run_options(whole, a, out);
    if (error)
        return error;
    *docs_url = docs_url_of(a, whole);
    out->options_of = cw_cli_config_file;
    out->excludes = cw_cli_config_excludes;
    out->ctx = config;
    return NULL;
}

int cw_command_lsp(const struct cw_command_line *command, struct cw_arena *a) {
    struct cw_run_options run;
    const char *error = cw_cli_run_options(command, a, &run), *missing = NULL;
    if (!error && command->operands.n)
        error = cw_arena_printf(a, "lsp takes no paths: the editor says what is open (%s)", command->operands.at[0]);
    if (error)
        return cw_cli_usage(error);
    if (!cw_front_clang_load(&missing))
        cw_error("%s", missing);
    (void)cw_git_load(); /* each analysis would load it anew */
    struct cw_lsp_host host = {.options = run_options, .ctx = (void *)(uintptr_t)command, .jobs = run.jobs + MORE_JOBS,
                               .memory_limit = run.memory_limit};
    return cw_lsp_serve(&host);
}
