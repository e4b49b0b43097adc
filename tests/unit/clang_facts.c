/* What the clang front end says about CUDA: operations of the device API, groups, memory, launches, places. */
#include "check.h"
#include "base/str.h"
#include "front/front.h"

#include <stdlib.h>

struct lowered {
    struct cw_arena *arena; /* the module points to it */
    struct cw_module *m;
    const struct cw_fn *fn; /* the one asked for */
};

static struct lowered lower(const char *name, const char *text) {
    struct lowered l;
    const char *error = NULL;
    memset(&l, 0, sizeof l);
    l.arena = malloc(sizeof *l.arena);
    if (!l.arena)
        exit(1);
    cw_arena_init(l.arena);
    struct cw_front_options o = {.path = "unit.cu", .text = text, .size = strlen(text), .arch = 75};
    l.m = cw_front_clang(l.arena, &o, &error);
    CHECK(l.m != NULL);
    for (uint32_t i = 0; l.m && i < l.m->fns.n; i++) {
        CHECK(cw_fn_verify(l.m->fns.at[i]) == NULL);
        if (strcmp(l.m->fns.at[i]->name, name) == 0)
            l.fn = l.m->fns.at[i];
    }
    CHECK(l.fn != NULL);
    if (!l.fn)
        exit(1);
    return l;
}

static void done(struct lowered *l) {
    cw_arena_free(l->arena);
    free(l->arena);
}

/* The n-th instruction of this operation, in the order of lowering. */
static const struct cw_ins *nth(const struct lowered *l, enum cw_op op, uint32_t n) {
    static const struct cw_ins none;
    for (uint32_t i = 0; i < l->fn->ins.n; i++)
        if (l->fn->ins.at[i].op == op && n-- == 0)
            return &l->fn->ins.at[i];
    CHECK(false && "instruction found");
    return &none;
}

static uint32_t count(const struct lowered *l, enum cw_op op) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->fn->ins.n; i++)
        n += l->fn->ins.at[i].op == op;
    return n;
}

static int64_t value(const struct lowered *l, const struct cw_ins *i, uint32_t k) {
    int64_t v = -4242;
    if (k >= i->narg || !cw_ref_const(l->fn, cw_arg(l->fn, i, k), &v))
        CHECK(false && "constant operand");
    return v;
}

static enum cw_ref_tag tag(const struct lowered *l, const struct cw_ins *i, uint32_t k) {
    return k < i->narg ? (enum cw_ref_tag)cw_arg(l->fn, i, k).tag : CW_REF_NONE;
}

static const struct cw_span *span(const struct lowered *l, uint32_t loc) {
    return &l->fn->locs.at[loc].span;
}

