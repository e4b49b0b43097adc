/* Does the first block of a grid deserve a look of its own?
 *
 * Blocks are looked at as unknowns are: what holds in an inner one holds. But a place that is the same in all blocks,
 * `y[n]`, meets one that moves with the block, `y[i]`, in some block only, and what block 0 does for all (`if (i == 0)
 * *count = 0;`) happens nowhere else. Block 0 is in every grid, so a race in it is one whatever the others do.
 *
 * requires: SSA, fn->cfg. computes: whether two accesses of one array of device memory, one of them a write, depend on
 * blockIdx in different ways. preserves: everything. */
#include "races/races_internal.h"

enum { ROOTS_MAX = 32 };

struct root {
    struct cw_base base;
    bool written;
    uint32_t ways; /* a bit for each way of depending: 1 by the address, 2 by a condition, as a number */
    uint32_t block; /* of the first access */
    bool apart;    /* others stand in other blocks, below other conditions perhaps */
};

struct search {
    const struct cw_fn *fn;
    const struct cw_roles *roles;
    struct cw_bitset moves; /* instructions whose value is made from blockIdx */
    struct root at[ROOTS_MAX];
    uint32_t n;
};

static bool is_moving(const struct search *search, cw_ref ref) {
    return cw_is_block_index(ref) || (ref.tag == CW_REF_INS && cw_bitset_has(&search->moves, ref.index));
}

static bool has_moving_operand(const struct search *search, const struct cw_ins *ins) {
    for (uint32_t k = 0; k < ins->narg; k++)
        if (is_moving(search, cw_arg(search->fn, ins, k)))
            return true;
    return false;
}

static void find_moving(struct search *search) {
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t k = 0; k < search->fn->cfg->nrpo; k++) {
            const struct cw_vec_u32 *list = &search->fn->blocks.at[search->fn->cfg->rpo[k]].ins;
            for (uint32_t n = 0; n < list->n; n++)
                if (!cw_bitset_has(&search->moves, list->at[n]) &&
                    has_moving_operand(search, &search->fn->ins.at[list->at[n]])) {
                    cw_bitset_add(&search->moves, list->at[n]);
                    grew = true;
                }
        }
    }
}

struct guard {
    const struct search *search;
    bool moves;
};

static bool see_branch(void *ctx, struct cw_edge edge) {
    struct guard *g = ctx;
    g->moves |= is_moving(g->search, g->search->fn->blocks.at[edge.block].jump.value);
    return !g->moves;
}

static bool is_far(const struct cw_fn *fn, const struct cw_base *base) {
    if (base->root.tag == CW_REF_PARAM || base->is_read)
        return true;
    return base->root.tag == CW_REF_OBJECT && fn->objects.at[base->root.index].space == CW_SPACE_GLOBAL;
}

static struct root *root_of(struct search *search, const struct cw_base *base, uint32_t block) {
    for (uint32_t k = 0; k < search->n; k++)
        if (cw_ref_eq(search->at[k].base.root, base->root) && search->at[k].base.is_read == base->is_read &&
            search->at[k].base.field == base->field)
            return &search->at[k];
    if (search->n == ROOTS_MAX)
        return NULL;
    search->at[search->n] = (struct root){.base = *base, .block = block};
    return &search->at[search->n++];
}

static void note_access(struct search *search, const struct cw_ins *ins, const struct cw_access *acc) {
    struct cw_bases bases = cw_memory_bases(search->fn, acc->pointer);
    struct guard g = {search, false};
    for (uint32_t b = 0; b < bases.n; b++) {
        struct root *root = is_far(search->fn, &bases.at[b]) ? root_of(search, &bases.at[b], ins->block) : NULL;
        if (!root)
            continue;
        if (!g.moves)
            cw_cfg_controls(search->fn, ins->block, see_branch, &g);
        root->written |= acc->writes;
        root->apart |= root->block != ins->block;
        root->ways |= 1u << (is_moving(search, acc->pointer) + 2 * g.moves);
    }
}

