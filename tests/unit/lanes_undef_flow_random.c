/* Random kernels with shuffles, against "is this garbage used?": the garbage is put into a value of some lanes, the
 * block is really run, and whoever is said to use it must do something else than before, for some input. That nothing
 * uses it proves nothing, but must not be said often when something does.
 *
 * With a number as argument, that seed alone, with words. */
#include "check.h"
#include "support/block_machine.h"
#include "support/kernel_builder.h"

#include "base/hash.h"
#include "base/str.h"
#include "lanes/undef_flow.h"
#include "lanes/bdd.h"

#include <stdlib.h>

#ifdef __OPTIMIZE__
enum { KERNELS = 3000 };
#else
enum { KERNELS = 600 };
#endif

enum { BUDGET = 60000, VARS = 4, THREADS = 40, INPUTS = 16, MORE_INPUTS = 256, QUESTIONS = 3 };

static uint64_t seed_now;
static bool verbose;
static uint64_t said_used, said_unused, missed, by_branch, by_shuffle;

static uint32_t pick(uint32_t n) {
    seed_now = seed_now * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(seed_now >> 33) % n;
}

/* ---- kernels ---- */

/* How many of a warp's lanes are surely together: collectives need all of those that have not exited. */
enum together { WARP, ALONE };

struct generator {
    struct kernel_builder b;
    cw_ref var[VARS], shared, in, out;
    uint32_t depth, size, effects;
    enum together together;
};

static cw_ref tid(void) {
    return cw_ref_of(CW_REF_SREG, CW_TID_X);
}

static cw_ref some_value(struct generator *g) {
    return kernel_get(&g->b, g->var[pick(VARS)], CW_I32);
}

static void set_some(struct generator *g, cw_ref v) {
    kernel_set(&g->b, g->var[pick(VARS)], v);
}

/* in[0], in[1] and in[2 + tid] are 0 or 1, as the input wants it. */
static cw_ref input_bit(struct generator *g) {
    uint32_t which = pick(3);
    cw_ref index = which < 2 ? kernel_int(&g->b, which) : kernel_binary(&g->b, CW_OP_ADD, tid(), kernel_int(&g->b, 2));
    cw_ref v = kernel_load(&g->b, kernel_element(&g->b, g->in, index, 4, 0), CW_I32, 4);
    return kernel_binary(&g->b, CW_OP_NE, v, kernel_int(&g->b, 0));
}

static cw_ref lane_condition(struct generator *g) {
    static const enum cw_op ops[] = {CW_OP_ULT, CW_OP_UGE, CW_OP_EQ, CW_OP_NE};
    cw_ref lane = kernel_binary(&g->b, CW_OP_AND, tid(), kernel_int(&g->b, 31));
    int64_t k = pick(3) ? pick(33) : 1u << pick(5);
    return kernel_binary(&g->b, ops[pick(4)], pick(4) ? lane : tid(), kernel_int(&g->b, k));
}

static cw_ref garbage_condition(struct generator *g) {
    cw_ref v = some_value(g);
    return pick(2) ? kernel_mystery(&g->b, CW_I1, v, kernel_int(&g->b, pick(100)))
                   : kernel_binary(&g->b, CW_OP_SLT, v, kernel_int(&g->b, 0));
}

static cw_ref condition(struct generator *g) {
    uint32_t what = pick(8);
    cw_ref c = what < 3 ? lane_condition(g) : what < 5 ? input_bit(g) : garbage_condition(g);
    if (pick(5) == 0)
        c = kernel_emit(&g->b, pick(2) ? CW_OP_AND : CW_OP_OR, CW_I1, 0, c, lane_condition(g));
    return c;
}

/* Through a mystery: whether a ballot of eight lanes is negative depends on nothing. */
static cw_ref ballot(struct generator *g) {
    cw_ref c = garbage_condition(g);
    cw_ref v = kernel_emit(&g->b, CW_OP_VOTE, CW_I32, CW_VOTE_BALLOT, kernel_int(&g->b, -1), c);
    return kernel_mystery(&g->b, CW_I32, v, kernel_int(&g->b, 3));
}

