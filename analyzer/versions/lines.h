/* Which line of an old text is which line of a new one. */
#ifndef CW_VERSIONS_LINES_H
#define CW_VERSIONS_LINES_H

#include "source/source.h"

struct cw_lines {
    uint32_t *now; /* by old line: the same line now, 0: it is not there any more; at[0] is not used */
    uint32_t n;    /* old lines */
};

/* False when there is no library to compare with. */
bool cw_lines_match(struct cw_arena *a, const struct cw_source *before, const struct cw_source *now,
                    struct cw_lines *out);

#endif
