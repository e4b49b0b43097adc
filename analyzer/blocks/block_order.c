/* See block_order.h.
 *
 * Threads of a block that execute the same basic blocks are one *role*. Each role sees the control-flow graph without
 * the basic blocks that it never executes; reachability in that graph is computed once. */
#include "blocks/block_order.h"

#include "base/hash.h"
#include "base/map.h"

#include <string.h>

enum {
    ROLES_MAX = 48,       /* of both blocks together */
    FN_BLOCKS_MAX = 2048, /* beyond it the kernel is left alone */
    VISITS_MAX = 4096,    /* (role, warp, event) of one search */
    GUARDS_MAX = 8,       /* conditions on input around an access */
    THIRD = 2,            /* .block of the role that stands for all other blocks */
    ANY_WARP = 32         /* of the role's threads, nobody knows in which warp */
};

struct role {
    uint32_t block;
    uint32_t thread;              /* the first with these basic blocks */
    uint32_t warps;               /* bit w: some thread of warp w has them */
    const uint8_t **reach;        /* per basic block: enum cw_reach per thread; shared by the roles of a block */
    struct cw_bitset executes;    /* basic blocks that it may execute */
    struct cw_bitset *follows; /* per basic block: those that it may execute after it, by a path of at least one edge */
};

/* The branches that decide whether a block is executed, looked up once. */
struct controls {
    bool is_known;
    struct cw_vec_edge edges;
    uint64_t winners; /* see cw_block_order_decided_by() */
};

struct cw_block_order {
    const struct cw_device_events *d;
    const struct cw_uniformity *uniformity;
    struct cw_lanes *const *lanes;
    const uint8_t **reach[2];
    struct role roles[ROLES_MAX + 1];
    uint32_t nroles;
    uint32_t nhops;        /* nroles, and one more for a third block between the two */
    struct cw_block_pair pair;
    uint8_t *role_of[2];   /* by thread */
    struct controls *controls; /* by block */
    struct cw_map *orders; /* answers of cw_block_order_before() */
    struct search *search; /* scratch memory of one question */
    struct cw_arena *a;
};

/* ---- walks of a role ---- */

static const struct cw_device_event *event_at(const struct cw_block_order *block_order, uint32_t e) {
    return &block_order->d->at.at[e];
}

static uint32_t block_of(const struct cw_block_order *block_order, uint32_t e) {
    return block_order->d->fn->ins.at[event_at(block_order, e)->ins].block;
}

/* A walk of a role over the edges of the function that are not closed to it. */
struct walk {
    const struct cw_block_order *block_order;
    const struct role *role;
    bool (*is_closed)(const struct walk *walk, uint32_t from, uint32_t next); /* NULL: every edge is open */
    uint32_t event, to; /* from the one event to the other */
    uint32_t first;     /* of is_later_iteration: the basic block that the loop holds beside that of `to` */
    uint32_t loop;      /* of is_next_turn */
};

/* Adds to `reached` the basic blocks that the walk comes to behind the end of the basic block `from`. */
static void walk_from(const struct walk *walk, uint32_t from, struct cw_bitset *reached) {
    const struct cw_fn *fn = walk->block_order->d->fn;
    struct cw_vec_u32 open = {0};
    cw_vec_push(walk->block_order->a, &open, from);
    while (open.n > 0) {
        uint32_t at = open.at[--open.n];
        const struct cw_jump *jump = &fn->blocks.at[at].jump;
        for (uint32_t k = 0; k < jump->nsucc; k++) {
            uint32_t next = jump->succ[k];
            if (!cw_bitset_has(&walk->role->executes, next) || cw_bitset_has(reached, next) ||
                (walk->is_closed != NULL && walk->is_closed(walk, at, next)))
                continue;
            cw_bitset_add(reached, next);
            cw_vec_push(walk->block_order->a, &open, next);
        }
    }
}

/* Does the walk come from its event to the other one? Behind it in the same basic block it does without an edge. */
static bool comes_to_event(const struct walk *walk) {
    uint32_t from = block_of(walk->block_order, walk->event), to = block_of(walk->block_order, walk->to);
    struct cw_bitset reached = cw_bitset_new(walk->block_order->a, walk->block_order->d->fn->blocks.n);
    if (from == to && walk->event < walk->to)
        return true;
    walk_from(walk, from, &reached);
    return cw_bitset_has(&reached, to);
}

/* ---- roles ---- */

static bool is_same_role(const struct cw_block_order *block_order, const struct role *role, uint32_t thread) {
    const struct cw_cfg *cfg = block_order->d->fn->cfg;
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        uint32_t b = cfg->rpo[k];
        if ((role->reach[b][role->thread] == CW_REACH_NO) != (role->reach[b][thread] == CW_REACH_NO))
            return false;
    }
    return true;
}

static void find_all_followers(const struct cw_block_order *block_order, struct role *role) {
    const struct cw_fn *fn = block_order->d->fn;
    role->follows = CW_NEW_ARRAY(block_order->a, struct cw_bitset, fn->blocks.n);
    for (uint32_t k = 0; k < block_order->d->at.n; k++) { /* only blocks with events are asked about */
        uint32_t b = fn->ins.at[block_order->d->at.at[k].ins].block;
        if (role->follows[b].word != NULL || !cw_bitset_has(&role->executes, b))
            continue;
        role->follows[b] = cw_bitset_new(block_order->a, fn->blocks.n);
        walk_from(&(struct walk){.block_order = block_order, .role = role}, b, &role->follows[b]);
    }
}

static void fill_role(const struct cw_block_order *block_order, struct role *role) {
    const struct cw_fn *fn = block_order->d->fn;
    role->executes = cw_bitset_new(block_order->a, fn->blocks.n);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++)
        if (role->reach[fn->cfg->rpo[k]][role->thread] != CW_REACH_NO)
            cw_bitset_add(&role->executes, fn->cfg->rpo[k]);
    find_all_followers(block_order, role);
}

static bool add_roles(struct cw_block_order *block_order, uint32_t block) {
    const struct cw_cfg *cfg = block_order->d->fn->cfg;
    uint32_t first = block_order->nroles;
    block_order->reach[block] = CW_NEW_ARRAY(block_order->a, const uint8_t *, block_order->d->fn->blocks.n);
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        uint32_t b = cfg->rpo[k];
        block_order->reach[block][b] =
            cw_lanes_reach(block_order->lanes[block], b, cw_lanes_first(block_order->lanes[block], b));
    }
    block_order->role_of[block] = CW_NEW_ARRAY(block_order->a, uint8_t, cw_lanes_count(block_order->lanes[block]) + 1);
    for (uint32_t t = 0; t < cw_lanes_count(block_order->lanes[block]); t++) {
        uint32_t k = first;
        while (k < block_order->nroles && !is_same_role(block_order, &block_order->roles[k], t))
            k++;
        block_order->role_of[block][t] = (uint8_t)k;
        if (k == ROLES_MAX)
            return false;
        struct role *r = &block_order->roles[k];
        if (k == block_order->nroles) {
            *r = (struct role){.block = block, .thread = t, .reach = block_order->reach[block]};
            fill_role(block_order, r);
            block_order->nroles++;
        }
        r->warps |= 1u << t / 32;
    }
    return true;
}

