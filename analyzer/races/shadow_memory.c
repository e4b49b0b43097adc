/* See shadow_memory.h. The walk along the timeline, and in each step the places where threads access memory: which of
 * them are numbers, how many bytes are covered, and whether such an access is meant at all. The other parts:
 * shadow_cells.c enters an access, shadow_conflicts.c asks whom it meets there, shadow_values.c whether that does harm,
 * shadow_reach.c whether both threads get there, and shadow_data_places.c follows places that data choose. */
#include "races/shadow_internal.h"

#include "lanes/condition.h"
#include "races/data_places.h"
#include "races/like_values.h"
#include "races/liveness.h"

enum {
    COPY_MAX_BYTES = 1 << 16, /* of one asynchronous copy */
    COPY_LEAST_BYTES = 16,    /* that the bulk copy engine moves */
    FRAGMENT_BYTES = 16,      /* that every matrix fragment surely covers at its pointer */
    RECORDS_PER_CELL = 2,     /* records in cells of an evaluator */
    ROWS_MAX = 4              /* dimensions of an array that are followed */
};

/* ---- one thread ---- */

static bool is_private(const struct cw_fn *fn, cw_ref root) {
    if (root.tag != CW_REF_OBJECT)
        return root.tag == CW_REF_PARAM && fn->kind != CW_FN_KERNEL;
    enum cw_space space = fn->objects.at[root.index].space;
    return space == CW_SPACE_LOCAL || space == CW_SPACE_PARAM || space == CW_SPACE_CONSTANT;
}

/* Written somewhere unknown: nothing can be called unwritten any more. */
static void lose_root(struct shadow *shadow, cw_ref root, int64_t token, bool known_root) {
    shadow->out->unknown = true;
    if (known_root) {
        uint32_t m = cw_shadow_memory(shadow, root, token); /* may move the array */
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
        if (!rooted || hidden || now->guarded || !cw_shadow_is_shared(shadow->fn, base.root))
            return;
        shadow->met_wide = true;
        if (!shadow->follows_wide)
            return;
        now->memory = cw_shadow_memory(shadow, base.root, base.token);
        cw_bitset_add(&shadow->out->unplaced, cw_shadow_step(shadow, now->step)->ins);
        cw_shadow_touch_whole(shadow, *now, true);
        return;
    }
    now->memory = cw_shadow_memory(shadow, base.root, base.token);
    if (shadow->follows_wide && !hidden && !now->guarded && cw_shadow_is_shared(shadow->fn, base.root))
        cw_shadow_touch_whole(shadow, *now, false);
    if (now->writes && (now->unsized || cw_shadow_is_fragment(now->ins))) /* more than what is surely covered */
        shadow->memory.at[now->memory].lost = true;
    if (cw_shadow_is_inside(shadow->fn, base.root, offset.value, size))
        cw_shadow_touch_or_defer(shadow, now, offset.value, size, hidden);
    else if (cw_shadow_is_shared(shadow->fn, base.root)) {
        shadow->out->leaves |= now->sure && offset.known == CW_NUMBER;
        shadow->out->strays |= offset.known == CW_NUMBER || offset.known == CW_SAMPLE;
    }
}

/* An element of a type that nobody knows has a first byte all the same. */
static bool is_unsized(const struct cw_ins *ins, const struct cw_access *acc) {
    return acc->size == 0 && (ins->op == CW_OP_LOAD || ins->op == CW_OP_STORE);
}

static uint32_t size_of(const struct cw_ins *ins, const struct cw_access *acc) {
    if (cw_shadow_is_fragment(ins) && (acc->size == 0 || acc->size > SIZE_MAX_BYTES))
        return FRAGMENT_BYTES;
    if (is_unsized(ins, acc))
        return 1;
    return acc->size > SIZE_MAX_BYTES ? SIZE_MAX_BYTES + 1 : (uint32_t)acc->size;
}

/* ---- rows of arrays ---- */

/* Indices into a row that another index has chosen: `s[k][i]` with i beyond the row is an element of another row, which
 * nobody means; and into an array that is a member: `s.x[i]` beyond its end is an element of the next member. */
struct row_index {
    const struct cw_lane_value *at[ROWS_MAX]; /* offsets from the row's beginning, */
    uint32_t bytes[ROWS_MAX];                 /* and its size */
    uint32_t n;
};

