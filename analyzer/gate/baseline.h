/* A baseline: the findings that a project knows of, by fingerprint, one JSON object a line, sorted. */
#ifndef CW_GATE_BASELINE_H
#define CW_GATE_BASELINE_H

#include "diag/diag.h"
#include "base/map.h"
#include "base/str.h"

struct cw_baseline_entry {
    const char *fingerprint, *rule, *file, *function; /* `file` below the repository's root */
    bool is_possible;
    bool is_found; /* by cw_baseline_hide */
};

struct cw_baseline {
    struct cw_arena *arena;
    CW_VEC(struct cw_baseline_entry) entries;
    struct cw_map by_fingerprint; /* hash of the text -> index */
};

void cw_baseline_init(struct cw_baseline *b, struct cw_arena *a);
/* Reads a file's text. NULL, or what is wrong, with its line. Fields that are not known are left alone by nobody: they
 * go when the file is written again. */
const char *cw_baseline_read(struct cw_baseline *b, cw_str text);
/* Moves the findings that the baseline knows to report->suppressed; how many. */
uint32_t cw_baseline_hide(struct cw_baseline *b, struct cw_run_report *report);

/* After cw_baseline_hide: those of the run's files and rules that are not found any more. What the run did not look at
 * is no news: files that it did not analyse, rules that it did not run, possible findings when they were not asked for.
 * `root`: the folder that the entries' files are named from, or NULL. Returns how many; removes them if asked to. */
uint32_t cw_baseline_stale(struct cw_baseline *b, const struct cw_run_report *report, const char *root, bool possible,
                           bool remove);
/* Adds the report's findings. */
void cw_baseline_add(struct cw_baseline *b, const struct cw_run_report *report);
/* Sorted by file, rule and fingerprint: what is found in one file is one block, and a merge seldom conflicts. */
void cw_baseline_print(const struct cw_baseline *b, struct cw_buf *out);

#endif