/* A thread of any other block, which may execute everything: it may hand on what one of the two has signalled. */
static void add_third(struct cw_block_order *block_order) {
    const struct cw_fn *fn = block_order->d->fn;
    struct role *r = &block_order->roles[block_order->nroles];
    *r = (struct role){.block = THIRD, .warps = UINT32_MAX, .executes = cw_bitset_new(block_order->a, fn->blocks.n)};
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++)
        cw_bitset_add(&r->executes, fn->cfg->rpo[k]);
    find_all_followers(block_order, r);
    block_order->nhops = block_order->nroles + 1;
}

static const struct role *role_of(const struct cw_block_order *block_order, struct cw_block_thread block_thread) {
    return &block_order->roles[block_order->role_of[block_thread.block][block_thread.thread]];
}

/* ---- what a thread executes ---- */

struct gathering {
    struct cw_arena *arena;
    struct cw_vec_edge *edges;
};

static bool gather_edge(void *ctx, struct cw_edge edge) {
    struct gathering *gathering = ctx;
    cw_vec_push(gathering->arena, gathering->edges, edge);
    return true;
}

/* Others may take it as soon as the first has given it back. */
static bool is_given_back(const struct cw_device_events *events, const struct cw_device_event *take) {
    for (uint32_t k = 0; k < events->at.n; k++)
        if (cw_device_gives_back(events, take, &events->at.at[k]))
            return true;
    return false;
}

static const struct controls *controls_of(const struct cw_block_order *block_order, uint32_t block) {
    struct controls *controls = &block_order->controls[block];
    const struct cw_device_events *d = block_order->d;
    if (controls->is_known)
        return controls;
    controls->is_known = true;
    cw_cfg_controls(d->fn, block, gather_edge, &(struct gathering){block_order->a, &controls->edges});
    for (uint32_t k = 0; k < controls->edges.n; k++) {
        struct cw_edge edge = controls->edges.at[k];
        controls->winners |= d->open[edge.block] >> edge.which & 1 ? 0 : d->awaits[edge.block];
    }
    for (uint32_t k = 0; k < d->at.n; k++)
        if (d->at.at[k].awaited && (d->at.at[k].spins || is_given_back(d, &d->at.at[k])))
            controls->winners &= ~(UINT64_C(1) << (d->at.at[k].awaited - 1));
    return controls;
}

bool cw_block_order_may_execute(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                                uint32_t block) {
    return block_order->reach[block_thread.block][block] != NULL &&
           block_order->reach[block_thread.block][block][block_thread.thread] != CW_REACH_NO;
}

/* Branches whose way is not known and is the same for the whole grid: input decides it. */
struct guards {
    struct cw_edge at[GUARDS_MAX];
    uint32_t n;
};

struct condition {
    const struct cw_block_order *o;
    struct cw_block_thread t;
    struct guards guards;
    bool holds; /* but for the guards */
    bool by_own_data; /* the thread's own input may decide as well */
};

/* Does the thread take the edge once it is at the branch? */
static bool goes_there(const struct condition *condition, struct cw_edge edge) {
    const struct cw_jump *jump = &condition->o->d->fn->blocks.at[edge.block].jump;
    struct cw_lanes *l = condition->o->lanes[condition->t.block];
    const struct cw_context *first = cw_lanes_first(l, edge.block);
    if (jump->kind != CW_JUMP_BRANCH)
        return cw_lanes_takes(l, edge, first)[condition->t.thread] == CW_REACH_YES;
    const struct cw_lane_values *v = cw_lanes_eval(l, jump->value, first);
    return v->known[condition->t.thread] <= CW_SAMPLED && (v->value[condition->t.thread] != 0) == (edge.which == 0);
}

static bool is_up_to_input(const struct condition *condition, struct cw_edge edge) {
    struct cw_lanes *l = condition->o->lanes[condition->t.block];
    cw_ref value = condition->o->d->fn->blocks.at[edge.block].jump.value;
    return cw_lanes_eval(l, value, cw_lanes_first(l, edge.block))->known[condition->t.thread] == CW_INPUT;
}

static bool is_guard(const struct condition *condition, struct cw_edge edge) {
    cw_ref value = condition->o->d->fn->blocks.at[edge.block].jump.value;
    struct cw_lanes *l = condition->o->lanes[condition->t.block];
    const struct cw_lane_values *v = cw_lanes_eval(l, value, cw_lanes_first(l, edge.block));
    return v->known[condition->t.thread] > CW_SAMPLED && condition->guards.n < GUARDS_MAX &&
           cw_uni_of(condition->o->uniformity, value) <= CW_UNI_GRID;
}

/* A branch that depends on a signal goes the way that the schedule chooses. */
static void see_edge(struct condition *condition, struct cw_edge edge) {
    if (condition->o->d->awaits[edge.block] != 0 || goes_there(condition, edge) ||
        (condition->by_own_data && is_up_to_input(condition, edge)))
        return;
    condition->holds = is_guard(condition, edge);
    if (condition->holds)
        condition->guards.at[condition->guards.n++] = edge;
}

static struct condition condition_of(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                                     uint32_t block, bool by_own_data) {
    struct condition c = {.o = block_order, .t = block_thread, .by_own_data = by_own_data};
    c.holds = cw_block_order_may_execute(block_order, block_thread, block);
    if (!c.holds || block_order->reach[block_thread.block][block][block_thread.thread] == CW_REACH_YES)
        return c;
    const struct cw_vec_edge *edges = &controls_of(block_order, block)->edges;
    for (uint32_t k = 0; k < edges->n && c.holds; k++)
        see_edge(&c, edges->at[k]);
    return c;
}

bool cw_block_order_executes(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                             uint32_t block) {
    struct condition c = condition_of(block_order, block_thread, block, false);
    return c.holds && c.guards.n == 0;
}

bool cw_block_order_executes_by_data(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                                     uint32_t block) {
    struct condition c = condition_of(block_order, block_thread, block, true);
    return c.holds && c.guards.n == 0;
}

