/* See shadow_memory.h. */
#include "races/shadow_memory.h"

#include "lanes/condition.h"
#include "races/buffer_parts.h"
#include "races/data_conditions.h"
#include "races/data_places.h"
#include "races/like_values.h"
#include "races/liveness.h"
#include "uniformity/warp_forms.h"

#include <string.h>

enum {
    CELL = 4,              /* bytes */
    PAGE = 64,             /* cells that are looked up together: neighbours are touched one after the other */
    CHUNK = 512,           /* cells that are allocated together */
    SIZE_MAX_BYTES = 512,  /* of one access that is followed */
    COPY_MAX_BYTES = 1 << 16, /* of one asynchronous copy */
    COPY_LEAST_BYTES = 16, /* that the bulk copy engine moves */
    FRAGMENT_BYTES = 16,   /* that every matrix fragment surely covers at its pointer */
    TRIES_MAX = 64,        /* pairs of threads asked about per pair of instructions: do both come? */
    LOOKS_MAX = 512,       /* the same in one step, with those whose values are compared only */
    LOOKS_OF_THREAD = 64,  /* of these, with one thread as the later one: what it stores may be there already */
    MEETINGS_MAX = 512,
    WORK_MAX = 1 << 24,    /* records looked at, per launch and choice of unknowns */
    LOOK_WORK = 4,         /* what it costs to compare what two threads do, in records */
    RECORDS_PER_CELL = 2,  /* records in cells of an evaluator */
    ROWS_MAX = 4,          /* dimensions of an array that are followed */
    EXTENTS_MAX = 1 << 20, /* extents of accesses that are kept */
    LIKE_DEPTH = 6,        /* operations between a store and what makes its value */
    RECORDS_FIRST = 1,
    RECORDS_MAX = 96       /* per cell and phase; later ones are forgotten */
};

enum answer { NOT_ASKED, NO, YES };

/* Accesses of one step by lanes of one warp that are alike. */
struct record {
    uint32_t step, lanes;
    uint32_t access; /* the instruction's number, see access_id */
    uint32_t stamp;  /* index in shadow->stamps */
    uint16_t warp;
    uint8_t bytes; /* of the cell, as a mask */
    bool atomic : 1, guarded : 1, unplaced : 1;
};

struct records {
    struct record *at;
    uint16_t n, cap;
    uint16_t plain; /* how many are not atomic */
};

struct copy { /* an asynchronous one */
    struct record of;
    struct cw_copy_end end;
};

struct copies {
    CW_VEC(struct copy) list;     /* whose end nobody has seen yet */
    CW_VEC(struct record) begun;  /* that write here, of the phase */
    uint32_t phase;
};

struct cell {
    uint32_t phase, written_phase; /* written_phase: 1 + shadow->barriers at the first write; 0: none yet */
    struct records reads, writes;
    struct copies *copies; /* NULL: none */
    uint32_t first_read; /* 1 + index in shadow->unwritten of a read before any write */
    uint32_t read_phase; /* shadow->barriers at that read */
    uint8_t now[2], ever[2]; /* bytes read and written at places that are numbers: in this phase, in any */
};

struct page {
    uint32_t cell[PAGE]; /* 1 + the cell's number, 0: not touched yet */
};

/* An access that was put off: its memory has one thread so far. */
struct deferred;

struct memory { /* what a pointer points into: a root and a token */
    cw_ref root;
    int64_t token;
    bool lost; /* written at places that are not known */
    bool is_flag; /* something in it is waited on */
    bool is_met;  /* more than one thread touches it, or an asynchronous copy does */
    uint32_t owner; /* 1 + the thread that touched it first, 0: none yet */
    struct deferred *deferred; /* the owner's accesses of the phase `deferred_phase`, last first */
    uint32_t deferred_phase;
    struct cell *all, *wide; /* accesses of the phase, wherever; and those at places that are not known; or NULL */
    uint32_t covered;      /* 1 + index in shadow->covered of its last phase, 0: none */
    uint32_t ever[2];      /* bytes that are read, and written, at places that are numbers */
    bool is_read_anywhere; /* some read is at a place that is not known */
    uint8_t unseen;        /* UNSEEN_: is it written in iterations that were left out */
};

enum { UNSEEN_UNASKED, UNSEEN_NONE, UNSEEN_WRITES };

/* How many different bytes of an array a phase reads, and writes, at places that are numbers. */
struct covered {
    uint32_t memory, phase, bytes[2];
};

/* A conflict with an access at a place that is not known, in one phase. */
struct unplaced {
    struct cw_conflict conflict;
    uint32_t meeting, memory, phase; /* meeting: index in shadow->out->meetings */
    bool by_writes;                  /* the other access writes */
    bool in_own_row;                 /* see is_in_own_row */
};

struct pair_state {
    uint32_t meeting; /* 1 + index, 0: none */
    uint32_t tries, looks, looked_step; /* looks: in that step, of the later of the two accesses */
    uint32_t looked_thread, thread_looks;
    uint32_t harmless; /* 1 + index, 0: none */
    uint32_t unplaced_phase; /* 1 + the last phase with a conflict at a place that is not known, 0: none */
    bool is_undecided;       /* the pair is among shadow->out->undecided */
};

/* Where one thread's access in one step lies at most. */
struct extent {
    struct cw_range at;
    uint8_t known; /* enum answer */
};

struct shadow {
    struct cw_shadow *out;
    const struct cw_event_trace *t;
    const struct cw_liveness *needs;
    struct cw_lanes *l;
    const struct cw_fn *fn;
    struct cw_arena *a, *result; /* of the walk, which ends with it; and of `out` */
    struct cw_order *o;
    uint32_t phase;                 /* of the order, now */
    uint32_t barriers;              /* phases that synchronisation has ended; not iterations that were left out */
    uint32_t assume;                /* a formula that is taken to hold */
    struct cw_map open_loops;       /* loop and outer context -> does input decide its iterations? */
    struct cw_map pages;            /* of cells, by memory and number */
    struct page *page;              /* the one used last, */
    uint64_t page_key;              /* of that name */
    struct cw_map memories;
    struct cw_map matches; /* see cw_match_keeps_apart */
    struct cw_map rows;    /* step -> see cw_own_row */
    struct cw_buffer_parts parts;
    uint64_t memory_key;            /* of the memory used last */
    uint32_t memory_last;
    uint32_t *access_id, naccesses; /* per instruction: its number among the timeline's */
    uint32_t **pair_at;             /* [second][2 * first + same_warp]: 1 + index in pair */
    uint8_t *from_private;          /* per step: enum answer */
    struct cw_value_makers *makers;
    struct extent **extents;        /* [step][thread], made when first asked for */
    uint32_t nextents;
    CW_VEC(cw_ref) polled;        /* what the kernel waits on */
    bool has_polled;
    uint64_t work, charged;         /* records looked at, and those that the evaluator's work was charged with */
    CW_VEC(struct cell *) cells;    /* chunks of CHUNK */
    uint32_t ncells;
    CW_VEC(struct cw_stamp) stamps;
    CW_VEC(struct pair_state) pair;
    CW_VEC(struct memory) memory;
    CW_VEC(struct covered) covered;
    CW_VEC(struct unplaced) unplaced;
    struct cw_vec_u32 read_from; /* per out->unwritten: index in memory */
    bool wild; /* something was written that may be anywhere */
    bool follows_wide; /* also how all accesses to an array meet those that may be anywhere in it: few kernels have any,
                        */
    bool met_wide;     /* as this one does */
    struct cw_bitset stored; /* objects, then parameters, that the kernel stores into; see find_stored */
    bool has_stored, stored_anywhere;
};

/* One thread's access, being entered. */
struct touch {
    uint32_t step, thread, memory;
    uint32_t access, *pairs; /* the instruction's number, and what pairs it is the second of */
    uint32_t stamp;          /* index in shadow->stamps */
    const struct cw_ins *ins;
    bool writes, atomic;
    bool copies; /* asynchronously; the source where it does not write */
    bool wide; /* somewhere in the object: whether it meets another there is open */
    bool unplaced; /* where in the object is not known */
    bool sure; /* the thread comes there, whatever the input */
    bool guarded; /* in a critical section, which keeps out those who take part in it */
    bool unsized; /* how much it covers is not known, but for its first byte */
    uint8_t bytes;
    int64_t at; /* offset of the cell */
};

struct deferred {
    struct touch touch;
    int64_t offset;
    uint32_t size;
    bool hidden;
    struct deferred *before;
};

static const struct cw_step *step_of(const struct shadow *shadow, uint32_t step) {
    return &shadow->t->steps.at[step];
}

static const struct cw_ins *ins_at(const struct shadow *shadow, uint32_t step) {
    return &shadow->fn->ins.at[step_of(shadow, step)->ins];
}

/* ---- the same value ---- */

static bool is_fragment(const struct cw_ins *ins) {
    return ins->op == CW_OP_FRAGLOAD || ins->op == CW_OP_FRAGSTORE;
}

/* What the thread writes there, as a cell that equals only equal values. */
static struct cw_cell written_value(struct shadow *shadow, uint32_t step, uint32_t t) {
    const struct cw_ins *i = ins_at(shadow, step);
    const struct cw_context *c = step_of(shadow, step)->context;
    if (i->op == CW_OP_STORE) {
        cw_ref r = cw_arg(shadow->fn, i, 0);
        const struct cw_lane_value *v = cw_lane_value_of(shadow->l, r, c);
        return v->base ? cw_pointer_token(v, t) : cw_lane_value_cell(v, t);
    }
    if (i->op == CW_OP_MEMSET)
        return cw_lane_value_cell(cw_lane_value_of(shadow->l, cw_arg(shadow->fn, i, 1), c), t);
    if (i->op == CW_OP_MEMCOPY || i->op == CW_OP_ASYNCCOPY) {
        const struct cw_lane_value *v = cw_lane_value_of(shadow->l, cw_arg(shadow->fn, i, 1), c);
        return v->base ? cw_pointer_token(v, t) : (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    }
    return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
}

static bool is_atomic(const struct cw_ins *ins) {
    return ins->op == CW_OP_ATOMIC;
}

enum sameness { SAME, DIFFERENT, UNSURE };

static int64_t offset_of(struct shadow *shadow, uint32_t step, uint32_t t) {
    const struct cw_lane_value *places =
        cw_lanes_places(shadow->l, cw_arg(shadow->fn, ins_at(shadow, step), 1), step_of(shadow, step)->context);
    return places ? cw_lane_value_cell(places, t).value : 0;
}

/* Both store numbers: are the bytes of the cell that both write the same? */
static bool same_bytes(struct cw_cell other, int64_t v_at, struct cw_cell w, int64_t w_at, int64_t cell,
                       uint32_t bytes) {
    for (; bytes; bytes &= bytes - 1) {
        int64_t at = cell + __builtin_ctz(bytes), from_v = at - v_at, from_w = at - w_at;
        if (from_v < 0 || from_v > 7 || from_w < 0 || from_w > 7 ||
            (((uint64_t)other.value >> 8 * from_v ^ (uint64_t)w.value >> 8 * from_w) & 0xff))
            return false;
    }
    return true;
}

static bool is_like_value(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u) {
    return ins_at(shadow, a) == ins_at(shadow, b) &&
           cw_is_like_value(shadow->l, cw_arg(shadow->fn, ins_at(shadow, a), 0), step_of(shadow, a)->context, t,
                            step_of(shadow, b)->context, u);
}

/* The objects and parameters that the kernel itself stores into; all when one store may go anywhere. */
static void find_stored(struct shadow *shadow) {
    shadow->stored = cw_bitset_new(shadow->a, shadow->fn->objects.n + shadow->fn->params.n + 1);
    shadow->has_stored = true;
    for (uint32_t k = 0; k < shadow->fn->ins.n; k++) {
        struct cw_access access[2];
        uint32_t n = cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[k], access);
        for (uint32_t i = 0; i < n; i++) {
            if (!access[i].writes)
                continue;
            struct cw_bases to = cw_memory_bases(shadow->fn, access[i].pointer);
            for (uint32_t j = 0; j < to.n; j++)
                if (to.at[j].root.tag == CW_REF_NONE)
                    shadow->stored_anywhere = true;
                else if (!to.at[j].is_read)
                    cw_bitset_add(&shadow->stored, to.at[j].root.tag == CW_REF_OBJECT
                                                  ? to.at[j].root.index
                                                  : shadow->fn->objects.n + to.at[j].root.index);
        }
    }
}

static bool is_never_stored(struct shadow *shadow, cw_ref pointer) {
    struct cw_bases from = cw_memory_bases(shadow->fn, pointer);
    if (!shadow->has_stored)
        find_stored(shadow);
    for (uint32_t k = 0; k < from.n; k++) {
        cw_ref root = from.at[k].root;
        uint32_t at = root.tag == CW_REF_OBJECT ? root.index : shadow->fn->objects.n + root.index;
        if (root.tag == CW_REF_NONE || from.at[k].is_read || shadow->stored_anywhere ||
            cw_bitset_has(&shadow->stored, at))
            return false;
    }
    return true;
}

