/* Inline PTX becomes the same IR as the intrinsic it stands for; what is not understood keeps its inputs and loses
 * nothing. */
#include "check.h"

#include "base/str.h"
#include "front/asm_lower.h"


static struct cw_arena arena;

struct scene {
    struct cw_module module;
    struct cw_fn *fn;
    cw_ref out, in, pointer, wide;
};

/* A kernel with an int result variable `out`, an int input, a pointer and a 64-bit input. */
static void open_scene(struct scene *s) {
    cw_module_init(&s->module, &arena);
    s->fn = cw_fn_new(&s->module, CW_FN_KERNEL, "k", "k");
    cw_fn_add_block(s->fn);
    s->out = cw_fn_add_object(s->fn, (struct cw_object){.name = "out", .space = CW_SPACE_LOCAL, .size = 4});
    s->in = cw_fn_add_param(s->fn, (struct cw_param){.name = "in", .type = CW_I32});
    s->pointer = cw_fn_add_param(s->fn, (struct cw_param){.name = "p", .type = CW_PTR});
    s->wide = cw_fn_add_param(s->fn, (struct cw_param){.name = "w", .type = CW_I64});
}

/* Lowers `text` with %0 = out (written), %1 = in, %2 = p, %3 = w; returns the last instruction of that op, or NULL. */
static const struct cw_ins *lower(struct scene *s, const char *text, enum cw_op op) {
    open_scene(s);
    const struct cw_asm_operand operands[] = {{NULL, "=r", CW_I32, CW_NONE, s->out},
                                              {"in", "r", CW_I32, s->in, CW_NONE},
                                              {NULL, "l", CW_PTR, s->pointer, CW_NONE},
                                              {NULL, "l", CW_I64, s->wide, CW_NONE}};
    const struct cw_asm statement = {text, operands, 4};
    cw_asm_lower(s->fn, 0, &statement, 0);
    const struct cw_ins *found = NULL;
    for (uint32_t i = 0; i < s->fn->ins.n; i++)
        if (s->fn->ins.at[i].op == op)
            found = &s->fn->ins.at[i];
    return found;
}

static int64_t constant(const struct scene *s, const struct cw_ins *i, uint32_t k) {
    int64_t value = INT64_MIN;
    CHECK(cw_ref_const(s->fn, cw_arg(s->fn, i, k), &value));
    return value;
}

/* What the statement leaves in `out`. */
static cw_ref result(const struct scene *s) {
    const struct cw_ins *last = &s->fn->ins.at[s->fn->ins.n - 1];
    CHECK_INT(last->op, CW_OP_STORE);
    return cw_arg(s->fn, last, 0);
}

/* Only fences of the asynchronous proxy are fences between proxies of memory that it reads. */
static void test_fences(void) {
    static const char *const proxy[] = {"fence.proxy.async;", "fence.proxy.async.shared::cta;",
                                        "fence.proxy.async.global;"};
    static const char *const plain[] = {"fence.acq_rel.gpu;", "membar.cta;", "fence.mbarrier_init.release.cluster;",
                                        "fence.proxy.tensormap::generic.release.gpu;"};
    struct scene s;
    for (size_t k = 0; k < sizeof proxy / sizeof *proxy; k++) {
        const struct cw_ins *i = lower(&s, proxy[k], CW_OP_FENCE);
        CHECK(i && (i->flags & CW_INS_PROXY));
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        const struct cw_ins *i = lower(&s, plain[k], CW_OP_FENCE);
        CHECK(i && !(i->flags & CW_INS_PROXY));
    }
}

