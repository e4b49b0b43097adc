/* See thread_private.h. */
#include "races/thread_private.h"

#include "lanes/condition.h"

enum {
    SIZE_MAX_BYTES = 512,
    UNIT_MAX = 4,          /* bytes that are told apart, if no access is smaller */
    TOUCHES_MAX = 1 << 15, /* per launch and choice of the unknowns */
    TOUCHES_PER_CELL = 2,  /* what they cost in cells of an evaluator */
    MANY = 1 << 16,        /* beside 1 + thread: another thread as well */
    WRITTEN = 1 << 17
};

struct search {
    struct cw_lanes *l;
    const struct cw_fn *fn;
    uint32_t unit, touches;
    struct cw_map cells;      /* object and number of the unit -> who touches it */
    struct cw_map shared;     /* objects of which two threads touch something, or nobody knows */
    bool gave_up;             /* something may be accessed anywhere */
};

static bool is_device(const struct cw_fn *fn, const struct cw_base *base) {
    if (base->is_read || (base->root.tag != CW_REF_OBJECT && base->root.tag != CW_REF_PARAM))
        return false;
    return base->root.tag == CW_REF_PARAM || fn->objects.at[base->root.index].space == CW_SPACE_GLOBAL;
}

bool cw_own_is_candidate(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, ins, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            if (!is_device(fn, &bases.at[b]))
                return false;
    }
    return n > 0;
}

static void share_root(struct search *search, cw_ref root) {
    cw_map_put(&search->shared, cw_ref_bits(root), 1);
}

/* Nobody knows where it goes: anything that it may go to is shared. */
static void share_bases(struct search *search, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(search->fn, pointer);
    for (uint32_t b = 0; b < bases.n; b++) {
        search->gave_up |=
            bases.at[b].is_read || (bases.at[b].root.tag != CW_REF_OBJECT && bases.at[b].root.tag != CW_REF_PARAM);
        share_root(search, bases.at[b].root);
    }
}

static void touch_place(struct search *search, struct cw_lane_base base, int64_t unit, uint32_t thread, bool writes) {
    uint64_t key = cw_mix(cw_mix((uint64_t)base.token, cw_ref_bits(base.root)), (uint64_t)unit), who = 0;
    bool had = cw_map_get(&search->cells, key, &who);
    uint64_t now = (had ? who : thread + 1) | (writes ? WRITTEN : 0);
    if (had && (who & (MANY - 1)) != thread + 1)
        now |= MANY;
    if (!had || now != who)
        cw_map_put(&search->cells, key, now);
    if ((now & MANY) && (now & WRITTEN))
        share_root(search, base.root);
}

static int64_t unit_of(const struct search *search, int64_t offset) {
    int64_t unit = search->unit;
    return (offset >= 0 ? offset : offset - unit + 1) / unit;
}

/* False when the place of some thread is not known. */
static bool touch_all(struct search *search, const struct cw_access *acc, const struct cw_context *context) {
    const struct cw_lane_value *places =
        acc->size && acc->size <= SIZE_MAX_BYTES ? cw_lanes_places(search->l, acc->pointer, context) : NULL;
    if (!places || places->worst > CW_SAMPLE)
        return false;
    for (uint32_t t = 0; t < cw_lanes_count(search->l); t++) {
        struct cw_lane_base base = cw_lane_value_base(places, t);
        int64_t at = places->value[t & places->mask];
        if (base.token == CW_NO_TOKEN || (base.root.tag != CW_REF_OBJECT && base.root.tag != CW_REF_PARAM))
            return false;
        for (int64_t u = unit_of(search, at); u <= unit_of(search, at + (int64_t)acc->size - 1); u++, search->touches++)
            touch_place(search, base, u, t, acc->writes);
    }
    return search->touches < TOUCHES_MAX;
}

static bool goes_to_shared(const struct search *search, uint32_t ins) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(search->fn, &search->fn->ins.at[ins], acc);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(search->fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            if (cw_map_get(&search->shared, cw_ref_bits(bases.at[b].root), NULL))
                return true;
    }
    return false;
}

static void look_at(struct search *search, const struct cw_step *step) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(search->fn, &search->fn->ins.at[step->ins], acc);
    if (goes_to_shared(search, step->ins)) /* nothing more to learn */
        return;
    for (uint32_t k = 0; k < n; k++)
        if (!touch_all(search, &acc[k], step->context))
            share_bases(search, acc[k].pointer);
}

/* Bytes that are told apart: as many as the smallest access has. */
static uint32_t common_unit(const struct cw_fn *fn, const struct cw_step *steps, uint32_t n) {
    uint32_t unit = UNIT_MAX;
    for (uint32_t k = 0; k < n; k++) {
        struct cw_access acc[2];
        uint32_t m = steps[k].kind == CW_STEP_ACCESS ? cw_memory_accesses(fn, &fn->ins.at[steps[k].ins], acc) : 0;
        while (m-- > 0)
            if (acc[m].size && acc[m].size < unit)
                unit = (uint32_t)acc[m].size;
    }
    return unit;
}

/* Memory in the block's own space is not looked at here, unless a pointer may go to both. */
static bool is_elsewhere(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, ins, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            if (bases.at[b].is_read || bases.at[b].root.tag != CW_REF_OBJECT || is_device(fn, &bases.at[b]))
                return false;
    }
    return true;
}

struct cw_bitset cw_own_places(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_step *steps, uint32_t n,
                               struct cw_arena *a) {
    struct search s = {.l = lanes, .fn = fn, .unit = common_unit(fn, steps, n)};
    struct cw_bitset own = cw_bitset_new(a, fn->ins.n);
    cw_map_init(&s.cells, a);
    cw_map_init(&s.shared, a);
    for (uint32_t k = 0; k < n && !s.gave_up; k++)
        if (steps[k].kind == CW_STEP_ACCESS && !is_elsewhere(fn, &fn->ins.at[steps[k].ins]))
            look_at(&s, &steps[k]);
    cw_lanes_charge(lanes, s.touches / TOUCHES_PER_CELL);
    for (uint32_t k = 0; k < n && !s.gave_up && s.touches < TOUCHES_MAX; k++)
        if (steps[k].kind == CW_STEP_ACCESS && cw_own_is_candidate(fn, &fn->ins.at[steps[k].ins]) &&
            !goes_to_shared(&s, steps[k].ins))
            cw_bitset_add(&own, steps[k].ins);
    return own;
}
