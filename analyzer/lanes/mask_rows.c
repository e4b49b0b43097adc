/* What a mask names, lane by lane, by the operations that made it.
 *
 * requires: lanes. computes: formulas, memoised per (value, context, thread). preserves: everything.
 *
 * An operation that is not read gives one OPAQUE variable per lane: nothing will be claimed of it, but what other
 * operations say (a conjunction with the lanes that came, say) still holds. So does equality of unknown labels: the
 * variables of different pairs are not tied by transitivity, hence OPAQUE and never a witness. */
#include "lanes/masks_internal.h"

enum { DEPTH_MAX = 48, TRIPS_MAX = 64 };

static struct cw_mask_row *new_row(struct cw_masks *m) {
    return CW_NEW(m->a, struct cw_mask_row);
}

static const struct cw_mask_row *row_of_number(struct cw_masks *m, uint32_t bits, bool guessed) {
    if (m->number && m->number_bits == bits && m->number->guessed == guessed)
        return m->number;
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = bits >> lane & 1 ? CW_BDD_TRUE : CW_BDD_FALSE;
    r->guessed = guessed;
    m->number = r;
    m->number_bits = bits;
    return r;
}

static const struct cw_mask_row *unknown_row(struct cw_masks *m, uint64_t name) {
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_var(&m->l->f, cw_mix(cw_mix(name, 0xb17), lane), CW_OPAQUE);
    return r;
}

/* Threads that hold the same unknown number hold the same mask. */
static const struct cw_mask_row *row_of_value(struct cw_masks *m, cw_ref r, const struct cw_context *c, uint32_t t) {
    struct cw_cell cell = {CW_OPAQUE, CW_NO_TOKEN};
    enum cw_type type = cw_ref_type(m->l->fn, r);
    if (type == CW_I32 || type == CW_I64)
        cell = cw_lane_value_cell(cw_lane_value_of(m->l, r, c), t);
    if (cw_cell_numeric(cell))
        return row_of_number(m, (uint32_t)cell.value, cell.known == CW_SAMPLE);
    return unknown_row(m, cell.value == CW_NO_TOKEN ? cw_mix(cw_lanes_name(r, c), t) : (uint64_t)cell.value);
}

/* Rows that all threads of a warp share are kept by what they are and the warp's first thread. */
enum shared_row { ROW_HERE = 0x4e5e, ROW_PREDICATE };

static uint64_t shared_key(enum shared_row kind, uint64_t name, uint32_t t) {
    return cw_mix(cw_mix(name, kind), t & ~31u);
}

static const struct cw_mask_row *kept_row(const struct cw_masks *m, uint64_t key) {
    uint64_t found;
    return cw_map_get(&m->memo, key, &found) ? (const struct cw_mask_row *)(uintptr_t)found : NULL;
}

static const struct cw_mask_row *keep_row(struct cw_masks *m, uint64_t key, const struct cw_mask_row *r) {
    cw_map_put(&m->memo, key, (uint64_t)(uintptr_t)r);
    return r;
}

const struct cw_mask_row *cw_mask_row_here(struct cw_masks *m, uint32_t block, const struct cw_context *c, uint32_t t) {
    uint64_t key = shared_key(ROW_HERE, cw_mix(cw_context_id(c), block), t);
    const struct cw_mask_row *kept = kept_row(m, key);
    if (kept)
        return kept;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(m->l, block, c);
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32; lane++)
        r->at[lane] = first + lane < m->l->threads ? cw_lane_cond_at(reach, first + lane) : CW_BDD_FALSE;
    return keep_row(m, key, r);
}

/* ---- collectives that make masks ---- */

static const struct cw_mask_row *operand_row(struct cw_masks *m, const struct cw_ins *i, const struct cw_context *c,
                                             uint32_t t) {
    cw_ref r = i->narg > 0 ? cw_arg(m->l->fn, i, 0) : CW_NONE;
    return r.tag == CW_REF_UNDEF || r.tag == CW_REF_NONE ? cw_mask_row_here(m, i->block, c, t)
                                                         : cw_mask_row_of(m, r, c, t);
}

