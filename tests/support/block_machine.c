#include "support/block_machine.h"

#include "base/hash.h"
#include "lanes/shuffle_sources.h"
#include "support/thread_walk.h"

#include <string.h>

/* A pointer is region + 1 and a biased offset. */
enum { BIAS = 1 << 20, MAX_STEPS = 20000 };

void block_machine_noise(uint8_t *bytes, uint32_t n, uint64_t seed) {
    uint64_t x = cw_hash(&seed, sizeof seed, 1);
    for (uint32_t k = 0; k + 8 <= n; k += 8) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        uint64_t word = x ^ x >> 29;
        memcpy(bytes + k, &word, 8);
    }
}

void block_machine_init(struct block_machine *m, struct cw_fn *fn, struct cw_lanes *lanes, struct cw_arena *a) {
    *m = (struct block_machine){.fn = fn, .lanes = lanes, .arena = a, .extra = UINT32_MAX, .max_steps = MAX_STEPS};
    m->threads = cw_lanes_count(lanes);
    m->thread = CW_NEW_ARRAY(a, struct block_thread, m->threads);
    m->meeting = CW_NEW(a, struct block_meeting);
    m->param = CW_NEW_ARRAY(a, const struct cw_lane_values *, fn->params.n);
    for (uint32_t k = 0; k < fn->objects.n + fn->params.n; k++) {
        bool is_object = k < fn->objects.n;
        struct block_region r = {.base = is_object ? cw_ref_of(CW_REF_OBJECT, k)
                                                   : cw_ref_of(CW_REF_PARAM, k - fn->objects.n)};
        r.size = is_object ? (uint32_t)fn->objects.at[k].size : BLOCK_PARAM_BYTES;
        r.is_private = is_object && fn->objects.at[k].space == CW_SPACE_LOCAL;
        if (!is_object && fn->params.at[k - fn->objects.n].type != CW_PTR)
            r.size = 0;
        r.bytes = cw_arena_alloc(a, (size_t)r.size * (r.is_private ? m->threads : 1));
        block_machine_noise(r.bytes, r.is_private ? 0 : r.size, k);
        cw_vec_push(a, &m->regions, r);
    }
    for (uint32_t t = 0; t < m->threads; t++)
        m->thread[t].value = CW_NEW_ARRAY(a, int64_t, fn->ins.n + 1);
}

struct block_region *block_machine_region(struct block_machine *m, cw_ref base) {
    return &m->regions.at[base.tag == CW_REF_OBJECT ? base.index : m->fn->objects.n + base.index];
}

/* ---- values ---- */

static int64_t pointer_to(uint32_t region) {
    return (int64_t)((uint64_t)(region + 1) << 32 | BIAS);
}

static int64_t given(struct block_machine *m, uint32_t t, cw_ref r, const struct cw_lane_values **slot) {
    if (!*slot)
        *slot = cw_lanes_eval(m->lanes, r, NULL);
    return (*slot)->value[t];
}

static int64_t value_of(struct block_machine *m, uint32_t t, cw_ref r) {
    switch ((enum cw_ref_tag)r.tag) {
    case CW_REF_INS: return m->thread[t].value[r.index];
    case CW_REF_CONST: return m->fn->consts.at[r.index].value;
    case CW_REF_OBJECT: return pointer_to(r.index);
    case CW_REF_PARAM:
        if (m->fn->params.at[r.index].type == CW_PTR)
            return pointer_to(m->fn->objects.n + r.index);
        return given(m, t, r, &m->param[r.index]);
    case CW_REF_SREG: return given(m, t, r, &m->sreg[r.index]);
    case CW_REF_TPARAM: return cw_lanes_eval(m->lanes, r, NULL)->value[t];
    default: return 0;
    }
}

static int64_t arg(struct block_machine *m, uint32_t t, const struct cw_ins *i, uint32_t k) {
    return value_of(m, t, cw_arg(m->fn, i, k));
}

static int64_t noise(struct block_machine *m, uint32_t t, const struct cw_ins *i, uint64_t seed) {
    uint64_t h = cw_hash(&seed, sizeof seed, (uint64_t)i->op << 40 | (uint64_t)i->type << 32 | i->aux);
    for (uint32_t k = 0; k < i->narg; k++) {
        int64_t v = arg(m, t, i, k);
        h = cw_hash(&v, sizeof v, h);
    }
    h ^= h >> 32;
    return cw_type_wrap((enum cw_type)i->type, (int64_t)h);
}

