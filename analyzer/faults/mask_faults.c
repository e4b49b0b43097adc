/* Faults of masks; see mask_faults.h for requires / computes / preserves. */
#include "faults/mask_faults.h"

#include "faults/guarded_calls.h"
#include "lanes/iterations.h"
#include "launch/for_each_launch.h"

enum {
    SAMPLES = 3,           /* choices of the uniform unknowns tried per launch */
    MAX_COLLECTIVES = 512, /* looked at per kernel */
    MAX_WORK = 1 << 26,    /* pairs of lanes asked about per kernel */
    PAIRS_PER_CELL = 4,    /* what they cost in cells of an evaluator */
    COMPARED_WORK = 8      /* two lanes' formulas that differ, in pairs */
};

/* What was found for one kind of fault at one collective. */
enum question {
    FAULT_ABSENT,  /* a lane is named, alive and elsewhere */
    FAULT_LOOP,    /* the same, because of a loop around the call */
    FAULT_CALLER,  /* a caller's own lane is not in its mask */
    FAULT_OVERLAP, /* lanes that call together hold different masks */
    FAULT_KINDS
};

struct answer {
    bool found;
    uint32_t shown;
    uint32_t launch, sample, thread, lane, loop, guarded;
    struct cw_edge edge;
    struct cw_masks *masks;
};

struct probe {
    const struct cw_kernel_query *q;
    uint32_t ins;
    bool ask_absent, ask_caller, ask_overlap;
    bool unsure, decided; /* of the present sample: some answer was unknown; some was not */
    bool ever_unsure;
    struct answer now[FAULT_KINDS], best[FAULT_KINDS];
    uint64_t *work;
};

/* ---- one collective, one iteration ---- */

static bool is_fault(struct probe *p, enum cw_reach r) {
    p->unsure |= r == CW_REACH_UNKNOWN;
    p->decided |= r != CW_REACH_UNKNOWN;
    return r == CW_REACH_YES || r == CW_REACH_INPUT;
}

static void found(struct probe *p, enum question kind, struct cw_masks *m, uint32_t t, uint32_t lane) {
    p->now[kind] = (struct answer){.found = true, .thread = t, .lane = lane, .loop = CW_NO_LOOP, .masks = m};
    p->now[kind].edge.block = CW_NO_BLOCK;
}

/* Is it known how t gets to this iteration, once it has entered the loops around the call? Lanes that have left are
 * missing only if t has not. */
static bool is_known_in_loop(struct cw_masks *m, const struct cw_fn *fn, uint32_t t) {
    uint32_t block = fn->ins.at[cw_masks_ins(m)].block, loop = fn->cfg->loop_of[block];
    while (loop != CW_NO_LOOP && fn->cfg->loops.at[loop].parent != CW_NO_LOOP)
        loop = fn->cfg->loops.at[loop].parent;
    if (loop == CW_NO_LOOP)
        return true;
    uint32_t header = fn->cfg->loops.at[loop].header;
    struct cw_lanes *l = cw_masks_lanes(m);
    const struct cw_context *first = cw_lanes_first(l, header);
    return cw_lanes_reach_given(l, block, cw_masks_context(m), header, first, t, t) != CW_REACH_UNKNOWN;
}

/* False when it is not known how t gets here: another thread may answer where this one cannot. */
static bool look_for_absent(struct probe *p, struct cw_masks *m, uint32_t t) {
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (lane == t % 32 || !is_fault(p, cw_masks_absent(m, t, lane)))
            continue;
        uint32_t loop;
        struct cw_edge edge = cw_masks_parting(m, t, lane, &loop);
        enum question kind = loop == CW_NO_LOOP ? FAULT_ABSENT : FAULT_LOOP;
        if (kind == FAULT_LOOP && !is_known_in_loop(m, p->q->fn, t)) {
            p->unsure = true;
            return false;
        }
        if (!p->now[kind].found) {
            found(p, kind, m, t, lane);
            p->now[kind].edge = edge;
            p->now[kind].loop = loop;
        }
        return true;
    }
    return true;
}

static void look_for_overlap(struct probe *p, struct cw_masks *m, uint32_t t, uint32_t end) {
    for (uint32_t u = t & ~31u; u < end; u++)
        if (u != t && is_fault(p, cw_masks_differ(m, t, u))) {
            found(p, FAULT_OVERLAP, m, t, u % 32);
            return;
        }
}

/* Is it known that t executes the call, or that it does so together with another thread? A value that an unknown
 * function returns may be what keeps t away: it is no input that the witness may choose. */
