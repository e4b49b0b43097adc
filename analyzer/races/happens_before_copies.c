/* When is an asynchronous copy over, and for whom?
 *
 * Each thread has queues of groups: a commit closes a group, and a wait completes those up to one. A copy that a
 * barrier in memory counts is over with the phase that expects its bytes. Who is ordered behind the completion knows of
 * it.
 *
 * requires: who reaches the operation, as a condition; clocks and channels. computes: how the end of a copy will be
 * known, and what a thread knows of it. cost: the threads for each operation, a bisection for each question.
 * preserves: clocks and phases. */
#include "races/happens_before_internal.h"

/* ---- groups ---- */

static struct async *async_of(struct cw_order *order, enum queue queue) {
    if (!order->async[queue])
        order->async[queue] = CW_NEW_ARRAY(order->a, struct async, cw_lanes_count(order->l));
    return order->async[queue];
}

void cw_order_complete_groups(struct cw_order *order, enum queue queue, uint32_t t, uint32_t groups) {
    struct completion done = {groups, order->phase, cw_order_stamp(order, t)};
    struct completions *all = &async_of(order, queue)[t].done;
    if (groups > (all->n ? cw_vec_last(all).groups : 0)) /* else it completes nothing that was not complete */
        cw_vec_push(order->a, all, done);
}

static bool is_closed_by(enum queue queue, uint32_t commit) {
    return commit == CW_COPY_MATRIX ? queue == MATRIX
           : commit == CW_COPY_BULK ? queue == BULK || queue == BULK_READS
                                    : queue == COPIES;
}

static enum queue queue_of_wait(enum cw_wait wait) {
    switch (wait) {
    case CW_WAIT_BULK: return BULK;
    case CW_WAIT_BULK_READ: return BULK_READS;
    case CW_WAIT_MATRIX: return MATRIX;
    case CW_WAIT_GROUPS: case CW_WAIT_OLDEST: break;
    }
    return COPIES;
}

/* The queue in which an operation is counted when it begins. */
static enum queue queue_of_start(uint32_t how) {
    return how == CW_COPY_MATRIX ? MATRIX : how == CW_COPY_BULK ? BULK : COPIES;
}

void cw_order_commit_copies(struct cw_order *order, const struct cw_ins *ins, const struct cw_lane_cond *reach) {
    for (uint32_t q = 0; q < QUEUES; q++)
        for (uint32_t t = 0; is_closed_by((enum queue)q, ins->aux) && t < cw_lanes_count(order->l); t++)
            async_of(order, (enum queue)q)[t].committed += cw_lane_cond_at(reach, t) != CW_BDD_FALSE;
}

void cw_order_wait_copies(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                          const struct cw_lane_cond *reach) {
    const struct cw_lane_value *pending = cw_lane_value_of(order->l, cw_arg(order->fn, ins, 0), context);
    enum queue q = queue_of_wait((enum cw_wait)ins->aux);
    struct async *all = async_of(order, q);
    for (uint32_t t = 0; t < cw_lanes_count(order->l); t++) {
        struct cw_cell n = cw_lane_value_cell(pending, t);
        uint32_t left = cw_cell_numeric(n) && n.value > 0 ? (uint32_t)n.value : 0, committed = all[t].committed;
        if (cw_lane_cond_at(reach, t) == CW_BDD_FALSE)
            continue;
        if (ins->aux == CW_WAIT_OLDEST)
            cw_order_complete_groups(order, q, t, committed > all[t].consumed ? ++all[t].consumed : committed);
        else
            cw_order_complete_groups(order, q, t, committed > left ? committed - left : 0);
        if (q == BULK)
            cw_order_complete_groups(order, BULK_READS, t, committed > left ? committed - left : 0);
    }
}

void cw_order_close_copies(struct cw_order *order, uint32_t t) {
    struct async *own = &async_of(order, COPIES)[t];
    cw_order_complete_groups(order, COPIES, t, ++own->committed);
}

/* ---- copies that begin ---- */

