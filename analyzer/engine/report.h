/* The results of all files into one report: named once, judged by the settings of the file they lie in, sorted, without
 * duplicates. */
#ifndef CW_ENGINE_REPORT_H
#define CW_ENGINE_REPORT_H

#include "engine/flags.h"
#include "engine/run.h"

struct cw_report_files {
    struct cw_file_result *results; /* in the order of their paths; findings get the names that the run knows */
    const struct cw_unit_options *const *units; /* what each was looked at with */
    uint32_t n;
    struct cw_flags *flags;
    struct cw_sources *sources;
};

/* A report under construction, to which results are added in any order as the files are done. The finished report
 * depends on the results alone, not on the order, nor on how often findings were settled in between. */
struct cw_report_draft;

/* requires: the path of each result is set. `report` is complete only after cw_report_finish. */
struct cw_report_draft *cw_report_open(const struct cw_run_options *o, const struct cw_report_files *files,
                                       struct cw_arena *a, struct cw_run_report *report);
/* The result of the file at index `at` is there. requires: called once for each file before cw_report_finish. */
void cw_report_add(struct cw_report_draft *draft, uint32_t at);
/* The first file, in the order of the report, that the unit may have findings in that are shown: itself or one that it
 * reads; "" when its files are not all known. */
const char *cw_report_first_of(struct cw_report_draft *draft, uint32_t at);
/* Appends the findings in files before `end` (NULL: in all files) to report->findings, sorted and merged. requires:
 * each unit whose cw_report_first_of is before `end` was added; `end` is not before that of an earlier call. */
void cw_report_settle(struct cw_report_draft *draft, const char *end);
/* The same for all that was added, for a report that will not be finished: nothing is said of comments in files that
 * other units read. */
void cw_report_settle_added(struct cw_report_draft *draft);
/* Settles the rest. Returns 0, or -1 when a header's configuration is wrong; the message has been printed. */
int cw_report_finish(struct cw_report_draft *draft);

/* Returns 0, or -1 when a header's configuration is wrong; the message has been printed. */
int cw_report_make(const struct cw_run_options *o, const struct cw_report_files *files, struct cw_arena *a,
                   struct cw_run_report *report);

/* Leaves the first `most` findings (0: all) and counts the others. */
void cw_report_cut(struct cw_run_report *report, uint32_t most);

#endif