static void collectives(void) {
    struct lowered l = lower("k", "__global__ void k(int *p) {\n"
                                  "  int v = p[0];\n"
                                  "  v += __shfl_down_sync(0xffffffff, v, 16);\n"
                                  "  v += __shfl_xor_sync(0xff, v, 1, 8);\n"
                                  "  v += __shfl(v, 3) + __any(v);\n"
                                  "  __syncwarp();\n"
                                  "  __syncwarp(0xf);\n"
                                  "  v += __ballot_sync(__activemask(), v > 3);\n"
                                  "  v += __reduce_max_sync(~0u, v);\n"
                                  "  int all; v += __match_all_sync(0xffffffffu, v, &all) + all;\n"
                                  "  p[1] = v;\n"
                                  "}\n");
    const struct cw_ins *i = nth(&l, CW_OP_SHFL, 0);
    CHECK_INT(i->aux, CW_SHFL_DOWN);
    CHECK_INT(i->type, CW_I32);
    CHECK_INT(value(&l, i, 0), -1);
    CHECK_INT(value(&l, i, 2), 16);
    CHECK_INT(value(&l, i, 3), 32);
    CHECK(i->flags & CW_INS_DEFAULT_WIDTH);
    CHECK_INT(span(&l, i->loc)->line, 3);
    CHECK_INT(span(&l, i->loc)->col, 8);
    i = nth(&l, CW_OP_SHFL, 1);
    CHECK_INT(i->aux, CW_SHFL_XOR);
    CHECK_INT(value(&l, i, 0), 0xff);
    CHECK_INT(value(&l, i, 3), 8);
    CHECK(!(i->flags & CW_INS_DEFAULT_WIDTH));
    i = nth(&l, CW_OP_SHFL, 2);
    CHECK(i->flags & CW_INS_LEGACY);
    CHECK_INT(tag(&l, i, 0), CW_REF_UNDEF);
    CHECK_INT(nth(&l, CW_OP_VOTE, 0)->aux, CW_VOTE_ANY);
    CHECK_INT(tag(&l, nth(&l, CW_OP_VOTE, 0), 0), CW_REF_UNDEF);
    CHECK(nth(&l, CW_OP_SYNCWARP, 0)->flags & CW_INS_DEFAULT_MASK);
    CHECK_INT(value(&l, nth(&l, CW_OP_SYNCWARP, 0), 0), -1);
    CHECK(!(nth(&l, CW_OP_SYNCWARP, 1)->flags & CW_INS_DEFAULT_MASK));
    CHECK_INT(value(&l, nth(&l, CW_OP_SYNCWARP, 1), 0), 15);
    i = nth(&l, CW_OP_VOTE, 1);
    CHECK_INT(i->aux, CW_VOTE_BALLOT);
    CHECK_INT(cw_ins_of(l.fn, cw_arg(l.fn, i, 0))->op, CW_OP_ACTIVEMASK);
    CHECK_INT(nth(&l, CW_OP_REDUX, 0)->aux, CW_REDUX_MAX);
    CHECK_INT(nth(&l, CW_OP_MATCH, 0)->aux, CW_VOTE_ALL);
    done(&l);
}

static void barriers(void) {
    struct lowered l = lower("k", "#define SYNC() __syncthreads()\n"
                                  "__global__ void k(int *p, int n) {\n"
                                  "  __syncthreads();\n"
                                  "  if (n > 3 && threadIdx.y < 2)\n"
                                  "    SYNC();\n"
                                  "  p[0] = __syncthreads_or(n) + __syncthreads_count(p[1]);\n"
                                  "  asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n"
                                  "  asm(\"bar.arrive %0, %1;\" :: \"r\"(2), \"r\"(n));\n"
                                  "  __threadfence_block();\n"
                                  "}\n");
    const struct cw_ins *i = nth(&l, CW_OP_BARRIER, 1);
    CHECK_INT(i->aux, CW_BARRIER_SYNC);
    CHECK_INT(value(&l, i, 0), 0);
    CHECK_INT(value(&l, i, 1), 0);
    CHECK_STR(l.fn->locs.at[i->loc].macro, "SYNC");
    CHECK_INT(span(&l, i->loc)->line, 5);
    CHECK(i->block != 0 && nth(&l, CW_OP_BARRIER, 0)->block == 0);
    CHECK_INT(nth(&l, CW_OP_BARRIER, 2)->aux, CW_BARRIER_OR);
    CHECK_INT(nth(&l, CW_OP_BARRIER, 3)->aux, CW_BARRIER_COUNT);
    CHECK_INT(value(&l, nth(&l, CW_OP_BARRIER, 4), 0), 1);
    CHECK_INT(value(&l, nth(&l, CW_OP_BARRIER, 4), 1), 64);
    CHECK_INT(nth(&l, CW_OP_BARRIER, 5)->aux, CW_BARRIER_ARRIVE);
    CHECK_INT(nth(&l, CW_OP_FENCE, 0)->aux, CW_SCOPE_BLOCK);
    const struct cw_jump *first = &l.fn->blocks.at[0].jump;
    CHECK_INT(first->origin, CW_FROM_AND);
    CHECK_INT(span(&l, first->loc)->col, 7); /* n > 3 */
    CHECK_INT(span(&l, first->loc)->end_col, 12);
    const struct cw_jump *second = &l.fn->blocks.at[first->succ[0]].jump;
    CHECK_INT(second->origin, CW_FROM_IF);
    CHECK_INT(span(&l, second->loc)->col, 16); /* threadIdx.y < 2 */
    done(&l);
}

