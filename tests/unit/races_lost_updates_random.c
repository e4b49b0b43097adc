/* Random kernels that update elements which data choose, against the search for lost updates: of a definite one there
 * are data with which its two threads load and store one element with nothing that orders the two. Every program is
 * really run (support/race_reference.h), with data that are the same for both threads, and with others.
 *
 *     test_races_lost_updates_random             the usual seeds
 *     test_races_lost_updates_random FROM TO     others; a failing program is printed */
#include "check.h"
#include "support/race_reference.h"

#include "base/hash.h"
#include "base/str.h"
#include "lanes/value.h"
#include "races/lost_updates.h"

#include <stdlib.h>

#ifdef __OPTIMIZE__
enum { PROGRAMS = 4000 };
#else
enum { PROGRAMS = 600 };
#endif

enum {
    BUDGET = 1 << 15,
    SAMPLES = 2 * CW_SAMPLE_DATA,
    LOADS_MAX = 24,
    DEPTH = 3,       /* of expressions */
    DATA = 20000,     /* contents of in[] that are tried for one finding */
    ROWS = 64,       /* elements in a row of the table */
    ELEMENTS = 200,  /* of in[] that threads load */
    CHOICES_MAX = ELEMENTS + 2 * LOADS_MAX
};

/* An element of in[] that each thread loads: tid * by + plus, shifted right. */
struct site {
    uint32_t by, plus, shift;
};

struct program {
    uint64_t random;
    struct cw_buf text;
    uint32_t nvalues, nblocks, block;
    uint32_t open; /* the block that is being written */
    struct site site[LOADS_MAX];
    uint32_t nsites;
    bool is_shared;
};

static struct tally {
    uint32_t updates, definite, dead, silent, grounds[CW_GROUND_PROBE + 1];
} tally;

static uint32_t draw(struct program *p, uint32_t below) {
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->random >> 33) % below;
}

static void put_at(struct program *p, uint32_t v, const char *format, uint32_t a, uint32_t b) {
    cw_buf_printf(&p->text, "  %%v%u = ", v);
    cw_buf_printf(&p->text, format, a, b);
    cw_buf_putc(&p->text, '\n');
}

static uint32_t put(struct program *p, const char *format, uint32_t a, uint32_t b) {
    uint32_t v = p->nvalues++;
    put_at(p, v, format, a, b);
    return v;
}

static void open_block(struct program *p, uint32_t block) {
    cw_buf_printf(&p->text, "b%u:\n", block);
    p->open = block;
}

static void put_branch(struct program *p, uint32_t c, uint32_t yes, uint32_t no) {
    cw_buf_printf(&p->text, "  branch %%v%u, b%u, b%u\n", c, yes, no);
}

static void put_goto(struct program *p, uint32_t block) {
    cw_buf_printf(&p->text, "  goto b%u\n", block);
}

/* ---- expressions, all i32 ---- */

static uint32_t put_datum(struct program *p) {
    struct site s = {1 + draw(p, 2), draw(p, 3), draw(p, 6) == 0 ? 1 + draw(p, 5) : 0};
    if (p->nsites < LOADS_MAX)
        p->site[p->nsites++] = s;
    else
        s = p->site[draw(p, LOADS_MAX)];
    uint32_t v = put(p, "mul i32 tid.x, %u", s.by, 0);
    v = put(p, "add i32 %%v%u, %u", v, s.plus);
    v = put(p, "lshr i32 %%v%u, %u", v, s.shift);
    v = put(p, "zext i64 %%v%u", v, 0);
    v = put(p, "shl i64 %%v%u, 2", v, 0);
    v = put(p, "ptradd %%in, %%v%u", v, 0);
    return put(p, "load i32 %%v%u", v, 0);
}

static uint32_t put_leaf(struct program *p, bool is_data) {
    static const char *const leaves[] = {"add i32 tid.x, 0", "lshr i32 tid.x, 5", "and i32 tid.x, 31",
                                         "and i32 %%n, 15"};
    if (is_data)
        return put_datum(p);
    return draw(p, 3) == 0 ? put(p, "add i32 0, %u", draw(p, 9), 0) : put(p, leaves[draw(p, 4)], 0, 0);
}

static uint32_t put_expression(struct program *p, uint32_t depth, bool is_data);

