/* See groups.h. */
#include "faults/groups.h"

#include "lanes/facts_print.h"
#include "lanes/participation.h"
#include "uniformity/reachable_ops.h"
#include "launch/for_each_launch.h"

/* ---- made where some do not come ---- */

enum { SAMPLES = 2, MAX_NEST = 8 };

static const struct cw_ins *parent_of(const struct cw_fn *fn, const struct cw_ins *ins) {
    const struct cw_ins *p = ins->narg > 0 ? cw_ins_of(fn, cw_arg(fn, ins, 0)) : NULL;
    return p && p->op == CW_OP_GROUP ? p : NULL;
}

static bool is_collective_making(const struct cw_fn *fn, const struct cw_ins *ins) {
    for (uint32_t depth = 0; depth < MAX_NEST && ins && ins->aux != CW_GROUP_COALESCED && ins->aux != CW_GROUP_THREAD;
         depth++) {
        if (ins->aux == CW_GROUP_BLOCK || ins->aux == CW_GROUP_GRID || ins->aux == CW_GROUP_CLUSTER)
            return true;
        ins = parent_of(fn, ins);
    }
    return false;
}

/* Do some of `size` neighbouring lanes come and others not? *warp: of the witness. */
static bool parts_lanes(const struct cw_lanes *lanes, const struct cw_participation *participation, uint32_t size,
                        uint32_t *warp) {
    uint32_t tile = size < 32 ? (1u << size) - 1 : UINT32_MAX;
    for (*warp = 0; *warp * 32 < cw_lanes_count(lanes); ++*warp) {
        uint32_t data = cw_participation_lanes(participation, lanes, *warp, CW_DATA);
        uint32_t in = cw_participation_lanes(participation, lanes, *warp, CW_ARRIVES) | data;
        uint32_t out = cw_participation_lanes(participation, lanes, *warp, CW_ELSEWHERE) | data;
        for (uint32_t at = 0; at < 32; at += size)
            if ((in >> at & tile) != 0 && (out >> at & tile) != 0 && __builtin_popcount((in | out) >> at & tile) > 1)
                return true;
    }
    return false;
}

static uint32_t tile_size(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t size;
    bool known = ins->aux == CW_GROUP_TILE && ins->narg > 1 && cw_ref_const(fn, cw_arg(fn, ins, 1), &size);
    return known && size >= 1 && size < 32 ? (uint32_t)size : 32;
}

/* The lanes that must come together: those of the tile, or of the tile that is parted by a label. */
static uint32_t lanes_needed(const struct cw_fn *fn, const struct cw_ins *ins) {
    const struct cw_ins *parent = parent_of(fn, ins);
    bool is_part = (ins->aux == CW_GROUP_BINARY || ins->aux == CW_GROUP_LABELED) && parent;
    return tile_size(fn, is_part ? parent : ins);
}

struct parting {
    struct cw_lanes *lanes;
    const struct cw_participation *at;
    uint32_t warp;
    bool definite;
};

