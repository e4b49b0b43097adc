/* Sources of shuffles; see shuffle_sources.h.
 *
 * requires: lanes. computes: per thread the lane read and the formula under which it holds nothing. preserves:
 * everything. */
#include "lanes/shuffle_sources.h"

#include "lanes/masks_internal.h"

enum {
    UNDEF_DEPTH = 6, /* phis followed towards an unassigned variable */
    UNDEF_PHIS = 64  /* among that many phis it is looked for beforehand */
};

struct cw_shuffle {
    struct cw_lanes *l;
    const struct cw_ins *ins;
    struct cw_masks *masks;
    const struct cw_context *context;
    const struct cw_lane_value *by, *width;       /* width NULL: the whole warp, or a group */
    const struct cw_lane_cond *arrives, *exited; /* exited NULL: not yet asked */
    uint32_t index;
    bool group, may_be_undefined; /* an unassigned variable is among what the operand comes from */
    struct cw_map undefined;      /* (value, context, depth) -> formulas under which it is one */
};

/* Is there a way from the operand through phis to an unassigned variable? Asked once, so that lanes and launches need
 * not be asked about an operand that has none. */
static bool may_be_undefined(const struct cw_fn *fn, cw_ref ref) {
    uint32_t seen[UNDEF_PHIS], n = 0, at = 0;
    for (;;) {
        const struct cw_ins *i = cw_ins_of(fn, ref);
        for (uint32_t k = 0; i && i->op == CW_OP_PHI && k < i->narg; k++) {
            cw_ref from = cw_arg(fn, i, k);
            const struct cw_ins *def = cw_ins_of(fn, from);
            bool is_new = def && def->op == CW_OP_PHI;
            for (uint32_t s = 0; s < n && is_new; s++)
                is_new = seen[s] != from.index;
            if (from.tag == CW_REF_UNDEF || (is_new && n == UNDEF_PHIS))
                return true;
            if (is_new)
                seen[n++] = from.index;
        }
        if (at == n)
            return ref.tag == CW_REF_UNDEF;
        ref = cw_ref_ins(seen[at++]);
    }
}

struct cw_shuffle *cw_shuffle_new(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                                  struct cw_arena *a) {
    struct cw_shuffle *s = CW_NEW(a, struct cw_shuffle);
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    *s = (struct cw_shuffle){.l = lanes, .ins = i, .index = ins, .masks = cw_masks_new(lanes, ins, context, a)};
    s->context = cw_masks_context(s->masks);
    cw_map_init(&s->undefined, a);
    s->arrives = cw_participation_arrives(lanes, ins, s->context);
    s->may_be_undefined = may_be_undefined(lanes->fn, cw_arg(lanes->fn, i, 1));
    s->by = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 2), s->context);
    s->group = cw_ref_type(lanes->fn, cw_arg(lanes->fn, i, 0)) == CW_GROUP;
    if (!s->group && i->narg > 3 && cw_arg(lanes->fn, i, 3).tag != CW_REF_UNDEF)
        s->width = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 3), s->context);
    return s;
}

const struct cw_context *cw_shuffle_context(const struct cw_shuffle *shuffle) {
    return shuffle->context;
}

uint32_t cw_shuffle_lane(enum cw_shfl mode, uint32_t lane, uint32_t by, uint32_t width) {
    uint32_t segment = lane & ~(width - 1), last = segment + width - 1;
    switch (mode) {
    case CW_SHFL_IDX: return segment + (by & (width - 1));
    case CW_SHFL_UP: return by > lane - segment ? lane : lane - by;
    case CW_SHFL_DOWN: return lane + by > last ? lane : lane + by;
    case CW_SHFL_XOR: return (lane ^ by) > last ? lane : lane ^ by;
    }
    return lane;
}

/* Only groups that are an aligned segment of lanes: ranks are then lanes within the segment. */
static uint32_t group_width(const struct cw_shuffle *shuffle, uint32_t t) {
    struct cw_team g = cw_lanes_team(shuffle->l, cw_arg(shuffle->l->fn, shuffle->ins, 0), shuffle->context, t);
    if (!g.known || !g.in_warp || g.size == 0 || g.size > 32 || (g.size & (g.size - 1)) != 0)
        return 0;
    uint32_t all = g.size == 32 ? UINT32_MAX : ((1u << g.size) - 1) << (t % 32 & ~(g.size - 1));
    return g.lanes == all ? g.size : 0;
}