static uint32_t put_condition(struct program *p) {
    static const char *const compares[] = {"slt %%v%u, %%v%u", "sgt %%v%u, %%v%u", "eq %%v%u, %%v%u",
                                           "ne %%v%u, %%v%u"};
    uint32_t left = put_expression(p, 1, draw(p, 3) != 0), right = put_expression(p, 1, draw(p, 4) == 0);
    return put(p, compares[draw(p, 4)], left, right);
}

/* `c ? a : b`, by ways. */
static uint32_t put_choice(struct program *p, uint32_t depth, bool is_data) {
    uint32_t yes = p->nblocks++, no = p->nblocks++, after = p->nblocks++, c = put_condition(p);
    put_branch(p, c, yes, no);
    open_block(p, yes);
    uint32_t a = put_expression(p, depth - 1, is_data), from_a = p->open;
    put_goto(p, after);
    open_block(p, no);
    uint32_t b = put_expression(p, depth - 1, draw(p, 2) == 0), from_b = p->open;
    put_goto(p, after);
    open_block(p, after);
    uint32_t v = p->nvalues++;
    cw_buf_printf(&p->text, "  %%v%u = phi i32 b%u: %%v%u, b%u: %%v%u\n", v, from_a, a, from_b, b);
    return v;
}

/* Two variables that change in each of a few rounds, or change places; data or an index may say how many there are, and
 * data may end them. */
static uint32_t put_loop(struct program *p, uint32_t depth, bool is_data) {
    static const char *const changes[] = {"add i32 %%v%u, %%v%u", "xor i32 %%v%u, %%v%u", "add i32 %%v%u, %%v%u",
                                          "add i32 0, %%v%u"};
    uint32_t first = put_expression(p, depth - 1, draw(p, 2) == 0), second = put_leaf(p, is_data);
    uint32_t rounds = draw(p, 3) == 0 ? put(p, "and i32 tid.x, 3", 0, 0) : put_leaf(p, draw(p, 2) == 0);
    rounds = put(p, "and i32 %%v%u, %u", rounds, draw(p, 2) ? 1 : 3);
    uint32_t header = p->nblocks++, body = p->nblocks++, latch = p->nblocks++, after = p->nblocks++, from = p->open;
    uint32_t k = p->nvalues++, x = p->nvalues++, y = p->nvalues++, next_x = p->nvalues++, next_k = p->nvalues++;
    bool changes_places = draw(p, 3) == 0;
    put_goto(p, header);
    open_block(p, header);
    cw_buf_printf(&p->text, "  %%v%u = phi i32 b%u: 0, b%u: %%v%u\n", k, from, latch, next_k);
    cw_buf_printf(&p->text, "  %%v%u = phi i32 b%u: %%v%u, b%u: %%v%u\n", x, from, first, latch, next_x);
    cw_buf_printf(&p->text, "  %%v%u = phi i32 b%u: %%v%u, b%u: %%v%u\n", y, from, second, latch,
                  changes_places ? x : second);
    put_branch(p, put(p, "slt %%v%u, %%v%u", k, rounds), body, after);
    open_block(p, body);
    uint32_t with = draw(p, 2) ? y : put_expression(p, 1, draw(p, 2) == 0);
    if (draw(p, 3) == 0) {
        uint32_t goes_on = p->nblocks++;
        put_branch(p, put_condition(p), after, goes_on);
        open_block(p, goes_on);
    }
    put_goto(p, latch);
    open_block(p, latch);
    uint32_t change = draw(p, 4);
    put_at(p, next_x, changes[change], change == 3 ? with : x, with);
    put_at(p, next_k, "add i32 %%v%u, 1", k, 0);
    put_goto(p, header);
    open_block(p, after);
    return x;
}

static uint32_t put_expression(struct program *p, uint32_t depth, bool is_data) {
    if (depth == 0 || draw(p, 4) == 0)
        return put_leaf(p, is_data);
    if (depth > 1 && draw(p, 4) == 0)
        return draw(p, 2) ? put_choice(p, depth, is_data) : put_loop(p, depth, is_data);
    uint32_t v = put_expression(p, depth - 1, is_data);
    switch (draw(p, 11)) {
    case 0: return put(p, "and i32 %%v%u, %u", v, (2u << draw(p, 5)) - 1);
    case 1: return put(p, "urem i32 %%v%u, %u", v, 2 + draw(p, 9));
    case 2: return put(p, "udiv i32 %%v%u, %u", v, 2 + draw(p, 4));
    case 3: return put(p, "mul i32 %%v%u, %u", v, 1 + draw(p, 4));
    case 4: return put(p, "shl i32 %%v%u, %u", v, draw(p, 3));
    case 5: return put(p, "lshr i32 %%v%u, %u", v, draw(p, 3));
    case 6: return put(p, "xor i32 %%v%u, %u", v, draw(p, 8));
    case 7: return put(p, "umin i32 %%v%u, %u", v, 1 + draw(p, 20));
    case 8: return put(p, "add i32 %%v%u, %u", v, draw(p, 8));
    default: return put(p, "add i32 %%v%u, %%v%u", v, put_expression(p, depth - 1, draw(p, 2) == 0));
    }
}

