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

/* Returns 0, or -1 when a header's configuration is wrong; the message has been printed. */
int cw_report_make(const struct cw_run_options *o, const struct cw_report_files *files, struct cw_arena *a,
                   struct cw_run_report *report);

/* Leaves the first `most` findings (0: all) and counts the others. */
void cw_report_cut(struct cw_run_report *report, uint32_t most);

#endif