/* Those of `who` that come to the place. */
static struct cw_mask_row *those_here(struct cw_masks *m, const struct cw_mask_row *who, uint32_t block,
                                      const struct cw_context *c, uint32_t t) {
    const struct cw_mask_row *here = cw_mask_row_here(m, block, c, t);
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_and(&m->l->f, who->at[lane], here->at[lane]);
    r->guessed = who->guessed;
    return r;
}

/* A ballot of a tile numbers the tile's lanes from 0: only a tile that is the warp has the warp's numbers. */
static bool numbers_lanes(struct cw_masks *m, const struct cw_ins *i, const struct cw_context *c, uint32_t t) {
    cw_ref r = cw_arg(m->l->fn, i, 0);
    if (cw_ref_type(m->l->fn, r) != CW_GROUP)
        return true;
    struct cw_team g = cw_lanes_team(m->l, r, c, t);
    return g.known && g.in_warp && g.size == 32;
}

static uint32_t predicate(struct cw_masks *m, const struct cw_lane_value *v, enum cw_type type, uint32_t u) {
    struct cw_cell c = cw_lane_value_cell(v, u);
    if (type == CW_I1)
        return cw_cell_formula(c);
    return cw_cell_formula(cw_cell_compare(m->l, CW_OP_NE, type, c, (struct cw_cell){CW_NUMBER, 0}));
}

/* For which lanes of t's warp does the ballot's predicate hold? */
static const struct cw_mask_row *predicates(struct cw_masks *m, cw_ref says, const struct cw_context *c, uint32_t t) {
    uint64_t key = shared_key(ROW_PREDICATE, cw_lanes_name(says, c), t);
    const struct cw_mask_row *kept = kept_row(m, key);
    if (kept)
        return kept;
    enum cw_type type = cw_ref_type(m->l->fn, says);
    const struct cw_lane_value *v = cw_lane_value_of(m->l, says, c);
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32 && first + lane < m->l->threads; lane++)
        r->at[lane] = predicate(m, v, type, first + lane);
    return keep_row(m, key, r);
}

static const struct cw_mask_row *ballot(struct cw_masks *m, const struct cw_ins *i, const struct cw_context *c,
                                        uint32_t t) {
    struct cw_mask_row *r = those_here(m, operand_row(m, i, c, t), i->block, c, t);
    const struct cw_mask_row *says = predicates(m, cw_arg(m->l->fn, i, 1), c, t);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32 && first + lane < m->l->threads; lane++)
        if (r->at[lane] != CW_BDD_FALSE)
            r->at[lane] = cw_bdd_and(&m->l->f, r->at[lane], says->at[lane]);
    return r;
}

/* Do two threads have the same value? Sure answers only; else an OPAQUE variable of the pair. */
static uint32_t same_value(struct cw_masks *m, cw_ref value, const struct cw_context *c, uint32_t t, uint32_t u) {
    if (t == u)
        return CW_BDD_TRUE;
    const struct cw_lane_value *v = cw_lane_value_of(m->l, value, c);
    struct cw_cell a = cw_lane_value_cell(v, t), b = cw_lane_value_cell(v, u);
    bool same = !v->base && cw_cell_same(a, b);
    if (same || (!v->base && cw_cell_numeric(a) && cw_cell_numeric(b)))
        return same ? CW_BDD_TRUE : CW_BDD_FALSE;
    uint64_t pair = t < u ? (uint64_t)t << 32 | u : (uint64_t)u << 32 | t;
    return cw_bdd_var(&m->l->f, cw_mix(cw_mix(cw_lanes_name(value, c), 0x3a7c4), pair), CW_OPAQUE);
}

static const struct cw_mask_row *alike(struct cw_masks *m, const struct cw_mask_row *who, cw_ref value,
                                       const struct cw_context *c, uint32_t block, uint32_t t) {
    struct cw_mask_row *r = those_here(m, who, block, c, t);
    for (uint32_t lane = 0, first = t & ~31u; lane < 32; lane++)
        if (r->at[lane] != CW_BDD_FALSE)
            r->at[lane] = cw_bdd_and(&m->l->f, r->at[lane], same_value(m, value, c, t, first + lane));
    return r;
}

