/* See barrier_phases.h. */
#include "races/barrier_phases.h"

#include "lanes/condition.h"
#include "lanes/facts_print.h"
#include "lanes/value.h"
#include "launch/for_each_launch.h"
#include "races/event_trace.h"
#include "races/mbarriers.h"
#include "uniformity/reachable_ops.h"

#include <inttypes.h>
#include <string.h>

enum {
    SAMPLES = 3,                                /* choices of sizes that are looked at */
    WARPS = 32,
    NUMBERED = 16,                              /* barriers 0 to 15, */
    BARRIERS = NUMBERED + CW_MBARRIERS_MAX,     /* those in memory, */
    WHOLE = BARRIERS,                           /* and what all threads of the block wait for */
    MAX_PHASES = 512,                           /* of one barrier */
    NO_PHASE = UINT32_MAX
};

/* What a warp does at a barrier. */
struct operation {
    uint32_t ins, thread, iteration; /* of the first lane that comes */
    uint32_t lanes;                  /* how many come */
    uint8_t barrier;
    bool arrives, waits;
    int8_t parity;                   /* waits for the phase of this parity; -1: for that of its own arrival */
    int64_t count;
};

struct arrival {
    const struct operation *by;
    uint32_t warp, time;
};

struct clock {
    uint32_t of[WARPS];
};

/* One barrier: the arrivals of the phase that is open and of the one before. */
struct phases {
    CW_VEC(struct arrival) now, before;
    struct clock open;
    struct clock *over; /* behind each phase that is complete */
    uint32_t n;         /* of these */
    int64_t pending;    /* arrivals so far */
    bool is_told;
};

struct actor {
    CW_VEC(struct operation) operations;
    uint32_t next;
    bool has_arrived;           /* at the operation at `next` */
    bool is_halted;             /* what it does behind its operations is not known */
    uint32_t own[BARRIERS + 1]; /* the phase of the last arrival */
    struct clock clock;
};

struct search {
    const struct cw_kernel_query *q;
    const struct cw_event_trace *t;
    const struct cw_mbarriers *in_memory;
    uint32_t launch, nwarps;
    uint32_t assumed; /* what input the witness chooses, as a formula: loops whose length it reads run */
    struct actor actor[WARPS];
    struct phases phases[BARRIERS + 1];
    bool comes[BARRIERS][WARPS * 32];
    struct cw_phase_mixes *out;
};

/* ---- what each warp does ---- */

static struct cw_cell number_at(const struct search *search, const struct cw_step *step, uint32_t k, uint32_t thread) {
    const struct cw_fn *fn = search->t->roles->fn;
    cw_ref operand = cw_arg(fn, &fn->ins.at[step->ins], k);
    return cw_lane_value_cell(cw_lane_value_of(search->t->lanes, operand, step->context), thread);
}

/* The condition under what is assumed. Where input decides it the witness chooses that it holds, if it can. */
static uint32_t choose_condition(struct search *search, uint32_t condition) {
    struct cw_bdds *bdds = cw_lanes_bdds(search->t->lanes);
    if (condition == CW_BDD_TRUE || condition == CW_BDD_FALSE)
        return condition;
    uint32_t both = cw_bdd_and(bdds, search->assumed, condition);
    if (both == CW_BDD_FALSE || both == search->assumed)
        return both == search->assumed ? CW_BDD_TRUE : CW_BDD_FALSE;
    if (both == CW_BDD_POISON || cw_bdd_known(bdds, both) > CW_FREE)
        return CW_BDD_POISON;
    search->assumed = both;
    return CW_BDD_TRUE;
}

/* The lanes that come, as bits; false: one may come, or not. Only what decides for all lanes alike is chosen: how many
 * of them come by data of their own is for the host to say. */
static bool find_lanes(struct search *search, uint32_t block, const struct cw_context *context, uint32_t warp,
                       uint32_t *lanes) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(search->t->lanes, block, context);
    uint32_t common = CW_BDD_FALSE;
    *lanes = 0;
    for (uint32_t t = warp * 32; t < warp * 32 + 32 && t < cw_lanes_count(search->t->lanes); t++) {
        uint32_t condition = cw_lane_cond_at(reach, t);
        if (condition != CW_BDD_TRUE && condition != CW_BDD_FALSE && common != CW_BDD_FALSE && condition != common)
            return false;
        common = condition != CW_BDD_TRUE && condition != CW_BDD_FALSE ? condition : common;
        condition = choose_condition(search, condition);
        if (condition != CW_BDD_TRUE && condition != CW_BDD_FALSE)
            return false;
        *lanes |= (uint32_t)(condition == CW_BDD_TRUE) << t % 32;
    }
    return true;
}