static bool is_known_caller(struct cw_masks *m, uint32_t t, uint32_t end) {
    if (cw_masks_arrives(m, t) != CW_REACH_UNKNOWN)
        return true;
    for (uint32_t u = t & ~31u; u < end; u++)
        if (u != t && cw_masks_meets(m, u, t % 32) == CW_REACH_YES)
            return true;
    return false;
}

static void look_for_outsider(struct probe *p, struct cw_masks *m, uint32_t t, uint32_t end) {
    if (is_fault(p, cw_masks_outside(m, t))) {
        if (is_known_caller(m, t, end))
            found(p, FAULT_CALLER, m, t, t % 32);
        else
            p->unsure = true;
    }
}

/* The threads of one warp that were asked about others, one for all that are alike. */
struct asked {
    uint32_t at[32], n;
};

static bool is_asked_before(struct cw_masks *m, const struct asked *a, uint32_t t) {
    for (uint32_t k = 0; k < a->n; k++)
        if (cw_masks_alike(m, a->at[k], t))
            return true;
    return false;
}

/* What t says of the other lanes. True when all that are like t say the same. */
static bool look_at_others(struct probe *p, struct cw_masks *m, uint32_t t, uint32_t end, bool absent) {
    bool holds = true;
    *p->work += (absent ? 32u : 0) + (p->ask_overlap ? 32u : 0);
    if (absent && !(p->now[FAULT_ABSENT].found || p->now[FAULT_LOOP].found))
        holds = look_for_absent(p, m, t);
    if (p->ask_overlap && !p->now[FAULT_OVERLAP].found)
        look_for_overlap(p, m, t, end);
    return holds;
}

static void look_at_warp(struct probe *p, struct cw_masks *m, uint32_t warp, uint32_t threads) {
    uint32_t end = warp * 32 + 32 < threads ? warp * 32 + 32 : threads;
    bool absent = p->ask_absent && !cw_masks_all_arrive(m, warp);
    uint64_t compared = cw_masks_compared(m);
    struct asked asked = {.n = 0};
    for (uint32_t t = warp * 32; t < end && *p->work < MAX_WORK; t++) {
        if (cw_masks_arrives(m, t) == CW_REACH_NO)
            continue;
        *p->work += 1u;
        if ((absent || p->ask_overlap) && !is_asked_before(m, &asked, t) && look_at_others(p, m, t, end, absent))
            asked.at[asked.n++] = t;
        if (p->ask_caller && !p->now[FAULT_CALLER].found)
            look_for_outsider(p, m, t, end);
        *p->work += (cw_masks_compared(m) - compared) * COMPARED_WORK;
        compared = cw_masks_compared(m);
    }
}

/* Nothing was found of a constant mask since it is not known who comes: does a branch on positions tell? */
static void look_at_guard(struct probe *p, struct cw_masks *m, uint32_t warp) {
    struct cw_guarded_call call;
    if (!p->ask_absent || !p->unsure || p->now[FAULT_ABSENT].found ||
        p->now[FAULT_LOOP].found || !cw_find_guarded_call(p->q, m, warp, &call))
        return;
    p->decided = true;
    found(p, FAULT_ABSENT, m, call.thread, (uint32_t)__builtin_ctz(call.lanes));
    p->now[FAULT_ABSENT].edge = call.edge;
    p->now[FAULT_ABSENT].guarded = call.lanes;
}

/* Is there nothing more to find in this sample? */
static bool is_done(const struct probe *p) {
    return (!p->ask_absent || p->now[FAULT_ABSENT].found || p->now[FAULT_LOOP].found) &&
           (!p->ask_caller || p->now[FAULT_CALLER].found) && (!p->ask_overlap || p->now[FAULT_OVERLAP].found);
}

/* False when the work is used up. */
static bool probe_warps(struct probe *p, struct cw_lanes *l, struct cw_masks *m) {
    uint32_t threads = cw_lanes_count(l);
    for (uint32_t w = 0; w < (threads + 31) / 32 && !is_done(p); w++) {
        uint64_t before = *p->work;
        look_at_warp(p, m, w, threads);
        look_at_guard(p, m, w);
        if (!cw_lanes_charge(l, (*p->work - before) / PAIRS_PER_CELL))
            return false;
    }
    return true;
}