static bool is_among(const struct guards *guards, struct cw_edge edge) {
    for (uint32_t k = 0; k < guards->n; k++)
        if (guards->at[k].block == edge.block && guards->at[k].which == edge.which)
            return true;
    return false;
}

static bool are_among(const struct guards *guards, const struct guards *other) {
    for (uint32_t k = 0; k < guards->n; k++)
        if (!is_among(other, guards->at[k]))
            return false;
    return true;
}

bool cw_block_order_execute_together(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                                     uint32_t block, struct cw_block_thread other, uint32_t other_block) {
    struct condition first = condition_of(block_order, block_thread, block, false),
                     second = condition_of(block_order, other, other_block, false);
    return first.holds && second.holds &&
           (are_among(&first.guards, &second.guards) || are_among(&second.guards, &first.guards));
}

uint64_t cw_block_order_decided_by(const struct cw_block_order *block_order, uint32_t block) {
    return controls_of(block_order, block)->winners;
}

static bool is_on_same_ticket(const struct cw_device_events *events, uint64_t bits, uint64_t other) {
    for (uint32_t k = 0; k < events->at.n; k++)
        for (uint32_t n = 0; n < events->at.n; n++) {
            const struct cw_device_event *a = &events->at.at[k], *b = &events->at.at[n];
            if (a->awaited && b->awaited && (bits >> (a->awaited - 1) & 1) && (other >> (b->awaited - 1) & 1) &&
                cw_device_same_variable(&a->base, &b->base))
                return true;
        }
    return false;
}

bool cw_block_order_same_ticket(const struct cw_block_order *block_order, uint32_t block, uint32_t other) {
    return is_on_same_ticket(block_order->d, cw_block_order_decided_by(block_order, block),
                             cw_block_order_decided_by(block_order, other));
}

/* ---- what a role may execute behind what ---- */

static bool executes_event(const struct cw_block_order *block_order, const struct role *role, uint32_t e) {
    return cw_bitset_has(&role->executes, block_of(block_order, e));
}

/* May the role execute event b after event a? Events stand in program order within a basic block. */
static bool may_follow(const struct cw_block_order *block_order, const struct role *role, uint32_t a, uint32_t b) {
    uint32_t from = block_of(block_order, a), to = block_of(block_order, b);
    if (!cw_bitset_has(&role->executes, from) || !cw_bitset_has(&role->executes, to))
        return false;
    return (from == to && a < b) || cw_bitset_has(&role->follows[from], to);
}

bool cw_block_order_may_follow(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                               uint32_t from, uint32_t to) {
    return may_follow(block_order, role_of(block_order, block_thread), from, to);
}

/* The widest scope of a fence that the role may execute between the two events. */
static uint8_t fence_between(const struct cw_block_order *block_order, const struct role *role, uint32_t a,
                             uint32_t b) {
    uint8_t scope = CW_SCOPE_THREAD;
    for (uint32_t k = 0; k < block_order->d->at.n; k++)
        if (event_at(block_order, k)->kind == CW_EVENT_FENCE && event_at(block_order, k)->scope > scope &&
            may_follow(block_order, role, a, k) && may_follow(block_order, role, k, b))
            scope = event_at(block_order, k)->scope;
    return scope;
}

static uint8_t scope_between(const struct cw_block_order *block_order, uint32_t block, uint32_t other) {
    if (block == other)
        return CW_SCOPE_BLOCK;
    bool is_near = block == THIRD || other == THIRD ? block_order->pair.third_in_cluster : block_order->pair.in_cluster;
    return is_near ? CW_SCOPE_CLUSTER : CW_SCOPE_DEVICE;
}

uint8_t cw_block_order_scope(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                             struct cw_block_thread other) {
    return scope_between(block_order, block_thread.block, other.block);
}

/* ---- hops between threads ---- */

struct search {
    const struct cw_block_order *o;
    struct cw_order_slack slack;
    const struct role *target;
    uint32_t from, to;
    uint32_t warp, target_warp; /* of the two threads; ANY_WARP where no barrier is of a warp */
    uint8_t *late; /* by event, see is_too_late(): 0 not asked, 1 no, 2 yes */
    struct visit {
        const struct role *role;
        uint32_t event, signal;
        uint8_t warp;  /* that knows of the access, or ANY_WARP */
        uint8_t fence; /* the widest since the data, executed before a barrier */
        bool is_round; /* the loop `turn` is in a later iteration than that of the first access */
    } at[VISITS_MAX];
    uint32_t n;
};

static void visit_event(struct search *search, struct visit visit) {
    for (uint32_t k = 0; k < search->n; k++) {
        const struct visit *old = &search->at[k];
        if (old->role == visit.role && old->event == visit.event && old->fence >= visit.fence &&
            (old->warp == visit.warp || old->warp == ANY_WARP) && old->is_round <= visit.is_round)
            return;
    }
    if (search->n < VISITS_MAX)
        search->at[search->n++] = visit;
}

static bool is_observable(const struct search *search, const struct role *from, uint32_t signal, const struct role *to,
                          uint32_t wait) {
    const struct cw_device_event *x = event_at(search->o, signal), *y = event_at(search->o, wait);
    uint8_t scope = scope_between(search->o, from->block, to->block);
    int64_t wanted, stored;
    if (!cw_device_same_variable(&x->base, &y->base))
        return false;
    if (!search->slack.any_scope && (x->scope < scope || y->scope < scope))
        return false;
    int want = cw_device_wanted(search->o->d, y, &wanted);
    const struct cw_ins *i = &search->o->d->fn->ins.at[x->ins];
    bool plain = i->op == CW_OP_STORE || (i->op == CW_OP_ATOMIC && ((i->aux & 0xff) == CW_ATOMIC_EXCH ||
                                                                    (i->aux & 0xff) == CW_ATOMIC_STORE));
    cw_ref value = cw_arg(search->o->d->fn, i, i->op == CW_OP_STORE ? 0 : 1);
    if (want == 0 || !plain || i->narg < 2 || !cw_ref_const(search->o->d->fn, value, &stored))
        return true;
    return (stored == wanted) == (want > 0);
}

/* That something is missing from an order is said only where a thread asks for the other one. */
static bool is_wait(const struct search *search, const struct cw_device_event *device_event) {
    bool is_lacking = search->slack.any_scope || search->slack.no_fence || search->slack.any_signal;
    return device_event->awaited != 0 && (device_event->asks || !is_lacking);
}

/* A variable that the signalling role takes by an exchange as well is a lock: either may hold it first. */
static bool is_lock_of(const struct cw_block_order *block_order, const struct role *role, uint32_t wait) {
    const struct cw_device_event *w = event_at(block_order, wait);
    for (uint32_t k = 0; w->spins && w->is_exchange && k < block_order->d->at.n; k++) {
        const struct cw_device_event *take = event_at(block_order, k);
        if (take->spins && take->is_exchange && executes_event(block_order, role, k) &&
            cw_device_same_variable(&take->base, &w->base))
            return true;
    }
    return false;
}

