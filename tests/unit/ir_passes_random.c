/* Random structured programs do the same before and after every pass, in the reference interpreter.
 *
 * A program is a kernel and device functions with locals in memory, as front ends lower them: scalars, structs, a
 * parameter of class type, an array indexed by constants and by variables, a pointer variable, references as
 * parameters; branches, loops with break and continue, switches, early returns, calls, shared memory, barriers and
 * collectives. Fixed seeds. */
#include "check.h"
#include "support/ir_machine.h"

#include <inttypes.h>
#include <stdlib.h>

enum { VARS = 5, FUNCTIONS = 3, PROGRAMS = 400, RUNS = 3 };

struct gen {
    uint64_t random;
    struct cw_module *module;
    struct cw_fn *fns[FUNCTIONS + 1];
    uint32_t nfns;
    struct cw_fn *fn;
    uint32_t block;
    bool open; /* the block has no jump yet */
    cw_ref var[VARS], pair[2], array, pointer, flag, mixed, shared;
    cw_ref ints[2], cell, out; /* parameters */
    uint32_t brk, cont;        /* blocks of the innermost loop; 0: none */
    int depth, budget;
    bool recurs; /* device functions call themselves */
};

static uint32_t pick(struct gen *g, uint32_t n) {
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->random >> 33) % n;
}

static cw_ref emit(struct gen *g, enum cw_op op, enum cw_type t, uint32_t aux, const cw_ref *args, uint32_t n) {
    return cw_fn_emit(g->fn, g->block, op, t, aux, args, n, 0);
}

static cw_ref emit1(struct gen *g, enum cw_op op, enum cw_type t, uint32_t aux, cw_ref a) {
    return emit(g, op, t, aux, &a, 1);
}

static cw_ref emit2(struct gen *g, enum cw_op op, enum cw_type t, cw_ref a, cw_ref b) {
    cw_ref args[] = {a, b};
    return emit(g, op, t, 0, args, 2);
}

static cw_ref i32(struct gen *g, int64_t v) {
    return cw_fn_const(g->fn, CW_I32, v);
}

static cw_ref at(struct gen *g, cw_ref base, int64_t bytes) {
    return bytes ? emit2(g, CW_OP_PTRADD, CW_PTR, base, cw_fn_const(g->fn, CW_I64, bytes)) : base;
}

static cw_ref load(struct gen *g, cw_ref from, enum cw_type t) {
    return emit1(g, CW_OP_LOAD, t, cw_type_bytes(t), from);
}

static void store(struct gen *g, cw_ref v, cw_ref to) {
    cw_ref args[] = {v, to};
    emit(g, CW_OP_STORE, CW_VOID, cw_type_bytes(cw_ref_type(g->fn, v)), args, 2);
}

static cw_ref expr(struct gen *g, int depth);

static cw_ref truth(struct gen *g, int depth) {
    enum cw_op op = (enum cw_op)(CW_OP_EQ + pick(g, 10));
    cw_ref a = expr(g, depth), b = pick(g, 2) ? i32(g, (int64_t)pick(g, 4) - 1) : expr(g, depth);
    cw_ref c = emit2(g, op, CW_I1, a, b);
    return pick(g, 5) ? c : emit1(g, CW_OP_NOT, CW_I1, 0, c);
}

/* base + 4 * (e & mask): an index only the run knows. */
static cw_ref element(struct gen *g, cw_ref base, int64_t mask, int depth) {
    cw_ref index = emit2(g, CW_OP_AND, CW_I32, expr(g, depth), i32(g, mask));
    cw_ref bytes = emit2(g, CW_OP_MUL, CW_I64, emit1(g, CW_OP_SEXT, CW_I64, 0, index), cw_fn_const(g->fn, CW_I64, 4));
    return emit2(g, CW_OP_PTRADD, CW_PTR, base, bytes);
}

/* The address of some i32. */
static cw_ref place(struct gen *g, int depth) {
    switch (pick(g, 9)) {
    case 0: return at(g, g->array, 4 * pick(g, 4));
    case 1: return pick(g, 4) ? at(g, g->array, 4 * pick(g, 4)) : element(g, g->array, 3, depth);
    case 2: return at(g, g->pair[pick(g, 2)], 4 * pick(g, 2));
    case 3: return element(g, g->shared, 15, depth);
    case 4: return load(g, g->pointer, CW_PTR);
    case 5: return g->cell;
    default: return g->var[pick(g, VARS)];
    }
}

