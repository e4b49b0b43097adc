/* Distances between values that nobody knows: `(i - begin) & 1`, where i counts from `begin`, which memory holds.
 *
 * A value is followed back through additions of numbers and counters of loops to where it begins. The difference of two
 * that begin at one value is a number, whatever the value is.
 *
 * Cost: the operations on the way, DEPTH at most, for each thread. */
#include "lanes/lanes_internal.h"

enum { DEPTH = 8 };

/* The value is `begin` and `plus`, a number that rests on chosen sizes or not. */
struct linear {
    struct cw_cell begin;
    int64_t plus;
    bool sampled;
};

struct follower {
    struct cw_lanes *l;
    uint32_t thread;
    enum cw_type type;
};

static struct cw_cell cell_of(const struct follower *follower, cw_ref ref, const struct cw_context *context) {
    return cw_lane_value_cell(cw_lane_value_of(follower->l, ref, context), follower->thread);
}

static void add_number(struct linear *linear, int64_t number, uint8_t known) {
    linear->plus = (int64_t)((uint64_t)linear->plus + (uint64_t)number);
    linear->sampled |= known == CW_SAMPLE;
}

/* One step back: from a sum to the operand that is no number, from a counter to where it begins. False: none. */
static bool step_back(const struct follower *follower, cw_ref *ref, const struct cw_context **context,
                      struct linear *linear) {
    const struct cw_fn *fn = follower->l->fn;
    const struct cw_ins *i = cw_ins_of(fn, *ref);
    if (!i || i->type != follower->type)
        return false;
    const struct cw_context *at = cw_context_at(follower->l, *context, i->block);
    if (cw_context_missing(follower->l, at, i->block) != CW_NO_LOOP)
        return false;
    *context = at;
    if (i->op == CW_OP_COPY) {
        *ref = cw_arg(fn, i, 0);
        return true;
    }
    uint32_t counter = follower->l->memo.induction[ref->index];
    if (i->op == CW_OP_PHI && counter && at && fn->cfg->loops.at[at->loop].header == i->block) {
        const struct cw_induction *induction = &fn->cfg->inductions.at[counter - 1];
        struct cw_cell step = cell_of(follower, induction->step, at);
        if (induction->op != CW_OP_ADD || !cw_cell_numeric(step))
            return false;
        add_number(linear, (int64_t)((uint64_t)step.value * at->iteration), step.known);
        *ref = induction->init;
        *context = at->outer;
        return true;
    }
    for (uint32_t k = 0; (i->op == CW_OP_ADD || (i->op == CW_OP_SUB && k == 0)) && k < 2; k++) {
        struct cw_cell number = cell_of(follower, cw_arg(fn, i, 1 - k), at);
        if (!cw_cell_numeric(number))
            continue;
        add_number(linear, i->op == CW_OP_SUB ? (int64_t)(0 - (uint64_t)number.value) : number.value, number.known);
        *ref = cw_arg(fn, i, k);
        return true;
    }
    return false;
}

static struct linear follow_back(const struct follower *follower, cw_ref ref, const struct cw_context *context) {
    struct linear linear = {{CW_OPAQUE, CW_NO_TOKEN}, 0, false};
    for (uint32_t depth = 0; depth < DEPTH && step_back(follower, &ref, &context, &linear); depth++)
        continue;
    linear.begin = cell_of(follower, ref, context);
    return linear;
}

bool cw_lanes_distance(struct cw_lanes *lanes, const struct cw_ins *sub, const struct cw_context *context, uint32_t t,
                       struct cw_cell *out) {
    struct follower f = {lanes, t, (enum cw_type)sub->type};
    if (sub->op != CW_OP_SUB || !cw_type_is_int(f.type))
        return false;
    struct linear a = follow_back(&f, cw_arg(lanes->fn, sub, 0), context),
                  b = follow_back(&f, cw_arg(lanes->fn, sub, 1), context);
    if (cw_cell_numeric(a.begin) || !cw_cell_same(a.begin, b.begin))
        return false;
    uint64_t distance = (uint64_t)a.plus - (uint64_t)b.plus;
    *out = (struct cw_cell){a.sampled || b.sampled ? CW_SAMPLE : CW_NUMBER,
                            cw_type_wrap(f.type, (int64_t)distance)};
    return true;
}
