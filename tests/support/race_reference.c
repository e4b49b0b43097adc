#include "support/race_reference.h"

#include "lanes/value.h"
#include "uniformity/alias.h"

#include <string.h>

enum { CELL = 4 };

static uint32_t cells_of(const struct block_region *r) {
    return (r->size + CELL - 1) / CELL;
}

/* ---- recording ---- */

static void accessed(void *self, const struct block_access *a) {
    struct race_reference *r = self;
    struct race_event e = {.access = *a, .clock = r->clock[a->thread], .phase = r->phase,
                           .own_write = r->written[a->thread]};
    cw_vec_push(&r->arena, &r->events, e);
    if (a->writes)
        r->written[a->thread] = r->events.n;
    if (!r->number[a->ins])
        r->number[a->ins] = ++r->naccess;
    for (uint32_t cell = a->offset / CELL; cell <= (a->offset + a->bytes - 1) / CELL; cell++)
        cw_vec_push(&r->arena, &r->cells[a->region][cell], r->events.n - 1);
}

static void learn(const struct race_reference *r, uint32_t *all, const uint32_t *threads, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t t = 0; t < r->machine.threads; t++)
            if (r->clock[threads[k]][t] > all[t])
                all[t] = r->clock[threads[k]][t];
}

static void met(void *self, const struct block_meeting *m) {
    struct race_reference *r = self;
    const struct cw_ins *i = m->ins == UINT32_MAX ? NULL : &r->machine.fn->ins.at[m->ins];
    if (i && i->op != CW_OP_BARRIER && i->op != CW_OP_SYNCWARP)
        return;
    uint32_t *all = CW_NEW_ARRAY(&r->arena, uint32_t, r->machine.threads);
    learn(r, all, m->threads, m->n);
    learn(r, all, m->gone, m->ngone);
    for (uint32_t k = 0; k < m->n; k++) {
        uint32_t t = m->threads[k], *mine = CW_NEW_ARRAY(&r->arena, uint32_t, r->machine.threads);
        memcpy(mine, all, r->machine.threads * sizeof *mine);
        mine[t]++;
        r->clock[t] = mine;
    }
    r->phase += m->n + m->ngone == r->machine.threads;
}

/* ---- pairs ---- */

/* Is a, the earlier event, done before b? */
static bool is_before(const struct race_reference *r, uint32_t a, uint32_t b) {
    const struct race_event *x = &r->events.at[a], *y = &r->events.at[b];
    uint32_t t = x->access.thread;
    if (!x->access.async)
        return t == y->access.thread || y->clock[t] >= x->clock[t];
    if (x->waited == 0)
        return false;
    return t == y->access.thread ? x->waited <= b + 1 : y->clock[t] >= x->waited_clock;
}

/* Events are in an order that agrees with what is known, except that b may be ordered before a by chance of the run. */
static bool is_ordered(const struct race_reference *r, uint32_t a, uint32_t b) {
    return is_before(r, a, b) || (r->events.at[a].access.thread != r->events.at[b].access.thread && is_before(r, b, a));
}

/* The bytes [*from, *to) that both touch; false when there are none. */
static bool shared_bytes(const struct block_access *a, const struct block_access *b, uint32_t *from, uint32_t *to) {
    *from = a->offset > b->offset ? a->offset : b->offset;
    *to = a->offset + a->bytes < b->offset + b->bytes ? a->offset + a->bytes : b->offset + b->bytes;
    return a->region == b->region && *from < *to;
}

static uint8_t byte_at(const struct block_access *a, uint32_t offset) {
    return a->value[offset - a->offset];
}

/* What the thread itself last wrote there before event `at`; false when it never did. */
static bool own_byte(const struct race_reference *r, uint32_t at, uint32_t offset, uint8_t *byte) {
    uint32_t region = r->events.at[at].access.region;
    for (uint32_t k = r->events.at[at].own_write; k; k = r->events.at[k - 1].own_write) {
        const struct block_access *w = &r->events.at[k - 1].access;
        if (w->region != region || offset < w->offset || offset >= w->offset + w->bytes)
            continue;
        *byte = byte_at(w, offset);
        return true;
    }
    return false;
}

static bool same_bytes(const struct race_reference *r, uint32_t a, uint32_t b, uint32_t from, uint32_t to) {
    const struct block_access *x = &r->events.at[a].access, *y = &r->events.at[b].access;
    for (uint32_t o = from; o < to; o++) {
        uint8_t own = 0, other = byte_at(y, o);
        if (x->writes ? byte_at(x, o) != other : !own_byte(r, a, o, &own) || own != other)
            return false;
    }
    return true;
}