struct cw_block_order *cw_block_order_new(const struct cw_device_events *events,
                                          const struct cw_uniformity *uniformity, struct cw_lanes *const lanes[2],
                                          struct cw_block_pair pair, struct cw_arena *a) {
    struct cw_block_order *o = CW_NEW(a, struct cw_block_order);
    *o = (struct cw_block_order){.d = events, .uniformity = uniformity, .lanes = lanes, .pair = pair,
                                 .orders = CW_NEW(a, struct cw_map),
                                 .controls = CW_NEW_ARRAY(a, struct controls, events->fn->blocks.n + 1),
                                 .search = CW_NEW(a, struct search), .a = a};
    cw_map_init(o->orders, a);
    if (events->fn->blocks.n > FN_BLOCKS_MAX || !add_roles(o, 0) || !add_roles(o, 1))
        return NULL;
    o->search->late = CW_NEW_ARRAY(a, uint8_t, events->at.n + 1);
    o->nhops = o->nroles;
    if (pair.has_third)
        add_third(o);
    return o;
}

/* Does who has drawn the last ticket set it back? All have drawn theirs by then, unless they draw in rounds. */
static bool is_set_back_at_last(const struct cw_block_order *block_order, uint32_t signal, uint32_t wait) {
    const struct cw_device_event *draw = event_at(block_order, wait);
    return draw->awaited && !draw->spins && cw_device_counts(&block_order->d->fn->ins.at[draw->ins]) &&
           block_order->d->fn->cfg->loop_of[block_of(block_order, wait)] == CW_NO_LOOP &&
           controls_of(block_order, block_of(block_order, signal))->winners >> (draw->awaited - 1) & 1;
}

/* The role's signal is seen by those that wait for it; `fence`: the widest one before it. */
static void hop_by_signal(struct search *search, const struct role *role, uint32_t signal, uint32_t told,
                          uint8_t fence, bool is_round) {
    const struct cw_block_order *o = search->o;
    const struct cw_device_event *s = event_at(o, signal);
    fence = s->releases && s->scope > fence ? s->scope : fence;
    for (uint32_t v = 0; v < o->nhops; v++) {
        const struct role *to = &o->roles[v];
        uint8_t scope = scope_between(o, role->block, to->block);
        bool fenced =
            search->slack.no_fence || (fence >= scope) || (search->slack.any_scope && fence > CW_SCOPE_THREAD);
        for (uint32_t w = 0; fenced && w < o->d->at.n; w++)
            if (is_wait(search, event_at(o, w)) && executes_event(o, to, w) && !is_lock_of(o, role, w) &&
                !is_set_back_at_last(o, signal, w) && is_observable(search, role, signal, to, w))
                visit_event(search, (struct visit){to, w, told == UINT32_MAX ? signal : told, ANY_WARP,
                                                   CW_SCOPE_THREAD, is_round});
    }
}

static bool comes_round(const struct cw_cfg *cfg, uint32_t from, uint32_t next, uint32_t to) {
    uint32_t loop = cfg->loop_of[next];
    return loop != CW_NO_LOOP && cfg->loops.at[loop].header == next && cw_cfg_in_loop(cfg, loop, from) &&
           cw_cfg_in_loop(cfg, loop, to);
}

/* Does the edge come round a loop that holds the event that the walk goes to and the basic block `first`? */
static bool is_later_iteration(const struct walk *walk, uint32_t from, uint32_t next) {
    const struct cw_cfg *cfg = walk->block_order->d->fn->cfg;
    return comes_round(cfg, from, next, block_of(walk->block_order, walk->to)) &&
           comes_round(cfg, from, next, walk->first);
}

/* May the role execute `to` after the event without coming round a loop that holds `to` and the block `first`? Before
 * the first iteration nothing of a later one has been executed. */
static bool may_precede_iteration(const struct cw_block_order *block_order, const struct role *role, uint32_t event,
                                  uint32_t to, uint32_t first) {
    return comes_to_event(&(struct walk){.block_order = block_order,
                                         .role = role,
                                         .is_closed = is_later_iteration,
                                         .event = event,
                                         .to = to,
                                         .first = first});
}

static bool may_precede_first(const struct cw_block_order *block_order, const struct role *role, uint32_t event,
                              uint32_t to) {
    return may_precede_iteration(block_order, role, event, to, block_of(block_order, to));
}

static bool is_next_turn(const struct walk *walk, uint32_t from, uint32_t next) {
    (void)from;
    return next == walk->block_order->d->fn->cfg->loops.at[walk->loop].header;
}

/* May the role execute `to` after the event without beginning the loop's next iteration? */
static bool may_follow_in_turn(const struct cw_block_order *block_order, const struct role *role, uint32_t event,
                               uint32_t to, uint32_t loop) {
    return comes_to_event(&(struct walk){.block_order = block_order,
                                         .role = role,
                                         .is_closed = is_next_turn,
                                         .event = event,
                                         .to = to,
                                         .loop = loop});
}

/* Has the role begun the next iteration of `turn` once it is at the event `to`? */
static bool is_round_at(const struct search *search, const struct visit *visit, uint32_t to) {
    return visit->is_round || (search->slack.comes_next && !may_follow_in_turn(search->o, visit->role, visit->event, to,
                                                                               search->slack.turn));
}

/* The widest scope of a fence between the access that is searched from and what announces it, in one trip of the loops
 * that hold both. */
static uint8_t fence_in_trip(const struct search *search, const struct role *role, uint32_t to) {
    const struct cw_block_order *o = search->o;
    uint8_t scope = CW_SCOPE_THREAD;
    for (uint32_t k = 0; k < o->d->at.n; k++)
        if (event_at(o, k)->kind == CW_EVENT_FENCE && event_at(o, k)->scope > scope &&
            may_follow(o, role, search->from, k) && may_follow(o, role, k, to) &&
            may_precede_first(o, role, search->from, k) && may_precede_first(o, role, k, to))
            scope = event_at(o, k)->scope;
    return scope;
}

/* Is it a hop from the access itself that has to stay in its trip? */
static bool stays_in_trip(const struct search *search, uint32_t event) {
    return search->slack.same_trip && event == search->from;
}

/* Does the role come to the event in a later iteration only of loops in whose first the target has its access? */
static bool is_of_later_iteration(const struct search *search, const struct visit *from, uint32_t event) {
    const struct cw_block_order *o = search->o;
    return search->slack.comes_first &&
           !may_precede_iteration(o, from->role, from->event, event, block_of(o, search->to));
}