/* The operand as one number for all lanes that come. */
static bool find_number(const struct search *search, const struct cw_step *step, uint32_t k, uint32_t warp,
                        uint32_t lanes, int64_t *number) {
    bool is_first = true;
    for (; lanes; lanes &= lanes - 1) {
        struct cw_cell cell = number_at(search, step, k, warp * 32 + (uint32_t)__builtin_ctz(lanes));
        if (!cw_cell_numeric(cell) || (!is_first && cell.value != *number))
            return false;
        *number = cell.value;
        is_first = false;
    }
    return true;
}

static bool read_numbered(const struct search *search, const struct cw_step *step, uint32_t warp, uint32_t lanes,
                          struct operation *out) {
    const struct cw_ins *i = &search->t->roles->fn->ins.at[step->ins];
    int64_t number, count;
    if (!find_number(search, step, 0, warp, lanes, &number) || !find_number(search, step, 1, warp, lanes, &count) ||
        number < 0 || number >= NUMBERED || count < 0)
        return false;
    out->arrives = true;
    out->waits = i->aux != CW_BARRIER_ARRIVE;
    out->barrier = number == 0 && count == 0 ? WHOLE : (uint8_t)number;
    out->count = count ? count : 32 * (int64_t)search->nwarps;
    return count > 0 || (number == 0 && out->waits);
}

/* Whose phases can be followed: it is made once, for a known number of arrivals, each of them one. */
static bool is_followed(const struct cw_mbarrier *mbarrier) {
    return mbarrier->is_seen && mbarrier->inits == 1 && !mbarrier->is_odd && !mbarrier->is_stage &&
           mbarrier->count > 0;
}

static bool read_in_memory(const struct search *search, const struct cw_step *step, uint32_t warp, uint32_t lanes,
                           struct operation *out) {
    const struct cw_ins *i = &search->t->roles->fn->ins.at[step->ins];
    int32_t b = cw_mbarriers_find(search->in_memory, search->t, step, 0, out->thread);
    int64_t parity = -1;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (cw_mbarriers_find(search->in_memory, search->t, step, 0,
                              warp * 32 + (uint32_t)__builtin_ctz(left)) != b)
            return false;
    if (b < 0 || !is_followed(&search->in_memory->at[b]) || i->aux == CW_MBAR_BIND ||
        (i->op == CW_OP_MBARARRIVE && i->aux == CW_MBAR_ARRIVE_COPIES))
        return false;
    out->barrier = (uint8_t)(NUMBERED + b);
    out->count = search->in_memory->at[b].count;
    out->arrives = cw_mbarrier_arrives(i);
    out->waits = i->op == CW_OP_MBARWAIT;
    if (out->waits && i->aux == CW_MBAR_PARITY && !find_number(search, step, 1, warp, lanes, &parity))
        return false;
    out->parity = parity < 0 ? -1 : (int8_t)(parity & 1);
    return !out->waits || i->aux == CW_MBAR_OWN || i->aux == CW_MBAR_PARITY;
}

/* A group of the size of the block waits as the block does; one within a warp waits for nobody else. */
static bool read_group(const struct search *search, const struct cw_step *step, struct operation *out, bool *is_any) {
    const struct cw_fn *fn = search->t->roles->fn;
    const struct cw_ins *i = &fn->ins.at[step->ins];
    *is_any = false;
    if (!i->narg || cw_ref_type(fn, cw_arg(fn, i, 0)) != CW_GROUP)
        return true;
    struct cw_team team = cw_lanes_team(search->t->lanes, cw_arg(fn, i, 0), step->context, out->thread);
    *is_any = !(team.known && team.in_warp);
    out->barrier = WHOLE;
    out->arrives = out->waits = true;
    return !*is_any || (team.known && team.size >= cw_lanes_count(search->t->lanes));
}

