/* Random structured kernels in SSA, and what one thread of them does when it is really run.
 *
 * For property tests of the lane evaluator and of participation: branches, switches, loops with break, continue and
 * return, on thread arithmetic, parameters and loaded data. */
#ifndef CW_TESTS_SUPPORT_LANE_KERNELS_H
#define CW_TESTS_SUPPORT_LANE_KERNELS_H

#include "support/thread_walk.h"

#include <stddef.h>
#include <stdlib.h>

enum { KERNEL_VARS = 4, KERNEL_DATA = 2, KERNEL_DEPTH = 3, RUN_STEPS = 4000 };

/* ---- a small generator of random numbers, the same everywhere ---- */

static uint64_t kernel_seed;

static uint32_t pick(uint32_t n) {
    kernel_seed = kernel_seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(kernel_seed >> 33) % n;
}

/* ---- generator ---- */

/* The variables' values where control stands; block is CW_NO_BLOCK when it has left. `datum` and `decision`: loaded
 * values and conditions from before that may be asked about again, so that conditions depend on each other. */
struct state {
    uint32_t block;
    cw_ref var[KERNEL_VARS];
    cw_ref datum[KERNEL_DATA], decision[KERNEL_DATA];
};

struct states {
    struct state at[16];
    uint32_t n;
};

struct loop_targets {
    struct states breaks, continues;
};

struct phi_sources {
    uint32_t ins, n, from[16];
};

struct generator {
    struct cw_fn *fn;
    CW_VEC(struct phi_sources) phis;
    struct state now;
    struct loop_targets *loop;
    uint32_t depth, size;
    CW_VEC(uint32_t) markers;
};

static cw_ref emit(struct generator *g, enum cw_op op, enum cw_type type, uint32_t aux, cw_ref a, cw_ref b) {
    cw_ref args[2] = {a, b};
    uint32_t n = b.tag != CW_REF_NONE ? 2 : 1;
    return cw_fn_emit(g->fn, g->now.block, op, type, aux, args, n, 0);
}

static cw_ref number(struct generator *g, int64_t v) {
    return cw_fn_const(g->fn, CW_I32, v);
}

static cw_ref random_leaf(struct generator *g) {
    static const enum cw_sreg registers[] = {CW_TID_X, CW_TID_X, CW_TID_Y, CW_LANEID, CW_CTAID_X, CW_NTID_X};
    switch (pick(5)) {
    case 0: return number(g, pick(9));
    case 1: return number(g, 1 << pick(7));
    case 2: return (cw_ref){CW_REF_SREG, registers[pick(6)]};
    case 3: return cw_ref_of(CW_REF_PARAM, pick(2));
    default: return g->now.var[pick(KERNEL_VARS)];
    }
}

/* in[index]: the last parameter is the pointer. */
static cw_ref random_load(struct generator *g, cw_ref index) {
    cw_ref masked = emit(g, CW_OP_AND, CW_I32, 0, index, number(g, 7));
    cw_ref wide = emit(g, CW_OP_SEXT, CW_I64, 0, masked, CW_NONE);
    cw_ref bytes = emit(g, CW_OP_SHL, CW_I64, 0, wide, cw_fn_const(g->fn, CW_I64, 2));
    cw_ref place = emit(g, CW_OP_PTRADD, CW_PTR, 0, cw_ref_of(CW_REF_PARAM, 2), bytes);
    return emit(g, CW_OP_LOAD, CW_I32, 4, place, CW_NONE);
}