static void conditional_collectives(void) {
    struct lowered l = lower("k", "__global__ void k(int *p, int n) {\n"
                                  "  bool b = n > 3 && __any_sync(~0u, p[0]);\n"
                                  "  p[1] = b ? __shfl_sync(~0u, n, 0) : 7;\n"
                                  "  p[2] = (p[3] || __all_sync(~0u, n)) ? 1 : 2;\n"
                                  "}\n");
    CHECK(nth(&l, CW_OP_VOTE, 0)->block != 0);
    CHECK(nth(&l, CW_OP_SHFL, 0)->block != nth(&l, CW_OP_VOTE, 0)->block);
    CHECK(nth(&l, CW_OP_VOTE, 1)->block != nth(&l, CW_OP_SHFL, 0)->block);
    CHECK_INT(count(&l, CW_OP_VOTE), 2); /* evaluated once each */
    CHECK_INT(count(&l, CW_OP_SHFL), 1);
    done(&l);
}

static void groups(void) {
    struct lowered l = lower(
        "k", "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
             "namespace cg = cooperative_groups;\n"
             "__device__ void help(const cg::thread_block_tile<16> &t) { t.sync(); }\n"
             "__global__ void k(float *p) {\n"
             "  auto block = cg::this_thread_block();\n"
             "  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);\n"
             "  cg::coalesced_group active = cg::coalesced_threads();\n"
             "  cg::sync(block); tile.sync(); active.sync(); cg::this_grid().sync();\n"
             "  p[0] = tile.shfl_down(p[1], 4) + tile.size() + tile.thread_rank();\n"
             "  p[2] = cg::reduce(tile, p[3], cg::less<float>()) + block.thread_index().y;\n"
             "  help(tile);\n"
             "}\n");
    const struct cw_ins *tile = nth(&l, CW_OP_GROUP, 1);
    CHECK_INT(nth(&l, CW_OP_GROUP, 0)->aux, CW_GROUP_BLOCK);
    CHECK_INT(tile->aux, CW_GROUP_TILE);
    CHECK_INT(value(&l, tile, 1), 16);
    CHECK_INT(nth(&l, CW_OP_GROUP, 2)->aux, CW_GROUP_COALESCED);
    CHECK_INT(count(&l, CW_OP_BARRIER), 1);
    CHECK_INT(count(&l, CW_OP_SYNCWARP), 2);
    CHECK_INT(count(&l, CW_OP_GRIDSYNC), 1);
    CHECK_INT(nth(&l, CW_OP_SHFL, 0)->type, CW_F32);
    CHECK_INT(cw_ref_type(l.fn, cw_arg(l.fn, nth(&l, CW_OP_SHFL, 0), 0)), CW_GROUP);
    CHECK_INT(nth(&l, CW_OP_REDUX, 0)->aux, CW_REDUX_MIN);
    CHECK_INT(count(&l, CW_OP_GROUPSIZE), 0); /* the tile's size is a constant */
    CHECK_INT(count(&l, CW_OP_GROUPRANK), 1);
    CHECK_INT(count(&l, CW_OP_CALL), 1);
    CHECK_INT(count(&l, CW_OP_OPCALL), 0);
    done(&l);
}

static const struct cw_object *object(const struct lowered *l, const char *name) {
    for (uint32_t i = 0; i < l->fn->objects.n; i++)
        if (strcmp(l->fn->objects.at[i].name, name) == 0)
            return &l->fn->objects.at[i];
    CHECK(false && "object found");
    exit(1);
}

