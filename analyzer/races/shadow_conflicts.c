/* Which accesses of a cell does another access meet, with nothing that orders the two?
 *
 * A pair of instructions is asked about thread by thread, until one conflict is found that input cannot forbid; further
 * lanes of the same two steps are its picture. What is no conflict at all is excluded first, the cheap reasons before
 * those that ask the evaluator. How often a pair is asked about is limited.
 *
 * requires: a walk, its order at the step. computes: out->meetings, harmless, undecided; conflicts at places that data
 * choose, for the end of the walk (shadow_data_places.c). cost: WORK_MAX records. preserves: the cells, but for copies
 * that are over. */
#include "races/shadow_internal.h"

#include "lanes/value.h"

enum {
    TRIES_MAX = 64,       /* pairs of threads asked about per pair of instructions: do both come? */
    LOOKS_MAX = 512,      /* the same in one step, with those whose values are compared only */
    LOOKS_OF_THREAD = 64, /* of these, with one thread as the later one: what it stores may be there already */
    LOOK_WORK = 4,        /* what it costs to compare what two threads do, in records */
    MEETINGS_MAX = 512
};

struct pair_state {
    uint32_t meeting; /* 1 + index, 0: none */
    uint32_t tries, looks, looked_step; /* looks: in that step, of the later of the two accesses */
    uint32_t looked_thread, thread_looks;
    uint32_t harmless; /* 1 + index, 0: none */
    uint32_t unplaced_phase; /* 1 + the last phase with a conflict at a place that is not known, 0: none */
    bool is_undecided;       /* the pair is among shadow->out->undecided */
};

/* ---- pairs of instructions ---- */

