/* Findings in a header that is read on its own, where the files that include it define the name that the finding rests
 * on. */
#ifndef CW_ENGINE_OVERRULED_H
#define CW_ENGINE_OVERRULED_H

#include "engine/report.h"

struct cw_overruled {
    const struct cw_report_files *files;
    struct cw_arena *arena;
    struct cw_intern names;
    struct cw_map defines; /* interned "name path" -> 1: the file defines it, 2: it does not */
};

void cw_overruled_init(struct cw_overruled *o, const struct cw_report_files *files, struct cw_arena *a);
/* requires: the finding's places have the run's names. True when unit `at` is a header that holds the finding itself,
 * and a file that another unit which includes the header reads defines `rests_on` as a macro or device function. */
bool cw_is_overruled(struct cw_overruled *o, uint32_t at, const struct cw_finding *f);

#endif
