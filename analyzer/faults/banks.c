/* See banks.h. */
#include "faults/banks.h"

#include "lanes/facts_print.h"
#include "lanes/iterations.h"
#include "launch/for_each_launch.h"

enum {
    BANKS = 32,
    WORD = 4,
    SAMPLES = 3,  /* choices of the unknowns */
    INNER = 2,    /* the one looked at first: an inner block, whole in every dimension */
    WARPS = 4,    /* of a block; the others do the same farther on */
    TRIPS = 32,   /* of an inner loop all of whose iterations are looked at */
    ALSO = 8
};

/* ---- one access of one warp ---- */

struct passes {
    uint32_t degree, bank, words, lanes;
};

/* The words of a bank that were asked for, each once. */
struct bank {
    int64_t word[32];
    uint32_t n, lanes;
};

static void ask_bank(struct bank *banks, uint32_t lane, int64_t word) {
    struct bank *b = &banks[(uint64_t)word % BANKS];
    b->lanes |= 1u << lane;
    for (uint32_t k = 0; k < b->n; k++)
        if (b->word[k] == word)
            return;
    b->word[b->n++] = word;
}

static int64_t word_of(int64_t offset) {
    return offset >= 0 ? offset / WORD : (offset - WORD + 1) / WORD;
}

/* Lanes that are served together: a group of whole lanes whose accesses fill the banks once when they lie side by
 * side. */
static uint32_t passes_of_group(const struct cw_warp_access *warp_access, uint32_t first, uint32_t count,
                                struct passes *worst) {
    struct bank banks[BANKS] = {{.n = 0}};
    uint32_t most = 0;
    for (uint32_t lane = first; lane < first + count; lane++) {
        if (!(warp_access->lanes >> lane & 1))
            continue;
        for (int64_t at = word_of(warp_access->offset[lane]);
             at <= word_of(warp_access->offset[lane] + warp_access->size - 1); at++)
            ask_bank(banks, lane, at);
    }
    for (uint32_t k = 0; k < BANKS; k++) {
        most = banks[k].n > most ? banks[k].n : most;
        if (banks[k].n > worst->words)
            *worst = (struct passes){worst->degree, k, banks[k].n, banks[k].lanes};
    }
    return most;
}

static struct passes passes_of(const struct cw_warp_access *warp_access) {
    uint32_t count = warp_access->size <= WORD ? 32 : warp_access->size <= 8 ? 16 : 8, total = 0, groups = 0;
    struct passes p = {0};
    for (uint32_t first = 0; first < 32; first += count) {
        uint32_t now = passes_of_group(warp_access, first, count, &p);
        total += now;
        groups += now > 0;
    }
    p.degree = groups > 0 ? total / groups : 0;
    return p;
}

/* ---- one access, all iterations ---- */

struct probe {
    const struct cw_kernel_query *q;
    uint32_t ins;
    struct cw_access access;
};

