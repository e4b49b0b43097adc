/* See unwritten_by_exited.h for requires / computes / preserves. */
#include "faults/unwritten_by_exited.h"

#define MAX_TRIPS 64     /* iterations of a loop whose stores are followed */
#define MAX_READS 1024   /* iterations of a loop whose loads are followed: one for each thread of a block */
#define MAX_BYTES 65536  /* of one shared object */
#define MAX_GUARDS 4     /* branches between a store and what all who get to the barrier execute */

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
static bool offset_of(const struct hunt *hunt, const struct cw_lane_value *places, uint32_t t, int64_t *offset) {
    struct cw_lane_place p = cw_lanes_place(places, t);
    *offset = p.offset;
    return p.known <= CW_SAMPLED && p.base.tag == CW_REF_OBJECT && p.base.index == hunt->object;
}

static cw_ref root_of(const struct cw_fn *fn, cw_ref ref) {
    for (const struct cw_ins *i = cw_ins_of(fn, ref); i != NULL && i->op == CW_OP_PTRADD; i = cw_ins_of(fn, ref))
        ref = cw_arg(fn, i, 0);
    return ref;
}

/* Is the object's address used by loads, stores and address arithmetic alone? */
static bool is_plain(const struct hunt *hunt) {
    for (uint32_t k = 0; k < hunt->fn->ins.n; k++) {
        const struct cw_ins *i = &hunt->fn->ins.at[k];
        for (uint32_t a = 0; i->op != CW_OP_HOLE && a < i->narg; a++) {
            cw_ref root = root_of(hunt->fn, cw_arg(hunt->fn, i, a));
            bool address = (i->op == CW_OP_LOAD && a == 0) || (i->op == CW_OP_STORE && a == 1) || i->op == CW_OP_PTRADD;
            if (root.tag == CW_REF_OBJECT && root.index == hunt->object && !address)
                return false;
        }
    }
    return true;
}

static bool has_exited(const struct hunt *hunt, uint32_t t) {
    return hunt->at->presence[t] == CW_EXITED;
}

/* The bytes written at `store` in this iteration: by the threads that reach it, also those that exit later; by all
 * threads that have not exited, whether they reach it or not, if `anyway`. */
static void mark_written(struct hunt *hunt, uint32_t store, const struct cw_context *context, bool anyway) {
    const struct cw_ins *i = &hunt->fn->ins.at[store];
    const uint8_t *reach = cw_lanes_reach(hunt->lanes, i->block, context);
    const struct cw_lane_value *to = cw_lanes_places(hunt->lanes, cw_arg(hunt->fn, i, 1), context);
    int64_t first;
    hunt->given_up = to == NULL;
    for (uint32_t t = 0; t < hunt->n && !hunt->given_up; t++) {
        if (reach[t] == CW_REACH_NO && (!anyway || has_exited(hunt, t)))
            continue;
        hunt->given_up = !offset_of(hunt, to, t, &first);
        for (uint32_t b = 0; !hunt->given_up && b < i->aux; b++)
            if (first >= 0 && first + b < hunt->written.n)
                cw_bitset_add(&hunt->written, (uint32_t)first + b);
    }
}

static void mark_in_loop(struct hunt *hunt, uint32_t store, uint32_t loop) {
    const int32_t *trips = cw_lanes_trips(hunt->lanes, loop, NULL);
    int32_t most = 0;
    for (uint32_t t = 0; t < hunt->n; t++) {
        hunt->given_up = hunt->given_up || trips[t] < 0 || trips[t] > MAX_TRIPS;
        most = trips[t] > most ? trips[t] : most;
    }
    for (int32_t k = 0; !hunt->given_up && k <= most; k++)
        mark_written(hunt, store, cw_lanes_context(hunt->lanes, NULL, loop, (uint32_t)k), false);
}