static cw_ref leaf(struct gen *g) {
    static const int64_t corners[] = {0, 1, -1, 2, 31, 32, 7, INT32_MAX, INT32_MIN, 255};
    switch (pick(g, 6)) {
    case 0: return i32(g, corners[pick(g, 10)]);
    case 1: return i32(g, pick(g, 100));
    case 2: return g->ints[pick(g, 2)];
    case 3: return cw_ref_of(CW_REF_SREG, pick(g, CW_NSREGS));
    default: return load(g, g->var[pick(g, VARS)], CW_I32);
    }
}

static cw_ref wide(struct gen *g, int depth) {
    cw_ref x = emit1(g, pick(g, 2) ? CW_OP_SEXT : CW_OP_ZEXT, CW_I64, 0, expr(g, depth));
    enum cw_op ops[] = {CW_OP_ADD, CW_OP_MUL, CW_OP_XOR, CW_OP_SHL, CW_OP_LSHR};
    cw_ref y = pick(g, 2) ? cw_fn_const(g->fn, CW_I64, pick(g, 9)) : load(g, at(g, g->pair[pick(g, 2)], 8), CW_I64);
    return emit2(g, ops[pick(g, 5)], CW_I64, x, y);
}

/* Floats, bools and bytes that change their type in memory; parts of words, and words over several fields. */
static cw_ref odd(struct gen *g, int depth) {
    cw_ref f, args[2];
    switch (pick(g, 6)) {
    case 4: return emit1(g, CW_OP_SEXT, CW_I32, 0, load(g, at(g, g->pair[pick(g, 2)], pick(g, 16)), CW_I8));
    case 5: return emit1(g, CW_OP_TRUNC, CW_I32, 0, load(g, at(g, g->pair[pick(g, 2)], 4 * pick(g, 2)), CW_I64));
    case 0:
        store(g, expr(g, depth), g->mixed);
        f = load(g, g->mixed, CW_F32);
        args[0] = emit1(g, CW_OP_PURE, CW_F32, cw_fn_add_text(g->fn, "sqrt"), f);
        args[1] = cw_fn_const(g->fn, CW_F32, 0x3ff0000000000000);
        return emit(g, CW_OP_PURE, CW_I32, cw_fn_add_text(g->fn, "f32 < f32"), args, 2);
    case 1:
        store(g, truth(g, depth), g->flag);
        return emit1(g, CW_OP_ZEXT, CW_I32, 0, load(g, g->flag, CW_I8));
    case 2: return emit1(g, CW_OP_OPAQUE, CW_I32, CW_BAIL_TEXTURE, expr(g, depth));
    default: return emit1(g, CW_OP_SEXT, CW_I32, 0, emit1(g, CW_OP_TRUNC, CW_I8, 0, expr(g, depth)));
    }
}

static cw_ref expr(struct gen *g, int depth) {
    static const enum cw_op unary[] = {CW_OP_NEG, CW_OP_NOT, CW_OP_ABS, CW_OP_POPC, CW_OP_CLZ, CW_OP_BREV};
    cw_ref args[3];
    if (depth <= 0)
        return leaf(g);
    switch (pick(g, 11)) {
    case 0: return emit1(g, CW_OP_ZEXT, CW_I32, 0, truth(g, depth - 1));
    case 1: return emit1(g, CW_OP_TRUNC, CW_I32, 0, wide(g, depth - 1));
    case 2: return load(g, place(g, depth - 1), CW_I32);
    case 3: return odd(g, depth - 1);
    case 4:
        args[0] = truth(g, depth - 1);
        args[1] = expr(g, depth - 1);
        args[2] = expr(g, depth - 1);
        return emit(g, CW_OP_SELECT, CW_I32, 0, args, 3);
    case 5: return emit1(g, unary[pick(g, 6)], CW_I32, 0, expr(g, depth - 1));
    default: {
        enum cw_op op = (enum cw_op)(CW_OP_ADD + pick(g, CW_OP_UMAX - CW_OP_ADD + 1));
        op = cw_op_operands(op) == 2 ? op : CW_OP_ADD;
        args[0] = expr(g, depth - 1);
        args[1] = pick(g, 2) ? leaf(g) : expr(g, depth - 1);
        return emit2(g, op, CW_I32, args[0], args[1]);
    }
    }
}

/* ---- statements ---- */

