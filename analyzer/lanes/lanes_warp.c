/* Results of collectives: computed where the lanes that take part and their operands are known, else one token for all
 * lanes that get the same result.
 *
 * A lane that is named and does not come is taken to have exited: then it is ignored (SEMANTICS.md). That it may be
 * missing wrongly is a finding of the rules, not a value. */
#include "lanes/lanes_internal.h"
#include "uniformity/alias.h"
#include "lanes/shuffle_sources.h"

/* Nodes that the formulas of one vote may take, for each warp. Where each lane's part hangs on two unknowns, as in a
 * loop that lanes have left by data of their own, they double with each lane; then nothing is said of the vote. */
enum { WARP_NODES = 1024 };

/* One collective in one context. */
struct call {
    const struct cw_ins *ins;
    cw_ref self;
    const struct cw_context *c;
    const struct cw_lane_cond *reach;
    const struct cw_lane_value *mask;    /* NULL: a group, or the legacy form */
    const struct cw_lane_value *operand; /* predicate or value; may be NULL */
    enum cw_type type;           /* of the operand */
    bool group;
    uint32_t most_nodes;
};

/* The lanes thread t acts with. */
struct party {
    bool known;
    uint32_t lanes; /* of those, the ones that come (surely or by input) */
    uint64_t id;    /* equal in threads of one party */
    uint8_t doubt;  /* worst known of mask and of arrivals */
    uint32_t names; /* the mask, and what is known of it */
    uint8_t mask_doubt;
};

static bool has_room(const struct cw_lanes *lanes, const struct call *call) {
    bool is_truth = call->ins->op == CW_OP_VOTE && call->ins->aux != CW_VOTE_BALLOT;
    return !is_truth || lanes->f.nodes.n <= call->most_nodes;
}

static uint32_t arrives_given(struct cw_lanes *lanes, const struct call *call, uint32_t u, uint32_t t) {
    if (!has_room(lanes, call))
        return CW_BDD_POISON;
    return cw_bdd_given(&lanes->f, cw_lane_cond_at(call->reach, u), cw_lane_cond_at(call->reach, t));
}

static uint32_t named_lanes(struct cw_lanes *lanes, const struct call *call, uint32_t t, struct party *party) {
    party->known = true;
    if (call->group) {
        struct cw_team g = cw_lanes_team(lanes, cw_arg(lanes->fn, call->ins, 0), call->c, t);
        party->known = g.known && g.in_warp;
        party->doubt = party->known ? CW_NUMBER : CW_OPAQUE;
        party->id = party->known ? g.lanes : cw_mix(t, 3);
        return g.lanes;
    }
    if (!call->mask) {
        party->id = 1;
        return UINT32_MAX;
    }
    struct cw_cell m = cw_lane_value_cell(call->mask, t);
    party->known = cw_cell_numeric(m);
    party->doubt = m.known;
    party->id = m.value == CW_NO_TOKEN ? cw_mix(t, 5) : cw_cell_hash(7, m);
    return (uint32_t)m.value;
}

/* Nearly always a thread comes under the same condition as its neighbour, and with the same mask. */
static bool acts_like(const struct call *call, const struct party *party, const struct party *before, uint32_t t) {
    return t % 32 && party->names == before->names && party->known == before->known &&
           party->mask_doubt == before->mask_doubt &&
           cw_lane_cond_at(call->reach, t) == cw_lane_cond_at(call->reach, t - 1);
}

/* `before`: the party of thread t - 1. */
static struct party party_of(struct cw_lanes *lanes, const struct call *call, uint32_t t,
                             const struct party *before) {
    struct party p = {.doubt = CW_NUMBER};
    uint32_t first = t & ~31u;
    p.names = named_lanes(lanes, call, t, &p);
    p.mask_doubt = p.doubt;
    if (acts_like(call, &p, before, t)) {
        p.lanes = before->lanes;
        p.doubt = before->doubt;
        return p;
    }
    for (uint32_t lane = 0; lane < 32 && first + lane < lanes->threads; lane++) {
        uint32_t f = arrives_given(lanes, call, first + lane, t);
        if (f == CW_BDD_FALSE || (p.known && !(p.names >> lane & 1)))
            continue;
        p.lanes |= 1u << lane;
        p.doubt = cw_worse(p.doubt, cw_bdd_known(&lanes->f, f));
    }
    return p;
}

