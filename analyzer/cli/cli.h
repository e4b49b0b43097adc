/* The sub-commands. */
#ifndef CW_CLI_CLI_H
#define CW_CLI_CLI_H

#include "cli/options.h"
#include "engine/run.h"

enum cw_exit { CW_EXIT_CLEAN, CW_EXIT_FINDINGS, CW_EXIT_USAGE, CW_EXIT_INCOMPLETE };

/* Each returns the exit status. */
#define CW_COMMAND(id, name, arguments, help) int cw_command_##name(const struct cw_command_line *c, struct cw_arena *a);
#include "cli/commands.def"

/* Options of how files are looked at, checked and converted. NULL, or what is wrong (arena text). */
const char *cw_cli_unit_options(const struct cw_command_line *c, struct cw_arena *a, struct cw_unit_options *out);
const char *cw_cli_run_options(const struct cw_command_line *c, struct cw_arena *a, struct cw_run_options *out);

/* May this stream have colours and characters outside ASCII? */
bool cw_cli_color(const char *when /* auto, always, never or NULL */, int fd);
bool cw_cli_unicode(void);
int cw_cli_processors(void);

/* What `check` does with this command line. */
int cw_cli_check(const struct cw_command_line *c, struct cw_arena *a);

/* Prints a usage error; returns CW_EXIT_USAGE. */
int cw_cli_usage(const char *error);
/* Writes the text to stdout, or to a file when `path` is not NULL; 0, or -1 with the message printed. */
struct cw_buf;
int cw_cli_write(const struct cw_buf *text, const char *path);

#endif