/* ---- statements ---- */

/* One lane of each group of equal values in its warp. */
static uint32_t put_election(struct program *p, uint32_t key) {
    uint32_t v = put(p, "match.any i32 -1, %%v%u", key, 0);
    v = put(p, "ffs i32 %%v%u", v, 0);
    v = put(p, "sub i32 %%v%u, 1", v, 0);
    return put(p, "eq laneid, %%v%u", v, 0);
}

static uint32_t put_place(struct program *p) {
    uint32_t v = put_expression(p, DEPTH, draw(p, 5) != 0);
    if (draw(p, 4) == 0) { /* rows of warps, of threads, or of other data */
        uint32_t row = put_leaf(p, draw(p, 4) == 0);
        row = put(p, "mul i32 %%v%u, %u", row, draw(p, 3) ? ROWS : 1);
        v = put(p, "add i32 %%v%u, %%v%u", v, row);
    }
    v = put(p, "zext i64 %%v%u", v, 0);
    v = put(p, "shl i64 %%v%u, 2", v, 0);
    return put(p, p->is_shared ? "ptradd $s, %%v%u" : "ptradd %%data, %%v%u", v, 0);
}

static void put_update(struct program *p, uint32_t place) {
    uint32_t old = put(p, "load i32 %%v%u", place, 0), v;
    switch (draw(p, 6)) {
    case 0: v = put(p, "or i32 %%v%u, %u", old, 1); break;
    case 1: v = put(p, "smax i32 %%v%u, %%v%u", old, put_expression(p, 1, true)); break;
    case 2: v = put(p, "mul i32 %%v%u, 3", old, 0); break;
    case 3: v = put(p, "add i32 %%v%u, %%v%u", old, put_expression(p, 1, draw(p, 2) == 0)); break;
    default: v = put(p, "add i32 %%v%u, 1", old, 0); break;
    }
    if (draw(p, 4) == 0) { /* the old value decides as well */
        uint32_t taken = p->nblocks++, after = p->nblocks++;
        uint32_t low = put(p, "and i32 %%v%u, %u", old, draw(p, 2) ? 1 : 7);
        uint32_t c = draw(p, 2) ? put(p, "slt %%v%u, %%v%u", low, put_expression(p, 1, true))
                                : put(p, "eq %%v%u, %u", low, draw(p, 2));
        put_branch(p, c, taken, after);
        open_block(p, taken);
        cw_buf_printf(&p->text, "  store %%v%u, %%v%u\n", v, place);
        put_goto(p, after);
        open_block(p, after);
        return;
    }
    cw_buf_printf(&p->text, "  store %%v%u, %%v%u\n", v, place);
}

static void put_statement(struct program *p) {
    uint32_t ends[3], n = 0;
    uint32_t key = UINT32_MAX;
    if (draw(p, 5) == 0)
        key = put_election(p, put_expression(p, 1, true));
    for (uint32_t k = draw(p, 3); k > 0 || key != UINT32_MAX; k--) {
        uint32_t arm = p->nblocks++, c = key != UINT32_MAX ? key : put_condition(p);
        ends[n++] = p->nblocks++;
        put_branch(p, c, arm, ends[n - 1]);
        open_block(p, arm);
        key = UINT32_MAX;
        if (k == 0)
            break;
    }
    put_update(p, put_place(p));
    while (n-- > 0) {
        put_goto(p, ends[n]);
        open_block(p, ends[n]);
    }
}