static uint64_t party_name(const struct call *call, const struct party *party, uint32_t t) {
    return cw_mix(cw_mix(cw_lanes_name(call->self, call->c), t / 32), party->id);
}

/* An unknown that all lanes of the party share. */
static struct cw_cell shared_unknown(struct cw_lanes *lanes, const struct call *call, const struct party *party,
                                     uint32_t t, uint64_t more) {
    uint8_t known = party->doubt;
    for (uint32_t lane = 0; lane < 32 && call->operand; lane++)
        if (party->lanes >> lane & 1)
            known = cw_worse(known, cw_lane_value_cell(call->operand, (t & ~31u) + lane).known);
    if (known <=
        CW_SAMPLE) /* numbers, and the lanes that take part are known: only the sum of floats is not computed here */
        known = party->known && !cw_type_is_int(call->type) && call->type != CW_I1 ? CW_FIXED : CW_OPAQUE;
    uint64_t name = cw_mix(party_name(call, party, t), more);
    if (call->ins->type == CW_I1)
        return cw_bdd_cell(lanes, cw_bdd_var(&lanes->f, name, known));
    return (struct cw_cell){known, cw_token(name)};
}

/* ---- votes ---- */

static uint32_t predicate_of(struct cw_lanes *lanes, const struct call *call, uint32_t u) {
    struct cw_cell c = cw_lane_value_cell(call->operand, u);
    if (call->type == CW_I1)
        return cw_cell_formula(c);
    return cw_cell_formula(cw_cell_compare(lanes, CW_OP_NE, call->type, c, (struct cw_cell){CW_NUMBER, 0}));
}

static uint8_t numbers_known(const struct call *call, const struct party *party, uint32_t t) {
    uint8_t known = CW_NUMBER;
    for (uint32_t lane = 0; lane < 32; lane++)
        if ((party->lanes >> lane & 1) && cw_lane_value_cell(call->operand, (t & ~31u) + lane).known == CW_SAMPLE)
            known = CW_SAMPLE;
    return known;
}

static struct cw_cell make_truth(struct cw_lanes *lanes, const struct call *call, const struct party *party, uint32_t t,
                                 uint32_t f) {
    struct cw_cell c = call->ins->type == CW_I1 ? cw_bdd_cell(lanes, f) : cw_truth_cell(lanes, f);
    if (cw_cell_numeric(c))
        c.known = numbers_known(call, party, t);
    return c.value == CW_NO_TOKEN ? shared_unknown(lanes, call, party, t, 0) : c;
}

static struct cw_cell eval_ballot(struct cw_lanes *lanes, const struct call *call, const struct party *party,
                                  uint32_t t) {
    uint32_t first = t & ~31u, bits = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(party->lanes >> lane & 1))
            continue;
        uint32_t f =
            cw_bdd_and(&lanes->f, arrives_given(lanes, call, first + lane, t), predicate_of(lanes, call, first + lane));
        if (!cw_bdd_terminal(f))
            return shared_unknown(lanes, call, party, t, 0);
        bits |= (uint32_t)(f == CW_BDD_TRUE) << lane;
    }
    return (struct cw_cell){numbers_known(call, party, t), cw_type_wrap(call->ins->type, (int32_t)bits)};
}