static void stmts(struct gen *g, int n);

static uint32_t new_block(struct gen *g) {
    return cw_fn_add_block(g->fn);
}

static void go_on(struct gen *g, uint32_t block) {
    g->block = block;
    g->open = true;
}

static void jump(struct gen *g, uint32_t to) {
    if (g->open)
        cw_fn_jump(g->fn, g->block, to, 0, CW_FROM_NONE);
    g->open = false;
}

static void if_stmt(struct gen *g) {
    uint32_t yes = new_block(g), no = new_block(g), end = new_block(g);
    cw_ref c = pick(g, 8) ? truth(g, 1) : cw_fn_const(g->fn, CW_I1, pick(g, 2));
    cw_fn_branch(g->fn, g->block, c, yes, no, 0, CW_FROM_IF);
    go_on(g, yes);
    stmts(g, 3);
    jump(g, end);
    go_on(g, no);
    if (pick(g, 2))
        stmts(g, 2);
    jump(g, end);
    go_on(g, end);
}

static void loop_stmt(struct gen *g) {
    cw_ref counter = cw_fn_add_object(g->fn, (struct cw_object){.name = "k", .space = CW_SPACE_LOCAL, .size = 4});
    uint32_t head = new_block(g), body = new_block(g), step = new_block(g), end = new_block(g);
    uint32_t brk = g->brk, cont = g->cont;
    store(g, i32(g, 0), counter);
    jump(g, head);
    go_on(g, head);
    cw_ref more = emit2(g, CW_OP_SLT, CW_I1, load(g, counter, CW_I32), i32(g, 1 + pick(g, 3)));
    cw_fn_branch(g->fn, head, more, body, end, 0, CW_FROM_FOR);
    go_on(g, body);
    g->brk = end;
    g->cont = step;
    stmts(g, 4);
    jump(g, step);
    go_on(g, step);
    store(g, emit2(g, CW_OP_ADD, CW_I32, load(g, counter, CW_I32), i32(g, 1)), counter);
    jump(g, head);
    g->brk = brk;
    g->cont = cont;
    go_on(g, end);
}

static void switch_stmt(struct gen *g) {
    uint32_t succ[4], end = new_block(g);
    int64_t cases[] = {0, 1, -1};
    for (int k = 0; k < 4; k++)
        succ[k] = k == 2 ? succ[pick(g, 2)] : k == 3 && pick(g, 2) ? end : new_block(g);
    cw_fn_switch(g->fn, g->block, emit2(g, CW_OP_SREM, CW_I32, expr(g, 1), i32(g, 3)), 3, cases, succ, 0);
    for (int k = 0; k < 4; k++) {
        if (k == 2 || succ[k] == end)
            continue;
        go_on(g, succ[k]);
        stmts(g, 2);
        jump(g, k == 0 && pick(g, 2) ? succ[1] : end); /* falls through */
    }
    go_on(g, end);
}

static void call_stmt(struct gen *g) {
    if (g->nfns == 0)
        return;
    const struct cw_fn *callee = g->fns[pick(g, g->nfns)];
    cw_ref args[] = {expr(g, 1), expr(g, 1), place(g, 1), pick(g, 2) ? g->out : g->shared};
    cw_ref r = emit(g, CW_OP_CALL, callee->result, cw_fn_add_callee(g->fn, callee->key), args, 4);
    store(g, r, g->var[pick(g, VARS)]);
}

static void copy_stmt(struct gen *g) {
    cw_ref a = g->pair[pick(g, 2)], b = g->pair[pick(g, 2)], zero = cw_fn_const(g->fn, CW_I8, pick(g, 2) ? 0 : 0x5a);
    cw_ref copies[][2] = {{a, b}, {a, g->out}, {g->shared, a}, {a, g->shared}, {g->array, g->shared}, {a, zero}};
    uint32_t which = pick(g, 6);
    bool part = which == 0 && pick(g, 4) == 0;
    cw_ref args[] = {part ? at(g, copies[which][0], 8 * pick(g, 2)) : copies[which][0], copies[which][1]};
    emit(g, which == 5 ? CW_OP_MEMSET : CW_OP_MEMCOPY, CW_VOID, part ? 8 : 16, args, 2);
}