static cw_ref shuffle(struct generator *g) {
    cw_ref args[4] = {kernel_int(&g->b, -1), some_value(g), kernel_int(&g->b, 1 << pick(5)),
                      kernel_int(&g->b, pick(4) ? 32 : 8 << pick(2))};
    uint32_t mode = pick(4);
    if (mode == CW_SHFL_IDX && pick(2))
        args[2] = kernel_binary(&g->b, CW_OP_AND, kernel_mystery(&g->b, CW_I32, some_value(g), tid()),
                                kernel_int(&g->b, 7));
    return cw_fn_emit(g->b.fn, g->b.block, CW_OP_SHFL, CW_I32, mode, args, 4, 0);
}

static void assign(struct generator *g) {
    switch (pick(g->together == WARP ? 8 : 4)) {
    case 0: {
        cw_ref args[3] = {condition(g), some_value(g), some_value(g)};
        set_some(g, cw_fn_emit(g->b.fn, g->b.block, CW_OP_SELECT, CW_I32, 0, args, 3, 0));
        return;
    }
    case 1: set_some(g, kernel_binary(&g->b, CW_OP_ADD, some_value(g), some_value(g))); return;
    case 2: set_some(g, kernel_mystery(&g->b, CW_I32, some_value(g), tid())); return;
    case 3: set_some(g, kernel_mystery(&g->b, CW_I32, some_value(g), some_value(g))); return;
    case 4: set_some(g, ballot(g)); return;
    default: set_some(g, shuffle(g)); return;
    }
}

static void effect(struct generator *g) {
    cw_ref base = pick(2) ? g->out : g->shared, index = tid();
    if (pick(4) == 0)
        index = kernel_binary(&g->b, CW_OP_AND, kernel_mystery(&g->b, CW_I32, some_value(g), kernel_int(&g->b, 7)),
                              kernel_int(&g->b, 63));
    cw_ref at = kernel_element(&g->b, base, index, 4, 256 * g->effects);
    g->effects += base.tag == CW_REF_PARAM; /* each its own part of out[] */
    at = base.tag == CW_REF_PARAM ? at : kernel_element(&g->b, base, index, 4, 0);
    if (pick(5) == 0)
        set_some(g, kernel_load(&g->b, at, CW_I32, 4));
    else
        kernel_store(&g->b, some_value(g), at, 4);
}

static void statements(struct generator *g);

static void nested(struct generator *g, bool apart) {
    enum together before = g->together;
    g->together = apart ? ALONE : before;
    g->depth++;
    statements(g);
    g->depth--;
    g->together = before;
}

static void gen_if(struct generator *g) {
    uint32_t no = kernel_branch(&g->b, condition(g), CW_FROM_IF), end = cw_fn_add_block(g->b.fn);
    nested(g, true);
    kernel_goto(&g->b, end, no);
    if (pick(2))
        nested(g, true);
    kernel_goto(&g->b, end, end);
}

/* if (lane condition) return: at the top, where all that are left stay together */
static void gen_exit(struct generator *g) {
    uint32_t no = kernel_branch(&g->b, lane_condition(g), CW_FROM_IF);
    cw_fn_return(g->b.fn, g->b.block, CW_NONE, 0);
    g->b.block = no;
}

/* for (i = 16; i > 0; i >>= 1), for (i = 0; i < 3; i++), or as often as the lane says */
static void gen_loop(struct generator *g) {
    uint32_t kind = pick(3);
    cw_ref i = kernel_variable(&g->b, "i", CW_I32);
    kernel_set(&g->b, i, kernel_int(&g->b, kind == 0 ? 4 << pick(3) : 0));
    uint32_t header = cw_fn_add_block(g->b.fn);
    kernel_goto(&g->b, header, header);
    cw_ref now = kernel_get(&g->b, i, CW_I32), bound = kernel_int(&g->b, 1 + pick(3)), c;
    if (kind == 2)
        bound = kernel_binary(&g->b, CW_OP_AND, tid(), kernel_int(&g->b, 3));
    c = kind == 0 ? kernel_binary(&g->b, CW_OP_SGT, now, kernel_int(&g->b, 0))
                  : kernel_binary(&g->b, CW_OP_SLT, now, bound);
    if (kind == 2 && pick(2))
        c = kernel_emit(&g->b, CW_OP_AND, CW_I1, 0, c, garbage_condition(g));
    uint32_t out = kernel_branch(&g->b, c, CW_FROM_FOR);
    nested(g, kind == 2);
    now = kernel_get(&g->b, i, CW_I32);
    kernel_set(&g->b, i, kernel_binary(&g->b, kind == 0 ? CW_OP_ASHR : CW_OP_ADD, now, kernel_int(&g->b, 1)));
    kernel_goto(&g->b, header, out);
}

