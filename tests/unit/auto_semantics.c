/* Both front ends compute the same. The functions of tests/front/semantics are lowered by each, and their IR is run on
 * pairs of arguments: a value that the syntax tree's lowering leaves unknown is allowed, another value is not. */
#include "check.h"
#include "front/front.h"
#include "support/files.h"
#include "support/ir_interp.h"
#include "support/semantics_folder.h"

static const int64_t pairs[][2] = {{0, 0},        {1, 2},     {-1, 3},         {100, -7},
                                   {-12345, 678}, {255, 256}, {65536, -65536}, {31, 17}};

static uint32_t agreed, unknown;

static const struct cw_fn *same_function(const struct cw_module *m, const struct cw_fn *like) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (strcmp(fn->name, like->name) == 0 && fn->name_span.line == like->name_span.line &&
            fn->name_span.col == like->name_span.col && fn->params.n == like->params.n &&
            fn->is_pattern == like->is_pattern)
            return fn;
    }
    return NULL;
}

static bool takes_numbers(const struct cw_fn *fn) {
    if (fn->params.n > 2 || !cw_type_is_int(fn->result) || fn->kind == CW_FN_HOST || fn->is_pattern ||
        strncmp(fn->name, "check_", 6) == 0)
        return false;
    for (uint32_t i = 0; i < fn->params.n; i++)
        if (fn->params.at[i].type != CW_I32 || strcmp(fn->params.at[i].name, "this") == 0)
            return false;
    return true;
}

static bool compute(struct cw_arena *a, const struct cw_module *m, const struct cw_fn *fn, const int64_t *args,
                    int64_t *value) {
    struct interp in;
    interp_init(&in, a, m);
    *value = interp_call(&in, fn, args);
    return !in.stuck;
}

static void compare(const char *path, struct cw_arena *a, const struct cw_module *clang, const struct cw_module *ts,
                    const struct cw_fn *fn) {
    const struct cw_fn *other = same_function(ts, fn);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int64_t x, y;
        if (!compute(a, clang, fn, pairs[i], &x))
            continue;
        if (!other || !compute(a, ts, other, pairs[i], &y)) {
            unknown++;
            continue;
        }
        agreed += x == y;
        check_count++;
        if (x != y) {
            check_failures++;
            fprintf(stderr, "%s:%u: %s(%lld, %lld) is %lld, the syntax tree says %lld\n", path, fn->span.line, fn->name,
                    (long long)pairs[i][0], (long long)pairs[i][1], (long long)x, (long long)y);
        }
    }
}

static void run_file(const char *path) {
    struct cw_arena a;
    const char *error = NULL, *args[] = {"-I", CW_TEST_DIR "/front/semantics", "-std=c++17"};
    size_t size = 0;
    char *text = read_whole(path, &size);
    cw_arena_init(&a);
    struct cw_front_options o = {.path = path, .text = text, .size = size, .args = args, .nargs = 3, .arch = 75};
    struct cw_module *clang = cw_front_clang(&a, &o, &error), *ts = cw_front_ts(&a, &o, &error);
    CHECK(clang && ts);
    for (uint32_t i = 0; i < ts->fns.n; i++) {
        const char *wrong = cw_fn_verify(ts->fns.at[i]);
        check_count++;
        if (wrong) {
            check_failures++;
            fprintf(stderr, "%s: %s is malformed: %s\n", path, ts->fns.at[i]->name, wrong);
        }
    }
    for (uint32_t i = 0; i < clang->fns.n; i++)
        if (takes_numbers(clang->fns.at[i]))
            compare(path, &a, clang, ts, clang->fns.at[i]);
    cw_arena_free(&a);
    free(text);
}

int main(int argc, char **argv) {
    each_semantics_file(argc, argv, run_file);
    printf("%u values agree, %u are unknown to the syntax tree\n", agreed, unknown);
    CHECK(argc > 1 || agreed > unknown);
    return check_report();
}