static const struct cw_mask_row *match(struct cw_masks *m, const struct cw_ins *i, const struct cw_context *c,
                                       uint32_t t) {
    const struct cw_mask_row *who = operand_row(m, i, c, t);
    const struct cw_mask_row *same = alike(m, who, cw_arg(m->l->fn, i, 1), c, i->block, t);
    if (i->aux == CW_VOTE_ANY)
        return same;
    struct cw_mask_row *r = those_here(m, who, i->block, c, t);
    uint32_t all = CW_BDD_TRUE;
    for (uint32_t lane = 0; lane < 32; lane++)
        all = cw_bdd_and(&m->l->f, all, cw_bdd_or(&m->l->f, cw_bdd_not(r->at[lane]), same->at[lane]));
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_and(&m->l->f, r->at[lane], all);
    return r;
}

/* A snapshot: the caller, and some of those who come here. */
static const struct cw_mask_row *snapshot(struct cw_masks *m, cw_ref self, const struct cw_ins *i,
                                          const struct cw_context *c, uint32_t t) {
    struct cw_mask_row *r = those_here(m, unknown_row(m, cw_mix(cw_lanes_name(self, c), t / 32)), i->block, c, t);
    r->at[t % 32] = cw_lane_cond_at(cw_lane_cond_reach(m->l, i->block, c), t);
    return r;
}

/* A mask handed on by a lane: `__shfl_sync(~0u, ballot, 0)`. */
static const struct cw_mask_row *handed_on(struct cw_masks *m, cw_ref self, const struct cw_ins *i,
                                           const struct cw_context *c, uint32_t t) {
    struct cw_cell by = cw_lane_value_cell(cw_lane_value_of(m->l, cw_arg(m->l->fn, i, 2), c), t);
    struct cw_cell width = cw_lane_value_cell(cw_lane_value_of(m->l, cw_arg(m->l->fn, i, 3), c), t);
    uint32_t u = (t & ~31u) + ((uint32_t)by.value & 31);
    bool plain = i->aux == CW_SHFL_IDX && by.known == CW_NUMBER && width.known == CW_NUMBER && width.value == 32;
    if (!plain || u >= m->l->threads)
        return row_of_value(m, self, c, t);
    return cw_mask_row_of(m, cw_arg(m->l->fn, i, 1), c, u);
}

/* ---- groups ---- */

static const struct cw_mask_row *group(struct cw_masks *m, cw_ref self, const struct cw_context *c, uint32_t t) {
    const struct cw_ins *i = cw_ins_of(m->l->fn, self);
    struct cw_team g = cw_lanes_team(m->l, self, c, t);
    if (g.known)
        return row_of_number(m, g.in_warp ? g.lanes : UINT32_MAX, false);
    if (i && i->op == CW_OP_GROUP && i->aux == CW_GROUP_COALESCED)
        return cw_mask_row_here(m, i->block, c, t);
    bool parts = i && i->op == CW_OP_GROUP && (i->aux == CW_GROUP_LABELED || i->aux == CW_GROUP_BINARY) && i->narg > 1;
    if (!parts)
        return unknown_row(m, cw_mix(cw_lanes_name(self, c), t));
    return alike(m, cw_mask_row_of(m, cw_arg(m->l->fn, i, 0), c, t), cw_arg(m->l->fn, i, 1), c, i->block, t);
}

/* ---- arithmetic ---- */

static uint32_t combine(struct cw_bdds *f, enum cw_op op, uint32_t a, uint32_t b) {
    return op == CW_OP_AND  ? cw_bdd_and(f, a, b)
           : op == CW_OP_OR ? cw_bdd_or(f, a, b)
                            : cw_bdd_xor(f, a, b);
}

static const struct cw_mask_row *bitwise(struct cw_masks *m, const struct cw_ins *i, const struct cw_context *c,
                                         uint32_t t) {
    const struct cw_mask_row *a = cw_mask_row_of(m, cw_arg(m->l->fn, i, 0), c, t);
    const struct cw_mask_row *b = i->narg > 1 ? cw_mask_row_of(m, cw_arg(m->l->fn, i, 1), c, t) : a;
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = i->op == CW_OP_NOT ? cw_bdd_not(a->at[lane])
                                         : combine(&m->l->f, (enum cw_op)i->op, a->at[lane], b->at[lane]);
    r->guessed = a->guessed || b->guessed;
    return r;
}