/* Do the role and the target meet in each iteration of a loop that holds the event and the target's access? */
static bool step_together(const struct search *search, const struct role *role, uint32_t event) {
    const struct cw_block_order *o = search->o;
    const struct cw_cfg *cfg = o->d->fn->cfg;
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        uint8_t kind = event_at(o, k)->kind;
        if (kind != CW_EVENT_GRID && (kind != CW_EVENT_BARRIER || role->block != search->target->block))
            continue;
        uint32_t loop = cfg->loop_of[block_of(o, k)];
        if (loop != CW_NO_LOOP && executes_event(o, role, k) && executes_event(o, search->target, k) &&
            cw_cfg_in_loop(cfg, loop, block_of(o, event)) && cw_cfg_in_loop(cfg, loop, block_of(o, search->to)))
            return true;
    }
    return false;
}

/* What the role has seen up to `event` is handed on by its signals. */
static void hop_by_signals(struct search *search, struct visit from) {
    const struct cw_block_order *o = search->o;
    bool in_trip = stays_in_trip(search, from.event);
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        if (event_at(o, k)->kind != CW_EVENT_SIGNAL || !may_follow(o, from.role, from.event, k) ||
            (in_trip && !may_precede_first(o, from.role, from.event, k)) ||
            (is_of_later_iteration(search, &from, k) && step_together(search, from.role, k)))
            continue;
        uint8_t fence = in_trip ? fence_in_trip(search, from.role, k) : fence_between(o, from.role, from.event, k);
        hop_by_signal(search, from.role, k, from.signal, fence > from.fence ? fence : from.fence,
                      is_round_at(search, &from, k));
    }
}

/* Can the target not have executed the barrier before its access? */
static bool is_after_access(const struct search *search, uint32_t barrier) {
    const struct cw_block_order *o = search->o;
    bool is_in_loop = (search->slack.is_past || search->slack.comes_next) &&
                      cw_cfg_in_loop(o->d->fn->cfg, search->slack.turn, block_of(o, barrier));
    if (search->slack.is_past && is_in_loop)
        return true;
    if (search->slack.comes_next && is_in_loop) /* it stands in the iteration of the one access, or of the other */
        return !may_precede_first(o, search->target, search->from, barrier) &&
               !may_precede_first(o, search->target, barrier, search->to);
    return !search->slack.comes_next && !may_precede_first(o, search->target, barrier, search->to);
}

/* Is a barrier that the target takes part in always after the target's access? Then so is all that follows it. The
 * answer is the same for a whole search. */
static bool is_too_late(struct search *search, uint32_t barrier) {
    const struct cw_block_order *o = search->o;
    if (!(search->slack.comes_first || search->slack.comes_next) || !executes_event(o, search->target, barrier) ||
        o->d->fn->cfg->loop_of[block_of(o, search->to)] == CW_NO_LOOP)
        return false;
    if (search->late[barrier] == 0)
        search->late[barrier] = is_after_access(search, barrier) ? 2 : 1;
    return search->late[barrier] == 2;
}

static bool is_barrier(const struct cw_device_event *event) {
    return event->kind == CW_EVENT_WARP || event->kind == CW_EVENT_BARRIER || event->kind == CW_EVENT_GRID;
}

/* May a thread of the role be told at the barrier by one that has come there from the visit? */
static bool meets_at(const struct visit *visit, const struct cw_device_event *barrier, const struct role *other) {
    if (barrier->kind == CW_EVENT_GRID)
        return true;
    bool is_of_warp = barrier->kind == CW_EVENT_WARP && visit->warp != ANY_WARP;
    return other->block == visit->role->block && (!is_of_warp || other->warps >> visit->warp & 1);
}

/* The role meets the visitor of the barrier there, or at another one of that kind which stands where the visitor does
 * not come: barriers count threads, wherever they arrive. */
static void arrive_at(struct search *search, const struct role *role, uint32_t barrier, struct visit visitor) {
    const struct cw_block_order *o = search->o;
    const struct role *other = visitor.role;
    bool comes = executes_event(o, role, barrier);
    visitor.role = role;
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        bool is_like = event_at(o, k)->kind == event_at(o, barrier)->kind && event_at(o, k)->kind != CW_EVENT_WARP &&
                       executes_event(o, role, k) && !executes_event(o, other, k);
        visitor.event = k;
        if (comes ? k == barrier : is_like)
            visit_event(search, visitor);
    }
}

/* What the role has seen is seen by all threads of the warp, of the block or of the grid after a barrier. */
static void hop_by_barriers(struct search *search, struct visit from) {
    const struct cw_block_order *o = search->o;
    const struct role *role = from.role;
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        const struct cw_device_event *barrier = event_at(o, k);
        bool is_targets = barrier->kind == CW_EVENT_GRID || role->block == search->target->block;
        bool in_trip = stays_in_trip(search, from.event);
        if (!is_barrier(barrier) || !may_follow(o, role, from.event, k) ||
            (is_targets && (is_too_late(search, k) ||
                            (executes_event(o, search->target, k) && is_of_later_iteration(search, &from, k)))) ||
            (in_trip && !may_precede_first(o, role, from.event, k)))
            continue;
        uint8_t fence = in_trip ? fence_in_trip(search, role, k) : fence_between(o, role, from.event, k);
        uint8_t warp = barrier->kind == CW_EVENT_WARP ? from.warp : ANY_WARP;
        fence = fence > from.fence ? fence : from.fence;
        for (uint32_t v = 0; v < o->nhops; v++)
            if (meets_at(&from, barrier, &o->roles[v]))
                arrive_at(search, &o->roles[v], k, (struct visit){role, k, from.signal, warp, fence,
                                                                  is_round_at(search, &from, k)});
    }
}

static bool is_behind(const struct cw_block_order *block_order, uint32_t event, uint32_t signal) {
    const uint32_t *order = block_order->d->fn->cfg->rpo_index;
    return order[block_of(block_order, event)] < order[block_of(block_order, signal)];
}

/* The widest fence behind the event that its thread executes, or before the signal by the one that signals. */
static uint8_t fence_on_both_sides(const struct cw_block_order *block_order, const struct role *role, uint32_t event,
                                   const struct role *other, uint32_t signal) {
    uint8_t scope = CW_SCOPE_THREAD;
    for (uint32_t k = 0; k < block_order->d->at.n; k++)
        if (event_at(block_order, k)->kind == CW_EVENT_FENCE && event_at(block_order, k)->scope > scope &&
            (may_follow(block_order, role, event, k) || may_follow(block_order, other, k, signal)))
            scope = event_at(block_order, k)->scope;
    return scope;
}

