/* Faults of masks; see mask_faults.h for requires / computes / preserves. */
#include "faults/mask_faults.h"

#include "faults/guarded_calls.h"
#include "faults/rounded_bounds.h"
#include "lanes/facts_print.h"
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

static bool is_fault(struct probe *probe, enum cw_reach reach) {
    probe->unsure |= reach == CW_REACH_UNKNOWN;
    probe->decided |= reach != CW_REACH_UNKNOWN;
    return reach == CW_REACH_YES || reach == CW_REACH_INPUT;
}

static void note_answer(struct probe *probe, enum question kind, struct cw_masks *masks, uint32_t t, uint32_t lane) {
    probe->now[kind] = (struct answer){.found = true, .thread = t, .lane = lane, .loop = CW_NO_LOOP, .masks = masks};
    probe->now[kind].edge.block = CW_NO_BLOCK;
}

/* Is it known how t gets to this iteration, once it has entered the loops around the call? Lanes that have left are
 * missing only if t has not. */
static bool is_known_in_loop(struct cw_masks *masks, const struct cw_fn *fn, uint32_t t) {
    uint32_t block = fn->ins.at[cw_masks_ins(masks)].block, loop = fn->cfg->loop_of[block];
    while (loop != CW_NO_LOOP && fn->cfg->loops.at[loop].parent != CW_NO_LOOP)
        loop = fn->cfg->loops.at[loop].parent;
    if (loop == CW_NO_LOOP)
        return true;
    uint32_t header = fn->cfg->loops.at[loop].header;
    struct cw_lanes *l = cw_masks_lanes(masks);
    const struct cw_context *first = cw_lanes_first(l, header);
    return cw_lanes_reach_given(l, block, cw_masks_context(masks), header, first, t, t) != CW_REACH_UNKNOWN;
}

/* False when it is not known how t gets here: another thread may answer where this one cannot. */
static bool look_for_absent(struct probe *probe, struct cw_masks *masks, uint32_t t) {
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (lane == t % 32 || !is_fault(probe, cw_masks_absent(masks, t, lane)))
            continue;
        uint32_t loop;
        struct cw_edge edge = cw_masks_parting(masks, t, lane, &loop);
        enum question kind = loop == CW_NO_LOOP ? FAULT_ABSENT : FAULT_LOOP;
        if (kind == FAULT_LOOP && !is_known_in_loop(masks, probe->q->fn, t)) {
            probe->unsure = true;
            return false;
        }
        if (!probe->now[kind].found) {
            note_answer(probe, kind, masks, t, lane);
            probe->now[kind].edge = edge;
            probe->now[kind].loop = loop;
        }
        return true;
    }
    return true;
}

static void look_for_overlap(struct probe *probe, struct cw_masks *masks, uint32_t t, uint32_t end) {
    for (uint32_t u = t & ~31u; u < end; u++)
        if (u != t && is_fault(probe, cw_masks_differ(masks, t, u))) {
            note_answer(probe, FAULT_OVERLAP, masks, t, u % 32);
            return;
        }
}

/* Is it known that t executes the call, or that it does so together with another thread? A value that an unknown
 * function returns may be what keeps t away: it is no input that the witness may choose. */
static bool is_known_caller(struct cw_masks *masks, uint32_t t, uint32_t end) {
    if (cw_masks_arrives(masks, t) != CW_REACH_UNKNOWN)
        return true;
    for (uint32_t u = t & ~31u; u < end; u++)
        if (u != t && cw_masks_meets(masks, u, t % 32) == CW_REACH_YES)
            return true;
    return false;
}

static void look_for_outsider(struct probe *probe, struct cw_masks *masks, uint32_t t, uint32_t end) {
    if (is_fault(probe, cw_masks_outside(masks, t))) {
        if (is_known_caller(masks, t, end))
            note_answer(probe, FAULT_CALLER, masks, t, t % 32);
        else
            probe->unsure = true;
    }
}