/* The result of a function of which nothing is known. */
static int64_t mystery(struct block_machine *m, uint32_t t, const struct cw_ins *i) {
    int64_t v = noise(m, t, i, m->seed);
    uint64_t other = cw_hash(&v, sizeof v, 3);
    if (m->bias && other % 8)
        v = (v & ~INT64_C(6)) | (m->bias == 1 ? 0 : 6);
    return cw_type_wrap((enum cw_type)i->type, v);
}

static int64_t computed(struct block_machine *m, uint32_t t, const struct cw_ins *i) {
    int64_t in[3] = {0}, out;
    for (uint32_t k = 0; k < i->narg && k < 3; k++)
        in[k] = arg(m, t, i, k);
    switch (i->op) {
    case CW_OP_COPY:
    case CW_OP_PTRTOINT:
    case CW_OP_INTTOPTR: return in[0];
    case CW_OP_PTRADD: return in[0] + in[1];
    case CW_OP_SELECT: return in[0] ? in[1] : in[2];
    case CW_OP_PURE: return mystery(m, t, i);
    default:
        if (i->narg > 0 && cw_fold(i->op, cw_ref_type(m->fn, cw_arg(m->fn, i, 0)), i->type, in, &out))
            return out;
        return noise(m, t, i, ~UINT64_C(1));
    }
}

/* ---- memory ---- */

static uint8_t *bytes_at(struct block_machine *m, uint32_t t, int64_t pointer, uint32_t n, struct block_access *a) {
    uint64_t number = (uint64_t)pointer >> 32;
    int64_t offset = (int64_t)((uint64_t)pointer & 0xffffffff) - BIAS;
    if (number == 0 || number > m->regions.n || offset < 0 || n > 16 ||
        (uint64_t)offset + n > m->regions.at[number - 1].size) {
        m->failed = m->goes_on ? NULL : "an access outside of its object";
        return NULL;
    }
    a->region = (uint32_t)number - 1;
    a->offset = (uint32_t)offset;
    a->bytes = n;
    const struct block_region *r = &m->regions.at[a->region];
    return r->bytes + offset + (r->is_private ? (size_t)t * r->size : 0);
}

static void tell(struct block_machine *m, const struct block_access *a) {
    if (m->regions.at[a->region].is_private)
        return;
    m->thread[a->thread].accesses++;
    if (m->accessed)
        m->accessed(m->self, a);
}

/* More than eight bytes, which nobody computes with, are known by their hash. */
static int64_t number_in(const uint8_t *at, uint32_t n, enum cw_type type) {
    uint64_t v = 0;
    if (n > 8)
        return (int64_t)cw_hash(at, n, n);
    memcpy(&v, at, n);
    return cw_type_wrap(type, (int64_t)v);
}

static void put_number(uint8_t *out, uint32_t n, int64_t v) {
    uint64_t halves[2] = {(uint64_t)v, cw_hash(&v, sizeof v, 9)};
    memcpy(out, halves, n);
}

static int64_t load(struct block_machine *m, uint32_t t, uint32_t ins) {
    const struct cw_ins *i = &m->fn->ins.at[ins];
    struct block_access a = {.ins = ins, .thread = t, .context = m->thread[t].context, .reads = true};
    const uint8_t *at = bytes_at(m, t, arg(m, t, i, 0), i->aux, &a);
    if (!at)
        return 0;
    tell(m, &a);
    return number_in(at, i->aux, (enum cw_type)i->type);
}

static void store(struct block_machine *m, uint32_t t, uint32_t ins) {
    const struct cw_ins *i = &m->fn->ins.at[ins];
    struct block_access a = {.ins = ins, .thread = t, .context = m->thread[t].context, .writes = true};
    uint8_t *at = bytes_at(m, t, arg(m, t, i, 1), i->aux, &a);
    if (!at)
        return;
    put_number(a.value, a.bytes, arg(m, t, i, 0));
    tell(m, &a);
    memcpy(at, a.value, a.bytes);
}

/* The bytes are there at once; that nobody may count on it is the test's business. */
static void copy(struct block_machine *m, uint32_t t, uint32_t ins) {
    const struct cw_ins *i = &m->fn->ins.at[ins];
    struct block_access to = {.ins = ins, .thread = t, .context = m->thread[t].context, .writes = true, .async = true};
    struct block_access from = {.ins = ins, .thread = t, .context = m->thread[t].context, .reads = true};
    uint32_t n = (uint32_t)arg(m, t, i, 2);
    const uint8_t *source = bytes_at(m, t, arg(m, t, i, 1), n, &from);
    uint8_t *at = bytes_at(m, t, arg(m, t, i, 0), n, &to);
    if (!source || !at)
        return;
    memcpy(to.value, source, n);
    tell(m, &from);
    tell(m, &to);
    memcpy(at, to.value, n);
}