static struct cw_cell eval_vote(struct cw_lanes *lanes, const struct call *call, const struct party *party,
                                uint32_t t) {
    uint32_t any = CW_BDD_FALSE, all = CW_BDD_TRUE, asked = call->ins->aux;
    if (!party->known)
        return shared_unknown(lanes, call, party, t, 0);
    if (asked == CW_VOTE_BALLOT)
        return eval_ballot(lanes, call, party, t);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(party->lanes >> lane & 1))
            continue;
        uint32_t u = (t & ~31u) + lane, here = arrives_given(lanes, call, u, t), says = predicate_of(lanes, call, u);
        if (asked != CW_VOTE_ALL) /* of conditions with several unknowns each, one of the two may be large */
            any = cw_bdd_or(&lanes->f, any, cw_bdd_and(&lanes->f, here, says));
        if (asked != CW_VOTE_ANY)
            all = cw_bdd_and(&lanes->f, all, cw_bdd_or(&lanes->f, cw_bdd_not(here), says));
    }
    uint32_t f = asked == CW_VOTE_ANY   ? any
                 : asked == CW_VOTE_ALL ? all
                                        : cw_bdd_or(&lanes->f, all, cw_bdd_not(any));
    return make_truth(lanes, call, party, t, f);
}

/* ---- reductions and matches ---- */

static bool all_numbers(const struct call *call, const struct party *party, uint32_t t, bool *negative) {
    *negative = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(party->lanes >> lane & 1))
            continue;
        struct cw_cell c = cw_lane_value_cell(call->operand, (t & ~31u) + lane);
        if (!cw_cell_numeric(c))
            return false;
        *negative |= c.value < 0;
    }
    return party->known && party->doubt <= CW_SAMPLE;
}

static enum cw_op redux_op(uint32_t aux) {
    switch (aux) {
    case CW_REDUX_ADD: return CW_OP_ADD;
    case CW_REDUX_MIN: return CW_OP_SMIN;
    case CW_REDUX_MAX: return CW_OP_SMAX;
    case CW_REDUX_AND: return CW_OP_AND;
    case CW_REDUX_OR: return CW_OP_OR;
    case CW_REDUX_XOR: return CW_OP_XOR;
    default: return CW_OP_HOLE;
    }
}

/* Minimum and maximum come signed and unsigned under one name; they agree where nothing is negative. */
static struct cw_cell eval_reduce(struct cw_lanes *lanes, const struct call *call, const struct party *party,
                                  uint32_t t) {
    bool negative, first = true;
    enum cw_op op = redux_op(call->ins->aux);
    struct cw_cell sum = {CW_NUMBER, 0};
    if (op == CW_OP_HOLE || !cw_type_is_int(call->type) || call->ins->type != call->type ||
        !all_numbers(call, party, t, &negative) || (negative && (op == CW_OP_SMIN || op == CW_OP_SMAX)))
        return shared_unknown(lanes, call, party, t, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(party->lanes >> lane & 1))
            continue;
        struct cw_cell args[2] = {sum, cw_lane_value_cell(call->operand, (t & ~31u) + lane)};
        sum = first ? args[1] : cw_cell_op(lanes, op, call->type, call->type, args, 2);
        first = false;
    }
    return sum;
}

/* The lanes whose value is the caller's; known only when each other value is surely equal or surely not. */
static struct cw_cell eval_match(struct cw_lanes *lanes, const struct call *call, const struct party *party,
                                 uint32_t t) {
    struct cw_cell mine = cw_lane_value_cell(call->operand, t);
    uint32_t same = 0;
    bool all = call->ins->aux == CW_VOTE_ALL, sure = party->known && party->doubt <= CW_SAMPLE;
    for (uint32_t lane = 0; lane < 32 && sure; lane++) {
        struct cw_cell c =
            cw_lane_value_cell(call->operand, (t & ~31u) + lane < lanes->threads ? (t & ~31u) + lane : t);
        if (!(party->lanes >> lane & 1))
            continue;
        if (cw_cell_same(mine, c))
            same |= 1u << lane;
        else
            sure = cw_cell_numeric(mine) && cw_cell_numeric(c);
    }
    if (!sure)
        return shared_unknown(lanes, call, party, t,
                              all                         ? 0
                              : mine.value == CW_NO_TOKEN ? cw_mix(t, 11)
                                                          : cw_cell_hash(13, mine));
    if (all && same != party->lanes)
        same = 0;
    return (struct cw_cell){numbers_known(call, party, t), cw_type_wrap(call->ins->type, (int32_t)same)};
}