/* What the step is to the warp; false: it cannot be followed any further. is_any: it is something. */
static bool read_operation(const struct search *search, const struct cw_step *step, uint32_t warp, uint32_t lanes,
                           struct operation *out, bool *is_any) {
    const struct cw_ins *i = &search->t->roles->fn->ins.at[step->ins];
    *is_any = true;
    switch (i->op) {
    case CW_OP_BARRIER: return read_numbered(search, step, warp, lanes, out);
    case CW_OP_MBARARRIVE: case CW_OP_MBARWAIT:
        return search->in_memory && read_in_memory(search, step, warp, lanes, out);
    case CW_OP_SYNCWARP: return read_group(search, step, out, is_any);
    case CW_OP_ASYNCCOMMIT: case CW_OP_ASYNCWAIT: *is_any = false; return true;
    default: return false;
    }
}

static void read_step(struct search *search, const struct cw_step *step, uint32_t warp) {
    struct actor *actor = &search->actor[warp];
    uint32_t lanes, block = search->t->roles->fn->ins.at[step->ins].block;
    bool is_any = false;
    if (find_lanes(search, block, step->context, warp, &lanes) && !lanes)
        return;
    struct operation o = {.ins = step->ins, .thread = warp * 32 + (uint32_t)(lanes ? __builtin_ctz(lanes) : 0),
                          .iteration = step->context ? step->context->iteration : 0,
                          .lanes = (uint32_t)__builtin_popcount(lanes), .parity = -1};
    actor->is_halted = !find_lanes(search, block, step->context, warp, &lanes) ||
                       !read_operation(search, step, warp, lanes, &o, &is_any);
    if (!actor->is_halted && is_any)
        cw_vec_push(search->q->arena, &actor->operations, o);
}

/* Of which loop were iterations left out before step k? Its last one is in the context of the step before. */
static const struct cw_context *find_loop(const struct cw_event_trace *trace, uint32_t k) {
    const struct cw_context *c = k > 0 ? trace->steps.at[k - 1].context : NULL;
    while (c && c->outer != trace->steps.at[k].context)
        c = c->outer;
    return c;
}

/* Those warps that are in the loop are followed up to there. */
static void read_gap(struct search *search, uint32_t k) {
    const struct cw_context *context = find_loop(search->t, k);
    for (uint32_t w = 0; w < search->nwarps; w++) {
        uint32_t lanes = 0, header = context ? search->t->roles->fn->cfg->loops.at[context->loop].header : 0;
        if (!context || !find_lanes(search, header, context, w, &lanes) || lanes)
            search->actor[w].is_halted = true;
    }
}

static void read_trace(struct search *search) {
    for (uint32_t k = 0; k < search->t->steps.n; k++) {
        const struct cw_step *step = &search->t->steps.at[k];
        if (step->kind == CW_STEP_GAP)
            read_gap(search, k);
        for (uint32_t w = 0; step->kind == CW_STEP_SYNC && w < search->nwarps; w++)
            if (!search->actor[w].is_halted)
                read_step(search, step, w);
    }
}

/* Which threads arrive at each barrier, for the message. */
static void count_comers(struct search *search) {
    for (uint32_t w = 0; w < search->nwarps; w++)
        for (uint32_t k = 0; k < search->actor[w].operations.n; k++) {
            const struct operation *o = &search->actor[w].operations.at[k];
            uint32_t lanes = o->barrier < NUMBERED ? 32 : o->lanes;
            for (uint32_t t = 0; o->arrives && o->barrier != WHOLE && t < lanes; t++)
                search->comes[o->barrier][w * 32 + t] = true;
        }
}

/* ---- mixes ---- */

static void tell_mix(struct search *search, enum cw_phase_mix_kind kind, const struct operation *o,
                 const struct arrival *other) {
    struct phases *p = &search->phases[o->barrier];
    struct cw_phase_mix mix = {.kind = kind, .ins = o->ins, .thread = o->thread, .iteration = o->iteration,
                               .other = other->by->ins, .other_thread = other->by->thread, .root = CW_NONE,
                               .number = o->barrier, .count = o->count, .launch = search->launch};
    if (p->is_told)
        return;
    p->is_told = true;
    for (uint32_t t = 0; t < search->nwarps * 32; t++)
        mix.come += search->comes[o->barrier][t];
    if (o->barrier >= NUMBERED) {
        mix.root = search->in_memory->at[o->barrier - NUMBERED].root;
        mix.offset = search->in_memory->at[o->barrier - NUMBERED].offset;
    }
    cw_vec_push(search->q->arena, &search->out->at, mix);
}

