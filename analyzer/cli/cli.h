/* The sub-commands. */
#ifndef CW_CLI_CLI_H
#define CW_CLI_CLI_H

#include "base/str.h"
#include "cli/options.h"
#include "engine/run.h"

struct cw_buf;

enum cw_exit { CW_EXIT_CLEAN, CW_EXIT_FINDINGS, CW_EXIT_USAGE, CW_EXIT_INCOMPLETE };

/* Each returns the exit status. */
#define CW_COMMAND(id, name, arguments, help)                                                                          \
    int cw_command_##name(const struct cw_command_line *c, struct cw_arena *a);
#include "cli/commands.def"

/* Options of how files are looked at, checked and converted. NULL, or what is wrong (arena text). */
const char *cw_cli_unit_options(const struct cw_command_line *c, struct cw_arena *a, struct cw_unit_options *out);
const char *cw_cli_run_options(const struct cw_command_line *c, struct cw_arena *a, struct cw_run_options *out);

/* The command line and the configuration files, brought together (cli/config.c). The errors are arena texts. */
struct cw_cli_config;
const char *cw_cli_config_open(const struct cw_command_line *c, struct cw_arena *a, struct cw_cli_config **out);
/* The command line with what the configuration of the operands' common directory says under it. NULL with *error. */
const struct cw_command_line *cw_cli_config_run(struct cw_cli_config *k, const char **error);
/* For struct cw_run_options; ctx is a struct cw_cli_config. */
const struct cw_file_options *cw_cli_config_file(void *ctx, const char *path, const char **error);
bool cw_cli_config_excludes(void *ctx, const char *path, bool is_directory, const char **error);
/* --show-settings: what holds for the run and for each of its files, with where it comes from. NULL, or an error. */
const char *cw_cli_config_show(struct cw_cli_config *k, const struct cw_inputs *inputs, struct cw_buf *out);

/* --fix, --diff, --unsafe-fixes. NULL, or what is wrong. */
struct cw_fixing {
    bool is_on, is_diff, unsafe;
};
const char *cw_cli_fixing(const struct cw_command_line *c, struct cw_fixing *out);

/* What became of it. */
struct cw_fixed {
    struct cw_buf text; /* for standard output: the diff, or the fixed standard input */
    uint32_t findings, files, dropped, unsafe_left;
};

/* The run, with fixes applied and proved (fix/prove/repair.h) and, unless only a diff is wanted, written to the files.
 * The report is that of the fixed files. 0, or -1 with the message printed. */
int cw_cli_fix(const struct cw_fixing *f, const struct cw_run_options *o, struct cw_sources *sources,
               struct cw_arena *a, struct cw_run_report *report, struct cw_fixed *out);
void cw_cli_tell_fixed(const struct cw_fixing *f, const struct cw_fixed *done);

/* May this stream have colours and characters outside ASCII? */
bool cw_cli_color(const char *when /* auto, always, never or NULL */, int fd);
bool cw_cli_unicode(void);
/* Columns of the terminal: $COLUMNS, else what the terminal says; 0 when the stream is none. */
uint32_t cw_cli_width(int fd);
int cw_cli_processors(void);

/* The bar on standard error for a run, or NULL where none belongs: no terminal, --quiet, --verbose. */
typedef void cw_cli_progress_bar(uint32_t done, uint32_t total, const char *file);
cw_cli_progress_bar *cw_cli_progress(const struct cw_command_line *c);
/* --generate. */
int cw_cli_generate(const struct cw_command_line *c, struct cw_arena *a);
/* --statistics and --profile, on standard error. */
void cw_cli_statistics(const struct cw_run_report *r, struct cw_arena *a);
void cw_cli_profile(const struct cw_run_report *r, struct cw_arena *a);
/* Missing headers, on standard error. */
void cw_cli_missing_headers(const struct cw_run_report *r, struct cw_arena *a);

/* Gates for new code, see docs/internals/gates.md. */
struct cw_gating {
    const char *baseline; /* file, or NULL */
    bool write, prune;
    const char *ref;      /* --since, or NULL */
    bool staged;
    bool possible;        /* possible findings are shown */
};
const char *cw_cli_gating(const struct cw_command_line *c, const struct cw_fixing *fixing, struct cw_gating *out);
/* cw_run(), or only what --since and --staged ask for. */
int cw_cli_gate_run(const struct cw_gating *g, const struct cw_run_options *o, struct cw_sources *sources,
                    struct cw_arena *a, struct cw_run_report *report, struct cw_buf *dump);
/* Takes out of a whole report what the baseline knows. 0, or -1 with the message printed. */
int cw_cli_gate_report(const struct cw_gating *g, struct cw_arena *a, struct cw_run_report *report);

/* --add-ignore. Whether it can be done as it was given: NULL, or what is wrong; then the exit status of doing it. */
const char *cw_cli_ignoring(const struct cw_command_line *c, struct cw_arena *a);
int cw_cli_ignore(const struct cw_command_line *c, const struct cw_gating *gating, const struct cw_run_options *run,
                  struct cw_sources *sources, struct cw_arena *a, struct cw_run_report *report);

/* What `check` does with this command line. */
int cw_cli_check(const struct cw_command_line *c, struct cw_arena *a);

/* The architectures of this machine's GPUs as --arch takes them ("sm_75,sm_90"), from nvidia-smi, else from nvcc; who
 * said so is noted once. NULL: neither knows. The text lives as long as the process; asked once. */
const char *cw_cli_native_archs(void);
/* Shows the text in the user's pager ($PAGER, else less -FRX). False: none could be started, and nothing was shown. */
bool cw_cli_page(const struct cw_buf *text);
/* Markdown as a terminal shows it: headings, code blocks and inline code without their marks. */
void cw_cli_draw_markdown(cw_str text, bool color, struct cw_buf *out);
/* --help and --version on standard output; the exit status. */
int cw_cli_print_help(enum cw_command command);
int cw_cli_print_version(void);
/* --watch: checks, and checks again when something changes, until it is interrupted. The status of the last check. */
int cw_cli_watch(const struct cw_command_line *c, struct cw_arena *a);

/* Prints a usage error; returns CW_EXIT_USAGE. */
int cw_cli_usage(const char *error);
/* "https://host/path", and nothing that could not stand in a link. */
bool cw_cli_is_url(const char *text);
/* Writes the text to stdout, or to a file when `path` is not NULL; 0, or -1 with the message printed. */
int cw_cli_write(const struct cw_buf *text, const char *path);

#endif