static cw_ref random_value(struct generator *g) {
    static const enum cw_op two[] = {CW_OP_ADD, CW_OP_SUB, CW_OP_MUL,  CW_OP_AND,
                                     CW_OP_OR,  CW_OP_XOR, CW_OP_SMIN, CW_OP_UMAX};
    static const enum cw_op by_constant[] = {CW_OP_SHL, CW_OP_LSHR, CW_OP_ASHR, CW_OP_UDIV, CW_OP_SREM, CW_OP_UREM};
    cw_ref a = random_leaf(g);
    switch (pick(10)) {
    case 0: return random_load(g, a);
    case 1: return emit(g, CW_OP_PURE, CW_I32, cw_fn_add_text(g->fn, "mystery"), a, random_leaf(g));
    case 2:
    case 3: return emit(g, by_constant[pick(6)], CW_I32, 0, a, number(g, 1 + pick(5)));
    default: return emit(g, two[pick(8)], CW_I32, 0, a, random_leaf(g));
    }
}

/* Comparisons of one loaded value with several numbers, or an earlier decision once more. */
static cw_ref related_condition(struct generator *g) {
    uint32_t k = pick(KERNEL_DATA);
    if (pick(3) == 0 && g->now.decision[k].tag == CW_REF_INS)
        return g->now.decision[k];
    if (g->now.datum[k].tag != CW_REF_INS)
        g->now.datum[k] = random_load(g, random_leaf(g));
    cw_ref number_or_datum =
        pick(4) || g->now.datum[1 - k].tag != CW_REF_INS ? number(g, pick(9)) : g->now.datum[1 - k];
    bool swapped = pick(2);
    cw_ref a = swapped ? number_or_datum : g->now.datum[k], b = swapped ? g->now.datum[k] : number_or_datum;
    return g->now.decision[k] = emit(g, CW_OP_EQ + pick(10), CW_I1, 0, a, b);
}

static cw_ref random_condition(struct generator *g) {
    if (pick(4) == 0)
        return related_condition(g);
    cw_ref a = random_leaf(g);
    if (pick(5) == 0)
        a = random_load(g, a);
    cw_ref c = emit(g, CW_OP_EQ + pick(10), CW_I1, 0, a, pick(2) ? number(g, pick(40)) : random_leaf(g));
    if (pick(6) == 0)
        c = emit(g, pick(2) ? CW_OP_AND : CW_OP_OR, CW_I1, 0, c,
                 emit(g, CW_OP_ULT, CW_I1, 0, random_leaf(g), number(g, pick(40))));
    return pick(8) == 0 ? emit(g, CW_OP_XOR, CW_I1, 0, c, cw_fn_const(g->fn, CW_I1, 1)) : c;
}

static void arrive(struct states *list, struct state s) {
    if (s.block != CW_NO_BLOCK && list->n < 16)
        list->at[list->n++] = s;
}

/* What all of the list agree on, at that place of the state. */
static cw_ref common(const struct states *list, size_t place) {
    cw_ref first, other;
    memcpy(&first, (const char *)&list->at[0] + place, sizeof first);
    for (uint32_t k = 1; k < list->n; k++) {
        memcpy(&other, (const char *)&list->at[k] + place, sizeof other);
        if (!cw_ref_eq(first, other))
            return CW_NONE;
    }
    return first;
}

/* A new block that all of the list jump to; variables that differ get phis. */
static struct state join(struct generator *g, const struct states *list) {
    struct state s = {.block = CW_NO_BLOCK};
    if (list->n == 0)
        return s;
    s.block = cw_fn_add_block(g->fn);
    for (uint32_t k = 0; k < list->n; k++)
        cw_fn_jump(g->fn, list->at[k].block, s.block, 0, CW_FROM_NONE);
    for (uint32_t v = 0; v < KERNEL_VARS; v++) {
        struct phi_sources src = {.n = list->n};
        cw_ref in[16] = {CW_NONE};
        bool same = true;
        for (uint32_t k = 0; k < list->n; k++) {
            in[k] = list->at[k].var[v];
            src.from[k] = list->at[k].block;
            same &= cw_ref_eq(in[k], in[0]);
        }
        s.var[v] = same ? in[0] : cw_fn_emit(g->fn, s.block, CW_OP_PHI, CW_I32, 0, in, list->n, 0);
        src.ins = s.var[v].index;
        if (!same)
            cw_vec_push(g->fn->arena, &g->phis, src);
    }
    for (uint32_t d = 0; d < KERNEL_DATA; d++) {
        s.datum[d] = common(list, offsetof(struct state, datum) + d * sizeof(cw_ref));
        s.decision[d] = common(list, offsetof(struct state, decision) + d * sizeof(cw_ref));
    }
    return s;
}

