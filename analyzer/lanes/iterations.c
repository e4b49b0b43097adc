/* Iterations worth asking about; see iterations.h. */
#include "lanes/iterations.h"

void cw_iterations_begin(struct cw_iterations *it, struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t block) {
    uint32_t inner[CW_NEST_MAX], n = 0;
    for (uint32_t at = fn->cfg->loop_of[block]; at != CW_NO_LOOP && n < CW_NEST_MAX; at = fn->cfg->loops.at[at].parent)
        inner[n++] = at;
    *it = (struct cw_iterations){.lanes = lanes, .depth = n};
    for (uint32_t k = 0; k < n; k++)
        it->nest[k] = inner[n - 1 - k];
}

static const struct cw_context *context_with(const struct cw_iterations *it, uint32_t upto, uint32_t varied,
                                             uint32_t iteration) {
    const struct cw_context *c = NULL;
    for (uint32_t k = 0; k < upto; k++)
        c = cw_lanes_context(it->lanes, c, it->nest[k], k == varied ? iteration : 0);
    return c;
}

/* The smallest number of trips of any thread, where the first thread leaves; 0 when it cannot be known. Where all may
 * leave early, it is the first iteration to which one of them cannot come. */
static uint32_t first_leaving(const struct cw_iterations *it, uint32_t k) {
    const struct cw_context *outer = context_with(it, k, CW_NEST_MAX, 0);
    const int32_t *trips = cw_lanes_trips(it->lanes, it->nest[k], outer);
    int32_t least = INT32_MAX;
    for (uint32_t t = 0; t < cw_lanes_count(it->lanes); t++)
        if (trips[t] >= 0 && trips[t] < least)
            least = trips[t];
    return least == INT32_MAX ? cw_lanes_first_away(it->lanes, it->nest[k], outer) : (uint32_t)least;
}

static void plan_tries(struct cw_iterations *it) {
    uint32_t leave = first_leaving(it, it->loop);
    it->tries[0] = 1;
    it->tries[1] = 2;
    it->tries[2] = leave > 4 ? leave - 2 : 0; /* the last of `for`: the header runs once more than the body */
    it->tries[3] = leave > 3 ? leave - 1 : 0;
    it->tries[4] = leave > 2 ? leave : 0;
}

bool cw_iterations_next(struct cw_iterations *it, const struct cw_context **out) {
    if (it->given++ == 0) {
        *out = context_with(it, it->depth, CW_NEST_MAX, 0);
        return true;
    }
    while (it->loop < it->depth && it->given <= CW_ITERATIONS_MAX) {
        if (it->step == 0)
            plan_tries(it);
        uint32_t iteration = it->tries[it->step], loop = it->loop;
        it->step = (it->step + 1) % CW_TRIES;
        it->loop += it->step == 0;
        if (iteration > 0) {
            *out = context_with(it, it->depth, loop, iteration);
            return true;
        }
    }
    return false;
}
