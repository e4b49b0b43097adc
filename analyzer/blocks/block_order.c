/* See block_order.h.
 *
 * Threads of a block that execute the same basic blocks are one *role*. Each role sees the control-flow graph without
 * the basic blocks that it never executes; reachability in that graph is computed once. */
#include "blocks/block_order.h"

enum {
    ROLES_MAX = 48,       /* of both blocks together */
    FN_BLOCKS_MAX = 2048, /* beyond it the kernel is left alone */
    VISITS_MAX = 4096     /* (role, event) pairs of one search */
};

struct role {
    uint32_t block;
    uint32_t thread;              /* the first with these basic blocks */
    const uint8_t **reach;        /* per basic block: enum cw_reach per thread; shared by the roles of a block */
    struct cw_bitset executes;    /* basic blocks that it may execute */
    struct cw_bitset *follows; /* per basic block: those that it may execute after it, by a path of at least one edge */
};

struct cw_block_order {
    const struct cw_device_events *d;
    struct cw_lanes *const *lanes;
    const uint8_t **reach[2];
    struct role roles[ROLES_MAX];
    uint32_t nroles;
    struct cw_arena *a;
};

/* ---- roles ---- */

static bool is_same_role(const struct cw_block_order *o, const struct role *r, uint32_t thread) {
    const struct cw_cfg *cfg = o->d->fn->cfg;
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        uint32_t b = cfg->rpo[k];
        if ((r->reach[b][r->thread] == CW_REACH_NO) != (r->reach[b][thread] == CW_REACH_NO))
            return false;
    }
    return true;
}

static void find_followers(const struct cw_block_order *o, struct role *r, uint32_t from) {
    const struct cw_fn *fn = o->d->fn;
    struct cw_vec_u32 open = {0};
    cw_vec_push(o->a, &open, from);
    while (open.n > 0) {
        const struct cw_jump *jump = &fn->blocks.at[open.at[--open.n]].jump;
        for (uint32_t k = 0; k < jump->nsucc; k++) {
            uint32_t next = jump->succ[k];
            if (!cw_bitset_has(&r->executes, next) || cw_bitset_has(&r->follows[from], next))
                continue;
            cw_bitset_add(&r->follows[from], next);
            cw_vec_push(o->a, &open, next);
        }
    }
}

static void fill_role(const struct cw_block_order *o, struct role *r) {
    const struct cw_fn *fn = o->d->fn;
    r->executes = cw_bitset_new(o->a, fn->blocks.n);
    r->follows = CW_NEW_ARRAY(o->a, struct cw_bitset, fn->blocks.n);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++)
        if (r->reach[fn->cfg->rpo[k]][r->thread] != CW_REACH_NO)
            cw_bitset_add(&r->executes, fn->cfg->rpo[k]);
    for (uint32_t k = 0; k < o->d->at.n; k++) { /* only blocks with events are asked about */
        uint32_t b = fn->ins.at[o->d->at.at[k].ins].block;
        if (r->follows[b].word != NULL || !cw_bitset_has(&r->executes, b))
            continue;
        r->follows[b] = cw_bitset_new(o->a, fn->blocks.n);
        find_followers(o, r, b);
    }
}

static bool add_roles(struct cw_block_order *o, uint32_t block) {
    const struct cw_cfg *cfg = o->d->fn->cfg;
    uint32_t first = o->nroles;
    o->reach[block] = CW_NEW_ARRAY(o->a, const uint8_t *, o->d->fn->blocks.n);
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        uint32_t b = cfg->rpo[k];
        o->reach[block][b] = cw_lanes_reach(o->lanes[block], b, cw_lanes_first(o->lanes[block], b));
    }
    for (uint32_t t = 0; t < cw_lanes_count(o->lanes[block]); t++) {
        uint32_t k = first;
        while (k < o->nroles && !is_same_role(o, &o->roles[k], t))
            k++;
        if (k < o->nroles)
            continue;
        if (o->nroles == ROLES_MAX)
            return false;
        struct role *r = &o->roles[o->nroles++];
        *r = (struct role){.block = block, .thread = t, .reach = o->reach[block]};
        fill_role(o, r);
    }
    return true;
}