static void effect_stmt(struct gen *g) {
    cw_ref zero = i32(g, 0), full = i32(g, -1);
    cw_ref barrier[] = {zero, zero, cw_fn_undef(CW_I32)};
    cw_ref shfl[] = {full, expr(g, 1), expr(g, 0), i32(g, 32)};
    cw_ref atomic[] = {element(g, g->out, 15, 1), expr(g, 1)};
    switch (pick(g, 4)) {
    case 0: emit(g, CW_OP_BARRIER, CW_VOID, CW_BARRIER_SYNC, barrier, 3); return;
    case 1: store(g, emit(g, CW_OP_SHFL, CW_I32, CW_SHFL_DOWN, shfl, 4), g->var[pick(g, VARS)]); return;
    case 2: emit(g, CW_OP_ATOMIC, CW_I32, CW_ATOMIC_ADD | CW_SCOPE_DEVICE << 8, atomic, 2); return;
    default: store(g, expr(g, 2), element(g, g->out, 15, 1)); return;
    }
}

/* A struct as one value. */
static void whole_stmt(struct gen *g) {
    cw_ref from[] = {g->pair[pick(g, 2)], g->shared, g->out}, to[] = {g->pair[pick(g, 2)], g->shared, g->array};
    cw_ref args[] = {emit1(g, CW_OP_LOAD, CW_AGG, 16, from[pick(g, 3)]), to[pick(g, 3)]};
    emit(g, CW_OP_STORE, CW_VOID, 16, args, 2);
}

static void leave_stmt(struct gen *g) {
    uint32_t gone = new_block(g), rest = new_block(g);
    cw_fn_branch(g->fn, g->block, truth(g, 1), gone, rest, 0, CW_FROM_IF);
    go_on(g, gone);
    if (g->brk && pick(g, 4))
        jump(g, pick(g, 2) ? g->brk : g->cont);
    else
        cw_fn_return(g->fn, g->block, g->fn->result == CW_VOID ? CW_NONE : expr(g, 1), 0);
    go_on(g, rest);
}

static void stmt(struct gen *g) {
    bool nest = g->depth < 3;
    switch (pick(g, 15)) {
    case 0: case 1: if (nest) { if_stmt(g); return; } break;
    case 2: if (nest) { loop_stmt(g); return; } break;
    case 3: if (nest) { switch_stmt(g); return; } break;
    case 4: call_stmt(g); return;
    case 5: copy_stmt(g); return;
    case 6: effect_stmt(g); return;
    case 7: leave_stmt(g); return;
    case 8: store(g, pick(g, 2) ? g->var[pick(g, VARS)] : place(g, 1), g->pointer); return;
    case 9: store(g, wide(g, 1), at(g, g->pair[pick(g, 2)], pick(g, 4) ? 8 : 0)); return;
    case 10: whole_stmt(g); return;
    default: break;
    }
    store(g, expr(g, 2), place(g, 1));
}

static void stmts(struct gen *g, int n) {
    g->depth++;
    for (int k = 0; k < n && g->budget > 0; k++, g->budget--)
        stmt(g);
    g->depth--;
}

static cw_ref local(struct gen *g, const char *name, uint64_t size) {
    return cw_fn_add_object(g->fn, (struct cw_object){.name = name, .space = CW_SPACE_LOCAL, .size = size});
}

static void declare(struct gen *g) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (int k = 0; k < VARS; k++) {
        g->var[k] = local(g, names[k], 4);
        store(g, k < 2 ? g->ints[k] : i32(g, k), g->var[k]);
    }
    for (int k = 0; k < 2; k++) {
        g->pair[k] = local(g, k ? "q" : "p", 16);
        if (k == 1 && g->fn->kind == CW_FN_KERNEL && pick(g, 2)) { /* a parameter that statements write */
            g->fn->objects.at[g->pair[k].index].space = CW_SPACE_PARAM;
            continue;
        }
        cw_ref args[] = {g->pair[k], cw_fn_const(g->fn, CW_I8, 0)};
        emit(g, CW_OP_MEMSET, CW_VOID, 16, args, 2);
    }
    g->array = local(g, "array", 16);
    for (int k = 0; k < 4; k++)
        store(g, i32(g, 10 * k), at(g, g->array, 4 * k));
    g->pointer = local(g, "pointer", 8);
    store(g, g->var[0], g->pointer);
    g->flag = local(g, "flag", 1);
    g->mixed = local(g, "mixed", 4);
    struct cw_object tile = {.name = "tile", .key = "tile", .space = CW_SPACE_SHARED, .size = 64};
    g->shared = cw_fn_add_object(g->fn, tile);
}

