/* The races of the kernel and how they are told, shared by the rules on them. */
#include "rules/report_races.h"

#include "kernel/ask/races.h"
#include "kernel/ask/values.h"
#include "fix/make/insert_barrier.h"
#include "rules/report_names.h"
#include "rules/registry.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

#include <string.h>

enum { MAX_ALSO = 6 /* further places named in one finding */, MAX_CALLS = 4, MAX_LOOPS = 16 };

/* The side at which a race becomes visible. */
static const struct cw_race_side *shown_side(const struct cw_race *race) {
    return race->second.ins != UINT32_MAX ? &race->second : &race->first;
}

uint32_t cw_race_ins(const struct cw_race *race) {
    return shown_side(race)->ins;
}

enum cw_confidence cw_race_confidence(const struct cw_race *race) {
    return race->definite ? CW_DEFINITE : CW_POSSIBLE;
}

static bool has_two_sides(const struct cw_race *race) {
    return race->first.ins != UINT32_MAX && race->second.ins != UINT32_MAX;
}

static bool in_one_warp(const struct cw_race *race) {
    return has_two_sides(race) && race->first.thread / 32 == race->second.thread / 32;
}

const char *cw_race_who(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    uint32_t first = race->first.thread, second = race->second.thread;
    if (!has_two_sides(race))
        return cw_arena_printf(ctx->arena, "thread %u", shown_side(race)->thread);
    uint32_t low = first < second ? first : second, high = first < second ? second : first;
    if (low == high)
        return cw_arena_printf(ctx->arena, "thread %u", low);
    if (in_one_warp(race))
        return cw_arena_printf(ctx->arena, "lanes %u and %u of a warp", low % 32, high % 32);
    return cw_arena_printf(ctx->arena, "threads %u and %u", low, high);
}

const char *cw_race_what(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    uint64_t unknown = race->sampled ? (uint64_t)cw_lanes_unknown_size(race->lanes) : 0; /* a template's `T *` */
    return cw_element_text(ctx, race->base, race->offset, race->bytes, unknown);
}

void cw_report_races(struct cw_rule_ctx *ctx, void (*report)(struct cw_rule_ctx *, const struct cw_race *)) {
    const struct cw_races *races = cw_kernel_races(ctx->kernel);
    for (uint32_t k = 0; k < races->at.n; k++)
        if (ctx->rule->hooks->is_my_race(&races->at.at[k].is))
            report(ctx, &races->at.at[k]);
}

/* ---- the two places ---- */

static uint32_t loc_of(const struct cw_rule_ctx *ctx, uint32_t ins) {
    return ctx->fn->ins.at[ins].loc;
}

static struct cw_span span_of(const struct cw_rule_ctx *ctx, uint32_t ins) {
    return ctx->fn->locs.at[loc_of(ctx, ins)].span;
}

static bool on_one_line(const struct cw_rule_ctx *ctx, uint32_t a, uint32_t b) {
    struct cw_span x = span_of(ctx, a), y = span_of(ctx, b);
    return x.file == y.file && x.line == y.line;
}

bool cw_race_in_one_statement(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    return has_two_sides(race) && race->first.ins != race->second.ins && race->first.writes != race->second.writes &&
           on_one_line(ctx, race->first.ins, race->second.ins);
}

bool cw_race_of_one_write(const struct cw_race *race) {
    return has_two_sides(race) && race->first.writes && race->second.writes &&
           race->first.context == race->second.context && !race->first_block && race->first.ins == race->second.ins;
}

static const char *verb_of(const struct cw_rule_ctx *ctx, const struct cw_race_side *side) {
    if (side->atomic)
        return "updates";
    if (ctx->fn->ins.at[side->ins].op == CW_OP_WGMMA)
        return "starts a wgmma that reads";
    if (ctx->fn->ins.at[side->ins].op == CW_OP_ASYNCCOPY)
        return side->writes ? "starts an asynchronous copy to" : "starts an asynchronous copy from";
    return side->writes ? "writes" : "reads";
}