/* Another thread of the block signals for this one, although no barrier says that it may. It may execute the event as
 * well, or its signal stands behind it in the code. */
static void hop_by_faith(struct search *search, struct visit from) {
    const struct cw_block_order *o = search->o;
    const struct role *role = from.role;
    uint32_t event = from.event;
    for (uint32_t k = 0; k < o->d->at.n; k++)
        for (uint32_t v = 0; event_at(o, k)->kind == CW_EVENT_SIGNAL && v < o->nroles; v++) {
            const struct role *other = &o->roles[v];
            if (other->block != role->block || other == role || !executes_event(o, other, k))
                continue;
            if (!executes_event(o, other, event) && is_behind(o, event, k))
                hop_by_signal(search, other, k, from.signal, fence_on_both_sides(o, role, event, other, k),
                              from.is_round);
            else if (may_follow(o, other, event, k))
                visit_event(search, (struct visit){other, event, from.signal, ANY_WARP, CW_SCOPE_THREAD,
                                                   from.is_round});
        }
}

/* May the role execute a fence or a barrier between a loop that polls and the event? */
static bool is_acquired(const struct search *search, const struct role *role, uint32_t wait) {
    const struct cw_block_order *o = search->o;
    if (!event_at(o, wait)->spins || event_at(o, wait)->acquires || wait == search->to ||
        fence_between(o, role, wait, search->to) > CW_SCOPE_THREAD)
        return true;
    for (uint32_t k = 0; k < o->d->at.n; k++)
        if (is_barrier(event_at(o, k)) && may_follow(o, role, wait, k) && may_follow(o, role, k, search->to))
            return true;
    return false;
}

static bool may_be_told(const struct search *search, const struct role *role, uint32_t event) {
    if (!may_follow(search->o, role, event, search->to))
        return false;
    bool loops = search->o->d->fn->cfg->loop_of[block_of(search->o, search->to)] != CW_NO_LOOP;
    return !search->slack.comes_first || !loops || may_precede_first(search->o, role, event, search->to);
}

/* Is the wait or barrier too late for an access in that iteration of `turn`? What is waited for in an iteration is what
 * others announce in theirs. */
static bool is_out_of_turn(const struct search *search, const struct visit *visit) {
    const struct cw_block_order *o = search->o;
    uint32_t turn = search->slack.turn;
    if (visit->event == search->to || !(search->slack.comes_next || search->slack.is_past) ||
        !cw_cfg_in_loop(o->d->fn->cfg, turn, block_of(o, visit->event)))
        return false;
    return search->slack.is_past ||
           (visit->is_round && !may_follow_in_turn(o, visit->role, visit->event, search->to, turn));
}

/* Who has found an element that nobody has claimed, and nobody gives back, has been told nothing by it. */
static bool is_first_to_claim(const struct search *search, uint32_t event) {
    const struct cw_device_event *claim = event_at(search->o, event);
    return event != search->to && claim->won != CW_NO_BLOCK && !claim->spins &&
           cw_device_has_won(search->o->d, claim, block_of(search->o, search->to)) &&
           !is_given_back(search->o->d, claim);
}

/* Is the event after the wait or barrier at which the thread has been told? */
static bool is_told(const struct search *search, const struct visit *visit) {
    return visit->role == search->target && (visit->warp == ANY_WARP || visit->warp == search->target_warp) &&
           (visit->event == search->to || may_be_told(search, visit->role, visit->event)) &&
           !is_out_of_turn(search, visit) && !is_first_to_claim(search, visit->event) &&
           (!search->slack.acquires || is_acquired(search, visit->role, visit->event));
}

static bool find_order(struct search *search, const struct role *role, uint32_t from, uint32_t *signal) {
    visit_event(search, (struct visit){role, from, UINT32_MAX, (uint8_t)search->warp, CW_SCOPE_THREAD, false});
    for (uint32_t k = 0; k < search->n; k++) {
        struct visit visit = search->at[k];
        if (k > 0 && is_told(search, &visit)) {
            *signal = visit.signal;
            return true;
        }
        hop_by_signals(search, visit);
        hop_by_barriers(search, visit);
        if (search->slack.any_signal)
            hop_by_faith(search, visit);
    }
    return search->n == VISITS_MAX; /* a search that was cut proves nothing */
}

static uint32_t warp_of(const struct cw_block_order *block_order, struct cw_block_thread block_thread) {
    return block_order->d->has_warp_barriers ? block_thread.thread / 32 : ANY_WARP;
}

/* Threads of one role, and of one warp where barriers of warps count, have one answer. */
bool cw_block_order_before(const struct cw_block_order *block_order, struct cw_block_thread block_thread, uint32_t from,
                           struct cw_block_thread other, uint32_t to, struct cw_order_slack slack, uint32_t *signal) {
    struct search *s = block_order->search;
    const struct role *role = role_of(block_order, block_thread), *target = role_of(block_order, other);
    uint64_t flags = (uint64_t)slack.any_scope | (uint64_t)slack.no_fence << 1 | (uint64_t)slack.any_signal << 2 |
                     (uint64_t)slack.acquires << 3 | (uint64_t)slack.comes_first << 4 |
                     (uint64_t)slack.comes_next << 5 | (uint64_t)slack.is_past << 6 |
                     (uint64_t)slack.same_trip << 7, known;
    uint32_t warp = warp_of(block_order, block_thread), target_warp = warp_of(block_order, other);
    bool is_stepping = slack.comes_next || slack.is_past;
    uint64_t who = (uint64_t)(role - block_order->roles) | (uint64_t)(target - block_order->roles) << 8 |
                   (uint64_t)warp << 16 | (uint64_t)target_warp << 24;
    uint64_t key = cw_mix(cw_mix(flags, is_stepping ? slack.turn : 0), cw_mix(who, (uint64_t)from << 32 | to));
    if (cw_map_get(block_order->orders, key, &known)) {
        if (known & 1 && known >> 1 != 0)
            *signal = (uint32_t)(known >> 1) - 1;
        return known & 1;
    }
    s->o = block_order;
    s->slack = slack;
    s->target = target;
    s->from = from;
    s->to = to;
    s->warp = warp;
    s->target_warp = target_warp;
    s->n = 0;
    memset(s->late, 0, block_order->d->at.n);
    uint32_t found = UINT32_MAX;
    bool before = find_order(s, role, from, &found);
    if (found != UINT32_MAX)
        *signal = found;
    cw_map_put(block_order->orders, key, (uint64_t)before | (found == UINT32_MAX ? 0 : ((uint64_t)found + 1) << 1));
    return before;
}

/* ---- locks ---- */