/* A pointer that several loads bring from one place is one: its token says which, not the load. */
static uint64_t memory_key(cw_ref root, int64_t token) {
    return cw_mix((uint64_t)token, root.tag == CW_REF_INS ? 0 : cw_ref_bits(root));
}

static struct cell *cell_at(const struct shadow *shadow, uint32_t number) {
    return &shadow->cells.at[number / CHUNK][number % CHUNK];
}

/* The cell that has been touched there, or NULL. */
static const struct cell *find_cell(const struct shadow *shadow, const struct cw_lane_place *place, bool *is_lost) {
    int64_t cell = place->offset / CELL, in_page = (cell % PAGE + PAGE) % PAGE;
    uint64_t memory, page;
    *is_lost = false;
    if (!cw_map_get(&shadow->memories, memory_key(place->base, place->token), &memory))
        return NULL;
    *is_lost = shadow->memory.at[memory].lost;
    if (!cw_map_get(&shadow->pages, cw_mix((uint64_t)((cell - in_page) / PAGE), memory), &page))
        return NULL;
    uint32_t index = ((const struct page *)(uintptr_t)page)->cell[in_page];
    return index ? cell_at(shadow, index - 1) : NULL;
}

/* Has no thread written, since the last barrier, what thread t loads there? */
static bool is_at_rest(struct shadow *shadow, const struct cw_ins *load, const struct cw_context *context, uint32_t t) {
    const struct cw_context *then = cw_context_at(shadow->l, context, load->block);
    if (cw_context_missing(shadow->l, then, load->block) != CW_NO_LOOP)
        return false;
    const struct cw_lane_value *places = cw_lanes_places(shadow->l, cw_arg(shadow->fn, load, 0), then);
    struct cw_lane_place place = places ? cw_lanes_place(places, t) : (struct cw_lane_place){.known = CW_UNKNOWN};
    if (place.known > CW_SAMPLED || place.token == CW_NO_TOKEN || shadow->wild)
        return false;
    bool is_lost;
    const struct cell *cell = find_cell(shadow, &place, &is_lost);
    return !is_lost && !(cell && cell->phase == shadow->phase && cell->writes.n > 0);
}

/* Was the value made of memory that only unknown calls could have changed meanwhile? */
static bool is_brought(struct shadow *shadow, cw_ref ref, const struct cw_context *context, uint32_t t,
                       uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(shadow->fn, ref);
    if (!i)
        return true;
    if (i->op == CW_OP_LOAD && is_at_rest(shadow, i, context, t))
        return true;
    bool followed = cw_op_flags((enum cw_op)i->op) & CW_OP_P || i->op == CW_OP_LOAD;
    if (!followed || !depth || (i->op == CW_OP_LOAD && !is_never_stored(shadow, cw_arg(shadow->fn, i, 0))))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_brought(shadow, cw_arg(shadow->fn, i, k), context, t, depth - 1))
            return false;
    return true;
}

static bool brings_like(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u) {
    return ins_at(shadow, a)->op == CW_OP_STORE &&
           is_brought(shadow, cw_arg(shadow->fn, ins_at(shadow, a), 0), step_of(shadow, a)->context, t, LIKE_DEPTH) &&
           is_like_value(shadow, a, t, b, u);
}

static bool is_like_store(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u) {
    return t % 32 == u % 32 && is_like_value(shadow, a, t, b, u);
}

static bool is_from_private(struct shadow *shadow, uint32_t step) {
    uint8_t *known = &shadow->from_private[step];
    if (*known == NOT_ASKED)
        *known = cw_is_made_from_private(shadow->l, cw_arg(shadow->fn, ins_at(shadow, step), 0),
                                         step_of(shadow, step)->context)
                     ? YES
                     : NO;
    return *known == YES;
}

/* Does what is assumed rule out a way into the join on which thread t comes otherwise? Then the phi's token is not the
 * value that it has under the assumption. */
static bool rules_out_way(struct shadow *shadow, const struct cw_ins *phi, const struct cw_context *context,
                          uint32_t t) {
    const struct cw_block *join = &shadow->fn->blocks.at[phi->block];
    for (uint32_t k = 0; k < join->pred.n; k++) {
        const struct cw_context *there = cw_context_at(shadow->l, context, join->pred.at[k]);
        if (cw_context_missing(shadow->l, there, join->pred.at[k]) != CW_NO_LOOP)
            continue;
        struct cw_edge way = cw_cfg_incoming(shadow->fn, phi->block, k);
        uint32_t f = cw_lane_cond_at(cw_lane_cond_takes(shadow->l, way, there), t);
        if (f != CW_BDD_FALSE && cw_bdd_and(cw_lanes_bdds(shadow->l), f, shadow->assume) == CW_BDD_FALSE)
            return true;
    }
    return false;
}

/* Is the value made at a join that is another one under the assumption? */
static bool is_assumed_away(struct shadow *shadow, cw_ref ref, const struct cw_context *context, uint32_t t,
                            uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(shadow->fn, ref);
    if (!i || depth == 0 || i->op == CW_OP_LOAD)
        return false;
    context = cw_context_at(shadow->l, context, i->block);
    if (i->op == CW_OP_PHI && rules_out_way(shadow, i, context, t))
        return true;
    for (uint32_t k = 0; k < i->narg; k++)
        if (is_assumed_away(shadow, cw_arg(shadow->fn, i, k), context, t, depth - 1))
            return true;
    return false;
}

static bool is_store_assumed_away(struct shadow *shadow, uint32_t step, uint32_t t) {
    return shadow->assume != CW_BDD_TRUE &&
           is_assumed_away(shadow, cw_arg(shadow->fn, ins_at(shadow, step), 0), step_of(shadow, step)->context, t,
                           LIKE_DEPTH);
}

static bool is_number_of_both(struct cw_cell cell, struct cw_cell other) {
    return cw_cell_numeric(cell) && cw_cell_numeric(other);
}

static uint32_t reach_of(struct shadow *shadow, uint32_t step, uint32_t t) {
    uint32_t f =
        cw_lane_cond_at(cw_lane_cond_reach(shadow->l, ins_at(shadow, step)->block, step_of(shadow, step)->context), t);
    return cw_bdd_and(cw_lanes_bdds(shadow->l), f, shadow->assume);
}

/* Is it one formula in both steps, in which nothing differs between the two threads? */
static bool computes_alike(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u) {
    cw_ref v = cw_arg(shadow->fn, ins_at(shadow, a), 0), w = cw_arg(shadow->fn, ins_at(shadow, b), 0);
    const struct cw_context *context = step_of(shadow, a)->context;
    uint32_t both = cw_bdd_and(cw_lanes_bdds(shadow->l), reach_of(shadow, a, t), reach_of(shadow, b, u));
    return (a == b || cw_is_one_formula(shadow->l, v, context, w, step_of(shadow, b)->context, u, both)) &&
           !cw_may_differ(shadow->makers, v, context, t, u, both);
}

/* A butterfly's result, stored behind its loop: bit for bit the same in all lanes of a warp. */
static bool is_of_warp(const struct shadow *shadow, uint32_t step, uint32_t t, uint32_t u) {
    const struct cw_uniformity *uniformity = cw_lanes_uniformity(shadow->l);
    const struct cw_cfg *cfg = shadow->fn->cfg;
    const struct cw_ins *store = ins_at(shadow, step);
    cw_ref value = cw_arg(shadow->fn, store, 0);
    uint32_t loop = t / 32 == u / 32 && value.tag == CW_REF_INS ? cw_warp_butterfly_loop(uniformity, value.index)
                                                                : CW_NO_LOOP;
    if (loop == CW_NO_LOOP || cw_cfg_in_loop(cfg, loop, store->block))
        return false;
    uint32_t around = cfg->loops.at[loop].parent;
    return around == CW_NO_LOOP || cw_cfg_in_loop(cfg, around, store->block);
}

static enum sameness same_store(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u, int64_t cell,
                                uint32_t bytes) {
    struct cw_cell v = written_value(shadow, a, t), w = written_value(shadow, b, u);
    int64_t v_at = offset_of(shadow, a, t), w_at = offset_of(shadow, b, u);
    bool integers = cw_type_is_int(cw_ref_type(shadow->fn, cw_arg(shadow->fn, ins_at(shadow, a), 0))) &&
                    cw_type_is_int(cw_ref_type(shadow->fn, cw_arg(shadow->fn, ins_at(shadow, b), 0)));
    if (cw_cell_same(v, w) && v_at == w_at && ins_at(shadow, a)->aux == ins_at(shadow, b)->aux)
        return SAME;
    if (a == b && v_at == w_at && is_of_warp(shadow, a, t, u))
        return SAME;
    bool pointers = cw_ref_type(shadow->fn, cw_arg(shadow->fn, ins_at(shadow, a), 0)) ==
                    CW_PTR; /* different origins may be one place */
    if (v.known >= CW_RACY || w.known >= CW_RACY || pointers || is_like_store(shadow, a, t, b, u))
        return UNSURE;
    if (!is_number_of_both(v, w) && (is_from_private(shadow, a) || is_from_private(shadow, b) ||
                                     is_store_assumed_away(shadow, a, t) || is_store_assumed_away(shadow, b, u)))
        return UNSURE;
    if (!is_number_of_both(v, w) && (a == b || v_at == w_at) && computes_alike(shadow, a, t, b, u))
        return UNSURE;
    return integers && cw_cell_numeric(v) && cw_cell_numeric(w) && same_bytes(v, v_at, w, w_at, cell, bytes)
               ? SAME
               : DIFFERENT;
}

/* Two writes: of one value, in those bytes of the cell? Values nobody knows may be the same for reasons that are not
 * seen here. */
static enum sameness same_write(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u, int64_t cell,
                                uint32_t bytes) {
    const struct cw_ins *i = ins_at(shadow, a), *j = ins_at(shadow, b);
    if (is_atomic(i) || is_atomic(j) || is_fragment(i) || is_fragment(j) || i->op != j->op)
        return DIFFERENT;
    if (i->op == CW_OP_STORE)
        return same_store(shadow, a, t, b, u, cell, bytes);
    if (i->aux != j->aux)
        return DIFFERENT;
    struct cw_cell v = written_value(shadow, a, t), w = written_value(shadow, b, u);
    if (cw_cell_same(v, w))
        return SAME;
    return v.known >= CW_RACY || w.known >= CW_RACY ? UNSURE : DIFFERENT;
}

/* Has the thread, after the one step and before the other, begun a copy that writes those bytes? */
static bool copies_between(const struct shadow *shadow, const struct cell *cell, uint32_t thread, uint32_t after,
                           uint32_t before, uint32_t bytes) {
    uint32_t n = cell->copies && cell->copies->phase == shadow->phase ? cell->copies->begun.n : 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct record *r = &cell->copies->begun.at[k];
        if (r->step > after && r->step < before && (r->bytes & bytes) && r->warp == thread / 32 &&
            (r->lanes >> thread % 32 & 1))
            return true;
    }
    return false;
}

static bool does_imply(struct shadow *shadow, uint32_t f, uint32_t g) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t rest = cw_bdd_and(bdds, f, cw_bdd_not(g));
    return rest == CW_BDD_FALSE ||
           (rest == CW_BDD_POISON && cw_bdd_overlap(bdds, f, cw_bdd_not(g)) == CW_OVERLAP_NONE);
}

/* The formula of both, and what is known of it. Where that has no room, it is POISON, or FALSE when it holds for no
 * input; input may lead both there when it may lead each. Of racy reads nothing is said then, nor where data choose the
 * place as well. */
static uint32_t conjunction(struct shadow *shadow, uint32_t f, uint32_t g, const struct touch *now, uint8_t *known) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t both = cw_bdd_and(bdds, f, g);
    *known = cw_bdd_known(bdds, both);
    if (both != CW_BDD_POISON || now->wide || cw_bdd_known(bdds, f) > CW_FREE || cw_bdd_known(bdds, g) > CW_FREE)
        return both;
    enum cw_overlap overlap = cw_bdd_overlap(bdds, f, g);
    *known = overlap == CW_OVERLAP_UNDECIDED ? CW_OPAQUE : CW_FREE;
    return overlap == CW_OVERLAP_NONE ? CW_BDD_FALSE : both;
}

/* May input let the reader read, and the other one write, where it keeps the reader from its own store? */
static bool may_skip_store(struct shadow *shadow, uint32_t own_step, uint32_t reader, uint32_t read_step,
                           uint32_t writer, uint32_t write_step) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t own = reach_of(shadow, own_step, reader), rest;
    if (own == CW_BDD_TRUE)
        return false;
    rest = cw_bdd_and(bdds, reach_of(shadow, read_step, reader), reach_of(shadow, write_step, writer));
    rest = cw_bdd_and(bdds, rest, cw_bdd_not(own));
    return rest != CW_BDD_FALSE && cw_bdd_known(bdds, rest) <= CW_FREE;
}

