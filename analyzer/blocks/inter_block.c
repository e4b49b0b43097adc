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

/* Of two accesses one writes, and a grid barrier counts up a variable: without a write there is nothing to find.
 * Without a wait, a loop that polls or an atomic of block scope, only plain races can be found, which are reported for
 * launches from the source alone. */
static bool may_have_faults(const struct inter *inter) {
    bool some = inter->d.has_sync || inter->q->launches->from_facts, writes = false;
    for (uint32_t k = 0; k < inter->d.at.n && !writes; k++)
        writes = inter->d.at.at[k].writes;
    if (!writes)
        return false;
    for (uint32_t k = 0; k < inter->d.at.n && !some; k++) {
        const struct cw_device_event *e = &inter->d.at.at[k];
        some = e->polls || (e->is_atomic && e->scope < CW_SCOPE_DEVICE);
    }
    return some;
}

struct cw_block_faults cw_block_faults_of(const struct cw_kernel_query *query) {
    struct cw_block_faults out = {.at = {0}};
    struct inter s = {.q = query, .out = &out};
    if (query->fn->kind != CW_FN_KERNEL || query->fn->cfg->is_irreducible)
        return out;
    s.d = cw_device_events_of(query->fn, query->arena);
    cw_query_gave_up(query, CW_BAIL_WEAK_WAIT, s.d.has_weak_wait);
    cw_query_gave_up(query, CW_BAIL_BLOCK_ORDER, s.d.has_unmodelled && s.d.has_data && s.d.has_sync);
    bool is_followed = !s.d.has_unknown && !s.d.has_unmodelled && !s.d.has_weak_wait;
    if ((!s.d.has_data && !s.d.has_sync) || !is_followed || !may_have_faults(&s))
        return out;
    cw_inter_find_met(&s);
    s.indexed = cw_inter_indexed_dimensions(query->fn);
    s.waits = cw_bitset_new(query->arena, query->fn->blocks.n);
    for (uint32_t b = 0; b < query->fn->blocks.n; b++)
        if (s.d.polls[b] != 0)
            cw_bitset_add(&s.waits, b);
    for (uint32_t n = 0; n < query->launches->n && n < LAUNCHES_MAX; n++)
        cw_inter_look_at_launch(&s, n);
    drop_repeated(&out);
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
