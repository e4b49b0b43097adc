/* What orders the accesses of a race: a barrier of the warp, of the block, or none.
 *
 * A cause names conflicts of one launch, often of one warp. The same two instructions may conflict across warps in
 * another launch or iteration, or with the threads of other blocks; a __syncwarp() removes the finding and leaves that
 * hazard. So every conflict of the search counts, also those that are only possible.
 *
 * requires: candidates of all launches. computes: remedy and is_unsettled of a race. preserves: the candidates. */
#include "lanes/condition.h"
#include "races/races_internal.h"

struct pair {
    uint32_t first, second;
};

/* ---- other warps ---- */

static bool is_pair(const struct pair *pair, uint32_t first, uint32_t second) {
    return pair->first == first && pair->second == second;
}

static bool conflicts_across(const struct cw_race_search *race_search, const struct pair *pair) {
    for (uint32_t k = 0; k < race_search->candidates.n; k++) {
        const struct cw_race_candidate *c = &race_search->candidates.at[k];
        if (!c->meeting->same_warp && !c->unused && is_pair(pair, c->meeting->first, c->meeting->second))
            return true;
    }
    return false;
}

struct harmless_walk {
    const struct cw_race_search *search;
    uint32_t run, at;
};

/* The next pair, of any launch and sample, whose values nobody knows to be equal or different. */
static const struct cw_harmless *next_unsure(struct harmless_walk *walk) {
    for (; walk->run < walk->search->nruns; walk->run++, walk->at = 0) {
        const struct cw_race_run *run = walk->search->runs[walk->run];
        while (run && walk->at < run->all->harmless.n) {
            const struct cw_harmless *h = &run->all->harmless.at[walk->at++];
            if (h->unsure)
                return h;
        }
    }
    return NULL;
}

static bool may_conflict_across(const struct cw_race_search *race_search, const struct pair *pair) {
    struct harmless_walk w = {.search = race_search};
    for (const struct cw_harmless *h; (h = next_unsure(&w));)
        if (!h->same_warp && is_pair(pair, h->first, h->second))
            return true;
    return false;
}

/* Is one of the two somewhere else in other iterations, and nobody knows where? Not where data choose the place of the
 * conflict itself: what is known of that is known of the others too. */
static bool may_be_anywhere(const struct cw_race_search *race_search, const struct cw_conflict *conflict) {
    for (uint32_t k = 0; k < race_search->nruns && conflict->chosen == UINT32_MAX; k++) {
        const struct cw_race_run *run = race_search->runs[k];
        if (run && (cw_bitset_has(&run->all->unplaced, conflict->first) ||
                    cw_bitset_has(&run->all->unplaced, conflict->second)))
            return true;
    }
    return false;
}

/* Would the two conflict across warps if both threads got there, and nobody knows whether they do? */
static bool is_undecided_across(const struct cw_race_search *race_search, const struct pair *pair) {
    for (uint32_t k = 0; k < race_search->nruns; k++) {
        const struct cw_race_run *run = race_search->runs[k];
        for (uint32_t u = 0; run && u < run->all->undecided.n; u++)
            if (is_pair(pair, run->all->undecided.at[u].first, run->all->undecided.at[u].second))
                return true;
    }
    return false;
}

/* The warps of which some thread may come to the instruction, in whatever iteration, as a warp's number; OTHERS for
 * several. `warp`: those of before, or NOBODY. */
enum { NOBODY = UINT32_MAX, OTHERS = UINT32_MAX - 1 };