static int64_t atomic(struct block_machine *m, uint32_t t, uint32_t ins) {
    const struct cw_ins *i = &m->fn->ins.at[ins];
    enum cw_type type = cw_ref_type(m->fn, cw_arg(m->fn, i, 1));
    struct block_access a = {.ins = ins, .thread = t, .context = m->thread[t].context};
    a.reads = a.writes = a.atomic = true;
    uint8_t *at = bytes_at(m, t, arg(m, t, i, 0), cw_type_bytes(type), &a);
    if (!at)
        return 0;
    int64_t old = number_in(at, a.bytes, type), by = arg(m, t, i, 1);
    put_number(a.value, a.bytes, (i->aux & 0xff) == CW_ATOMIC_ADD ? old + by : by);
    tell(m, &a);
    memcpy(at, a.value, a.bytes);
    return old;
}

/* ---- waiting ---- */

static bool waits_at(const struct cw_ins *i) {
    return i->op == CW_OP_BARRIER || i->op == CW_OP_SYNCWARP || i->op == CW_OP_SHFL || i->op == CW_OP_VOTE ||
           i->op == CW_OP_MATCH;
}

static uint32_t pending_ins(const struct block_machine *m, uint32_t t) {
    const struct block_thread *th = &m->thread[t];
    return m->fn->blocks.at[th->block].ins.at[th->at];
}

static bool is_with(const struct block_machine *m, uint32_t t, uint32_t u) {
    return m->thread[u].waits && m->thread[u].context == m->thread[t].context &&
           pending_ins(m, t) == pending_ins(m, u);
}

static void finish(struct block_machine *m, uint32_t t, int64_t result) {
    struct block_thread *th = &m->thread[t];
    uint32_t ins = pending_ins(m, t);
    th->value[ins] = m->computed ? m->computed(m->self, t, ins, th->context, result) : result;
    th->waits = th->let_through = false;
    th->at++;
}

static int64_t shuffled(struct block_machine *m, uint32_t t, const struct cw_ins *i, uint32_t mask) {
    uint32_t lane = cw_shuffle_lane((enum cw_shfl)i->aux, t % 32, (uint32_t)arg(m, t, i, 2) & 31,
                                    (uint32_t)arg(m, t, i, 3));
    uint32_t u = t - t % 32 + lane;
    if (u >= m->threads || !(mask >> lane & 1) || !is_with(m, t, u))
        return noise(m, t, i, ~m->seed); /* nothing sensible is there */
    return arg(m, u, i, 1);
}

static int64_t voted(struct block_machine *m, uint32_t t, const struct cw_ins *i, uint32_t mask) {
    uint32_t yes = 0, here = 0;
    for (uint32_t u = t - t % 32; u < m->threads && u < t - t % 32 + 32; u++)
        if ((mask >> u % 32 & 1) && is_with(m, t, u)) {
            here |= 1u << u % 32;
            bool says = i->op == CW_OP_MATCH ? arg(m, u, i, 1) == arg(m, t, i, 1) : arg(m, u, i, 1) != 0;
            yes |= says ? 1u << u % 32 : 0;
        }
    if (i->op == CW_OP_VOTE && i->aux == CW_VOTE_ANY)
        return yes != 0;
    if (i->op == CW_OP_VOTE && i->aux == CW_VOTE_ALL)
        return yes == here;
    return cw_type_wrap((enum cw_type)i->type, (int64_t)yes);
}

static int64_t collective(struct block_machine *m, uint32_t t, const struct cw_ins *i) {
    uint32_t mask = i->narg ? (uint32_t)arg(m, t, i, 0) : ~0u;
    if (i->op == CW_OP_SHFL)
        return shuffled(m, t, i, mask);
    return i->op == CW_OP_VOTE || i->op == CW_OP_MATCH ? voted(m, t, i, mask) : 0;
}