static void label_sides(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    const char *what = cw_race_what(ctx, race);
    const struct cw_race_side *a = &race->first, *b = &race->second;
    if (has_two_sides(race) && loc_of(ctx, a->ins) == loc_of(ctx, b->ins)) {
        cw_report_label(ctx, finding, loc_of(ctx, a->ins), "thread %u %s %s, thread %u %s it", a->thread,
                        verb_of(ctx, a), what, b->thread, verb_of(ctx, b));
        return;
    }
    for (int k = 0; k < 2; k++, a = b)
        if (a->ins != UINT32_MAX)
            cw_report_label(ctx, finding, loc_of(ctx, a->ins), "thread %u %s %s", a->thread, verb_of(ctx, a), what);
}

/* The finding's own inline stack tells how the second access is reached. */
static void note_calls(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    const struct cw_loc *locs = ctx->fn->locs.at;
    if (!has_two_sides(race) || locs[loc_of(ctx, race->first.ins)].site == locs[loc_of(ctx, race->second.ins)].site)
        return;
    uint32_t site = locs[loc_of(ctx, race->first.ins)].site;
    for (uint32_t depth = 0; site != 0 && depth < MAX_CALLS; depth++) {
        const struct cw_site *s = &ctx->fn->sites.at[site];
        cw_report_note(ctx, finding, s->loc, "thread %u %s it in this call of %s", race->first.thread,
                       verb_of(ctx, &race->first), s->callee != NULL ? s->callee : "the function");
        site = locs[s->loc].site;
    }
}

/* ---- iterations ---- */

static uint32_t loop_loc(const struct cw_rule_ctx *ctx, uint32_t loop) {
    const struct cw_loop *l = &ctx->fn->cfg->loops.at[loop];
    for (uint32_t k = 0; k < l->exits.n; k++) {
        uint32_t loc = ctx->fn->blocks.at[l->exits.at[k].block].jump.loc;
        if (loc != 0)
            return loc;
    }
    return 0;
}

/* "offset = 16": what the named counters of the shown access's loops are in its iteration. */
static void add_counters(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    const struct cw_cfg *cfg = ctx->fn->cfg;
    struct cw_arena *keep = ctx->sink->keep;
    uint32_t n = 0;
    uint32_t thread = shown_side(race)->thread;
    for (const struct cw_context *c = shown_side(race)->context; c != NULL && n < MAX_LOOPS; c = c->outer, n++)
        for (uint32_t k = 0; k < cfg->loops.at[c->loop].inductions.n; k++) {
            uint32_t phi = cfg->inductions.at[cfg->loops.at[c->loop].inductions.at[k]].phi;
            const struct cw_ins *ins = &ctx->fn->ins.at[phi];
            if (ins->name == NULL || !cw_type_is_int((enum cw_type)ins->type))
                continue;
            const struct cw_lane_values *v = cw_lanes_eval(race->lanes, cw_ref_ins(phi), c);
            if (v == NULL || v->known[thread] > CW_SAMPLED)
                continue;
            struct cw_witness_fact fact = {ins->name,
                                           cw_arena_printf(keep, "%lld", (long long)v->value[thread])};
            cw_vec_push(keep, &finding->witness.facts, fact);
        }
}

/* The loops in which the two threads are in different iterations. */
static void note_iterations(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    const struct cw_context *a = race->first.context, *b = race->second.context;
    for (uint32_t n = 0; a != NULL && n < MAX_LOOPS; a = a->outer, n++)
        for (const struct cw_context *c = b; c != NULL; c = c->outer)
            if (c->loop == a->loop && c->iteration != a->iteration)
                cw_report_note(
                    ctx, finding, loop_loc(ctx, a->loop),
                    "thread %u %s it in iteration %u of this loop, thread %u %s it in iteration %u (counting from 0)",
                    race->first.thread, verb_of(ctx, &race->first), a->iteration, race->second.thread,
                    verb_of(ctx, &race->second), c->iteration);
}

enum { STEP_DEPTH = 8 };

static bool is_of_grid(const struct cw_fn *fn, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    bool is = ref.tag == CW_REF_SREG && ref.index >= CW_NCTAID_X && ref.index <= CW_NCTAID_Z;
    for (uint32_t k = 0; i && depth && k < i->narg && !is; k++)
        is = is_of_grid(fn, cw_arg(fn, i, k), depth - 1);
    return is;
}

/* Do the two meet only as a block goes round a loop that steps by the whole grid again? A launch of as many blocks as
 * there are items leaves it after the first round. */