/* The reader wrote the bytes before its read, and the other one writes the same: it reads that value in any case.
 * by_input: unless input keeps it from its own store. */
static enum sameness reads_own(struct shadow *shadow, const struct cell *cell, uint32_t reader, uint32_t read_step,
                               uint32_t writer, uint32_t write_step, int64_t at, uint32_t bytes, bool *by_input) {
    for (uint32_t k = cell->writes.n; k-- > 0;) {
        const struct record *r = &cell->writes.at[k];
        if (r->step >= read_step || r->warp != reader / 32 || !(r->lanes >> reader % 32 & 1))
            continue;
        bool is_other = (bytes & ~r->bytes) || copies_between(shadow, cell, reader, r->step, read_step, bytes);
        enum sameness same =
            is_other ? DIFFERENT : same_write(shadow, r->step, reader, write_step, writer, at, bytes);
        if (same == SAME && may_skip_store(shadow, r->step, reader, read_step, writer, write_step)) {
            *by_input = true;
            continue;
        }
        if (same != UNSURE)
            return same;
        /* what nobody knows differs as a rule; not what both brought from one place */
        return brings_like(shadow, r->step, reader, write_step, writer) ? UNSURE : DIFFERENT;
    }
    return DIFFERENT;
}

/* `own = p[i]; …; p[i] = own` writes back what it has not changed: who reads it meanwhile finds the same. */
static bool writes_back(struct shadow *shadow, uint32_t step, uint32_t t) {
    const struct cw_ins *store = ins_at(shadow, step);
    cw_ref value = store->op == CW_OP_STORE ? cw_arg(shadow->fn, store, 0) : CW_NONE;
    const struct cw_ins *load = cw_ins_of(shadow->fn, value);
    if (!load || load->op != CW_OP_LOAD || load->aux != store->aux)
        return false;
    const struct cw_context *now = step_of(shadow, step)->context, *then = cw_context_at(shadow->l, now, load->block);
    if (cw_context_missing(shadow->l, then, load->block) != CW_NO_LOOP)
        return false;
    const struct cw_lane_value *to = cw_lanes_places(shadow->l, cw_arg(shadow->fn, store, 1), now);
    const struct cw_lane_value *from = cw_lanes_places(shadow->l, cw_arg(shadow->fn, load, 0), then);
    if (!to || !from)
        return false;
    struct cw_lane_place a = cw_lanes_place(to, t), b = cw_lanes_place(from, t);
    /* The store has a root, or it would not be here: its token is one. */
    return a.known <= CW_SAMPLED && b.known <= CW_SAMPLED && a.token == b.token && a.offset == b.offset;
}

/* ---- meetings ---- */

/* The pairs of instructions of which this one is the second. */
static uint32_t *pairs_of(struct shadow *shadow, uint32_t access) {
    if (!shadow->pair_at[access])
        shadow->pair_at[access] = CW_NEW_ARRAY(shadow->a, uint32_t, 2 * shadow->naccesses);
    return shadow->pair_at[access];
}

static uint32_t *pair_slot(const struct record *record, const struct touch *now) {
    return &now->pairs[2 * record->access + (record->warp == now->thread / 32)];
}

static struct pair_state *pair_of(struct shadow *shadow, const struct record *record, const struct touch *now) {
    uint32_t *at = pair_slot(record, now);
    if (*at == 0) {
        cw_vec_push(shadow->a, &shadow->pair, (struct pair_state){0});
        *at = shadow->pair.n;
    }
    return &shadow->pair.at[*at - 1];
}

static struct cw_conflict *meeting_of(const struct shadow *shadow, const struct pair_state *pair_state) {
    return pair_state->meeting ? &shadow->out->meetings.at[pair_state->meeting - 1] : NULL;
}

static bool is_met(const struct shadow *shadow, const struct pair_state *pair_state) {
    return pair_state->meeting && !shadow->out->meetings.at[pair_state->meeting - 1].open;
}

static bool is_looked_through(const struct shadow *shadow, const struct pair_state *pair, const struct touch *now) {
    bool is_same_thread = pair->looked_thread == now->thread;
    return pair->tries >= TRIES_MAX ||
           (pair->looked_step == now->step &&
            (pair->looks >= LOOKS_MAX || (is_same_thread && pair->thread_looks >= LOOKS_OF_THREAD))) ||
           (now->wide && pair->unplaced_phase == shadow->phase + 1);
}

static void count_look(struct shadow *shadow, struct pair_state *pair, const struct touch *now) {
    if (pair->looked_step != now->step)
        pair->looks = 0;
    if (pair->looked_step != now->step || pair->looked_thread != now->thread)
        pair->thread_looks = 0;
    pair->looked_step = now->step;
    pair->looked_thread = now->thread;
    pair->looks++;
    pair->thread_looks++;
    shadow->work += LOOK_WORK;
}

/* Is there nothing more to learn from this record about its pair of instructions? Of a conflict, further lanes of the
 * same two steps and warps are: for the picture. */
static bool is_settled(const struct shadow *shadow, const struct record *record, const struct touch *now) {
    uint32_t known = *pair_slot(record, now);
    if (!known)
        return false;
    const struct pair_state *p = &shadow->pair.at[known - 1];
    const struct cw_conflict *m = meeting_of(shadow, p);
    if (m && !m->open)
        return m->first_step != record->step || m->second_step != now->step || m->first_thread / 32 != record->warp ||
               m->second_thread / 32 != now->thread / 32;
    return is_looked_through(shadow, p, now);
}

/* Does the instruction write an element for each of the two threads, and not one place for whoever gets there? */
static bool writes_own(struct shadow *shadow, uint32_t step, uint32_t t, uint32_t u) {
    return offset_of(shadow, step, t) != offset_of(shadow, step, u);
}

static bool is_shared(const struct cw_fn *fn, cw_ref root) {
    enum cw_space space = root.tag == CW_REF_OBJECT ? fn->objects.at[root.index].space : CW_SPACE_UNKNOWN;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* Each of the two gets there as its own data say. Where these are flags, signs and thresholds, input that lets both get
 * there is a choice of the witness (data_conditions.h). */
static bool input_chooses_both(struct shadow *shadow, const struct record *record, bool first_writes, uint32_t t,
                               const struct touch *now, uint32_t both) {
    const struct cw_ins *i = ins_at(shadow, record->step);
    cw_ref root = shadow->memory.at[now->memory].root;
    bool are_scalar = (i->op == CW_OP_LOAD || i->op == CW_OP_STORE) &&
                      (now->ins->op == CW_OP_LOAD || now->ins->op == CW_OP_STORE);
    return are_scalar && !now->wide && is_shared(shadow->fn, root) &&
           cw_bdd_known(cw_lanes_bdds(shadow->l), both) <= CW_FREE &&
           (!first_writes || writes_own(shadow, record->step, t, now->thread)) &&
           (!now->writes || writes_own(shadow, now->step, now->thread, t)) &&
           cw_has_plain_conditions(shadow->l, i->block, step_of(shadow, record->step)->context, t) &&
           cw_has_plain_conditions(shadow->l, now->ins->block, step_of(shadow, now->step)->context, now->thread);
}

/* Does input decide how often the loop around the context runs? */
static bool is_open_loop(struct shadow *shadow, const struct cw_context *context) {
    uint64_t key = cw_mix((uint64_t)(uintptr_t)context->outer, context->loop), found;
    if (!cw_map_get(&shadow->open_loops, key, &found)) {
        found = cw_lanes_most_trips(shadow->l, context->loop, context->outer) < 0;
        cw_map_put(&shadow->open_loops, key, found);
    }
    return found;
}

/* Of a loop whose iterations input counts, a few are laid out, and what stands behind the loop comes after the last of
 * them. For a thread that surely runs more of them, it does not, and barriers of the others lie between: a loop that
 * input may leave by a `return`, but else runs to its end. */
static bool may_leave_by_then(struct shadow *shadow, uint32_t first_step, const struct touch *now, uint32_t both) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t block = now->ins->block;
    for (const struct cw_context *c = step_of(shadow, first_step)->context; c && both != CW_BDD_FALSE; c = c->outer) {
        if (!cw_bitset_has(&shadow->t->roles->sync_loops, c->loop) ||
            cw_cfg_in_loop(shadow->fn->cfg, c->loop, block) || !is_open_loop(shadow, c))
            continue;
        /* The header runs once more than what it guards. */
        const struct cw_context *next = cw_lanes_context(shadow->l, c->outer, c->loop, shadow->t->open_trips + 1);
        uint32_t header = shadow->fn->cfg->loops.at[c->loop].header;
        uint32_t stays = cw_lane_cond_at(cw_lane_cond_reach(shadow->l, header, next), now->thread);
        both = cw_bdd_and(bdds, both, cw_bdd_not(stays));
    }
    return both != CW_BDD_FALSE;
}

/* The same iterations, for another evaluator. */
static const struct cw_context *context_in(struct cw_lanes *lanes, const struct cw_context *context) {
    if (!context)
        return NULL;
    return cw_lanes_context(lanes, context_in(lanes, context->outer), context->loop, context->iteration);
}

/* The formula of the snapshot under which the thread gets there. */
static uint32_t snapshot_reach(struct shadow *shadow, uint32_t step, uint32_t t) {
    struct cw_lanes *snapshot = cw_lanes_snapshot(shadow->l);
    const struct cw_context *context = context_in(snapshot, step_of(shadow, step)->context);
    return cw_lane_cond_at(cw_lane_cond_reach(snapshot, ins_at(shadow, step)->block, context), t);
}

/* One of the two gets there as racy reads say. Does it, where these find what earlier reads have found, while the other
 * gets there too? `if (stop) return; __syncthreads(); if (stop) …` is for nobody as long as nobody sets `stop`. */
static bool agrees_with_snapshot(struct shadow *shadow, uint32_t first_step, uint32_t t, uint32_t f,
                                 uint32_t second_step, uint32_t u, uint32_t g) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l), *others = cw_lanes_bdds(cw_lanes_snapshot(shadow->l));
    uint32_t x = snapshot_reach(shadow, first_step, t), y = snapshot_reach(shadow, second_step, u);
    if (cw_bdd_known(bdds, f) == CW_RACY && cw_bdd_known(bdds, g) == CW_RACY) /* only one of them is first */
        return x != CW_BDD_FALSE && y != CW_BDD_FALSE;
    return cw_bdd_and(others, x, y) != CW_BDD_FALSE;
}

/* Do both threads get there, for one input? Where a racy read decides for one of them, that one runs first: nothing
 * has been written since the last ordered phase, and what it finds is up to the input. The other comes there in any
 * case. */
static bool may_both_happen(struct shadow *shadow, const struct record *record, bool first_writes, uint32_t t,
                            const struct touch *now, bool *open, bool *is_unknown) {
    uint32_t f = reach_of(shadow, record->step, t), g = reach_of(shadow, now->step, now->thread);
    uint8_t known;
    uint32_t both = conjunction(shadow, f, g, now, &known);
    *is_unknown = both != CW_BDD_FALSE && known == CW_OPAQUE;
    shadow->out->unknown |= known == CW_OPAQUE;
    /* Where one access happens whenever the other does, input that lets the other happen is a witness for both. */
    *open = both != CW_BDD_TRUE && both != CW_BDD_FALSE && known != CW_OPAQUE && !does_imply(shadow, f, g) &&
            !does_imply(shadow, g, f) && !input_chooses_both(shadow, record, first_writes, t, now, both);
    *open |= known == CW_RACY && !*open &&
             !agrees_with_snapshot(shadow, record->step, t, f, now->step, now->thread, g);
    return both != CW_BDD_FALSE && known != CW_OPAQUE && may_leave_by_then(shadow, record->step, now, both);
}

/* Do both leave, or find, the same value in any case? by_input: they would, but for some input. */
static bool is_harmless(struct shadow *shadow, const struct cell *cell, const struct record *record, bool first_writes,
                        uint32_t t, const struct touch *now, bool *unsure, bool *by_input) {
    uint32_t both = record->bytes & now->bytes;
    bool reads = !first_writes || !now->writes;
    if (reads && (first_writes ? writes_back(shadow, record->step, t) : writes_back(shadow, now->step, now->thread))) {
        *unsure = false;
        return true;
    }
    enum sameness same =
        first_writes && now->writes ? same_write(shadow, record->step, t, now->step, now->thread, now->at, both)
        : first_writes
            ? reads_own(shadow, cell, now->thread, now->step, t, record->step, now->at, both, by_input)
            : reads_own(shadow, cell, t, record->step, now->thread, now->step, now->at, both, by_input);
    *unsure = same == UNSURE;
    shadow->out->unknown |= *unsure;
    return same != DIFFERENT;
}

static uint32_t first_bit(uint32_t bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}