/* Which lane is elected is not specified, but always the same one of the same lanes: the lowest is chosen. */
static struct cw_cell eval_elect(struct cw_lanes *lanes, const struct call *call, const struct party *party,
                                 uint32_t t) {
    if (party->known && party->doubt <= CW_SAMPLE && (party->lanes & (party->lanes - 1)) == 0)
        return (struct cw_cell){CW_NUMBER, 1};
    if (party->known && party->doubt <= CW_SAMPLE)
        return (struct cw_cell){CW_SAMPLE, t % 32 == (uint32_t)__builtin_ctz(party->lanes)};
    return cw_bdd_cell(lanes, cw_bdd_var(&lanes->f, cw_mix(party_name(call, party, t), t), CW_OPAQUE));
}

/* ---- shuffles ---- */

/* The segment width: written, or the size of the tile, or the warp. 0: unknown or no power of two. */
static uint32_t width_of(struct cw_lanes *lanes, const struct call *call, const struct cw_lane_value *width,
                         uint32_t t) {
    if (call->group) {
        struct cw_team g = cw_lanes_team(lanes, cw_arg(lanes->fn, call->ins, 0), call->c, t);
        return g.known && g.in_warp ? g.size : 0;
    }
    if (!width)
        return 32;
    struct cw_cell w = cw_lane_value_cell(width, t);
    bool fine = cw_cell_numeric(w) && w.value > 0 && w.value <= 32 && (w.value & (w.value - 1)) == 0;
    return fine ? (uint32_t)w.value : 0;
}

static void put_lane(struct cw_lanes *lanes, const struct cw_lane_value *from, uint32_t u, uint32_t t) {
    lanes->scratch.known[t] = from->known[u & from->mask];
    lanes->scratch.value[t] = from->value[u & from->mask];
    if (from->base)
        lanes->scratch.base[t] = from->base[u & from->mask];
}

static void put_unknown(struct cw_lanes *lanes, const struct call *call, struct cw_cell cell, uint32_t t) {
    bool pointer = call->ins->type == CW_PTR;
    lanes->scratch.known[t] = pointer ? CW_NUMBER : cell.known;
    lanes->scratch.value[t] = pointer ? 0 : cell.value;
    if (pointer)
        lanes->scratch.base[t] = (struct cw_lane_base){call->self, cell.value};
}

/* Reading a lane that does not take part gives anything. */
static bool can_read(struct cw_lanes *lanes, const struct call *call, const struct party *party, uint32_t u,
                     uint32_t t) {
    return u == t || (u < lanes->threads && arrives_given(lanes, call, u, t) != CW_BDD_FALSE &&
                      (!party->known || (party->lanes >> u % 32 & 1)));
}

/* Of an unknown lane: what all get that read the same one of one segment. */
static void shuffle_one(struct cw_lanes *lanes, const struct call *call, const struct cw_lane_value *by,
                        const struct cw_lane_value *width, struct party p, uint32_t t) {
    struct cw_cell b = cw_lane_value_cell(by, t);
    uint32_t w = width_of(lanes, call, width, t);
    uint64_t own = cw_mix(t, 17);
    if (w == 0 || !cw_cell_numeric(b)) {
        bool together = call->ins->aux == CW_SHFL_IDX && w > 0 && b.value != CW_NO_TOKEN;
        uint64_t read = together ? cw_mix(cw_cell_hash(19, b), t % 32 / w) : own;
        p.doubt = cw_worse(p.doubt, b.known);
        put_unknown(lanes, call, shared_unknown(lanes, call, &p, t, read), t);
        return;
    }
    uint32_t u = (t & ~31u) + cw_shuffle_lane((enum cw_shfl)call->ins->aux, t % 32, (uint32_t)b.value & 31, w);
    if (can_read(lanes, call, &p, u, t))
        put_lane(lanes, call->operand, u, t);
    else
        put_unknown(lanes, call, (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN}, t);
}