static bool rests_on_small_grid(const struct cw_rule_ctx *ctx, const struct cw_race *race) {
    const struct cw_cfg *cfg = ctx->fn->cfg;
    bool rests = false;
    for (const struct cw_context *a = race->first.context; a; a = a->outer)
        for (const struct cw_context *b = race->second.context; b; b = b->outer) {
            const struct cw_vec_u32 *inductions = &cfg->loops.at[a->loop].inductions;
            for (uint32_t k = 0; b->loop == a->loop && b->iteration != a->iteration && k < inductions->n; k++)
                rests |= is_of_grid(ctx->fn, cfg->inductions.at[inductions->at[k]].step, STEP_DEPTH);
        }
    return rests;
}

/* ---- what is missing ---- */

/* Does it stand between the two after all, and only its mask leaves lanes out? */
static bool is_between(const struct cw_rule_ctx *ctx, const struct cw_race *race) {
    return has_two_sides(race) && race->first.context == race->second.context && race->first.ins != race->second.ins &&
           cw_cfg_ins_dominates(ctx->fn, race->first.ins, race->between) &&
           cw_cfg_ins_dominates(ctx->fn, race->between, race->second.ins);
}

static const char *between_text(const struct cw_rule_ctx *ctx, const struct cw_race *race) {
    if (race->is.crosses_collective)
        return "this synchronises the lanes but does not order their memory accesses";
    if (race->is.near_syncwarp)
        return is_between(ctx, race) ? "this is between the accesses, but its mask does not name both lanes"
                                  : "this orders accesses before it with accesses after it, not two accesses before it";
    return race->is.crosses_syncwarp ? "this orders the lanes of one warp, and no others" : NULL;
}

/* In one warp, and not a step of any other idea: what is left of lock-step code. */
static bool is_lock_step(const struct cw_race *race) {
    return race->is.in_warp && !race->is.crosses_collective && !race->is.published && !race->is.near_syncwarp;
}

static void note_unknown_call(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t call) {
    const char *name = ctx->fn->ins.at[call].name;
    if (name != NULL && *name != '\0')
        cw_report_note(ctx, finding, loc_of(ctx, call),
                       "this assumes that %s, whose body is not known here, synchronises no threads", name);
    else
        cw_report_note(ctx, finding, loc_of(ctx, call),
                       "this assumes that the function called here, which is not known, synchronises no threads");
}

static void note_between(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    const char *text = race->between != UINT32_MAX ? between_text(ctx, race) : NULL;
    if (text != NULL)
        cw_report_note(ctx, finding, loc_of(ctx, race->between), "%s", text);
    if (race->skipped != UINT32_MAX)
        cw_report_note(ctx, finding, loc_of(ctx, race->skipped),
                       "loaded data decides whether the threads of the block reach this barrier");
    if (race->chosen != UINT32_MAX)
        cw_report_note(ctx, finding, loc_of(ctx, race->chosen),
                       "data decides which element this touches; another thread touches it whichever that is");
    if (race->call != UINT32_MAX)
        note_unknown_call(ctx, finding, race->call);
    const struct cw_ins *second = &ctx->fn->ins.at[cw_race_ins(race)];
    if (second->flags & CW_INS_VOLATILE)
        cw_report_note(ctx, finding, 0, "volatile makes each access go to memory; it orders nothing between threads");
}

/* What a finding assumes that is possible at most. */
static void note_doubt(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    static const char *const texts[] = {
        [CW_DOUBT_USE] = "this assumes that the value which is read matters: nothing seen here depends on it",
        [CW_DOUBT_ELEMENT] = "this assumes data that lead both threads to one element",
        [CW_DOUBT_INPUT] = "this assumes input with which both threads get here",
        [CW_DOUBT_SIZES] = "this assumes sizes such as those given here",
        [CW_DOUBT_BLOCK] = "this assumes a block of this shape"};
    if (race->doubt != CW_DOUBT_NONE && finding->confidence == CW_POSSIBLE)
        cw_report_note(ctx, finding, 0, "%s", texts[race->doubt]);
}

