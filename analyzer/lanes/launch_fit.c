/* Does a guessed launch fit its kernel?
 *
 * requires: see launch_fit.h. computes: one evaluation of the kernel's accesses to shared arrays. preserves:
 * everything. Cost: bounded by FIT_BUDGET and FIT_WORK. */
#include "lanes/launch_fit.h"

#include "lanes/lanes.h"
#include "uniformity/alias.h"
#include "uniformity/polynomial.h"

enum {
    FIT_BUDGET = 20000,
    FIT_WORK = 1 << 18, /* cells that one trial may fill */
    FIT_ACCESSES_MAX = 64,
    OPEN_TRIALS_MAX = 2 /* shapes under which a decision was open, before it is taken to be so under all */
};

struct trial {
    struct cw_lanes *lanes;
    const struct cw_fn *fn;
    uint8_t *open; /* see struct cw_launch_trials, or NULL */
};

/* Do thread indices and constants alone decide who gets to the block? */
static bool is_decided(const struct trial *trial, uint32_t block) {
    if (trial->open && trial->open[block] >= OPEN_TRIALS_MAX)
        return false;
    bool is_exact = cw_lanes_decided_exactly(trial->lanes, block);
    if (trial->open)
        trial->open[block] += !is_exact;
    return is_exact;
}

static bool access_fits(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t block, const struct cw_access *acc) {
    const struct cw_context *context = cw_lanes_first(lanes, block);
    const uint8_t *reach = cw_lanes_reach(lanes, block, context);
    struct cw_lane_addresses to;
    if (!cw_lanes_address(lanes, acc->pointer, context, &to))
        return true;
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++) {
        if (reach[t] != CW_REACH_YES || to.known[t] != CW_EXACT || to.base[t].tag != CW_REF_OBJECT)
            continue;
        const struct cw_object *o = &fn->objects.at[to.base[t].index];
        if (o->space == CW_SPACE_SHARED && o->size &&
            (to.offset[t] < 0 || (uint64_t)to.offset[t] + acc->size > o->size))
            return false;
    }
    return true;
}

static bool all_fit(const struct trial *trial) {
    const struct cw_fn *fn = trial->fn;
    uint32_t asked = 0;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        uint32_t b = fn->cfg->rpo[k];
        int reached = -1; /* not asked yet */
        for (uint32_t p = 0; p < fn->blocks.at[b].ins.n && asked < FIT_ACCESSES_MAX; p++) {
            struct cw_access acc[2];
            struct cw_polynomial offset;
            uint32_t object, n = cw_memory_accesses(fn, &fn->ins.at[fn->blocks.at[b].ins.at[p]], acc);
            while (n-- > 0) {
                if (!cw_polynomial_of_shared(fn, acc[n].pointer, &object, &offset))
                    continue;
                asked++;
                reached = reached < 0 ? is_decided(trial, b) : reached;
                if (reached && !access_fits(trial->lanes, fn, b, &acc[n]))
                    return false;
            }
        }
    }
    return true;
}

/* Does some thread certainly trap, in the first iteration of the loops around? */
static bool must_trap(const struct trial *trial) {
    for (uint32_t k = 0; k < trial->fn->cfg->nrpo; k++) {
        uint32_t b = trial->fn->cfg->rpo[k];
        if (trial->fn->blocks.at[b].jump.kind == CW_JUMP_TRAP && is_decided(trial, b) &&
            cw_lanes_surely_reached(trial->lanes, b))
            return true;
    }
    return false;
}

bool cw_launch_fits(const struct cw_fn *kernel, const struct cw_launch *launch, struct cw_launch_trials *trials) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    if (trials && !trials->open)
        trials->open = CW_NEW_ARRAY(trials->arena, uint8_t, kernel->blocks.n);
    struct trial trial = {cw_lanes_new(kernel, NULL, launch, 0, FIT_BUDGET, &scratch), kernel,
                          trials ? trials->open : NULL};
    uint64_t work = FIT_WORK;
    cw_lanes_share_work(trial.lanes, &work);
    bool fit = all_fit(&trial) && !must_trap(&trial);
    cw_arena_free(&scratch);
    return fit;
}