static uint32_t add_warps(const struct cw_race_run *run, uint32_t block, uint32_t warp) {
    struct cw_lanes *lanes = run->timeline->lanes;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(lanes, block, NULL);
    for (uint32_t t = 0; t < cw_lanes_count(lanes) && warp != OTHERS; t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            warp = warp == NOBODY || warp == t / 32 ? t / 32 : OTHERS;
    return warp;
}

/* Is there, in each launch, one warp alone that comes to the two? Then they cross warps nowhere. */
static bool is_of_one_warp(const struct cw_race_search *race_search, const struct pair *pair) {
    const struct cw_fn *fn = race_search->q->fn;
    for (uint32_t k = 0; k < race_search->nruns; k++) {
        const struct cw_race_run *run = race_search->runs[k];
        if (run && add_warps(run, fn->ins.at[pair->second].block,
                             add_warps(run, fn->ins.at[pair->first].block, NOBODY)) == OTHERS)
            return false;
    }
    return true;
}

/* ---- writes that no barrier settles ---- */

static bool is_write(const struct cw_fn *fn, uint32_t ins) {
    return (cw_op_flags(fn->ins.at[ins].op) & CW_OP_W) != 0;
}

static bool is_plain_write(const struct cw_fn *fn, uint32_t ins) {
    return is_write(fn, ins) && !(cw_op_flags(fn->ins.at[ins].op) & CW_OP_R);
}

/* Of two writes, the first initialises the memory with a value that all threads store; the second shall replace it. */
static bool is_initialisation(const struct cw_race_search *race_search, uint32_t ins) {
    const struct cw_ins *i = &race_search->q->fn->ins.at[ins];
    return i->op == CW_OP_MEMSET ||
           (i->op == CW_OP_STORE &&
            cw_uni_of(race_search->q->uniformity, cw_arg(race_search->q->fn, i, 0)) <= CW_UNI_GRID);
}

/* Would a barrier between them only decide which value is lost? */
static bool loses_value(const struct cw_race_search *race_search, const struct pair *pair) {
    return is_plain_write(race_search->q->fn, pair->first) && is_plain_write(race_search->q->fn, pair->second) &&
           !is_initialisation(race_search, pair->first);
}

struct cause {
    const struct cw_race_candidate *const *at;
    uint32_t n;
};

static bool accesses_in(const struct cause *cause, uint32_t ins) {
    for (uint32_t k = 0; k < cause->n; k++)
        if (cause->at[k]->meeting->first == ins || cause->at[k]->meeting->second == ins)
            return true;
    return false;
}

static bool has_second(const struct cause *cause, uint32_t ins) {
    for (uint32_t k = 0; k < cause->n; k++)
        if (cause->at[k]->meeting->second == ins)
            return true;
    return false;
}

/* Would a barrier before the second access of each pair, in whatever iteration, order the two writes as well? */
static bool is_ordered_too(const struct cw_race_run *run, const struct cw_harmless *harmless,
                           const struct cause *cause) {
    for (uint32_t k = harmless->first_step + 1; k <= harmless->second_step; k++)
        if (run->timeline->steps.at[k].kind == CW_STEP_ACCESS && has_second(cause, run->timeline->steps.at[k].ins))
            return true;
    return false;
}

/* May two threads store different values with writes of the cause, unordered even when its conflicts are ordered? */
static bool has_unsure_writes(const struct cw_race_search *race_search, const struct cause *cause,
                              enum cw_race_remedy remedy) {
    const struct cw_fn *fn = race_search->q->fn;
    struct harmless_walk w = {.search = race_search};
    for (const struct cw_harmless *h; (h = next_unsure(&w));) {
        if (!is_write(fn, h->first) || !is_write(fn, h->second) ||
            (!accesses_in(cause, h->first) && !accesses_in(cause, h->second)))
            continue;
        if ((remedy == CW_REMEDY_WARP && !h->same_warp) || !is_ordered_too(race_search->runs[w.run], h, cause))
            return true;
    }
    return false;
}

/* ---- a race ---- */

static bool is_in_many_blocks(const struct cw_race_search *race_search) {
    const struct cw_launches *all = race_search->q->launches;
    for (uint32_t k = 0; all->from_facts && k < all->n; k++) {
        const struct cw_launch *l = &all->at[k];
        if (!l->grid_known || (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > 1)
            return true;
    }
    return false;
}

static struct pair pair_of(const struct cw_race_candidate *candidate) {
    return (struct pair){candidate->meeting->first, candidate->meeting->second};
}

void cw_race_find_remedy(struct cw_race_search *race_search, const struct cw_race_candidate *const *list, uint32_t n,
                         struct cw_race *race) {
    bool crosses = !race->same_warp, loses = true;
    for (uint32_t k = 0; k < n; k++) {
        struct pair p = pair_of(list[k]);
        crosses = crosses || conflicts_across(race_search, &p) || may_conflict_across(race_search, &p) ||
                  ((may_be_anywhere(race_search, list[k]->meeting) || is_undecided_across(race_search, &p)) &&
                   !is_of_one_warp(race_search, &p));
        loses &= loses_value(race_search, &p);
    }
    race->remedy = crosses ? CW_REMEDY_BLOCK : CW_REMEDY_WARP;
    race->loses_value = loses;
    race->is_unsettled = loses || has_unsure_writes(race_search, &(struct cause){list, n}, race->remedy);
    if (race->first_block || (is_in_many_blocks(race_search) && cw_races_in_all_blocks(race_search, list[0]->meeting)))
        race->remedy = CW_REMEDY_NONE;
}