static struct cw_conflict conflict_of(const struct shadow *shadow, const struct record *record, bool first_writes,
                                      uint32_t t, const struct touch *now, bool open, bool unwaited) {
    uint32_t both = record->bytes & now->bytes;
    return (struct cw_conflict){.first = step_of(shadow, record->step)->ins,
                                .second = step_of(shadow, now->step)->ins,
                                .same_warp = t / 32 == now->thread / 32,
                                .unwaited = unwaited,
                                .open = open,
                                .first_writes = first_writes,
                                .second_writes = now->writes,
                                .first_atomic = record->atomic,
                                .second_atomic = now->atomic,
                                .first_step = record->step,
                                .second_step = now->step,
                                .first_thread = t,
                                .second_thread = now->thread,
                                .first_lanes = 1u << t % 32,
                                .second_lanes = 1u << now->thread % 32,
                                .root = shadow->memory.at[now->memory].root,
                                .offset = now->at + first_bit(both),
                                .bytes = (uint32_t)__builtin_popcount(both),
                                .skipped = UINT32_MAX,
                                .chosen = UINT32_MAX,
                                .call = UINT32_MAX};
}

/* Where the only access of a step lies for a thread; false: not a number. */
static bool find_place(struct shadow *shadow, uint32_t step, uint32_t thread, struct cw_access *access,
                       int64_t *offset) {
    struct cw_access all[2];
    if (cw_memory_accesses(shadow->fn, ins_at(shadow, step), all) != 1)
        return false;
    const struct cw_lane_value *places = cw_lanes_places(shadow->l, all[0].pointer, step_of(shadow, step)->context);
    *access = all[0];
    if (places)
        *offset = cw_lane_value_cell(places, thread).value;
    return places != NULL;
}

/* A datum of one thread that the witness chooses: what its value is named by, the number, and when it is that. */
struct choice {
    uint32_t thread, when; /* when: a formula */
    struct cw_cell named;
    int64_t number;
};

static bool is_inside(const struct cw_fn *fn, cw_ref root, int64_t offset, uint64_t size);

/* Does the datum also lead the thread, whenever it has that number, out of an array in this step? */
static bool leads_outside(struct shadow *shadow, uint32_t step, const struct choice *choice) {
    struct cw_access access[2];
    const struct cw_step *at = step_of(shadow, step);
    uint32_t n = at->kind == CW_STEP_ACCESS ? cw_memory_accesses(shadow->fn, ins_at(shadow, step), access) : 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct cw_lane_value *places = cw_lanes_places(shadow->l, access[k].pointer, at->context);
        int64_t offset;
        if (places && !cw_cell_numeric(cw_lane_value_cell(places, choice->thread)) &&
            cw_offset_under(shadow->l, access[k].pointer, at->context, choice->thread, choice->named, choice->number,
                            &offset) &&
            !is_inside(shadow->fn, cw_lane_value_base(places, choice->thread).root, offset, access[k].size) &&
            does_imply(shadow, choice->when, reach_of(shadow, step, choice->thread)))
            return true;
    }
    return false;
}

/* May the datum be that number, and the thread come to the step then? `if (k < 16) table[k]` never reads table[20], and
 * nobody means a k below 16 who reads table[k - 16] as well. */
static bool may_be_number(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref value, int64_t number) {
    const struct cw_context *context =
        cw_context_at(shadow->l, step_of(shadow, step)->context, cw_ins_of(shadow->fn, value)->block);
    uint32_t f = cw_lane_cond_equals(shadow->l, value, context, t, number);
    if (cw_bdd_and(cw_lanes_bdds(shadow->l), f, reach_of(shadow, step, t)) == CW_BDD_FALSE)
        return false;
    struct choice choice = {t, f, cw_lane_value_cell(cw_lane_value_of(shadow->l, value, context), t), number};
    if (cw_datum_forbids(shadow->l, ins_at(shadow, step)->block, step_of(shadow, step)->context, t, choice.named,
                         number))
        return false;
    shadow->work += shadow->t->steps.n;
    for (uint32_t k = 0; k < shadow->t->steps.n; k++)
        if (leads_outside(shadow, k, &choice))
            return false;
    return true;
}

enum meeting { APART, NOWHERE, PLACED };

/* Does some datum lead the thread's access to the offset? NOWHERE when none of some that were tried does. is_only: no
 * other offset would do. */
static enum meeting meet_if_led(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref pointer, int64_t offset,
                                bool is_only) {
    const struct cw_context *context = step_of(shadow, step)->context;
    struct cw_leads leads = cw_leads_to(shadow->l, pointer, context, t, offset);
    const struct cw_ins *i = cw_ins_of(shadow->fn, leads.datum);
    if (leads.how != CW_LED_BY)
        return leads.how == CW_LED_OPEN || !is_only ? PLACED : APART;
    if (cw_context_missing(shadow->l, cw_context_at(shadow->l, context, i->block), i->block) != CW_NO_LOOP)
        return PLACED;
    for (uint32_t k = 0; k < leads.n; k++)
        if (may_be_number(shadow, step, t, leads.datum, leads.number[k]))
            return PLACED;
    return leads.are_some ? NOWHERE : APART;
}

/* Where the thread's access lies at most, as offsets: what its index says of a place that input chooses. */
static bool find_extent(struct shadow *shadow, uint32_t step, uint32_t t, struct cw_range *out) {
    struct cw_access acc[2];
    if (cw_memory_accesses(shadow->fn, ins_at(shadow, step), acc) != 1 || acc[0].size == 0 ||
        acc[0].size > SIZE_MAX_BYTES)
        return false;
    *out = cw_lanes_offsets_at(shadow->l, acc[0].pointer, step_of(shadow, step)->context, t);
    return !__builtin_add_overflow(out->hi, (int64_t)acc[0].size - 1, &out->hi);
}

/* The same, computed once: a step's threads are compared with those of many others. */
static bool extent_of(struct shadow *shadow, uint32_t step, uint32_t t, struct cw_range *out) {
    if (!shadow->extents)
        shadow->extents = CW_NEW_ARRAY(shadow->a, struct extent *, shadow->t->steps.n);
    if (!shadow->extents[step]) {
        if (shadow->nextents + cw_lanes_count(shadow->l) > EXTENTS_MAX)
            return find_extent(shadow, step, t, out);
        shadow->extents[step] = CW_NEW_ARRAY(shadow->a, struct extent, cw_lanes_count(shadow->l));
        shadow->nextents += cw_lanes_count(shadow->l);
    }
    struct extent *e = &shadow->extents[step][t];
    if (e->known == NOT_ASKED)
        e->known = find_extent(shadow, step, t, &e->at) ? YES : NO;
    *out = e->at;
    return e->known == YES;
}

/* Where an access of `size` bytes, at one of the numbers of the stride and within the range, begins if it meets the
 * `other` bytes at the offset, of which a part that it can be at remains. is_only: no other number would do. */
static int64_t find_element(struct cw_stride stride, struct cw_range within, uint64_t size, uint64_t other,
                            int64_t *offset, bool *is_only) {
    int64_t whole = (int64_t)size;
    *is_only = size == other && size && *offset % whole == 0;
    if (size > other && other && stride.step % size == 0) {
        int64_t into = ((*offset - stride.rest) % whole + whole) % whole;
        *is_only = into + (int64_t)other <= whole;
        return *offset - into;
    }
    for (int64_t at = *offset; size && at + whole <= *offset + (int64_t)other; at += whole)
        if (cw_stride_meets(stride, size, at, size) && at >= within.lo && at + whole - 1 <= within.hi) {
            *offset = at;
            break;
        }
    return *offset;
}

/* The bytes are those of the access whose place is a number, as far as the other one covers as many; NOWHERE when there
 * is no such number. APART when the other one cannot be led there: `2 * key` never is where an odd element is written.
 */
static enum meeting place_conflict(struct shadow *shadow, struct cw_conflict *conflict) {
    bool is_first = conflict->chosen == conflict->first;
    uint32_t step[2] = {conflict->first_step, conflict->second_step},
             thread[2] = {conflict->first_thread, conflict->second_thread};
    struct cw_access placed, chosen[2];
    cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[conflict->chosen], chosen);
    if (!find_place(shadow, step[is_first], thread[is_first], &placed, &conflict->offset))
        return NOWHERE;
    conflict->bytes = (uint32_t)(placed.size < chosen[0].size ? placed.size : chosen[0].size);
    struct cw_stride stride = cw_stride_of(shadow->l, chosen[0].pointer, step_of(shadow, step[!is_first])->context,
                                           thread[!is_first]);
    if (!cw_stride_meets(stride, chosen[0].size, conflict->offset, placed.size))
        return APART;
    struct cw_range within;
    bool is_only = false;
    if (!extent_of(shadow, step[!is_first], thread[!is_first], &within))
        within = (struct cw_range){INT64_MIN, INT64_MAX};
    int64_t element = find_element(stride, within, chosen[0].size, placed.size, &conflict->offset, &is_only);
    return meet_if_led(shadow, step[!is_first], thread[!is_first], chosen[0].pointer, element, is_only);
}

/* `s[key * 64 + threadIdx.x]`: whatever the keys, each thread stays in a column of its own; or equal keys elect one. */
static bool keep_apart(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now) {
    struct cw_access a[2], b[2];
    if (cw_memory_accesses(shadow->fn, ins_at(shadow, record->step), a) != 1 ||
        cw_memory_accesses(shadow->fn, now->ins, b) != 1 || a[0].size == 0 || b[0].size == 0)
        return false;
    struct cw_stride x = cw_stride_of(shadow->l, a[0].pointer, step_of(shadow, record->step)->context, t),
                     y = cw_stride_of(shadow->l, b[0].pointer, step_of(shadow, now->step)->context, now->thread);
    if (!cw_strides_meet(x, a[0].size, y, b[0].size))
        return true;
    struct cw_place_of first = {a[0].pointer, a[0].size, ins_at(shadow, record->step)->block, t,
                                step_of(shadow, record->step)->context};
    struct cw_place_of second = {b[0].pointer, b[0].size, now->ins->block, now->thread,
                                 step_of(shadow, now->step)->context};
    return cw_match_keeps_apart(shadow->l, &shadow->matches, &first, &second);
}

static void note_conflict(struct shadow *shadow, struct pair_state *pair_state, const struct record *record,
                          bool first_writes, uint32_t t, const struct touch *now, bool open, bool unwaited) {
    struct cw_conflict m = conflict_of(shadow, record, first_writes, t, now, open, unwaited);
    if (now->wide && record->unplaced != now->unplaced) {
        m.chosen = record->unplaced ? m.first : m.second;
        if (place_conflict(shadow, &m) == APART)
            return;
        m.chosen = UINT32_MAX;
    }
    if (pair_state->meeting) { /* one that input cannot forbid tells more */
        shadow->out->meetings.at[pair_state->meeting - 1] = m;
        return;
    }
    if (shadow->out->meetings.n >= MEETINGS_MAX)
        return;
    cw_vec_push(shadow->result, &shadow->out->meetings, m);
    pair_state->meeting = shadow->out->meetings.n;
}

enum { ROW_ELEMENTS = 32 };

/* Are the bytes of the conflict in the row that the thread has for itself or shares with some, in which a datum chooses
 * the element? Data that lead it there need not know of other rows. */
static bool is_in_own_row(struct shadow *shadow, const struct cw_conflict *conflict) {
    bool is_first = conflict->chosen == conflict->first;
    uint32_t step = is_first ? conflict->first_step : conflict->second_step;
    const struct cw_context *context = step_of(shadow, step)->context;
    struct cw_access access[2];
    uint64_t row;
    if (cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[conflict->chosen], access) != 1)
        return false;
    if (!cw_map_get(&shadow->rows, step, &row)) {
        row = cw_own_row(shadow->l, access[0].pointer, context, shadow->a);
        cw_map_put(&shadow->rows, step, row);
    }
    struct cw_stride s = cw_stride_of(shadow->l, access[0].pointer, context,
                                      is_first ? conflict->first_thread : conflict->second_thread);
    return row >= ROW_ELEMENTS * access[0].size && conflict->offset >= s.rest &&
           (uint64_t)(conflict->offset - s.rest) + access[0].size <= row;
}

/* One of the two is at a place that is a number: whether all such places together cover the array is known when the
 * walk is over. */
static void note_unplaced(struct shadow *shadow, struct pair_state *pair_state, const struct record *record,
                          bool first_writes, uint32_t t, const struct touch *now, bool open) {
    pair_state->unplaced_phase = shadow->phase + 1;
    if (record->unplaced == now->unplaced || !pair_state->meeting || record->warp == now->thread / 32)
        return;
    struct unplaced u = {.conflict = conflict_of(shadow, record, first_writes, t, now, open, false),
                         .meeting = pair_state->meeting - 1,
                         .memory = now->memory,
                         .phase = shadow->phase,
                         .by_writes = record->unplaced ? now->writes : first_writes};
    u.conflict.chosen = record->unplaced ? u.conflict.first : u.conflict.second;
    if (place_conflict(shadow, &u.conflict) != PLACED) {
        pair_state->unplaced_phase = 0; /* other threads may meet */
        return;
    }
    u.in_own_row = is_in_own_row(shadow, &u.conflict);
    cw_vec_push(shadow->a, &shadow->unplaced, u);
}