static void note_also(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    uint32_t told[MAX_ALSO + 1] = {cw_race_ins(race)}, n = 1, left = 0;
    for (uint32_t k = 0; k < race->also.n; k++) {
        uint32_t ins = race->also.at[k].second, seen = 0;
        while (seen < n && !on_one_line(ctx, told[seen], ins))
            seen++;
        if (seen < n)
            continue;
        if (n > MAX_ALSO) {
            left++;
            continue;
        }
        told[n++] = ins;
        cw_report_note(ctx, finding, loc_of(ctx, ins), "%s",
                       has_two_sides(race) ? "this races for the same reason" : "this reads it too");
    }
    if (left != 0)
        cw_report_note(ctx, finding, 0, "and %u more", left);
}

/* Of the accesses that race for this cause, a read and a write stand in one statement: `s[t] += s[t + k];` row by
 * row. With barriers between the rows alone, each row would still race with itself. */
static bool updates_in_place(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    for (uint32_t k = 0; k < race->also.n; k++) {
        const struct cw_race_pair *p = &race->also.at[k];
        if (race->first.writes && !race->second.writes && on_one_line(ctx, p->first, cw_race_ins(race)))
            return true;
        for (uint32_t i = 0; i < race->also.n; i++)
            if (p->first != race->also.at[i].second && on_one_line(ctx, p->first, race->also.at[i].second) &&
                ctx->fn->ins.at[p->first].op != ctx->fn->ins.at[race->also.at[i].second].op)
                return true;
    }
    return false;
}

/* `written`: the barrier as the fix writes it, or NULL. */
static void add_help(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race,
                     const char *written) {
    const char *barrier = written ? written : race->remedy == CW_REMEDY_WARP ? "__syncwarp()" : "__syncthreads()";
    uint32_t block = ctx->fn->ins.at[race->place].block;
    bool divergent = race->remedy == CW_REMEDY_BLOCK && ctx->uniformity->control_live[block] > CW_UNI_BLOCK;
    bool within_row =
        cw_race_in_one_statement(ctx, race) && race->first.context == race->second.context; /* else one will do */
    if (race->remedy == CW_REMEDY_NONE)
        cw_report_help(ctx, finding, "other blocks touch %s as well: let an earlier kernel or copy do one of the two",
                       cw_race_what(ctx, race));
    else if (cw_race_of_one_write(race))
        cw_report_help(ctx, finding,
                       "let one thread write %s, or give each thread an element of its own: no barrier orders "
                       "the writes of one statement",
                       cw_race_what(ctx, race));
    else if (race->loses_value)
        cw_report_help(ctx, finding,
                       "use two elements if both values are needed; if the second write is to replace the "
                       "first, insert %s before line %u",
                       barrier, span_of(ctx, race->place).line);
    else if (within_row || (is_lock_step(race) && updates_in_place(ctx, race)))
        cw_report_help(ctx, finding, "read into a register, %s, write, and %s again before the next read", barrier,
                       barrier);
    else if (divergent)
        cw_report_help(ctx, finding,
                       "order the two with a %s that all threads of the block reach, outside of the branch", barrier);
    else
        cw_report_help(ctx, finding, "insert %s before line %u", barrier, span_of(ctx, race->place).line);
}

/* ---- the witness ---- */

static const char *row_meaning(const struct cw_race_side *side, const struct cw_race_side *other) {
    if (side->writes && other->writes)
        return "lanes that write what another lane writes";
    return side->writes ? "lanes that write what another lane reads" : "lanes that read what another lane writes";
}

static void add_row(struct cw_rule_ctx *ctx, struct cw_witness *witness, const struct cw_race_side *side,
                    const struct cw_race_side *other, uint32_t lanes) {
    const char *label = side->atomic ? "updates" : side->writes ? "writes" : "reads";
    struct cw_lane_row row = {label, lanes, row_meaning(side, other), 0};
    if (lanes != 0)
        cw_vec_push(ctx->sink->keep, &witness->rows, row);
}

static void add_threads(struct cw_rule_ctx *ctx, struct cw_witness *witness, const struct cw_race *race) {
    const struct cw_race_side *side[] = {&race->first, &race->second};
    for (int k = 0; k < 2; k++) {
        bool again = k == 1 && has_two_sides(race) && race->first.thread == race->second.thread;
        if (side[k]->ins == UINT32_MAX || again)
            continue;
        cw_vec_push(ctx->sink->keep, &witness->threads, side[k]->thread);
        if (in_one_warp(race))
            cw_vec_push(ctx->sink->keep, &witness->lanes, side[k]->thread % 32);
    }
}