struct cw_block_order *cw_block_order_new(const struct cw_device_events *d, struct cw_lanes *const lanes[2],
                                          struct cw_arena *a) {
    struct cw_block_order *o = CW_NEW(a, struct cw_block_order);
    *o = (struct cw_block_order){.d = d, .lanes = lanes, .a = a};
    if (d->fn->blocks.n > FN_BLOCKS_MAX || !add_roles(o, 0) || !add_roles(o, 1))
        return NULL;
    return o;
}

static const struct role *role_of(const struct cw_block_order *o, struct cw_block_thread t) {
    for (uint32_t k = 0; k < o->nroles; k++)
        if (o->roles[k].block == t.block && is_same_role(o, &o->roles[k], t.thread))
            return &o->roles[k];
    return &o->roles[0];
}

/* ---- what a thread executes ---- */

bool cw_block_order_may_execute(const struct cw_block_order *o, struct cw_block_thread t, uint32_t block) {
    return o->reach[t.block][block] != NULL && o->reach[t.block][block][t.thread] != CW_REACH_NO;
}

struct condition {
    const struct cw_block_order *o;
    struct cw_block_thread t;
    bool holds;
};

/* Does the thread take the edge once it is at the branch? */
static bool goes_there(const struct condition *c, struct cw_edge e) {
    const struct cw_jump *jump = &c->o->d->fn->blocks.at[e.block].jump;
    struct cw_lanes *l = c->o->lanes[c->t.block];
    const struct cw_context *first = cw_lanes_first(l, e.block);
    if (jump->kind != CW_JUMP_BRANCH)
        return cw_lanes_takes(l, e, first)[c->t.thread] == CW_REACH_YES;
    const struct cw_lane_values *v = cw_lanes_eval(l, jump->value, first);
    return v->known[c->t.thread] <= CW_SAMPLED && (v->value[c->t.thread] != 0) == (e.which == 0);
}

/* A branch that depends on a signal goes the way that the schedule chooses. */
static bool see_edge(void *ctx, struct cw_edge e) {
    struct condition *c = ctx;
    if (c->o->d->awaits[e.block] == 0)
        c->holds = goes_there(c, e);
    return c->holds;
}

bool cw_block_order_executes(const struct cw_block_order *o, struct cw_block_thread t, uint32_t block) {
    struct condition c = {o, t, true};
    if (!cw_block_order_may_execute(o, t, block))
        return false;
    if (o->reach[t.block][block][t.thread] != CW_REACH_YES)
        cw_cfg_controls(o->d->fn, block, see_edge, &c);
    return c.holds;
}

struct winners {
    const struct cw_device_events *d;
    uint64_t bits;
};

static bool see_winner(void *ctx, struct cw_edge e) {
    struct winners *w = ctx;
    w->bits |= w->d->awaits[e.block];
    return true;
}

uint64_t cw_block_order_decided_by(const struct cw_block_order *o, uint32_t block) {
    struct winners w = {o->d, 0};
    cw_cfg_controls(o->d->fn, block, see_winner, &w);
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        const struct cw_device_event *e = &o->d->at.at[k];
        if (e->awaited && e->spins)
            w.bits &= ~(UINT64_C(1) << (e->awaited - 1));
    }
    return w.bits;
}

/* ---- paths of one role ---- */

static const struct cw_device_event *event_at(const struct cw_block_order *o, uint32_t e) {
    return &o->d->at.at[e];
}

static uint32_t block_of(const struct cw_block_order *o, uint32_t e) {
    return o->d->fn->ins.at[event_at(o, e)->ins].block;
}

static bool executes_event(const struct cw_block_order *o, const struct role *r, uint32_t e) {
    return cw_bitset_has(&r->executes, block_of(o, e));
}

/* May the role execute event b after event a? Events stand in program order within a basic block. */
static bool may_follow(const struct cw_block_order *o, const struct role *r, uint32_t a, uint32_t b) {
    uint32_t from = block_of(o, a), to = block_of(o, b);
    if (!cw_bitset_has(&r->executes, from) || !cw_bitset_has(&r->executes, to))
        return false;
    return (from == to && a < b) || cw_bitset_has(&r->follows[from], to);
}