static void statements(struct generator *g) {
    for (uint32_t n = 1 + pick(4); n > 0; n--) {
        uint32_t what = pick(12);
        g->size++;
        if (what < 2 && g->depth < 3 && g->size < 20)
            gen_if(g);
        else if (what < 4 && g->depth < 2 && g->size < 20)
            gen_loop(g);
        else if (what == 4 && g->depth == 0)
            gen_exit(g);
        else if (what < 6)
            effect(g);
        else
            assign(g);
    }
}

static struct cw_fn *make_kernel(struct cw_module *m) {
    static const char *const names[VARS] = {"a", "b", "c", "d"};
    struct generator g = {.b = kernel_new(m, "random")};
    g.in = cw_fn_add_param(g.b.fn, (struct cw_param){.name = "in", .type = CW_PTR, .pointee_bytes = 4});
    g.out = cw_fn_add_param(g.b.fn, (struct cw_param){.name = "out", .type = CW_PTR, .pointee_bytes = 4});
    struct cw_object shared = {.name = "s", .key = "s", .space = CW_SPACE_SHARED, .size = 256, .element = 4};
    g.shared = cw_fn_add_object(g.b.fn, shared);
    for (uint32_t v = 0; v < VARS; v++) {
        g.var[v] = kernel_variable(&g.b, names[v], CW_I32);
        kernel_set(&g.b, g.var[v], kernel_mystery(&g.b, CW_I32, tid(), kernel_int(&g.b, v)));
    }
    for (uint32_t n = 0; n < 3; n++)
        statements(&g);
    effect(&g);
    const char *wrong = kernel_finish(&g.b);
    if (wrong)
        fprintf(stderr, "%s\n", wrong);
    CHECK(wrong == NULL);
    return g.b.fn;
}

/* ---- running ---- */

/* What one thread does at one instruction or jump, all through a run, as a hash. */
struct diary {
    uint64_t *at; /* [instruction or block][thread] */
    uint32_t n;
};

struct trial {
    struct block_machine m;
    struct cw_arena arena;
    struct cw_fn *fn;
    uint32_t ins, lanes, warp, noise; /* what is disturbed; noise 0: nothing */
    const struct cw_context *context;
    struct diary diary;
};

static void note(struct trial *t, uint32_t what, uint32_t thread, uint64_t v) {
    uint64_t *at = &t->diary.at[(size_t)what * THREADS + thread];
    *at = cw_hash(&v, sizeof v, *at + 1);
}

static int64_t after(void *self, uint32_t thread, uint32_t ins, const struct cw_context *c, int64_t value) {
    struct trial *t = self;
    const struct cw_ins *i = &t->fn->ins.at[ins];
    if (i->op == CW_OP_LOAD || i->op == CW_OP_STORE || i->op == CW_OP_SHFL || i->op == CW_OP_VOTE)
        for (uint32_t k = 0; k < i->narg; k++) {
            cw_ref r = cw_arg(t->fn, i, k);
            note(t, ins, thread, r.tag == CW_REF_INS ? (uint64_t)t->m.thread[thread].value[r.index] : 0);
        }
    if (i->op == CW_OP_SHFL) /* so that no other value is the same by chance: a lane may read its own */
        value = (int32_t)cw_hash(&value, sizeof value, ins);
    bool here = t->noise && ins == t->ins && c == t->context && thread / 32 == t->warp && (t->lanes >> thread % 32 & 1);
    uint64_t h[2] = {thread, t->noise};
    return here ? (int32_t)(value ^ (int64_t)cw_hash(h, sizeof h, 7)) : value;
}

static void jumped(void *self, uint32_t thread, uint32_t block, uint32_t to) {
    struct trial *t = self;
    note(t, t->fn->ins.n + block, thread, to);
}