static const struct cw_lane_value *eval_shuffle(struct cw_lanes *lanes, const struct call *call) {
    const struct cw_lane_value *by = cw_lane_value_of(lanes, cw_arg(lanes->fn, call->ins, 2), call->c), *width = NULL;
    if (call->ins->narg > 3 && cw_arg(lanes->fn, call->ins, 3).tag != CW_REF_UNDEF)
        width = cw_lane_value_of(lanes, cw_arg(lanes->fn, call->ins, 3), call->c);
    if (!call->operand->mask && cw_lane_value_cell(call->operand, 0).value != CW_NO_TOKEN)
        return call->operand; /* every lane has the same: whichever is read */
    struct party party = {0};
    for (uint32_t t = 0; t < lanes->threads; t++) {
        party = party_of(lanes, call, t, &party);
        shuffle_one(lanes, call, by, width, party, t);
    }
    return cw_lane_value_seal(lanes, lanes->threads, call->ins->type == CW_PTR);
}

/* ---- block barriers that count ---- */

static const struct cw_lane_value *block_vote(struct cw_lanes *lanes, const struct call *call) {
    uint32_t any = CW_BDD_FALSE, all = CW_BDD_TRUE, count = 0;
    bool sure = true;
    uint8_t known = CW_NUMBER, numbers = CW_NUMBER;
    for (uint32_t t = 0; t < lanes->threads && call->operand; t++) {
        uint32_t here = cw_lane_cond_at(call->reach, t), says;
        if (here == CW_BDD_FALSE)
            continue;
        says = predicate_of(lanes, call, t);
        sure &= here == CW_BDD_TRUE && cw_bdd_terminal(says);
        any = says == CW_BDD_TRUE && here == CW_BDD_TRUE ? CW_BDD_TRUE : any;
        all = says == CW_BDD_FALSE && here == CW_BDD_TRUE ? CW_BDD_FALSE : all;
        count += says == CW_BDD_TRUE;
        known = cw_worse(known, cw_worse(cw_bdd_known(&lanes->f, says), cw_bdd_known(&lanes->f, here)));
        numbers = cw_worse(numbers, cw_lane_value_cell(call->operand, t).known == CW_SAMPLE ? CW_SAMPLE : CW_NUMBER);
    }
    int64_t value =
        call->ins->aux == CW_BARRIER_COUNT ? count : (call->ins->aux == CW_BARRIER_OR ? any : all) == CW_BDD_TRUE;
    bool early = (call->ins->aux == CW_BARRIER_OR && any == CW_BDD_TRUE) ||
                 (call->ins->aux == CW_BARRIER_AND && all == CW_BDD_FALSE);
    if (call->operand && (sure || early))
        return cw_lane_value_one(lanes, (struct cw_cell){numbers, cw_type_wrap(call->ins->type, value)});
    return cw_lane_value_fresh(lanes, call->self, call->c, known <= CW_SAMPLE ? CW_OPAQUE : (enum cw_state)known,
                               CW_UNI_BLOCK);
}

/* ---- dispatch ---- */

static struct cw_cell lane_result(struct cw_lanes *lanes, const struct call *call, const struct party *party,
                                  uint32_t t) {
    switch (call->ins->op) {
    case CW_OP_VOTE: return eval_vote(lanes, call, party, t);
    case CW_OP_REDUX: return eval_reduce(lanes, call, party, t);
    case CW_OP_MATCH: return eval_match(lanes, call, party, t);
    default: return eval_elect(lanes, call, party, t);
    }
}

