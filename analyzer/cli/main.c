#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"

#include <locale.h>
#include <stdio.h>
#include <unistd.h>

enum { LEAST_WIDTH = 60, USUAL_WIDTH = 100 };

static int print_help(const struct cw_command_line *c) {
    struct cw_buf out = {0};
    uint32_t width = cw_cli_width(STDOUT_FILENO);
    cw_options_help(c->command,
                    !width || width > USUAL_WIDTH ? USUAL_WIDTH
                    : width < LEAST_WIDTH         ? LEAST_WIDTH
                                                  : width,
                    &out);
    int failed = cw_cli_write(&out, NULL);
    cw_buf_free(&out);
    return failed ? CW_EXIT_USAGE : CW_EXIT_CLEAN;
}

static int dispatch(const struct cw_command_line *c, struct cw_arena *a) {
    if (cw_option_given(c, CW_OPT_HELP))
        return print_help(c);
    if (cw_option_given(c, CW_OPT_VERSION)) {
        puts("cuwarp-lint " CUWARP_VERSION);
        return CW_EXIT_CLEAN;
    }
    if (cw_option_given(c, CW_OPT_GENERATE))
        return cw_cli_generate(c, a);
    switch (c->command) {
#define CW_COMMAND(id, name, arguments, help)                                                                          \
    case CW_COMMAND_##id:                                                                                              \
        return cw_command_##name(c, a);
#include "cli/commands.def"
    case CW_NCOMMANDS:
        break;
    }
    return CW_EXIT_USAGE;
}

int main(int argc, char **argv) {
    struct cw_arena arena;
    struct cw_command_line line;
    setlocale(LC_CTYPE, "");
    cw_file_limit_fails_writes();
    cw_arena_init(&arena);
    const char *error = cw_options_parse(&arena, argc, argv, &line);
    if (!error && cw_option_given(&line, CW_OPT_QUIET) && cw_option_given(&line, CW_OPT_VERBOSE))
        error = "--quiet and --verbose contradict each other";
    if (!error && cw_option_given(&line, CW_OPT_QUIET))
        cw_log_level = CW_LOG_QUIET;
    if (!error && cw_option_given(&line, CW_OPT_VERBOSE))
        cw_log_level = CW_LOG_VERBOSE;
    int status = error ? cw_cli_usage(error) : dispatch(&line, &arena);
    cw_arena_free(&arena);
    return status;
}