static void put_input(struct block_machine *m, cw_ref in, uint64_t input) {
    int32_t *at = (int32_t *)(void *)block_machine_region(m, in)->bytes;
    for (uint32_t k = 0; k < 2 + THREADS; k++) {
        uint64_t pair[2] = {k, input};
        uint32_t patterns[4] = {0, 1, k & 1, ~k & 1};
        at[k] = k < 2 ? (int32_t)(input >> k & 1) : (int32_t)patterns[input >> 2 & 3];
        if (input >= INPUTS)
            at[k] = (int32_t)(cw_hash(pair, sizeof pair, 3) >> 13 & 1);
    }
    struct block_region *out = block_machine_region(m, cw_ref_of(CW_REF_PARAM, 1));
    block_machine_noise(out->bytes, out->size, input);
    m->seed = input;
}

static bool run_trial(struct trial *t, struct cw_fn *fn, struct cw_lanes *lanes, uint64_t input) {
    cw_arena_init(&t->arena);
    t->fn = fn;
    block_machine_init(&t->m, fn, lanes, &t->arena);
    t->m.self = t;
    t->m.computed = after;
    t->m.jumped = jumped;
    t->diary.n = (fn->ins.n + fn->blocks.n) * THREADS;
    t->diary.at = CW_NEW_ARRAY(&t->arena, uint64_t, t->diary.n);
    put_input(&t->m, cw_ref_of(CW_REF_PARAM, 0), input);
    return block_machine_run(&t->m);
}

/* ---- questions ---- */

struct question {
    struct cw_fn *fn;
    struct cw_lanes *lanes;
    uint32_t ins, warp, who;
    const struct cw_context *context;
    bool used;
    struct cw_use use;
    uint32_t shown; /* lanes of the use that were seen to differ */
    bool differs;   /* some effect did */
};

/* Which lane a shuffle reads is looked at by others too: that alone is a use. */
static bool is_effect(const struct cw_fn *fn, uint32_t what, uint32_t use) {
    if (what >= fn->ins.n)
        return false;
    const struct cw_ins *i = &fn->ins.at[what];
    return i->op == CW_OP_STORE || i->op == CW_OP_LOAD || (what == use && i->op == CW_OP_SHFL);
}

static void compare(struct question *q, const struct trial *a, const struct trial *b) {
    uint32_t where = q->use.ins == UINT32_MAX ? q->fn->ins.n + q->use.block : q->use.ins;
    uint32_t use = q->used ? q->use.ins : UINT32_MAX;
    for (uint32_t k = 0; k < a->diary.n; k++)
        q->differs |= a->diary.at[k] != b->diary.at[k] && is_effect(q->fn, k / THREADS, use);
    for (uint32_t lane = 0; lane < 32 && q->used; lane++) {
        size_t at = (size_t)where * THREADS + q->warp * 32 + lane;
        if ((q->use.lanes >> lane & 1) && a->diary.at[at] != b->diary.at[at])
            q->shown |= 1u << lane;
    }
}

/* Runs the kernel with and without the garbage. False when the kernel cannot be run. */
static bool disturb(struct question *q, uint64_t input) {
    struct trial plain = {.noise = 0}, noisy = {.ins = q->ins, .lanes = q->who, .warp = q->warp};
    noisy.noise = (uint32_t)input + 1;
    noisy.context = q->context;
    bool fine = run_trial(&plain, q->fn, q->lanes, input) && run_trial(&noisy, q->fn, q->lanes, input);
    if (fine)
        compare(q, &plain, &noisy);
    cw_arena_free(&plain.arena);
    cw_arena_free(&noisy.arena);
    return fine;
}

static void explain(const struct question *q, uint64_t seed) {
    fprintf(stderr, "seed %llu: garbage in %%%u, lanes %08x of warp %u, iteration %d: used at ",
            (unsigned long long)seed, q->ins, q->who, q->warp, q->context ? (int)q->context->iteration : -1);
    if (q->use.ins == UINT32_MAX)
        fprintf(stderr, "the end of b%u", q->use.block);
    else
        fprintf(stderr, "instruction %u of b%u", q->use.ins, q->use.block);
    fprintf(stderr, " by lanes %08x; seen: %08x%s\n", q->use.lanes, q->shown, q->differs ? "" : ", no effect");
}