static bool is_split(const struct root *root) {
    bool stays = root->ways & 5; /* some address is the same in all blocks */
    bool differ = (root->ways & (root->ways - 1)) != 0 || (root->ways == 4 && root->apart);
    return root->written && stays && differ;
}

bool cw_races_first_block(const struct cw_fn *fn, const struct cw_roles *roles, struct cw_arena *a) {
    struct search s = {.fn = fn, .roles = roles, .moves = cw_bitset_new(a, fn->ins.n)};
    if (fn->kind != CW_FN_KERNEL)
        return false;
    find_moving(&s);
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        struct cw_access acc[2];
        if (roles->kind[k] != CW_STEP_ACCESS)
            continue;
        for (uint32_t n = cw_memory_accesses(fn, &fn->ins.at[k], acc); n-- > 0;)
            note_access(&s, &fn->ins.at[k], &acc[n]);
    }
    for (uint32_t k = 0; k < s.n; k++)
        if (is_split(&s.at[k]))
            return true;
    return false;
}

/* ---- the same bytes in all blocks ---- */

struct sameness {
    const struct cw_fn *fn;
    const struct cw_uniformity *uniformity;
    struct cw_arena *arena;
    struct cw_bitset seen; /* instructions in `open`, before or now */
    struct cw_vec_u32 open;
    bool differs;
};

static void see_value(struct sameness *sameness, cw_ref ref) {
    sameness->differs |= ref.tag == CW_REF_UNDEF || cw_is_block_index(ref);
    if (ref.tag != CW_REF_INS || cw_bitset_has(&sameness->seen, ref.index) ||
        cw_uni_of(sameness->uniformity, ref) <= CW_UNI_GRID)
        return;
    cw_bitset_add(&sameness->seen, ref.index);
    cw_vec_push(sameness->arena, &sameness->open, ref.index);
}

static bool see_decision(void *ctx, struct cw_edge edge) {
    struct sameness *s = ctx;
    see_value(s, s->fn->blocks.at[edge.block].jump.value);
    return !s->differs;
}

/* The value of a thread is the same in all blocks when it is computed from values that are the same in the grid and
 * from the thread's index in its block, in branches of such values. */
static void see_operands(struct sameness *sameness, const struct cw_ins *ins) {
    sameness->differs |= !(cw_op_flags(ins->op) & CW_OP_P);
    for (uint32_t k = 0; k < ins->narg; k++)
        see_value(sameness, cw_arg(sameness->fn, ins, k));
    const struct cw_vec_u32 *from = &sameness->fn->blocks.at[ins->block].pred;
    for (uint32_t k = 0; ins->op == CW_OP_PHI && k < from->n; k++)
        cw_cfg_controls(sameness->fn, from->at[k], see_decision, sameness);
}

static void see_access(struct sameness *sameness, uint32_t ins) {
    struct cw_access acc[2];
    const struct cw_ins *i = &sameness->fn->ins.at[ins];
    for (uint32_t k = cw_memory_accesses(sameness->fn, i, acc); k-- > 0;)
        see_value(sameness, acc[k].pointer);
    cw_cfg_controls(sameness->fn, i->block, see_decision, sameness);
    while (sameness->open.n && !sameness->differs)
        see_operands(sameness, &sameness->fn->ins.at[sameness->open.at[--sameness->open.n]]);
}

bool cw_races_in_all_blocks(const struct cw_race_search *race_search, const struct cw_conflict *conflict) {
    struct sameness s = {.fn = race_search->q->fn,
                         .uniformity = race_search->q->uniformity,
                         .arena = race_search->q->arena,
                         .seen = cw_bitset_new(race_search->q->arena, race_search->q->fn->ins.n)};
    bool is_global =
        conflict->root.tag != CW_REF_OBJECT || s.fn->objects.at[conflict->root.index].space == CW_SPACE_GLOBAL;
    if (s.fn->kind != CW_FN_KERNEL || !is_global)
        return false;
    see_access(&s, conflict->first);
    see_access(&s, conflict->second);
    return !s.differs;
}