/* Further lanes of the same two steps and warps, for the picture. */
static void add_lanes(const struct shadow *shadow, const struct pair_state *pair_state, const struct record *record,
                      uint32_t lanes, const struct touch *now) {
    struct cw_conflict *m = meeting_of(shadow, pair_state);
    if (m->first_step != record->step || m->second_step != now->step || m->first_thread / 32 != record->warp ||
        m->second_thread / 32 != now->thread / 32)
        return;
    m->first_lanes |= lanes;
    m->second_lanes |= 1u << now->thread % 32;
}

static void note_harmless(struct shadow *shadow, struct pair_state *pair_state, const struct record *record,
                          const struct touch *now, bool same_warp, bool unsure) {
    struct cw_harmless h = {.first = step_of(shadow, record->step)->ins,
                            .second = step_of(shadow, now->step)->ins,
                            .same_warp = same_warp,
                            .unsure = unsure,
                            .first_step = record->step,
                            .second_step = now->step};
    if (!pair_state->harmless) {
        cw_vec_push(shadow->result, &shadow->out->harmless, h);
        pair_state->harmless = shadow->out->harmless.n;
    }
    shadow->out->harmless.at[pair_state->harmless - 1].unsure |= unsure;
}

static void note_undecided(struct shadow *shadow, struct pair_state *pair_state, const struct record *record,
                           const struct touch *now) {
    struct cw_undecided pair = {step_of(shadow, record->step)->ins, step_of(shadow, now->step)->ins};
    if (!pair_state->is_undecided)
        cw_vec_push(shadow->result, &shadow->out->undecided, pair);
    pair_state->is_undecided = true;
}

/* A table of 16 counters for each warp: threads of two warps never meet there, whatever the digit that chooses one. */
static bool lie_apart(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now) {
    struct cw_range a, b;
    return extent_of(shadow, record->step, t, &a) && extent_of(shadow, now->step, now->thread, &b) &&
           (a.hi < b.lo || b.hi < a.lo);
}

/* One half of a double buffer is read where data say, and the other one is filled. */
static bool is_in_other_part(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now) {
    return record->unplaced ? cw_is_in_other_part(&shadow->parts, record->step, t, now->step)
                            : cw_is_in_other_part(&shadow->parts, now->step, now->thread, record->step);
}

/* An array in shared memory whose size nobody knows: that a guessed block leaves it goes unseen. */
static bool has_hidden_extent(const struct shadow *shadow, cw_ref root) {
    return root.tag == CW_REF_OBJECT && shadow->fn->objects.at[root.index].space == CW_SPACE_SHARED &&
           shadow->fn->objects.at[root.index].size == 0;
}

/* Is what the thread stores its own number, or a datum that it has loaded? */
static bool stores_index_or_datum(struct shadow *shadow, const struct cw_step *step, uint32_t t) {
    cw_ref stored = cw_arg(shadow->fn, &shadow->fn->ins.at[step->ins], 0);
    const struct cw_lane_value *value = cw_lane_value_of(shadow->l, stored, step->context);
    const struct cw_ins *from = cw_ins_of(shadow->fn, stored);
    while (from && (from->op == CW_OP_ZEXT || from->op == CW_OP_SEXT || from->op == CW_OP_TRUNC))
        from = cw_ins_of(shadow->fn, cw_arg(shadow->fn, from, 0));
    return !value->base && (cw_cell_numeric(cw_lane_value_cell(value, t)) || (from && from->op == CW_OP_LOAD));
}

/* `if (in[t] == wanted) found = t`: threads that their own data lead there store what they have found, in one
 * statement. That one of several may win is meant. Not where they have looked at what others store. */
static bool is_election(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now) {
    const struct cw_step *then = step_of(shadow, record->step), *step = step_of(shadow, now->step);
    const struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    return then->ins == step->ins && now->ins->op == CW_OP_STORE &&
           cw_bdd_known(bdds, reach_of(shadow, record->step, t)) <= CW_FREE &&
           cw_bdd_known(bdds, reach_of(shadow, now->step, now->thread)) <= CW_FREE &&
           stores_index_or_datum(shadow, then, t) && stores_index_or_datum(shadow, step, now->thread);
}

/* True where both leave, or find, one value. */
static bool ask_record(struct shadow *shadow, const struct cell *cell, const struct record *record, bool first_writes,
                       uint32_t t, const struct touch *now, bool unwaited) {
    bool same = t / 32 == now->thread / 32, open = false, unsure, by_input = false;
    struct pair_state *p = pair_of(shadow, record, now);
    if (is_met(shadow, p)) {
        add_lanes(shadow, p, record, 1u << t % 32, now);
        return false;
    }
    if (is_looked_through(shadow, p, now))
        return false;
    count_look(shadow, p, now);
    if (now->wide && lie_apart(shadow, record, t, now))
        return false;
    if (is_harmless(shadow, cell, record, first_writes, t, now, &unsure, &by_input)) {
        note_harmless(shadow, p, record, now, same, unsure);
        return true;
    }
    if (now->wide && (record->unplaced != now->unplaced ? is_in_other_part(shadow, record, t, now)
                                                        : now->unplaced && keep_apart(shadow, record, t, now)))
        return false;
    p->tries++;
    bool is_unknown = false;
    bool meets = may_both_happen(shadow, record, first_writes, t, now, &open, &is_unknown), is_open_way = open;
    if (is_unknown && !same)
        note_undecided(shadow, p, record, now);
    if (meets && open && is_election(shadow, record, t, now))
        return false;
    open |= by_input || now->wide || (now->unsized && has_hidden_extent(shadow, shadow->memory.at[now->memory].root));
    if (meets && !(p->meeting && open))
        note_conflict(shadow, p, record, first_writes, t, now, open, unwaited);
    if (meets && now->wide && !unwaited)
        note_unplaced(shadow, p, record, first_writes, t, now, is_open_way);
    return false;
}

/* Which lanes of the record does nothing order before the thread's access? */
static uint32_t unordered_lanes(const struct shadow *shadow, const struct record *record, const struct touch *now) {
    uint32_t lanes = record->lanes, out = 0;
    const struct cw_stamp *then = &shadow->stamps.at[record->stamp];
    bool is_flag = shadow->memory.at[now->memory].is_flag;
    if (record->warp == now->thread / 32)
        lanes &= ~(1u << now->thread % 32);
    else if (lanes && cw_order_all_signal(shadow->o)) /* one answer for the whole warp */
        return cw_order_knows(shadow->o, now->thread, record->warp * 32 + first_bit(lanes), *then, is_flag) ? 0 : lanes;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = first_bit(lanes);
        if (!cw_order_knows(shadow->o, now->thread, record->warp * 32 + lane, *then, is_flag))
            out |= 1u << lane;
    }
    return out;
}

static bool is_one_fragment_op(const struct shadow *shadow, const struct record *record, const struct touch *now) {
    return record->warp == now->thread / 32 && is_fragment(now->ins) && is_fragment(ins_at(shadow, record->step));
}

static uint32_t not_kept_out(const struct shadow *shadow, const struct record *record, uint32_t lanes,
                             const struct touch *now) {
    uint32_t out = lanes;
    if (record->guarded && cw_order_signals(shadow->o, now->thread))
        return 0;
    for (; now->guarded && lanes; lanes &= lanes - 1)
        if (cw_order_signals(shadow->o, record->warp * 32 + first_bit(lanes)))
            out &= ~(lanes & -lanes);
    return out;
}

/* Does the step store one number for all threads? */
static bool stores_number(struct shadow *shadow, uint32_t step) {
    const struct cw_ins *store = ins_at(shadow, step);
    if (store->op != CW_OP_STORE)
        return false;
    const struct cw_lane_value *v =
        cw_lane_value_of(shadow->l, cw_arg(shadow->fn, store, 0), step_of(shadow, step)->context);
    return !v->mask && !v->base && cw_cell_numeric(cw_lane_value_cell(v, 0));
}

/* Once a conflict is found, the others are its picture. Where one lane stores a number that does no harm, so do those
 * that store it to the same place. */
static void ask_lanes(struct shadow *shadow, const struct cell *cell, const struct record *record, bool first_writes,
                      uint32_t lanes, const struct touch *now) {
    bool is_harmless_there = false;
    int64_t there = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t known = *pair_slot(record, now), t = record->warp * 32 + first_bit(lanes);
        if (is_harmless_there && offset_of(shadow, record->step, t) == there)
            continue;
        if (known && is_met(shadow, &shadow->pair.at[known - 1])) {
            add_lanes(shadow, &shadow->pair.at[known - 1], record, lanes, now);
            return;
        }
        is_harmless_there =
            ask_record(shadow, cell, record, first_writes, t, now, false) && stores_number(shadow, record->step);
        there = is_harmless_there ? offset_of(shadow, record->step, t) : 0;
    }
}

/* Is one an atomic, and the other asks whether to do it? */
static bool is_precheck(const struct shadow *shadow, const struct record *record, const struct touch *now) {
    if (record->atomic == now->atomic)
        return false;
    uint32_t then = step_of(shadow, record->step)->ins, ins = step_of(shadow, now->step)->ins;
    return cw_prechecks_have(&shadow->t->roles->prechecks, record->atomic ? ins : then, record->atomic ? then : ins);
}

static void check_records(struct shadow *shadow, const struct cell *cell, const struct records *list, bool first_writes,
                          const struct touch *now) {
    uint32_t n = now->atomic && list->plain == 0 ? 0 : list->n;
    shadow->work += n;
    for (uint32_t k = 0; k < n && shadow->work < WORK_MAX; k++) {
        const struct record *r = &list->at[k];
        if (!(r->bytes & now->bytes) || (r->atomic && now->atomic) || is_one_fragment_op(shadow, r, now) ||
            is_precheck(shadow, r, now) ||
            (now->wide && r->access == now->access) || is_settled(shadow, r, now))
            continue;
        ask_lanes(shadow, cell, r, first_writes, not_kept_out(shadow, r, unordered_lanes(shadow, r, now), now), now);
    }
}

/* Bytes under an asynchronous copy belong to nobody until its end is known; a source may be read. Copies that are over
 * are forgotten. */
static void check_copies(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    uint32_t kept = 0, n = cell->copies ? cell->copies->list.n : 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct copy *copy = &cell->copies->list.at[k];
        const struct record *r = &copy->of;
        uint32_t t = r->warp * 32u + first_bit(r->lanes);
        bool reads = copy->end.how == CW_COPY_BULK || copy->end.how == CW_COPY_MATRIX;
        bool is_asked =
            (r->bytes & now->bytes) && (now->writes || !reads) && (!now->copies || r->step != now->step);
        enum cw_copy_state state = is_asked ? cw_order_copy_state(shadow->o, now->thread, t, copy->end,
                                                                  shadow->stamps.at[r->stamp], reads)
                                            : CW_COPY_ORDERED;
        if (state < CW_COPY_ORDERED)
            ask_record(shadow, cell, r, !reads, t, now, state == CW_COPY_PENDING);
        if (state != CW_COPY_OVER)
            cell->copies->list.at[kept++] = *copy;
    }
    if (n)
        cell->copies->list.n = kept;
}

/* ---- entering ---- */

static struct cell *refresh_cell(const struct shadow *shadow, struct cell *cell) {
    if (cell->phase != shadow->phase) {
        cell->phase = shadow->phase;
        cell->reads.n = cell->reads.plain = cell->writes.n = cell->writes.plain = 0;
        cell->now[0] = cell->now[1] = 0;
    }
    return cell;
}

static struct page *page_of(struct shadow *shadow, uint32_t memory, int64_t number) {
    uint64_t key = cw_mix((uint64_t)number, memory), at;
    if (shadow->page && shadow->page_key == key)
        return shadow->page;
    if (!cw_map_get(&shadow->pages, key, &at)) {
        at = (uint64_t)(uintptr_t)CW_NEW(shadow->a, struct page);
        cw_map_put(&shadow->pages, key, at);
    }
    shadow->page_key = key;
    return shadow->page = (struct page *)(uintptr_t)at;
}

static struct cell *cell_of(struct shadow *shadow, uint32_t memory, int64_t at) {
    int64_t cell = at / CELL, in_page = (cell % PAGE + PAGE) % PAGE;
    uint32_t *index = &page_of(shadow, memory, (cell - in_page) / PAGE)->cell[in_page];
    if (*index)
        return refresh_cell(shadow, cell_at(shadow, *index - 1));
    if (shadow->ncells % CHUNK == 0)
        cw_vec_push(shadow->a, &shadow->cells, CW_NEW_ARRAY(shadow->a, struct cell, CHUNK));
    *index = ++shadow->ncells;
    struct cell *made = cell_at(shadow, *index - 1);
    made->phase = shadow->phase;
    return made;
}