static uint32_t width_of(const struct cw_shuffle *shuffle, uint32_t t) {
    if (shuffle->group)
        return group_width(shuffle, t);
    if (!shuffle->width)
        return 32;
    struct cw_cell w = cw_lane_value_cell(shuffle->width, t);
    bool fine = w.known == CW_NUMBER && w.value > 0 && w.value <= 32 && (w.value & (w.value - 1)) == 0;
    return fine ? (uint32_t)w.value : 0;
}

bool cw_shuffle_distance(const struct cw_shuffle *shuffle, uint32_t t, uint32_t *by, uint32_t *width) {
    struct cw_cell b = cw_lane_value_cell(shuffle->by, t);
    *width = b.known == CW_NUMBER ? width_of(shuffle, t) : 0;
    *by = (uint32_t)b.value;
    return *width != 0;
}

bool cw_shuffle_source(const struct cw_shuffle *shuffle, uint32_t t, uint32_t *source) {
    uint32_t by, width;
    if (!cw_shuffle_distance(shuffle, t, &by, &width))
        return false;
    *source = (t & ~31u) + cw_shuffle_lane((enum cw_shfl)shuffle->ins->aux, t % 32, by & 31, width);
    return true;
}

/* ---- why there is nothing ---- */

static uint32_t claim_formula(const struct cw_shuffle *shuffle, uint32_t f) {
    return f == CW_BDD_POISON || cw_bdd_unknown(&shuffle->l->f, f) ? CW_BDD_FALSE : f;
}

static uint32_t exited_source(struct cw_shuffle *shuffle, uint32_t t, uint32_t u) {
    if (u >= shuffle->l->threads || cw_lane_cond_at(shuffle->arrives, u) == CW_BDD_TRUE)
        return CW_BDD_FALSE;
    if (!shuffle->exited)
        shuffle->exited = cw_participation_exited(shuffle->l, shuffle->index, shuffle->context);
    return cw_bdd_and(&shuffle->l->f, cw_lane_cond_at(shuffle->arrives, t), cw_lane_cond_at(shuffle->exited, u));
}

/* A caller outside its own mask is a finding of its own, and so is one who is read although its mask leaves it out. */
static bool masks_are_sound(struct cw_shuffle *shuffle, uint32_t t, uint32_t u) {
    return cw_masks_outside(shuffle->masks, t) == CW_REACH_NO &&
           (u >= shuffle->l->threads || cw_masks_outside(shuffle->masks, u) == CW_REACH_NO);
}

/* The reader's mask leaves its source out, whatever the input is or for some of it. */
static uint32_t unnamed_source(struct cw_shuffle *shuffle, uint32_t t, uint32_t u) {
    const struct cw_mask_row *row = cw_mask_row(shuffle->masks, t);
    bool legacy = cw_arg(shuffle->l->fn, shuffle->ins, 0).tag == CW_REF_UNDEF;
    if (row->guessed || legacy || row->at[u % 32] == CW_BDD_TRUE || row->at[u % 32] == CW_BDD_POISON ||
        !masks_are_sound(shuffle, t, u) || exited_source(shuffle, t, u) != CW_BDD_FALSE)
        return CW_BDD_FALSE;
    return cw_bdd_and(&shuffle->l->f, cw_lane_cond_at(shuffle->arrives, t), cw_bdd_not(row->at[u % 32]));
}

bool cw_shuffle_some_source(struct cw_shuffle *shuffle, uint32_t t, uint32_t *source) {
    uint32_t known, width = width_of(shuffle, t);
    if (shuffle->ins->aux != CW_SHFL_IDX || shuffle->group || width == 0 || cw_shuffle_source(shuffle, t, &known))
        return false;
    struct cw_range by =
        cw_lanes_range_at(shuffle->l, cw_arg(shuffle->l->fn, shuffle->ins, 2), shuffle->context, t);
    for (int64_t n = by.lo; n <= by.hi && by.hi - by.lo < 32; n++) {
        *source = (t & ~31u) + cw_shuffle_lane(CW_SHFL_IDX, t % 32, (uint32_t)n & 31, width);
        if (*source == t || unnamed_source(shuffle, t, *source) == CW_BDD_FALSE)
            return false;
    }
    return by.hi - by.lo < 32;
}

