/* Does a guessed launch fit its kernel?
 *
 * requires: see launch_fit.h. computes: one evaluation of the kernel's accesses to shared arrays. preserves:
 * everything. Cost: bounded by FIT_BUDGET and FIT_WORK. */
#include "lanes/launch_fit.h"

#include "lanes/condition.h"
#include "uniformity/alias.h"
#include "uniformity/polynomial.h"

#include <string.h>

enum {
    FIT_BUDGET = 20000,
    FIT_WORK = 1 << 18, /* cells that one trial may fill */
    FIT_ACCESSES_MAX = 64,
    OPEN_TRIALS_MAX = 2 /* shapes under which a decision was open, before it is taken to be so under all */
};

struct trial {
    struct cw_lanes *lanes;
    const struct cw_fn *fn;
    uint8_t *open;   /* see struct cw_launch_trials, or NULL */
    bool past_exits; /* see there */
};

struct way {
    struct cw_lanes *lanes;
    const struct cw_fn *fn;
    uint8_t *reach; /* of each thread, where the conditions that all share hold */
    bool is_known;
};

static bool see_condition(void *ctx, struct cw_edge edge) {
    struct way *way = ctx;
    const struct cw_context *context = cw_lanes_first(way->lanes, edge.block);
    const struct cw_lane_value *value =
        cw_lane_value_of(way->lanes, way->fn->blocks.at[edge.block].jump.value, context);
    if (value->worst == CW_EXACT) {
        const struct cw_lane_cond *takes = cw_lane_cond_takes(way->lanes, edge, context);
        for (uint32_t t = 0; t < cw_lanes_count(way->lanes); t++)
            way->reach[t] &= cw_lane_cond_at(takes, t) == CW_BDD_TRUE;
    } else {
        way->is_known &= !cw_launch_rests_on_thread(way->fn, way->fn->blocks.at[edge.block].jump.value);
    }
    return way->is_known;
}

/* Who gets to the block where conditions that are one value for all threads lead there; NULL: others decide, too. */
static const uint8_t *reach_past_exits(const struct trial *trial, uint32_t block, struct cw_arena *arena) {
    struct way way = {trial->lanes, trial->fn, CW_NEW_ARRAY(arena, uint8_t, cw_lanes_count(trial->lanes)), true};
    memset(way.reach, CW_REACH_YES, cw_lanes_count(trial->lanes));
    cw_cfg_controls(trial->fn, cw_cfg_survivor_equivalent(trial->fn, block), see_condition, &way);
    return way.is_known ? way.reach : NULL;
}

/* Do thread indices and constants alone decide who gets to the block? */
static bool is_decided(const struct trial *trial, uint32_t block) {
    if (trial->open && trial->open[block] >= OPEN_TRIALS_MAX)
        return false;
    bool is_exact = cw_lanes_decided_exactly(trial->lanes, block);
    if (trial->open)
        trial->open[block] += !is_exact;
    return is_exact;
}

/* Who surely gets to the block; NULL: that is not known. */
static const uint8_t *sure_reach(const struct trial *trial, uint32_t block, struct cw_arena *arena) {
    if (is_decided(trial, block))
        return cw_lanes_reach(trial->lanes, block, cw_lanes_first(trial->lanes, block));
    return trial->past_exits ? reach_past_exits(trial, block, arena) : NULL;
}

static bool access_fits(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t block, const uint8_t *reach,
                        const struct cw_access *acc) {
    struct cw_lane_addresses to;
    if (!cw_lanes_address(lanes, acc->pointer, cw_lanes_first(lanes, block), &to))
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

static bool all_fit(const struct trial *trial, struct cw_arena *arena) {
    const struct cw_fn *fn = trial->fn;
    uint32_t asked = 0;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        uint32_t b = fn->cfg->rpo[k];
        const uint8_t *reach = NULL;
        bool is_asked = false;
        for (uint32_t p = 0; p < fn->blocks.at[b].ins.n && asked < FIT_ACCESSES_MAX; p++) {
            struct cw_access acc[2];
            struct cw_polynomial offset;
            uint32_t object, n = cw_memory_accesses(fn, &fn->ins.at[fn->blocks.at[b].ins.at[p]], acc);
            while (n-- > 0) {
                if (!cw_polynomial_of_shared(fn, acc[n].pointer, &object, &offset))
                    continue;
                asked++;
                reach = is_asked ? reach : sure_reach(trial, b, arena);
                is_asked = true;
                if (reach && !access_fits(trial->lanes, fn, b, reach, &acc[n]))
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
                          trials ? trials->open : NULL, trials && trials->past_exits};
    uint64_t work = FIT_WORK;
    cw_lanes_share_work(trial.lanes, &work);
    bool fit = all_fit(&trial, &scratch) && !must_trap(&trial);
    cw_arena_free(&scratch);
    return fit;
}
