/* See inter_block.h. */
#include "blocks/inter_block.h"

#include "base/map.h"

enum {
    EVALUATIONS = 1 << 16,    /* budget of one evaluator */
    TOUCHES_MAX = 1 << 19,    /* bytes entered for a launch */
    SIZE_MAX_BYTES = 64,
    PAIRS_MAX = 512,          /* pairs of instructions and roles that are judged */
    FAULTS_MAX = 32,
    LAUNCHES_MAX = 3,
    KEPT = 3                  /* touches of one byte that are kept for an event and a block */
};

/* One thread's access to a byte. */
struct touch {
    uint32_t event;
    struct cw_block_thread at;
    bool exact;
    uint32_t next; /* 1 + the touch of the same byte before, 0: none */
};

struct pair {
    uint32_t first, second;
    bool one_block;
    uint8_t tried;
    bool reported;
};

struct inter {
    const struct cw_kernel_query *q;
    struct cw_device_events d;
    uint32_t launch;
    struct cw_lanes *lanes[2];
    struct cw_block_order *order;
    struct cw_map bytes; /* root, token and byte -> 1 + touch */
    CW_VEC(struct touch) touches;
    CW_VEC(struct pair) pairs;
    struct cw_block_faults *out;
};

/* ---- which threads touch which bytes ---- */

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* Of the threads that touch a byte by one event, the first few are enough: others have the same role or differ in the
 * warp. */
static void enter_byte(struct inter *s, uint64_t key, const struct touch *t) {
    uint64_t first = 0;
    uint32_t kept = 0;
    cw_map_get(&s->bytes, key, &first);
    for (uint32_t k = (uint32_t)first; k != 0; k = s->touches.at[k - 1].next)
        kept += s->touches.at[k - 1].event == t->event && s->touches.at[k - 1].at.block == t->at.block;
    if (kept == KEPT || s->touches.n == TOUCHES_MAX)
        return;
    struct touch now = *t;
    now.next = (uint32_t)first;
    cw_vec_push(s->q->arena, &s->touches, now);
    cw_map_put(&s->bytes, key, s->touches.n);
}

static void enter_places(struct inter *s, uint32_t event, uint32_t block, const struct cw_context *context) {
    const struct cw_device_event *e = &s->d.at.at[event];
    struct cw_lanes *l = s->lanes[block];
    uint32_t at = s->q->fn->ins.at[e->ins].block;
    const struct cw_lane_value *places = cw_lanes_places(l, e->pointer, context);
    const uint8_t *reach = cw_lanes_reach(l, at, context);
    for (uint32_t t = 0; places != NULL && t < cw_lanes_count(l); t++) {
        struct cw_lane_place p = cw_lanes_place(places, t);
        struct touch now = {event, {block, t}, p.known == CW_EXACT, 0};
        bool is_device = p.base.tag == CW_REF_PARAM || p.base.tag == CW_REF_OBJECT;
        if (reach[t] == CW_REACH_NO || p.known > CW_SAMPLED || !is_device ||
            !cw_block_order_executes(s->order, now.at, at))
            continue;
        uint64_t root = mix(mix((uint64_t)p.base.tag << 32 | p.base.index, (uint64_t)p.token), 0);
        for (uint64_t byte = 0; byte < e->size; byte++)
            enter_byte(s, mix(root, (uint64_t)p.offset + byte), &now);
    }
}

/* The first iteration of the loops around the access, and the second of the innermost. */
static void enter_event(struct inter *s, uint32_t event, uint32_t block) {
    const struct cw_device_event *e = &s->d.at.at[event];
    uint32_t at = s->q->fn->ins.at[e->ins].block;
    const struct cw_context *first = cw_lanes_first(s->lanes[block], at);
    enter_places(s, event, block, first);
    if (first != NULL && !e->spins)
        enter_places(s, event, block, cw_lanes_context(s->lanes[block], first->outer, first->loop, 1));
}

/* ---- what is missing between two accesses ---- */

static bool is_wide_enough(const struct cw_device_event *e, struct cw_block_thread t, struct cw_block_thread u) {
    return e->is_atomic && e->scope >= cw_block_order_scope(t, u);
}

static bool is_conflict(const struct inter *s, const struct touch *x, const struct touch *y) {
    const struct cw_device_event *a = &s->d.at.at[x->event], *b = &s->d.at.at[y->event];
    if (!a->writes && !b->writes)
        return false;
    return !is_wide_enough(a, x->at, y->at) || !is_wide_enough(b, x->at, y->at);
}