static void make_program(struct program *p) {
    p->block = draw(p, 3) ? 64 : 32;
    p->is_shared = draw(p, 3) == 0;
    p->nblocks = 1;
    cw_buf_printf(&p->text, "kernel @k(ptr %%in elem=4, ptr %%data elem=4, ptr %%out elem=4, i32 %%n, ptr %%sizes "
                            "elem=4) {\n  shared $s[16384] align=4 elem=4\nb0:\n");
    for (uint32_t k = 1 + draw(p, 2); k > 0; k--) {
        put_statement(p);
        if (draw(p, 3) == 0)
            cw_buf_printf(&p->text, "  barrier\n");
    }
    cw_buf_printf(&p->text, "  return\n}\n");
}

/* ---- the truth ---- */

struct subject {
    struct cw_arena *arena;
    struct cw_fn *fn;
    struct cw_uniformity *uniformity;
    struct cw_launches launches;
    struct cw_lanes *lanes[SAMPLES];
};

static struct cw_lanes *lanes_of(void *owner, uint32_t launch, uint32_t sample) {
    struct subject *s = owner;
    if (!s->lanes[sample])
        s->lanes[sample] = cw_lanes_new(s->fn, s->uniformity, &s->launches.at[launch], sample, BUDGET, s->arena);
    return s->lanes[sample];
}

/* Does the one thread load what the other one stores, in one execution of the two, with nothing that orders them? */
static bool is_lost(const struct race_reference *r, const struct cw_lost_update *u, uint32_t loads, uint32_t stores) {
    struct race_witness load = {u->update.load, loads, u->context}, store = {u->update.store, stores, u->context};
    for (uint32_t k = 0; k < r->events.n; k++) {
        const struct block_access *at = &r->events.at[k].access;
        const struct block_region *region = &r->machine.regions.at[at->region];
        if (at->ins == u->update.load && at->thread == loads &&
            race_reference_shows(r, &load, &store, region->base, at->offset, at->bytes))
            return true;
    }
    return false;
}

static uint32_t element_of(const struct site *s, uint32_t thread) {
    return (thread * s->by + s->plus) >> s->shift;
}

/* Small, below zero, or beyond the parameter n. */
static int32_t value_of(uint64_t h, int32_t size) {
    int32_t small = (int32_t)(h >> 20 & (h & 3 ? 31 : 7));
    if ((h >> 2 & 7) == 0)
        return small - 16;
    return (h >> 5 & 3) == 0 ? size + small - 4 : small;
}

static const struct race_choice *find_choice(const struct race_choice *choices, uint32_t n, uint32_t element) {
    for (uint32_t k = 0; k < n; k++)
        if (choices[k].element == element)
            return &choices[k];
    return NULL;
}

static uint32_t add_choice(struct race_choice *choices, uint32_t n, uint32_t element, int32_t value) {
    if (!find_choice(choices, n, element))
        choices[n++] = (struct race_choice){element, value};
    return n;
}

/* The data of the second thread are those of the first one, and all others are numbers that `data` chooses, or one. */
static uint32_t choose(const struct program *p, const struct cw_lost_update *u, uint64_t data,
                       struct race_choice choices[CHOICES_MAX]) {
    int32_t size = (int32_t)cw_lane_value_cell(cw_lane_value_of(u->lanes, cw_ref_of(CW_REF_PARAM, 3), NULL), 0).value;
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->nsites; k++) { /* which site comes first differs: an element is chosen once */
        const struct site *site = &p->site[(k + data / 4) % p->nsites];
        uint32_t element = element_of(site, u->first), other = element_of(site, u->second);
        int32_t value = value_of(cw_mix(data, data & 1 ? element : 0), size); /* every second time one number for all */
        n = add_choice(choices, n, element, value);
        n = add_choice(choices, n, other, find_choice(choices, n, element)->value);
    }
    if (data % 8 == 5) /* what leads no other thread anywhere */
        for (uint32_t k = 0; k < ELEMENTS; k++)
            n = add_choice(choices, n, k, value_of(cw_mix(data, ELEMENTS), size));
    return n;
}

static bool comes(const struct race_reference *r, const struct cw_lost_update *u, uint32_t thread) {
    for (uint32_t k = 0; k < r->events.n; k++)
        if (r->events.at[k].access.ins == u->update.store && r->events.at[k].access.thread == thread)
            return true;
    return false;
}

/* False when its two threads never lose an update, although each of them comes there: code that no data reach is taken
 * for code that some do. */
