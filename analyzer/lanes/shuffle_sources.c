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
static bool may_be_undefined(const struct cw_fn *fn, cw_ref r) {
    uint32_t seen[UNDEF_PHIS], n = 0, at = 0;
    for (;;) {
        const struct cw_ins *i = cw_ins_of(fn, r);
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
            return r.tag == CW_REF_UNDEF;
        r = cw_ref_ins(seen[at++]);
    }
}

struct cw_shuffle *cw_shuffle_new(struct cw_lanes *l, uint32_t ins, const struct cw_context *context,
                                  struct cw_arena *a) {
    struct cw_shuffle *s = CW_NEW(a, struct cw_shuffle);
    const struct cw_ins *i = &l->fn->ins.at[ins];
    *s = (struct cw_shuffle){.l = l, .ins = i, .index = ins, .masks = cw_masks_new(l, ins, context, a)};
    s->context = cw_masks_context(s->masks);
    cw_map_init(&s->undefined, a);
    s->arrives = cw_participation_arrives(l, ins, s->context);
    s->may_be_undefined = may_be_undefined(l->fn, cw_arg(l->fn, i, 1));
    s->by = cw_lane_value_of(l, cw_arg(l->fn, i, 2), s->context);
    s->group = cw_ref_type(l->fn, cw_arg(l->fn, i, 0)) == CW_GROUP;
    if (!s->group && i->narg > 3 && cw_arg(l->fn, i, 3).tag != CW_REF_UNDEF)
        s->width = cw_lane_value_of(l, cw_arg(l->fn, i, 3), s->context);
    return s;
}