/* Another instantiation may see its first race where this one sees its second. */
static void cover_others(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    for (uint32_t k = 0; k < race->also.n; k++)
        if (race->also.at[k].second < ctx->fn->ins.n)
            cw_report_covers(ctx, finding, ctx->fn->ins.at[race->also.at[k].second].loc);
}

static enum cw_orders orders_of(const struct cw_race *race) {
    if (!has_two_sides(race) || race->is.asynchronous)
        return CW_ORDERS_NONE;
    if (race->remedy == CW_REMEDY_NONE || cw_race_of_one_write(race))
        return CW_ORDERS_MORE;
    return race->remedy == CW_REMEDY_WARP ? CW_ORDERS_WARP : CW_ORDERS_BLOCK;
}

/* Does a chosen value, of a size say, lead the thread there? */
static bool is_reached_by_choice(const struct cw_rule_ctx *ctx, const struct cw_race *race,
                                 const struct cw_race_side *side) {
    return side->ins != UINT32_MAX && !cw_lanes_decided_exactly(race->lanes, ctx->fn->ins.at[side->ins].block);
}

void cw_report_race(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    cover_others(ctx, finding, race);
    finding->orders = orders_of(race);
    const char *barrier =
        race->remedy != CW_REMEDY_NONE && !cw_race_of_one_write(race) ? cw_fix_race(ctx, finding, race) : NULL;
    struct cw_witness *w = &finding->witness;
    label_sides(ctx, finding, race);
    note_calls(ctx, finding, race);
    if (has_two_sides(race))
        note_iterations(ctx, finding, race);
    if (has_two_sides(race) && ctx->launches->is_unread && rests_on_small_grid(ctx, race)) {
        finding->confidence = CW_POSSIBLE;
        cw_report_note(ctx, finding, 0,
                       "this assumes that the launch, which could not be read, has fewer blocks than "
                       "the loop over the grid has items");
    }
    bool is_chosen = race->sampled || is_reached_by_choice(ctx, race, &race->first) ||
                     is_reached_by_choice(ctx, race, &race->second);
    if (is_chosen && ctx->launches->lacks_caller) {
        finding->confidence = CW_POSSIBLE;
        cw_report_note(ctx, finding, 0,
                       "this assumes sizes that callers of the launching function, which could not be "
                       "read, may not pass");
    }
    note_between(ctx, finding, race);
    note_also(ctx, finding, race);
    note_doubt(ctx, finding, race);
    if (in_one_warp(race) && race->remedy == CW_REMEDY_BLOCK && !race->is.in_storage)
        cw_report_note(ctx, finding, 0, "threads of several warps race here as well: a __syncwarp() is not enough");
    add_help(ctx, finding, race, barrier);
    if (is_chosen)
        cw_report_launch(ctx, finding, race->lanes);
    else
        cw_report_shape(ctx, finding, race->lanes);
    add_counters(ctx, finding, race);
    w->address = cw_arena_strdup(ctx->sink->keep, cw_race_what(ctx, race));
    add_threads(ctx, w, race);
    if (shown_side(race)->context != NULL)
        w->iteration = shown_side(race)->context->iteration;
    if (in_one_warp(race)) {
        w->warp = (int32_t)(race->first.thread / 32);
        add_row(ctx, w, &race->first, &race->second, race->lanes_first);
        add_row(ctx, w, &race->second, &race->first, race->lanes_second);
    }
}

void cw_report_proxy_fault(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_proxy_fault *fault) {
    cw_report_note(ctx, finding, ctx->fn->ins.at[fault->copy].loc, "thread %u starts %s here", fault->copier,
                   ctx->fn->ins.at[fault->copy].op == CW_OP_ASYNCCOPY ? "the copy" : "it");
    finding->witness.warp = (int32_t)(fault->thread / 32);
    cw_vec_push(ctx->sink->keep, &finding->witness.threads, fault->thread);
    if (fault->copier != fault->thread)
        cw_vec_push(ctx->sink->keep, &finding->witness.threads, fault->copier);
    cw_report_launch(ctx, finding, cw_kernel_lanes(ctx->kernel, fault->launch, 0));
}
