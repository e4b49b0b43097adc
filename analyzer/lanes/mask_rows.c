/* What a mask names, lane by lane, by the operations that made it.
 *
 * requires: lanes. computes: formulas, memoised per (value, context, thread). preserves: everything.
 *
 * An operation that is not read gives one OPAQUE variable per lane: nothing will be claimed of it, but what other
 * operations say (a conjunction with the lanes that came, say) still holds. So does equality of unknown labels: the
 * variables of different pairs are not tied by transitivity, hence OPAQUE and never a witness. */
#include "lanes/masks_internal.h"

enum { DEPTH_MAX = 48, TRIPS_MAX = 64 };

static struct cw_mask_row *new_row(struct cw_masks *masks) {
    return CW_NEW(masks->a, struct cw_mask_row);
}

static const struct cw_mask_row *row_of_number(struct cw_masks *masks, uint32_t bits, bool guessed) {
    if (masks->number && masks->number_bits == bits && masks->number->guessed == guessed)
        return masks->number;
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = bits >> lane & 1 ? CW_BDD_TRUE : CW_BDD_FALSE;
    r->guessed = guessed;
    masks->number = r;
    masks->number_bits = bits;
    return r;
}

static const struct cw_mask_row *unknown_row(struct cw_masks *masks, uint64_t name) {
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_var(&masks->l->f, cw_mix(cw_mix(name, 0xb17), lane), CW_OPAQUE);
    return r;
}

/* Threads that hold the same unknown number hold the same mask. */
static const struct cw_mask_row *row_of_value(struct cw_masks *masks, cw_ref ref, const struct cw_context *context,
                                              uint32_t t) {
    struct cw_cell cell = {CW_OPAQUE, CW_NO_TOKEN};
    enum cw_type type = cw_ref_type(masks->l->fn, ref);
    if (type == CW_I32 || type == CW_I64)
        cell = cw_lane_value_cell(cw_lane_value_of(masks->l, ref, context), t);
    if (cw_cell_numeric(cell))
        return row_of_number(masks, (uint32_t)cell.value, cell.known == CW_SAMPLE);
    return unknown_row(masks,
                       cell.value == CW_NO_TOKEN ? cw_mix(cw_lanes_name(ref, context), t) : (uint64_t)cell.value);
}

/* Rows that all threads of a warp share are kept by what they are and the warp's first thread. */
enum shared_row { ROW_HERE = 0x4e5e, ROW_PREDICATE };

static uint64_t shared_key(enum shared_row kind, uint64_t name, uint32_t t) {
    return cw_mix(cw_mix(name, kind), t & ~31u);
}

static const struct cw_mask_row *kept_row(const struct cw_masks *masks, uint64_t key) {
    uint64_t found;
    return cw_map_get(&masks->memo, key, &found) ? (const struct cw_mask_row *)(uintptr_t)found : NULL;
}

static const struct cw_mask_row *keep_row(struct cw_masks *masks, uint64_t key, const struct cw_mask_row *mask_row) {
    cw_map_put(&masks->memo, key, (uint64_t)(uintptr_t)mask_row);
    return mask_row;
}

const struct cw_mask_row *cw_mask_row_here(struct cw_masks *masks, uint32_t block, const struct cw_context *context,
                                           uint32_t t) {
    uint64_t key = shared_key(ROW_HERE, cw_mix(cw_context_id(context), block), t);
    const struct cw_mask_row *kept = kept_row(masks, key);
    if (kept)
        return kept;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(masks->l, block, context);
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32; lane++)
        r->at[lane] = first + lane < masks->l->threads ? cw_lane_cond_at(reach, first + lane) : CW_BDD_FALSE;
    return keep_row(masks, key, r);
}

/* ---- collectives that make masks ---- */

static const struct cw_mask_row *operand_row(struct cw_masks *masks, const struct cw_ins *ins,
                                             const struct cw_context *context, uint32_t t) {
    cw_ref r = ins->narg > 0 ? cw_arg(masks->l->fn, ins, 0) : CW_NONE;
    return r.tag == CW_REF_UNDEF || r.tag == CW_REF_NONE ? cw_mask_row_here(masks, ins->block, context, t)
                                                         : cw_mask_row_of(masks, r, context, t);
}

/* Those of `who` that come to the place. */
static struct cw_mask_row *those_here(struct cw_masks *masks, const struct cw_mask_row *who, uint32_t block,
                                      const struct cw_context *context, uint32_t t) {
    const struct cw_mask_row *here = cw_mask_row_here(masks, block, context, t);
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_and(&masks->l->f, who->at[lane], here->at[lane]);
    r->guessed = who->guessed;
    return r;
}

