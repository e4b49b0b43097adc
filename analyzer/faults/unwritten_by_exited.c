/* See unwritten_by_exited.h for requires / computes / preserves. */
#include "faults/unwritten_by_exited.h"

#define MAX_TRIPS 64     /* iterations of a loop whose stores are followed */
#define MAX_READS 1024   /* iterations of a loop whose loads are followed: one for each thread of a block */
#define MAX_BYTES 65536  /* of one shared object */

struct hunt {
    struct cw_lanes *lanes;
    const struct cw_fn *fn;
    const struct cw_participation *at;
    struct cw_arena *arena;
    uint32_t object, n;
    struct cw_bitset written; /* bytes that some thread may write */
    bool given_up;
};

/* Byte offsets of a pointer into the object per thread, as far as they are numbers. */
static bool offset_of(const struct hunt *h, const struct cw_lane_value *places, uint32_t t, int64_t *offset) {
    struct cw_lane_place p = cw_lanes_place(places, t);
    *offset = p.offset;
    return p.known <= CW_SAMPLED && p.base.tag == CW_REF_OBJECT && p.base.index == h->object;
}

static cw_ref root_of(const struct cw_fn *fn, cw_ref p) {
    for (const struct cw_ins *i = cw_ins_of(fn, p); i != NULL && i->op == CW_OP_PTRADD; i = cw_ins_of(fn, p))
        p = cw_arg(fn, i, 0);
    return p;
}

/* Is the object's address used by loads, stores and address arithmetic alone? */
static bool is_plain(const struct hunt *h) {
    for (uint32_t k = 0; k < h->fn->ins.n; k++) {
        const struct cw_ins *i = &h->fn->ins.at[k];
        for (uint32_t a = 0; i->op != CW_OP_HOLE && a < i->narg; a++) {
            cw_ref root = root_of(h->fn, cw_arg(h->fn, i, a));
            bool address = (i->op == CW_OP_LOAD && a == 0) || (i->op == CW_OP_STORE && a == 1) || i->op == CW_OP_PTRADD;
            if (root.tag == CW_REF_OBJECT && root.index == h->object && !address)
                return false;
        }
    }
    return true;
}

static bool exited(const struct hunt *h, uint32_t t) {
    return h->at->presence[t] == CW_EXITED;
}

/* The bytes written at `store` in this iteration: by the threads that reach it, also those that exit later; by all
 * threads that have not exited, whether they reach it or not, if `anyway`. */
static void mark(struct hunt *h, uint32_t store, const struct cw_context *c, bool anyway) {
    const struct cw_ins *i = &h->fn->ins.at[store];
    const uint8_t *reach = cw_lanes_reach(h->lanes, i->block, c);
    const struct cw_lane_value *to = cw_lanes_places(h->lanes, cw_arg(h->fn, i, 1), c);
    int64_t first;
    h->given_up = to == NULL;
    for (uint32_t t = 0; t < h->n && !h->given_up; t++) {
        if (reach[t] == CW_REACH_NO && (!anyway || exited(h, t)))
            continue;
        h->given_up = !offset_of(h, to, t, &first);
        for (uint32_t b = 0; !h->given_up && b < i->aux; b++)
            if (first >= 0 && first + b < h->written.n)
                cw_bitset_add(&h->written, (uint32_t)first + b);
    }
}

static void mark_in_loop(struct hunt *h, uint32_t store, uint32_t loop) {
    const int32_t *trips = cw_lanes_trips(h->lanes, loop, NULL);
    int32_t most = 0;
    for (uint32_t t = 0; t < h->n; t++) {
        h->given_up = h->given_up || trips[t] < 0 || trips[t] > MAX_TRIPS;
        most = trips[t] > most ? trips[t] : most;
    }
    for (int32_t k = 0; !h->given_up && k <= most; k++)
        mark(h, store, cw_lanes_context(h->lanes, NULL, loop, (uint32_t)k), false);
}

/* A store that goes to the same place in every iteration of the loops around it. */
static bool has_fixed_address(const struct hunt *h, uint32_t store) {
    const struct cw_cfg *cfg = h->fn->cfg;
    const struct cw_ins *i = &h->fn->ins.at[store];
    for (uint32_t l = cfg->loop_of[i->block]; l != CW_NO_LOOP; l = cfg->loops.at[l].parent)
        if (!cw_cfg_is_invariant(h->fn, l, cw_arg(h->fn, i, 1)))
            return false;
    return true;
}

static void mark_all(struct hunt *h) {
    for (uint32_t k = 0; k < h->fn->ins.n && !h->given_up; k++) {
        const struct cw_ins *i = &h->fn->ins.at[k];
        if (i->op != CW_OP_STORE || root_of(h->fn, cw_arg(h->fn, i, 1)).tag != CW_REF_OBJECT ||
            root_of(h->fn, cw_arg(h->fn, i, 1)).index != h->object)
            continue;
        uint32_t loop = h->fn->cfg->loop_of[i->block];
        if (has_fixed_address(h, k))
            mark(h, k, cw_lanes_first(h->lanes, i->block), loop != CW_NO_LOOP);
        else if (h->fn->cfg->loops.at[loop].parent == CW_NO_LOOP)
            mark_in_loop(h, k, loop);
        else
            h->given_up = true;
    }
}

