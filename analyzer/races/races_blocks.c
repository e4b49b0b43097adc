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

static bool is_moving(const struct search *s, cw_ref r) {
    if (r.tag == CW_REF_SREG)
        return r.index >= CW_CTAID_X && r.index <= CW_CTAID_Z;
    return r.tag == CW_REF_INS && cw_bitset_has(&s->moves, r.index);
}

static bool has_moving_operand(const struct search *s, const struct cw_ins *i) {
    for (uint32_t k = 0; k < i->narg; k++)
        if (is_moving(s, cw_arg(s->fn, i, k)))
            return true;
    return false;
}

static void find_moving(struct search *s) {
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t k = 0; k < s->fn->cfg->nrpo; k++) {
            const struct cw_vec_u32 *list = &s->fn->blocks.at[s->fn->cfg->rpo[k]].ins;
            for (uint32_t n = 0; n < list->n; n++)
                if (!cw_bitset_has(&s->moves, list->at[n]) && has_moving_operand(s, &s->fn->ins.at[list->at[n]])) {
                    cw_bitset_add(&s->moves, list->at[n]);
                    grew = true;
                }
        }
    }
}

struct guard {
    const struct search *search;
    bool moves;
};

static bool see_branch(void *ctx, struct cw_edge e) {
    struct guard *g = ctx;
    g->moves |= is_moving(g->search, g->search->fn->blocks.at[e.block].jump.value);
    return !g->moves;
}

static bool is_far(const struct cw_fn *fn, const struct cw_base *b) {
    if (b->root.tag == CW_REF_PARAM || b->is_read)
        return true;
    return b->root.tag == CW_REF_OBJECT && fn->objects.at[b->root.index].space == CW_SPACE_GLOBAL;
}

static struct root *root_of(struct search *s, const struct cw_base *b, uint32_t block) {
    for (uint32_t k = 0; k < s->n; k++)
        if (cw_ref_eq(s->at[k].base.root, b->root) && s->at[k].base.is_read == b->is_read &&
            s->at[k].base.field == b->field)
            return &s->at[k];
    if (s->n == ROOTS_MAX)
        return NULL;
    s->at[s->n] = (struct root){.base = *b, .block = block};
    return &s->at[s->n++];
}

static void note_access(struct search *s, const struct cw_ins *i, const struct cw_access *acc) {
    struct cw_bases bases = cw_memory_bases(s->fn, acc->pointer);
    struct guard g = {s, false};
    for (uint32_t b = 0; b < bases.n; b++) {
        struct root *root = is_far(s->fn, &bases.at[b]) ? root_of(s, &bases.at[b], i->block) : NULL;
        if (!root)
            continue;
        if (!g.moves)
            cw_cfg_controls(s->fn, i->block, see_branch, &g);
        root->written |= acc->writes;
        root->apart |= root->block != i->block;
        root->ways |= 1u << (is_moving(s, acc->pointer) + 2 * g.moves);
    }
}

static bool is_split(const struct root *r) {
    bool stays = r->ways & 5; /* some address is the same in all blocks */
    bool differ = (r->ways & (r->ways - 1)) != 0 || (r->ways == 4 && r->apart);
    return r->written && stays && differ;
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

static void see_value(struct sameness *s, cw_ref r) {
    s->differs |= r.tag == CW_REF_UNDEF || (r.tag == CW_REF_SREG && r.index >= CW_CTAID_X && r.index <= CW_CTAID_Z);
    if (r.tag != CW_REF_INS || cw_bitset_has(&s->seen, r.index) || cw_uni_of(s->uniformity, r) <= CW_UNI_GRID)
        return;
    cw_bitset_add(&s->seen, r.index);
    cw_vec_push(s->arena, &s->open, r.index);
}

static bool see_decision(void *ctx, struct cw_edge e) {
    struct sameness *s = ctx;
    see_value(s, s->fn->blocks.at[e.block].jump.value);
    return !s->differs;
}

/* The value of a thread is the same in all blocks when it is computed from values that are the same in the grid and
 * from the thread's index in its block, in branches of such values. */
static void see_operands(struct sameness *s, const struct cw_ins *i) {
    s->differs |= !(cw_op_flags(i->op) & CW_OP_P);
    for (uint32_t k = 0; k < i->narg; k++)
        see_value(s, cw_arg(s->fn, i, k));
    const struct cw_vec_u32 *from = &s->fn->blocks.at[i->block].pred;
    for (uint32_t k = 0; i->op == CW_OP_PHI && k < from->n; k++)
        cw_cfg_controls(s->fn, from->at[k], see_decision, s);
}

static void see_access(struct sameness *s, uint32_t ins) {
    struct cw_access acc[2];
    const struct cw_ins *i = &s->fn->ins.at[ins];
    for (uint32_t k = cw_memory_accesses(s->fn, i, acc); k-- > 0;)
        see_value(s, acc[k].pointer);
    cw_cfg_controls(s->fn, i->block, see_decision, s);
    while (s->open.n && !s->differs)
        see_operands(s, &s->fn->ins.at[s->open.at[--s->open.n]]);
}

bool cw_races_in_all_blocks(const struct cw_race_search *r, const struct cw_conflict *m) {
    struct sameness s = {.fn = r->q->fn, .uniformity = r->q->uniformity, .arena = r->q->arena,
                         .seen = cw_bitset_new(r->q->arena, r->q->fn->ins.n)};
    bool is_global = m->root.tag != CW_REF_OBJECT || s.fn->objects.at[m->root.index].space == CW_SPACE_GLOBAL;
    if (s.fn->kind != CW_FN_KERNEL || !is_global)
        return false;
    see_access(&s, m->first);
    see_access(&s, m->second);
    return !s.differs;
}