static bool is_shared(const struct cw_fn *fn, cw_ref base) {
    enum cw_space space = base.tag == CW_REF_OBJECT ? fn->objects.at[base.index].space : CW_SPACE_UNKNOWN;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* In one iteration; false when something is not known. */
static bool look_at_iteration(const struct probe *probe, struct cw_lanes *lanes, const struct cw_context *context,
                              struct cw_bank_conflict *out) {
    uint32_t warps = (cw_lanes_count(lanes) + 31) / 32;
    for (uint32_t w = 0; w < warps && w < WARPS; w++) {
        struct cw_warp_access a;
        if (!cw_warp_access_of(lanes, probe->q->fn, probe->ins, &probe->access, context, w, &a) ||
            (a.lanes != 0 && !is_shared(probe->q->fn, a.base)))
            return false;
        struct passes now = passes_of(&a);
        uint32_t comers = (uint32_t)__builtin_popcount(a.lanes), most = comers > out->comers ? comers : out->comers;
        if (now.degree > out->degree)
            *out = (struct cw_bank_conflict){.ins = probe->ins,
                                             .object = a.base.index,
                                             .degree = now.degree,
                                             .bank = now.bank,
                                             .words = now.words,
                                             .lanes = now.lanes,
                                             .warp = w,
                                             .context = context,
                                             .evaluator = lanes};
        out->comers = most;
    }
    return true;
}

/* The worst of the warps and iterations that are looked at: of a short inner loop, all. False when one is not known. */
static bool worst_in(const struct probe *probe, struct cw_lanes *lanes, struct cw_bank_conflict *out) {
    struct cw_iterations it;
    const struct cw_context *c, *first;
    uint32_t block = probe->q->fn->ins.at[probe->ins].block, trips = cw_inner_trips(lanes, probe->q->fn, block, TRIPS);
    *out = (struct cw_bank_conflict){.degree = 0};
    cw_iterations_begin(&it, lanes, probe->q->fn, block);
    while (cw_iterations_next(&it, &c))
        if (!look_at_iteration(probe, lanes, c, out))
            return false;
    first = cw_lanes_first(lanes, block);
    for (uint32_t k = 0; k < trips; k++)
        if (!look_at_iteration(probe, lanes, cw_lanes_context(lanes, first->outer, first->loop, k), out))
            return false;
    return true;
}

/* Under one launch: shown for an inner block, and not denied by another choice of the unknowns under which at least as
 * many lanes of a warp come. */
static bool is_agreed(const struct probe *probe, uint32_t launch, struct cw_bank_conflict *out) {
    struct cw_bank_conflict other;
    struct cw_lanes *inner = probe->q->lanes(probe->q->owner, launch, INNER);
    if (inner == NULL || !worst_in(probe, inner, out) || out->degree < 2)
        return false;
    for (uint32_t sample = 0; sample < SAMPLES && cw_lanes_sample_text(inner, probe->q->arena) != NULL; sample++) {
        struct cw_lanes *l = probe->q->lanes(probe->q->owner, launch, sample);
        if (sample == INNER)
            continue;
        if (l == NULL || !worst_in(probe, l, &other) || (other.degree < out->degree && other.comers >= out->comers))
            return false;
    }
    return true;
}

/* The first launch that shows a conflict tells it. */
static bool probe_access(const struct probe *probe, struct cw_bank_conflict *out) {
    struct cw_survey s = cw_survey_of(probe->q->launches, probe->q->launches->from_facts ? 0 : 32);
    struct cw_bank_conflict now;
    while (cw_survey_next(&s))
        if (is_agreed(probe, s.launch, &now) && cw_survey_shown(&s))
            *out = now;
    out->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

/* ---- the kernel ---- */

static void keep_conflict(const struct cw_kernel_query *query, struct cw_bank_conflicts *all,
                          const struct cw_bank_conflict *conflict) {
    for (uint32_t k = 0; k < all->at.n; k++) {
        struct cw_bank_conflict *old = &all->at.at[k];
        if (old->object != conflict->object || old->definite != conflict->definite)
            continue;
        uint32_t other = conflict->degree > old->degree ? old->ins : conflict->ins;
        struct cw_vec_u32 also = old->also;
        if (conflict->degree > old->degree)
            *old = *conflict;
        old->also = also;
        if (also.n < ALSO)
            cw_vec_push(query->arena, &old->also, other);
        return;
    }
    cw_vec_push(query->arena, &all->at, *conflict);
}

static void look_at(const struct cw_kernel_query *query, struct cw_bank_conflicts *all, uint32_t ins) {
    const struct cw_ins *i = &query->fn->ins.at[ins];
    struct cw_access acc[2];
    struct cw_bank_conflict c;
    if (i->op != CW_OP_LOAD && i->op != CW_OP_STORE)
        return;
    if (cw_memory_accesses(query->fn, i, acc) != 1)
        return;
    struct cw_bases bases = cw_memory_bases(query->fn, acc[0].pointer);
    for (uint32_t b = 0; b < bases.n; b++)
        if (bases.at[b].is_read || !is_shared(query->fn, bases.at[b].root))
            return;
    struct probe p = {query, ins, acc[0]};
    if (probe_access(&p, &c))
        keep_conflict(query, all, &c);
}

struct cw_bank_conflicts cw_bank_conflicts_of(const struct cw_kernel_query *query) {
    struct cw_bank_conflicts all = {{0}};
    for (uint32_t k = 0; k < query->fn->cfg->nrpo; k++) {
        const struct cw_block *b = &query->fn->blocks.at[query->fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++)
            look_at(query, &all, b->ins.at[j]);
    }
    return all;
}

/* ---- text form ---- */

void cw_bank_conflicts_print(const struct cw_facts_print *to, const struct cw_bank_conflicts *conflicts) {
    for (uint32_t k = 0; k < conflicts->at.n; k++) {
        const struct cw_bank_conflict *conflict = &conflicts->at.at[k];
        cw_facts_begin(to, conflict->definite, "bank conflict");
        cw_facts_part(to, "%u-way", conflict->degree);
        cw_facts_ins(to, "", conflict->ins);
        cw_facts_also(to, &conflict->also);
        cw_facts_base(to, cw_ref_of(CW_REF_OBJECT, conflict->object));
        cw_facts_part(to, "bank %u serves %u words", conflict->bank, conflict->words);
        cw_facts_lanes(to, "to", conflict->warp, conflict->lanes);
        cw_facts_part(to, "%u lanes arrive", conflict->comers);
        cw_facts_context(to, conflict->context);
        cw_facts_evaluator(to, conflict->evaluator);
        cw_facts_end(to);
    }
}
