/* Who comes to the store of an update, and do equal data lead two threads there?
 *
 * The branches that decide about the store are taken as what leads to the element is (led_values.h): where threads have
 * equal numbers they come together once their data are equal. A branch that compares their positions with data that are
 * the same for all lets both pass with some data. An atomic's winner is alone at its element, and not at others; data
 * that equal a key or a colour may be one thread's.
 *
 * requires: an open look. computes: the way. preserves: everything. */
#include "races/lost_updates_internal.h"

#include "base/hash.h"
#include "ir/algebra.h"
#include "lanes/condition.h"
#include "races/data_places.h"

enum {
    TRUTH_STEPS = 16, /* casts and joins between a truth value and a test of it */
    DATA_MAX = 8      /* loads behind a branch that are looked at */
};

static uint32_t block_of_store(const struct cw_update_look *look) {
    return look->fn->ins.at[look->update.store].block;
}

/* ---- equality ---- */

/* `is_found != 0`, of a truth value that is kept as a number. Joins may lead round in a loop. */
static bool is_truth(const struct cw_fn *fn, const struct cw_ins *ins) {
    const struct cw_ins *left = cw_ins_of(fn, cw_arg(fn, ins, 0));
    int64_t number;
    for (uint32_t step = 0; step < TRUTH_STEPS && left && left->narg > 0; step++)
        if (left->op == CW_OP_PHI || left->op == CW_OP_TRUNC)
            left = cw_ins_of(fn, cw_arg(fn, left, left->narg - 1));
    return cw_ref_const(fn, cw_arg(fn, ins, 1), &number) && number == 0 && left && left->op == CW_OP_ZEXT &&
           cw_ref_type(fn, cw_arg(fn, left, 0)) == CW_I1;
}

struct equality {
    const struct cw_update_look *look;
    struct cw_bitset seen[2]; /* instructions looked at, as they are and negated */
    uint32_t join;            /* of the branches that lead there */
    bool is_found, is_with_constant;
};

static void find_equality(struct equality *found, cw_ref value, bool is_negated);

static bool see_way_in(void *equality, struct cw_edge edge) {
    struct equality *e = equality;
    const struct cw_cfg *cfg = e->look->fn->cfg;
    uint32_t join = e->join, above = cfg->idom[join];
    bool is_on_way = above != CW_NO_BLOCK && cw_cfg_dominates(cfg, above, edge.block) &&
                     cfg->rpo_index[edge.block] < cfg->rpo_index[join];
    if (is_on_way)
        find_equality(e, e->look->fn->blocks.at[edge.block].jump.value, edge.which == 1);
    e->join = join;
    return !e->is_found;
}

/* `a == b && c == d` as a value: true on the way on which both hold. */
static void find_in_ways(struct equality *found, const struct cw_ins *phi, bool is_negated) {
    const struct cw_fn *fn = found->look->fn;
    int64_t number;
    for (uint32_t k = 0; k < phi->narg && !found->is_found; k++) {
        if (!cw_ref_const(fn, cw_arg(fn, phi, k), &number)) {
            find_equality(found, cw_arg(fn, phi, k), is_negated);
            continue;
        }
        uint32_t from = fn->blocks.at[phi->block].pred.at[k];
        found->join = phi->block;
        if ((number != 0) != is_negated)
            cw_cfg_controls(fn, from, see_way_in, found);
    }
}

static void find_equality(struct equality *found, cw_ref value, bool is_negated) {
    const struct cw_fn *fn = found->look->fn;
    const struct cw_ins *i = cw_ins_of(fn, value);
    int64_t number;
    if (!i || found->is_found || cw_bitset_has(&found->seen[is_negated], value.index))
        return;
    cw_bitset_add(&found->seen[is_negated], value.index);
    if ((i->op == CW_OP_NE || i->op == CW_OP_EQ) && is_truth(fn, i)) {
        find_equality(found, cw_arg(fn, i, 0), is_negated != (i->op == CW_OP_EQ));
        return;
    }
    if (i->op == (is_negated ? CW_OP_NE : CW_OP_EQ)) {
        cw_ref left = cw_arg(fn, i, 0), right = cw_arg(fn, i, 1);
        found->is_with_constant = cw_ref_const(fn, left, &number) || cw_ref_const(fn, right, &number);
        found->is_found = !cw_follows(found->look->followers, value);
        return;
    }
    if (i->op == CW_OP_PHI) {
        find_in_ways(found, i, is_negated);
        return;
    }
    bool is_formula = i->op == CW_OP_AND || i->op == CW_OP_OR || i->op == CW_OP_SELECT || i->op == CW_OP_ZEXT ||
                      i->op == CW_OP_TRUNC;
    bool flips = i->op == CW_OP_NOT || (i->op == CW_OP_XOR && i->type == CW_I1);
    for (uint32_t k = 0; (is_formula || flips) && k < i->narg; k++)
        find_equality(found, cw_arg(fn, i, k), is_negated != flips);
}

/* Does the condition hold for data that are equal to something? `key[i] == bin` lets who has that key pass: perhaps one
 * thread. What is compared with a constant is a kind, of which there may be one. */