static bool may_not_race(const struct block_access *x, const struct block_access *y) {
    return (x->thread == y->thread && !x->async) || (!x->writes && !y->writes) || (x->atomic && y->atomic);
}

static uint8_t sort_of(const struct race_event *x, const struct race_event *y) {
    return x->access.thread / 32 == y->access.thread / 32 ? RACE_IN_WARP : RACE_ACROSS;
}

static uint8_t surely(uint8_t sort) {
    return (uint8_t)(sort | RACE_SURE | (sort & RACE_ACROSS ? RACE_SURE_ACROSS : 0));
}

/* 0, or RACE_IN_WARP and so on. */
static uint8_t race_of(const struct race_reference *r, uint32_t a, uint32_t b) {
    const struct race_event *x = &r->events.at[a], *y = &r->events.at[b];
    uint32_t from, to;
    if (may_not_race(&x->access, &y->access) || !shared_bytes(&x->access, &y->access, &from, &to) ||
        is_ordered(r, a, b))
        return 0;
    uint8_t sort = sort_of(x, y);
    if (x->access.atomic || y->access.atomic)
        return surely(sort);
    bool same = y->access.writes ? same_bytes(r, a, b, from, to) : same_bytes(r, b, a, from, to);
    if (same && x->access.writes && y->access.writes)
        return 0;
    return same ? sort : surely(sort);
}

static uint8_t *pair_at(const struct race_reference *r, uint32_t a, uint32_t b) {
    uint32_t x = r->number[a], y = r->number[b];
    if (!x || !y)
        return NULL;
    return &r->pairs[(size_t)(x < y ? x : y) * (r->naccess + 1) + (x < y ? y : x)];
}

static void find_pair(struct race_reference *r, uint32_t a, uint32_t b) {
    const struct race_event *x = &r->events.at[a], *y = &r->events.at[b];
    if (may_not_race(&x->access, &y->access))
        return;
    uint8_t *pair = pair_at(r, x->access.ins, y->access.ins), most = surely(sort_of(x, y));
    if ((*pair & most) != most)
        *pair |= race_of(r, a, b);
}

/* The accesses of one instruction to one cell in one phase. */
struct group {
    uint32_t ins;
    bool writes, atomic;
    CW_VEC(uint32_t) events; /* none twice, as far as pairs go; a thread's own are a list, the last first: */
    CW_VEC(uint32_t) before; /* 1 + the index of the one before in `events`, 0: none */
    CW_VEC(uint32_t) other;  /* the same of the last one before that does something else, see does_same() */
    uint32_t *last;          /* per thread: 1 + the index of its last one, 0: none */
    struct cw_vec_u32 threads; /* that have one */
};

struct finder {
    struct race_reference *r;
    CW_VEC(struct group) groups; /* the first `used` of them */
    uint32_t used;
    struct cw_vec_u32 async; /* accesses to the cell that the end of a phase does not end */
    bool *copies;            /* per thread: one of these is its own */
};

static struct group *group_of(struct finder *f, const struct block_access *a) {
    for (uint32_t k = 0; k < f->used; k++)
        if (f->groups.at[k].ins == a->ins)
            return &f->groups.at[k];
    if (f->used == f->groups.n)
        cw_vec_push(&f->r->arena, &f->groups,
                    ((struct group){.last = CW_NEW_ARRAY(&f->r->arena, uint32_t, f->r->machine.threads)}));
    struct group *g = &f->groups.at[f->used++];
    g->ins = a->ins;
    g->writes = a->writes;
    g->atomic = a->atomic;
    return g;
}

static void begin_phase(struct finder *f) {
    for (uint32_t k = 0; k < f->used; k++) {
        struct group *g = &f->groups.at[k];
        for (uint32_t t = 0; t < g->threads.n; t++)
            g->last[g->threads.at[t]] = 0;
        g->threads.n = g->events.n = g->before.n = g->other.n = 0;
    }
    f->used = 0;
}

/* Does the later event of one instruction race with just what the earlier one of the same thread does, where neither is
 * ordered with it? */
