/* Conflicts at places that data choose: may the data lead a thread to where another one is, and do they surely?
 *
 * Of an access whose place is no number it is known at most where it lies (extents, strides, rows) and which numbers of
 * a datum lead it to an element (races/data_places.h). Whether the accesses on the other side cover all that the data
 * may choose is asked when the walk is over; such a conflict is sure although nobody knows at which element.
 *
 * requires: a walk; cw_shadow_settle_unplaced() its end. computes: what is known of such a place; the conflicts among
 * out->meetings that are sure. cost: per question the operations behind a place, and the steps of the timeline; extents
 * are kept, EXTENTS_MAX of them. preserves: the cells. */
#include "races/shadow_internal.h"

#include "lanes/condition.h"
#include "races/data_places.h"

enum { EXTENTS_MAX = 1 << 20 /* extents of accesses that are kept */ };

/* Where one thread's access in one step lies at most. */
struct extent {
    struct cw_range at;
    uint8_t known; /* enum answer */
};

/* ---- where data lead ---- */

/* Where the only access of a step lies for a thread; false: not a number. */
static bool find_place(struct shadow *shadow, uint32_t step, uint32_t thread, struct cw_access *access,
                       int64_t *offset) {
    struct cw_access all[2];
    if (cw_memory_accesses(shadow->fn, cw_shadow_ins(shadow, step), all) != 1)
        return false;
    const struct cw_lane_value *places =
        cw_lanes_places(shadow->l, all[0].pointer, cw_shadow_step(shadow, step)->context);
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

/* Does the datum also lead the thread, whenever it has that number, out of an array in this step? */
static bool leads_outside(struct shadow *shadow, uint32_t step, const struct choice *choice) {
    struct cw_access access[2];
    const struct cw_step *at = cw_shadow_step(shadow, step);
    uint32_t n = at->kind == CW_STEP_ACCESS ? cw_memory_accesses(shadow->fn, cw_shadow_ins(shadow, step), access) : 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct cw_lane_value *places = cw_lanes_places(shadow->l, access[k].pointer, at->context);
        int64_t offset;
        if (places && !cw_cell_numeric(cw_lane_value_cell(places, choice->thread)) &&
            cw_offset_under(shadow->l, access[k].pointer, at->context, choice->thread, choice->named, choice->number,
                            &offset) &&
            !cw_shadow_is_inside(shadow->fn, cw_lane_value_base(places, choice->thread).root, offset, access[k].size) &&
            cw_shadow_does_imply(shadow, choice->when, cw_shadow_reach(shadow, step, choice->thread)))
            return true;
    }
    return false;
}

/* May the datum be that number, and the thread come to the step then? `if (k < 16) table[k]` never reads table[20], and
 * nobody means a k below 16 who reads table[k - 16] as well. */
static bool may_be_number(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref value, int64_t number) {
    const struct cw_context *context =
        cw_context_at(shadow->l, cw_shadow_step(shadow, step)->context, cw_ins_of(shadow->fn, value)->block);
    uint32_t f = cw_lane_cond_equals(shadow->l, value, context, t, number);
    if (cw_bdd_and(cw_lanes_bdds(shadow->l), f, cw_shadow_reach(shadow, step, t)) == CW_BDD_FALSE)
        return false;
    struct choice choice = {t, f, cw_lane_value_cell(cw_lane_value_of(shadow->l, value, context), t), number};
    if (cw_datum_forbids(shadow->l, cw_shadow_ins(shadow, step)->block, cw_shadow_step(shadow, step)->context, t,
                         choice.named, number))
        return false;
    shadow->work += shadow->t->steps.n;
    for (uint32_t k = 0; k < shadow->t->steps.n; k++)
        if (leads_outside(shadow, k, &choice))
            return false;
    return true;
}

/* Does some datum lead the thread's access to the offset? NOWHERE when none of some that were tried does. is_only: no
 * other offset would do. */
static enum meeting meet_if_led(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref pointer, int64_t offset,
                                bool is_only) {
    const struct cw_context *context = cw_shadow_step(shadow, step)->context;
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
    if (cw_memory_accesses(shadow->fn, cw_shadow_ins(shadow, step), acc) != 1 || acc[0].size == 0 ||
        acc[0].size > SIZE_MAX_BYTES)
        return false;
    const struct cw_context *context = cw_shadow_step(shadow, step)->context;
    *out = cw_stride_within(cw_stride_of(shadow->l, acc[0].pointer, context, t),
                            cw_lanes_offsets_at(shadow->l, acc[0].pointer, context, t));
    return !__builtin_add_overflow(out->hi, (int64_t)acc[0].size - 1, &out->hi);
}