/* All that met go on together; results first, because they read what the others hold. */
static void release(struct block_machine *m) {
    struct block_meeting *g = m->meeting;
    const struct cw_ins *i = &m->fn->ins.at[pending_ins(m, g->threads[0])];
    int64_t result[1024];
    g->ins = pending_ins(m, g->threads[0]);
    g->context = m->thread[g->threads[0]].context;
    for (uint32_t k = 0; k < g->n; k++)
        result[k] = collective(m, g->threads[k], i);
    if (m->met)
        m->met(m->self, g);
    for (uint32_t k = 0; k < g->n; k++)
        finish(m, g->threads[k], result[k]);
}

/* Have all come that t waits for? */
static bool is_complete(struct block_machine *m, uint32_t t) {
    const struct cw_ins *i = &m->fn->ins.at[pending_ins(m, t)];
    bool whole = i->op == CW_OP_BARRIER;
    uint32_t mask = whole || i->narg == 0 ? ~0u : (uint32_t)arg(m, t, i, 0);
    uint32_t from = whole ? 0 : t - t % 32, end = whole || from + 32 > m->threads ? m->threads : from + 32;
    if (!(mask >> t % 32 & 1))
        m->failed = "a caller that its mask leaves out";
    m->meeting->n = m->meeting->ngone = 0;
    for (uint32_t u = from; u < end; u++) {
        if (!(mask >> u % 32 & 1))
            continue;
        if (m->thread[u].exited)
            m->meeting->gone[m->meeting->ngone++] = u;
        else if (is_with(m, t, u))
            m->meeting->threads[m->meeting->n++] = u;
        else
            return false;
    }
    return true;
}

static bool at_extra(const struct block_machine *m, uint32_t t) {
    return m->extra != UINT32_MAX && pending_ins(m, t) == m->extra && !m->thread[t].let_through;
}

/* A barrier that the test puts in waits for whoever comes, when nobody else can go on. */
static bool release_extra(struct block_machine *m) {
    struct block_meeting *g = m->meeting;
    uint32_t first = 0;
    while (first < m->threads && !(m->thread[first].waits && at_extra(m, first)))
        first++;
    if (first == m->threads)
        return false;
    g->ins = UINT32_MAX;
    g->context = m->thread[first].context;
    g->n = g->ngone = 0;
    for (uint32_t u = first; u < m->threads && (!m->extra_of_warp || u / 32 == first / 32); u++)
        if (is_with(m, first, u) && at_extra(m, u))
            g->threads[g->n++] = u;
    if (m->met)
        m->met(m->self, g);
    for (uint32_t k = 0; k < g->n; k++) {
        m->thread[g->threads[k]].let_through = true;
        m->thread[g->threads[k]].waits = false;
    }
    return true;
}

static bool release_some(struct block_machine *m) {
    bool some = false;
    for (uint32_t t = 0; t < m->threads && !m->failed; t++) {
        if (!m->thread[t].waits || at_extra(m, t) || !is_complete(m, t))
            continue;
        release(m);
        some = true;
    }
    return some || release_extra(m);
}

/* ---- one thread ---- */

static void run_phis(struct block_machine *m, uint32_t t, uint32_t from) {
    struct block_thread *th = &m->thread[t];
    const struct cw_block *b = &m->fn->blocks.at[th->block];
    int64_t next[32];
    uint32_t n = 0, p = walk_operand(m->fn, from, th->block);
    for (; n < b->ins.n && n < 32 && m->fn->ins.at[b->ins.at[n]].op == CW_OP_PHI; n++)
        next[n] = arg(m, t, &m->fn->ins.at[b->ins.at[n]], p);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t ins = b->ins.at[k];
        th->value[ins] = m->computed ? m->computed(m->self, t, ins, th->context, next[k]) : next[k];
    }
    th->at = n;
}

static void run_jump(struct block_machine *m, uint32_t t) {
    struct block_thread *th = &m->thread[t];
    const struct cw_jump *j = &m->fn->blocks.at[th->block].jump;
    bool decides = j->kind == CW_JUMP_BRANCH || j->kind == CW_JUMP_SWITCH;
    uint32_t from = th->block, to = walk_target(j, decides ? value_of(m, t, j->value) : 0);
    if (m->jumped)
        m->jumped(m->self, t, from, to);
    th->exited = to == CW_NO_BLOCK;
    if (th->exited)
        return;
    th->context = walk_context(m->fn, m->lanes, th->context, from, to);
    th->block = to;
    run_phis(m, t, from);
}