/* A ballot of a tile numbers the tile's lanes from 0: only a tile that is the warp has the warp's numbers. */
static bool numbers_lanes(struct cw_masks *masks, const struct cw_ins *ins, const struct cw_context *context,
                          uint32_t t) {
    cw_ref r = cw_arg(masks->l->fn, ins, 0);
    if (cw_ref_type(masks->l->fn, r) != CW_GROUP)
        return true;
    struct cw_team g = cw_lanes_team(masks->l, r, context, t);
    return g.known && g.in_warp && g.size == 32;
}

static uint32_t predicate_of(struct cw_masks *masks, const struct cw_lane_value *value, enum cw_type type, uint32_t u) {
    struct cw_cell c = cw_lane_value_cell(value, u);
    if (type == CW_I1)
        return cw_cell_formula(c);
    return cw_cell_formula(cw_cell_compare(masks->l, CW_OP_NE, type, c, (struct cw_cell){CW_NUMBER, 0}));
}

/* For which lanes of t's warp does the ballot's predicate hold? */
static const struct cw_mask_row *predicate_row(struct cw_masks *masks, cw_ref says, const struct cw_context *context,
                                               uint32_t t) {
    uint64_t key = shared_key(ROW_PREDICATE, cw_lanes_name(says, context), t);
    const struct cw_mask_row *kept = kept_row(masks, key);
    if (kept)
        return kept;
    enum cw_type type = cw_ref_type(masks->l->fn, says);
    const struct cw_lane_value *v = cw_lane_value_of(masks->l, says, context);
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32 && first + lane < masks->l->threads; lane++)
        r->at[lane] = predicate_of(masks, v, type, first + lane);
    return keep_row(masks, key, r);
}

static const struct cw_mask_row *ballot_row(struct cw_masks *masks, const struct cw_ins *ins,
                                            const struct cw_context *context, uint32_t t) {
    struct cw_mask_row *r = those_here(masks, operand_row(masks, ins, context, t), ins->block, context, t);
    const struct cw_mask_row *says = predicate_row(masks, cw_arg(masks->l->fn, ins, 1), context, t);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32 && first + lane < masks->l->threads; lane++)
        if (r->at[lane] != CW_BDD_FALSE)
            r->at[lane] = cw_bdd_and(&masks->l->f, r->at[lane], says->at[lane]);
    return r;
}

/* Do two threads have the same value? Sure answers only; else an OPAQUE variable of the pair. */
static uint32_t same_value(struct cw_masks *masks, cw_ref value, const struct cw_context *context, uint32_t t,
                           uint32_t u) {
    if (t == u)
        return CW_BDD_TRUE;
    const struct cw_lane_value *v = cw_lane_value_of(masks->l, value, context);
    struct cw_cell a = cw_lane_value_cell(v, t), b = cw_lane_value_cell(v, u);
    bool same = !v->base && cw_cell_same(a, b);
    if (same || (!v->base && cw_cell_numeric(a) && cw_cell_numeric(b)))
        return same ? CW_BDD_TRUE : CW_BDD_FALSE;
    uint64_t pair = t < u ? (uint64_t)t << 32 | u : (uint64_t)u << 32 | t;
    return cw_bdd_var(&masks->l->f, cw_mix(cw_mix(cw_lanes_name(value, context), 0x3a7c4), pair), CW_OPAQUE);
}

static const struct cw_mask_row *alike_row(struct cw_masks *masks, const struct cw_mask_row *who, cw_ref value,
                                           const struct cw_context *context, uint32_t block, uint32_t t) {
    struct cw_mask_row *r = those_here(masks, who, block, context, t);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32; lane++)
        if (r->at[lane] != CW_BDD_FALSE)
            r->at[lane] = cw_bdd_and(&masks->l->f, r->at[lane], same_value(masks, value, context, t, first + lane));
    return r;
}

static const struct cw_mask_row *match_row(struct cw_masks *masks, const struct cw_ins *ins,
                                           const struct cw_context *context, uint32_t t) {
    const struct cw_mask_row *who = operand_row(masks, ins, context, t);
    const struct cw_mask_row *same = alike_row(masks, who, cw_arg(masks->l->fn, ins, 1), context, ins->block, t);
    if (ins->aux == CW_VOTE_ANY)
        return same;
    struct cw_mask_row *r = those_here(masks, who, ins->block, context, t);
    uint32_t all = CW_BDD_TRUE;
    for (uint32_t lane = 0; lane < 32; lane++)
        all = cw_bdd_and(&masks->l->f, all, cw_bdd_or(&masks->l->f, cw_bdd_not(r->at[lane]), same->at[lane]));
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_and(&masks->l->f, r->at[lane], all);
    return r;
}

