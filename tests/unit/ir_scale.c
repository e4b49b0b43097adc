/* The passes stay near linear in the size of a function, whatever its shape: processor time for four times the size
 * must be far below sixteen times as much. */
#include "check.h"

#include "base/str.h"
#include "ir/ir.h"

#include <time.h>

static void helper(struct cw_buf *b) {
    cw_buf_puts(b, "device i32 @f(i32 %a, ptr %p) {\n  local $a[4]\n  local $i[4]\nb0:\n  store %a, $a\n"
                   "  store 0, $i\n  goto b1\nb1:\n  %i = load i32 $i\n  %c = slt %i, 8\n"
                   "  branch %c, b2, b3\nb2:\n  %x = load i32 $a\n"
                   "  %y = add i32 %x, %i\n  store %y, $a\n  %k = add i32 %i, 1\n  store %k, $i\n  goto b1\nb3:\n"
                   "  %r = load i32 $a\n  return %r\n}\n");
}

static void head(struct cw_buf *b, const char *locals) {
    cw_buf_puts(b, "kernel @k(ptr %p, i32 %n) {\n  local $x[4]\n");
    cw_buf_puts(b, locals ? locals : "");
    cw_buf_puts(b, "b0:\n  store 0, $x\n");
}

/* One call after the other in one block. */
static void calls(struct cw_buf *b, int n) {
    helper(b);
    head(b, "");
    for (int k = 0; k < n; k++)
        cw_buf_printf(b, "  %%v%d = load i32 $x\n  %%r%d = call i32 @f(%%v%d, %%p)\n  store %%r%d, $x\n", k, k, k, k);
    cw_buf_puts(b, "  %last = load i32 $x\n  store %last, %p\n  return\n}\n");
}

/* if after if, each writing the variable that the next one reads. */
static void ifs(struct cw_buf *b, int n) {
    head(b, "");
    for (int k = 0; k < n; k++)
        cw_buf_printf(b, "  %%v%d = load i32 $x\n  %%c%d = slt %%v%d, %%n\n  branch %%c%d, y%d, z%d\ny%d:\n"
                         "  %%w%d = add i32 %%v%d, 1\n  store %%w%d, $x\n  goto z%d\nz%d:\n",
                      k, k, k, k, k, k, k, k, k, k, k, k);
    cw_buf_puts(b, "  %last = load i32 $x\n  store %last, %p\n  return\n}\n");
}

/* A switch whose many cases meet in one block. */
static void cases(struct cw_buf *b, int n) {
    head(b, "");
    cw_buf_puts(b, "  switch %n");
    for (int k = 0; k < n; k++)
        cw_buf_printf(b, ", %d: y%d", k, k);
    cw_buf_puts(b, ", default: z\n");
    for (int k = 0; k < n; k++)
        cw_buf_printf(b, "y%d:\n  store %d, $x\n  goto z\n", k, k * 7);
    cw_buf_puts(b, "z:\n  %last = load i32 $x\n  store %last, %p\n  return\n}\n");
}

/* Many variables, all alive through one loop. */
static void variables(struct cw_buf *b, int n) {
    struct cw_buf locals = {0};
    for (int k = 0; k < n; k++)
        cw_buf_printf(&locals, "  local $x%d[4]\n", k);
    head(b, locals.at);
    cw_buf_free(&locals);
    for (int k = 0; k < n; k++)
        cw_buf_printf(b, "  store %d, $x%d\n", k, k);
    cw_buf_puts(b, "  goto l\nl:\n");
    for (int k = 0; k < n; k++)
        cw_buf_printf(b, "  %%v%d = load i32 $x%d\n  %%w%d = add i32 %%v%d, %%n\n  store %%w%d, $x%d\n", k, k, k, k, k,
                      k);
    cw_buf_printf(b, "  %%c = slt %%w%d, %%n\n  branch %%c, l, m\nm:\n  store %%w%d, %%p\n  return\n}\n", n - 1, n - 1);
}

/* Equal expressions, one as good as the other, and constants to fold all the way down. */
static void arithmetic(struct cw_buf *b, int n) {
    head(b, "");
    cw_buf_puts(b, "  %e0 = add i32 %n, 1\n  %c0 = add i32 1, 1\n");
    for (int k = 1; k <= n; k++)
        cw_buf_printf(b, "  %%e%d = add i32 %%e%d, 1\n  %%f%d = mul i32 %%n, %%n\n  %%c%d = xor i32 %%c%d, %d\n"
                         "  store %%f%d, %%p\n",
                      k, k - 1, k, k, k - 1, k, k);
    cw_buf_printf(b, "  store %%e%d, %%p\n  store %%c%d, %%p\n  return\n}\n", n, n);
}

/* A struct handed from local to local. */
static void copies(struct cw_buf *b, int n) {
    struct cw_buf locals = {0};
    for (int k = 0; k <= n; k++)
        cw_buf_printf(&locals, "  local $s%d[16]\n", k);
    head(b, locals.at);
    cw_buf_free(&locals);
    cw_buf_puts(b, "  memset.16 $s0, 0\n");
    for (int k = 1; k <= n; k++)
        cw_buf_printf(b, "  memcopy.16 $s%d, $s%d\n", k, k - 1);
    cw_buf_printf(b, "  %%q = ptradd $s%d, 8\n  %%v = load i32 %%q\n  store %%v, %%p\n  return\n}\n", n);
}

static double seconds_for(void (*shape)(struct cw_buf *, int), int n) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_buf text = {0};
    shape(&text, n);
    const char *error = "";
    struct cw_module *m = cw_module_parse(&a, text.at, text.n, &error);
    CHECK_STR(m ? "" : error, "");
    clock_t from = clock();
    struct cw_fn *fn = cw_inline(cw_module_find(m, "k"), &a, 10000000);
    cw_optimize(fn);
    CHECK(!cw_fn_verify(fn));
    struct cw_buf out = {0};
    cw_fn_print(fn, &out);
    clock_t to = clock();
    CHECK(!strstr(out.at, " load"));
    cw_buf_free(&out);
    cw_buf_free(&text);
    cw_arena_free(&a);
    return (double)(to - from) / CLOCKS_PER_SEC;
}

int main(void) {
    static const struct {
        const char *name;
        void (*shape)(struct cw_buf *, int);
        int n;
    } shapes[] = {{"calls", calls, 300},         {"ifs", ifs, 1000},
                  {"cases", cases, 1000},        {"variables", variables, 500},
                  {"arithmetic", arithmetic, 2000}, {"copies", copies, 100}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        double once = seconds_for(shapes[k].shape, shapes[k].n), four = seconds_for(shapes[k].shape, 4 * shapes[k].n);
        printf("%-10s %6d: %.4f s, %6d: %.4f s\n", shapes[k].name, shapes[k].n, once, 4 * shapes[k].n, four);
        CHECK(four < 10 * once + 0.02);
    }
    return check_report();
}