static bool comes_first(const struct cw_block_order *block_order, uint32_t first, uint32_t then) {
    const struct cw_fn *fn = block_order->d->fn;
    return cw_cfg_ins_dominates(fn, event_at(block_order, first)->ins, event_at(block_order, then)->ins);
}

/* The same for those who have taken the lock in this turn: what stands in the arm before a join comes before all that
 * stands behind it. */
static bool comes_first_in_turn(const struct cw_block_order *block_order, const struct cw_device_event *take,
                                uint32_t first, uint32_t then) {
    const struct cw_cfg *cfg = block_order->d->fn->cfg;
    return comes_first(block_order, first, then) ||
           (take->inside != CW_NO_BLOCK && cw_cfg_dominates(cfg, take->won, block_of(block_order, first)) &&
            cw_cfg_dominates(cfg, take->inside, block_of(block_order, then)));
}

/* The widest scope of a fence between `first` and `then`, both in the arm where the lock has been taken. A fence on a
 * way round the loop that tries again does not count: it stands in another turn of the lock. */
static uint8_t fence_in_arm(const struct cw_block_order *block_order, const struct cw_device_event *take,
                            uint32_t first, uint32_t then) {
    uint8_t scope = CW_SCOPE_THREAD;
    for (uint32_t k = 0; k < block_order->d->at.n; k++) {
        const struct cw_device_event *e = event_at(block_order, k);
        if (e->kind == CW_EVENT_FENCE && e->scope > scope &&
            cw_device_has_won(block_order->d, take, block_of(block_order, k)) &&
            !comes_first(block_order, then, k) && !comes_first_in_turn(block_order, take, k, first))
            scope = e->scope;
    }
    return scope;
}

/* tried: the exchange that has taken the lock, where it is tried; else NULL. */
static uint8_t fence_of(const struct cw_block_order *block_order, const struct role *role,
                        const struct cw_device_event *tried, uint32_t first, uint32_t then) {
    return tried != NULL ? fence_in_arm(block_order, tried, first, then)
                         : fence_between(block_order, role, first, then);
}

static bool takes_lock(const struct cw_device_event *device_event) {
    return device_event->spins && device_event->is_exchange;
}

/* May the role release the lock between the two events? */
static bool may_release_between(const struct cw_block_order *block_order, const struct role *role, uint32_t take,
                                uint32_t event) {
    const struct cw_base *lock = &event_at(block_order, take)->base;
    for (uint32_t k = 0; k < block_order->d->at.n; k++) {
        const struct cw_device_event *release = event_at(block_order, k);
        if (release->kind == CW_EVENT_SIGNAL && !takes_lock(release) &&
            cw_device_same_variable(&release->base, lock) && may_follow(block_order, role, take, k) &&
            may_follow(block_order, role, k, event))
            return true;
    }
    return false;
}

/* Does the role hold the lock at the event, if it has taken it? */
static bool may_hold(const struct cw_block_order *block_order, const struct role *role, const struct cw_base *lock,
                     uint32_t event) {
    for (uint32_t k = 0; k < block_order->d->at.n; k++)
        if (takes_lock(event_at(block_order, k)) && cw_device_same_variable(&event_at(block_order, k)->base, lock) &&
            may_follow(block_order, role, k, event) && !may_release_between(block_order, role, k, event))
            return true;
    return false;
}

/* Does the role hold the lock that another one of its block has taken for all: between a barrier behind the taking and
 * one before the release? */
static bool may_hold_for_block(const struct cw_block_order *block_order, const struct role *role,
                               const struct role *leader, const struct cw_base *lock, uint32_t event) {
    bool is_taken = false, is_released = false;
    for (uint32_t k = 0; k < block_order->d->at.n; k++) {
        if (event_at(block_order, k)->kind != CW_EVENT_BARRIER || !executes_event(block_order, leader, k))
            continue;
        is_taken |= may_follow(block_order, role, k, event) && may_hold(block_order, leader, lock, k);
        for (uint32_t e = 0; e < block_order->d->at.n && may_follow(block_order, role, event, k); e++)
            is_released |= event_at(block_order, e)->kind == CW_EVENT_SIGNAL &&
                           cw_device_same_variable(&event_at(block_order, e)->base, lock) &&
                           may_follow(block_order, leader, k, e);
    }
    return is_taken && is_released;
}

static bool may_hold_somehow(const struct cw_block_order *block_order, const struct role *role,
                             const struct cw_base *lock, uint32_t event) {
    if (may_hold(block_order, role, lock, event))
        return true;
    for (uint32_t v = 0; v < block_order->nroles; v++)
        if (&block_order->roles[v] != role && block_order->roles[v].block == role->block &&
            may_hold_for_block(block_order, role, &block_order->roles[v], lock, event))
            return true;
    return false;
}

bool cw_block_order_both_hold(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                              uint32_t event, struct cw_block_thread other, uint32_t other_event) {
    const struct role *first = role_of(block_order, block_thread), *second = role_of(block_order, other);
    for (uint32_t k = 0; k < block_order->d->at.n; k++) {
        const struct cw_device_event *take = event_at(block_order, k);
        if (takes_lock(take) && may_hold_somehow(block_order, first, &take->base, event) &&
            may_hold_somehow(block_order, second, &take->base, other_event))
            return true;
    }
    return false;
}

/* May another role of the block take the lock as well, and so not reach a barrier before it is released? */
static bool is_shared_in_block(const struct cw_block_order *block_order, const struct role *role, uint32_t take) {
    for (uint32_t v = 0; v < block_order->nroles; v++)
        if (&block_order->roles[v] != role && block_order->roles[v].block == role->block &&
            executes_event(block_order, &block_order->roles[v], take))
            return true;
    return false;
}

/* Is there something between the two events that the role may never get past while it holds the lock: the same lock
 * again, or a barrier of threads that wait for the lock? */
static bool may_wait_between(const struct cw_block_order *block_order, const struct role *role, uint32_t take,
                             uint32_t release) {
    for (uint32_t k = 0; k < block_order->d->at.n; k++) {
        const struct cw_device_event *e = event_at(block_order, k);
        bool waits = e->kind == CW_EVENT_GRID ||
                     (e->kind == CW_EVENT_BARRIER && is_shared_in_block(block_order, role, take)) ||
                     (takes_lock(e) && cw_device_same_variable(&e->base, &event_at(block_order, take)->base));
        if (k != take && waits && may_follow(block_order, role, take, k) && may_follow(block_order, role, k, release))
            return true;
    }
    return false;
}