/* The threads of one warp that were asked about others, one for all that are alike. */
struct asked {
    uint32_t at[32], n;
};

static bool is_asked_before(struct cw_masks *masks, const struct asked *asked, uint32_t t) {
    for (uint32_t k = 0; k < asked->n; k++)
        if (cw_masks_alike(masks, asked->at[k], t))
            return true;
    return false;
}

/* What t says of the other lanes. True when all that are like t say the same. */
static bool look_at_others(struct probe *probe, struct cw_masks *masks, uint32_t t, uint32_t end, bool absent) {
    bool holds = true;
    *probe->work += (absent ? 32u : 0) + (probe->ask_overlap ? 32u : 0);
    if (absent && !(probe->now[FAULT_ABSENT].found || probe->now[FAULT_LOOP].found))
        holds = look_for_absent(probe, masks, t);
    if (probe->ask_overlap && !probe->now[FAULT_OVERLAP].found)
        look_for_overlap(probe, masks, t, end);
    return holds;
}

static void look_at_warp(struct probe *probe, struct cw_masks *masks, uint32_t warp, uint32_t threads) {
    uint32_t end = warp * 32 + 32 < threads ? warp * 32 + 32 : threads;
    bool absent = probe->ask_absent && !cw_masks_all_arrive(masks, warp);
    uint64_t compared = cw_masks_compared(masks);
    struct asked asked = {.n = 0};
    for (uint32_t t = warp * 32; t < end && *probe->work < MAX_WORK; t++) {
        if (cw_masks_arrives(masks, t) == CW_REACH_NO)
            continue;
        *probe->work += 1u;
        if ((absent || probe->ask_overlap) && !is_asked_before(masks, &asked, t) &&
            look_at_others(probe, masks, t, end, absent))
            asked.at[asked.n++] = t;
        if (probe->ask_caller && !probe->now[FAULT_CALLER].found)
            look_for_outsider(probe, masks, t, end);
        *probe->work += (cw_masks_compared(masks) - compared) * COMPARED_WORK;
        compared = cw_masks_compared(masks);
    }
}

/* Nothing was found of a constant mask since it is not known who comes: does a branch on positions tell? */
static void look_at_guard(struct probe *probe, struct cw_masks *masks, uint32_t warp) {
    struct cw_guarded_call call;
    if (!probe->ask_absent || !probe->unsure || probe->now[FAULT_ABSENT].found ||
        probe->now[FAULT_LOOP].found || !cw_find_guarded_call(probe->q, masks, warp, &call))
        return;
    probe->decided = true;
    note_answer(probe, FAULT_ABSENT, masks, call.thread, (uint32_t)__builtin_ctz(call.lanes));
    probe->now[FAULT_ABSENT].edge = call.edge;
    probe->now[FAULT_ABSENT].guarded = call.lanes;
}

/* Is there nothing more to find in this sample? */
static bool is_done(const struct probe *probe) {
    return (!probe->ask_absent || probe->now[FAULT_ABSENT].found || probe->now[FAULT_LOOP].found) &&
           (!probe->ask_caller || probe->now[FAULT_CALLER].found) &&
           (!probe->ask_overlap || probe->now[FAULT_OVERLAP].found);
}

/* False when the work is used up. */
static bool probe_warps(struct probe *probe, struct cw_lanes *lanes, struct cw_masks *masks) {
    uint32_t threads = cw_lanes_count(lanes), looked = 0;
    for (uint32_t w = 0; w < (threads + 31) / 32 && !is_done(probe); w++) {
        uint64_t before = *probe->work;
        if (w > 0 && cw_masks_alike_warps(masks, looked, w, probe->ask_absent)) {
            *probe->work += 32u; /* it would answer as the last one did */
        } else {
            look_at_warp(probe, masks, w, threads);
            looked = w;
        }
        look_at_guard(probe, masks, w);
        if (!cw_lanes_charge(lanes, (*probe->work - before) / PAIRS_PER_CELL))
            return false;
    }
    return true;
}