static uint32_t beyond_source(struct cw_shuffle *shuffle, uint32_t t, uint32_t u) {
    if (u < shuffle->l->threads)
        return CW_BDD_FALSE;
    const struct cw_mask_row *row = cw_mask_row(shuffle->masks, t);
    return row->guessed || row->at[u % 32] != CW_BDD_TRUE ? CW_BDD_FALSE : cw_lane_cond_at(shuffle->arrives, t);
}

/* ---- variables that some lanes never assign ---- */

static bool leads_on(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    return ref.tag == CW_REF_UNDEF || (i && i->op == CW_OP_PHI);
}

static const struct cw_lane_cond *find_indeterminate(struct cw_shuffle *s, cw_ref r, const struct cw_context *c,
                                                     uint32_t depth);

/* Over which edges does one come to the phi? */
static const struct cw_lane_cond *brought_over(struct cw_shuffle *shuffle, const struct cw_ins *ins,
                                               const struct cw_context *context, uint32_t depth) {
    const struct cw_fn *fn = shuffle->l->fn;
    const struct cw_lane_cond *f = shuffle->l->memo.nobody;
    uint32_t loop = fn->cfg->loop_of[ins->block];
    bool header = loop != CW_NO_LOOP && fn->cfg->loops.at[loop].header == ins->block;
    if (header && context->iteration > 0)
        return f;
    for (uint32_t k = 0; k < ins->narg; k++) {
        if (!leads_on(fn, cw_arg(fn, ins, k)))
            continue;
        struct cw_edge e = cw_cfg_incoming(fn, ins->block, k);
        if (header && cw_cfg_in_loop(fn->cfg, loop, e.block))
            continue;
        const struct cw_lane_cond *value = find_indeterminate(shuffle, cw_arg(fn, ins, k), context, depth - 1);
        if (cw_lane_cond_is(shuffle->l, value, CW_BDD_FALSE))
            continue;
        const struct cw_lane_cond *way = cw_lane_cond_takes(shuffle->l, e, cw_context_at(shuffle->l, context, e.block));
        f = cw_lane_cond_or(shuffle->l, f, cw_lane_cond_and(shuffle->l, way, value));
    }
    return f;
}

/* The formulas under which threads' values `ref` are indeterminate. What a loop carries round is left alone after its
 * first iteration: it has been computed with, and what comes of that is lanes/undef_flow.h's to follow. */
static const struct cw_lane_cond *find_indeterminate(struct cw_shuffle *shuffle, cw_ref ref,
                                                     const struct cw_context *context, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(shuffle->l->fn, ref);
    uint64_t known;
    if (ref.tag == CW_REF_UNDEF)
        return shuffle->l->memo.everybody;
    if (i == NULL || i->op != CW_OP_PHI || depth == 0)
        return shuffle->l->memo.nobody;
    context = cw_context_at(shuffle->l, context, i->block);
    if (cw_context_missing(shuffle->l, context, i->block) != CW_NO_LOOP)
        return shuffle->l->memo.nobody;
    uint64_t key = cw_mix(cw_mix(cw_context_id(context), ref.index), depth); /* ways to one phi are many */
    if (cw_map_get(&shuffle->undefined, key, &known))
        return (const struct cw_lane_cond *)(uintptr_t)known;
    const struct cw_lane_cond *f = brought_over(shuffle, i, context, depth);
    cw_map_put(&shuffle->undefined, key, (uint64_t)(uintptr_t)f);
    return f;
}

