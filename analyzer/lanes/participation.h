/* Who takes part: for a collective or barrier under one launch, what each thread of the block does.
 *
 * A thread has EXITED when it returned from the kernel before; it is ELSEWHERE when it runs but not here. Exited
 * threads are not missing threads (SEMANTICS): a barrier and a mask ignore them. */
#ifndef CW_LANES_PARTICIPATION_H
#define CW_LANES_PARTICIPATION_H

#include "lanes/lanes.h"

enum cw_presence {
    CW_ARRIVES,
    CW_EXITED,
    CW_ELSEWHERE,
    CW_DATA,    /* input data decides freely whether it arrives or is elsewhere */
    CW_DATA_EXIT, /* input data decides whether it arrives or has exited */
    CW_UNSURE   /* nothing may be claimed */
};

struct cw_participation {
    uint32_t ins;                     /* the collective */
    const struct cw_context *context;
    uint8_t *presence;                /* enum cw_presence per thread */
    uint32_t count[6];                /* how many threads per presence */
};

/* requires: lanes of the kernel. context: NULL for the first iteration of every loop around the instruction. */
struct cw_participation *cw_participation(struct cw_lanes *l, uint32_t ins, const struct cw_context *context,
                                          struct cw_arena *a);

/* The formulas behind it (bdd.h), per thread: who arrives, and who has exited by then. */
struct cw_lane_cond;
const struct cw_lane_cond *cw_participation_arrives(struct cw_lanes *l, uint32_t ins, const struct cw_context *context);
const struct cw_lane_cond *cw_participation_exited(struct cw_lanes *l, uint32_t ins, const struct cw_context *context);

/* Lanes of warp `w` with that presence, as a mask. */
uint32_t cw_participation_lanes(const struct cw_participation *p, const struct cw_lanes *l, uint32_t warp,
                                enum cw_presence what);

/* One word for dumps: "arrives", "data-exit", … */
const char *cw_presence_text(enum cw_presence presence);

/* --dump=participation: per collective who comes of each warp, and the lanes that its mask names, in the first
 * iteration of the loops around it and in the one in which the first threads have left. */
struct cw_buf;
void cw_participation_print(struct cw_lanes *l, struct cw_buf *out);

#endif
