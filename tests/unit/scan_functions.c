/* Which definitions the scan lists, for heads of every shape. Each case gives the expected list as
 * "K name" (kernel) or "D name" (device function), '*' behind the name of a template, "!MACRO" for a macro that may
 * hide the function from the compiler; one after another. */
#include "check.h"

#include "base/str.h"
#include "front/front.h"

static struct cw_arena arena;

static struct cw_scan *scan(const char *text) {
    return cw_scan_text(&arena, text, strlen(text));
}

static void check_functions(const char *text, const char *expected) {
    const struct cw_scan *s = scan(text);
    struct cw_buf got = {0};
    for (uint32_t i = 0; i < s->functions.n; i++) {
        const struct cw_scan_function *f = &s->functions.at[i];
        cw_buf_printf(&got, "%s%c %s%s", i ? ", " : "", f->is_kernel ? 'K' : 'D', f->name, f->is_template ? "*" : "");
        if (f->attribute_macro)
            cw_buf_printf(&got, " !%s", f->attribute_macro);
    }
    cw_buf_add(&got, "", 0);
    if (strcmp(got.at, expected) != 0)
        fprintf(stderr, "in: %s\n", text);
    CHECK_STR(got.at, expected);
    cw_buf_free(&got);
}

static void test_plain(void) {
    check_functions("__global__ void k(int *a) { a[0] = 1; }", "K k");
    check_functions("void __global__ k() {}", "K k");
    check_functions("static __device__ __forceinline__ float f(float x) { return x; }", "D f");
    check_functions("__host__ __device__ int f() { return 1; } __device__ __host__ int g() { return 2; }", "D f, D g");
    check_functions("extern \"C\" __global__ void k() {}", "K k");
    check_functions("extern \"C\" { __global__ void k() {} }", "K k");
    check_functions("__device__ unsigned long long f() { return 0; }", "D f");
    check_functions("__device__ const struct S *f(void) { return 0; }", "D f");
    check_functions("__device__ ns::T<a<b>, (1 > 0)> &f() { }", "D f");
    check_functions("__device__ auto f(int a) -> decltype(a + 1) { return a; }", "D f");
    check_functions("void host() { }", "");
    check_functions("__global__ void (k)(int a) { }", "K k");
}

static void test_attributes(void) {
    check_functions("__launch_bounds__(256, 2) __global__ void k() {}", "K k");
    check_functions("__global__ void __launch_bounds__(MAX(a, (b)), 2) k() {}", "K k");
    check_functions("__global__ __launch_bounds__(f<int>(3)) void k() {}", "K k");
    check_functions("[[nodiscard]] __device__ int f() { return 1; }", "D f");
    check_functions("__global__ void __attribute__((noinline)) k() {}", "K k");
    check_functions("__device__ __align__(16) int v[3]; __device__ int f() { return v[0]; }", "D f");
    check_functions("__global__ void k() { __shared__ __align__(16) int x[3]; x[0] = 1; } __device__ void f() {}",
                    "K k, D f");
    check_functions("__global__ void __block_size__((128, 1, 1)) k() {}", "K k");
}

static void test_macros(void) {
    check_functions("C10_LAUNCH_BOUNDS_1(512) __global__ void k(int n) {}", "K k !C10_LAUNCH_BOUNDS_1");
    check_functions("__global__ void LAUNCH(256, 2) k(int n) {}", "K k !LAUNCH");
    check_functions("__global__ KERNEL_ATTR void k(int n) {}", "K k !KERNEL_ATTR");
    check_functions("KERNEL_ATTR static __global__ void k(int n) {}", "K k !KERNEL_ATTR");
    check_functions("static ATTR __device__ T f(T n) {}", "D f !ATTR");
    check_functions("static __device__ T f(T n) {}", "D f");
    check_functions("static T __device__ f(T n) {}", "D f");
    check_functions("__device__ float f(int x) THROWS(a) {}", "D f");
    check_functions("__device__ float f(int x) ATTR {}", "D f");
    check_functions("REGISTER(a, b)\n\n__global__ void k() {}", "K k !REGISTER");
    check_functions("template <typename T> LB(4) __global__ void k(T a) {}", "K k* !LB");
    check_functions("#define HD __host__ __device__ inline\nHD int f() { return 1; }", "D f");
    check_functions("#ifdef X\n#define HD __device__\n#else\n#define HD\n#endif\nstruct S { HD S() {} };", "D S");
    check_functions("#define LB(x) __launch_bounds__(x)\nLB(3) __global__ void k() {}", "K k");
    check_functions("#define KERNEL __global__ void\nKERNEL k() {}", "");
    check_functions("__global__ void NAME(foo)(int *p) {}", "K NAME(foo)");
    check_functions("#define DEF(n) __global__ void n() {}\nDEF(a) DEF(b)", "");
}

static void test_templates(void) {
    check_functions("template <typename T, int N = (3 > 2)> __global__ void k(T *a) {}", "K k*");
    check_functions("template <> __device__ float f<float>(float a) { return a; }", "D f");
    check_functions("template <class T> struct S { __device__ T get() const { return t; } T t; };", "D get*");
    check_functions("template <class T> __device__ T S<T>::get() const { return t; }", "D get*");
    check_functions("template <class T> struct S { template <class U> __device__ void f(U u) {} };", "D f*");
    check_functions("template __global__ void k<int>(int *);", "");
    check_functions("template <class T> requires std::integral<T> && (sizeof(T) > 2) __global__ void k(T t) {}",
                    "K k*");
    check_functions("template <template <class> class V> __global__ void k(V<int> v) {}", "K k*");
}