static void test_barriers(void) {
    struct scene s;
    const struct cw_ins *i = lower(&s, "bar.sync 1, 64;", CW_OP_BARRIER);
    CHECK(i && i->aux == CW_BARRIER_SYNC && (i->flags & CW_INS_ALIGNED));
    CHECK_INT(constant(&s, i, 0), 1);
    CHECK_INT(constant(&s, i, 1), 64);
    i = lower(&s, "barrier.sync 3;", CW_OP_BARRIER);
    CHECK(i && !(i->flags & CW_INS_ALIGNED));
    CHECK_INT(constant(&s, i, 1), 0);
    i = lower(&s, "bar.arrive %1, 96;", CW_OP_BARRIER);
    CHECK(i && i->aux == CW_BARRIER_ARRIVE && cw_ref_eq(cw_arg(s.fn, i, 0), s.in));
    i = lower(&s, "{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }", CW_OP_BARRIER);
    CHECK(i && i->aux == CW_BARRIER_COUNT && cw_ins_of(s.fn, cw_arg(s.fn, i, 2))->op == CW_OP_NE);
    i = lower(&s, "bar.warp.sync 0xffff;", CW_OP_SYNCWARP);
    CHECK_INT(constant(&s, i, 0), 0xffff);
}

/* No instruction behind a trap counts; one that is guarded is not followed. */
static void test_trap(void) {
    struct scene s;
    open_scene(&s);
    CHECK(!cw_asm_lower(s.fn, 0, &(struct cw_asm){"trap; bar.sync 0;", NULL, 0}, 0));
    CHECK_INT(s.fn->ins.n, 0);
    CHECK(cw_asm_lower(s.fn, 0, &(struct cw_asm){"@p trap;", NULL, 0}, 0));
    CHECK_INT(s.fn->ins.n, 1);
}

static void test_collectives(void) {
    struct scene s;
    const struct cw_ins *i = lower(&s, "shfl.sync.bfly.b32 %0, %1, 0x10, 0x1f, 0xffffffff;", CW_OP_SHFL);
    CHECK(i && i->aux == CW_SHFL_XOR && cw_ref_eq(cw_arg(s.fn, i, 1), s.in));
    CHECK_INT(constant(&s, i, 0), -1);
    CHECK_INT(constant(&s, i, 2), 16);
    CHECK_INT(constant(&s, i, 3), 32);
    i = lower(&s, "shfl.sync.down.b32 %0|p, %1, 4, 0x181f, -1;", CW_OP_SHFL);
    CHECK_INT(constant(&s, i, 3), 8); /* clamp 0x18 << 8: segments of 32 - 24 lanes */
    i = lower(&s, "shfl.up.b32 %0, %1, 1, 0;", CW_OP_SHFL);
    CHECK(i && (i->flags & CW_INS_LEGACY) && cw_arg(s.fn, i, 0).tag == CW_REF_UNDEF);
    i = lower(&s, "redux.sync.add.s32 %0, %[in], 0xff;", CW_OP_REDUX);
    CHECK(i && i->aux == CW_REDUX_ADD && cw_ref_eq(cw_arg(s.fn, i, 1), s.in));
    i = lower(&s, "activemask.b32 %0;", CW_OP_ACTIVEMASK);
    CHECK(i && cw_ins_of(s.fn, result(&s)) == i);
    i = lower(&s, "{ .reg .pred q; setp.lt.s32 q, %1, 4; vote.sync.ballot.b32 %0, q, 0xf; }", CW_OP_VOTE);
    CHECK(i && i->aux == CW_VOTE_BALLOT && i->type == CW_I32);
}