static bool same_stamp(const struct cw_stamp *stamp, const struct cw_stamp *other) {
    return stamp == other ||
           (stamp->clock == other->clock && stamp->version == other->version && stamp->passed == other->passed &&
            stamp->epoch == other->epoch && stamp->polled == other->polled && stamp->waited == other->waited);
}

/* The record of the same step by the same warp that the access joins, or NULL: among the last ones, as neighbouring
 * lanes may access different bytes of a cell in turn. */
static struct record *record_to_join(const struct shadow *shadow, const struct records *list,
                                     const struct touch *now) {
    const struct cw_stamp *stamps = shadow->stamps.at;
    for (uint32_t k = list->n; k-- > 0 && list->n - k <= CELL;) {
        struct record *r = &list->at[k];
        if (r->step != now->step || r->warp != now->thread / 32)
            return NULL;
        if (r->bytes == now->bytes && r->unplaced == now->unplaced &&
            same_stamp(&stamps[r->stamp], &stamps[now->stamp]))
            return r;
    }
    return NULL;
}

static struct record record_of(const struct touch *now) {
    return (struct record){.step = now->step,
                           .warp = (uint16_t)(now->thread / 32),
                           .lanes = 1u << now->thread % 32,
                           .access = now->access,
                           .stamp = now->stamp,
                           .bytes = now->bytes,
                           .atomic = now->atomic,
                           .guarded = now->guarded,
                           .unplaced = now->unplaced};
}

static bool is_done_again(const struct records *list, uint32_t k) {
    const struct record *r = &list->at[k];
    for (uint32_t j = k + 1; j < list->n; j++) {
        const struct record *later = &list->at[j];
        if (later->access == r->access && later->warp == r->warp && later->lanes == r->lanes &&
            later->bytes == r->bytes && later->unplaced == r->unplaced)
            return true;
    }
    return false;
}

/* Forgets what the same threads have done again, with the same instruction to the same bytes, in a later iteration. */
static void forget_repeated(struct shadow *shadow, struct records *list) {
    uint16_t kept = 0;
    list->plain = 0;
    for (uint32_t k = 0; k < list->n; k++)
        if (!is_done_again(list, k)) {
            list->plain += !list->at[k].atomic;
            list->at[kept++] = list->at[k];
        }
    list->n = kept;
    shadow->work += RECORDS_MAX;
}

static void enter_record(struct shadow *shadow, struct records *list, const struct touch *now) {
    struct record *same = record_to_join(shadow, list, now);
    if (same) {
        same->lanes |= 1u << now->thread % 32;
        return;
    }
    if (list->n >= RECORDS_MAX)
        forget_repeated(shadow, list);
    if (list->n >= RECORDS_MAX)
        return;
    if (list->n == list->cap) { /* most cells see one access or two in a phase */
        uint16_t cap = (uint16_t)(list->cap ? list->cap * 2 : RECORDS_FIRST);
        struct record *at = CW_NEW_ARRAY(shadow->a, struct record, cap);
        if (list->n)
            memcpy(at, list->at, list->n * sizeof *at);
        list->at = at;
        list->cap = cap;
    }
    list->at[list->n++] = record_of(now);
    list->plain += !now->atomic;
}

static void enter_copy(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    if (!cell->copies)
        cell->copies = CW_NEW(shadow->a, struct copies);
    if (cell->copies->list.n < RECORDS_MAX)
        cw_vec_push(shadow->a, &cell->copies->list,
                    ((struct copy){record_of(now), cw_order_copy_end(shadow->o, now->thread)}));
    if (cell->copies->phase != shadow->phase) {
        cell->copies->phase = shadow->phase;
        cell->copies->begun.n = 0;
    }
    if (now->writes && cell->copies->begun.n < RECORDS_MAX)
        cw_vec_push(shadow->a, &cell->copies->begun, record_of(now));
}

/* A call or an asm has its address, and may write what it likes. */
static bool may_be_filled_elsewhere(const struct shadow *shadow, cw_ref root) {
    return root.tag == CW_REF_OBJECT && shadow->t->roles->has_calls &&
           cw_bitset_has(&shadow->t->roles->memory->escaped, root.index);
}

static void note_read(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    const struct memory *m = &shadow->memory.at[now->memory];
    if (cell->written_phase || cell->first_read || m->lost || shadow->wild || !is_shared(shadow->fn, m->root) ||
        may_be_filled_elsewhere(shadow, m->root))
        return;
    struct cw_unwritten u = {now->sure, step_of(shadow, now->step)->ins, now->step, now->thread, m->root, now->at};
    cw_vec_push(shadow->result, &shadow->out->unwritten, u);
    cw_vec_push(shadow->a, &shadow->read_from, now->memory);
    cell->first_read = shadow->out->unwritten.n;
    cell->read_phase = shadow->barriers;
}

static uint32_t bytes_added(uint8_t *to, uint8_t bytes) {
    uint32_t added = (uint32_t)__builtin_popcount(bytes & ~*to);
    *to |= bytes;
    return added;
}

static void cover_memory(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    struct memory *m = &shadow->memory.at[now->memory];
    if (!m->covered || shadow->covered.at[m->covered - 1].phase != shadow->phase) {
        cw_vec_push(shadow->a, &shadow->covered, ((struct covered){.memory = now->memory, .phase = shadow->phase}));
        m->covered = shadow->covered.n;
    }
    if (now->sure) /* what only some data bring about covers nothing */
        shadow->covered.at[m->covered - 1].bytes[now->writes] += bytes_added(&cell->now[now->writes], now->bytes);
    m->ever[now->writes] += bytes_added(&cell->ever[now->writes], now->bytes);
}

static void touch_cell(struct shadow *shadow, const struct touch *now, bool hidden) {
    struct cell *c = cell_of(shadow, now->memory, now->at);
    if (shadow->follows_wide)
        cover_memory(shadow, c, now);
    if (!hidden) {
        check_records(shadow, c, &c->writes, true, now);
        if (now->writes)
            check_records(shadow, c, &c->reads, false, now);
        check_copies(shadow, c, now);
        if ((!now->writes || now->atomic) && !now->unsized)
            note_read(shadow, c, now);
        if (now->copies)
            enter_copy(shadow, c, now);
        else
            enter_record(shadow, now->writes ? &c->writes : &c->reads, now);
    }
    if (now->writes && !c->written_phase)
        c->written_phase = shadow->barriers + 1;
}

/* All cells that the access covers. */
static void touch_cells(struct shadow *shadow, struct touch *now, int64_t offset, uint32_t size, bool hidden) {
    int64_t end = offset + size;
    for (int64_t at = offset - (offset % CELL + CELL) % CELL; at < end; at += CELL) {
        int64_t from = at < offset ? offset - at : 0, to = at + CELL > end ? end - at : CELL;
        now->at = at;
        now->bytes = (uint8_t)(((1u << to) - 1) & ~((1u << from) - 1));
        touch_cell(shadow, now, hidden);
    }
}

/* Enters the accesses that were put off, in their order. Those of an earlier phase would have been forgotten. */
static void settle_deferred(struct shadow *shadow, struct memory *memory) {
    struct deferred *first = NULL, *next;
    for (struct deferred *d = memory->deferred_phase == shadow->phase ? memory->deferred : NULL; d; d = next) {
        next = d->before;
        d->before = first;
        first = d;
    }
    memory->deferred = NULL;
    memory->is_met = true;
    for (; first; first = first->before)
        touch_cells(shadow, &first->touch, first->offset, first->size, first->hidden);
}

/* A thread meets nobody where it is alone, as behind a pointer of its own that nobody knows: the cells of such memory
 * are only made when another thread comes. Arrays in shared memory have theirs at once: what they hold unwritten, and
 * how much of them a phase covers, is asked of every access. */
static void touch_or_defer(struct shadow *shadow, struct touch *now, int64_t offset, uint32_t size, bool hidden) {
    struct memory *m = &shadow->memory.at[now->memory];
    if (!m->is_met && (now->copies || is_shared(shadow->fn, m->root) || (m->owner && m->owner != now->thread + 1)))
        settle_deferred(shadow, m);
    if (m->is_met) {
        touch_cells(shadow, now, offset, size, hidden);
        return;
    }
    if (m->deferred_phase != shadow->phase)
        m->deferred = NULL;
    struct deferred *d = CW_NEW(shadow->a, struct deferred);
    *d = (struct deferred){*now, offset, size, hidden, m->deferred};
    m->deferred = d;
    m->deferred_phase = shadow->phase;
    m->owner = now->thread + 1;
}

static struct cell *cell_of_whole(const struct shadow *shadow, struct cell **cell) {
    if (!*cell) {
        *cell = CW_NEW(shadow->a, struct cell);
        (*cell)->phase = shadow->phase;
    }
    return refresh_cell(shadow, *cell);
}

/* The access as one to the object: unplaced ones may meet any other there, and others may meet those. */
static void touch_whole(struct shadow *shadow, struct touch now, bool unplaced) {
    struct memory *m = &shadow->memory.at[now.memory];
    struct cell *all = cell_of_whole(shadow, &m->all), *wide = cell_of_whole(shadow, &m->wide);
    struct cell *others = unplaced ? all : wide;
    now.wide = true;
    now.unplaced = unplaced;
    m->is_read_anywhere |= unplaced && !now.writes;
    now.at = 0;
    now.bytes = (1u << CELL) - 1;
    check_records(shadow, others, &others->writes, true, &now);
    if (now.writes)
        check_records(shadow, others, &others->reads, false, &now);
    enter_record(shadow, now.writes ? &all->writes : &all->reads, &now);
    if (unplaced)
        enter_record(shadow, now.writes ? &wide->writes : &wide->reads, &now);
}

/* ---- one step ---- */

/* The roots of everything that decides when a loop ends. */
static void find_polled(struct shadow *shadow) {
    struct cw_access acc[2];
    shadow->has_polled = true;
    for (uint32_t k = 0; shadow->t->roles->has_signals && k < shadow->fn->ins.n; k++) {
        if (!cw_bitset_has(&shadow->t->roles->polls, k) || !cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[k], acc))
            continue;
        struct cw_bases bases = cw_memory_bases(shadow->fn, acc[0].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            cw_vec_push(shadow->a, &shadow->polled, bases.at[b].root);
    }
}

static bool is_waited_on(struct shadow *shadow, cw_ref root) {
    if (!shadow->has_polled)
        find_polled(shadow);
    for (uint32_t k = 0; k < shadow->polled.n; k++)
        if (cw_ref_eq(shadow->polled.at[k], root))
            return true;
    return false;
}

static uint32_t memory_of(struct shadow *shadow, cw_ref root, int64_t token) {
    uint64_t key = memory_key(root, token), at = shadow->memory.n;
    if (shadow->memory.n && shadow->memory_key == key)
        return shadow->memory_last;
    if (!cw_map_get(&shadow->memories, key, &at)) {
        cw_map_put(&shadow->memories, key, at);
        cw_vec_push(shadow->a, &shadow->memory,
                    ((struct memory){.root = root, .token = token, .is_flag = is_waited_on(shadow, root)}));
    }
    shadow->memory_key = key;
    return shadow->memory_last = (uint32_t)at;
}

static bool is_private(const struct cw_fn *fn, cw_ref root) {
    if (root.tag != CW_REF_OBJECT)
        return root.tag == CW_REF_PARAM && fn->kind != CW_FN_KERNEL;
    enum cw_space space = fn->objects.at[root.index].space;
    return space == CW_SPACE_LOCAL || space == CW_SPACE_PARAM || space == CW_SPACE_CONSTANT;
}

static bool is_inside(const struct cw_fn *fn, cw_ref root, int64_t offset, uint64_t size) {
    if (root.tag != CW_REF_OBJECT)
        return true;
    uint64_t have = fn->objects.at[root.index].size;
    return offset >= 0 && (have == 0 || (uint64_t)offset + size <= have);
}

/* Written somewhere unknown: nothing can be called unwritten any more. */
static void lose_root(struct shadow *shadow, cw_ref root, int64_t token, bool known_root) {
    shadow->out->unknown = true;
    if (known_root) {
        uint32_t m = memory_of(shadow, root, token); /* may move the array */
        shadow->memory.at[m].lost = true;
    } else {
        shadow->wild = true;
    }
}

/* How much of one access is followed. */
static bool is_followed(const struct touch *now, struct cw_cell offset, uint32_t size) {
    return cw_cell_numeric(offset) && size > 0 && size <= (now->copies ? COPY_MAX_BYTES : SIZE_MAX_BYTES);
}