static bool is_parted(const struct cw_kernel_query *query, uint32_t ins, uint32_t size, struct parting *out) {
    struct cw_survey s = cw_survey_of_warps(query->launches);
    while (cw_survey_next(&s)) {
        bool found = false;
        for (uint32_t sample = 0; sample < SAMPLES && !found; sample++) {
            struct cw_lanes *l = query->lanes(query->owner, s.launch, sample);
            const struct cw_participation *p = l ? cw_participation(l, ins, NULL, query->arena) : NULL;
            uint32_t warp;
            found = p != NULL && parts_lanes(l, p, size, &warp);
            if (found && cw_survey_shown(&s))
                *out = (struct parting){l, p, warp, false};
        }
    }
    out->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

/* Has every thread made the same implicit group before, where all of them come? A handle that is made once more, as in
 * `i += this_grid().size()`, is the one that there is. */
static bool is_made_again(const struct cw_kernel_query *query, const struct cw_vec_u32 *groups, uint32_t ins) {
    const struct cw_fn *fn = query->fn;
    const struct cw_ins *i = &fn->ins.at[ins];
    if (i->aux != CW_GROUP_BLOCK && i->aux != CW_GROUP_GRID && i->aux != CW_GROUP_CLUSTER)
        return false;
    for (uint32_t k = 0; k < groups->n; k++) {
        const struct cw_ins *before = &fn->ins.at[groups->at[k]];
        if (before->aux == i->aux && query->uniformity->control_live[before->block] <= CW_UNI_BLOCK &&
            cw_cfg_ins_dominates(fn, groups->at[k], ins))
            return true;
    }
    return false;
}

static bool looks_parted(const struct cw_kernel_query *query, const struct cw_vec_u32 *groups, uint32_t ins,
                         struct parting *parting, bool *missed) {
    const struct cw_ins *i = &query->fn->ins.at[ins], *parent = parent_of(query->fn, i);
    const uint8_t *live = query->uniformity->control_live;
    if (live[i->block] <= CW_UNI_BLOCK || !is_collective_making(query->fn, i) ||
        is_made_again(query, groups, ins))
        return false;
    if (parent && live[parent->block] > CW_UNI_BLOCK &&
        !is_made_again(query, groups, (uint32_t)(parent - query->fn->ins.at)))
        return false; /* told of the parent */
    bool within_warp = parent && parent->aux == CW_GROUP_TILE; /* all threads of the parent have to come, no others */
    *missed = live[i->block] > CW_UNI_WARP && is_parted(query, ins, lanes_needed(query->fn, i), parting);
    if (live[i->block] <= CW_UNI_WARP)
        return !within_warp;
    return *missed || is_parted(query, ins, within_warp ? tile_size(query->fn, parent) : 32,
                                parting); /* else whole tiles or warps part */
}

struct cw_parted_groups cw_parted_groups_of(const struct cw_kernel_query *query) {
    struct cw_parted_groups found = {{0}};
    struct cw_vec_u32 groups = {0};
    if (query->fn->cfg->is_irreducible)
        return found;
    groups = cw_reachable_ops(query->fn, CW_OP_GROUP, query->arena);
    for (uint32_t k = 0; k < groups.n; k++) {
        struct parting p = {0};
        bool missed = false;
        if (!looks_parted(query, &groups, groups.at[k], &p, &missed))
            continue;
        struct cw_parted_group g = {groups.at[k], missed && p.definite, p.lanes, p.at, p.warp};
        cw_vec_push(query->arena, &found.at, g);
    }
    return found;
}

/* ---- taken along out of a branch ---- */

/* Under the same branch: did the first group's lanes include those that made the second one? */
static bool replaces_group(const struct cw_fn *fn, const struct cw_uniformity *uniformity, const struct cw_ins *old,
                           const struct cw_ins *made, uint32_t join) {
    return old != made && made->op == CW_OP_GROUP && made->aux == CW_GROUP_COALESCED && old->op == CW_OP_GROUP &&
           old->aux != CW_GROUP_THREAD && cw_cfg_dominates(fn->cfg, old->block, made->block) &&
           cw_cfg_dominates(fn->cfg, old->block, join) && !cw_cfg_dominates(fn->cfg, made->block, join) &&
           uniformity->control_live[made->block] > CW_UNI_WARP &&
           fn->cfg->loop_of[made->block] == fn->cfg->loop_of[join];
}

/* The group that was made in the branch, if `phi` is it or an earlier one; *old: the earlier one. */
static const struct cw_ins *find_escaped(const struct cw_kernel_query *query, const struct cw_ins *phi,
                                         const struct cw_ins **old) {
    const struct cw_fn *fn = query->fn;
    for (uint32_t k = 0; k < phi->narg; k++)
        for (uint32_t j = 0; j < phi->narg; j++) {
            const struct cw_ins *made = cw_ins_of(fn, cw_arg(fn, phi, k));
            *old = cw_ins_of(fn, cw_arg(fn, phi, j));
            if (made && *old && replaces_group(fn, query->uniformity, *old, made, phi->block))
                return made;
        }
    return NULL;
}

/* Do lanes of one warp part at the place where the group is made? First iteration. */
static bool lanes_part(const struct cw_kernel_query *query, uint32_t ins) {
    struct cw_survey s = cw_survey_of_warps(query->launches);
    while (cw_survey_next(&s)) {
        struct cw_lanes *l = query->lanes(query->owner, s.launch, 0);
        const struct cw_participation *p = l ? cw_participation(l, ins, NULL, query->arena) : NULL;
        if (p && (p->count[CW_DATA] > 0 || (p->count[CW_ARRIVES] > 0 && p->count[CW_ELSEWHERE] > 0)))
            cw_survey_shown(&s);
    }
    return cw_survey_definite(&s);
}

static void look_at(const struct cw_kernel_query *query, uint32_t ins, struct cw_escaped_groups *found) {
    const struct cw_fn *fn = query->fn;
    const struct cw_ins *phi = cw_ins_of(fn, cw_arg(fn, &fn->ins.at[ins], 0)), *old, *made;
    if (!phi || phi->op != CW_OP_PHI || phi->type != CW_GROUP || (made = find_escaped(query, phi, &old)) == NULL)
        return;
    struct cw_escaped_group g = {.ins = ins,
                                 .made = (uint32_t)(made - fn->ins.at),
                                 .earlier = (uint32_t)(old - fn->ins.at)};
    g.definite = lanes_part(query, g.made);
    cw_vec_push(query->arena, &found->at, g);
}

/* Of several calls of one escaped group, the first is told. */
struct cw_escaped_groups cw_escaped_groups_of(const struct cw_kernel_query *query) {
    struct cw_escaped_groups found = {{0}};
    struct cw_bitset told = cw_bitset_new(query->arena, query->fn->ins.n);
    struct cw_vec_u32 calls = {0};
    if (query->fn->cfg->is_irreducible)
        return found;
    calls = cw_reachable_collectives(query->fn, query->arena);
    for (uint32_t k = 0; k < calls.n; k++) {
        const struct cw_ins *i = &query->fn->ins.at[calls.at[k]];
        cw_ref group = i->narg > 0 ? cw_arg(query->fn, i, 0) : CW_NONE;
        if (group.tag != CW_REF_INS || cw_bitset_has(&told, group.index))
            continue;
        cw_bitset_add(&told, group.index);
        look_at(query, calls.at[k], &found);
    }
    return found;
}

/* ---- text form ---- */

void cw_parted_groups_print(const struct cw_facts_print *to, const struct cw_parted_groups *groups) {
    for (uint32_t k = 0; k < groups->at.n; k++) {
        const struct cw_parted_group *group = &groups->at.at[k];
        cw_facts_begin(to, group->definite, group->lanes ? "group created by part of its threads"
                                                         : "group created by part of its warps");
        cw_facts_ins(to, "", group->ins);
        cw_facts_presence(to, group->lanes ? group->at : NULL, group->warp);
        cw_facts_evaluator(to, group->lanes);
        cw_facts_end(to);
    }
}

void cw_escaped_groups_print(const struct cw_facts_print *to, const struct cw_escaped_groups *groups) {
    for (uint32_t k = 0; k < groups->at.n; k++) {
        const struct cw_escaped_group *group = &groups->at.at[k];
        cw_facts_begin(to, group->definite, "group used after the branch that created it");
        cw_facts_ins(to, "", group->ins);
        cw_facts_ins(to, "created by", group->made);
        cw_facts_ins(to, "or by", group->earlier);
        cw_facts_end(to);
    }
}