/* A store that goes to the same place in every iteration of the loops around it. */
static bool has_fixed_address(const struct hunt *hunt, uint32_t store) {
    const struct cw_cfg *cfg = hunt->fn->cfg;
    const struct cw_ins *i = &hunt->fn->ins.at[store];
    for (uint32_t l = cfg->loop_of[i->block]; l != CW_NO_LOOP; l = cfg->loops.at[l].parent)
        if (!cw_cfg_is_invariant(hunt->fn, l, cw_arg(hunt->fn, i, 1)))
            return false;
    return true;
}

static void mark_all(struct hunt *hunt) {
    for (uint32_t k = 0; k < hunt->fn->ins.n && !hunt->given_up; k++) {
        const struct cw_ins *i = &hunt->fn->ins.at[k];
        if (i->op != CW_OP_STORE || root_of(hunt->fn, cw_arg(hunt->fn, i, 1)).tag != CW_REF_OBJECT ||
            root_of(hunt->fn, cw_arg(hunt->fn, i, 1)).index != hunt->object)
            continue;
        uint32_t loop = hunt->fn->cfg->loop_of[i->block];
        if (has_fixed_address(hunt, k))
            mark_written(hunt, k, cw_lanes_first(hunt->lanes, i->block), loop != CW_NO_LOOP);
        else if (hunt->fn->cfg->loops.at[loop].parent == CW_NO_LOOP)
            mark_in_loop(hunt, k, loop);
        else
            hunt->given_up = true;
    }
}

/* Would the thread execute the block if it had not exited? It must be on every path to the barrier, or below branches
 * behind such a block that the thread's index and constants decide. */
static bool would_reach(struct hunt *hunt, uint32_t block, uint32_t t) {
    const struct cw_cfg *cfg = hunt->fn->cfg;
    uint32_t barrier = hunt->fn->ins.at[hunt->at->ins].block;
    for (uint32_t depth = 0; depth < MAX_GUARDS; depth++) {
        if (cw_cfg_dominates(cfg, block, barrier))
            return true;
        const struct cw_vec_u32 *pred = &hunt->fn->blocks.at[block].pred;
        if (pred->n != 1 || cfg->loop_of[pred->at[0]] != cfg->loop_of[block])
            return false;
        const struct cw_jump *jump = &hunt->fn->blocks.at[pred->at[0]].jump;
        if (jump->kind == CW_JUMP_BRANCH) {
            const struct cw_lane_values *holds =
                cw_lanes_eval(hunt->lanes, jump->value, cw_lanes_first(hunt->lanes, pred->at[0]));
            if (holds->known[t] != CW_EXACT || jump->succ[holds->value[t] ? 0 : 1] != block)
                return false;
        } else if (jump->kind != CW_JUMP_GOTO)
            return false;
        block = pred->at[0];
    }
    return false;
}

/* Could it be a store that an exited thread would have executed before the barrier? */
static bool is_before_barrier(const struct hunt *hunt, uint32_t store) {
    const struct cw_fn *fn = hunt->fn;
    uint32_t block = fn->ins.at[store].block, barrier = fn->ins.at[hunt->at->ins].block;
    for (uint32_t depth = 0; depth < MAX_GUARDS && !cw_cfg_dominates(fn->cfg, block, barrier); depth++) {
        if (fn->cfg->idom[block] == CW_NO_BLOCK)
            return false;
        block = fn->cfg->idom[block];
    }
    return block == fn->ins.at[store].block ? cw_cfg_ins_dominates(fn, store, hunt->at->ins)
                                            : block != barrier && cw_cfg_dominates(fn->cfg, block, barrier);
}

/* A store before the barrier that would have written `byte` in a thread which exited before it. */
static bool find_writer(struct hunt *hunt, int64_t byte, struct cw_lost *out) {
    for (out->store = 0; out->store < hunt->fn->ins.n; out->store++) {
        const struct cw_ins *i = &hunt->fn->ins.at[out->store];
        if (i->op != CW_OP_STORE || !is_before_barrier(hunt, out->store))
            continue;
        int64_t offset;
        const struct cw_context *first = cw_lanes_first(hunt->lanes, i->block);
        const struct cw_lane_value *to = cw_lanes_places(hunt->lanes, cw_arg(hunt->fn, i, 1), first);
        const uint8_t *reach = cw_lanes_reach(hunt->lanes, i->block, first);
        if (to == NULL)
            continue;
        for (out->writer = 0; out->writer < hunt->n; out->writer++)
            if (has_exited(hunt, out->writer) && reach[out->writer] == CW_REACH_NO &&
                offset_of(hunt, to, out->writer, &offset) && offset == byte &&
                would_reach(hunt, i->block, out->writer))
                return true;
    }
    return false;
}