static void memory(void) {
    struct lowered l = lower("k", "struct cfg { int n; float f[3]; };\n"
                                  "__constant__ int table[16]; __device__ double total;\n"
                                  "__global__ void k(cfg c, const float *__restrict__ in, volatile int *flag) {\n"
                                  "  __shared__ float tile[32][33];\n"
                                  "  extern __shared__ char raw[];\n"
                                  "  extern __shared__ double4 wide[];\n"
                                  "  volatile __shared__ int v;\n"
                                  "  int local[4];\n"
                                  "  tile[threadIdx.y][threadIdx.x] = in[c.n];\n"
                                  "  int *ints = (int *)(raw + 64); ints[threadIdx.x] = table[2];\n"
                                  "  wide[1].x = total; v = *flag; local[1] = __ldg(flag + 1);\n"
                                  "  atomicAdd_block((int *)ints, 2); atomicCAS((unsigned *)ints, 1u, 2u);\n"
                                  "}\n");
    CHECK_INT(object(&l, "tile")->space, CW_SPACE_SHARED);
    CHECK_INT(object(&l, "tile")->size, 32 * 33 * 4);
    CHECK_INT(object(&l, "tile")->element, 4);
    CHECK_STR(object(&l, "tile")->type_text, "float[32][33]");
    CHECK_INT(object(&l, "raw")->space, CW_SPACE_DYNSHARED);
    CHECK_STR(object(&l, "raw")->key, "dynshared");
    for (uint32_t i = 0; i < l.fn->objects.n; i++)
        CHECK(strcmp(l.fn->objects.at[i].name, "wide") != 0); /* the same object as raw */
    CHECK_INT(object(&l, "v")->space, CW_SPACE_SHARED);
    CHECK(object(&l, "v")->is_volatile);
    CHECK_INT(object(&l, "table")->space, CW_SPACE_CONSTANT);
    CHECK_INT(object(&l, "total")->space, CW_SPACE_GLOBAL);
    CHECK_INT(object(&l, "c")->space, CW_SPACE_PARAM);
    CHECK_INT(object(&l, "c")->size, 16);
    CHECK_INT(object(&l, "local")->space, CW_SPACE_LOCAL);
    CHECK_INT(l.fn->params.n, 3); /* the last one is c.n; c.f are no integers */
    CHECK(l.fn->params.at[2].part_of && l.fn->params.at[2].part_at == 0 && l.fn->params.at[2].type == CW_I32);
    CHECK(l.fn->params.at[0].is_restrict && l.fn->params.at[0].points_to_const);
    CHECK_INT(l.fn->params.at[0].pointee_bytes, 4);
    CHECK_INT(nth(&l, CW_OP_ATOMIC, 0)->aux, CW_ATOMIC_ADD | CW_SCOPE_BLOCK << 8);
    CHECK_INT(nth(&l, CW_OP_ATOMIC, 1)->aux, CW_ATOMIC_CAS | CW_SCOPE_DEVICE << 8);
    CHECK_INT(nth(&l, CW_OP_ATOMIC, 1)->narg, 3);
    uint32_t is_volatile = 0, is_readonly = 0;
    for (uint32_t i = 0; i < l.fn->ins.n; i++) {
        is_volatile += (l.fn->ins.at[i].flags & CW_INS_VOLATILE) != 0;
        is_readonly += (l.fn->ins.at[i].flags & CW_INS_READONLY) != 0;
    }
    CHECK_INT(is_volatile, 2); /* the load of *flag, the store to v */
    CHECK_INT(is_readonly, 1);
    done(&l);
}