static void statements(struct generator *g);

/* Runs the generator on one arm that begins in a fresh block. */
static struct state arm(struct generator *g, struct state from, uint32_t block) {
    g->now = from;
    g->now.block = block;
    g->depth++;
    statements(g);
    g->depth--;
    return g->now;
}

static void gen_if(struct generator *g) {
    struct state from = g->now;
    cw_ref c = random_condition(g);
    uint32_t yes = cw_fn_add_block(g->fn), no = cw_fn_add_block(g->fn);
    cw_fn_branch(g->fn, from.block, c, yes, no, 0, CW_FROM_IF);
    struct states out = {.n = 0};
    arrive(&out, arm(g, from, yes));
    if (pick(2)) {
        arrive(&out, arm(g, from, no));
    } else {
        from.block = no;
        arrive(&out, from);
    }
    g->now = join(g, &out);
}

static void gen_switch(struct generator *g) {
    struct state from = g->now;
    cw_ref v = pick(2) ? emit(g, CW_OP_AND, CW_I32, 0, random_leaf(g), number(g, 3)) : random_value(g);
    int64_t cases[2] = {pick(3), 3 + pick(3)};
    uint32_t arms[3] = {cw_fn_add_block(g->fn), cw_fn_add_block(g->fn), cw_fn_add_block(g->fn)};
    cw_fn_switch(g->fn, from.block, v, 2, cases, arms, 0);
    struct states out = {.n = 0};
    for (uint32_t k = 0; k < 3; k++)
        arrive(&out, arm(g, from, arms[k]));
    g->now = join(g, &out);
}

/* Set by tests whose loops may also end by what is computed from their counters. */
static bool has_measured_loops;

/* Something that rises with the counter, if not with each of its steps: `(3 * i + (x & 3)) / 2`. */
static cw_ref rising_measure(struct generator *g, cw_ref counter) {
    static const enum cw_op coarser[] = {CW_OP_SDIV, CW_OP_UDIV, CW_OP_LSHR, CW_OP_ASHR};
    cw_ref scaled = emit(g, CW_OP_MUL, CW_I32, 0, counter, number(g, 1 + pick(3)));
    cw_ref offset = emit(g, CW_OP_AND, CW_I32, 0, random_leaf(g), number(g, 3));
    cw_ref sum = emit(g, CW_OP_ADD, CW_I32, 0, scaled, offset);
    return pick(4) ? emit(g, coarser[pick(4)], CW_I32, 0, sum, number(g, 1 + pick(2))) : sum;
}

static cw_ref is_below_bound(struct generator *g, cw_ref measure, cw_ref bound) {
    if (pick(2))
        return emit(g, CW_OP_SLT, CW_I1, 0, measure, bound);
    cw_ref falling = emit(g, CW_OP_SUB, CW_I32, 0, number(g, 20), measure);
    return emit(g, CW_OP_SGT, CW_I1, 0, falling, emit(g, CW_OP_SUB, CW_I32, 0, number(g, 20), bound));
}

static cw_ref loop_condition(struct generator *g, cw_ref counter, cw_ref bound) {
    cw_ref c = has_measured_loops && pick(3) ? is_below_bound(g, rising_measure(g, counter), bound)
                                             : emit(g, CW_OP_SLT, CW_I1, 0, counter, bound);
    return pick(3) ? c : emit(g, CW_OP_AND, CW_I1, 0, c, random_condition(g));
}

