/* cuwarp-lint launch -- nvcc …: stands before the compiler in a build, as CMAKE_CUDA_COMPILER_LAUNCHER. The file is
 * linted with the very options it is compiled with; then the compiler runs in place of this program. */
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "compdb/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CANNOT_RUN = 126, NOT_FOUND = 127 }; /* as shells say it */

static bool is_cuda_source(const struct cw_compile *compile, const char *path) {
    return compile->is_cuda || cw_str_ends(cw_str_of(path), ".cu");
}

/* The sources that the command compiles become the operands of a check. */
static void read_command(const struct cw_command_line *command, struct cw_arena *a, struct cw_command_line *check) {
    struct cw_words words = {0};
    struct cw_compile compile;
    for (uint32_t i = 0; i < command->rest.n; i++)
        cw_vec_push(a, &words, command->rest.at[i]);
    cw_compile_read(a, &words, "", cw_reader_of_disk(), &compile);
    for (uint32_t i = 0; compile.is_compile && i < compile.inputs.n; i++)
        if (is_cuda_source(&compile, compile.inputs.at[i]))
            cw_vec_push(a, &check->operands, compile.inputs.at[i]);
}

/* Everything that is said goes to the standard error: the other stream is the compiler's. */
static int lint_command(const struct cw_command_line *check, struct cw_arena *a) {
    fflush(stdout);
    int out = dup(STDOUT_FILENO);
    if (out >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    int status = cw_cli_check(check, a);
    fflush(stdout);
    if (out >= 0) {
        dup2(out, STDOUT_FILENO);
        close(out);
    }
    return status;
}

static int run_compiler(const struct cw_command_line *command, struct cw_arena *a) {
    char **argv = CW_NEW_ARRAY(a, char *, command->rest.n + 1);
    for (uint32_t i = 0; i < command->rest.n; i++)
        argv[i] = cw_arena_strdup(a, command->rest.at[i]);
    fflush(stderr);
    cw_file_limit_restore();
    execvp(argv[0], argv);
    int why = errno;
    cw_error("%s: cannot be run: %s", argv[0], strerror(why));
    return why == ENOENT ? NOT_FOUND : CANNOT_RUN;
}

int cw_command_launch(const struct cw_command_line *command, struct cw_arena *a) {
    /* No summary for each file of a build; and what the command names is all that the compiler will see. */
    static const enum cw_option_id extra[] = {CW_OPT_QUIET, CW_OPT_NO_INFERENCE};
    if (!command->rest.n || command->operands.n)
        return cw_cli_usage("launch needs the compiler's command line behind --, as in: launch -- nvcc -c a.cu");
    struct cw_command_line check = *command;
    check.command = CW_COMMAND_CHECK;
    read_command(command, a, &check);
    for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++)
        cw_vec_push(a, &check.options, ((struct cw_given){.id = extra[i]}));
    int status = check.operands.n ? lint_command(&check, a) : CW_EXIT_CLEAN;
    if (status == CW_EXIT_USAGE || (status == CW_EXIT_FINDINGS && cw_option_given(command, CW_OPT_FAIL_ON)))
        return status;
    return run_compiler(command, a);
}