static void probe_iterations(struct probe *probe, struct cw_lanes *lanes) {
    struct cw_iterations it;
    const struct cw_context *c;
    cw_iterations_begin(&it, lanes, probe->q->fn, probe->q->fn->ins.at[probe->ins].block);
    while (!is_done(probe) && *probe->work < MAX_WORK && cw_iterations_next(&it, &c)) {
        struct cw_masks *m = cw_masks_new(lanes, probe->ins, c, probe->q->arena);
        if (!probe_warps(probe, lanes, m) ||
            (probe->unsure && !probe->decided)) /* nothing is known here, nor will it be in later iterations */
            break;
    }
}

/* ---- one collective, all launches ---- */

static void keep_faults(struct probe *probe, uint32_t launch, uint32_t sample, bool counts, uint32_t seen) {
    for (uint32_t k = 0; k < FAULT_KINDS; k++) {
        if (!probe->now[k].found)
            continue;
        uint32_t shown = probe->best[k].shown;
        if (!probe->best[k].found) {
            probe->best[k] = probe->now[k];
            probe->best[k].launch = launch;
            probe->best[k].sample = sample;
        }
        probe->best[k].shown = shown + (counts && !(seen >> k & 1));
    }
}

static uint32_t kinds_found(const struct probe *probe) {
    uint32_t kinds = 0;
    for (uint32_t k = 0; k < FAULT_KINDS; k++)
        kinds |= (uint32_t)probe->now[k].found << k;
    return kinds;
}

/* Under one launch: samples until everything asked for has been found. False when nothing at all is known. */
static bool probe_launch(struct probe *probe, uint32_t launch, bool counts) {
    uint32_t seen = 0;
    bool hopeless = true;
    for (uint32_t k = 0; k < FAULT_KINDS; k++)
        probe->now[k].found = false;
    for (uint32_t sample = 0; sample < SAMPLES && !is_done(probe); sample++) {
        struct cw_lanes *l = probe->q->lanes(probe->q->owner, launch, sample);
        if (l == NULL)
            continue;
        probe->unsure = probe->decided = false;
        probe_iterations(probe, l);
        probe->ever_unsure |= probe->unsure;
        hopeless = probe->unsure && !probe->decided;
        keep_faults(probe, launch, sample, counts, seen);
        seen |= kinds_found(probe);
        if (hopeless)
            break;
    }
    return !hopeless;
}

/* A block in which no sample brings a thread to the call says nothing of it. */
static bool is_never_reached(const struct probe *probe, uint32_t launch) {
    bool is_known = false; /* by a sample under which the kernel does not trap */
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        struct cw_lanes *l = probe->q->lanes(probe->q->owner, launch, sample);
        if (l == NULL || cw_lanes_is_trapped(l))
            continue;
        enum cw_reach reach = cw_lanes_somebody_reaches(l, probe->q->fn->ins.at[probe->ins].block);
        if (reach == CW_REACH_YES)
            return false;
        is_known |= reach == CW_REACH_NO;
    }
    return is_known;
}

static bool found_nothing(const struct probe *probe) {
    for (uint32_t k = 0; k < FAULT_KINDS; k++)
        if (probe->now[k].found)
            return false;
    return true;
}

/* How many guesses would have to show a fault: of what the work ended before, nobody knows. */
static uint32_t probe_collective(struct probe *probe) {
    struct cw_survey s = cw_survey_of_warps(probe->q->launches);
    while (cw_survey_next(&s)) {
        if (*probe->work >= MAX_WORK) {
            cw_query_gave_up(probe->q, CW_BAIL_MASK_BUDGET, 1);
            return UINT32_MAX;
        }
        if (!probe_launch(probe, s.launch, s.counts) || (s.launches->from_facts && is_done(probe)))
            break;
        if (s.counts && !s.launches->from_facts && found_nothing(probe) && is_never_reached(probe, s.launch))
            cw_survey_unreached(&s);
    }
    return s.asked;
}