/* Opens the header with one phi per variable and one for the counter; their operands around the loop come later. */
static void open_header(struct generator *g, uint32_t *phis) {
    struct state from = g->now;
    g->now.block = cw_fn_add_block(g->fn);
    cw_fn_jump(g->fn, from.block, g->now.block, 0, CW_FROM_NONE);
    for (uint32_t v = 0; v <= KERNEL_VARS; v++) {
        cw_ref first = v < KERNEL_VARS ? from.var[v] : number(g, 0), in[2] = {first, first};
        cw_ref phi = cw_fn_emit(g->fn, g->now.block, CW_OP_PHI, CW_I32, 0, in, 2, 0);
        phis[v] = phi.index;
        if (v < KERNEL_VARS)
            g->now.var[v] = phi;
    }
}

static void close_phis(struct generator *g, const uint32_t *phis, uint32_t entry, struct state latch, cw_ref next) {
    for (uint32_t v = 0; v <= KERNEL_VARS; v++) {
        struct cw_ins *phi = &g->fn->ins.at[phis[v]];
        if (latch.block == CW_NO_BLOCK) { /* nothing comes round */
            phi->narg = 1;
            continue;
        }
        g->fn->args.at[phi->arg + 1] = v < KERNEL_VARS ? latch.var[v] : next;
        cw_vec_push(g->fn->arena, &g->phis, ((struct phi_sources){phis[v], 2, {entry, latch.block}}));
    }
}

/* Jumps on to a fresh block when c holds, else leaves the loop with the present state. */
static void test(struct generator *g, struct loop_targets *targets, cw_ref c, uint32_t on) {
    struct state out = g->now;
    out.block = cw_fn_add_block(g->fn);
    cw_fn_branch(g->fn, g->now.block, c, on, out.block, 0, CW_FROM_NONE);
    arrive(&targets->breaks, out);
}

/* for (i = 0; i < bound && …; i++), or do … while (++i < bound && …): the counter keeps every loop short. */
static void gen_loop(struct generator *g) {
    struct loop_targets targets = {.breaks = {.n = 0}}, *outer = g->loop;
    uint32_t entry = g->now.block, phis[KERNEL_VARS + 1];
    bool at_end = pick(3) == 0;
    cw_ref bound = pick(2) ? number(g, 1 + pick(4)) : emit(g, CW_OP_AND, CW_I32, 0, random_leaf(g), number(g, 3));
    open_header(g, phis);
    uint32_t header = g->now.block, body = cw_fn_add_block(g->fn);
    cw_ref counter = cw_ref_ins(phis[KERNEL_VARS]), next = CW_NONE;
    if (at_end)
        cw_fn_jump(g->fn, header, body, 0, CW_FROM_NONE);
    else
        test(g, &targets, loop_condition(g, counter, bound), body);
    g->loop = &targets;
    arrive(&targets.continues, arm(g, g->now, body));
    g->loop = outer;
    g->now = join(g, &targets.continues);
    struct state latch = g->now;
    if (latch.block != CW_NO_BLOCK) {
        next = emit(g, CW_OP_ADD, CW_I32, 0, counter, number(g, 1));
        if (at_end)
            test(g, &targets, loop_condition(g, next, bound), header);
        else
            cw_fn_jump(g->fn, latch.block, header, 0, CW_FROM_NONE);
    }
    close_phis(g, phis, entry, latch, next);
    g->now = join(g, &targets.breaks);
}

static void gen_leave(struct generator *g) {
    uint32_t how = pick(4);
    if (how < 2 || !g->loop || g->loop->breaks.n >= 12 || g->loop->continues.n >= 12)
        cw_fn_return(g->fn, g->now.block, CW_NONE, 0);
    else
        arrive(how == 2 ? &g->loop->breaks : &g->loop->continues, g->now);
    g->now.block = CW_NO_BLOCK;
}

static void gen_marker(struct generator *g) {
    cw_ref m = emit(g, CW_OP_SYNCWARP, CW_VOID, 0, number(g, -1), CW_NONE);
    cw_vec_push(g->fn->arena, &g->markers, m.index);
}