static void probe_iterations(struct probe *p, struct cw_lanes *l) {
    struct cw_iterations it;
    const struct cw_context *c;
    cw_iterations_begin(&it, l, p->q->fn, p->q->fn->ins.at[p->ins].block);
    while (!is_done(p) && *p->work < MAX_WORK && cw_iterations_next(&it, &c)) {
        struct cw_masks *m = cw_masks_new(l, p->ins, c, p->q->arena);
        if (!probe_warps(p, l, m) ||
            (p->unsure && !p->decided)) /* nothing is known here, nor will it be in later iterations */
            break;
    }
}

/* ---- one collective, all launches ---- */

static void keep(struct probe *p, uint32_t launch, uint32_t sample, bool counts, uint32_t seen) {
    for (uint32_t k = 0; k < FAULT_KINDS; k++) {
        if (!p->now[k].found)
            continue;
        uint32_t shown = p->best[k].shown;
        if (!p->best[k].found) {
            p->best[k] = p->now[k];
            p->best[k].launch = launch;
            p->best[k].sample = sample;
        }
        p->best[k].shown = shown + (counts && !(seen >> k & 1));
    }
}

static uint32_t kinds_found(const struct probe *p) {
    uint32_t kinds = 0;
    for (uint32_t k = 0; k < FAULT_KINDS; k++)
        kinds |= (uint32_t)p->now[k].found << k;
    return kinds;
}

/* Under one launch: samples until everything asked for has been found. False when nothing at all is known. */
static bool probe_launch(struct probe *p, uint32_t launch, bool counts) {
    uint32_t seen = 0;
    bool hopeless = true;
    for (uint32_t k = 0; k < FAULT_KINDS; k++)
        p->now[k].found = false;
    for (uint32_t sample = 0; sample < SAMPLES && !is_done(p); sample++) {
        struct cw_lanes *l = p->q->lanes(p->q->owner, launch, sample);
        if (l == NULL)
            continue;
        p->unsure = p->decided = false;
        probe_iterations(p, l);
        p->ever_unsure |= p->unsure;
        hopeless = p->unsure && !p->decided;
        keep(p, launch, sample, counts, seen);
        seen |= kinds_found(p);
        if (hopeless)
            break;
    }
    return !hopeless;
}

/* A block in which no sample brings a thread to the call says nothing of it. */
static bool is_never_reached(const struct probe *p, uint32_t launch) {
    bool is_known = false; /* by a sample under which the kernel does not trap */
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        struct cw_lanes *l = p->q->lanes(p->q->owner, launch, sample);
        if (l == NULL || cw_lanes_is_trapped(l))
            continue;
        enum cw_reach reach = cw_lanes_somebody_reaches(l, p->q->fn->ins.at[p->ins].block);
        if (reach == CW_REACH_YES)
            return false;
        is_known |= reach == CW_REACH_NO;
    }
    return is_known;
}

static bool found_nothing(const struct probe *p) {
    for (uint32_t k = 0; k < FAULT_KINDS; k++)
        if (p->now[k].found)
            return false;
    return true;
}

/* How many guesses would have to show a fault: of what the work ended before, nobody knows. */
static uint32_t probe_collective(struct probe *p) {
    struct cw_survey s = cw_survey_of_warps(p->q->launches);
    while (cw_survey_next(&s)) {
        if (*p->work >= MAX_WORK) {
            cw_query_gave_up(p->q, CW_BAIL_MASK_BUDGET, 1);
            return UINT32_MAX;
        }
        if (!probe_launch(p, s.launch, s.counts) || (s.launches->from_facts && is_done(p)))
            break;
        if (s.counts && !s.launches->from_facts && found_nothing(p) && is_never_reached(p, s.launch))
            cw_survey_unreached(&s);
    }
    return s.asked;
}

/* ---- one cause, one fault ---- */

/* Both arms of one branch are one cause, as are all calls with one wrong mask. */
static bool same_cause(const struct cw_fn *fn, const struct cw_mask_fault *a, const struct cw_mask_fault *b) {
    if (a->is_lane_absent != b->is_lane_absent || a->is_caller_outside != b->is_caller_outside ||
        a->is_mask_different != b->is_mask_different || (a->loop == CW_NO_LOOP) != (b->loop == CW_NO_LOOP) ||
        a->is_group != b->is_group)
        return false;
    if (a->is_lane_absent)
        return a->branch == b->branch && a->branch != CW_NO_BLOCK;
    return cw_ref_eq(cw_arg(fn, &fn->ins.at[a->ins], 0), cw_arg(fn, &fn->ins.at[b->ins], 0));
}