static void templates(void) {
    const char *text = "template <typename T, int N> __global__ void __launch_bounds__(N / 2) k(T *p) {\n"
                       "  __shared__ T s[N];\n"
                       "#pragma unroll 4\n"
                       "  for (int i = 0; i < N; i++) s[i] = p[i];\n"
                       "}\n"
                       "template <int N> __global__ void unused(int *p) { if (N > 3) __syncthreads(); p[0] = N; }\n"
                       "template __global__ void k<double, 128>(double *);\n"
                       "void host(float *p) { k<float, 64><<<1, 32>>>(p); }\n";
    struct lowered l = lower("k<float, 64>", text);
    CHECK_INT(object(&l, "s")->size, 256);
    CHECK_INT(l.fn->bounds_max_threads, 32);
    CHECK(l.fn->pattern_key != NULL && !l.fn->is_pattern);
    int unroll = -1;
    for (uint32_t i = 0; i < l.fn->blocks.n; i++)
        unroll = l.fn->blocks.at[i].unroll >= 0 ? l.fn->blocks.at[i].unroll : unroll;
    CHECK_INT(unroll, 4);
    done(&l);
    l = lower("k<double, 128>", text); /* instantiated explicitly */
    CHECK_INT(object(&l, "s")->size, 1024);
    CHECK_INT(l.m->seen.n, 2); /* one template is one function of the text */
    CHECK_INT(l.m->seen.at[0].fate, CW_FATE_ANALYSED);
    CHECK(l.m->seen.at[0].is_kernel);
    done(&l);
    l = lower("unused", text);
    CHECK(l.fn->is_pattern);
    CHECK_INT(l.fn->tparams.n, 1);
    CHECK_STR(l.fn->tparams.at[0].name, "N");
    CHECK_INT(count(&l, CW_OP_BARRIER), 1);
    CHECK_INT(l.fn->blocks.at[0].jump.kind, CW_JUMP_BRANCH);
    done(&l);
}

/* Grid, block and shared bytes of the n-th launch, after folding. */
static void launch_is(const struct cw_fn *fn, struct cw_arena *a, const struct cw_module *m, uint32_t n,
                      const char *kernel, const int64_t expected[7], bool cooperative) {
    struct cw_fn *ssa = cw_inline(fn, a, 10000);
    cw_fn_link_preds(ssa);
    cw_promote(ssa);
    cw_simplify(ssa);
    for (uint32_t b = 0; b < ssa->blocks.n; b++)
        for (uint32_t k = 0; k < ssa->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &ssa->ins.at[ssa->blocks.at[b].ins.at[k]];
            if (i->op != CW_OP_LAUNCH || n-- != 0)
                continue;
            const struct cw_fn *callee = cw_module_find(m, ssa->callees.at[i->aux]);
            CHECK_STR(callee ? callee->name : NULL, kernel);
            CHECK_INT((i->flags & CW_INS_COOPERATIVE) != 0, cooperative);
            for (uint32_t x = 0; x < 7; x++) {
                int64_t v = -1;
                CHECK(cw_ref_const(ssa, cw_arg(ssa, i, x), &v));
                CHECK_INT(v, expected[x]);
            }
            return;
        }
    CHECK(false && "launch found");
}

