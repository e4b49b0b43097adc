/* The command line as data. */
#ifndef CW_CLI_OPTIONS_H
#define CW_CLI_OPTIONS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum cw_command {
#define CW_COMMAND(id, name, arguments, help) CW_COMMAND_##id,
#include "cli/commands.def"
    CW_NCOMMANDS
};

enum cw_command_set {
#define CW_COMMAND(id, name, arguments, help) CW_FOR_##id = 1 << CW_COMMAND_##id,
#include "cli/commands.def"
    CW_FOR_GATE = CW_FOR_CHECK | CW_FOR_LAUNCH,
    CW_FOR_LINT = CW_FOR_GATE | CW_FOR_PERTURB | CW_FOR_LSP,
    CW_FOR_ALL = (1 << CW_NCOMMANDS) - 1
};

enum cw_option_id {
#define CW_OPTION(id, name, letter, argument, group, commands, help) CW_OPT_##id,
#include "cli/options.def"
    CW_NOPTIONS
};

enum cw_option_group {
#define CW_OPTION_GROUP(id, title) CW_GROUP_##id,
#include "cli/groups.def"
    CW_NGROUPS
};

/* A row of options.def. */
struct cw_option {
    const char *name; /* without dashes, or NULL */
    char letter;      /* or 0 */
    const char *argument;
    enum cw_option_group group;
    unsigned commands; /* enum cw_command_set */
    const char *help;
};

/* A row of commands.def. */
struct cw_command_info {
    const char *name, *arguments, *help;
};

extern const struct cw_option cw_options[CW_NOPTIONS];
extern const struct cw_command_info cw_commands[CW_NCOMMANDS];
extern const char *const cw_group_titles[CW_NGROUPS];

/* One option as it was given; the value is NULL for flags, or "false" where a configuration takes one back. */
struct cw_given {
    enum cw_option_id id;
    const char *value;
    const char *origin; /* where a configuration gives it, NULL: the command line does */
    uint32_t layer;     /* what gives it: a higher one has the last word */
};

struct cw_command_line {
    enum cw_command command;
    CW_VEC(struct cw_given) options; /* in the order given */
    CW_VEC(const char *) operands;
    CW_VEC(const char *) rest;       /* what stood after -- */
};

/* The command of this name; false: there is none. */
bool cw_command_find(const char *name, enum cw_command *out);
/* The message for a word that is no command, with a suggestion where one is near; `what` is put after "is not a
 * command" (arena text). */
const char *cw_command_unknown(struct cw_arena *a, const char *word, const char *what);

/* NULL, or what is wrong, with a suggestion where one is near (arena text). */
const char *cw_options_parse(struct cw_arena *a, int argc, char *const *argv, struct cw_command_line *out);

/* Of a flag: the last word is not "false". */
bool cw_option_given(const struct cw_command_line *c, enum cw_option_id id);
/* Of a flag that is on by default: the last word is "false". */
bool cw_option_denied(const struct cw_command_line *c, enum cw_option_id id);
/* The last value given, or NULL. */
const char *cw_option_value(const struct cw_command_line *c, enum cw_option_id id);

struct cw_buf;
/* Lines of at most `width` columns, as far as words allow. */
void cw_options_help(enum cw_command command, uint32_t width, struct cw_buf *out);

#endif