static uint32_t undefined_source(struct cw_shuffle *shuffle, uint32_t t, uint32_t u) {
    if (u >= shuffle->l->threads || !shuffle->may_be_undefined)
        return CW_BDD_FALSE;
    uint32_t both =
        cw_bdd_and(&shuffle->l->f, cw_lane_cond_at(shuffle->arrives, t), cw_lane_cond_at(shuffle->arrives, u));
    return both == CW_BDD_FALSE
               ? both
               : cw_bdd_and(&shuffle->l->f, both,
                            cw_lane_cond_at(find_indeterminate(shuffle, cw_arg(shuffle->l->fn, shuffle->ins, 1),
                                                               shuffle->context, UNDEF_DEPTH),
                                            u));
}

/* Also the other way round, as from an unsigned underflow: a distance is less than the width, or senseless. Of a xor
 * the hardware takes the low five bits, so that ~0 turns the warp round. */
static uint32_t outside_segment(const struct cw_shuffle *shuffle, uint32_t t) {
    uint32_t by, width;
    if (shuffle->ins->aux == CW_SHFL_IDX || !cw_shuffle_distance(shuffle, t, &by, &width) || by < width)
        return CW_BDD_FALSE;
    bool inside = shuffle->ins->aux == CW_SHFL_XOR && by % 32 != 0 && by % 32 < width;
    return inside ? CW_BDD_FALSE : cw_lane_cond_at(shuffle->arrives, t);
}

/* Is the operand a number within the width, which is a number too? Then no launch makes it another. */
static bool is_inside_by_constants(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t by = 0, width = 32;
    bool is_plain = cw_ref_type(fn, cw_arg(fn, ins, 0)) != CW_GROUP;
    if (is_plain && ins->narg > 3 && cw_arg(fn, ins, 3).tag != CW_REF_UNDEF)
        is_plain = cw_ref_const(fn, cw_arg(fn, ins, 3), &width);
    return is_plain && cw_ref_const(fn, cw_arg(fn, ins, 2), &by) && by >= 0 && by < width;
}

bool cw_shuffle_may_fault(const struct cw_fn *fn, uint32_t ins, enum cw_source_fault fault) {
    const struct cw_ins *i = &fn->ins.at[ins];
    int64_t mask = 0;
    switch (fault) {
    case CW_SOURCE_UNNAMED:
        return cw_arg(fn, i, 0).tag != CW_REF_UNDEF &&
               !(cw_ref_const(fn, cw_arg(fn, i, 0), &mask) && (uint32_t)mask == UINT32_MAX);
    case CW_SOURCE_EXITED: return cw_cfg_exits_before(fn, i->block)->n > 0;
    case CW_SOURCE_UNDEF: return may_be_undefined(fn, cw_arg(fn, i, 1));
    case CW_SOURCE_OUTSIDE: return i->aux != CW_SHFL_IDX && !is_inside_by_constants(fn, i);
    default: return true;
    }
}

bool cw_shuffle_may_fault_under(const struct cw_lanes *lanes, enum cw_source_fault fault) {
    return fault != CW_SOURCE_BEYOND || lanes->threads % 32 != 0;
}

uint32_t cw_shuffle_fault(struct cw_shuffle *shuffle, uint32_t t, enum cw_source_fault fault) {
    uint32_t u;
    if (fault == CW_SOURCE_OUTSIDE)
        return claim_formula(shuffle, outside_segment(shuffle, t));
    if (cw_lane_cond_at(shuffle->arrives, t) == CW_BDD_FALSE)
        return CW_BDD_FALSE;
    if (fault == CW_SOURCE_UNNAMED && cw_shuffle_some_source(shuffle, t, &u))
        return claim_formula(shuffle, cw_lane_cond_at(shuffle->arrives, t));
    if (!cw_shuffle_source(shuffle, t, &u) || u == t)
        return CW_BDD_FALSE;
    switch (fault) {
    case CW_SOURCE_UNNAMED: return claim_formula(shuffle, unnamed_source(shuffle, t, u));
    case CW_SOURCE_EXITED: return claim_formula(shuffle, exited_source(shuffle, t, u));
    case CW_SOURCE_BEYOND: return claim_formula(shuffle, beyond_source(shuffle, t, u));
    case CW_SOURCE_UNDEF: return claim_formula(shuffle, undefined_source(shuffle, t, u));
    default: return CW_BDD_FALSE;
    }
}