static void launches(void) {
    struct lowered l = lower(
        "run", "#define LAUNCH(f, g, b, ...) f<<<g, b>>>(__VA_ARGS__)\n"
               "constexpr int kBlock = 128;\n"
               "__global__ void plain(int *p, int n) { p[threadIdx.x] = n; }\n"
               "template <int N> __global__ void sized(int *p) { p[0] = N; }\n"
               "template <class F> __global__ void each(F f, int n) { if (threadIdx.x < n) f(threadIdx.x); }\n"
               "inline int up(int a, int b) { return (a + b - 1) / b; }\n"
               "template <int N> void helper(int *p, int bytes) { sized<N><<<2, dim3(N, 2), bytes>>>(p); }\n"
               "void run(int *p) {\n"
               "  int n = 1000;\n"
               "  dim3 block(kBlock), grid;\n"
               "  grid.x = up(n, block.x);\n"
               "  plain<<<grid, block>>>(p, n);\n"
               "  helper<32>(p, 32 * sizeof(int));\n"
               "  LAUNCH(plain, 3, kBlock / 2, p, 5);\n"
               "  auto kernel = sized<8>;\n"
               "  kernel<<<1, 8>>>(p);\n"
               "  void *args[] = {&p};\n"
               "  cudaLaunchCooperativeKernel((void *)plain, dim3(4), dim3(64), args, 256, 0);\n"
               "  each<<<1, 16>>>([=] __device__(int i) { p[i] = n; }, 16);\n"
               "}\n");
    launch_is(l.fn, l.arena, l.m, 0, "plain", (const int64_t[]){8, 1, 1, 128, 1, 1, 0}, false);
    launch_is(l.fn, l.arena, l.m, 1, "sized<32>", (const int64_t[]){2, 1, 1, 32, 2, 1, 128}, false);
    launch_is(l.fn, l.arena, l.m, 2, "plain", (const int64_t[]){3, 1, 1, 64, 1, 1, 0}, false);
    launch_is(l.fn, l.arena, l.m, 3, "sized<8>", (const int64_t[]){1, 1, 1, 8, 1, 1, 0}, false);
    launch_is(l.fn, l.arena, l.m, 4, "plain", (const int64_t[]){4, 1, 1, 64, 1, 1, 256}, true);
    const struct cw_fn *each = NULL, *lambda = NULL;
    for (uint32_t i = 0; i < l.m->fns.n; i++) {
        each = strncmp(l.m->fns.at[i]->name, "each<", 5) == 0 ? l.m->fns.at[i] : each;
        lambda = strcmp(l.m->fns.at[i]->name, "operator()") == 0 ? l.m->fns.at[i] : lambda;
    }
    CHECK(each && lambda && each->kind == CW_FN_KERNEL && lambda->kind == CW_FN_DEVICE);
    CHECK(each && each->objects.n && each->objects.at[0].space == CW_SPACE_PARAM);
    CHECK_INT(lambda ? lambda->bails[CW_BAIL_UNRESOLVED_NAME] : 1, 0);
    done(&l);
}

static void cluster_sizes(void) {
    const char *text = "template <int N> __global__ void __cluster_dims__(N / 2, 2) k(int *p) { p[0] = N; }\n"
                       "__global__ void __cluster_dims__(unknown_size) unread(int *p) { p[0] = 1; }\n"
                       "__global__ void plain(int *p) { p[0] = 1; }\n"
                       "void run(int *p) { k<8><<<8, 32>>>(p); }\n";
    struct lowered l = lower("k<8>", text);
    const uint32_t *size = l.fn->reqd_cluster;
    CHECK(size[0] == 4 && size[1] == 2 && size[2] == 1 && !l.fn->has_unread_cluster);
    done(&l);
    l = lower("unread", text);
    CHECK(!l.fn->reqd_cluster[0] && l.fn->has_unread_cluster);
    done(&l);
    l = lower("plain", text);
    CHECK(!l.fn->reqd_cluster[0] && !l.fn->has_unread_cluster);
    done(&l);
}

/* Operands of a launch follow the kernel's parameters; a class is none of them on either side. */
static void launch_arguments(void) {
    struct lowered l = lower("run", "struct cfg { int a[9]; };\n"
                                    "__global__ void k(int first, cfg c, short second) { }\n"
                                    "__global__ void outer() { k<<<1, 1>>>(1, cfg(), 2); }\n"
                                    "void run(cfg c) { k<<<1, 32>>>(11, c, 22); }\n");
    const struct cw_ins *i = nth(&l, CW_OP_LAUNCH, 0);
    CHECK_INT(i->narg, 9);
    CHECK_INT(value(&l, i, 7), 11);
    CHECK_INT(value(&l, i, 8), 22);
    CHECK_INT(cw_ref_type(l.fn, cw_arg(l.fn, i, 8)), CW_I16);
    const struct cw_fn *k = cw_module_find(l.m, l.fn->callees.at[i->aux]);
    CHECK_INT(k ? k->params.n : 0, 2);
    for (uint32_t f = 0; f < l.m->fns.n; f++)
        if (l.m->fns.at[f]->kind == CW_FN_KERNEL)
            for (uint32_t n = 0; n < l.m->fns.at[f]->ins.n; n++)
                CHECK(l.m->fns.at[f]->ins.at[n].op != CW_OP_LAUNCH); /* from a kernel it is an unknown call */
    done(&l);
}

