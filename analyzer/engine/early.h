/* Findings that are reported while files are still being analysed, in the order of the report. A finding is final
 * when no unit that is left may have one in the same file or in a file before it. */
#ifndef CW_ENGINE_EARLY_H
#define CW_ENGINE_EARLY_H

#include "engine/report.h"

struct cw_early;

/* NULL when nobody wants them (o->early). `files` as for cw_report_open; no result is there yet. */
struct cw_early *cw_early_open(const struct cw_run_options *o, const struct cw_report_files *files,
                               struct cw_arena *a);
/* The first file that the unit may have findings in, by name; "" when early is NULL. */
const char *cw_early_first_of(struct cw_early *e, uint32_t file);
/* The files that are left, sorted by cw_early_first_of; borrowed. All others are done and have been added. Reports
 * what is final. */
void cw_early_expect(struct cw_early *e, const uint32_t *files, uint32_t n);
/* The file's result is there; e may be NULL, as in all that follow. */
void cw_early_add(struct cw_early *e, uint32_t file);
/* Reports what has become final, not more often than is cheap. */
void cw_early_report(struct cw_early *e);
/* Reports all findings of the files that are done. The report cannot be finished after that. */
void cw_early_cut_short(struct cw_early *e);
/* As cw_report_finish, into `report`. requires: all files are done, e is not NULL. */
int cw_early_finish(struct cw_early *e, struct cw_run_report *report);

/* SIGINT and SIGTERM only set a note from here on, so that what is known can be reported first. */
void cw_early_hold_signals(struct cw_early *e);
/* Whether one came. */
bool cw_early_is_interrupted(const struct cw_early *e);
/* Puts back what was set before, and raises the signal that came. */
void cw_early_release_signals(struct cw_early *e);

#endif