static void statement(struct generator *g) {
    uint32_t what = pick(16);
    bool deep = g->depth >= KERNEL_DEPTH || g->size > 24;
    g->size++;
    if (what < 4 && !deep)
        gen_if(g);
    else if (what == 4 && !deep)
        gen_switch(g);
    else if (what < 8 && !deep)
        gen_loop(g);
    else if (what == 8 && g->depth > 0)
        gen_leave(g);
    else if (what < 11)
        gen_marker(g);
    else
        g->now.var[pick(KERNEL_VARS)] = random_value(g);
}

static void statements(struct generator *g) {
    for (uint32_t k = 1 + pick(4); k > 0 && g->now.block != CW_NO_BLOCK; k--)
        statement(g);
}

/* Phi operands were noted with the blocks they come from; preds have their own order. */
static void order_phis(struct generator *g) {
    for (uint32_t k = 0; k < g->phis.n; k++) {
        const struct phi_sources *src = &g->phis.at[k];
        struct cw_ins *i = &g->fn->ins.at[src->ins];
        const struct cw_vec_u32 *pred = &g->fn->blocks.at[i->block].pred;
        cw_ref in[16];
        for (uint32_t p = 0; p < pred->n; p++)
            for (uint32_t q = 0; q < src->n; q++)
                if (src->from[q] == pred->at[p])
                    in[p] = cw_arg(g->fn, i, q);
        memcpy(&g->fn->args.at[i->arg], in, pred->n * sizeof *in);
    }
}

/* kernel(i32 n, i32 m, ptr in); *markers: the __syncwarp() calls in it. */
static struct cw_fn *random_kernel(struct cw_module *m, uint64_t seed, struct cw_vec_u32 *markers) {
    struct generator g = {.fn = cw_fn_new(m, CW_FN_KERNEL, "random", "random")};
    kernel_seed = seed * 2654435761u + 99;
    cw_fn_add_param(g.fn, (struct cw_param){.name = "n", .type = CW_I32});
    cw_fn_add_param(g.fn, (struct cw_param){.name = "m", .type = CW_I32});
    cw_fn_add_param(g.fn, (struct cw_param){.name = "in", .type = CW_PTR, .pointee_bytes = 4});
    g.now.block = cw_fn_add_block(g.fn);
    for (uint32_t v = 0; v < KERNEL_VARS; v++)
        g.now.var[v] = v ? number(&g, v) : (cw_ref){CW_REF_SREG, CW_TID_X};
    for (uint32_t k = 0; k < 4 && g.now.block != CW_NO_BLOCK; k++)
        statements(&g);
    if (g.now.block != CW_NO_BLOCK)
        cw_fn_return(g.fn, g.now.block, CW_NONE, 0);
    g.fn->is_ssa = true;
    cw_fn_link_preds(g.fn);
    order_phis(&g);
    g.fn->cfg = cw_cfg_build(g.fn);
    markers->at = g.markers.at;
    markers->n = g.markers.n;
    return g.fn;
}

/* ---- running one thread ---- */

struct run {
    struct cw_fn *fn;
    struct cw_lanes *lanes; /* for parameters, registers and contexts: the same launch and sample */
    uint32_t thread;
    uint64_t data;          /* chooses the contents of in[] */
    int64_t *value;
    /* after each block's phis and after each instruction; `self` is the caller's */
    void (*enter)(struct run *, uint32_t block, const struct cw_context *);
    void (*computed)(struct run *, uint32_t ins, const struct cw_context *);
    void *self;
};

static int64_t run_value(struct run *r, cw_ref ref) {
    if (ref.tag == CW_REF_INS)
        return r->value[ref.index];
    if (ref.tag == CW_REF_CONST)
        return r->fn->consts.at[ref.index].value;
    return cw_lanes_eval(r->lanes, ref, NULL)->value[r->thread];
}

