/* A new folder for temporary files, below $TMPDIR. A process of its own, the janitor, waits for the end of this
 * one and of all it forked, however they end, and removes the folder with all that is in it. */
#ifndef CW_BASE_SCRATCH_H
#define CW_BASE_SCRATCH_H

#include "base/arena.h"

struct cw_scratch {
    const char *path; /* real; NULL: none was made */
    int keep;         /* the folder stays for as long as a process has this open */
    int janitor;      /* process id; -1: no process could be started, and only cw_scratch_remove() removes the folder */
};

/* NULL, or why there is none. */
const char *cw_scratch_make(struct cw_arena *a, struct cw_scratch *out);
/* Removes the folder and all that is in it. */
void cw_scratch_remove(struct cw_scratch *f);

#endif