static void add_fault(const struct cw_kernel_query *q, struct cw_mask_faults *faults, struct cw_mask_fault f) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        struct cw_mask_fault *old = &faults->at.at[k];
        if (!same_cause(q->fn, old, &f))
            continue;
        if (f.definite && !old->definite) { /* the one that is proved is told */
            f.also = old->also;
            cw_vec_push(q->arena, &f.also, old->ins);
            *old = f;
        } else {
            cw_vec_push(q->arena, &old->also, f.ins);
        }
        return;
    }
    cw_vec_push(q->arena, &faults->at, f);
}

static void add_answers(const struct probe *p, struct cw_mask_faults *faults, uint32_t asked) {
    const struct cw_fn *fn = p->q->fn;
    for (uint32_t k = 0; k < FAULT_KINDS; k++) {
        const struct answer *a = &p->best[k];
        if (!a->found || (k != FAULT_CALLER && p->best[FAULT_CALLER].found)) /* the wrong mask is the cause */
            continue;
        struct cw_mask_fault f = {.is_lane_absent = k == FAULT_ABSENT || k == FAULT_LOOP,
                                  .is_caller_outside = k == FAULT_CALLER, .is_mask_different = k == FAULT_OVERLAP,
                                  .ins = p->ins, .branch = a->edge.block, .side = a->edge.which, .loop = a->loop,
                                  .launch = a->launch, .sample = a->sample, .guarded = a->guarded, .masks = a->masks,
                                  .thread = a->thread, .lane = a->lane, .partner = UINT32_MAX};
        f.definite = p->q->launches->from_facts || (asked > 0 && a->shown == asked);
        f.is_group = cw_ref_type(fn, cw_arg(fn, &fn->ins.at[p->ins], 0)) == CW_GROUP;
        if (k == FAULT_ABSENT && !a->guarded)
            f.partner = cw_masks_partner(a->masks, a->thread);
        add_fault(p->q, faults, f);
    }
}

/* ---- which collectives, which questions ---- */

static bool has_mask(const struct cw_fn *fn, const struct cw_ins *i) {
    if (!(cw_op_flags((enum cw_op)i->op) & CW_OP_C) || i->narg == 0)
        return false;
    cw_ref r = cw_arg(fn, i, 0);
    enum cw_type type = cw_ref_type(fn, r);
    return r.tag != CW_REF_UNDEF && r.tag != CW_REF_NONE && (type == CW_I32 || type == CW_I64 || type == CW_GROUP);
}

static void choose_questions(struct probe *p) {
    const struct cw_ins *i = &p->q->fn->ins.at[p->ins];
    cw_ref mask = cw_arg(p->q->fn, i, 0);
    int64_t value = 0;
    bool group = cw_ref_type(p->q->fn, mask) == CW_GROUP, number = cw_ref_const(p->q->fn, mask, &value);
    p->ask_absent = p->q->uniformity->control_live[i->block] > CW_UNI_WARP;
    p->ask_caller = !group && !(number && (uint32_t)value == UINT32_MAX);
    p->ask_overlap = !group && !number && cw_uni_of(p->q->uniformity, mask) > CW_UNI_WARP;
}

static void look_at(const struct cw_kernel_query *q, struct cw_mask_faults *faults, uint32_t ins, uint64_t *work) {
    struct probe p = {.q = q, .ins = ins, .work = work};
    choose_questions(&p);
    if (!p.ask_absent && !p.ask_caller && !p.ask_overlap)
        return;
    uint32_t asked = probe_collective(&p);
    uint32_t before = faults->at.n;
    add_answers(&p, faults, asked);
    cw_query_gave_up(q, CW_BAIL_MASK_UNKNOWN, p.ever_unsure && faults->at.n == before);
}

struct cw_mask_faults cw_mask_faults_of(const struct cw_kernel_query *q) {
    struct cw_mask_faults faults = {{0}};
    uint32_t left = MAX_COLLECTIVES;
    uint64_t work = 0;
    if (q->fn->cfg->is_irreducible)
        return faults;
    for (uint32_t k = 0; k < q->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &q->fn->blocks.at[q->fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n; n++) {
            if (!has_mask(q->fn, &q->fn->ins.at[list->at[n]]))
                continue;
            if (left == 0) {
                cw_query_gave_up(q, CW_BAIL_MASK_BUDGET, 1);
                return faults;
            }
            look_at(q, &faults, list->at[n], &work);
            left--;
        }
    }
    return faults;
}