/* A snapshot: the caller, and some of those who come here. */
static const struct cw_mask_row *snapshot_row(struct cw_masks *masks, cw_ref self, const struct cw_ins *ins,
                                              const struct cw_context *context, uint32_t t) {
    struct cw_mask_row *r =
        those_here(masks, unknown_row(masks, cw_mix(cw_lanes_name(self, context), t / 32)), ins->block, context, t);
    r->at[t % 32] = cw_lane_cond_at(cw_lane_cond_reach(masks->l, ins->block, context), t);
    return r;
}

/* A mask handed on by a lane: `__shfl_sync(~0u, ballot, 0)`. */
static const struct cw_mask_row *handed_on(struct cw_masks *masks, cw_ref self, const struct cw_ins *ins,
                                           const struct cw_context *context, uint32_t t) {
    struct cw_cell by = cw_lane_value_cell(cw_lane_value_of(masks->l, cw_arg(masks->l->fn, ins, 2), context), t);
    struct cw_cell width = cw_lane_value_cell(cw_lane_value_of(masks->l, cw_arg(masks->l->fn, ins, 3), context), t);
    uint32_t u = (t & ~31u) + ((uint32_t)by.value & 31);
    bool plain = ins->aux == CW_SHFL_IDX && by.known == CW_NUMBER && width.known == CW_NUMBER && width.value == 32;
    if (!plain || u >= masks->l->threads)
        return row_of_value(masks, self, context, t);
    return cw_mask_row_of(masks, cw_arg(masks->l->fn, ins, 1), context, u);
}

/* ---- groups ---- */

static const struct cw_mask_row *group_row(struct cw_masks *masks, cw_ref self, const struct cw_context *context,
                                           uint32_t t) {
    const struct cw_ins *i = cw_ins_of(masks->l->fn, self);
    struct cw_team g = cw_lanes_team(masks->l, self, context, t);
    if (g.known)
        return row_of_number(masks, g.in_warp ? g.lanes : UINT32_MAX, false);
    if (i && i->op == CW_OP_GROUP && i->aux == CW_GROUP_COALESCED)
        return cw_mask_row_here(masks, i->block, context, t);
    bool parts = i && i->op == CW_OP_GROUP && (i->aux == CW_GROUP_LABELED || i->aux == CW_GROUP_BINARY) && i->narg > 1;
    if (!parts)
        return unknown_row(masks, cw_mix(cw_lanes_name(self, context), t));
    return alike_row(masks, cw_mask_row_of(masks, cw_arg(masks->l->fn, i, 0), context, t), cw_arg(masks->l->fn, i, 1),
                     context, i->block, t);
}

/* ---- arithmetic ---- */

static uint32_t combine_bits(struct cw_bdds *bdds, enum cw_op op, uint32_t a, uint32_t b) {
    return op == CW_OP_AND  ? cw_bdd_and(bdds, a, b)
           : op == CW_OP_OR ? cw_bdd_or(bdds, a, b)
                            : cw_bdd_xor(bdds, a, b);
}

static const struct cw_mask_row *bitwise_row(struct cw_masks *masks, const struct cw_ins *ins,
                                             const struct cw_context *context, uint32_t t) {
    const struct cw_mask_row *a = cw_mask_row_of(masks, cw_arg(masks->l->fn, ins, 0), context, t);
    const struct cw_mask_row *b = ins->narg > 1 ? cw_mask_row_of(masks, cw_arg(masks->l->fn, ins, 1), context, t) : a;
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = ins->op == CW_OP_NOT ? cw_bdd_not(a->at[lane])
                                         : combine_bits(&masks->l->f, (enum cw_op)ins->op, a->at[lane], b->at[lane]);
    r->guessed = a->guessed || b->guessed;
    return r;
}