/* `if (x < 6u) return self(x - 1, …)`, as a tail call unless what the call returns is changed, or an argument leads
 * to a local variable. */
static void recursion(struct gen *g) {
    uint32_t again = new_block(g), end = new_block(g);
    cw_fn_branch(g->fn, g->block, emit2(g, CW_OP_ULT, CW_I1, g->ints[0], i32(g, 6)), again, end, 0, CW_FROM_IF);
    go_on(g, again);
    cw_ref less = emit2(g, CW_OP_SUB, CW_I32, g->ints[0], i32(g, 1));
    cw_ref args[] = {less, pick(g, 3) ? expr(g, 1) : g->ints[1], pick(g, 4) ? g->cell : place(g, 1),
                     pick(g, 4) ? g->out : g->shared};
    cw_ref r = emit(g, CW_OP_CALL, CW_I32, cw_fn_add_callee(g->fn, g->fn->key), args, 4);
    if (pick(g, 2)) { /* through a variable, as `?:` does; not always the one that is returned */
        store(g, r, g->var[pick(g, VARS)]);
        jump(g, again = new_block(g));
        go_on(g, again);
        r = pick(g, 6) ? load(g, g->var[0], CW_I32) : r;
    }
    cw_fn_return(g->fn, g->block, pick(g, 6) ? r : emit2(g, CW_OP_ADD, CW_I32, r, expr(g, 1)), 0);
    go_on(g, end);
}

static void function(struct gen *g, enum cw_fn_kind kind, const char *name, int budget) {
    g->fn = cw_fn_new(g->module, kind, name, name);
    g->fn->result = kind == CW_FN_KERNEL ? CW_VOID : CW_I32;
    g->ints[0] = cw_fn_add_param(g->fn, (struct cw_param){.name = "x", .type = CW_I32});
    g->ints[1] = cw_fn_add_param(g->fn, (struct cw_param){.name = "y", .type = CW_I32});
    g->cell = cw_fn_add_param(g->fn, (struct cw_param){.name = "cell", .type = CW_PTR});
    g->out = cw_fn_add_param(g->fn, (struct cw_param){.name = "out", .type = CW_PTR});
    g->brk = g->cont = 0;
    g->depth = 0;
    g->budget = budget;
    go_on(g, new_block(g));
    declare(g);
    stmts(g, budget);
    if (g->open && g->recurs && kind == CW_FN_DEVICE)
        recursion(g);
    if (g->open)
        cw_fn_return(g->fn, g->block, kind == CW_FN_KERNEL ? CW_NONE : expr(g, 1), 0);
    cw_fn_link_preds(g->fn);
}

static struct cw_fn *program(struct gen *g, struct cw_arena *a, uint64_t seed, bool recurs) {
    static const char *const names[] = {"f", "g", "h"};
    *g = (struct gen){.random = seed * 0x9e3779b97f4a7c15u + 1, .recurs = recurs};
    g->module = CW_NEW(a, struct cw_module);
    cw_module_init(g->module, a);
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        function(g, CW_FN_DEVICE, names[k], 7);
        g->fns[g->nfns++] = g->fn;
    }
    function(g, CW_FN_KERNEL, "kernel", 16);
    return g->fn;
}

/* ---- comparison ---- */

struct outcome {
    const char *log, *failed;
    uint64_t steps;
};

static struct outcome run(struct cw_arena *a, const struct cw_module *m, const struct cw_fn *fn, uint64_t seed) {
    struct machine in;
    machine_init(&in, a, m);
    struct gen r = {.random = seed};
    for (int s = 0; s < CW_NSREGS; s++)
        in.sreg[s] = pick(&r, 40);
    int64_t cell = machine_memory(&in, "cell", 64), out = machine_memory(&in, "out", 64);
    int64_t args[] = {(int64_t)pick(&r, 20) - 5, (int32_t)(pick(&r, 1u << 30) * 5u), cell, out}, result;
    machine_run(&in, fn, args, 4, &result);
    struct outcome o = {cw_arena_strndup(a, in.log.at ? in.log.at : "", in.log.n), in.failed, in.steps};
    machine_free(&in);
    return o;
}

static uint64_t decided, undecided, steps_before, steps_after;