/* Room for what is kept of a step: of each thread, and of each warp behind them. NULL: there is none left. */
static struct extent *extents_in(struct shadow *shadow, uint32_t step) {
    uint32_t threads = cw_lanes_count(shadow->l), n = threads + (threads + 31) / 32;
    if (!shadow->extents)
        shadow->extents = CW_NEW_ARRAY(shadow->a, struct extent *, shadow->t->steps.n);
    if (!shadow->extents[step] && shadow->nextents + n <= EXTENTS_MAX) {
        shadow->extents[step] = CW_NEW_ARRAY(shadow->a, struct extent, n);
        shadow->nextents += n;
    }
    return shadow->extents[step];
}

/* The same, computed once: a step's threads are compared with those of many others. */
static bool extent_of(struct shadow *shadow, uint32_t step, uint32_t t, struct cw_range *out) {
    struct extent *kept = extents_in(shadow, step);
    if (!kept)
        return find_extent(shadow, step, t, out);
    if (kept[t].known == NOT_ASKED)
        kept[t].known = find_extent(shadow, step, t, &kept[t].at) ? YES : NO;
    *out = kept[t].at;
    return kept[t].known == YES;
}

/* Where the accesses of a warp's threads lie at most, all together. */
static bool extent_of_warp(struct shadow *shadow, uint32_t step, uint32_t warp, struct cw_range *out) {
    struct extent *kept = extents_in(shadow, step);
    uint32_t threads = cw_lanes_count(shadow->l), end = warp * 32 + 32 < threads ? warp * 32 + 32 : threads;
    if (!kept)
        return false;
    struct extent *hull = &kept[threads + warp];
    if (hull->known == NOT_ASKED) {
        *hull = (struct extent){{INT64_MAX, INT64_MIN}, YES};
        for (uint32_t t = warp * 32; t < end && hull->known == YES; t++) {
            struct cw_range one = {0, 0};
            hull->known = extent_of(shadow, step, t, &one) ? YES : NO;
            hull->at.lo = one.lo < hull->at.lo ? one.lo : hull->at.lo;
            hull->at.hi = one.hi > hull->at.hi ? one.hi : hull->at.hi;
        }
    }
    *out = hull->at;
    return hull->known == YES;
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
enum meeting cw_shadow_place_conflict(struct shadow *shadow, struct cw_conflict *conflict) {
    bool is_first = conflict->chosen == conflict->first;
    uint32_t step[2] = {conflict->first_step, conflict->second_step},
             thread[2] = {conflict->first_thread, conflict->second_thread};
    struct cw_access placed, chosen[2];
    cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[conflict->chosen], chosen);
    if (!find_place(shadow, step[is_first], thread[is_first], &placed, &conflict->offset))
        return NOWHERE;
    conflict->bytes = (uint32_t)(placed.size < chosen[0].size ? placed.size : chosen[0].size);
    struct cw_stride stride =
        cw_stride_of(shadow->l, chosen[0].pointer, cw_shadow_step(shadow, step[!is_first])->context, thread[!is_first]);
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
bool cw_shadow_keep_apart(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now) {
    struct cw_access a[2], b[2];
    if (cw_memory_accesses(shadow->fn, cw_shadow_ins(shadow, record->step), a) != 1 ||
        cw_memory_accesses(shadow->fn, now->ins, b) != 1 || a[0].size == 0 || b[0].size == 0)
        return false;
    struct cw_stride x = cw_stride_of(shadow->l, a[0].pointer, cw_shadow_step(shadow, record->step)->context, t),
                     y = cw_stride_of(shadow->l, b[0].pointer, cw_shadow_step(shadow, now->step)->context, now->thread);
    if (!cw_strides_meet(x, a[0].size, y, b[0].size))
        return true;
    struct cw_place_of first = {a[0].pointer, a[0].size, cw_shadow_ins(shadow, record->step)->block, t,
                                cw_shadow_step(shadow, record->step)->context};
    struct cw_place_of second = {b[0].pointer, b[0].size, now->ins->block, now->thread,
                                 cw_shadow_step(shadow, now->step)->context};
    return cw_match_keeps_apart(shadow->l, &shadow->matches, &first, &second);
}

enum { ROW_ELEMENTS = 32 };

/* Data that lead the thread there need not know of other rows. */
bool cw_shadow_is_in_own_row(struct shadow *shadow, const struct cw_conflict *conflict) {
    bool is_first = conflict->chosen == conflict->first;
    uint32_t step = is_first ? conflict->first_step : conflict->second_step;
    const struct cw_context *context = cw_shadow_step(shadow, step)->context;
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

/* A table of 16 counters for each warp: threads of two warps never meet there, whatever the digit that chooses one. */
bool cw_shadow_lie_apart(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now) {
    struct cw_range a, b;
    return extent_of(shadow, record->step, t, &a) && extent_of(shadow, now->step, now->thread, &b) &&
           (a.hi < b.lo || b.hi < a.lo);
}

bool cw_shadow_warp_lies_apart(struct shadow *shadow, const struct record *record, const struct touch *now) {
    struct cw_range a, b;
    return extent_of_warp(shadow, record->step, record->warp, &a) && extent_of(shadow, now->step, now->thread, &b) &&
           (a.hi < b.lo || b.hi < a.lo);
}

/* ---- what the other side covers ---- */

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

/* The array within the object that the place of the thread's access stays in, as offsets: a member of a structure, a
 * row, or what its index says. False when that is not known. */
static bool find_part(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref pointer, struct cw_range *out) {
    const struct cw_ins *add = cw_ins_of(shadow->fn, pointer);
    const struct cw_context *context = cw_shadow_step(shadow, step)->context;
    bool is_sum = add && add->op == CW_OP_PTRADD;
    struct cw_range within = {0, is_sum ? (int64_t)add->aux - 1 : -1};
    if (is_sum && (add->aux > 0 || cw_lanes_row_at(shadow->l, cw_arg(shadow->fn, add, 0), context, t, &within))) {
        const struct cw_lane_value *to = cw_lane_value_of(shadow->l, cw_arg(shadow->fn, add, 0), context);
        struct cw_cell start = to->base ? cw_lane_value_cell(to, t) : (struct cw_cell){CW_OPAQUE, 0};
        *out = (struct cw_range){start.value + within.lo, start.value + within.hi};
        if (cw_cell_numeric(start))
            return true;
    }
    return extent_of(shadow, step, t, out) && out->lo > INT32_MIN && out->hi < INT32_MAX;
}

struct threads {
    uint32_t first, end;
};

static struct threads all_threads(const struct shadow *shadow) {
    return (struct threads){0, cw_lanes_count(shadow->l)};
}

static struct threads warp_of(const struct shadow *shadow, uint32_t thread) {
    uint32_t first = thread & ~31u, n = cw_lanes_count(shadow->l);
    return (struct threads){first, first + 32 < n ? first + 32 : n};
}

/* The bytes of the part that the threads together read or write in a step, at places that are numbers. */
static uint32_t cover_part(struct shadow *shadow, uint32_t step, struct threads by, bool writes,
                           const struct unplaced *unplaced, const struct cw_range *part, struct cw_bitset *bytes) {
    const struct memory *m = &shadow->memory.at[unplaced->memory];
    const struct cw_step *at = cw_shadow_step(shadow, step);
    struct cw_access access[2];
    uint32_t added = 0,
             n = at->kind == CW_STEP_ACCESS ? cw_memory_accesses(shadow->fn, cw_shadow_ins(shadow, step), access) : 0;
    for (uint32_t k = 0; k < n; k++) {
        if (access[k].writes != writes)
            continue;
        const struct cw_lane_value *places = cw_lanes_places(shadow->l, access[k].pointer, at->context);
        shadow->work += by.end - by.first;
        for (uint32_t t = by.first; places && t < by.end; t++) {
            struct cw_lane_place p = cw_lanes_place(places, t);
            if (!cw_ref_eq(p.base, m->root) || p.token != m->token || p.known > CW_SAMPLED ||
                cw_shadow_reach(shadow, step, t) != CW_BDD_TRUE)
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

/* Does the step order threads of the block, or, within a warp, its lanes? */
static bool is_ordering_step(struct shadow *shadow, uint32_t step, bool within_warp) {
    return cw_shadow_step(shadow, step)->kind == CW_STEP_SYNC &&
           (within_warp || cw_shadow_ins(shadow, step)->op == CW_OP_BARRIER);
}

enum { PART_MAX = 1 << 16, PART_STEPS = 4096 };

/* The same of the array within the object that the data stay in: `counts` and `offsets` of one structure are filled in
 * different phases. What lanes of one warp meet, that warp has to cover between two of its own barriers. */
static bool covers_part(struct shadow *shadow, const struct unplaced *unplaced, cw_ref pointer) {
    const struct cw_conflict *m = &unplaced->conflict;
    bool is_first = m->chosen == m->first, within_warp = m->same_warp;
    uint32_t chosen = is_first ? m->first_step : m->second_step, other = is_first ? m->second_step : m->first_step;
    struct threads by = within_warp ? warp_of(shadow, m->first_thread) : all_threads(shadow);
    struct cw_range part;
    if (!find_part(shadow, chosen, is_first ? m->first_thread : m->second_thread, pointer, &part) ||
        part.hi - part.lo >= PART_MAX || part.hi < part.lo || shadow->t->steps.n > PART_STEPS)
        return false;
    uint32_t size = (uint32_t)(part.hi - part.lo + 1), bytes = 0, written = 0, from = other, to = other;
    struct cw_bitset now = cw_bitset_new(shadow->a, size), ever = cw_bitset_new(shadow->a, size);
    while (from > 0 && !is_ordering_step(shadow, from, within_warp))
        from--;
    while (to + 1 < shadow->t->steps.n && !is_ordering_step(shadow, to, within_warp))
        to++;
    for (uint32_t k = from; k <= to; k++)
        bytes += cover_part(shadow, k, by, unplaced->by_writes, unplaced, &part, &now);
    for (uint32_t k = 0; k < shadow->t->steps.n; k++)
        written += cover_part(shadow, k, all_threads(shadow), true, unplaced, &part, &ever);
    shadow->work += shadow->t->steps.n;
    if (bytes == 0 || (!unplaced->by_writes && shadow->memory.at[unplaced->memory].is_read_anywhere))
        return false;
    return cw_shadow_ins(shadow, chosen)->op != CW_OP_STORE ? bytes >= written : bytes == size;
}

static bool is_covered(struct shadow *shadow, const struct unplaced *unplaced, cw_ref pointer) {
    return (!unplaced->conflict.same_warp && covers_all(shadow, unplaced)) ||
           (!cw_shadow_is_spent(shadow) && covers_part(shadow, unplaced, pointer));
}

/* May the accesses of the two steps lie at one place for these threads? */
static bool may_lie_together(struct shadow *shadow, uint32_t step, uint32_t t, uint32_t other_step, uint32_t u) {
    struct cw_range a, b;
    if (cw_shadow_reach(shadow, step, t) == CW_BDD_FALSE || cw_shadow_reach(shadow, other_step, u) == CW_BDD_FALSE)
        return false;
    return !extent_of(shadow, step, t, &a) || !extent_of(shadow, other_step, u, &b) ||
           !(a.hi < b.lo || b.hi < a.lo);
}

/* May the two instructions meet across warps as well? Then barriers of warps do not help. */
static bool may_meet_across(struct shadow *shadow, const struct cw_conflict *conflict) {
    for (uint32_t t = 0; t < cw_lanes_count(shadow->l); t++)
        if (t / 32 != conflict->first_thread / 32 &&
            (may_lie_together(shadow, conflict->first_step, t, conflict->second_step, conflict->second_thread) ||
             may_lie_together(shadow, conflict->first_step, conflict->first_thread, conflict->second_step, t)))
            return true;
    return false;
}

void cw_shadow_settle_unplaced(struct shadow *shadow) {
    for (uint32_t k = 0; k < shadow->unplaced.n; k++) {
        struct unplaced *u = &shadow->unplaced.at[k];
        struct cw_conflict *m = &u->conflict;
        struct cw_access access[2];
        enum cw_uni like = m->same_warp ? CW_UNI_WARP : CW_UNI_BLOCK;
        bool is_first = m->chosen == m->first;
        if (m->open || !shadow->out->meetings.at[u->meeting].open || (m->same_warp && may_meet_across(shadow, m)) ||
            cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[m->chosen], access) != 1 ||
            !(u->in_own_row || cw_is_made_of_data(cw_lanes_uniformity(shadow->l), access[0].pointer,
                                                  like, shadow->a)) ||
            !cw_shadow_is_reached_alike(shadow, is_first ? m->first_step : m->second_step,
                                        is_first ? m->first_thread : m->second_thread, like) ||
            cw_shadow_is_other_led_by(shadow, is_first ? m->second_step : m->first_step,
                                      is_first ? m->second_thread : m->first_thread, access[0].pointer) ||
            !is_covered(shadow, u, access[0].pointer))
            continue;
        shadow->out->meetings.at[u->meeting] = *m;
    }
}