static bool is_ordered(const struct inter *s, const struct touch *x, const struct touch *y, struct cw_order_slack slack,
                       uint32_t *signal) {
    return cw_block_order_before(s->order, x->at, x->event, y->at, y->event, slack, signal) ||
           cw_block_order_before(s->order, y->at, y->event, x->at, x->event, slack, signal);
}

/* The two critical sections of one lock that hold the accesses. */
struct sections {
    bool found;
    struct cw_critical_section first, second;
};

static struct sections common_lock(const struct inter *s, const struct touch *x, const struct touch *y) {
    struct sections found = {.found = false};
    for (uint32_t k = 0; k < s->d.at.n && !found.found; k++) {
        const struct cw_device_event *take = &s->d.at.at[k];
        if (!take->spins || !take->is_exchange)
            continue;
        found.first = cw_block_order_section(s->order, x->at, x->event, &take->base);
        found.second = cw_block_order_section(s->order, y->at, y->event, &take->base);
        found.found = found.first.found && found.second.found;
    }
    return found;
}

/* What one critical section lacks for threads of that scope; CW_BLOCK_RACE: nothing. */
static enum cw_block_fault_kind section_fault(const struct inter *s, const struct cw_critical_section *c, uint8_t scope,
                                              uint32_t *culprit) {
    const struct cw_device_event *take = &s->d.at.at[c->take], *release = &s->d.at.at[c->release];
    bool narrow_take = take->scope < scope, narrow_release = release->scope < scope;
    bool after = c->fence_after_take >= scope, before = c->fence_before_release >= scope;
    *culprit = narrow_take ? take->ins : narrow_release ? release->ins : !after ? take->ins : release->ins;
    if (narrow_take || narrow_release)
        return CW_BLOCK_NARROW_SCOPE;
    if (!after)
        return c->fence_after_take > CW_SCOPE_THREAD ? CW_BLOCK_NARROW_SCOPE : CW_BLOCK_LOCK_FENCE;
    if (!before)
        return c->fence_before_release > CW_SCOPE_THREAD ? CW_BLOCK_NARROW_SCOPE : CW_BLOCK_UNLOCK_FENCE;
    return CW_BLOCK_RACE;
}

