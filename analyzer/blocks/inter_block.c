/* See inter_block.h: the launches of a kernel, one fault for each missing thing, and the text form. */
#include "blocks/inter_block_internal.h"

#include "lanes/facts_print.h"

enum { LAUNCHES_MAX = 3 };

static bool is_same_lack(const struct cw_block_fault *fault, const struct cw_block_fault *other) {
    if (fault->rests_on_sizes && other->rests_on_sizes && cw_ref_eq(fault->base, other->base))
        return true;
    return fault->kind == other->kind && (fault->culprit != UINT32_MAX ? other->culprit == fault->culprit
                                                                       : other->second.ins == fault->second.ins);
}

/* One fault for each missing thing at one place: of a conflict's many pairs the first is told, or the first one that is
 * sure. */
static void drop_repeated(struct cw_block_faults *out) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < out->at.n; k++) {
        const struct cw_block_fault *f = &out->at.at[k];
        uint32_t n = 0;
        while (n < kept && !is_same_lack(f, &out->at.at[n]))
            n++;
        if (n == kept)
            out->at.at[kept++] = *f;
        else if (f->definite && !out->at.at[n].definite)
            out->at.at[n] = *f;
    }
    out->at.n = kept;
}

static bool has_write(const struct inter *inter) {
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        if (inter->d.at.at[k].writes)
            return true;
    return false;
}

/* Is there a wait, a loop that polls, a barrier of the grid, or an atomic of block scope? Without one only plain races
 * can be found. */
static bool is_synchronised(const struct inter *inter) {
    for (uint32_t k = 0; k < inter->d.at.n; k++) {
        const struct cw_device_event *e = &inter->d.at.at[k];
        if (e->polls || (e->is_atomic && e->scope < CW_SCOPE_DEVICE))
            return true;
    }
    return inter->d.has_sync || inter->d.has_grid_barriers;
}

/* Of two accesses one writes, and a grid barrier counts up a variable: without a write there is nothing to find. */
static bool find_events(struct inter *inter) {
    const struct cw_kernel_query *query = inter->q;
    if (query->fn->kind != CW_FN_KERNEL || query->fn->cfg->is_irreducible)
        return false;
    inter->d = cw_device_events_of(query->fn, query->uniformity, query->arena);
    return has_write(inter) && !inter->d.has_unknown && !inter->d.has_unmodelled && !inter->d.has_weak_wait;
}

static void mark_loops_around(struct inter *inter, uint32_t block) {
    const struct cw_cfg *cfg = inter->q->fn->cfg;
    for (uint32_t l = cfg->loop_of[block]; l != CW_NO_LOOP; l = cfg->loops.at[l].parent)
        cw_bitset_add(&inter->busy, l);
}

static void look_at_launches(struct inter *inter) {
    const struct cw_kernel_query *query = inter->q;
    cw_inter_find_met(inter);
    inter->indexed = cw_inter_indexed_dimensions(query->fn);
    inter->waits = cw_bitset_new(query->arena, query->fn->blocks.n);
    inter->busy = cw_bitset_new(query->arena, query->fn->cfg->loops.n);
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        if (inter->d.at.at[k].kind != CW_EVENT_DATA)
            mark_loops_around(inter, query->fn->ins.at[inter->d.at.at[k].ins].block);
    for (uint32_t b = 0; b < query->fn->blocks.n; b++)
        if (inter->d.polls[b] != 0)
            cw_bitset_add(&inter->waits, b);
    for (uint32_t n = 0; n < query->launches->n && n < LAUNCHES_MAX; n++)
        cw_inter_look_at_launch(inter, n);
    drop_repeated(inter->out);
}

struct cw_block_faults cw_block_faults_of(const struct cw_kernel_query *query) {
    struct cw_block_faults out = {.at = {0}};
    struct inter inter = {.q = query, .out = &out};
    bool is_followed = find_events(&inter);
    cw_query_gave_up(query, CW_BAIL_WEAK_WAIT, inter.d.has_weak_wait);
    cw_query_gave_up(query, CW_BAIL_BLOCK_ORDER, inter.d.has_unmodelled && inter.d.has_data && inter.d.has_sync);
    if (is_followed && is_synchronised(&inter))
        look_at_launches(&inter);
    return out;
}

struct cw_block_faults cw_plain_block_races_of(const struct cw_kernel_query *query) {
    struct cw_block_faults out = {.at = {0}};
    struct inter inter = {.q = query, .out = &out};
    if (query->launches->from_facts && find_events(&inter) && !is_synchronised(&inter))
        look_at_launches(&inter);
    return out;
}

/* ---- text form ---- */

static void print_block_side(const struct cw_facts_print *to, const struct cw_block_side *side) {
    cw_facts_access(to, side->writes, side->is_atomic, side->ins);
    cw_facts_part(to, "block %u", side->at.block);
    cw_facts_thread(to, "", side->at.thread);
}

void cw_block_faults_print(const struct cw_facts_print *to, const struct cw_block_faults *faults) {
    static const char *const kinds[] = {[CW_BLOCK_RACE] = "race",
                                        [CW_BLOCK_NARROW_SCOPE] = "narrow scope",
                                        [CW_BLOCK_MISSING_FENCE] = "missing fence",
                                        [CW_BLOCK_WAIT_FENCE] = "missing fence after a wait",
                                        [CW_BLOCK_LOCK_FENCE] = "missing fence after taking a lock",
                                        [CW_BLOCK_UNLOCK_FENCE] = "missing fence before releasing a lock",
                                        [CW_BLOCK_EARLY_SIGNAL] = "early signal",
                                        [CW_BLOCK_PLAIN_SPIN] = "plain spin",
                                        [CW_BLOCK_HAND_BARRIER] = "barrier by hand"};
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_block_fault *fault = &faults->at.at[k];
        cw_facts_begin(to, fault->definite, kinds[fault->kind]);
        cw_facts_flag(to, fault->is_one_block, "within a block");
        print_block_side(to, &fault->first);
        print_block_side(to, &fault->second);
        cw_facts_ins(to, "because of", fault->culprit);
        cw_facts_memory(to, fault->base, fault->offset, fault->bytes);
        cw_facts_evaluator(to, fault->lanes);
        cw_facts_end(to);
    }
}