static const struct cw_mask_row *shifted_row(struct cw_masks *masks, cw_ref self, const struct cw_ins *ins,
                                             const struct cw_context *context, uint32_t t) {
    struct cw_cell by = cw_lane_value_cell(cw_lane_value_of(masks->l, cw_arg(masks->l->fn, ins, 1), context), t);
    if (by.known != CW_NUMBER || by.value < 0 || by.value > 31 || ins->type != CW_I32)
        return row_of_value(masks, self, context, t);
    const struct cw_mask_row *a = cw_mask_row_of(masks, cw_arg(masks->l->fn, ins, 0), context, t);
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t from = ins->op == CW_OP_SHL ? lane - (uint32_t)by.value : lane + (uint32_t)by.value;
        r->at[lane] = from < 32 ? a->at[from] : CW_BDD_FALSE;
    }
    r->guessed = a->guessed;
    return r;
}

static const struct cw_mask_row *chosen_row(struct cw_masks *masks, const struct cw_ins *ins,
                                            const struct cw_context *context, uint32_t t) {
    uint32_t f =
        cw_cell_formula(cw_lane_value_cell(cw_lane_value_of(masks->l, cw_arg(masks->l->fn, ins, 0), context), t));
    if (cw_bdd_terminal(f))
        return cw_mask_row_of(masks, cw_arg(masks->l->fn, ins, f == CW_BDD_TRUE ? 1 : 2), context, t);
    const struct cw_mask_row *a = cw_mask_row_of(masks, cw_arg(masks->l->fn, ins, 1), context, t);
    const struct cw_mask_row *b = cw_mask_row_of(masks, cw_arg(masks->l->fn, ins, 2), context, t);
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_ite(&masks->l->f, f, a->at[lane], b->at[lane]);
    r->guessed = a->guessed || b->guessed;
    return r;
}

/* ---- ways ---- */

/* Adds what the mask is for those threads that come by `gate`. */
static void add_way(struct cw_masks *masks, struct cw_mask_row *mask_row, uint32_t gate,
                    const struct cw_mask_row *way) {
    for (uint32_t lane = 0; lane < 32; lane++)
        mask_row->at[lane] = cw_bdd_or(&masks->l->f, mask_row->at[lane], cw_bdd_and(&masks->l->f, gate, way->at[lane]));
    mask_row->guessed |= way->guessed;
}

static struct cw_mask_row *empty_row(struct cw_masks *masks) {
    struct cw_mask_row *r = new_row(masks);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = CW_BDD_FALSE;
    return r;
}

static const struct cw_mask_row *merged_row(struct cw_masks *masks, const struct cw_ins *ins,
                                            const struct cw_context *context, uint32_t loop, bool inside, uint32_t t) {
    const struct cw_fn *fn = masks->l->fn;
    const struct cw_vec_u32 *pred = &fn->blocks.at[ins->block].pred;
    struct cw_mask_row *r = empty_row(masks);
    for (uint32_t k = 0; k < ins->narg && k < pred->n; k++) {
        if (fn->cfg->rpo_index[pred->at[k]] == CW_NO_BLOCK ||
            (loop != CW_NO_LOOP && cw_cfg_in_loop(fn->cfg, loop, pred->at[k]) != inside))
            continue;
        uint32_t gate = cw_lane_cond_at(cw_lane_cond_takes(masks->l, cw_cfg_incoming(fn, ins->block, k), context), t);
        if (gate != CW_BDD_FALSE)
            add_way(masks, r, gate, cw_mask_row_of(masks, cw_arg(fn, ins, k), context, t));
    }
    return r;
}

static const struct cw_mask_row *phi_row(struct cw_masks *masks, cw_ref self, const struct cw_ins *ins,
                                         const struct cw_context *context, uint32_t t) {
    const struct cw_cfg *cfg = masks->l->fn->cfg;
    if (cfg->is_irreducible)
        return row_of_value(masks, self, context, t);
    if (!context || cfg->loops.at[context->loop].header != ins->block)
        return merged_row(masks, ins, context, CW_NO_LOOP, true, t);
    if (context->iteration == 0)
        return merged_row(masks, ins, context->outer, context->loop, false, t);
    return merged_row(masks, ins, cw_lanes_context(masks->l, context->outer, context->loop, context->iteration - 1),
                      context->loop, true, t);
}