uint32_t *cw_shadow_pairs(struct shadow *shadow, uint32_t access) {
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

/* ---- what is noted ---- */

static uint32_t first_bit(uint32_t bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}

static struct cw_conflict conflict_of(const struct shadow *shadow, const struct record *record, bool first_writes,
                                      uint32_t t, const struct touch *now, bool open, bool unwaited) {
    uint32_t both = record->bytes & now->bytes;
    return (struct cw_conflict){.first = cw_shadow_step(shadow, record->step)->ins,
                                .second = cw_shadow_step(shadow, now->step)->ins,
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

static void note_conflict(struct shadow *shadow, struct pair_state *pair_state, const struct record *record,
                          bool first_writes, uint32_t t, const struct touch *now, bool open, bool unwaited) {
    struct cw_conflict m = conflict_of(shadow, record, first_writes, t, now, open, unwaited);
    if (now->wide && record->unplaced != now->unplaced) {
        m.chosen = record->unplaced ? m.first : m.second;
        if (cw_shadow_place_conflict(shadow, &m) == APART)
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

/* One of the two is at a place that is a number: whether all such places together cover the array is known when the
 * walk is over. */
static void note_unplaced(struct shadow *shadow, struct pair_state *pair_state, const struct record *record,
                          bool first_writes, uint32_t t, const struct touch *now, bool open) {
    pair_state->unplaced_phase = shadow->phase + 1;
    if (record->unplaced == now->unplaced || !pair_state->meeting)
        return;
    struct unplaced u = {.conflict = conflict_of(shadow, record, first_writes, t, now, open, false),
                         .meeting = pair_state->meeting - 1,
                         .memory = now->memory,
                         .phase = shadow->phase,
                         .by_writes = record->unplaced ? now->writes : first_writes};
    u.conflict.chosen = record->unplaced ? u.conflict.first : u.conflict.second;
    if (cw_shadow_place_conflict(shadow, &u.conflict) != PLACED) {
        pair_state->unplaced_phase = 0; /* other threads may meet */
        return;
    }
    u.in_own_row = cw_shadow_is_in_own_row(shadow, &u.conflict);
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
    struct cw_harmless h = {.first = cw_shadow_step(shadow, record->step)->ins,
                            .second = cw_shadow_step(shadow, now->step)->ins,
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
    struct cw_undecided pair = {cw_shadow_step(shadow, record->step)->ins, cw_shadow_step(shadow, now->step)->ins};
    if (!pair_state->is_undecided)
        cw_vec_push(shadow->result, &shadow->out->undecided, pair);
    pair_state->is_undecided = true;
}

/* ---- asking ---- */

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
    if (now->wide && cw_shadow_lie_apart(shadow, record, t, now))
        return false;
    if (cw_shadow_is_harmless(shadow, cell, record, first_writes, t, now, &unsure, &by_input)) {
        note_harmless(shadow, p, record, now, same, unsure);
        return true;
    }
    if (now->wide &&
        (record->unplaced != now->unplaced ? is_in_other_part(shadow, record, t, now)
                                           : now->unplaced && cw_shadow_keep_apart(shadow, record, t, now)))
        return false;
    p->tries++;
    bool is_unknown = false;
    bool meets = cw_shadow_may_both_happen(shadow, record, first_writes, t, now, &open, &is_unknown),
         is_open_way = open;
    if (is_unknown && !same)
        note_undecided(shadow, p, record, now);
    if (meets && open && cw_shadow_is_election(shadow, record, t, now))
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
    else if (lanes && cw_order_is_of_warps(shadow->o)) /* one answer for the whole warp */
        return cw_order_knows(shadow->o, now->thread, record->warp * 32 + first_bit(lanes), *then, is_flag) ? 0 : lanes;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = first_bit(lanes);
        if (!cw_order_knows(shadow->o, now->thread, record->warp * 32 + lane, *then, is_flag))
            out |= 1u << lane;
    }
    return out;
}

static bool is_one_fragment_op(const struct shadow *shadow, const struct record *record, const struct touch *now) {
    return record->warp == now->thread / 32 && cw_shadow_is_fragment(now->ins) &&
           cw_shadow_is_fragment(cw_shadow_ins(shadow, record->step));
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
    const struct cw_ins *store = cw_shadow_ins(shadow, step);
    if (store->op != CW_OP_STORE)
        return false;
    const struct cw_lane_value *v =
        cw_lane_value_of(shadow->l, cw_arg(shadow->fn, store, 0), cw_shadow_step(shadow, step)->context);
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
        if (is_harmless_there && cw_shadow_offset(shadow, record->step, t) == there)
            continue;
        if (known && is_met(shadow, &shadow->pair.at[known - 1])) {
            add_lanes(shadow, &shadow->pair.at[known - 1], record, lanes, now);
            return;
        }
        is_harmless_there =
            ask_record(shadow, cell, record, first_writes, t, now, false) && stores_number(shadow, record->step);
        there = is_harmless_there ? cw_shadow_offset(shadow, record->step, t) : 0;
    }
}

/* Is one an atomic, and the other asks whether to do it? */
static bool is_precheck(const struct shadow *shadow, const struct record *record, const struct touch *now) {
    if (record->atomic == now->atomic)
        return false;
    uint32_t then = cw_shadow_step(shadow, record->step)->ins, ins = cw_shadow_step(shadow, now->step)->ins;
    return cw_prechecks_have(&shadow->t->roles->prechecks, record->atomic ? ins : then, record->atomic ? then : ins);
}

void cw_shadow_check_records(struct shadow *shadow, const struct cell *cell, const struct records *list,
                             bool first_writes, const struct touch *now) {
    uint32_t n = now->atomic && list->plain == 0 ? 0 : list->n;
    shadow->work += n;
    for (uint32_t k = 0; k < n && shadow->work < WORK_MAX; k++) {
        const struct record *r = &list->at[k];
        if (!(r->bytes & now->bytes) || (r->atomic && now->atomic) || is_one_fragment_op(shadow, r, now) ||
            is_precheck(shadow, r, now) || (now->wide && r->access == now->access) || is_settled(shadow, r, now) ||
            (now->wide && cw_shadow_warp_lies_apart(shadow, r, now)))
            continue;
        ask_lanes(shadow, cell, r, first_writes, not_kept_out(shadow, r, unordered_lanes(shadow, r, now), now), now);
    }
}

/* Bytes under an asynchronous copy belong to nobody until its end is known; a source may be read. */
void cw_shadow_check_copies(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    uint32_t kept = 0, n = cell->copies->list.n;
    for (uint32_t k = 0; k < n; k++) {
        const struct copy *copy = &cell->copies->list.at[k];
        const struct record *r = &copy->of;
        uint32_t t = r->warp * 32u + first_bit(r->lanes);
        bool reads = copy->end.how == CW_COPY_BULK || copy->end.how == CW_COPY_MATRIX;
        bool is_asked = (r->bytes & now->bytes) && (now->writes || !reads) && (!now->copies || r->step != now->step);
        enum cw_copy_state state =
            is_asked ? cw_order_copy_state(shadow->o, now->thread, t, copy->end, shadow->stamps.at[r->stamp], reads)
                     : CW_COPY_ORDERED;
        if (state < CW_COPY_ORDERED)
            ask_record(shadow, cell, r, !reads, t, now, state == CW_COPY_PENDING);
        if (state != CW_COPY_OVER)
            cell->copies->list.at[kept++] = *copy;
    }
    cell->copies->list.n = kept;
}