static bool is_shown(struct subject *s, const struct program *p, const struct cw_lost_update *u) {
    bool found = false, first_comes = false, second_comes = false;
    for (uint64_t d = 0; d < DATA && !found; d++) {
        struct race_choice choices[CHOICES_MAX];
        struct race_reference r;
        struct race_run run = {.fn = s->fn,
                               .lanes = lanes_of(s, 0, d % 5 ? u->sample : (uint32_t)(d / 5 % CW_SAMPLE_DATA)),
                               .data = d / 4,
                               .leader = d & 1 ? 1 + u->second : 1 + u->first,
                               .pause = d & 2 ? 1 + (uint32_t)(d / 4) % 12 : 0,
                               .goes_on = true,
                               .extra = UINT32_MAX,
                               .choices = choices,
                               .nchoices = d % 3 ? choose(p, u, d, choices) : 0};
        if (race_reference_run(&r, &run)) {
            found = is_lost(&r, u, u->first, u->second) || is_lost(&r, u, u->second, u->first);
            first_comes |= comes(&r, u, u->first);
            second_comes |= comes(&r, u, u->second);
        }
        race_reference_free(&r);
    }
    bool is_dead = !found && !(first_comes && second_comes);
    tally.dead += is_dead;
    return found || is_dead;
}

static void check_seed(uint64_t seed) {
    struct program p = {.random = seed * 0x9e3779b97f4a7c15u};
    struct cw_arena arena;
    const char *error = NULL;
    cw_arena_init(&arena);
    make_program(&p);
    struct cw_module *m = cw_module_parse(&arena, p.text.at, strlen(p.text.at), &error);
    if (!m)
        fprintf(stderr, "seed %llu: %s\n%s", (unsigned long long)seed, error, p.text.at);
    CHECK(m != NULL);
    if (m) {
        struct cw_launch launch = {
            .block = {p.block, 1, 1}, .grid = {1, 1, 1}, .grid_known = true, .source = CW_LAUNCH_SITE};
        struct subject s = {.arena = &arena, .fn = m->fns.at[0]};
        s.fn->is_ssa = true;
        s.fn->cfg = cw_cfg_build(s.fn);
        s.launches = (struct cw_launches){.at = &launch, .n = 1, .from_facts = true};
        s.uniformity = cw_uniformity(s.fn, cw_shape_facts_of(&s.launches), &arena);
        struct cw_kernel_query q = {s.fn, s.uniformity, &s.launches, lanes_of, &s, &arena, NULL};
        struct cw_lost_updates updates = cw_lost_updates_of(&q);
        tally.silent += updates.at.n == 0;
        for (uint32_t k = 0; k < updates.at.n; k++) {
            const struct cw_lost_update *u = &updates.at.at[k];
            bool is_true = !u->definite || is_shown(&s, &p, u);
            tally.updates++;
            tally.definite += u->definite;
            tally.grounds[u->ground] += u->definite;
            if (!is_true)
                fprintf(stderr, "seed %llu: threads %u and %u do not lose an update of %%%u and %%%u (ground %d)\n%s",
                        (unsigned long long)seed, u->first, u->second, u->update.load, u->update.store, (int)u->ground,
                        p.text.at);
            CHECK(is_true);
        }
    }
    cw_buf_free(&p.text);
    cw_arena_free(&arena);
}

int main(int argc, char **argv) {
    uint64_t from = argc > 2 ? strtoull(argv[1], NULL, 10) : 1, to = argc > 2 ? strtoull(argv[2], NULL, 10) : PROGRAMS;
    for (uint64_t seed = from; seed <= to && check_failures < 4; seed++)
        check_seed(seed);
    printf("%u updates, %u definite (one place %u, few elements %u, many data for one %u), %u that nobody was seen "
           "to do; %u programs without any\n",
           tally.updates, tally.definite, tally.grounds[CW_GROUND_ONE_PLACE], tally.grounds[CW_GROUND_FEW],
           tally.grounds[CW_GROUND_NARROWED], tally.dead, tally.silent);
    if (argc == 1) /* every answer comes often enough to mean something */
        CHECK(tally.dead < PROGRAMS / 100 && tally.silent > PROGRAMS / 10 &&
              tally.grounds[CW_GROUND_ONE_PLACE] > PROGRAMS / 100 && tally.grounds[CW_GROUND_FEW] > PROGRAMS / 20 &&
              tally.grounds[CW_GROUND_NARROWED] > PROGRAMS / 40);
    return check_report();
}