static bool does_same(const struct finder *f, uint32_t a, uint32_t b) {
    const struct race_event *x = &f->r->events.at[a], *y = &f->r->events.at[b];
    return !f->copies[x->access.thread] && x->access.offset == y->access.offset &&
           x->access.bytes == y->access.bytes &&
           (x->access.writes ? memcmp(x->access.value, y->access.value, x->access.bytes) == 0
                             : x->own_write == y->own_write);
}

static bool is_repeated(const struct finder *f, uint32_t a, uint32_t b) {
    return f->r->events.at[a].clock == f->r->events.at[b].clock && does_same(f, a, b);
}

/* Is every sort of pair of the two instructions known, and sure? */
static bool is_known(const struct race_reference *r, uint32_t ins, uint32_t other) {
    uint8_t all = RACE_IN_WARP | RACE_ACROSS | RACE_SURE | RACE_SURE_ACROSS;
    return (*pair_at(r, ins, other) & all) == all;
}

/* What a thread has done before something that is ordered is ordered too, but for asynchronous accesses. Of what it has
 * done again and again, the last time tells all, as the earlier ones are ordered at most more. */
static void find_pairs_with(struct finder *f, const struct group *g, const struct group *mine, uint32_t b) {
    struct race_reference *r = f->r;
    for (uint32_t t = 0; t < g->threads.n && !is_known(r, g->ins, mine->ins); t++)
        for (uint32_t k = g->last[g->threads.at[t]], next; k; k = next) {
            uint32_t a = g->events.at[k - 1];
            bool is_plain = !r->events.at[a].access.async && !r->events.at[b].access.async;
            if (is_plain && is_before(r, a, b))
                break;
            find_pair(r, a, b);
            next = is_plain && !is_ordered(r, a, b) ? g->other.at[k - 1] : g->before.at[k - 1];
        }
}

static void find_pairs_of(struct finder *f, uint32_t b) {
    struct race_reference *r = f->r;
    const struct block_access *access = &r->events.at[b].access;
    struct group *mine = group_of(f, access);
    uint32_t last = mine->last[access->thread];
    if (last && is_repeated(f, mine->events.at[last - 1], b))
        return;
    for (uint32_t k = 0; k < f->used; k++) {
        const struct group *g = &f->groups.at[k];
        if ((g->writes || mine->writes) && !(g->atomic && mine->atomic))
            find_pairs_with(f, g, mine, b);
    }
    for (uint32_t e = 0; e < f->async.n; e++)
        if (r->events.at[f->async.at[e]].phase != r->events.at[b].phase)
            find_pair(r, f->async.at[e], b);
    cw_vec_push(&r->arena, &mine->events, b);
    cw_vec_push(&r->arena, &mine->before, last);
    cw_vec_push(&r->arena, &mine->other,
                last && does_same(f, mine->events.at[last - 1], b) ? mine->other.at[last - 1] : last);
    if (!last)
        cw_vec_push(&r->arena, &mine->threads, access->thread);
    mine->last[access->thread] = mine->events.n;
    if (access->async) {
        cw_vec_push(&r->arena, &f->async, b);
        f->copies[access->thread] = true;
    }
}

/* What is of different phases is ordered, unless the earlier of the two is asynchronous. */
static void find_pairs_in(struct finder *f, const struct cw_vec_u32 *list) {
    for (uint32_t e = 0; e < f->async.n; e++)
        f->copies[f->r->events.at[f->async.at[e]].access.thread] = false;
    f->async.n = 0;
    for (uint32_t k = 0; k < list->n; k++) {
        if (k && f->r->events.at[list->at[k - 1]].phase != f->r->events.at[list->at[k]].phase)
            begin_phase(f);
        find_pairs_of(f, list->at[k]);
    }
    begin_phase(f);
}

static void find_pairs(struct race_reference *r) {
    struct finder f = {.r = r, .copies = CW_NEW_ARRAY(&r->arena, bool, r->machine.threads)};
    r->pairs = cw_arena_alloc(&r->arena, (size_t)(r->naccess + 1) * (r->naccess + 1));
    for (uint32_t k = 0; k < r->machine.regions.n; k++)
        for (uint32_t cell = 0; cell < cells_of(&r->machine.regions.at[k]); cell++)
            if (r->cells[k][cell].n > 1)
                find_pairs_in(&f, &r->cells[k][cell]);
}

/* ---- running ---- */

/* What an earlier kernel left in a shared array. */
static void leave_something(struct block_region *region, uint64_t data) {
    block_machine_noise(region->bytes, region->size, data << 8);
    for (uint32_t k = 0; k < region->size && data % 2; k++)
        region->bytes[k] = k % 4 ? 0 : region->bytes[k] & 7;
}

