/* cuwarp-lint help and version: the same as --help and --version. */
#include "base/str.h"
#include "cli/cli.h"
#include "rules/registry.h"
#include "rules/rule.h"

#include <stdio.h>
#include <unistd.h>

enum { LEAST_WIDTH = 60, USUAL_WIDTH = 100 };

int cw_cli_print_help(enum cw_command command) {
    struct cw_buf out = {0};
    uint32_t width = cw_cli_width(STDOUT_FILENO);
    cw_options_help(command,
                    !width || width > USUAL_WIDTH ? USUAL_WIDTH
                    : width < LEAST_WIDTH         ? LEAST_WIDTH
                                                  : width,
                    &out);
    int failed = cw_cli_write(&out, NULL);
    cw_buf_free(&out);
    return failed ? CW_EXIT_USAGE : CW_EXIT_CLEAN;
}

int cw_cli_print_version(void) {
    puts("cuwarp-lint " CUWARP_VERSION);
    return CW_EXIT_CLEAN;
}

int cw_command_help(const struct cw_command_line *c, struct cw_arena *a) {
    enum cw_command command = CW_COMMAND_CHECK;
    if (c->operands.n > 1)
        return cw_cli_usage("help takes the name of one command");
    if (c->operands.n && cw_rule_find(c->operands.at[0]))
        return cw_cli_usage(cw_arena_printf(a, "'%s' is a rule; see 'cuwarp-lint explain %s'", c->operands.at[0],
                                            c->operands.at[0]));
    if (c->operands.n && !cw_command_find(c->operands.at[0], &command))
        return cw_cli_usage(cw_command_unknown(a, c->operands.at[0], ""));
    return cw_cli_print_help(command);
}

int cw_command_version(const struct cw_command_line *command, struct cw_arena *a) {
    (void)a;
    return command->operands.n ? cw_cli_usage("version takes no operands") : cw_cli_print_version();
}