static void touch_thread(struct shadow *shadow, struct touch *now, const struct cw_lane_value *places, uint32_t size,
                         bool hidden) {
    struct cw_lane_base base = cw_lane_value_base(places, now->thread);
    struct cw_cell offset = cw_lane_value_cell(places, now->thread);
    bool rooted = base.token != CW_NO_TOKEN && base.root.tag != CW_REF_CONST; /* without a root there is no token */
    if (rooted && is_private(shadow->fn, base.root))
        return;
    if (!rooted || !is_followed(now, offset, size)) {
        if (now->writes)
            lose_root(shadow, base.root, base.token, rooted);
        if (!rooted || hidden || now->guarded || !is_shared(shadow->fn, base.root))
            return;
        shadow->met_wide = true;
        if (!shadow->follows_wide)
            return;
        now->memory = memory_of(shadow, base.root, base.token);
        cw_bitset_add(&shadow->out->unplaced, step_of(shadow, now->step)->ins);
        touch_whole(shadow, *now, true);
        return;
    }
    now->memory = memory_of(shadow, base.root, base.token);
    if (shadow->follows_wide && !hidden && !now->guarded && is_shared(shadow->fn, base.root))
        touch_whole(shadow, *now, false);
    if (now->writes && (now->unsized || is_fragment(now->ins))) /* more than what is surely covered */
        shadow->memory.at[now->memory].lost = true;
    if (is_inside(shadow->fn, base.root, offset.value, size))
        touch_or_defer(shadow, now, offset.value, size, hidden);
    else if (is_shared(shadow->fn, base.root)) {
        shadow->out->leaves |= now->sure && offset.known == CW_NUMBER;
        shadow->out->strays |= offset.known == CW_NUMBER || offset.known == CW_SAMPLE;
    }
}

/* An element of a type that nobody knows has a first byte all the same. */
static bool is_unsized(const struct cw_ins *ins, const struct cw_access *acc) {
    return acc->size == 0 && (ins->op == CW_OP_LOAD || ins->op == CW_OP_STORE);
}

static uint32_t size_of(const struct cw_ins *ins, const struct cw_access *acc) {
    if (is_fragment(ins) && (acc->size == 0 || acc->size > SIZE_MAX_BYTES))
        return FRAGMENT_BYTES;
    if (is_unsized(ins, acc))
        return 1;
    return acc->size > SIZE_MAX_BYTES ? SIZE_MAX_BYTES + 1 : (uint32_t)acc->size;
}

/* ---- rows of arrays ---- */

/* Indices into a row that another index has chosen: `s[k][i]` with i beyond the row is an element of another row, which
 * nobody means. */
struct row_index {
    const struct cw_lane_value *at[ROWS_MAX]; /* offsets from the row's beginning, */
    uint32_t bytes[ROWS_MAX];         /* and its size */
    uint32_t n;
};

static struct row_index row_indices(struct shadow *shadow, cw_ref pointer, const struct cw_context *context) {
    struct row_index rows = {.n = 0};
    const struct cw_ins *i = cw_ins_of(shadow->fn, pointer);
    for (uint32_t k = 0; k < ROWS_MAX && i && i->op == CW_OP_PTRADD; k++) {
        const struct cw_ins *outer = cw_ins_of(shadow->fn, cw_arg(shadow->fn, i, 0));
        if (i->aux && outer && outer->op == CW_OP_PTRADD && outer->aux) {
            rows.at[rows.n] = cw_lane_value_of(shadow->l, cw_arg(shadow->fn, i, 1), context);
            rows.bytes[rows.n++] = i->aux;
        }
        i = outer;
    }
    return rows;
}

/* Does the thread leave a row? Then the choice of sizes that brings it here is not one that is meant. What thread
 * indices and constants alone decide is no choice. */
static bool leaves_row(struct shadow *shadow, const struct row_index *rows, uint32_t block, uint32_t t) {
    for (uint32_t k = 0; k < rows->n; k++) {
        struct cw_cell index = cw_lane_value_cell(rows->at[k], t);
        if (cw_cell_numeric(index) && (index.value < 0 || index.value >= rows->bytes[k]) &&
            (index.known == CW_SAMPLE || !cw_lanes_decided_exactly(shadow->l, block)))
            return true;
    }
    return false;
}

/* ---- one access ---- */

/* Is the access in a critical section? The winner of one element of many has that element for itself, and what belongs
 * to it, but not what is one place for the whole block. */
static bool is_guarded(const struct shadow *shadow, const struct cw_ins *ins, cw_ref pointer) {
    const struct cw_roles *r = shadow->t->roles;
    bool is_shared_by_winners = cw_bitset_has(&r->claimed, ins->block) &&
                                cw_uni_of(cw_lanes_uniformity(shadow->l), pointer) <= CW_UNI_BLOCK;
    return cw_bitset_has(&r->guarded, ins->block) && !is_shared_by_winners;
}

/* How much the thread copies: nothing, where another thread copies for the group. */
static bool find_copied_bytes(struct shadow *shadow, const struct cw_ins *ins, const struct cw_context *context,
                              uint32_t t, uint32_t *size) {
    struct cw_cell n = cw_lane_value_cell(cw_lane_value_of(shadow->l, cw_arg(shadow->fn, ins, 2), context), t);
    *size = ins->aux == CW_COPY_GROUP ? 0 : COPY_LEAST_BYTES;
    if (cw_cell_numeric(n))
        *size = n.value <= COPY_MAX_BYTES ? (uint32_t)n.value : COPY_MAX_BYTES + 1;
    return !cw_cell_numeric(n) || n.value > 0;
}

/* The side of an asynchronous operation that belongs to it until its end: the matrices of wgmma, the source of a copy
 * out of shared memory by the bulk engine, whose destination is not followed; else the destination. */
static bool is_copy_side(const struct cw_ins *ins, const struct cw_access *acc) {
    return cw_ins_is_asynchronous(ins) && acc->writes == !cw_ins_reads_later(ins);
}

/* Would some thread load or store a number across its boundary? The device traps then: the kernel is not meant for the
 * types or sizes that lead it there. */
static bool is_misaligned(const struct shadow *shadow, const struct cw_ins *ins, const struct cw_access *acc,
                          const struct cw_lane_value *places, const struct cw_lane_cond *reach) {
    uint64_t size = acc->size;
    if (!places || places->base_mask || size < 2 || (size & (size - 1)) != 0 || ins->type == CW_AGG ||
        (ins->op != CW_OP_LOAD && ins->op != CW_OP_STORE) || !is_shared(shadow->fn, places->base[0].root) ||
        (ins->op == CW_OP_STORE && cw_ref_type(shadow->fn, cw_arg(shadow->fn, ins, 0)) == CW_AGG) ||
        shadow->fn->objects.at[places->base[0].root.index].align < size)
        return false;
    for (uint32_t t = 0; t < (places->mask ? cw_lanes_count(shadow->l) : 1); t++) {
        struct cw_cell at = cw_lane_value_cell(places, t);
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE && cw_cell_numeric(at) && (uint64_t)at.value % size != 0)
            return true;
    }
    return false;
}

/* The number of the thread's stamp: that of the last one where the thread before it, if there is one, has the same. */
static uint32_t stamp_of(struct shadow *shadow, uint32_t before, uint32_t t) {
    if (before == UINT32_MAX || !cw_order_is_like(shadow->o, before, t))
        cw_vec_push(shadow->a, &shadow->stamps, cw_order_stamp(shadow->o, t));
    return shadow->stamps.n - 1;
}

/* The formula under which the thread's access of the step is one that matters. */
static uint32_t condition_of(const struct shadow *shadow, const struct cw_lane_cond *reach, uint32_t step, uint32_t t) {
    uint32_t f = cw_lane_cond_at(reach, t);
    if (shadow->assume != CW_BDD_TRUE)
        f = cw_bdd_and(cw_lanes_bdds(shadow->l), f, shadow->assume);
    bool is_needed = !shadow->needs || ins_at(shadow, step)->op != CW_OP_LOAD ||
                     f == CW_BDD_FALSE || cw_liveness_has(shadow->needs, step, t);
    return is_needed ? f : CW_BDD_FALSE;
}

static void touch_all(struct shadow *shadow, uint32_t step, const struct cw_access *acc) {
    const struct cw_step *at = step_of(shadow, step);
    const struct cw_ins *i = &shadow->fn->ins.at[at->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(shadow->l, i->block, at->context);
    const struct cw_lane_value *places = cw_lanes_places(shadow->l, acc->pointer, at->context);
    if ((i->op == CW_OP_ASYNCCOPY && i->aux == CW_COPY_BULK && acc->writes) ||
        is_misaligned(shadow, i, acc, places, reach) ||
        (places && places->worst == CW_SAMPLE && cw_place_wraps_sizes(shadow->l, acc->pointer, at->context)))
        return;
    struct touch now = {.step = step, .ins = i, .writes = acc->writes, .atomic = is_atomic(i),
                        .copies = is_copy_side(i, acc), .unsized = is_unsized(i, acc),
                        .access = shadow->access_id[at->ins], .pairs = pairs_of(shadow, shadow->access_id[at->ins])};
    now.guarded = is_guarded(shadow, i, acc->pointer);
    bool hidden = now.guarded && cw_order_all_signal(shadow->o);
    struct row_index rows = row_indices(shadow, acc->pointer, at->context);
    uint32_t before = UINT32_MAX; /* the thread before that comes here */
    for (uint32_t t = 0, n = cw_lanes_count(shadow->l); t < n; t++) {
        uint32_t f = condition_of(shadow, reach, step, t);
        if (f == CW_BDD_FALSE)
            continue;
        now.thread = t;
        now.stamp = stamp_of(shadow, before, t);
        before = t;
        now.sure = f == CW_BDD_TRUE;
        if (!places) {
            if (acc->writes)
                lose_root(shadow, CW_NONE, 0, false);
            return;
        }
        uint32_t size = size_of(i, acc);
        bool is_copy = i->op == CW_OP_ASYNCCOPY;
        if (leaves_row(shadow, &rows, i->block, t) || (is_copy && !find_copied_bytes(shadow, i, at->context, t, &size)))
            continue;
        now.unsized = is_unsized(i, acc) || (is_copy && size == COPY_LEAST_BYTES && i->aux != CW_COPY_GROUP);
        bool lost_end = now.copies && !cw_order_copy_end(shadow->o, t).is_known;
        touch_thread(shadow, &now, places, size, hidden || lost_end || f == CW_BDD_POISON);
    }
}

static bool may_write(const struct shadow *shadow, const struct cw_ins *ins, cw_ref root) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(shadow->fn, ins, acc);
    bool may = cw_memory_is_call(ins);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(shadow->fn, acc[k].pointer);
        for (uint32_t b = 0; acc[k].writes && b < bases.n; b++)
            may |= cw_ref_eq(bases.at[b].root, root) || bases.at[b].is_read || bases.at[b].root.tag == CW_REF_NONE;
        may |= acc[k].writes && bases.n == 0;
    }
    return may;
}

/* Is it written in a loop of which iterations were left out? */
static bool loops_write(const struct shadow *shadow, cw_ref root) {
    const struct cw_cfg *cfg = shadow->fn->cfg;
    for (uint32_t l = 0; shadow->t->is_partial && l < cfg->loops.n; l++)
        for (uint32_t b = 0; cw_bitset_has(&shadow->t->partial_loops, l) && b < shadow->fn->blocks.n; b++) {
            const struct cw_vec_u32 *ins = &shadow->fn->blocks.at[b].ins;
            for (uint32_t k = 0; cw_cfg_in_loop(cfg, l, b) && k < ins->n; k++)
                if (may_write(shadow, &shadow->fn->ins.at[ins->at[k]], root))
                    return true;
        }
    return false;
}

static bool is_written_unseen(const struct shadow *shadow, struct memory *memory) {
    if (memory->unseen == UNSEEN_UNASKED)
        memory->unseen = loops_write(shadow, memory->root) ? UNSEEN_WRITES : UNSEEN_NONE;
    return memory->unseen == UNSEEN_WRITES;
}

/* Reads that nothing has written by the end, or only behind a barrier. Where warps meet at channels, or iterations that
 * write are missing, another order is possible. */
static void settle_unwritten(struct shadow *shadow) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < shadow->ncells; k++) {
        const struct cell *c = cell_at(shadow, k);
        if (c->first_read && c->written_phase && c->written_phase - 1 == c->read_phase)
            shadow->out->unwritten.at[c->first_read - 1].ins = UINT32_MAX;
    }
    for (uint32_t k = 0; k < shadow->out->unwritten.n; k++) {
        const struct cw_unwritten *u = &shadow->out->unwritten.at[k];
        struct memory *memory = &shadow->memory.at[shadow->read_from.at[k]];
        if (u->ins != UINT32_MAX && !shadow->wild && !shadow->t->is_vague && !memory->lost &&
            !is_written_unseen(shadow, memory))
            shadow->out->unwritten.at[kept++] = *u;
    }
    shadow->out->unwritten.n = kept;
}

/* ---- places that data chooses ---- */

struct way {
    struct shadow *s;
    const struct cw_context *context;
    uint32_t thread;
    bool is_alike;
};