static int64_t run_mystery(int64_t a, int64_t b) {
    return (int32_t)(((uint64_t)a * 2654435761u ^ (uint64_t)b * 40503u) >> 7);
}

/* Small contents, so that comparisons go both ways. */
static int64_t run_load(const struct run *r, int64_t address) {
    return (int64_t)(((uint64_t)address * 0x9E3779B97F4A7C15ULL ^ r->data * 0xD6E8FEB86659FD93ULL) >> 40 & 7);
}

static int64_t run_ins(struct run *r, const struct cw_ins *i) {
    int64_t in[3] = {0}, out = 0;
    for (uint32_t k = 0; k < i->narg && k < 3; k++)
        in[k] = run_value(r, cw_arg(r->fn, i, k));
    switch (i->op) {
    case CW_OP_PTRADD: return in[0] + in[1];
    case CW_OP_LOAD: return run_load(r, in[0]);
    case CW_OP_PURE: return run_mystery(in[0], in[1]);
    case CW_OP_SYNCWARP:
    case CW_OP_VOTE: return 0; /* of several threads: for `computed` to put in */
    case CW_OP_SELECT: return in[0] ? in[1] : in[2];
    default:
        if (!cw_fold(i->op, cw_ref_type(r->fn, cw_arg(r->fn, i, 0)), i->type, in, &out))
            fprintf(stderr, "the generator made an undefined operation\n");
        return out;
    }
}

static void run_phis(struct run *r, uint32_t from, uint32_t to) {
    const struct cw_block *b = &r->fn->blocks.at[to];
    int64_t next[16];
    uint32_t n = 0, p = walk_operand(r->fn, from, to);
    for (; n < b->ins.n && n < 16 && r->fn->ins.at[b->ins.at[n]].op == CW_OP_PHI; n++)
        next[n] = run_value(r, cw_arg(r->fn, &r->fn->ins.at[b->ins.at[n]], p));
    for (uint32_t k = 0; k < n; k++)
        r->value[b->ins.at[k]] = next[k];
}

static void run_thread(struct run *r) {
    const struct cw_context *c = walk_context(r->fn, r->lanes, NULL, CW_NO_BLOCK, 0);
    for (uint32_t block = 0, steps = 0; block != CW_NO_BLOCK && steps < RUN_STEPS; steps++) {
        const struct cw_block *b = &r->fn->blocks.at[block];
        r->enter(r, block, c);
        for (uint32_t k = 0; k < b->ins.n; k++) {
            const struct cw_ins *i = &r->fn->ins.at[b->ins.at[k]];
            if (i->op != CW_OP_PHI)
                r->value[b->ins.at[k]] = run_ins(r, i);
            r->computed(r, b->ins.at[k], c);
        }
        bool decides = b->jump.kind == CW_JUMP_BRANCH || b->jump.kind == CW_JUMP_SWITCH;
        uint32_t to = walk_target(&b->jump, decides ? run_value(r, b->jump.value) : 0);
        if (to != CW_NO_BLOCK) {
            run_phis(r, block, to);
            c = walk_context(r->fn, r->lanes, c, block, to);
        }
        block = to;
    }
}

/* Every thread of the launch, one after the other. */
static inline void run_threads(struct run *r, struct cw_arena *a) {
    for (r->thread = 0; r->thread < cw_lanes_count(r->lanes); r->thread++) {
        r->value = CW_NEW_ARRAY(a, int64_t, r->fn->ins.n + 1);
        run_thread(r);
    }
}

/* Small blocks of every kind: less and more than a warp, one, two and three dimensions. */
static inline struct cw_launch small_launch(uint64_t seed) {
    static const uint32_t shapes[][3] = {{8, 1, 1}, {33, 1, 1}, {4, 3, 1}, {2, 2, 2}, {40, 1, 1}};
    struct cw_launch launch = {.grid = {4, 1, 1}, .grid_known = seed % 2 == 0};
    memcpy(launch.block, shapes[seed % 5], sizeof launch.block);
    return launch;
}

#endif