static void test_memory(void) {
    struct scene s;
    const struct cw_ins *all = lower(&s, "multimem.st.relaxed.sys.global.v4.f32 [%2], {%1, %1, %1, %1};", CW_OP_STORE);
    CHECK(all && !lower(&s, "multimem.st.relaxed.sys.global.v4.f32 [%2], {%1, %1, %1, %1};", CW_OP_ASM));
    all = lower(&s, "multimem.st.release.sys.global.u32 [%2], %1;", CW_OP_ATOMIC);
    CHECK(all && (all->aux & 0xff) == CW_ATOMIC_STORE);
    CHECK(lower(&s, "multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v2.f16x2 {%0, r}, [%2];", CW_OP_LOAD));
    CHECK(lower(&s, "multimem.red.relaxed.sys.global.add.u32 [%2], %1;", CW_OP_ATOMIC));
    CHECK(!lower(&s, "tcgen05.ld.sync.aligned.32x32b.x1.b32{%0}, [%1];", CW_OP_ASM));
    CHECK(!lower(&s, "tcgen05.wait::ld.sync.aligned;", CW_OP_ASM));
    CHECK(lower(&s, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%2], %1;", CW_OP_ASM));
    CHECK(!lower(&s, "ldmatrix.sync.aligned.m8n8.x1.shared.b16{%0}, [%2];", CW_OP_ASM)); /* no space before the brace */
    const struct cw_ins *i = lower(&s, "ld.volatile.shared.u32 %0, [%2+8];", CW_OP_LOAD);
    CHECK(i && (i->flags & CW_INS_VOLATILE) && i->aux == 4);
    const struct cw_ins *at = cw_ins_of(s.fn, cw_arg(s.fn, i, 0));
    CHECK(at && at->op == CW_OP_PTRADD && cw_ref_eq(cw_arg(s.fn, at, 0), s.pointer));
    CHECK_INT(constant(&s, at, 1), 8);
    i = lower(&s, "cp.async.cg.shared.global [%3], [%2], 16;", CW_OP_ASYNCCOPY);
    CHECK_INT(constant(&s, i, 2), 16);
    CHECK_INT(cw_ins_of(s.fn, cw_arg(s.fn, i, 0))->op, CW_OP_INTTOPTR);
    CHECK_INT(constant(&s, lower(&s, "cp.async.wait_group 2;", CW_OP_ASYNCWAIT), 0), 2);
    i = lower(&s, "cp.async.cg.shared.global.L2::128B [%3], [%2], 16;", CW_OP_ASYNCCOPY); /* no label */
    CHECK(i && i->aux == CW_COPY_GROUP && i->narg == 3);
    i = lower(&s, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%3], [%2], %1, [%2+8];",
              CW_OP_ASYNCCOPY);
    CHECK(i && i->aux == CW_COPY_BARRIER && i->narg == 4);
    i = lower(&s, "cp.async.bulk.global.shared::cta.bulk_group [%2], [%3], 256;", CW_OP_ASYNCCOPY);
    CHECK(i && i->aux == CW_COPY_BULK);
    i = lower(&s, "cp.async.bulk.wait_group.read 1;", CW_OP_ASYNCWAIT);
    CHECK(i && i->aux == CW_WAIT_BULK_READ);
    i = lower(&s, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%2], 64;", CW_OP_MBARARRIVE);
    CHECK(i && i->aux == CW_MBAR_ARRIVE_TX);
    CHECK_INT(constant(&s, i, 2), 64);
    i = lower(&s,
              "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.b64 p, [%2], 1;\n@p bra over;\nbra again;\n"
              "over:\n}",
              CW_OP_MBARWAIT);
    CHECK(i && i->aux == CW_MBAR_PARITY);
    CHECK_INT(constant(&s, i, 1), 1);
    i = lower(&s, "red.global.add.u32 [%2], %1;", CW_OP_ATOMIC);
    CHECK(i && (i->aux & 0xff) == CW_ATOMIC_ADD && i->narg == 2);
    i = lower(&s, "ld.acquire.gpu.global.u32 %0, [%2];", CW_OP_ATOMIC);
    CHECK(i && i->aux == (CW_ATOMIC_LOAD | CW_SCOPE_DEVICE << 8 | CW_ACQUIRE << 16));
    i = lower(&s, "st.release.cta.global.u32 [%2], %1;", CW_OP_ATOMIC);
    CHECK(i && i->aux == (CW_ATOMIC_STORE | CW_SCOPE_BLOCK << 8 | CW_RELEASE << 16));
    i = lower(&s, "atom.acq_rel.sys.global.cas.b32 %0, [%2], 0, 1;", CW_OP_ATOMIC);
    CHECK(i && i->aux == (CW_ATOMIC_CAS | CW_SCOPE_SYSTEM << 8 | CW_ACQUIRE_RELEASE << 16));
    i = lower(&s, "membar.gl;", CW_OP_FENCE);
    CHECK(i && i->aux == CW_SCOPE_DEVICE);
    lower(&s, "st.shared.v2.u32 [%2], {%1, 7};", CW_OP_STORE);
    uint32_t stores = 0;
    for (uint32_t k = 0; k < s.fn->ins.n; k++)
        stores += s.fn->ins.at[k].op == CW_OP_STORE;
    CHECK_INT(stores, 3); /* two elements, and the output nobody wrote */
}