static const struct cw_mask_row *shifted(struct cw_masks *m, cw_ref self, const struct cw_ins *i,
                                         const struct cw_context *c, uint32_t t) {
    struct cw_cell by = cw_lane_value_cell(cw_lane_value_of(m->l, cw_arg(m->l->fn, i, 1), c), t);
    if (by.known != CW_NUMBER || by.value < 0 || by.value > 31 || i->type != CW_I32)
        return row_of_value(m, self, c, t);
    const struct cw_mask_row *a = cw_mask_row_of(m, cw_arg(m->l->fn, i, 0), c, t);
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t from = i->op == CW_OP_SHL ? lane - (uint32_t)by.value : lane + (uint32_t)by.value;
        r->at[lane] = from < 32 ? a->at[from] : CW_BDD_FALSE;
    }
    r->guessed = a->guessed;
    return r;
}

static const struct cw_mask_row *chosen(struct cw_masks *m, const struct cw_ins *i, const struct cw_context *c,
                                        uint32_t t) {
    uint32_t f = cw_cell_formula(cw_lane_value_cell(cw_lane_value_of(m->l, cw_arg(m->l->fn, i, 0), c), t));
    if (cw_bdd_terminal(f))
        return cw_mask_row_of(m, cw_arg(m->l->fn, i, f == CW_BDD_TRUE ? 1 : 2), c, t);
    const struct cw_mask_row *a = cw_mask_row_of(m, cw_arg(m->l->fn, i, 1), c, t);
    const struct cw_mask_row *b = cw_mask_row_of(m, cw_arg(m->l->fn, i, 2), c, t);
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_ite(&m->l->f, f, a->at[lane], b->at[lane]);
    r->guessed = a->guessed || b->guessed;
    return r;
}

/* ---- ways ---- */

/* Adds what the mask is for those threads that come by `gate`. */
static void add_way(struct cw_masks *m, struct cw_mask_row *r, uint32_t gate, const struct cw_mask_row *way) {
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = cw_bdd_or(&m->l->f, r->at[lane], cw_bdd_and(&m->l->f, gate, way->at[lane]));
    r->guessed |= way->guessed;
}

static struct cw_mask_row *empty_row(struct cw_masks *m) {
    struct cw_mask_row *r = new_row(m);
    for (uint32_t lane = 0; lane < 32; lane++)
        r->at[lane] = CW_BDD_FALSE;
    return r;
}

static const struct cw_mask_row *merged(struct cw_masks *m, const struct cw_ins *i, const struct cw_context *c,
                                        uint32_t loop, bool inside, uint32_t t) {
    const struct cw_fn *fn = m->l->fn;
    const struct cw_vec_u32 *pred = &fn->blocks.at[i->block].pred;
    struct cw_mask_row *r = empty_row(m);
    for (uint32_t k = 0; k < i->narg && k < pred->n; k++) {
        if (fn->cfg->rpo_index[pred->at[k]] == CW_NO_BLOCK ||
            (loop != CW_NO_LOOP && cw_cfg_in_loop(fn->cfg, loop, pred->at[k]) != inside))
            continue;
        uint32_t gate = cw_lane_cond_at(cw_lane_cond_takes(m->l, cw_lanes_incoming(fn, i->block, k), c), t);
        if (gate != CW_BDD_FALSE)
            add_way(m, r, gate, cw_mask_row_of(m, cw_arg(fn, i, k), c, t));
    }
    return r;
}

static const struct cw_mask_row *phi(struct cw_masks *m, cw_ref self, const struct cw_ins *i,
                                     const struct cw_context *c, uint32_t t) {
    const struct cw_cfg *cfg = m->l->fn->cfg;
    if (cfg->is_irreducible)
        return row_of_value(m, self, c, t);
    if (!c || cfg->loops.at[c->loop].header != i->block)
        return merged(m, i, c, CW_NO_LOOP, true, t);
    if (c->iteration == 0)
        return merged(m, i, c->outer, c->loop, false, t);
    return merged(m, i, cw_lanes_context(m->l, c->outer, c->loop, c->iteration - 1), c->loop, true, t);
}

