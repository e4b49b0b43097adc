/* Which compile command holds for a file: its own, that of a file which includes it, or a neighbour's; from the
 * database that the user names, else from one that lies near the sources. */
#ifndef CW_ENGINE_COMMANDS_H
#define CW_ENGINE_COMMANDS_H

#include "compdb/database.h"
#include "compdb/includes.h"
#include "engine/project.h"
#include "engine/run.h"

struct cw_commands;

/* NULL and *error (arena text) when the database that the options name cannot be read. `exact` follows #include lines
 * with a command's own directories alone. */
struct cw_commands *cw_commands_open(const struct cw_run_options *o, struct cw_project *project,
                                     struct cw_includes *exact, struct cw_arena *a, const char **error);

/* Whose command an entry is. */
enum cw_command_of { CW_COMMAND_OWN, CW_COMMAND_OF_INCLUDER, CW_COMMAND_OF_NEIGHBOUR };

struct cw_file_command {
    const struct cw_compile *compile; /* NULL: no command is known */
    enum cw_command_of whose;
    const char *path; /* of the database, as it is shown; NULL: none */
    bool is_found;    /* nobody named the database: what its directories do not hold is looked for in the tree */
};

/* The command for a file: `path` as the run names it, `full` absolute, `real` without links. A neighbour's command
 * counts from a found database only when it compiles CUDA. */
struct cw_file_command cw_command_of(struct cw_commands *c, const char *path, const char *full, const char *real);

/* The databases that the files of a run have commands from, as they are shown, each once. For --show-settings: nothing
 * but databases is read. */
struct cw_words cw_commands_in_use(const struct cw_run_options *o, const struct cw_inputs *inputs, struct cw_arena *a);

#endif