/* Is the array at the pointer, of so many bytes, a part of an object? */
static bool is_part_of_object(const struct cw_fn *fn, cw_ref pointer, uint32_t bytes) {
    const struct cw_ins *i = cw_ins_of(fn, pointer);
    for (uint32_t step = 0; step < 2 * ROWS_MAX && i && i->op == CW_OP_PTRADD; step++) {
        pointer = cw_arg(fn, i, 0);
        i = cw_ins_of(fn, pointer);
    }
    return pointer.tag == CW_REF_OBJECT && fn->objects.at[pointer.index].size > bytes;
}

static struct row_index row_indices(struct shadow *shadow, cw_ref pointer, const struct cw_context *context) {
    struct row_index rows = {.n = 0};
    const struct cw_ins *i = cw_ins_of(shadow->fn, pointer);
    for (uint32_t k = 0; k < ROWS_MAX && i && i->op == CW_OP_PTRADD; k++) {
        const struct cw_ins *outer = cw_ins_of(shadow->fn, cw_arg(shadow->fn, i, 0));
        bool is_row = outer && outer->op == CW_OP_PTRADD && outer->aux;
        if (i->aux && (is_row || is_part_of_object(shadow->fn, cw_arg(shadow->fn, i, 0), i->aux))) {
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
 * to it, but not what is one place for the whole block, or for the warp where several lanes may win. */
static bool is_guarded(const struct shadow *shadow, const struct cw_ins *ins, cw_ref pointer) {
    const struct cw_roles *r = shadow->t->roles;
    enum cw_uni place = cw_uni_of(cw_lanes_uniformity(shadow->l), pointer);
    bool is_shared_by_winners = (cw_bitset_has(&r->claimed, ins->block) && place <= CW_UNI_BLOCK) ||
                                (cw_bitset_has(&r->claimed_by_lanes, ins->block) && place <= CW_UNI_WARP);
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
        (ins->op != CW_OP_LOAD && ins->op != CW_OP_STORE) || !cw_shadow_is_shared(shadow->fn, places->base[0].root) ||
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
    bool is_needed = !shadow->needs || cw_shadow_ins(shadow, step)->op != CW_OP_LOAD ||
                     f == CW_BDD_FALSE || cw_liveness_has(shadow->needs, step, t);
    return is_needed ? f : CW_BDD_FALSE;
}

static void touch_all(struct shadow *shadow, uint32_t step, const struct cw_access *acc) {
    const struct cw_step *at = cw_shadow_step(shadow, step);
    const struct cw_ins *i = &shadow->fn->ins.at[at->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(shadow->l, i->block, at->context);
    const struct cw_lane_value *places = cw_lanes_places(shadow->l, acc->pointer, at->context);
    if ((i->op == CW_OP_ASYNCCOPY && i->aux == CW_COPY_BULK && acc->writes) ||
        is_misaligned(shadow, i, acc, places, reach) ||
        (places && places->worst == CW_SAMPLE && cw_place_wraps_sizes(shadow->l, acc->pointer, at->context)))
        return;
    struct touch now = {.step = step,
                        .ins = i,
                        .writes = acc->writes,
                        .atomic = cw_shadow_is_atomic(i),
                        .copies = is_copy_side(i, acc),
                        .unsized = is_unsized(i, acc),
                        .access = shadow->access_id[at->ins],
                        .pairs = cw_shadow_pairs(shadow, shadow->access_id[at->ins])};
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

/* ---- the walk ---- */

/* What is unknown because the evaluator's budget is used up would only cost; what comes later may write anything. */
bool cw_shadow_is_spent(struct shadow *shadow) {
    cw_lanes_charge(shadow->l, (shadow->work - shadow->charged) / RECORDS_PER_CELL);
    shadow->charged = shadow->work;
    if (!cw_lanes_exhausted(shadow->l) && shadow->work < WORK_MAX)
        return false;
    shadow->out->unknown = shadow->wild = shadow->out->is_cut = true;
    return true;
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
    for (uint32_t k = 0;
         k < shadow->t->steps.n && !cw_shadow_is_spent(shadow) && shadow->met_wide <= shadow->follows_wide; k++) {
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
    cw_shadow_settle_unwritten(&s);
    cw_shadow_settle_unplaced(&s);
    cw_arena_free(&scratch);
    return s.out;
}