static bool see_branch(void *way, struct cw_edge edge) {
    struct way *w = way;
    const struct cw_context *c = cw_context_at(w->s->l, w->context, edge.block);
    uint32_t taken = cw_lane_cond_at(cw_lane_cond_takes(w->s->l, edge, c), w->thread);
    cw_ref decides = w->s->fn->blocks.at[edge.block].jump.value;
    w->is_alike = cw_bdd_terminal(taken) || cw_is_made_of_data(cw_lanes_uniformity(w->s->l), decides, w->s->a);
    return w->is_alike;
}

/* Are the branches that lead the thread there decided, or decided by such data for all threads alike? */
static bool is_reached_alike(struct shadow *shadow, uint32_t step, uint32_t t) {
    struct way w = {.s = shadow, .context = step_of(shadow, step)->context, .thread = t, .is_alike = true};
    if (reach_of(shadow, step, t) != CW_BDD_TRUE)
        cw_cfg_controls(shadow->fn, ins_at(shadow, step)->block, see_branch, &w);
    return w.is_alike;
}

struct other_way {
    struct shadow *s;
    const struct cw_context *context;
    uint32_t thread;
    cw_ref place;
    bool shares;
};

static bool see_other_branch(void *way, struct cw_edge edge) {
    struct other_way *w = way;
    const struct cw_context *c = cw_context_at(w->s->l, w->context, edge.block);
    w->shares = !cw_bdd_terminal(cw_lane_cond_at(cw_lane_cond_takes(w->s->l, edge, c), w->thread)) &&
                cw_share_data(w->s->fn, w->s->fn->blocks.at[edge.block].jump.value, w->place, w->s->a);
    return !w->shares;
}

/* Do data of the array that chooses the place decide whether the other thread does what meets it? `in[0]` guards the
 * store, and `s[in[threadIdx.x]]` is where thread 0 reads: they may be one datum, which cannot be all that is needed.
 */
static bool is_other_led_by(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref place) {
    struct other_way w = {shadow, step_of(shadow, step)->context, t, place, false};
    if (reach_of(shadow, step, t) != CW_BDD_TRUE)
        cw_cfg_controls(shadow->fn, ins_at(shadow, step)->block, see_other_branch, &w);
    return w.shares;
}

static const struct covered *covered_in(const struct shadow *shadow, uint32_t memory, uint32_t phase) {
    for (uint32_t k = shadow->covered.n; k-- > 0;)
        if (shadow->covered.at[k].memory == memory && shadow->covered.at[k].phase == phase)
            return &shadow->covered.at[k];
    return NULL;
}

/* Do the accesses on the side whose places are numbers cover what the data may choose? A load or an atomic goes to what
 * was written before; a store to any element, or to any that is used when the array's size is not known. */
static bool covers_all(const struct shadow *shadow, const struct unplaced *unplaced) {
    const struct covered *in = covered_in(shadow, unplaced->memory, unplaced->phase);
    const struct memory *m = &shadow->memory.at[unplaced->memory];
    uint32_t bytes = in ? in->bytes[unplaced->by_writes] : 0, written = m->ever[true];
    uint64_t size = m->root.tag == CW_REF_OBJECT ? shadow->fn->objects.at[m->root.index].size : 0;
    if (!bytes || bytes < m->ever[unplaced->by_writes] || (!unplaced->by_writes && m->is_read_anywhere))
        return false;
    if (written && shadow->fn->ins.at[unplaced->conflict.chosen].op != CW_OP_STORE)
        return bytes >= written;
    return size ? bytes >= size : bytes >= m->ever[false] && bytes >= written;
}

/* The array within the object that the place of the thread's access stays in, as offsets: a member of a structure, or
 * what its index says. False when that is not known. */
static bool find_part(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref pointer, struct cw_range *out) {
    const struct cw_ins *add = cw_ins_of(shadow->fn, pointer);
    if (add && add->op == CW_OP_PTRADD && add->aux > 0) {
        const struct cw_lane_value *to =
            cw_lane_value_of(shadow->l, cw_arg(shadow->fn, add, 0), step_of(shadow, step)->context);
        struct cw_cell start = to->base ? cw_lane_value_cell(to, t) : (struct cw_cell){CW_OPAQUE, 0};
        *out = (struct cw_range){start.value, start.value + (int64_t)add->aux - 1};
        if (cw_cell_numeric(start))
            return true;
    }
    return extent_of(shadow, step, t, out) && out->lo > INT32_MIN && out->hi < INT32_MAX;
}

/* The bytes of the part that all threads together read or write in a step, at places that are numbers. */
static uint32_t cover_part(struct shadow *shadow, uint32_t step, bool writes, const struct unplaced *unplaced,
                           const struct cw_range *part, struct cw_bitset *bytes) {
    const struct memory *m = &shadow->memory.at[unplaced->memory];
    const struct cw_step *at = step_of(shadow, step);
    struct cw_access access[2];
    uint32_t added = 0,
             n = at->kind == CW_STEP_ACCESS ? cw_memory_accesses(shadow->fn, ins_at(shadow, step), access) : 0;
    for (uint32_t k = 0; k < n; k++) {
        if (access[k].writes != writes)
            continue;
        const struct cw_lane_value *places = cw_lanes_places(shadow->l, access[k].pointer, at->context);
        shadow->work += cw_lanes_count(shadow->l);
        for (uint32_t t = 0; places && t < cw_lanes_count(shadow->l); t++) {
            struct cw_lane_place p = cw_lanes_place(places, t);
            if (!cw_ref_eq(p.base, m->root) || p.token != m->token || p.known > CW_SAMPLED ||
                reach_of(shadow, step, t) != CW_BDD_TRUE)
                continue;
            for (int64_t b = p.offset; b < p.offset + (int64_t)access[k].size; b++)
                if (b >= part->lo && b <= part->hi && !cw_bitset_has(bytes, (uint32_t)(b - part->lo))) {
                    cw_bitset_add(bytes, (uint32_t)(b - part->lo));
                    added++;
                }
        }
    }
    return added;
}

static bool is_block_barrier_step(struct shadow *shadow, uint32_t step) {
    return step_of(shadow, step)->kind == CW_STEP_SYNC && ins_at(shadow, step)->op == CW_OP_BARRIER;
}

enum { PART_MAX = 1 << 16, PART_STEPS = 4096 };

/* The same of the array within the object that the data stay in: `counts` and `offsets` of one structure are filled in
 * different phases. */
static bool covers_part(struct shadow *shadow, const struct unplaced *unplaced, cw_ref pointer) {
    const struct cw_conflict *m = &unplaced->conflict;
    bool is_first = m->chosen == m->first;
    uint32_t chosen = is_first ? m->first_step : m->second_step, other = is_first ? m->second_step : m->first_step;
    struct cw_range part;
    if (!find_part(shadow, chosen, is_first ? m->first_thread : m->second_thread, pointer, &part) ||
        part.hi - part.lo >= PART_MAX || part.hi < part.lo || shadow->t->steps.n > PART_STEPS)
        return false;
    uint32_t size = (uint32_t)(part.hi - part.lo + 1), bytes = 0, written = 0, from = other, to = other;
    struct cw_bitset now = cw_bitset_new(shadow->a, size), ever = cw_bitset_new(shadow->a, size);
    while (from > 0 && !is_block_barrier_step(shadow, from))
        from--;
    while (to + 1 < shadow->t->steps.n && !is_block_barrier_step(shadow, to))
        to++;
    for (uint32_t k = from; k <= to; k++)
        bytes += cover_part(shadow, k, unplaced->by_writes, unplaced, &part, &now);
    for (uint32_t k = 0; k < shadow->t->steps.n; k++)
        written += cover_part(shadow, k, true, unplaced, &part, &ever);
    shadow->work += shadow->t->steps.n;
    if (bytes == 0 || (!unplaced->by_writes && shadow->memory.at[unplaced->memory].is_read_anywhere))
        return false;
    return ins_at(shadow, chosen)->op != CW_OP_STORE ? bytes >= written : bytes == size;
}

/* What is unknown because the evaluator's budget is used up would only cost; what comes later may write anything. */
static bool is_spent(struct shadow *shadow) {
    cw_lanes_charge(shadow->l, (shadow->work - shadow->charged) / RECORDS_PER_CELL);
    shadow->charged = shadow->work;
    if (!cw_lanes_exhausted(shadow->l) && shadow->work < WORK_MAX)
        return false;
    shadow->out->unknown = shadow->wild = shadow->out->is_cut = true;
    return true;
}

/* Conflicts that are sure although nobody knows at which element. */
static void settle_unplaced(struct shadow *shadow) {
    for (uint32_t k = 0; k < shadow->unplaced.n; k++) {
        struct unplaced *u = &shadow->unplaced.at[k];
        struct cw_conflict *m = &u->conflict;
        struct cw_access access[2];
        bool is_first = m->chosen == m->first;
        if (m->open || !shadow->out->meetings.at[u->meeting].open ||
            cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[m->chosen], access) != 1 ||
            !(u->in_own_row || cw_is_made_of_data(cw_lanes_uniformity(shadow->l), access[0].pointer, shadow->a)) ||
            !is_reached_alike(shadow, is_first ? m->first_step : m->second_step,
                              is_first ? m->first_thread : m->second_thread) ||
            is_other_led_by(shadow, is_first ? m->second_step : m->first_step,
                            is_first ? m->second_thread : m->first_thread, access[0].pointer) ||
            !(covers_all(shadow, u) || (!is_spent(shadow) && covers_part(shadow, u, access[0].pointer))))
            continue;
        shadow->out->meetings.at[u->meeting] = *m;
    }
}

static void number_accesses(struct shadow *shadow) {
    shadow->access_id = CW_NEW_ARRAY(shadow->a, uint32_t, shadow->fn->ins.n);
    for (uint32_t k = 0; k < shadow->t->steps.n; k++) {
        const struct cw_step *step = &shadow->t->steps.at[k];
        if (step->kind == CW_STEP_ACCESS && shadow->access_id[step->ins] == 0)
            shadow->access_id[step->ins] = ++shadow->naccesses;
    }
    shadow->naccesses++;
    shadow->pair_at = CW_NEW_ARRAY(shadow->a, uint32_t *, shadow->naccesses);
    shadow->from_private = CW_NEW_ARRAY(shadow->a, uint8_t, shadow->t->steps.n);
    shadow->makers = cw_value_makers_open(shadow->l, shadow->a);
}

/* One walk along the timeline. */
static void walk_trace(struct shadow *shadow) {
    cw_map_init(&shadow->open_loops, shadow->a);
    cw_map_init(&shadow->pages, shadow->a);
    cw_map_init(&shadow->memories, shadow->a);
    cw_map_init(&shadow->matches, shadow->a);
    cw_map_init(&shadow->rows, shadow->a);
    shadow->parts = (struct cw_buffer_parts){.trace = shadow->t, .lanes = shadow->l, .arena = shadow->a};
    number_accesses(shadow);
    for (uint32_t k = 0; k < shadow->t->steps.n && !is_spent(shadow) && shadow->met_wide <= shadow->follows_wide; k++) {
        struct cw_access acc[2];
        cw_order_pass(shadow->o, k);
        shadow->barriers += cw_order_phase(shadow->o) != shadow->phase && shadow->t->steps.at[k].kind != CW_STEP_GAP;
        shadow->phase = cw_order_phase(shadow->o);
        bool is_absent = shadow->t->absent && cw_bitset_has(shadow->t->absent, k);
        if (shadow->t->steps.at[k].kind != CW_STEP_ACCESS || is_absent)
            continue;
        uint32_t n = cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[shadow->t->steps.at[k].ins], acc);
        while (n-- > 0) /* a copy reads before it writes */
            touch_all(shadow, k, &acc[n]);
    }
}

struct cw_shadow *cw_shadow_of(const struct cw_event_trace *trace, const struct cw_liveness *needs, uint32_t assume,
                               struct cw_arena *a) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct shadow first = {.out = CW_NEW(a, struct cw_shadow),
                           .t = trace,
                           .needs = needs,
                           .l = trace->lanes,
                           .assume = assume,
                           .fn = trace->roles->fn,
                           .a = &scratch,
                           .result = a,
                           .o = cw_order_new(trace, assume, &scratch)},
                  s = first;
    s.out->unplaced = cw_bitset_new(a, s.fn->ins.n);
    walk_trace(&s);
    if (s.met_wide) {
        first.work = s.work;
        first.charged = s.charged;
        s = first;
        s.follows_wide = true;
        *s.out = (struct cw_shadow){.unplaced = cw_bitset_new(a, s.fn->ins.n)};
        cw_arena_free(&scratch);
        s.o = cw_order_new(trace, assume, &scratch);
        walk_trace(&s);
    }
    settle_unwritten(&s);
    settle_unplaced(&s);
    cw_arena_free(&scratch);
    return s.out;
}