static void ask(struct question *q, struct cw_undef_flow *demand, uint64_t seed) {
    uint32_t when[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        when[lane] = q->who >> lane & 1 ? CW_BDD_TRUE : CW_BDD_FALSE;
    q->used = cw_undef_flow_used(demand, q->warp, q->ins, q->context, when, &q->use);
    uint64_t tries = q->used ? MORE_INPUTS : 4;
    for (uint64_t input = 0; input < tries && (!q->used || !q->differs || q->shown != q->use.lanes); input++)
        if (!disturb(q, input))
            return;
    said_used += q->used;
    said_unused += !q->used && !q->differs;
    missed += !q->used && q->differs;
    by_branch += q->used && q->use.ins == UINT32_MAX;
    if (verbose || (q->used && (!q->differs || q->shown != q->use.lanes)))
        explain(q, seed);
    CHECK(!q->used || (q->differs && q->shown == q->use.lanes));
}

/* Only what any bits may be in: a number that is compared with 27 would hardly ever be hit. */
static bool is_variable(const struct cw_ins *i) {
    return i->name && strlen(i->name) == 1 && i->name[0] != 'i';
}

/* A value that surely all of some lanes hold. */
static bool choose(struct question *q) {
    uint32_t threads = cw_lanes_count(q->lanes);
    q->ins = pick(q->fn->ins.n);
    const struct cw_ins *i = &q->fn->ins.at[q->ins];
    if (i->op == CW_OP_HOLE || i->type != CW_I32 || !is_variable(i) || q->fn->cfg->rpo_index[i->block] == CW_NO_BLOCK)
        return false;
    q->context = cw_lanes_first(q->lanes, i->block);
    if (q->context && pick(2))
        q->context = cw_lanes_context(q->lanes, q->context->outer, q->context->loop, 1 + pick(2));
    const uint8_t *reach = cw_lanes_reach(q->lanes, i->block, q->context);
    q->warp = pick(threads > 32 ? 2 : 1);
    uint32_t only = pick(2) ? ~0u : pick(2) ? 1u << pick(32) : 0xffffu << pick(17);
    q->who = 0;
    for (uint32_t lane = 0; lane < 32 && q->warp * 32 + lane < threads; lane++)
        if (reach[q->warp * 32 + lane] == CW_REACH_YES)
            q->who |= only & 1u << lane;
    by_shuffle += q->who && i->op == CW_OP_SHFL;
    return q->who != 0;
}

static void check_kernel(uint64_t seed) {
    struct cw_arena arena;
    struct cw_module m;
    cw_arena_init(&arena);
    cw_module_init(&m, &arena);
    seed_now = seed * 2654435761u + 17;
    struct cw_fn *fn = make_kernel(&m);
    if (verbose) {
        struct cw_buf text = {0};
        cw_fn_print(fn, &text);
        fputs(text.at, stderr);
        cw_buf_free(&text);
    }
    struct cw_launch launch = {.block = {THREADS, 1, 1}, .grid = {4, 1, 1}, .grid_known = true};
    struct cw_launches launches = {.at = &launch, .n = 1, .from_facts = true};
    struct cw_uniformity *uniformity = cw_uniformity(fn, cw_shape_facts_of(&launches), &arena);
    struct cw_lanes *lanes = cw_lanes_new(fn, uniformity, &launch, 0, BUDGET, &arena);
    struct cw_undef_flow *demand = cw_undef_flow_new(lanes, &arena);
    for (uint32_t asked = 0, tries = 0; asked < QUESTIONS && tries < 40; tries++) {
        struct question q = {.fn = fn, .lanes = lanes};
        if (!choose(&q))
            continue;
        ask(&q, demand, seed);
        asked++;
    }
    cw_arena_free(&arena);
}

int main(int argc, char **argv) {
    verbose = argc > 1;
    if (verbose)
        check_kernel(strtoull(argv[1], NULL, 10));
    for (uint64_t seed = 1; !verbose && seed <= KERNELS; seed++)
        check_kernel(seed);
    printf("%llu used (%llu decide a branch), %llu unused, %llu missed; %llu results of shuffles\n",
           (unsigned long long)said_used, (unsigned long long)by_branch, (unsigned long long)said_unused,
           (unsigned long long)missed, (unsigned long long)by_shuffle);
    CHECK(verbose || (said_used > KERNELS && said_unused > KERNELS / 4));
    CHECK(verbose || (by_branch > KERNELS / 20 && by_shuffle > KERNELS / 6));
    CHECK(verbose || missed * 5 < said_used); /* behind branches that nobody can decide */
    return check_report();
}