/* ---- one cause, one fault ---- */

/* Both arms of one branch are one cause, as are all calls with one wrong mask. */
static bool same_cause(const struct cw_fn *fn, const struct cw_mask_fault *mask_fault,
                       const struct cw_mask_fault *other) {
    if (mask_fault->is_lane_absent != other->is_lane_absent ||
        mask_fault->is_caller_outside != other->is_caller_outside ||
        mask_fault->is_mask_different != other->is_mask_different ||
        (mask_fault->loop == CW_NO_LOOP) != (other->loop == CW_NO_LOOP) || mask_fault->is_group != other->is_group)
        return false;
    if (mask_fault->is_lane_absent)
        return mask_fault->branch == other->branch && mask_fault->branch != CW_NO_BLOCK;
    return cw_ref_eq(cw_arg(fn, &fn->ins.at[mask_fault->ins], 0), cw_arg(fn, &fn->ins.at[other->ins], 0));
}

static void add_fault(const struct cw_kernel_query *query, struct cw_mask_faults *faults,
                      struct cw_mask_fault mask_fault) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        struct cw_mask_fault *old = &faults->at.at[k];
        if (!same_cause(query->fn, old, &mask_fault))
            continue;
        if (mask_fault.definite && !old->definite) { /* the one that is proved is told */
            mask_fault.also = old->also;
            cw_vec_push(query->arena, &mask_fault.also, old->ins);
            *old = mask_fault;
        } else {
            cw_vec_push(query->arena, &old->also, mask_fault.ins);
        }
        return;
    }
    cw_vec_push(query->arena, &faults->at, mask_fault);
}

static void add_answers(const struct probe *probe, struct cw_mask_faults *faults, uint32_t asked) {
    const struct cw_fn *fn = probe->q->fn;
    for (uint32_t k = 0; k < FAULT_KINDS; k++) {
        const struct answer *a = &probe->best[k];
        if (!a->found || (k != FAULT_CALLER && probe->best[FAULT_CALLER].found)) /* the wrong mask is the cause */
            continue;
        if (k == FAULT_LOOP && cw_is_made_to_fit(probe->q, a->edge.block))
            continue;
        struct cw_mask_fault f = {.is_lane_absent = k == FAULT_ABSENT || k == FAULT_LOOP,
                                  .is_caller_outside = k == FAULT_CALLER, .is_mask_different = k == FAULT_OVERLAP,
                                  .ins = probe->ins, .branch = a->edge.block, .side = a->edge.which, .loop = a->loop,
                                  .launch = a->launch, .sample = a->sample, .guarded = a->guarded, .masks = a->masks,
                                  .thread = a->thread, .lane = a->lane, .partner = UINT32_MAX};
        f.definite = probe->q->launches->from_facts || (asked > 0 && a->shown == asked);
        f.definite = f.definite && (k != FAULT_LOOP || !cw_may_be_rounded(probe->q, f.branch));
        f.is_allotted = k == FAULT_ABSENT && cw_may_be_allotted(probe->q, fn->ins.at[probe->ins].block);
        f.definite = f.definite && !f.is_allotted;
        f.is_group = cw_ref_type(fn, cw_arg(fn, &fn->ins.at[probe->ins], 0)) == CW_GROUP;
        if (k == FAULT_ABSENT && !a->guarded)
            f.partner = cw_masks_partner(a->masks, a->thread);
        add_fault(probe->q, faults, f);
    }
}

/* ---- which collectives, which questions ---- */

static bool has_mask(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (!(cw_op_flags((enum cw_op)ins->op) & CW_OP_C) || ins->narg == 0)
        return false;
    cw_ref r = cw_arg(fn, ins, 0);
    enum cw_type type = cw_ref_type(fn, r);
    return r.tag != CW_REF_UNDEF && r.tag != CW_REF_NONE && (type == CW_I32 || type == CW_I64 || type == CW_GROUP);
}