/* Lanes of one party come to one result; it is computed once per party where it does not depend on the caller. */
static const struct cw_lane_value *each_lane(struct cw_lanes *lanes, const struct call *call) {
    struct cw_cell *cells = CW_NEW_ARRAY(lanes->a, struct cw_cell, lanes->threads);
    struct party last = {.known = false};
    bool shared = call->ins->op == CW_OP_VOTE || call->ins->op == CW_OP_REDUX;
    for (uint32_t t = 0; t < lanes->threads; t++) {
        struct party p = party_of(lanes, call, t, &last);
        bool again = shared && t % 32 && p.known && last.known && p.lanes == last.lanes && p.id == last.id &&
                     cw_lane_cond_at(call->reach, t) == cw_lane_cond_at(call->reach, t - 1);
        cells[t] = again ? cells[t - 1] : lane_result(lanes, call, &p, t);
        last = p;
    }
    struct cw_cell nothing = call->ins->type == CW_I1 ? cw_bdd_cell(lanes, CW_BDD_POISON)
                                                      : (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    for (uint32_t t = 0; t < lanes->threads && !has_room(lanes, call); t++) /* some lanes' part in it was not asked */
        cells[t] = cw_cell_numeric(cells[t]) ? cells[t] : nothing;
    for (uint32_t t = 0; t < lanes->threads; t++) {
        lanes->scratch.known[t] = cells[t].known;
        lanes->scratch.value[t] = cells[t].value;
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}

static struct call call_of(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    struct call x = {.ins = &lanes->fn->ins.at[ins], .self = cw_ref_ins(ins), .c = context,
                     .most_nodes = lanes->f.nodes.n + WARP_NODES * (lanes->threads / 32 + 1)};
    uint32_t operand = x.ins->op == CW_OP_BARRIER ? 2 : 1;
    x.reach = cw_lane_cond_reach(lanes, x.ins->block, context);
    if (x.ins->narg > 0 && x.ins->op != CW_OP_BARRIER) {
        cw_ref mask = cw_arg(lanes->fn, x.ins, 0);
        x.group = cw_ref_type(lanes->fn, mask) == CW_GROUP;
        x.mask = x.group || mask.tag == CW_REF_UNDEF ? NULL : cw_lane_value_of(lanes, mask, context);
    }
    if (x.ins->narg > operand && cw_arg(lanes->fn, x.ins, operand).tag != CW_REF_UNDEF) {
        x.operand = cw_lane_value_of(lanes, cw_arg(lanes->fn, x.ins, operand), context);
        x.type = cw_ref_type(lanes->fn, cw_arg(lanes->fn, x.ins, operand));
    }
    return x;
}

const struct cw_lane_value *cw_lanes_collective(struct cw_lanes *lanes, uint32_t ins,
                                                const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    cw_ref self = cw_ref_ins(ins);
    if (i->op == CW_OP_ATOMIC) { /* who comes first is decided by the schedule, differently for each thread */
        const struct cw_lane_value *ticket = cw_lanes_ticket(lanes, ins, context);
        enum cw_state known = cw_memory_atomic_changes(lanes->fn, i) ? CW_FREE : CW_OPAQUE;
        return ticket ? ticket : cw_lane_value_fresh(lanes, self, context, known, CW_UNI_DIVERGENT);
    }
    if (i->op == CW_OP_BARRIER) {
        struct call x = call_of(lanes, ins, context);
        return block_vote(lanes, &x);
    }
    if (i->op != CW_OP_SHFL && i->op != CW_OP_VOTE && i->op != CW_OP_MATCH && i->op != CW_OP_REDUX &&
        i->op != CW_OP_ELECT)
        return cw_lane_value_fresh(lanes, self, context, CW_OPAQUE, CW_UNI_DIVERGENT);
    struct call x = call_of(lanes, ins, context);
    bool pointer = x.operand && x.operand->base;
    if ((!x.operand && i->op != CW_OP_ELECT) || pointer != (i->type == CW_PTR))
        return cw_lane_value_fresh(lanes, self, context, CW_OPAQUE, CW_UNI_DIVERGENT);
    return i->op == CW_OP_SHFL ? eval_shuffle(lanes, &x) : each_lane(lanes, &x);
}
