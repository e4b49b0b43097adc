/* Do two threads that meet leave, or find, the same value? Then their conflict is harmless.
 *
 * Two writes of one value are: of equal numbers or tokens, or of what a butterfly leaves in all lanes of a warp. A read
 * is, beside a write of the very value that the reader wrote before, and so is a read of what is only written back.
 * Values that nobody knows may be the same for reasons that are not seen here, and are let go as unsure.
 *
 * requires: a walk, its cells up to the step. computes: whether a pair of accesses is harmless. cost: the operations
 * between a store and what makes its value, to a small depth. preserves: the cells. */
#include "races/shadow_internal.h"

#include "lanes/condition.h"
#include "races/like_values.h"
#include "uniformity/warp_forms.h"

enum { LIKE_DEPTH = 6 /* operations between a store and what makes its value */ };

/* What the thread writes there, as a cell that equals only equal values. */
static struct cw_cell written_value(struct shadow *shadow, uint32_t step, uint32_t t) {
    const struct cw_ins *i = cw_shadow_ins(shadow, step);
    const struct cw_context *c = cw_shadow_step(shadow, step)->context;
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

int64_t cw_shadow_offset(struct shadow *shadow, uint32_t step, uint32_t t) {
    const struct cw_lane_value *places = cw_lanes_places(shadow->l, cw_arg(shadow->fn, cw_shadow_ins(shadow, step), 1),
                                                         cw_shadow_step(shadow, step)->context);
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
    return cw_shadow_ins(shadow, a) == cw_shadow_ins(shadow, b) &&
           cw_is_like_value(shadow->l, cw_arg(shadow->fn, cw_shadow_ins(shadow, a), 0),
                            cw_shadow_step(shadow, a)->context, t, cw_shadow_step(shadow, b)->context, u);
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
    const struct cell *cell = cw_shadow_find_cell(shadow, &place, &is_lost);
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
    return cw_shadow_ins(shadow, a)->op == CW_OP_STORE &&
           is_brought(shadow, cw_arg(shadow->fn, cw_shadow_ins(shadow, a), 0), cw_shadow_step(shadow, a)->context, t,
                      LIKE_DEPTH) &&
           is_like_value(shadow, a, t, b, u);
}

static bool is_like_store(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u) {
    return t % 32 == u % 32 && is_like_value(shadow, a, t, b, u);
}

static bool is_from_private(struct shadow *shadow, uint32_t step) {
    uint8_t *known = &shadow->from_private[step];
    if (*known == NOT_ASKED)
        *known = cw_is_made_from_private(shadow->l, cw_arg(shadow->fn, cw_shadow_ins(shadow, step), 0),
                                         cw_shadow_step(shadow, step)->context)
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
    return shadow->assume != CW_BDD_TRUE && is_assumed_away(shadow, cw_arg(shadow->fn, cw_shadow_ins(shadow, step), 0),
                                                            cw_shadow_step(shadow, step)->context, t, LIKE_DEPTH);
}

static bool is_number_of_both(struct cw_cell cell, struct cw_cell other) {
    return cw_cell_numeric(cell) && cw_cell_numeric(other);
}

/* Is it one formula in both steps, in which nothing differs between the two threads? */
static bool computes_alike(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u) {
    cw_ref v = cw_arg(shadow->fn, cw_shadow_ins(shadow, a), 0), w = cw_arg(shadow->fn, cw_shadow_ins(shadow, b), 0);
    const struct cw_context *context = cw_shadow_step(shadow, a)->context;
    uint32_t both = cw_bdd_and(cw_lanes_bdds(shadow->l), cw_shadow_reach(shadow, a, t), cw_shadow_reach(shadow, b, u));
    return (a == b || cw_is_one_formula(shadow->l, v, context, w, cw_shadow_step(shadow, b)->context, u, both)) &&
           !cw_may_differ(shadow->makers, v, context, t, u, both);
}

/* A butterfly's result, stored behind its loop: bit for bit the same in all lanes of a warp. */
static bool is_of_warp(const struct shadow *shadow, uint32_t step, uint32_t t, uint32_t u) {
    const struct cw_uniformity *uniformity = cw_lanes_uniformity(shadow->l);
    const struct cw_cfg *cfg = shadow->fn->cfg;
    const struct cw_ins *store = cw_shadow_ins(shadow, step);
    cw_ref value = cw_arg(shadow->fn, store, 0);
    uint32_t loop = t / 32 == u / 32 && value.tag == CW_REF_INS ? cw_warp_butterfly_loop(uniformity, value.index)
                                                                : CW_NO_LOOP;
    if (loop == CW_NO_LOOP || cw_cfg_in_loop(cfg, loop, store->block))
        return false;
    uint32_t around = cfg->loops.at[loop].parent;
    return around == CW_NO_LOOP || cw_cfg_in_loop(cfg, around, store->block);
}

enum sameness { SAME, DIFFERENT, UNSURE };

/* May two values of which one is no number be the same for reasons that are not seen here? */
static bool may_be_alike(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u, bool is_one_place) {
    bool are_private = is_from_private(shadow, a) && is_from_private(shadow, b); /* perhaps filled with the same */
    return are_private || is_store_assumed_away(shadow, a, t) || is_store_assumed_away(shadow, b, u) ||
           ((a == b || is_one_place) && computes_alike(shadow, a, t, b, u));
}

static enum cw_type stored_type(const struct shadow *shadow, uint32_t step) {
    return cw_ref_type(shadow->fn, cw_arg(shadow->fn, cw_shadow_ins(shadow, step), 0));
}

static enum sameness same_store(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u, int64_t cell,
                                uint32_t bytes) {
    struct cw_cell v = written_value(shadow, a, t), w = written_value(shadow, b, u);
    int64_t v_at = cw_shadow_offset(shadow, a, t), w_at = cw_shadow_offset(shadow, b, u);
    enum cw_type type = stored_type(shadow, a), other = stored_type(shadow, b);
    bool are_numbers = is_number_of_both(v, w), is_racy = v.known >= CW_RACY || w.known >= CW_RACY;
    if (cw_cell_same(v, w) && v_at == w_at && cw_shadow_ins(shadow, a)->aux == cw_shadow_ins(shadow, b)->aux)
        return SAME;
    if (a == b && v_at == w_at && is_of_warp(shadow, a, t, u))
        return SAME;
    if (type != other && !are_numbers && !is_racy && !shadow->fn->is_pattern)
        return DIFFERENT; /* nobody stores one value as an integer and as a float, but in arms for other instances */
    if (is_racy || type == CW_PTR || is_like_store(shadow, a, t, b, u)) /* pointers of different origin may be one */
        return UNSURE;
    if (!are_numbers && may_be_alike(shadow, a, t, b, u, v_at == w_at))
        return UNSURE;
    bool are_integers = cw_type_is_int(type) && cw_type_is_int(other);
    return are_integers && are_numbers && same_bytes(v, v_at, w, w_at, cell, bytes) ? SAME : DIFFERENT;
}

/* Two writes: of one value, in those bytes of the cell? Values nobody knows may be the same for reasons that are not
 * seen here. */
static enum sameness same_write(struct shadow *shadow, uint32_t a, uint32_t t, uint32_t b, uint32_t u, int64_t cell,
                                uint32_t bytes) {
    const struct cw_ins *i = cw_shadow_ins(shadow, a), *j = cw_shadow_ins(shadow, b);
    if (cw_shadow_is_atomic(i) || cw_shadow_is_atomic(j) || cw_shadow_is_fragment(i) || cw_shadow_is_fragment(j) ||
        i->op != j->op)
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

/* May input let the reader read, and the other one write, where it keeps the reader from its own store? */
static bool may_skip_store(struct shadow *shadow, uint32_t own_step, uint32_t reader, uint32_t read_step,
                           uint32_t writer, uint32_t write_step) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t own = cw_shadow_reach(shadow, own_step, reader), rest;
    if (own == CW_BDD_TRUE)
        return false;
    rest = cw_bdd_and(bdds, cw_shadow_reach(shadow, read_step, reader), cw_shadow_reach(shadow, write_step, writer));
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
    const struct cw_ins *store = cw_shadow_ins(shadow, step);
    cw_ref value = store->op == CW_OP_STORE ? cw_arg(shadow->fn, store, 0) : CW_NONE;
    const struct cw_ins *load = cw_ins_of(shadow->fn, value);
    if (!load || load->op != CW_OP_LOAD || load->aux != store->aux)
        return false;
    const struct cw_context *now = cw_shadow_step(shadow, step)->context,
                            *then = cw_context_at(shadow->l, now, load->block);
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

bool cw_shadow_is_harmless(struct shadow *shadow, const struct cell *cell, const struct record *record,
                           bool first_writes, uint32_t t, const struct touch *now, bool *unsure, bool *by_input) {
    uint32_t both = record->bytes & now->bytes;
    bool reads = !first_writes || !now->writes;
    if (reads && (first_writes ? writes_back(shadow, record->step, t) : writes_back(shadow, now->step, now->thread))) {
        *unsure = false;
        return true;
    }
    enum sameness same =
        first_writes && now->writes ? same_write(shadow, record->step, t, now->step, now->thread, now->at, both)
        : first_writes ? reads_own(shadow, cell, now->thread, now->step, t, record->step, now->at, both, by_input)
                       : reads_own(shadow, cell, t, record->step, now->thread, now->step, now->at, both, by_input);
    *unsure = same == UNSURE;
    shadow->out->unknown |= *unsure;
    return same != DIFFERENT;
}