static struct cw_copy_end end_of(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins,
                                 uint32_t t) {
    struct cw_copy_end end = {.how = (uint8_t)ins->aux, .is_known = true, .gaps = order->gaps};
    if (ins->aux != CW_COPY_BARRIER) {
        const struct async *all = order->async[queue_of_start(ins->aux)];
        end.number = all ? all[t].committed : 0;
        return end;
    }
    int32_t b = cw_order_find_mbarrier(order, step, 3, t);
    end.is_known = b >= 0;
    if (b < 0)
        return end;
    struct progress *p = &order->progress[b];
    end.barrier = (uint8_t)b;
    end.number = p->bytes[t] > 0 ? p->expecting[t] : p->done[t];
    p->bytes[t] -= cw_order_bytes(order, step, 2, t);
    return end;
}

void cw_order_start_copies(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(order->l, ins->block, step->context);
    if (!order->started)
        order->started = CW_NEW_ARRAY(order->a, struct cw_copy_end, cw_lanes_count(order->l));
    for (uint32_t t = 0; t < cw_lanes_count(order->l); t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            order->started[t] = end_of(order, step, ins, t);
}

struct cw_copy_end cw_order_copy_end(const struct cw_order *order, uint32_t t) {
    return order->started ? order->started[t] : (struct cw_copy_end){.is_known = true};
}

/* ---- what a thread knows of a copy ---- */

/* Does what thread u does now come before what thread t did at `then`, which is laid out earlier? */
static bool comes_before(const struct cw_order *order, uint32_t u, uint32_t t, struct cw_stamp then) {
    return order->has_channels && u / 32 != t / 32 &&
           cw_order_is_behind(cw_order_reach(order, u / 32, order->warps[u / 32].history.n - 1),
                              &order->warps[t / 32].history.at[then.version]);
}

static enum cw_copy_state by_phase(const struct cw_order *order, uint32_t u, struct cw_copy_end end) {
    const struct progress *p = &order->progress[end.barrier];
    enum cw_copy_state state = CW_COPY_PENDING;
    if (end.gaps != order->gaps)
        return CW_COPY_OVER;
    if (cw_order_is_behind(cw_order_reach_of_phase(order, end), cw_order_tally(order, u / 32)))
        return CW_COPY_ORDERED;
    for (uint32_t k = 0; k < p->passed.n; k++) {
        const struct passing *x = &p->passed.at[k];
        if (x->phases <= end.number)
            continue;
        if (x->phase < order->phase || cw_order_knows(order, u, x->thread, x->stamp, false))
            return CW_COPY_ORDERED;
        state = CW_COPY_UNORDERED;
    }
    return state;
}

/* The first completion of the group, by bisection; NULL: none. */
static const struct completion *completion_of(const struct completions *all, uint32_t group) {
    uint32_t low = 0, high = all->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (all->at[middle].groups > group)
            high = middle;
        else
            low = middle + 1;
    }
    return low < all->n ? &all->at[low] : NULL;
}

static enum cw_copy_state by_group(const struct cw_order *order, enum queue queue, uint32_t u, uint32_t t,
                                   uint32_t group) {
    const struct completion *c = order->async[queue] ? completion_of(&order->async[queue][t].done, group) : NULL;
    if (!c)
        return CW_COPY_PENDING;
    if (c->phase < order->phase)
        return CW_COPY_OVER;
    return t == u || cw_order_knows(order, u, t, c->stamp, false) ? CW_COPY_ORDERED : CW_COPY_UNORDERED;
}

enum cw_copy_state cw_order_copy_state(const struct cw_order *order, uint32_t u, uint32_t t, struct cw_copy_end end,
                                       struct cw_stamp start, bool reads) {
    bool is_blurred = start.blurred || order->warps[u / 32].blurred;
    if (cw_order_is_blurred(order, u, t, start) || (is_blurred && end.how == CW_COPY_BARRIER))
        return CW_COPY_OVER; /* a phase ends when other warps arrive */
    enum queue queue = end.how == CW_COPY_BULK && reads ? BULK_READS : queue_of_start(end.how);
    enum cw_copy_state state =
        end.how == CW_COPY_BARRIER ? by_phase(order, u, end) : by_group(order, queue, u, t, end.number);
    return state < CW_COPY_ORDERED && comes_before(order, u, t, start) ? CW_COPY_ORDERED : state;
}