static void choose_questions(struct probe *probe) {
    const struct cw_ins *i = &probe->q->fn->ins.at[probe->ins];
    cw_ref mask = cw_arg(probe->q->fn, i, 0);
    int64_t value = 0;
    bool group = cw_ref_type(probe->q->fn, mask) == CW_GROUP, number = cw_ref_const(probe->q->fn, mask, &value);
    probe->ask_absent = probe->q->uniformity->control_live[i->block] > CW_UNI_WARP;
    probe->ask_caller = !group && !(number && (uint32_t)value == UINT32_MAX);
    probe->ask_overlap = !group && !number && cw_uni_of(probe->q->uniformity, mask) > CW_UNI_WARP;
}

static void look_at(const struct cw_kernel_query *query, struct cw_mask_faults *faults, uint32_t ins, uint64_t *work) {
    struct probe p = {.q = query, .ins = ins, .work = work};
    choose_questions(&p);
    if (!p.ask_absent && !p.ask_caller && !p.ask_overlap)
        return;
    uint32_t asked = probe_collective(&p);
    uint32_t before = faults->at.n;
    add_answers(&p, faults, asked);
    cw_query_gave_up(query, CW_BAIL_MASK_UNKNOWN, p.ever_unsure && faults->at.n == before);
}

struct cw_mask_faults cw_mask_faults_of(const struct cw_kernel_query *query) {
    struct cw_mask_faults faults = {{0}};
    uint32_t left = MAX_COLLECTIVES;
    uint64_t work = 0;
    if (query->fn->cfg->is_irreducible)
        return faults;
    for (uint32_t k = 0; k < query->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &query->fn->blocks.at[query->fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n; n++) {
            if (!has_mask(query->fn, &query->fn->ins.at[list->at[n]]))
                continue;
            if (left == 0) {
                cw_query_gave_up(query, CW_BAIL_MASK_BUDGET, 1);
                return faults;
            }
            look_at(query, &faults, list->at[n], &work);
            left--;
        }
    }
    return faults;
}

/* ---- text form ---- */

void cw_mask_faults_print(const struct cw_facts_print *to, const struct cw_mask_faults *faults) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_mask_fault *fault = &faults->at.at[k];
        uint32_t warp = fault->thread / 32, open = cw_masks_open_lanes(fault->masks, fault->thread);
        cw_facts_begin(to, fault->definite,
                       fault->is_lane_absent      ? "absent lane"
                       : fault->is_caller_outside ? "caller outside its mask"
                                                  : "different masks");
        cw_facts_ins(to, "", fault->ins);
        cw_facts_also(to, &fault->also);
        cw_facts_flag(to, fault->is_group, "of a group");
        cw_facts_flag(to, fault->is_allotted, "bounds may be those of whole warps");
        cw_facts_branch(to, fault->is_lane_absent ? fault->branch : CW_NO_BLOCK);
        cw_facts_loop(to, fault->loop);
        cw_facts_ins(to, "partner", fault->is_lane_absent ? fault->partner : UINT32_MAX);
        cw_facts_thread(to, "caller", fault->thread);
        cw_facts_lanes(to, "names", warp, cw_masks_sure_lanes(fault->masks, fault->thread));
        if (open)
            cw_facts_lanes(to, "perhaps", warp, open);
        if (!fault->is_caller_outside)
            cw_facts_lanes(to, fault->is_lane_absent ? "absent" : "other caller", warp,
                           UINT32_C(1) << fault->lane % 32);
        if (fault->guarded)
            cw_facts_lanes(to, "kept away by position", warp, fault->guarded);
        cw_facts_context(to, cw_masks_context(fault->masks));
        cw_facts_launch(to, fault->launch, fault->sample);
        cw_facts_end(to);
    }
}