/* False when the two are ordered, or when one lock holds both. */
static bool find_missing(const struct inter *s, const struct touch *x, const struct touch *y,
                         enum cw_block_fault_kind *kind, uint32_t *culprit) {
    static const struct { struct cw_order_slack slack; enum cw_block_fault_kind kind; } steps[] = {
        {{.any_scope = true}, CW_BLOCK_NARROW_SCOPE},
        {{.any_scope = true, .no_fence = true}, CW_BLOCK_MISSING_FENCE},
        {{.any_signal = true}, CW_BLOCK_EARLY_SIGNAL}};
    struct sections lock = common_lock(s, x, y);
    uint32_t signal = UINT32_MAX;
    uint8_t scope = cw_block_order_scope(x->at, y->at);
    *kind = CW_BLOCK_RACE;
    *culprit = UINT32_MAX;
    if (lock.found) {
        *kind = section_fault(s, &lock.first, scope, culprit);
        if (*kind == CW_BLOCK_RACE)
            *kind = section_fault(s, &lock.second, scope, culprit);
        return *kind != CW_BLOCK_RACE;
    }
    if (is_ordered(s, x, y, (struct cw_order_slack){0}, &signal))
        return false;
    for (uint32_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (is_ordered(s, x, y, steps[k].slack, &signal)) {
            *kind = steps[k].kind;
            *culprit = signal != UINT32_MAX ? s->d.at.at[signal].ins : UINT32_MAX;
            return true;
        }
    const struct cw_device_event *a = &s->d.at.at[x->event], *b = &s->d.at.at[y->event];
    if (a->is_atomic && b->is_atomic) {
        *kind = CW_BLOCK_NARROW_SCOPE;
        *culprit = is_wide_enough(a, x->at, y->at) ? b->ins : a->ins;
    }
    return true;
}

/* ---- values ---- */

/* The operand that an event stores, CW_NONE when it is not one value. */
static cw_ref stored_value(const struct cw_fn *fn, const struct cw_ins *i) {
    if (i->op == CW_OP_STORE)
        return cw_arg(fn, i, 0);
    bool plain = i->op == CW_OP_ATOMIC && (i->aux & 0xff) == CW_ATOMIC_EXCH;
    return plain && i->narg > 1 ? cw_arg(fn, i, 1) : CW_NONE;
}

enum agreement { EQUAL, DIFFERENT, NOBODY_KNOWS };

/* An atomic that computes the new value from the old one: a plain write before it or after it gives another result. */
static bool is_update(const struct cw_ins *i) {
    return i->op == CW_OP_ATOMIC && (i->aux & 0xff) != CW_ATOMIC_EXCH && (i->aux & 0xff) != CW_ATOMIC_STORE;
}

static enum agreement compare_values(const struct inter *s, const struct touch *x, const struct touch *y) {
    const struct touch *side[2] = {x, y};
    const struct cw_fn *fn = s->q->fn;
    int64_t value[2];
    bool exact[2];
    if (is_update(&fn->ins.at[s->d.at.at[x->event].ins]) != is_update(&fn->ins.at[s->d.at.at[y->event].ins]))
        return DIFFERENT;
    for (int k = 0; k < 2; k++) {
        const struct cw_ins *i = &fn->ins.at[s->d.at.at[side[k]->event].ins];
        cw_ref r = stored_value(fn, i);
        struct cw_lanes *l = s->lanes[side[k]->at.block];
        if (r.tag == CW_REF_NONE || r.tag == CW_REF_UNDEF)
            return NOBODY_KNOWS;
        const struct cw_lane_values *v = cw_lanes_eval(l, r, cw_lanes_first(l, i->block));
        exact[k] = v->known[side[k]->at.thread] <= CW_SAMPLED;
        value[k] = v->value[side[k]->at.thread];
    }
    if (exact[0] && exact[1])
        return value[0] == value[1] ? EQUAL : DIFFERENT;
    return exact[0] == exact[1] && value[0] == value[1] ? EQUAL : NOBODY_KNOWS;
}

/* ---- faults ---- */

static bool has_many_blocks(const struct cw_launch *l) {
    return l->grid_known && (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > 1;
}

static struct cw_block_side side_of(const struct inter *s, const struct touch *t) {
    const struct cw_device_event *e = &s->d.at.at[t->event];
    return (struct cw_block_side){e->ins, t->at, e->writes, e->is_atomic};
}

static void add_fault(struct inter *s, const struct touch *x, const struct touch *y, enum cw_block_fault_kind kind,
                      uint32_t culprit) {
    const struct cw_launch *l = &s->q->launches->at[s->launch];
    const struct cw_device_event *a = &s->d.at.at[x->event], *b = &s->d.at.at[y->event];
    enum agreement values = a->writes && b->writes ? compare_values(s, x, y) : DIFFERENT;
    bool exact = x->exact && y->exact;
    if (values == EQUAL || s->out->at.n == FAULTS_MAX)
        return;
    if (!exact && (kind == CW_BLOCK_RACE || (a->writes && b->writes)))
        return; /* chosen sizes make elements collide that real ones keep apart */
    if (kind == CW_BLOCK_RACE && !s->q->launches->from_facts)
        return; /* so do guessed shapes */
    struct cw_block_fault f = {.kind = kind, .first = side_of(s, x), .second = side_of(s, y), .culprit = culprit,
                               .launch = s->launch, .is_one_block = x->at.block == y->at.block,
                               .lanes = s->lanes[x->at.block]};
    struct cw_lane_place p =
        cw_lanes_place(cw_lanes_places(s->lanes[x->at.block], a->pointer,
                                       cw_lanes_first(s->lanes[x->at.block], s->q->fn->ins.at[a->ins].block)),
                       x->at.thread);
    f.base = p.base;
    f.offset = p.offset;
    f.bytes = (uint32_t)(a->size < b->size ? a->size : b->size);
    f.definite = s->q->launches->from_facts && (f.is_one_block || has_many_blocks(l)) && exact && values == DIFFERENT;
    cw_vec_push(s->q->arena, &s->out->at, f);
}

static struct pair *pair_of(struct inter *s, uint32_t a, uint32_t b, bool one_block) {
    for (uint32_t k = 0; k < s->pairs.n; k++)
        if (s->pairs.at[k].first == a && s->pairs.at[k].second == b && s->pairs.at[k].one_block == one_block)
            return &s->pairs.at[k];
    if (s->pairs.n == PAIRS_MAX)
        return NULL;
    cw_vec_push(s->q->arena, &s->pairs, ((struct pair){a, b, one_block, 0, false}));
    return &s->pairs.at[s->pairs.n - 1];
}

/* Within a block the barriers' own analysis (races/) finds what has to do with barriers; here it is synchronisation
 * through device memory. */
static bool is_asked(const struct inter *s, const struct touch *x, const struct touch *y) {
    const struct cw_fn *fn = s->q->fn;
    uint32_t first = fn->ins.at[s->d.at.at[x->event].ins].block, second = fn->ins.at[s->d.at.at[y->event].ins].block;
    if (cw_block_order_decided_by(s->order, first) & cw_block_order_decided_by(s->order, second))
        return false; /* one ticket lets one of the two in */
    if (x->at.block != y->at.block)
        return true;
    return x->at.thread / 32 != y->at.thread / 32 && s->d.has_sync;
}

static void judge(struct inter *s, const struct touch *x, const struct touch *y) {
    enum cw_block_fault_kind kind;
    uint32_t culprit;
    if (x->event > y->event) {
        const struct touch *swap = x;
        x = y;
        y = swap;
    }
    if (!is_asked(s, x, y) || !is_conflict(s, x, y))
        return;
    struct pair *p = pair_of(s, x->event, y->event, x->at.block == y->at.block);
    if (p == NULL || p->reported || p->tried == UINT8_MAX)
        return;
    p->tried++;
    if (!find_missing(s, x, y, &kind, &culprit))
        return;
    p->reported = true;
    if (x->at.block == y->at.block && kind == CW_BLOCK_RACE)
        return; /* races/ reports what nothing orders within a block */
    add_fault(s, x, y, kind, culprit);
}

static void judge_all(struct inter *s) {
    for (uint32_t k = 0; k < s->touches.n; k++)
        for (uint32_t n = s->touches.at[k].next; n != 0; n = s->touches.at[n - 1].next)
            judge(s, &s->touches.at[k], &s->touches.at[n - 1]);
}

static void look_at_launch(struct inter *s, uint32_t launch) {
    const struct cw_kernel_query *q = s->q;
    const struct cw_launch *l = &q->launches->at[launch];
    static const uint32_t first[3] = {0, 0, 0};
    uint32_t second[3] = {1, 0, 0};
    if (l->grid_known && l->grid[0] == 1)
        for (uint32_t d = 1; d < 3; d++)
            if (l->grid[d] > 1 && second[0]) {
                second[0] = 0;
                second[d] = 1;
            }
    s->launch = launch;
    s->lanes[0] = cw_lanes_new_in_block(q->fn, q->uniformity, l, 0, EVALUATIONS, first, q->arena);
    cw_lanes_share_reasons(s->lanes[0], q->reasons);
    bool one = l->grid_known && !has_many_blocks(l);
    s->lanes[1] = one ? s->lanes[0] : cw_lanes_new_in_block(q->fn, q->uniformity, l, 0, EVALUATIONS, second, q->arena);
    cw_lanes_share_reasons(s->lanes[1], q->reasons);
    s->order = cw_block_order_new(&s->d, s->lanes, q->arena);
    s->touches.n = s->pairs.n = 0;
    cw_map_init(&s->bytes, q->arena);
    if (s->order == NULL || cw_lanes_traps(s->lanes[0]))
        return;
    for (uint32_t k = 0; k < s->d.at.n; k++)
        if (s->d.at.at[k].kind == CW_EVENT_DATA && s->d.at.at[k].size <= SIZE_MAX_BYTES)
            for (uint32_t b = 0; b < (one ? 1 : 2); b++)
                enter_event(s, k, b);
    if (!cw_lanes_exhausted(s->lanes[0]) && !cw_lanes_exhausted(s->lanes[1]))
        judge_all(s);
}

/* One fault for each missing thing at one place: of a conflict's many pairs the first is told. */
static void drop_repeated(struct cw_block_faults *out) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < out->at.n; k++) {
        const struct cw_block_fault *f = &out->at.at[k];
        bool again = false;
        for (uint32_t n = 0; n < kept && !again; n++) {
            const struct cw_block_fault *g = &out->at.at[n];
            again = g->kind == f->kind && (f->culprit != UINT32_MAX ? g->culprit == f->culprit
                                                                   : g->second.ins == f->second.ins);
        }
        if (!again)
            out->at.at[kept++] = *f;
    }
    out->at.n = kept;
}

struct cw_block_faults cw_block_faults_of(const struct cw_kernel_query *q) {
    struct cw_block_faults out = {.at = {0}};
    struct inter s = {.q = q, .out = &out};
    if (q->fn->kind != CW_FN_KERNEL || q->fn->cfg->is_irreducible)
        return out;
    s.d = cw_device_events_of(q->fn, q->arena);
    if (!s.d.has_data || s.d.has_unknown)
        return out;
    for (uint32_t n = 0; n < q->launches->n && n < LAUNCHES_MAX; n++)
        look_at_launch(&s, n);
    drop_repeated(&out);
    return out;
}