static bool may_release(const struct cw_block_order *block_order, const struct role *role, uint32_t take) {
    for (uint32_t k = 0; k < block_order->d->at.n; k++) {
        const struct cw_device_event *release = event_at(block_order, k);
        if (release->kind == CW_EVENT_SIGNAL && !takes_lock(release) &&
            cw_device_same_variable(&release->base, &event_at(block_order, take)->base) &&
            may_follow(block_order, role, take, k) && !may_wait_between(block_order, role, take, k))
            return true;
    }
    return false;
}

static bool takes_variable(const struct cw_block_order *block_order, struct cw_block_thread block_thread,
                           const struct cw_base *lock) {
    for (uint32_t k = 0; k < block_order->d->at.n; k++)
        if (takes_lock(event_at(block_order, k)) && cw_device_same_variable(&event_at(block_order, k)->base, lock) &&
            cw_block_order_may_execute(block_order, block_thread, block_of(block_order, k)))
            return true;
    return false;
}

static uint32_t count_takers(const struct cw_block_order *block_order, const struct cw_base *lock) {
    uint32_t takers = 0;
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t t = 0; t < cw_lanes_count(block_order->lanes[b]) && takers < 2; t++)
            takers += takes_variable(block_order, (struct cw_block_thread){b, t}, lock);
    return takers;
}

/* Does one thread alone take the variable, and a role that never takes it set it? Then the thread is a consumer. */
static bool has_producer(const struct cw_block_order *block_order, const struct cw_base *lock) {
    for (uint32_t v = 0; v < block_order->nroles; v++) {
        struct cw_block_thread first = {block_order->roles[v].block, block_order->roles[v].thread};
        for (uint32_t k = 0; k < block_order->d->at.n; k++)
            if (event_at(block_order, k)->kind == CW_EVENT_SIGNAL &&
                cw_device_same_variable(&event_at(block_order, k)->base, lock) &&
                executes_event(block_order, &block_order->roles[v], k) && !takes_variable(block_order, first, lock))
                return count_takers(block_order, lock) < 2;
    }
    return false;
}

bool cw_block_order_keeps_a_lock(const struct cw_block_order *block_order) {
    for (uint32_t v = 0; v < block_order->nroles; v++)
        for (uint32_t k = 0; k < block_order->d->at.n; k++)
            if (takes_lock(event_at(block_order, k)) && executes_event(block_order, &block_order->roles[v], k) &&
                !may_release(block_order, &block_order->roles[v], k) &&
                !has_producer(block_order, &event_at(block_order, k)->base))
                return true;
    return false;
}

static uint32_t least_of(uint32_t scope, uint32_t other) {
    return scope < other ? scope : other;
}

/* How much of what threads within the scope need does the section have? */
static uint32_t rate_section(const struct cw_block_order *block_order, const struct cw_critical_section *section,
                             uint8_t scope) {
    return least_of(section->fence_after_take, scope) + least_of(section->fence_before_release, scope) +
           least_of(event_at(block_order, section->take)->scope, scope) +
           least_of(event_at(block_order, section->release)->scope, scope);
}

/* Does the event give back, for certain, the lock that `take` takes? Of elements that nobody knows apart, only a write
 * of the value of a free lock does. */
static bool gives_back(const struct cw_block_order *block_order, const struct cw_device_event *take,
                       const struct cw_device_event *release) {
    if (take->won != CW_NO_BLOCK)
        return cw_device_gives_back(block_order->d, take, release);
    return release->kind == CW_EVENT_SIGNAL && !takes_lock(release) && take->base.exact && release->base.exact &&
           cw_device_same_variable(&release->base, &take->base);
}

/* Is the lock given back in the basic block, between the two events? */
static bool is_released_in(const struct cw_block_order *block_order, uint32_t block, const struct cw_device_event *take,
                           uint32_t after, uint32_t before) {
    for (uint32_t k = 0; k < block_order->d->at.n; k++)
        if (block_of(block_order, k) == block && (after == UINT32_MAX || k > after) && k < before &&
            gives_back(block_order, take, event_at(block_order, k)))
            return true;
    return false;
}

/* Is the edge behind a release of the lock that the walk's event takes, or such a release between it and the other
 * event? */
static bool is_behind_release(const struct walk *walk, uint32_t from, uint32_t next) {
    const struct cw_block_order *o = walk->block_order;
    const struct cw_device_event *take = event_at(o, walk->event);
    return is_released_in(o, from, take, from == block_of(o, walk->event) ? walk->event : UINT32_MAX, UINT32_MAX) ||
           (next == block_of(o, walk->to) && is_released_in(o, next, take, UINT32_MAX, walk->to));
}

/* Has the role always given the lock back, once it comes to the event from where it has taken it? */
static bool is_over_before(const struct cw_block_order *block_order, const struct role *role, uint32_t take,
                           uint32_t event) {
    uint32_t block = block_of(block_order, take);
    if (block == block_of(block_order, event) && take < event)
        return is_released_in(block_order, block, event_at(block_order, take), take, event);
    return !comes_to_event(&(struct walk){.block_order = block_order,
                                          .role = role,
                                          .is_closed = is_behind_release,
                                          .event = take,
                                          .to = event});
}

struct cw_critical_section cw_block_order_section(const struct cw_block_order *block_order,
                                                  struct cw_block_thread block_thread, uint32_t event,
                                                  const struct cw_base *lock, uint8_t scope) {
    struct cw_critical_section best = {.found = false};
    const struct role *r = role_of(block_order, block_thread);
    for (uint32_t k = 0; k < block_order->d->at.n; k++) {
        const struct cw_device_event *take = event_at(block_order, k);
        bool is_try = cw_device_has_won(block_order->d, take, block_of(block_order, event));
        const struct cw_device_event *tried = is_try ? take : NULL;
        if ((!takes_lock(take) && !(is_try && take->is_exchange)) || !cw_device_same_variable(&take->base, lock) ||
            !may_follow(block_order, r, k, event) || is_over_before(block_order, r, k, event))
            continue;
        for (uint32_t e = 0; e < block_order->d->at.n; e++) {
            const struct cw_device_event *release = event_at(block_order, e);
            if (e == k || release->kind != CW_EVENT_SIGNAL || !cw_device_same_variable(&release->base, lock) ||
                !may_follow(block_order, r, event, e) ||
                (is_try && !cw_device_gives_back(block_order->d, take, release)))
                continue;
            struct cw_critical_section now = {true, k, e, fence_of(block_order, r, tried, k, event),
                                              fence_of(block_order, r, tried, event, e)};
            if (take->acquires && take->scope > now.fence_after_take)
                now.fence_after_take = take->scope;
            if (release->releases && release->scope > now.fence_before_release)
                now.fence_before_release = release->scope;
            if (!best.found || rate_section(block_order, &now, scope) > rate_section(block_order, &best, scope))
                best = now;
        }
    }
    return best;
}
