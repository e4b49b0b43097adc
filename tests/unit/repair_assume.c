/* Instances that nobody wrote: how many are asked for in the second text, and what a parse that another one replaces
 * is used for. */
#include "check.h"
#include "front/front.h"

#include <string.h>

/* Of the first choices, float and double, `fill` takes both and `only_int` none. `run` does not compile with them, yet
 * makes instances of what it calls. */
static const char text[] = "template <class T> __global__ void fill(T *x) { x[threadIdx.x] = 0; }\n"
                           "template <class T> __global__ void only_int(T *x) { int *p = x; p[threadIdx.x] = 1; }\n"
                           "template <class T> void fill_all(T *x) { fill<T><<<1, 64>>>(x); }\n"
                           "template <class T> void run(T *x) { int *p = x; fill_all<T>(x); }\n"
                           "template <class T> void start(T *x) { int *p = x; only_int<T><<<1, 64>>>(x); }\n";

static uint32_t questions, most; /* whether there is time: asked so often, and how often it was granted */

static bool may_parse_again(void *ctx) {
    (void)ctx;
    return questions++ < most;
}

/* What `Steps::run` does decides about both kernels; nothing instantiates the second and the third. The second has a
 * parameter of the first one's name. */
static const char alike[] =
    "struct Steps { static constexpr int n = 3; static __device__ void run(float *x) { *x = n; } };\n"
    "template <class Traits, int N> __global__ void used(float *x) { Traits::run(x + N); }\n"
    "template <class Traits, int N, bool flag> __global__ void unused(float *x) { Traits::run(x); x[N] = flag; }\n"
    "template <class Policy> __global__ void other(float *x) { Policy::run(x); }\n"
    "void go(float *x) { used<Steps, 96><<<1, 64>>>(x); }\n";

static struct cw_front_options options_with(const struct cw_assumed *assumed) {
    return (struct cw_front_options){
        .path = "k.cu", .text = text, .size = sizeof text - 1, .arch = 75, .assumed = assumed};
}

static struct cw_module *read_text(struct cw_arena *a, const struct cw_front_options *options) {
    const char *error = NULL;
    struct cw_module *m = cw_front_clang(a, options, &error);
    CHECK(m != NULL);
    return m;
}

static uint32_t count_words(const char *in, const char *word) {
    uint32_t n = 0;
    for (const char *at = in; at && (at = strstr(at, word)); at++)
        n++;
    return n;
}

static uint32_t count_instances(const struct cw_module *m, const char *name) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        n += fn->kind == CW_FN_KERNEL && !fn->is_pattern && !strncmp(fn->name, name, strlen(name)) && !fn->is_degraded;
    }
    return n;
}

static bool is_read(const struct cw_module *m) {
    return m && m->fns.n > 0 && !m->assumed.is_awaited;
}

/* Other arguments for host templates are looked for on behalf of kernels without an instance. */
static void test_choices(struct cw_arena *a) {
    struct cw_front_options plain = options_with(NULL);
    struct cw_module *first = read_text(a, &plain);
    CHECK(is_read(first));
    CHECK_INT(count_words(first->assumed.text, "&only_int<"), 2);
    CHECK_INT(count_words(first->assumed.text, "&run<"), 2);
    struct cw_front_options once = options_with(&first->assumed);
    struct cw_module *second = read_text(a, &once);
    CHECK_INT(count_words(second->assumed.text, "&only_int<"), 6);
    CHECK_INT(count_words(second->assumed.text, "&start<"), 6);
    CHECK_INT(count_words(second->assumed.text, "&run<"), 1);
    struct cw_front_options twice = options_with(&second->assumed);
    struct cw_module *third = read_text(a, &twice);
    CHECK(is_read(third));
    CHECK(!third->assumed.text);
    CHECK(count_instances(third, "only_int<") > 0);
}

/* Arguments of another kernel come before chosen ones, numbers with the class. */
static void test_like(struct cw_arena *a) {
    struct cw_front_options plain = {.path = "k.cu", .text = alike, .size = sizeof alike - 1, .arch = 75};
    struct cw_module *first = read_text(a, &plain);
    CHECK(is_read(first));
    CHECK_INT(count_words(first->assumed.text, "&unused<"), 2);
    CHECK_INT(count_words(first->assumed.text, "&unused<Steps, 96, true>"), 1);
    CHECK_INT(count_words(first->assumed.text, "&unused<Steps, 96, false>"), 1);
    CHECK_INT(count_words(first->assumed.text, "&other<cuwarp_assumed_"), 2);
    struct cw_front_options once = {
        .path = "k.cu", .text = alike, .size = sizeof alike - 1, .arch = 75, .assumed = &first->assumed};
    struct cw_module *second = read_text(a, &once);
    CHECK(is_read(second));
    CHECK_INT(count_instances(second, "unused<"), 2);
}