static void test_members(void) {
    check_functions("struct S { __device__ S(int x) : x(x), b<int>{1} { } ~S(); int x; };", "D S");
    check_functions("__device__ S::S() noexcept : x() { }", "D S");
    check_functions("struct S { __device__ ~S() { } };", "D ~S");
    check_functions("struct S { __device__ int operator()(int a) const { return a; } };", "D operator()");
    check_functions("struct S { __device__ bool operator<(const S &o) const { return true; } };", "D operator<");
    check_functions("struct S { __device__ S &operator+=(S o) { return *this; } };", "D operator+=");
    check_functions("struct S { __device__ operator float *() { return p; } };", "D operator float *");
    check_functions("struct S { __device__ inline operator const T&() const { return t; } };", "D operator const T &");
    check_functions("__device__ V operator*(V a, V b) { return a; }", "D operator*");
    check_functions("struct S { __device__ S() = default; __device__ void f() = delete; };", "");
    check_functions("class A { public: __device__ void f() {} private: __device__ void g() {} };", "D f, D g");
    check_functions("namespace a { namespace { __global__ void k() {} } }", "K k");
    check_functions("struct S { static __global__ void k() {} };", "K k");
}

static void test_no_functions(void) {
    check_functions("__device__ int v = f(3);", "");
    check_functions("__device__ float table[] = {1, 2};", "");
    check_functions("__device__ int v{3};", "");
    check_functions("__device__ void (*pointer)(int) = g;", "");
    check_functions("__global__ void k(int *a); __device__ int f(int), g(int);", "");
    check_functions("// __global__ void k() {}\n/* __device__ void f() {} */", "");
    check_functions("const char *s = \"__global__ void k() {}\"; auto r = R\"(__device__ int f() {})\";", "");
    check_functions("#if 0\n__global__ void k() {}\n#endif\n__device__ void f() {}", "D f");
    check_functions("#if 1\n__device__ void f() {}\n#else\n__global__ void k() {}\n#endif", "D f");
    check_functions("__global__ void k() { auto f = [=] __device__ (int i) { return i; }; f(1); }", "K k");
    check_functions("__constant__ float c[3]; __device__ extern int e;", "");
    check_functions("__device__ struct P { int x; } p;", "");
    check_functions("using F = void (*)(int); __device__ F table[2];", "");
}

static void test_preprocessor(void) {
    check_functions("#ifdef A\n__global__ void k(int a) {\n#else\n__global__ void k(float a) {\n#endif\n a = 1;\n}\n"
                    "__device__ void f() {}", "K k, K k, D f");
    check_functions("__global__ void k(int a\n#ifdef B\n, int b\n#endif\n) { a = 1; }", "K k");
    check_functions("template <int N>\n#if A\n__launch_bounds__(32)\n#endif\nstatic __global__ void k() {}", "K k*");
    check_functions("#if A\n#else\n__device__ void f() {}\n#endif\n__global__ void k() {}", "D f, K k");
    check_functions("__global__ void k() {\n#if A\n if (x) {\n#else\n if (y) {\n#endif\n }\n}\n__device__ void f() {}",
                    "K k, D f");
    check_functions("#define S(x) #x\n#define E __global__ \\\n  void k() {}\n__device__ void f() {}", "D f");
}

static void test_broken(void) {
    check_functions("__global__ void k(int *a) { a[0] = ; } } } __device__ void f() {}", "K k, D f");
    check_functions("__global__ void k() { if (a { b(); }\n__global__ void l() {}", "K k, K l");
    check_functions("int x = ; __global__ void k() {", "K k");
    check_functions("__global__ void k(int", "");
    check_functions("__global__", "");
    check_functions("] ) } __device__ int f() { return ( ; }", "D f");
    /* A member that lacks its semicolon cannot be told from a macro before the function. */
    check_functions("struct S { int x\n__device__ void f() {} };", "D f !x");
    check_functions("void host( { __global__ void k() {}", "K k");
    check_functions("__device__ operator", "");
    check_functions("__device__ ~", "");
    check_functions("__device__ template <", "");
}

static void test_spans(void) {
    const struct cw_scan *s = scan("// c\ntemplate <int N>\n__global__ void k()\n{\n}\n");
    CHECK_INT(s->functions.n, 1);
    const struct cw_scan_function *f = &s->functions.at[0];
    CHECK(f->span.line == 2 && f->span.col == 1 && f->span.end_line == 5 && f->span.end_col == 2);
    CHECK(f->name_span.line == 3 && f->name_span.col == 17 && f->name_span.end_line == 3 && f->name_span.end_col == 18);
}

int main(void) {
    cw_arena_init(&arena);
    test_plain();
    test_attributes();
    test_macros();
    test_templates();
    test_members();
    test_no_functions();
    test_preprocessor();
    test_broken();
    test_spans();
    cw_arena_free(&arena);
    return check_report();
}