static void test_values(void) {
    struct scene s;
    lower(&s, "mov.u32 %0, %%laneid;", CW_OP_STORE);
    CHECK(cw_ref_eq(result(&s), (cw_ref){CW_REF_SREG, CW_LANEID}));
    lower(&s, "mov.u32 %0, %%cluster_ctarank;", CW_OP_STORE);
    const struct cw_ins *rank = cw_ins_of(s.fn, result(&s));
    CHECK(rank && rank->op == CW_OP_PURE && rank->narg == 3); /* it differs between blocks */
    CHECK_STR(rank ? s.fn->texts.at[rank->aux] : NULL, "%cluster_ctarank");
    lower(&s, "mov.u32 %0, %%cluster_nctarank;", CW_OP_STORE);
    const struct cw_ins *size = cw_ins_of(s.fn, result(&s));
    CHECK(size && size->op == CW_OP_PURE && size->narg == 0); /* it does not */
    lower(&s, "{ .reg .u32 t; add.u32 t, %1, 5;\n\t and.b32 %0, t, 31; }", CW_OP_STORE);
    const struct cw_ins *i = cw_ins_of(s.fn, result(&s));
    CHECK(i && i->op == CW_OP_AND && cw_ins_of(s.fn, cw_arg(s.fn, i, 0))->op == CW_OP_ADD);
    lower(&s, "{ .reg .pred p; setp.lt.u32 p, %1, 3; mov.u32 %0, 1; @p mov.u32 %0, 2; }", CW_OP_STORE);
    i = cw_ins_of(s.fn, result(&s));
    CHECK(i && i->op == CW_OP_SELECT && cw_ins_of(s.fn, cw_arg(s.fn, i, 0))->op == CW_OP_ULT);
    CHECK_INT(constant(&s, i, 1), 2);
    CHECK_INT(constant(&s, i, 2), 1);
}

static void test_unknown(void) {
    static const char *const texts[] = {
        "frobnicate.b32 %0, %1;", "L: bra L;", "@p bar.sync 0;", "cp.async.bulk.wait_all;",
        "ld.u32 %0, ;",           "%0 %1",     "bar.sync"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct scene s;
        const struct cw_ins *i = lower(&s, texts[k], CW_OP_ASM);
        CHECK(i != NULL && i->narg == 3);
        CHECK_INT(cw_ins_of(s.fn, result(&s))->op, CW_OP_OPAQUE);
    }
    struct scene s;
    lower(&s, "mov.b64 %0, {%1", CW_OP_STORE); /* broken packing: a value nobody knows, but no effect */
    CHECK_INT(cw_ins_of(s.fn, result(&s))->op, CW_OP_OPAQUE);
    CHECK(lower(&s, "{{{", CW_OP_ASM) == NULL);
    CHECK(lower(&s, "nanosleep.u32 100;", CW_OP_ASM) == NULL);
    CHECK(lower(&s, "", CW_OP_ASM) == NULL);
}

int main(void) {
    cw_arena_init(&arena);
    test_barriers();
    test_fences();
    test_trap();
    test_collectives();
    test_memory();
    test_values();
    test_unknown();
    cw_arena_free(&arena);
    return check_report();
}