/* A mask made in a loop and used behind it: that of the iteration in which the thread left. */
static const struct cw_mask_row *left_with(struct cw_masks *m, cw_ref self, uint32_t loop, const struct cw_context *c,
                                           uint32_t t) {
    uint32_t header = m->l->fn->cfg->loops.at[loop].header;
    struct cw_mask_row *r = empty_row(m);
    for (uint32_t k = 0; k < TRIPS_MAX; k++) {
        const struct cw_context *now = cw_lanes_context(m->l, c, loop, k);
        const struct cw_context *then = cw_lanes_context(m->l, c, loop, k + 1);
        uint32_t in = cw_lane_cond_at(cw_lane_cond_reach(m->l, header, now), t),
                 on = cw_lane_cond_at(cw_lane_cond_reach(m->l, header, then), t);
        uint32_t out = cw_bdd_and(&m->l->f, in, cw_bdd_not(on));
        if (out != CW_BDD_FALSE)
            add_way(m, r, out, cw_mask_row_of(m, self, now, t));
        if (on == CW_BDD_FALSE)
            return r;
        if (k >= CW_LANES_PATIENCE && !cw_bdd_terminal(on))
            break;
    }
    return row_of_value(m, self, c, t);
}

/* ---- dispatch ---- */

static const struct cw_mask_row *by_operation(struct cw_masks *m, cw_ref self, const struct cw_context *c, uint32_t t) {
    const struct cw_ins *i = cw_ins_of(m->l->fn, self);
    switch ((enum cw_op)i->op) {
    case CW_OP_COPY:
    case CW_OP_ZEXT:
    case CW_OP_SEXT:
    case CW_OP_TRUNC: return cw_mask_row_of(m, cw_arg(m->l->fn, i, 0), c, t);
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_NOT: return bitwise(m, i, c, t);
    case CW_OP_SHL:
    case CW_OP_LSHR: return shifted(m, self, i, c, t);
    case CW_OP_SELECT: return chosen(m, i, c, t);
    case CW_OP_PHI: return phi(m, self, i, c, t);
    case CW_OP_MATCH: return match(m, i, c, t);
    case CW_OP_ACTIVEMASK: return snapshot(m, self, i, c, t);
    case CW_OP_SHFL: return handed_on(m, self, i, c, t);
    case CW_OP_VOTE:
        if (i->aux == CW_VOTE_BALLOT && numbers_lanes(m, i, c, t))
            return ballot(m, i, c, t);
        return row_of_value(m, self, c, t);
    default: return row_of_value(m, self, c, t);
    }
}

/* A narrower or wider integer than the mask itself: its low bits are not lanes. */
static bool is_mask_type(enum cw_type type) {
    return type == CW_I32 || type == CW_I64;
}

static const struct cw_mask_row *compute(struct cw_masks *m, cw_ref r, const struct cw_context *c, uint32_t t) {
    if (r.tag == CW_REF_INS) {
        uint32_t missing = cw_context_missing(m->l, c, m->l->fn->ins.at[r.index].block);
        if (missing != CW_NO_LOOP)
            return left_with(m, r, missing, c, t);
    }
    enum cw_type type = cw_ref_type(m->l->fn, r);
    if (type == CW_GROUP)
        return group(m, r, c, t);
    if (r.tag != CW_REF_INS || !is_mask_type(type))
        return row_of_value(m, r, c, t);
    const struct cw_lane_value *v = cw_lane_value_of(m->l, r, c);
    if (cw_lane_value_cell(v, t).known == CW_NUMBER)
        return row_of_value(m, r, c, t);
    return by_operation(m, r, c, t);
}

const struct cw_mask_row *cw_mask_row_of(struct cw_masks *m, cw_ref r, const struct cw_context *c, uint32_t t) {
    c = r.tag == CW_REF_INS ? cw_context_at(m->l, c, m->l->fn->ins.at[r.index].block) : NULL;
    if (r.tag == CW_REF_CONST && !m->l->exhausted)
        return row_of_value(m, r, c, t);
    uint64_t key = cw_mix(cw_lanes_name(r, c), t), found;
    if (cw_map_get(&m->memo, key, &found))
        return (const struct cw_mask_row *)(uintptr_t)found;
    if (m->depth >= DEPTH_MAX || m->l->exhausted)
        return unknown_row(m, cw_mix(key, 0xdee9));
    m->depth++;
    const struct cw_mask_row *row = compute(m, r, c, t);
    m->depth--;
    cw_map_put(&m->memo, key, (uint64_t)(uintptr_t)row);
    return row;
}