static struct equality equality_of(const struct cw_update_look *look, cw_ref value, bool is_negated) {
    struct equality found = {.look = look};
    for (uint32_t k = 0; k < 2; k++)
        found.seen[k] = cw_bitset_new(look->scratch, look->fn->ins.n);
    find_equality(&found, value, is_negated);
    return found;
}

/* ---- one branch ---- */

static bool is_decided(const struct cw_update_way *way, const struct cw_lane_cond *takes) {
    for (uint32_t t = 0; t < cw_lanes_count(way->look->lanes); t++)
        if (way->key[t] && !cw_bdd_terminal(cw_lane_cond_at(takes, t)))
            return false;
    return true;
}

/* `first[row] + lane < first[row + 1]`: data exist for which all threads pass, as long as these do not choose the
 * element as well. */
static bool lets_all_pass(const struct cw_update_look *look, cw_ref decides) {
    return cw_is_bounded_by_data(look->u, decides, CW_UNI_BLOCK, look->scratch) &&
           !cw_led_share_datum(look->values, decides, look->place);
}

/* Is it an atomic that several threads win, each at an element of its own, other than the one that is updated? */
static bool has_other_winners(const struct cw_update_look *look, cw_ref decides) {
    uint32_t data[1];
    if (!look->led->has_data)
        return true;
    if (cw_led_data(look->values, decides, data, 1) == 0 || look->fn->ins.at[data[0]].op != CW_OP_ATOMIC)
        return false;
    return !cw_led_share_datum(look->values, cw_arg(look->fn, &look->fn->ins.at[data[0]], 0), look->place);
}

/* Does no number satisfy the comparison, as its two sides have ranges that exclude it? `6 < min(x, 6)`. */
static bool is_excluded(const struct cw_update_look *look, const struct cw_context *there, struct cw_edge edge,
                        uint32_t t) {
    const struct cw_ins *i = cw_ins_of(look->fn, look->fn->blocks.at[edge.block].jump.value);
    if (!i || !cw_is_compare((enum cw_op)i->op) || !cw_type_is_int(cw_ref_type(look->fn, cw_arg(look->fn, i, 0))))
        return false;
    struct cw_range a = cw_lanes_range_at(look->lanes, cw_arg(look->fn, i, 0), there, t),
                    b = cw_lanes_range_at(look->lanes, cw_arg(look->fn, i, 1), there, t);
    bool are_nonnegative = a.lo >= 0 && b.lo >= 0; /* as unsigned numbers they are the same then */
    switch (edge.which == 0 ? (enum cw_op)i->op : cw_algebra_negated((enum cw_op)i->op)) {
    case CW_OP_EQ: return a.hi < b.lo || b.hi < a.lo;
    case CW_OP_ULT: return are_nonnegative && a.lo >= b.hi;
    case CW_OP_SLT: return a.lo >= b.hi;
    case CW_OP_ULE: return are_nonnegative && a.lo > b.hi;
    case CW_OP_SLE: return a.lo > b.hi;
    case CW_OP_UGT: return are_nonnegative && a.hi <= b.lo;
    case CW_OP_SGT: return a.hi <= b.lo;
    case CW_OP_UGE: return are_nonnegative && a.hi < b.lo;
    case CW_OP_SGE: return a.hi < b.lo;
    default: return false;
    }
}

/* `low[t] <= key && key < low[t + 1]`: what chooses the element is compared with other data of the thread's own, which
 * may give each thread a part of the keys. */
static bool parts_data(const struct cw_update_look *look, cw_ref decides, const uint32_t *data, uint32_t n) {
    bool is_of_place = !look->led->has_data && cw_share_data(look->fn, decides, look->place, look->scratch),
         is_other = false;
    for (uint32_t k = 0; k < n; k++) {
        bool leads = cw_led_share_datum(look->values, cw_ref_ins(data[k]), look->place);
        is_of_place |= leads;
        is_other |= !leads && data[k] != look->update.load &&
                    cw_led_value_of(look->values, cw_ref_ins(data[k]))->is_of_own;
    }
    return is_of_place && is_other;
}