static void two_lambdas(void) {
    struct lowered l = lower("run", "template <class F> __global__ void each(F f) { f(threadIdx.x); }\n"
                                    "void run(int *p, float *q) {\n"
                                    "  each<<<1, 32>>>([=] __device__(int i) { p[i] = 1; });\n"
                                    "  each<<<1, 64>>>([=] __device__(int i) { q[i] = 2; });\n"
                                    "}\n");
    uint32_t kernels = 0;
    for (uint32_t i = 0; i < l.m->fns.n; i++)
        kernels += l.m->fns.at[i]->kind == CW_FN_KERNEL;
    CHECK_INT(kernels, 2);
    CHECK(nth(&l, CW_OP_LAUNCH, 0)->aux != nth(&l, CW_OP_LAUNCH, 1)->aux);
    done(&l);
}

static void users_functions_win(void) {
    struct lowered l = lower("k", "__device__ double atomicAdd(double *p, double v) { *p += v; return v; }\n"
                                  "__device__ inline int __shfl_all(int v) { return v; }\n"
                                  "__global__ void k(double *p, int *q) { atomicAdd(p, 1.0); atomicAdd(q, 1); }\n");
    CHECK_INT(count(&l, CW_OP_CALL), 1);
    CHECK_INT(count(&l, CW_OP_ATOMIC), 1);
    done(&l);
}

static void broken_code(void) {
    struct lowered l = lower("k", "#include \"not/there.h\"\n"
                                  "__global__ void k(int *p, missing_t n) {\n"
                                  "  p[0] = unknown_call(p[1]);\n"
                                  "  if (threadIdx.x < LIMIT) { __syncthreads(); }\n"
                                  "  __syncthreads();\n"
                                  "  p[2] = __shfl_sync(FULL_MASK, p[3], 0);\n"
                                  "}\n"
                                  "__global__ void fine(int *p) { p[threadIdx.x] = 1; }\n");
    CHECK(l.fn->is_degraded);
    CHECK(count(&l, CW_OP_BARRIER) >= 1);
    CHECK_INT(l.m->seen.n, 2);
    CHECK_INT(l.m->seen.at[0].fate, CW_FATE_DEGRADED);
    CHECK(l.m->seen.at[0].reason != NULL);
    CHECK_INT(l.m->seen.at[1].fate, CW_FATE_ANALYSED);
    CHECK(l.m->notes.n >= 2);
    CHECK(l.m->notes.at[0].is_error);
    done(&l);
}

static void traps_and_bails(void) {
    struct lowered l = lower("k", "#include <cassert>\n"
                                  "__device__ int plain(int);\n"
                                  "__global__ void k(int *p, int (*f)(int)) {\n"
                                  "  assert(p[0] > 3);\n"
                                  "  p[1] = plain(2) + f(3);\n"
                                  "  printf(\"%d\", p[2]);\n"
                                  "  if (p[3]) __trap();\n"
                                  "}\n");
    uint32_t traps = 0;
    for (uint32_t i = 0; i < l.fn->blocks.n; i++)
        traps += l.fn->blocks.at[i].jump.kind == CW_JUMP_TRAP;
    CHECK(traps >= 2);
    CHECK_INT(l.fn->bails[CW_BAIL_UNKNOWN_CALL], 1);
    CHECK_INT(l.fn->bails[CW_BAIL_INDIRECT_CALL], 1);
    CHECK_INT(count(&l, CW_OP_OPCALL), 2); /* printf has no effect */
    CHECK(!l.fn->is_degraded);
    done(&l);
}