/* Sizes of blocks: those that the evaluator has chosen, else as data say. */
static void put_sizes(struct race_reference *r, const struct race_run *what) {
    struct block_region *sizes = block_machine_region(&r->machine, cw_ref_of(CW_REF_PARAM, 4));
    block_machine_noise(sizes->bytes, sizes->size, what->data + 5);
    for (uint32_t k = 0; k + 4 <= sizes->size; k += 4) {
        int32_t v = sizes->bytes[k] & (what->data & 1 ? 127 : 7);
        memcpy(sizes->bytes + k, &v, 4);
    }
    for (uint32_t k = 0; k < what->fn->ins.n; k++) {
        const struct cw_ins *i = &what->fn->ins.at[k];
        struct cw_bases from = i->op == CW_OP_LOAD ? cw_memory_bases(what->fn, cw_arg(what->fn, i, 0))
                                                   : (struct cw_bases){.n = 0};
        if (from.n != 1 || !cw_ref_eq(from.at[0].root, sizes->base))
            continue;
        const struct cw_lane_value *at = cw_lanes_places(what->lanes, cw_arg(what->fn, i, 0), NULL);
        struct cw_cell size = cw_lane_value_cell(cw_lane_value_of(what->lanes, cw_ref_ins(k), NULL), 0);
        int64_t offset = at ? cw_lane_value_cell(at, 0).value : -1;
        int32_t number = (int32_t)size.value;
        if (size.known == CW_SAMPLE && offset >= 0 && (uint64_t)offset + 4 <= sizes->size)
            memcpy(sizes->bytes + offset, &number, 4);
    }
}

/* in[]: 0 … 7 or less, or -8 … 7, but for choices; data[]: anything */
static void put_data(struct race_reference *r, const struct race_run *what) {
    uint64_t data = what->data;
    struct block_region *in = block_machine_region(&r->machine, cw_ref_of(CW_REF_PARAM, 0));
    block_machine_noise(in->bytes, in->size, data);
    for (uint32_t k = 0; k + 4 <= in->size; k += 4) {
        int32_t v = in->bytes[k] & (int32_t)(what->values ? what->values - 1 : 7);
        if (what->is_signed)
            v = (in->bytes[k] & 15) - 8;
        memcpy(in->bytes + k, &v, 4);
    }
    for (uint32_t k = 0; k < what->nchoices; k++)
        if (4 * what->choices[k].element + 4 <= in->size)
            memcpy(in->bytes + 4 * what->choices[k].element, &what->choices[k].value, 4);
    struct block_region *any = block_machine_region(&r->machine, cw_ref_of(CW_REF_PARAM, 1));
    block_machine_noise(any->bytes, any->size, ~data);
    put_sizes(r, what);
    for (uint32_t k = 0; data && k < r->machine.fn->objects.n; k++)
        leave_something(&r->machine.regions.at[k], data + k);
}

/* Programs wait for all of their copies. */
static void wait_for_copies(struct race_reference *r, uint32_t thread) {
    for (uint32_t k = r->written[thread]; k; k = r->events.at[k - 1].own_write) {
        struct race_event *e = &r->events.at[k - 1];
        if (e->access.async && !e->waited) {
            e->waited = r->events.n + 1;
            e->waited_clock = r->clock[thread][thread];
        }
    }
}

static int64_t after(void *self, uint32_t thread, uint32_t ins, const struct cw_context *c, int64_t value) {
    struct race_reference *r = self;
    const struct race_witness *g = r->garbled;
    bool here = g && g->ins == ins && g->thread == thread && g->context == c;
    if (r->machine.fn->ins.at[ins].op == CW_OP_ASYNCWAIT)
        wait_for_copies(r, thread);
    return here ? cw_type_wrap((enum cw_type)r->machine.fn->ins.at[ins].type, ~value) : value;
}

static bool waits_for_copies(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (fn->ins.at[k].op == CW_OP_ASYNCWAIT)
            return true;
    return false;
}