/* A store on every path to the barrier that would have written `byte` in a thread which exited before it. */
static bool find_writer(struct hunt *h, int64_t byte, struct cw_lost *out) {
    for (out->store = 0; out->store < h->fn->ins.n; out->store++) {
        const struct cw_ins *i = &h->fn->ins.at[out->store];
        if (i->op != CW_OP_STORE || !cw_cfg_ins_dominates(h->fn, out->store, h->at->ins))
            continue;
        int64_t offset;
        const struct cw_context *first = cw_lanes_first(h->lanes, i->block);
        const struct cw_lane_value *to = cw_lanes_places(h->lanes, cw_arg(h->fn, i, 1), first);
        const uint8_t *reach = cw_lanes_reach(h->lanes, i->block, first);
        if (to == NULL)
            continue;
        for (out->writer = 0; out->writer < h->n; out->writer++)
            if (exited(h, out->writer) && reach[out->writer] == CW_REACH_NO && offset_of(h, to, out->writer, &offset) &&
                offset == byte)
                return true;
    }
    return false;
}

/* Does a thread that has come to the barrier read, in this iteration, a byte that nobody has written? */
static bool check_read(struct hunt *h, uint32_t load, const struct cw_context *c, struct cw_lost *out) {
    const struct cw_ins *i = &h->fn->ins.at[load];
    const uint8_t *reach = cw_lanes_reach(h->lanes, i->block, c);
    const struct cw_lane_value *from = cw_lanes_places(h->lanes, cw_arg(h->fn, i, 0), c);
    bool told = false; /* where all threads read one place, the first that comes speaks for them */
    for (uint32_t t = 0; from != NULL && t < h->n && !told; t++) {
        int64_t byte;
        told = h->at->presence[t] == CW_ARRIVES && reach[t] == CW_REACH_YES && cw_lanes_one_place(from);
        if (h->at->presence[t] != CW_ARRIVES || reach[t] != CW_REACH_YES || !offset_of(h, from, t, &byte) || byte < 0 ||
            byte >= h->written.n || cw_bitset_has(&h->written, (uint32_t)byte) || !find_writer(h, byte, out))
            continue;
        out->load = load;
        out->reader = t;
        out->object = h->object;
        out->offset = byte;
        return true;
    }
    return false;
}

/* In each iteration of the innermost loop, and the first of those around it. */
static bool check_load(struct hunt *h, uint32_t load, struct cw_lost *out) {
    const struct cw_ins *i = &h->fn->ins.at[load];
    const struct cw_context *first = cw_lanes_first(h->lanes, i->block);
    if (first == NULL || cw_cfg_is_invariant(h->fn, first->loop, cw_arg(h->fn, i, 0)))
        return check_read(h, load, first, out);
    const int32_t *trips = cw_lanes_trips(h->lanes, first->loop, first->outer);
    int32_t most = 1;
    for (uint32_t t = 0; t < h->n; t++)
        most = trips[t] > most ? trips[t] : most;
    for (int32_t k = 0; k < most && k < MAX_READS; k++)
        if (check_read(h, load, cw_lanes_context(h->lanes, first->outer, first->loop, (uint32_t)k), out))
            return true;
    return false;
}

static bool hunt_object(struct hunt *h, struct cw_lost *out) {
    uint64_t size = h->fn->objects.at[h->object].size;
    h->written = cw_bitset_new(h->arena, size > 0 && size < MAX_BYTES ? (uint32_t)size : MAX_BYTES);
    h->given_up = !is_plain(h);
    mark_all(h);
    for (uint32_t k = 0; k < h->fn->ins.n && !h->given_up; k++)
        if (h->fn->ins.at[k].op == CW_OP_LOAD && cw_cfg_ins_dominates(h->fn, h->at->ins, k) && check_load(h, k, out))
            return true;
    return false;
}

bool cw_lost_find(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_participation *at_barrier,
                  struct cw_arena *a, struct cw_lost *out) {
    if (at_barrier->count[CW_EXITED] == 0 || at_barrier->count[CW_ARRIVES] == 0 || at_barrier->count[CW_UNSURE] > 0)
        return false;
    for (uint32_t o = 0; o < fn->objects.n; o++) {
        enum cw_space space = fn->objects.at[o].space;
        struct hunt h = {.lanes = l, .fn = fn, .at = at_barrier, .arena = a, .object = o, .n = cw_lanes_count(l)};
        if ((space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED) && hunt_object(&h, out))
            return true;
    }
    return false;
}

bool cw_lost_denied(struct cw_lanes *round, const struct cw_fn *fn, uint32_t barrier, struct cw_arena *a) {
    const struct cw_participation *at = cw_participation(round, barrier, NULL, a);
    struct cw_lost lost;
    return at->count[CW_EXITED] > 0 && at->count[CW_ARRIVES] > 0 && at->count[CW_UNSURE] == 0 &&
           !cw_lost_find(round, fn, at, a, &lost) && !cw_lanes_exhausted(round);
}