static void compare(struct cw_arena *a, const struct cw_fn *before, const struct cw_fn *after, const char *stage,
                    uint64_t seed) {
    const char *wrong = cw_fn_verify(after);
    CHECK_STR(wrong ? wrong : "well-formed", "well-formed");
    for (uint64_t r = 0; r < RUNS && !wrong; r++) {
        struct outcome x = run(a, before->module, before, seed * 100 + r),
                       y = run(a, after->module, after, seed * 100 + r);
        if (x.failed && strcmp(x.failed, "trap") != 0) {
            undecided++;
            continue;
        }
        decided++;
        steps_before += x.steps;
        steps_after += y.steps;
        CHECK_STR(y.failed ? y.failed : "ended", x.failed ? x.failed : "ended");
        bool same = strcmp(x.log, y.log) == 0;
        CHECK(same);
        if (!same) {
            fprintf(stderr, "seed %" PRIu64 ", run %" PRIu64 ", after %s\n", seed, r, stage);
            return;
        }
    }
}

static const struct cw_fn *reread(struct cw_arena *a, const struct cw_fn *fn) {
    struct cw_buf text = {0}, again = {0};
    cw_fn_print(fn, &text);
    const char *error = NULL;
    struct cw_module *m = cw_module_parse(a, text.at, text.n, &error);
    CHECK_STR(error ? error : "fine", "fine");
    if (m)
        cw_fn_print(m->fns.at[0], &again);
    CHECK_STR(again.at, text.at);
    cw_buf_free(&text);
    cw_buf_free(&again);
    return m ? m->fns.at[0] : fn;
}

static void test_program(uint64_t seed) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct gen g;
    const struct cw_fn *kernel = program(&g, &a, seed, false);
    struct cw_fn *inlined = cw_inline(kernel, &a, 100000);
    compare(&a, kernel, inlined, "inline", seed);
    struct cw_fn *promoted = cw_inline(kernel, &a, 100000);
    cw_promote(promoted);
    compare(&a, kernel, promoted, "inline, promote", seed);
    struct cw_fn *simple = cw_inline(kernel, &a, 100000);
    cw_simplify(simple);
    compare(&a, kernel, simple, "inline, simplify", seed);
    struct cw_fn *best = cw_inline(kernel, &a, 100000);
    cw_optimize(best);
    compare(&a, kernel, best, "inline, optimize", seed);
    compare(&a, kernel, reread(&a, best), "printing and reading", seed);
    struct cw_fn *condensed = cw_inline_condensed(kernel, &a, 100000);
    compare(&a, kernel, condensed, "inline condensed", seed);
    cw_optimize(condensed);
    compare(&a, kernel, condensed, "inline condensed, optimize", seed);
    cw_arena_free(&a);
}

static uint64_t loops, recursions;

/* The same program twice, as the module of the second is changed. */
static void test_recursion(uint64_t seed) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct gen g;
    const struct cw_fn *before = program(&g, &a, seed, true), *after = program(&g, &a, seed, true);
    for (uint32_t k = 0; k < after->module->fns.n; k++)
        loops += cw_tail_calls(after->module->fns.at[k]);
    compare(&a, before, after, "tail calls", seed);
    struct cw_fn *inlined = cw_inline(after, &a, 100000), *condensed = cw_inline_condensed(after, &a, 100000);
    bool is_whole = !inlined->bails[CW_BAIL_RECURSION];
    recursions += !is_whole;
    cw_optimize(inlined);
    cw_optimize(condensed);
    if (is_whole) {
        compare(&a, before, inlined, "tail calls, inline, optimize", seed);
        compare(&a, before, condensed, "tail calls, inline condensed, optimize", seed);
    }
    cw_arena_free(&a);
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, last = argc > 1 ? first : PROGRAMS;
    for (uint64_t seed = first; seed <= last && check_failures < 10; seed++)
        test_program(seed), test_recursion(seed);
    CHECK(argc > 1 || (loops > PROGRAMS && recursions > PROGRAMS / 10));
    CHECK(decided > 3 * undecided);           /* most programs say something */
    CHECK(argc > 1 || steps_after < steps_before); /* and the passes do something */
    printf("%" PRIu64 " functions are loops, %" PRIu64 " programs recur; ", loops, recursions);
    printf("%" PRIu64 " runs compared, %" PRIu64 " without an end; %" PRIu64 " instructions run, %" PRIu64 " after\n",
           decided, undecided, steps_before, steps_after);
    return check_report();
}