bool race_reference_run(struct race_reference *r, const struct race_run *what) {
    memset(r, 0, sizeof *r);
    cw_arena_init(&r->arena);
    block_machine_init(&r->machine, what->fn, what->lanes, &r->arena);
    r->machine.self = r;
    r->machine.accessed = accessed;
    r->machine.met = met;
    r->machine.computed = what->garbled || waits_for_copies(what->fn) ? after : NULL;
    r->garbled = what->garbled;
    r->machine.reversed = what->reversed;
    r->machine.leader = what->leader;
    r->machine.turn = what->turn;
    r->machine.shuffle = what->shuffle;
    r->machine.goes_on = what->goes_on;
    r->machine.pause = what->pause;
    r->machine.bias = what->bias;
    r->machine.extra = what->extra;
    r->machine.extra_of_warp = what->extra_of_warp;
    r->machine.seed = what->data;
    r->number = CW_NEW_ARRAY(&r->arena, uint32_t, what->fn->ins.n);
    r->clock = CW_NEW_ARRAY(&r->arena, uint32_t *, r->machine.threads);
    r->written = CW_NEW_ARRAY(&r->arena, uint32_t, r->machine.threads);
    for (uint32_t t = 0; t < r->machine.threads; t++) {
        r->clock[t] = CW_NEW_ARRAY(&r->arena, uint32_t, r->machine.threads);
        r->clock[t][t] = 1;
    }
    r->cells = CW_NEW_ARRAY(&r->arena, struct cw_vec_u32 *, r->machine.regions.n);
    for (uint32_t k = 0; k < r->machine.regions.n; k++)
        r->cells[k] = CW_NEW_ARRAY(&r->arena, struct cw_vec_u32, cells_of(&r->machine.regions.at[k]));
    put_data(r, what);
    if (!block_machine_run(&r->machine))
        return false;
    find_pairs(r);
    return true;
}

void race_reference_free(struct race_reference *r) {
    cw_arena_free(&r->arena);
}

/* ---- questions ---- */

uint8_t race_reference_pair(const struct race_reference *r, uint32_t a, uint32_t b) {
    const uint8_t *pair = pair_at(r, a, b);
    return pair ? *pair : 0;
}

static bool is_witness(const struct block_access *a, const struct race_witness *w) {
    return a->ins == w->ins && a->thread == w->thread && a->context == w->context;
}

/* A base that is computed is one of the arrays, from its beginning: which one, input decides. */
static bool is_base(const struct race_reference *r, const struct block_access *a, cw_ref base) {
    return base.tag == CW_REF_INS || cw_ref_eq(r->machine.regions.at[a->region].base, base);
}

static bool covers(const struct race_reference *r, const struct block_access *a, cw_ref base, int64_t offset,
                   uint32_t bytes) {
    return is_base(r, a, base) && a->offset <= offset &&
           offset + bytes <= (int64_t)a->offset + a->bytes;
}

bool race_reference_shows(const struct race_reference *r, const struct race_witness *a, const struct race_witness *b,
                          cw_ref base, int64_t offset, uint32_t bytes) {
    for (uint32_t x = 0; x < r->events.n; x++) {
        if (!is_witness(&r->events.at[x].access, a) || !covers(r, &r->events.at[x].access, base, offset, bytes))
            continue;
        for (uint32_t y = 0; y < r->events.n; y++)
            if (is_witness(&r->events.at[y].access, b) && covers(r, &r->events.at[y].access, base, offset, bytes) &&
                (x < y ? race_of(r, x, y) : race_of(r, y, x)))
                return true;
    }
    return false;
}

bool race_reference_differs(const struct race_reference *a, const struct race_reference *b) {
    for (uint32_t k = 0; k < a->machine.regions.n; k++) {
        const struct block_region *r = &a->machine.regions.at[k];
        if (r->base.tag == CW_REF_PARAM && memcmp(r->bytes, b->machine.regions.at[k].bytes, r->size) != 0)
            return true;
    }
    return false;
}

bool race_reference_unwritten(const struct race_reference *r, const struct race_witness *read, cw_ref base,
                              int64_t offset) {
    bool found = false;
    for (uint32_t x = 0; x < r->events.n; x++) {
        const struct race_event *e = &r->events.at[x];
        if (!is_witness(&e->access, read) || !is_base(r, &e->access, base))
            continue;
        found = true;
        for (uint32_t y = 0; y < r->events.n; y++) {
            const struct race_event *w = &r->events.at[y];
            bool later = w->access.thread == e->access.thread
                             ? y > x
                             : w->clock[e->access.thread] >= e->clock[e->access.thread];
            if (w->access.writes && !w->access.reads && w->access.region == e->access.region &&
                covers(r, &w->access, base, offset, 1) && !later)
                return false;
        }
    }
    return found;
}