/* Does a thread that has come to the barrier read, in this iteration, a byte that nobody has written? */
static bool check_read(struct hunt *hunt, uint32_t load, const struct cw_context *context, struct cw_lost *out) {
    const struct cw_ins *i = &hunt->fn->ins.at[load];
    const uint8_t *reach = cw_lanes_reach(hunt->lanes, i->block, context);
    const struct cw_lane_value *from = cw_lanes_places(hunt->lanes, cw_arg(hunt->fn, i, 0), context);
    bool told = false; /* where all threads read one place, the first that comes speaks for them */
    for (uint32_t t = 0; from != NULL && t < hunt->n && !told; t++) {
        int64_t byte;
        told = hunt->at->presence[t] == CW_ARRIVES && reach[t] == CW_REACH_YES && cw_lanes_one_place(from);
        if (hunt->at->presence[t] != CW_ARRIVES || reach[t] != CW_REACH_YES || !offset_of(hunt, from, t, &byte) ||
            byte < 0 || byte >= hunt->written.n || cw_bitset_has(&hunt->written, (uint32_t)byte) ||
            !find_writer(hunt, byte, out))
            continue;
        out->load = load;
        out->reader = t;
        out->object = hunt->object;
        out->offset = byte;
        return true;
    }
    return false;
}

/* In each iteration of the innermost loop, and the first of those around it. */
static bool check_load(struct hunt *hunt, uint32_t load, struct cw_lost *out) {
    const struct cw_ins *i = &hunt->fn->ins.at[load];
    const struct cw_context *first = cw_lanes_first(hunt->lanes, i->block);
    if (first == NULL || cw_cfg_is_invariant(hunt->fn, first->loop, cw_arg(hunt->fn, i, 0)))
        return check_read(hunt, load, first, out);
    const int32_t *trips = cw_lanes_trips(hunt->lanes, first->loop, first->outer);
    int32_t most = 1;
    for (uint32_t t = 0; t < hunt->n; t++)
        most = trips[t] > most ? trips[t] : most;
    for (int32_t k = 0; k < most && k < MAX_READS; k++)
        if (check_read(hunt, load, cw_lanes_context(hunt->lanes, first->outer, first->loop, (uint32_t)k), out))
            return true;
    return false;
}

static bool hunt_object(struct hunt *hunt, struct cw_lost *out) {
    uint64_t size = hunt->fn->objects.at[hunt->object].size;
    hunt->written = cw_bitset_new(hunt->arena, size > 0 && size < MAX_BYTES ? (uint32_t)size : MAX_BYTES);
    hunt->given_up = !is_plain(hunt);
    mark_all(hunt);
    for (uint32_t k = 0; k < hunt->fn->ins.n && !hunt->given_up; k++)
        if (hunt->fn->ins.at[k].op == CW_OP_LOAD && cw_cfg_ins_dominates(hunt->fn, hunt->at->ins, k) &&
            check_load(hunt, k, out))
            return true;
    return false;
}

bool cw_lost_find(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_participation *at_barrier,
                  struct cw_arena *a, struct cw_lost *out) {
    if (at_barrier->count[CW_EXITED] == 0 || at_barrier->count[CW_ARRIVES] == 0 || at_barrier->count[CW_UNSURE] > 0)
        return false;
    for (uint32_t o = 0; o < fn->objects.n; o++) {
        enum cw_space space = fn->objects.at[o].space;
        struct hunt h = {
            .lanes = lanes, .fn = fn, .at = at_barrier, .arena = a, .object = o, .n = cw_lanes_count(lanes)};
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