/* Is the warp at this operation ordered behind the arrival? Lanes that come together are not ordered. */
static bool is_behind(const struct search *search, uint32_t warp, const struct operation *o,
                      const struct arrival *arrival) {
    if (arrival->warp == warp)
        return arrival->by != o;
    return search->actor[warp].clock.of[arrival->warp] >= arrival->time;
}

static void check_order(struct search *search, uint32_t warp, const struct operation *o) {
    const struct phases *p = &search->phases[o->barrier];
    for (uint32_t k = 0; k < p->before.n; k++)
        if (!is_behind(search, warp, o, &p->before.at[k]))
            tell_mix(search, CW_MIX_EARLY, o, &p->before.at[k]);
    for (uint32_t k = 0; o->barrier < NUMBERED && k < p->now.n; k++)
        if (p->now.at[k].warp == warp)
            tell_mix(search, CW_MIX_TWICE, o, &p->now.at[k]);
}

/* ---- the run ---- */

static void join_clock(struct clock *to, const struct clock *from) {
    for (uint32_t w = 0; w < WARPS; w++)
        to->of[w] = from->of[w] > to->of[w] ? from->of[w] : to->of[w];
}

static void complete_phase(struct search *search, struct phases *p) {
    if (!p->over)
        p->over = CW_NEW_ARRAY(search->q->arena, struct clock, MAX_PHASES);
    p->over[p->n++] = p->open;
    p->open = (struct clock){{0}};
    p->pending = 0;
    p->before.n = 0;
    for (uint32_t k = 0; k < p->now.n; k++)
        cw_vec_push(search->q->arena, &p->before, p->now.at[k]);
    p->now.n = 0;
}

/* All that are not at an end wait for the whole block. */
static void complete_whole(struct search *search) {
    struct phases *p = &search->phases[WHOLE];
    uint32_t waiting = 0;
    for (uint32_t w = 0; w < search->nwarps; w++) {
        const struct actor *a = &search->actor[w];
        bool is_over = a->next == a->operations.n;
        if (is_over ? a->is_halted : a->operations.at[a->next].barrier != WHOLE || !a->has_arrived)
            return;
        waiting += !is_over;
    }
    for (uint32_t w = 0; w < search->nwarps; w++) /* the exits are what was waited for, too */
        join_clock(&p->open, &search->actor[w].clock);
    if (waiting > 0 && p->n < MAX_PHASES)
        complete_phase(search, p);
}

static void arrive_at(struct search *search, uint32_t warp, const struct operation *o) {
    struct actor *actor = &search->actor[warp];
    struct phases *p = &search->phases[o->barrier];
    uint32_t times = o->barrier < NUMBERED || o->barrier == WHOLE ? 1 : o->lanes;
    actor->clock.of[warp]++;
    for (uint32_t k = 0; k < times && p->n < MAX_PHASES; k++) {
        struct arrival a = {o, warp, actor->clock.of[warp]};
        if (o->barrier != WHOLE)
            check_order(search, warp, o);
        if (!p->now.n || cw_vec_last(&p->now).by != o) /* one for all lanes of an operation */
            cw_vec_push(search->q->arena, &p->now, a);
        join_clock(&p->open, &actor->clock);
        p->pending += o->barrier < NUMBERED ? 32 : 1;
        actor->own[o->barrier] = p->n;
        if (o->barrier != WHOLE && p->pending >= o->count)
            complete_phase(search, p);
    }
    actor->has_arrived = true;
}

/* The phase that a wait is for; it is over, or the warp stays. */
static uint32_t phase_of(const struct search *search, const struct actor *actor, const struct operation *o) {
    uint32_t n = search->phases[o->barrier].n;
    if (o->parity < 0)
        return actor->own[o->barrier];
    return (n & 1) != (uint32_t)o->parity ? n - 1 : n;
}