/* Files that include the unit's call two of them, one with a parameter of its own template: what they call is made, and
 * no other. */
static void test_called_hosts(struct cw_arena *a, const struct cw_front_options *hosts) {
    static const char call[] = "template <> void start<int>(float *x) { host3<int>(x, 2); }\n",
                      open[] = "template <class T> void begin(float *x) { host1<T>(x, 2); }\n";
    const struct cw_front_file files[] = {{"a.cu", open, sizeof open - 1}, {"b.cu", call, sizeof call - 1}};
    struct cw_front_options options = *hosts;
    options.assumed = NULL;
    options.includers = files;
    options.nincluders = 2;
    struct cw_module *first = read_text(a, &options);
    CHECK_INT(count_words(first->assumed.text, "&host"), 1);
    CHECK_INT(count_words(first->assumed.text, "&host3<int>"), 1);
    options.assumed = &first->assumed;
    struct cw_module *second = read_text(a, &options);
    CHECK_INT(count_words(second->assumed.text, "&host"), 1);
}

/* Each host template makes 96 instances of `heavy` and three of `light`, by a template that hands its class on. The
 * first, the last and one between are instantiated, once each; in a second text the others stay left out. */
static void test_alike_hosts(struct cw_arena *a) {
    static const char hosts[] =
        "#define SWITCH(cond, NAME, ...) \\\n"
        "    if (cond) { constexpr bool NAME = true; __VA_ARGS__(); } \\\n"
        "    else { constexpr bool NAME = false; __VA_ARGS__(); }\n"
        "template <class T, int N> struct Traits { using type = T; static constexpr int n = N; };\n"
        "template <class K, bool A, bool B, bool C, bool D, bool E>\n"
        "__global__ void heavy(float *x) { x[K::n + A] = E; }\n"
        "template <class K> __global__ void light(float *x) { x[K::n] = typename K::type(1); }\n"
        "template <class T> __global__ void only_int(T *x) { int *p = x; p[threadIdx.x] = 1; }\n"
        "template <class K> void run(float *x, int n) {\n"
        "    SWITCH(n & 1, A, [&] { SWITCH(n & 2, B, [&] { SWITCH(n & 4, C, [&] { SWITCH(n & 8, D, [&] {\n"
        "        SWITCH(n & 16, E, [&] { auto kernel = &heavy<K, A, B, C, D, E>; kernel<<<1, K::n>>>(x); });\n"
        "    }); }); }); });\n"
        "    light<K><<<1, 64>>>(x);\n"
        "}\n"
        "template <class K> void run_all(float *x, int n) { run<K>(x, n); }\n"
#define HOST(name, n) \
    "template <class T> void " name "(float *x, int n) { run_all<Traits<T, " n "2>>(x, n); " \
    "run_all<Traits<T, " n "4>>(x, n); run_all<Traits<T, " n "6>>(x, n); }\n"
        HOST("host0", "1") HOST("host1", "2") HOST("host2", "3") HOST("host3", "4") HOST("host4", "5");
    struct cw_front_options options = {.path = "k.cu", .text = hosts, .size = sizeof hosts - 1, .arch = 75};
    struct cw_module *first = read_text(a, &options);
    CHECK_INT(count_words(first->assumed.text, "&run"), 0);
    CHECK_INT(count_words(first->assumed.text, "&host"), 3);
    CHECK_INT(count_words(first->assumed.text, "&host0<float>"), 1);
    CHECK_INT(count_words(first->assumed.text, "&host2<double>"), 1);
    CHECK_INT(count_words(first->assumed.text, "&host4<float>"), 1);
    options.assumed = &first->assumed;
    struct cw_module *second = read_text(a, &options);
    CHECK_INT(count_words(second->assumed.text, "&only_int<"), 6);
    CHECK_INT(count_words(second->assumed.text, "&host"), 3);
    test_called_hosts(a, &options);
}

static uint32_t count_left_out(const struct cw_module *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->fns.n; i++)
        n += m->fns.at[i]->bails[CW_BAIL_INSTANCES];
    return n;
}

/* 64 instances of `heavy`, of which 24 are lowered: a parse without bodies tells which, and the others get none. What
 * is lowered and counted is the same without such a parse. */
