/* Changes of the user's files. */
#ifndef CW_CLI_EDITS_H
#define CW_CLI_EDITS_H

#include "engine/run.h"

struct cw_cli_edited {
    const char *real, *path;
    cw_str text;
};

/* The changes of one run. Zero-initialise but for the first three. */
struct cw_cli_edits {
    struct cw_arena *arena;
    const struct cw_run_options *options;
    bool only_show; /* nothing is written (--diff) */
    CW_VEC(struct cw_cli_edited) done;
};

bool cw_cli_is_link(const char *path);

/* Gives the file that `was` read its new text, as cw_file_replace() does. Links out of the operands' folders are
 * refused. A file that got the same text under another name already is left alone: *again. NULL, or why nothing
 * was written (arena text). */
const char *cw_cli_edit(struct cw_cli_edits *e, const struct cw_source *was, const char *text, size_t size,
                        bool *again);

#endif