const struct cw_context *cw_shuffle_context(const struct cw_shuffle *s) {
    return s->context;
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
static uint32_t group_width(const struct cw_shuffle *s, uint32_t t) {
    struct cw_team g = cw_lanes_team(s->l, cw_arg(s->l->fn, s->ins, 0), s->context, t);
    if (!g.known || !g.in_warp || g.size == 0 || g.size > 32 || (g.size & (g.size - 1)) != 0)
        return 0;
    uint32_t all = g.size == 32 ? UINT32_MAX : ((1u << g.size) - 1) << (t % 32 & ~(g.size - 1));
    return g.lanes == all ? g.size : 0;
}

static uint32_t width_of(const struct cw_shuffle *s, uint32_t t) {
    if (s->group)
        return group_width(s, t);
    if (!s->width)
        return 32;
    struct cw_cell w = cw_lane_value_cell(s->width, t);
    bool fine = w.known == CW_NUMBER && w.value > 0 && w.value <= 32 && (w.value & (w.value - 1)) == 0;
    return fine ? (uint32_t)w.value : 0;
}

bool cw_shuffle_distance(const struct cw_shuffle *s, uint32_t t, uint32_t *by, uint32_t *width) {
    struct cw_cell b = cw_lane_value_cell(s->by, t);
    *width = b.known == CW_NUMBER ? width_of(s, t) : 0;
    *by = (uint32_t)b.value;
    return *width != 0;
}

bool cw_shuffle_source(const struct cw_shuffle *s, uint32_t t, uint32_t *source) {
    uint32_t by, width;
    if (!cw_shuffle_distance(s, t, &by, &width))
        return false;
    *source = (t & ~31u) + cw_shuffle_lane((enum cw_shfl)s->ins->aux, t % 32, by & 31, width);
    return true;
}

/* ---- why there is nothing ---- */

static uint32_t claimed(const struct cw_shuffle *s, uint32_t f) {
    return f == CW_BDD_POISON || cw_bdd_unknown(&s->l->f, f) ? CW_BDD_FALSE : f;
}

static uint32_t exited(struct cw_shuffle *s, uint32_t t, uint32_t u) {
    if (u >= s->l->threads || cw_lane_cond_at(s->arrives, u) == CW_BDD_TRUE)
        return CW_BDD_FALSE;
    if (!s->exited)
        s->exited = cw_participation_exited(s->l, s->index, s->context);
    return cw_bdd_and(&s->l->f, cw_lane_cond_at(s->arrives, t), cw_lane_cond_at(s->exited, u));
}

/* A caller outside its own mask is a finding of its own, and so is one who is read although its mask leaves it out. */
static bool masks_are_sound(struct cw_shuffle *s, uint32_t t, uint32_t u) {
    return cw_masks_outside(s->masks, t) == CW_REACH_NO &&
           (u >= s->l->threads || cw_masks_outside(s->masks, u) == CW_REACH_NO);
}

/* Whatever the input, the reader's mask leaves its source out. */
static uint32_t unnamed(struct cw_shuffle *s, uint32_t t, uint32_t u) {
    const struct cw_mask_row *row = cw_mask_row(s->masks, t);
    bool legacy = cw_arg(s->l->fn, s->ins, 0).tag == CW_REF_UNDEF;
    if (row->guessed || legacy || row->at[u % 32] != CW_BDD_FALSE || !masks_are_sound(s, t, u) ||
        exited(s, t, u) != CW_BDD_FALSE)
        return CW_BDD_FALSE;
    return cw_lane_cond_at(s->arrives, t);
}

static uint32_t beyond(struct cw_shuffle *s, uint32_t t, uint32_t u) {
    if (u < s->l->threads)
        return CW_BDD_FALSE;
    const struct cw_mask_row *row = cw_mask_row(s->masks, t);
    return row->guessed || row->at[u % 32] != CW_BDD_TRUE ? CW_BDD_FALSE : cw_lane_cond_at(s->arrives, t);
}

/* ---- variables that some lanes never assign ---- */

static bool leads_on(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    return r.tag == CW_REF_UNDEF || (i && i->op == CW_OP_PHI);
}

static const struct cw_lane_cond *indeterminate(struct cw_shuffle *s, cw_ref r, const struct cw_context *c,
                                                uint32_t depth);

/* Over which edges does one come to the phi? */
static const struct cw_lane_cond *brought(struct cw_shuffle *s, const struct cw_ins *i, const struct cw_context *c,
                                          uint32_t depth) {
    const struct cw_fn *fn = s->l->fn;
    const struct cw_lane_cond *f = s->l->nobody;
    uint32_t loop = fn->cfg->loop_of[i->block];
    bool header = loop != CW_NO_LOOP && fn->cfg->loops.at[loop].header == i->block;
    if (header && c->iteration > 0)
        return f;
    for (uint32_t k = 0; k < i->narg; k++) {
        if (!leads_on(fn, cw_arg(fn, i, k)))
            continue;
        struct cw_edge e = cw_lanes_incoming(fn, i->block, k);
        if (header && cw_cfg_in_loop(fn->cfg, loop, e.block))
            continue;
        const struct cw_lane_cond *value = indeterminate(s, cw_arg(fn, i, k), c, depth - 1);
        if (cw_lane_cond_is(s->l, value, CW_BDD_FALSE))
            continue;
        const struct cw_lane_cond *way = cw_lane_cond_takes(s->l, e, cw_context_at(s->l, c, e.block));
        f = cw_lane_cond_or(s->l, f, cw_lane_cond_and(s->l, way, value));
    }
    return f;
}

/* The formulas under which threads' values `r` are indeterminate. What a loop carries round is left alone after its
 * first iteration: it has been computed with, and what comes of that is lanes/undef_flow.h's to follow. */
static const struct cw_lane_cond *indeterminate(struct cw_shuffle *s, cw_ref r, const struct cw_context *c,
                                                uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(s->l->fn, r);
    uint64_t known;
    if (r.tag == CW_REF_UNDEF)
        return s->l->everybody;
    if (i == NULL || i->op != CW_OP_PHI || depth == 0)
        return s->l->nobody;
    c = cw_context_at(s->l, c, i->block);
    if (cw_context_missing(s->l, c, i->block) != CW_NO_LOOP)
        return s->l->nobody;
    uint64_t key = cw_mix(cw_mix(cw_context_id(c), r.index), depth); /* ways to one phi are many */
    if (cw_map_get(&s->undefined, key, &known))
        return (const struct cw_lane_cond *)(uintptr_t)known;
    const struct cw_lane_cond *f = brought(s, i, c, depth);
    cw_map_put(&s->undefined, key, (uint64_t)(uintptr_t)f);
    return f;
}

static uint32_t undefined(struct cw_shuffle *s, uint32_t t, uint32_t u) {
    if (u >= s->l->threads || !s->may_be_undefined)
        return CW_BDD_FALSE;
    uint32_t both = cw_bdd_and(&s->l->f, cw_lane_cond_at(s->arrives, t), cw_lane_cond_at(s->arrives, u));
    return both == CW_BDD_FALSE
               ? both
               : cw_bdd_and(&s->l->f, both,
                            cw_lane_cond_at(indeterminate(s, cw_arg(s->l->fn, s->ins, 1), s->context, UNDEF_DEPTH), u));
}

/* Also the other way round, as from an unsigned underflow: a distance is less than the width, or senseless. Of a xor
 * the hardware takes the low five bits, so that ~0 turns the warp round. */
static uint32_t outside(const struct cw_shuffle *s, uint32_t t) {
    uint32_t by, width;
    if (s->ins->aux == CW_SHFL_IDX || !cw_shuffle_distance(s, t, &by, &width) || by < width)
        return CW_BDD_FALSE;
    bool inside = s->ins->aux == CW_SHFL_XOR && by % 32 != 0 && by % 32 < width;
    return inside ? CW_BDD_FALSE : cw_lane_cond_at(s->arrives, t);
}

uint32_t cw_shuffle_fault(struct cw_shuffle *s, uint32_t t, enum cw_source_fault fault) {
    uint32_t u;
    if (fault == CW_SOURCE_OUTSIDE)
        return claimed(s, outside(s, t));
    if (cw_lane_cond_at(s->arrives, t) == CW_BDD_FALSE || !cw_shuffle_source(s, t, &u) || u == t)
        return CW_BDD_FALSE;
    switch (fault) {
    case CW_SOURCE_UNNAMED: return claimed(s, unnamed(s, t, u));
    case CW_SOURCE_EXITED: return claimed(s, exited(s, t, u));
    case CW_SOURCE_BEYOND: return claimed(s, beyond(s, t, u));
    case CW_SOURCE_UNDEF: return claimed(s, undefined(s, t, u));
    default: return CW_BDD_FALSE;
    }
}
