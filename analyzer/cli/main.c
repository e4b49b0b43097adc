#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"

#include <locale.h>

static int run_command(const struct cw_command_line *command, struct cw_arena *a) {
    if (cw_option_given(command, CW_OPT_HELP))
        return cw_cli_print_help(command->command);
    if (cw_option_given(command, CW_OPT_VERSION))
        return cw_cli_print_version();
    if (cw_option_given(command, CW_OPT_GENERATE))
        return cw_cli_generate(command, a);
    switch (command->command) {
#define CW_COMMAND(id, name, arguments, help)                                                                          \
    case CW_COMMAND_##id:                                                                                              \
        return cw_command_##name(command, a);
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
    int status = error ? cw_cli_usage(error) : run_command(&line, &arena);
    cw_arena_free(&arena);
    return status;
}
