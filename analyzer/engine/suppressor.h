/* Comments that silence findings, matched with the findings of a run; and what is wrong with such comments. */
#ifndef CW_ENGINE_SUPPRESSOR_H
#define CW_ENGINE_SUPPRESSOR_H

#include "engine/select.h"
#include "engine/sources.h"

struct cw_suppressor;

/* For one run. Files are read when first asked about. */
struct cw_suppressor *cw_suppressor_new(struct cw_arena *a, struct cw_sources *sources);

/* Reads a file now, by the name that its text goes by in this run. */
void cw_suppressor_read(struct cw_suppressor *s, const char *path);

/* Is the finding silenced by a comment of its file or, when it came out of a macro, by one at that macro's definition
 * in any of `files` (those that its unit read)? Sets f->suppression, and remembers that the comment was of use. */
bool cw_suppressor_silences(struct cw_suppressor *s, struct cw_finding *f, const char *const *files, uint32_t nfiles);

/* After all findings have been matched: what the rules with a hook on comments find in a file. `selection`: the rules
 * that ran on it. `is_complete`: what the comments are for would have been found, if it were there. */
void cw_suppressor_review(struct cw_suppressor *s, const char *path, const struct cw_selection *selection,
                          bool is_complete, struct cw_findings *out);

#endif