/* A mask made in a loop and used behind it: that of the iteration in which the thread left. */
static const struct cw_mask_row *left_with(struct cw_masks *masks, cw_ref self, uint32_t loop,
                                           const struct cw_context *context, uint32_t t) {
    uint32_t header = masks->l->fn->cfg->loops.at[loop].header;
    struct cw_mask_row *r = empty_row(masks);
    for (uint32_t k = 0; k < TRIPS_MAX; k++) {
        const struct cw_context *now = cw_lanes_context(masks->l, context, loop, k);
        const struct cw_context *then = cw_lanes_context(masks->l, context, loop, k + 1);
        uint32_t in = cw_lane_cond_at(cw_lane_cond_reach(masks->l, header, now), t),
                 on = cw_lane_cond_at(cw_lane_cond_reach(masks->l, header, then), t);
        uint32_t out = cw_bdd_and(&masks->l->f, in, cw_bdd_not(on));
        if (out != CW_BDD_FALSE)
            add_way(masks, r, out, cw_mask_row_of(masks, self, now, t));
        if (on == CW_BDD_FALSE)
            return r;
        if (k >= CW_LANES_PATIENCE && !cw_bdd_terminal(on))
            break;
    }
    return row_of_value(masks, self, context, t);
}

/* ---- dispatch ---- */

static const struct cw_mask_row *by_operation(struct cw_masks *masks, cw_ref self, const struct cw_context *context,
                                              uint32_t t) {
    const struct cw_ins *i = cw_ins_of(masks->l->fn, self);
    switch ((enum cw_op)i->op) {
    case CW_OP_COPY:
    case CW_OP_ZEXT:
    case CW_OP_SEXT:
    case CW_OP_TRUNC: return cw_mask_row_of(masks, cw_arg(masks->l->fn, i, 0), context, t);
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_NOT: return bitwise_row(masks, i, context, t);
    case CW_OP_SHL:
    case CW_OP_LSHR: return shifted_row(masks, self, i, context, t);
    case CW_OP_SELECT: return chosen_row(masks, i, context, t);
    case CW_OP_PHI: return phi_row(masks, self, i, context, t);
    case CW_OP_MATCH: return match_row(masks, i, context, t);
    case CW_OP_ACTIVEMASK: return snapshot_row(masks, self, i, context, t);
    case CW_OP_SHFL: return handed_on(masks, self, i, context, t);
    case CW_OP_VOTE:
        if (i->aux == CW_VOTE_BALLOT && numbers_lanes(masks, i, context, t))
            return ballot_row(masks, i, context, t);
        return row_of_value(masks, self, context, t);
    default: return row_of_value(masks, self, context, t);
    }
}

/* A narrower or wider integer than the mask itself: its low bits are not lanes. */
static bool is_mask_type(enum cw_type type) {
    return type == CW_I32 || type == CW_I64;
}

static const struct cw_mask_row *compute_row(struct cw_masks *masks, cw_ref ref, const struct cw_context *context,
                                             uint32_t t) {
    if (ref.tag == CW_REF_INS) {
        uint32_t missing = cw_context_missing(masks->l, context, masks->l->fn->ins.at[ref.index].block);
        if (missing != CW_NO_LOOP)
            return left_with(masks, ref, missing, context, t);
    }
    enum cw_type type = cw_ref_type(masks->l->fn, ref);
    if (type == CW_GROUP)
        return group_row(masks, ref, context, t);
    if (ref.tag != CW_REF_INS || !is_mask_type(type))
        return row_of_value(masks, ref, context, t);
    const struct cw_lane_value *v = cw_lane_value_of(masks->l, ref, context);
    if (cw_lane_value_cell(v, t).known == CW_NUMBER)
        return row_of_value(masks, ref, context, t);
    return by_operation(masks, ref, context, t);
}

const struct cw_mask_row *cw_mask_row_of(struct cw_masks *masks, cw_ref ref, const struct cw_context *context,
                                         uint32_t t) {
    int64_t number;
    if (ref.tag == CW_REF_CONST && !masks->l->exhausted && cw_ref_const(masks->l->fn, ref, &number))
        return row_of_number(masks, (uint32_t)number, false);
    context = ref.tag == CW_REF_INS ? cw_context_at(masks->l, context, masks->l->fn->ins.at[ref.index].block) : NULL;
    uint64_t key = cw_mix(cw_lanes_name(ref, context), t), found;
    if (cw_map_get(&masks->memo, key, &found))
        return (const struct cw_mask_row *)(uintptr_t)found;
    if (masks->depth >= DEPTH_MAX || masks->l->exhausted)
        return unknown_row(masks, cw_mix(key, 0xdee9));
    masks->depth++;
    const struct cw_mask_row *row = compute_row(masks, ref, context, t);
    masks->depth--;
    cw_map_put(&masks->memo, key, (uint64_t)(uintptr_t)row);
    return row;
}