/* Groups of at most a warp are known by their lanes. */
static int64_t lanes_of_group(struct block_machine *m, uint32_t t, const struct cw_ins *i) {
    uint32_t size = i->aux == CW_GROUP_TILE ? (uint32_t)arg(m, t, i, 1) : 32;
    if ((i->aux != CW_GROUP_BLOCK && i->aux != CW_GROUP_TILE) || size == 0 || size > 32)
        m->failed = "a group that this machine does not know";
    return size >= 32 ? -1 : (int64_t)(((1u << size) - 1) << (t % 32 & ~(size - 1)));
}

static int64_t effect(struct block_machine *m, uint32_t t, uint32_t ins) {
    const struct cw_ins *i = &m->fn->ins.at[ins];
    switch (i->op) {
    case CW_OP_LOAD: return load(m, t, ins);
    case CW_OP_STORE: store(m, t, ins); return 0;
    case CW_OP_ATOMIC: return atomic(m, t, ins);
    case CW_OP_ASYNCCOPY: copy(m, t, ins); return 0;
    case CW_OP_GROUP: return lanes_of_group(m, t, i);
    case CW_OP_ASYNCCOMMIT:
    case CW_OP_ASYNCWAIT:
    case CW_OP_FENCE:
    case CW_OP_ASSUME: return 0;
    case CW_OP_ACTIVEMASK: return (int32_t)(1u << t % 32); /* the smallest legal answer */
    default:
        if (cw_op_flags((enum cw_op)i->op) & CW_OP_E)
            m->failed = "an instruction that this machine does not know";
        return computed(m, t, i);
    }
}

static bool is_paused(const struct block_machine *m, uint32_t t) {
    const struct block_thread *th = &m->thread[t];
    if (!m->pause || t + 1 != m->leader || th->accesses + 1 != m->pause ||
        th->at >= m->fn->blocks.at[th->block].ins.n)
        return false;
    return (cw_op_flags(m->fn->ins.at[pending_ins(m, t)].op) & (CW_OP_R | CW_OP_W)) != 0;
}

/* False when the thread waits, is paused or has exited. */
static bool run_thread(struct block_machine *m, uint32_t t) {
    struct block_thread *th = &m->thread[t];
    for (uint32_t n = 0; !th->waits && !th->exited && !m->failed && !is_paused(m, t); n++) {
        if (m->turn && n == m->turn)
            return true;
        const struct cw_block *b = &m->fn->blocks.at[th->block];
        if (th->steps++ > m->max_steps)
            m->failed = "a thread that does not end";
        if (th->at == b->ins.n) {
            run_jump(m, t);
            continue;
        }
        uint32_t ins = b->ins.at[th->at];
        th->waits = at_extra(m, t) || waits_at(&m->fn->ins.at[ins]);
        if (th->waits)
            break;
        int64_t v = effect(m, t, ins);
        th->value[ins] = m->computed ? m->computed(m->self, t, ins, th->context, v) : v;
        th->let_through = false;
        th->at++;
    }
    return false;
}

static void draw_order(struct block_machine *m, uint32_t *order) {
    for (uint32_t k = 0; k < m->threads; k++)
        order[k] = m->reversed ? m->threads - 1 - k : k;
    for (uint32_t k = m->threads; m->shuffle && k > 1; k--) {
        m->shuffle = m->shuffle * 6364136223846793005ULL + 1442695040888963407ULL;
        uint32_t at = (uint32_t)(m->shuffle >> 33) % k, last = order[k - 1];
        order[k - 1] = order[at];
        order[at] = last;
    }
}

/* Each thread until it waits, or for a turn. */
static bool run_threads(struct block_machine *m) {
    uint32_t order[1024];
    bool some = false;
    draw_order(m, order);
    for (uint32_t k = 0; k < m->threads; k++)
        some |= run_thread(m, order[k]);
    return some;
}

static bool end_pause(struct block_machine *m) {
    bool some = m->leader && is_paused(m, m->leader - 1);
    if (some)
        m->pause = 0;
    return some;
}

bool block_machine_run(struct block_machine *m) {
    bool some = true;
    for (uint32_t t = 0; t < m->threads; t++)
        m->thread[t].context = walk_context(m->fn, m->lanes, NULL, CW_NO_BLOCK, 0);
    while (some && !m->failed) {
        while (m->leader && run_thread(m, m->leader - 1))
            continue;
        while (run_threads(m))
            continue;
        some = !m->failed && (release_some(m) || end_pause(m));
    }
    for (uint32_t t = 0; t < m->threads && !m->failed; t++)
        if (!m->thread[t].exited)
            m->failed = "threads that wait for ever";
    return !m->failed;
}