static void test_left_out(struct cw_arena *a) {
    static const char hosts[] =
        "enum class Mode { one = 1, two };\n"
        "namespace outer {\n"
        "template <class T, int N, bool F, Mode M> __global__ void heavy(T *x, const int n) {\n"
        "#if 1\n"
        "    if (n < N) { x[n] = F; }\n"
        "#endif\n"
        "}\n"
        "}\n"
        "template <int N, class T> void count(T *x) {\n"
        "    outer::heavy<T, N, N % 2 == 0, Mode::two><<<1, 64>>>(x, N);\n"
        "    if constexpr (N > 0) count<N - 1>(x);\n"
        "}\n"
        "template <class T> void run(T *x) { count<31>(x); count<31>((int *)x); }\n"
        "template <class T> void dispatch(T *x) { run<T>(x); }\n";
    struct cw_front_options options = {.path = "k.cu", .text = hosts, .size = sizeof hosts - 1, .arch = 75};
    struct cw_module *first = read_text(a, &options);
    struct cw_assumed asked = first->assumed;
    cw_vec_push(a, &asked.bodies, ((struct cw_text_range){"k.cu", 0, 0}));
    asked.bodies.at[0].from = (uint32_t)(strstr(hosts, "n) {") + 4 - hosts);
    asked.bodies.at[0].to = (uint32_t)(strstr(hosts, "#endif") + 7 - hosts);
    options.assumed = &asked;
    options.is_survey = true;
    struct cw_module *survey = read_text(a, &options);
    CHECK_INT(survey->fns.n, 0);
    uint32_t left_out = survey->assumed.left_out.n;
    CHECK(left_out > 0);
    CHECK_INT(count_words(survey->assumed.declarations, "extern template"), (int)left_out);
    CHECK_INT(count_words(survey->assumed.declarations, "void outer::heavy<"), (int)left_out);
    options.assumed = &survey->assumed;
    options.is_survey = false;
    struct cw_module *with = read_text(a, &options);
    options.assumed = &first->assumed;
    struct cw_module *without = read_text(a, &options);
    CHECK_INT(count_instances(without, "heavy<"), 24);
    CHECK_INT(count_instances(with, "heavy<"), 24);
    CHECK_INT(count_left_out(with), (int)left_out);
    CHECK_INT(count_left_out(without), (int)left_out);
}

/* `helper` has a third parameter that the call does not give: what it does is not what the call does. */
static void test_can_mean(struct cw_arena *a) {
    static const char calls[] =
        "template <class A, class B, int n, class P> __device__ void helper(P x) { __syncthreads(); }\n"
        "template <class A, class B, class P> __device__ void other(P x) { __syncthreads(); }\n"
        "template <class T> __global__ void two(T *x) { helper<T, int>(x); }\n"
        "template <class T> __global__ void three(T *x) { helper<T, int, sizeof(T)>(x); other<T, int>(x); }\n";
    struct cw_front_options plain = {.path = "k.cu", .text = calls, .size = sizeof calls - 1, .arch = 75};
    struct cw_module *m = read_text(a, &plain);
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind == CW_FN_KERNEL)
            CHECK_INT(fn->callees.n, strstr(fn->name, "two") ? 0 : 2);
    }
}

/* Its functions are lowered only where no other parse takes its place. */
static void test_replaced(struct cw_arena *a) {
    struct cw_front_options plain = options_with(NULL);
    struct cw_module *first = read_text(a, &plain);
    struct cw_front_options once = options_with(&first->assumed);
    struct cw_module *second = read_text(a, &once);
    CHECK(second->assumed.is_awaited);
    CHECK_INT(second->fns.n, 0);
    once.is_last = true;
    CHECK(is_read(read_text(a, &once)));
    once.is_last = false;
    once.may_parse_again = may_parse_again;
    most = questions = 0;
    CHECK(is_read(read_text(a, &once)));
}

/* When the time runs out between two parses, the one that was to be replaced is read for good. */
static void test_no_time(struct cw_arena *a) {
    for (most = 0; most < 6; most++) {
        struct cw_front_options plain = options_with(NULL);
        plain.may_parse_again = may_parse_again;
        questions = 0;
        struct cw_module *m = cw_front_assume(a, &plain, read_text(a, &plain));
        CHECK(is_read(m));
        CHECK(most == 0 || count_instances(m, "fill<") > 0);
        CHECK((count_instances(m, "only_int<") > 0) == (most > 2));
    }
}

int main(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    test_choices(&a);
    test_like(&a);
    test_alike_hosts(&a);
    test_left_out(&a);
    test_can_mean(&a);
    test_replaced(&a);
    test_no_time(&a);
    cw_arena_free(&a);
    return check_report();
}