static bool step_on(struct search *search, uint32_t warp) {
    struct actor *actor = &search->actor[warp];
    if (actor->next == actor->operations.n)
        return false;
    const struct operation *o = &actor->operations.at[actor->next];
    const struct phases *p = &search->phases[o->barrier];
    if (o->arrives && !actor->has_arrived)
        arrive_at(search, warp, o);
    uint32_t phase = o->waits ? phase_of(search, actor, o) : NO_PHASE;
    if (p->n >= MAX_PHASES || (o->waits && phase != NO_PHASE && phase >= p->n))
        return false;
    if (o->waits && phase != NO_PHASE) /* else: of the phase before the first one */
        join_clock(&actor->clock, &p->over[phase]);
    actor->has_arrived = false;
    actor->next++;
    return true;
}

static void run_warps(struct search *search) {
    for (bool is_moving = true; is_moving;) {
        is_moving = false;
        for (uint32_t w = 0; w < search->nwarps; w++)
            while (step_on(search, w))
                is_moving = true;
        uint32_t before = search->phases[WHOLE].n;
        complete_whole(search);
        is_moving |= search->phases[WHOLE].n > before;
    }
}

static bool look_at_launch(struct search *search) {
    uint32_t before = search->out->at.n;
    read_trace(search);
    count_comers(search);
    run_warps(search);
    return search->out->at.n > before;
}

/* ---- the answer ---- */

static bool has_count(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t count;
    return ins->op == CW_OP_MBARINIT ||
           (ins->op == CW_OP_BARRIER && !(cw_ref_const(fn, cw_arg(fn, ins, 1), &count) && count == 0));
}

static bool look_at_sample(const struct cw_kernel_query *query, const struct cw_roles *roles, uint32_t launch,
                           uint32_t sample, struct cw_phase_mixes *out) {
    struct cw_lanes *lanes = query->lanes(query->owner, launch, sample);
    const struct cw_event_trace *t = lanes ? cw_event_trace_of(lanes, roles, query->arena) : NULL;
    if (!t || t->is_too_long)
        return false;
    struct search *s = CW_NEW(query->arena, struct search);
    *s = (struct search){.q = query,
                         .t = t,
                         .in_memory = cw_mbarriers_of(t, query->arena),
                         .launch = launch,
                         .nwarps = (cw_lanes_count(lanes) + 31) / 32,
                         .assumed = CW_BDD_TRUE,
                         .out = out};
    out->at.n = 0;
    return !(s->in_memory && s->in_memory->is_lost) && look_at_launch(s);
}

struct cw_phase_mixes cw_phase_mixes_of(const struct cw_kernel_query *query) {
    struct cw_phase_mixes out = {{0}}, now = {{0}};
    if (query->fn->cfg->is_irreducible || !cw_reachable_where(query->fn, has_count, query->arena).n)
        return out;
    const struct cw_roles *roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    struct cw_survey survey = cw_survey_of(query->launches, 64);
    while (cw_survey_next(&survey)) {
        bool is_found = false;
        for (uint32_t sample = 0; sample < SAMPLES && !is_found; sample++)
            is_found = look_at_sample(query, roles, survey.launch, sample, &now);
        if (is_found && cw_survey_shown(&survey)) {
            out = now;
            now = (struct cw_phase_mixes){{0}};
        }
    }
    for (uint32_t k = 0; k < out.at.n; k++)
        out.at.at[k].definite = cw_survey_definite(&survey);
    return out;
}

/* ---- text form ---- */

void cw_phase_mixes_print(const struct cw_facts_print *to, const struct cw_phase_mixes *mixes) {
    for (uint32_t k = 0; k < mixes->at.n; k++) {
        const struct cw_phase_mix *mix = &mixes->at.at[k];
        cw_facts_begin(to, mix->definite, mix->kind == CW_MIX_EARLY ? "early arrival" : "second arrival in a phase");
        cw_facts_ins(to, "", mix->ins);
        cw_facts_thread(to, "by", mix->thread);
        cw_facts_part(to, "iteration %u", mix->iteration);
        cw_facts_ins(to, "and", mix->other);
        cw_facts_thread(to, "by", mix->other_thread);
        if (mix->root.tag == CW_REF_NONE)
            cw_facts_part(to, "barrier %" PRId64, mix->number);
        else
            cw_facts_memory(to, mix->root, mix->offset, sizeof(uint64_t));
        cw_facts_part(to, "for %" PRId64 " of %u threads", mix->count, mix->come);
        cw_facts_launch(to, mix->launch, 0);
        cw_facts_end(to);
    }
}