static void take_branch(struct cw_update_way *way, struct cw_edge edge, const struct cw_context *there) {
    const struct cw_update_look *look = way->look;
    cw_ref decides = look->fn->blocks.at[edge.block].jump.value;
    const struct cw_led_value *led = cw_led_value_of(look->values, decides);
    if (!led->is_lost && led->is_claim) {
        way->is_kept_apart |= !has_other_winners(look, decides);
        way->has_own_data = true;
        return;
    }
    if (!led->is_lost && lets_all_pass(look, decides))
        return;
    way->is_kept_apart |= led->is_lost || led->is_of_block;
    struct equality equality = led->has_data && !led->is_of_warp ? equality_of(look, decides, edge.which == 1)
                                                                 : (struct equality){.is_found = false};
    way->is_kept_apart |= equality.is_found && !equality.is_with_constant;
    way->is_doubtful |= equality.is_found;
    way->is_doubtful |= led->is_stored || led->is_private;
    way->is_of_warp |= led->is_of_warp;
    way->is_computed |= led->is_stored || led->is_chased;
    if (led->has_data && led->is_of_own) {
        way->has_own_data = true;
        if (way->datum == UINT32_MAX)
            cw_led_data(look->values, decides, &way->datum, 1);
    }
    uint32_t data[DATA_MAX], n = cw_led_data(look->values, decides, data, DATA_MAX);
    bool has_parts = parts_data(look, decides, data, n);
    way->is_doubtful |= has_parts || n == DATA_MAX;
    way->is_kept_apart |= has_parts && !look->led->has_data;
    for (uint32_t k = 0; k < n; k++)
        cw_vec_push(look->scratch, &way->data, data[k]);
    for (uint32_t t = 0; t < cw_lanes_count(look->lanes); t++)
        if (way->key[t])
            way->key[t] = is_excluded(look, there, edge, t) ? 0 : cw_mix(way->key[t], cw_led_number(led, t)) | 1;
}

static bool see_branch(void *ctx, struct cw_edge edge) {
    struct cw_update_way *way = ctx;
    const struct cw_update_look *look = way->look;
    const struct cw_cfg *cfg = look->fn->cfg;
    const struct cw_context *there = cw_context_at(look->lanes, look->context, edge.block);
    bool is_later = cfg->rpo_index[edge.block] >= cfg->rpo_index[block_of_store(look)]; /* about later iterations */
    if (!is_later && cw_context_missing(look->lanes, there, edge.block) == CW_NO_LOOP &&
        !is_decided(way, cw_lane_cond_takes(look->lanes, edge, there)))
        take_branch(way, edge, there);
    return !way->is_kept_apart;
}

struct cw_update_way cw_update_way_of(const struct cw_update_look *look) {
    uint32_t n = cw_lanes_count(look->lanes);
    const struct cw_lane_cond *reach = cw_lane_cond_reach(look->lanes, block_of_store(look), look->context);
    struct cw_update_way way = {
        .look = look, .key = CW_NEW_ARRAY(look->scratch, uint64_t, n), .datum = UINT32_MAX};
    for (uint32_t t = 0; t < n; t++)
        way.key[t] = cw_lane_cond_at(reach, t) != CW_BDD_FALSE;
    cw_cfg_controls(look->fn, block_of_store(look), see_branch, &way);
    return way;
}

bool cw_update_reaches_all(const struct cw_update_look *look) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(look->lanes, block_of_store(look), look->context);
    return cw_lane_cond_decided(look->lanes, reach);
}

/* ---- what the check is for ---- */

struct check {
    const struct cw_update_look *look;
    bool compares, acts;
};

static bool is_order(const struct cw_fn *fn, const struct cw_ins *ins) {
    return (ins->op >= CW_OP_SLT && ins->op <= CW_OP_UGE) ||
           (ins->op == CW_OP_PURE && ins->narg > 0 && !cw_type_is_int(cw_ref_type(fn, cw_arg(fn, ins, 0))));
}

static bool is_of_other_memory(const struct cw_update_look *look, const struct cw_ins *ins) {
    if (ins->op == CW_OP_ATOMIC)
        return cw_memory_atomic_changes(look->fn, ins);
    if (ins->op != CW_OP_STORE)
        return false;
    struct cw_bases own = cw_memory_bases(look->fn, look->place),
                    other = cw_memory_bases(look->fn, cw_arg(look->fn, ins, 1));
    bool is_private = other.at[0].root.tag == CW_REF_OBJECT && !other.at[0].is_read &&
                      look->fn->objects.at[other.at[0].root.index].space == CW_SPACE_LOCAL;
    return !is_private && !(cw_ref_eq(own.at[0].root, other.at[0].root) && own.at[0].is_read == other.at[0].is_read &&
                            own.at[0].field == other.at[0].field);
}

static bool see_check(void *ctx, struct cw_edge edge) {
    struct check *check = ctx;
    const struct cw_fn *fn = check->look->fn;
    cw_ref decides = fn->blocks.at[edge.block].jump.value;
    const struct cw_ins *i = cw_ins_of(fn, decides);
    if (!i || !cw_follows(check->look->followers, decides))
        return true;
    check->compares |= is_order(fn, i);
    uint32_t arm = cw_cfg_edge_target(fn, edge);
    for (uint32_t k = 0; k < fn->ins.n && !check->acts; k++)
        check->acts = fn->cfg->rpo_index[fn->ins.at[k].block] != CW_NO_BLOCK &&
                      cw_cfg_dominates(fn->cfg, arm, fn->ins.at[k].block) &&
                      is_of_other_memory(check->look, &fn->ins.at[k]);
    return true;
}

static struct check check_of(const struct cw_update_look *look) {
    struct check check = {.look = look};
    cw_cfg_live_controls(look->fn, block_of_store(look), see_check, &check);
    return check;
}

bool cw_update_keeps_better(const struct cw_update_look *look) {
    return check_of(look).compares;
}

bool cw_update_acts_on_claim(const struct cw_update_look *look) {
    return check_of(look).acts;
}