static void strange_input(void) {
    static const char *const texts[] = {"", "\n", "__global__", "__global__ void k(", "__global__ void k() { if (",
                                        "}}}}", "#", "template <", "__global__ void k() { for (;;) { switch (1) { case",
                                        "__global__ void k() { asm(\"bar.sync\"); asm(); }",
                                        "__global__ void k() { goto x; x: y: goto *&&y; }"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct cw_arena a;
        const char *error = NULL;
        cw_arena_init(&a);
        struct cw_front_options o = {.path = "odd.cu", .text = texts[i], .size = strlen(texts[i])};
        struct cw_module *m = cw_front_clang(&a, &o, &error);
        CHECK(m != NULL || error != NULL);
        for (uint32_t k = 0; m && k < m->fns.n; k++)
            CHECK(cw_fn_verify(m->fns.at[k]) == NULL);
        cw_arena_free(&a);
    }
}

/* A sum of thousands of terms nests as deeply as it is long. */
static void deep_nesting(void) {
    enum { TERMS = 3000 };
    char *text = malloc(TERMS * 8 + 100), *at = text;
    if (!text)
        exit(1);
    at += sprintf(at, "__global__ void k(int *p) { p[0] = p[1]");
    for (int i = 0; i < TERMS; i++)
        at += sprintf(at, " + p[2]");
    sprintf(at, "; __syncthreads(); }\n");
    struct lowered l = lower("k", text);
    CHECK_INT(count(&l, CW_OP_BARRIER), 1);
    CHECK(l.fn->bails[CW_BAIL_TOO_LARGE] > 0 && l.fn->is_degraded);
    done(&l);
    free(text);
}

/* A parameter without a name has an empty one, which every text contains. */
static void unnamed_parameters(void) {
    struct lowered l = lower("k", "__global__ void k(int *out,int){int w=1;w=missing(w);out[0]=w;}\n");
    CHECK(l.fn->is_degraded);
    done(&l);
}

/* `n` blocks with an error each, in three macros whose bodies repeat their arguments. */
static struct lowered lower_nested_macros(uint32_t n) {
    struct cw_buf text = {0};
    cw_buf_puts(&text, "#define BLOCK(...) { { __VA_ARGS__ } { } }\n"
                       "#define TWICE(X, ...) switch (X) { case 0: { __VA_ARGS__ break; } default: { __VA_ARGS__ } }\n"
                       "__global__ void k(int *out, int a) { int w = 0;\nTWICE(a, TWICE(w, TWICE(out[0],");
    for (uint32_t i = 0; i < n; i++)
        cw_buf_printf(&text, " BLOCK({ int v%u = a; missing_%u(v%u); w += v%u; })", i, i, i, i);
    cw_buf_puts(&text, ")))\n out[threadIdx.x] = w; }\n");
    struct lowered l = lower("k", text.at);
    CHECK(l.fn->is_degraded);
    CHECK_INT(l.m->searched_bytes, text.n); /* once, however many blocks were lost */
    cw_buf_free(&text);
    return l;
}

static void nested_macros(void) {
    struct lowered few = lower_nested_macros(20), many = lower_nested_macros(80);
    CHECK(many.fn->ins.n < 5 * few.fn->ins.n);
    CHECK(many.fn->ins.n > 3 * few.fn->ins.n);
    done(&few);
    done(&many);
}

int main(void) {
    collectives();
    barriers();
    conditional_collectives();
    groups();
    memory();
    templates();
    launches();
    cluster_sizes();
    launch_arguments();
    two_lambdas();
    users_functions_win();
    broken_code();
    traps_and_bails();
    strange_input();
    deep_nesting();
    unnamed_parameters();
    nested_macros();
    return check_report();
}