/* The widest scope of a fence that the role may execute between the two events. */
static uint8_t fence_between(const struct cw_block_order *o, const struct role *r, uint32_t a, uint32_t b) {
    uint8_t scope = CW_SCOPE_THREAD;
    for (uint32_t k = 0; k < o->d->at.n; k++)
        if (event_at(o, k)->kind == CW_EVENT_FENCE && event_at(o, k)->scope > scope && may_follow(o, r, a, k) &&
            may_follow(o, r, k, b))
            scope = event_at(o, k)->scope;
    return scope;
}

uint8_t cw_block_order_scope(struct cw_block_thread t, struct cw_block_thread u) {
    return t.block == u.block ? CW_SCOPE_BLOCK : CW_SCOPE_DEVICE;
}

/* ---- hops between threads ---- */

struct search {
    const struct cw_block_order *o;
    struct cw_order_slack slack;
    const struct role *target;
    uint32_t to;
    struct {
        const struct role *role;
        uint32_t event, signal;
        uint8_t fence; /* the widest since the data, executed before a barrier */
    } at[VISITS_MAX];
    uint32_t n;
};

static void visit(struct search *s, const struct role *r, uint32_t event, uint32_t signal, uint8_t fence) {
    for (uint32_t k = 0; k < s->n; k++)
        if (s->at[k].role == r && s->at[k].event == event && s->at[k].fence >= fence)
            return;
    if (s->n < VISITS_MAX) {
        s->at[s->n].role = r;
        s->at[s->n].event = event;
        s->at[s->n].signal = signal;
        s->at[s->n++].fence = fence;
    }
}

static bool is_observable(const struct search *s, const struct role *from, uint32_t signal, const struct role *to,
                          uint32_t wait) {
    const struct cw_device_event *x = event_at(s->o, signal), *y = event_at(s->o, wait);
    uint8_t scope = from->block == to->block ? CW_SCOPE_BLOCK : CW_SCOPE_DEVICE;
    int64_t wanted, stored;
    if (!cw_device_same_variable(&x->base, &y->base))
        return false;
    if (!s->slack.any_scope && (x->scope < scope || y->scope < scope))
        return false;
    int want = cw_device_wanted(s->o->d, y, &wanted);
    const struct cw_ins *i = &s->o->d->fn->ins.at[x->ins];
    bool plain = i->op == CW_OP_STORE || (i->op == CW_OP_ATOMIC && ((i->aux & 0xff) == CW_ATOMIC_EXCH ||
                                                                    (i->aux & 0xff) == CW_ATOMIC_STORE));
    cw_ref value = cw_arg(s->o->d->fn, i, i->op == CW_OP_STORE ? 0 : 1);
    if (want == 0 || !plain || i->narg < 2 || !cw_ref_const(s->o->d->fn, value, &stored))
        return true;
    return (stored == wanted) == (want > 0);
}

static bool is_wait(const struct cw_device_event *e) {
    return e->awaited != 0;
}

/* A variable that the signalling role takes by an exchange as well is a lock: either may hold it first. */
static bool is_lock_of(const struct cw_block_order *o, const struct role *r, uint32_t wait) {
    const struct cw_device_event *w = event_at(o, wait);
    for (uint32_t k = 0; w->spins && w->is_exchange && k < o->d->at.n; k++) {
        const struct cw_device_event *take = event_at(o, k);
        if (take->spins && take->is_exchange && executes_event(o, r, k) &&
            cw_device_same_variable(&take->base, &w->base))
            return true;
    }
    return false;
}

/* What the role has seen up to `event` is handed on by its signals. */
static void hop_by_signals(struct search *s, const struct role *r, uint32_t event, uint32_t told, uint8_t before) {
    const struct cw_block_order *o = s->o;
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        const struct cw_device_event *signal = event_at(o, k);
        if (signal->kind != CW_EVENT_SIGNAL || !may_follow(o, r, event, k))
            continue;
        uint8_t fence = signal->orders ? signal->scope : fence_between(o, r, event, k);
        fence = fence > before ? fence : before;
        for (uint32_t v = 0; v < o->nroles; v++) {
            const struct role *to = &o->roles[v];
            uint8_t scope = r->block == to->block ? CW_SCOPE_BLOCK : CW_SCOPE_DEVICE;
            bool fenced = s->slack.no_fence || (fence >= scope) || (s->slack.any_scope && fence > CW_SCOPE_THREAD);
            for (uint32_t w = 0; fenced && w < o->d->at.n; w++)
                if (is_wait(event_at(o, w)) && executes_event(o, to, w) && !is_lock_of(o, r, w) &&
                    is_observable(s, r, k, to, w))
                    visit(s, to, w, told == UINT32_MAX ? k : told, CW_SCOPE_THREAD);
        }
    }
}

/* What the role has seen is seen by all threads of the block (of the grid) after a barrier. */
static void hop_by_barriers(struct search *s, const struct role *r, uint32_t event, uint32_t told, uint8_t before) {
    const struct cw_block_order *o = s->o;
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        uint8_t kind = event_at(o, k)->kind;
        bool is_barrier = kind == CW_EVENT_BARRIER || kind == CW_EVENT_GRID;
        if (!is_barrier || !may_follow(o, r, event, k))
            continue;
        uint8_t fence = fence_between(o, r, event, k);
        fence = fence > before ? fence : before;
        for (uint32_t v = 0; v < o->nroles; v++)
            if ((kind == CW_EVENT_GRID || o->roles[v].block == r->block) && executes_event(o, &o->roles[v], k))
                visit(s, &o->roles[v], k, told, fence);
    }
}

/* Another thread of the block signals for this one, although no barrier says that it may. */
static void hop_by_faith(struct search *s, const struct role *r, uint32_t event, uint32_t told) {
    for (uint32_t k = 0; k < s->o->d->at.n; k++)
        for (uint32_t v = 0; event_at(s->o, k)->kind == CW_EVENT_SIGNAL && v < s->o->nroles; v++) {
            const struct role *other = &s->o->roles[v];
            if (other->block == r->block && other != r && executes_event(s->o, other, k) &&
                executes_event(s->o, other, event) && may_follow(s->o, other, event, k))
                visit(s, other, event, told, CW_SCOPE_THREAD);
        }
}

/* Is the event after the wait or barrier at which the role has been told? */
static bool is_told(const struct search *s, const struct role *r, uint32_t event) {
    return r == s->target && (event == s->to || may_follow(s->o, r, event, s->to));
}

bool cw_block_order_before(const struct cw_block_order *o, struct cw_block_thread t, uint32_t from,
                           struct cw_block_thread u, uint32_t to, struct cw_order_slack slack, uint32_t *signal) {
    struct search *s = CW_NEW(o->a, struct search);
    *s = (struct search){.o = o, .slack = slack, .target = role_of(o, u), .to = to};
    visit(s, role_of(o, t), from, UINT32_MAX, CW_SCOPE_THREAD);
    for (uint32_t k = 0; k < s->n; k++) {
        const struct role *r = s->at[k].role;
        if (k > 0 && is_told(s, r, s->at[k].event)) {
            *signal = s->at[k].signal;
            return true;
        }
        hop_by_signals(s, r, s->at[k].event, s->at[k].signal, s->at[k].fence);
        hop_by_barriers(s, r, s->at[k].event, s->at[k].signal, s->at[k].fence);
        if (slack.any_signal)
            hop_by_faith(s, r, s->at[k].event, s->at[k].signal);
    }
    return s->n == VISITS_MAX; /* a search that was cut proves nothing */
}

/* ---- locks ---- */

struct cw_critical_section cw_block_order_section(const struct cw_block_order *o, struct cw_block_thread t,
                                                  uint32_t event, const struct cw_base *lock) {
    struct cw_critical_section best = {.found = false};
    const struct role *r = role_of(o, t);
    for (uint32_t k = 0; k < o->d->at.n; k++) {
        const struct cw_device_event *take = event_at(o, k);
        if (!take->spins || !take->is_exchange || !cw_device_same_variable(&take->base, lock) ||
            !may_follow(o, r, k, event))
            continue;
        for (uint32_t e = 0; e < o->d->at.n; e++) {
            const struct cw_device_event *release = event_at(o, e);
            if (e == k || release->kind != CW_EVENT_SIGNAL || !cw_device_same_variable(&release->base, lock) ||
                !may_follow(o, r, event, e))
                continue;
            struct cw_critical_section now = {true, k, e, take->orders ? take->scope : fence_between(o, r, k, event),
                                              release->orders ? release->scope : fence_between(o, r, event, e)};
            if (!best.found || now.fence_after_take + now.fence_before_release >
                                   best.fence_after_take + best.fence_before_release)
                best = now;
        }
    }
    return best;
}
