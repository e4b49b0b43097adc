/* Lowered code computes what C++ says. Each function `check_…` of tests/front/semantics/ *.cu returns whether a value
 * computed by the code under test equals the one that libclang's own constant evaluator found (see check.h there), or
 * one written by hand; here the IR of those functions is run. */
#include "check.h"
#include "front/front.h"
#include "support/files.h"
#include "support/ir_interp.h"
#include "support/semantics_folder.h"

/* The passes that make SSA must keep the meaning: they run on the same function, calls inlined. */
static void run_ssa(const char *path, struct cw_arena *a, const struct cw_module *m, const struct cw_fn *fn) {
    struct interp in;
    struct cw_fn *ssa = cw_inline(fn, a, 100000);
    check_count++;
    cw_fn_link_preds(ssa);
    cw_promote(ssa);
    cw_simplify(ssa);
    interp_init(&in, a, m);
    const char *wrong = cw_fn_verify(ssa);
    int64_t ok = wrong ? 0 : interp_call(&in, ssa, NULL);
    if (in.stuck && (strncmp(in.stuck, "bytes ", 6) == 0 || strcmp(in.stuck, "bits") == 0 ||
                     strcmp(in.stuck, "opcall") == 0))
        return; /* given up on, not wrong: recursion, a value read in other pieces than it was written */
    if (wrong || in.stuck || ok != 1) {
        check_failures++;
        fprintf(stderr, "%s:%u: %s is wrong in SSA%s%s\n", path, fn->span.line, fn->name, wrong || in.stuck ? ": " : "",
                wrong ? wrong : in.stuck ? in.stuck : "");
    }
}

static void run(const char *path, struct cw_arena *a, const struct cw_module *m, const struct cw_fn *fn) {
    struct interp in;
    check_count++;
    interp_init(&in, a, m);
    const char *wrong = cw_fn_verify(fn);
    int64_t ok = wrong ? 0 : interp_call(&in, fn, NULL);
    if (wrong || in.stuck || ok != 1) {
        check_failures++;
        fprintf(stderr, "%s:%u: %s is wrong%s%s\n", path, fn->span.line, fn->name, wrong || in.stuck ? ": " : "",
                wrong ? wrong : in.stuck ? in.stuck : "");
    }
}

static void run_file(const char *path) {
    struct cw_arena a;
    const char *error = NULL, *args[] = {"-I", CW_TEST_DIR "/front/semantics", "-std=c++17"};
    size_t size;
    char *text = read_whole(path, &size);
    int before = check_count;
    cw_arena_init(&a);
    struct cw_front_options o = {.path = path, .text = text, .size = size, .args = args, .nargs = 3, .arch = 75};
    struct cw_module *m = cw_front_clang(&a, &o, &error);
    CHECK(m != NULL);
    for (uint32_t i = 0; m && i < m->notes.n; i++)
        if (m->notes.at[i].is_error) {
            check_failures++;
            fprintf(stderr, "%s:%u: %s\n", path, m->notes.at[i].span.line, m->notes.at[i].text);
        }
    for (uint32_t i = 0; m && i < m->fns.n; i++)
        if (strncmp(m->fns.at[i]->name, "check_", 6) == 0) {
            run(path, &a, m, m->fns.at[i]);
            run_ssa(path, &a, m, m->fns.at[i]);
        }
    CHECK(check_count > before + 2);
    cw_arena_free(&a);
    free(text);
}

int main(int argc, char **argv) {
    each_semantics_file(argc, argv, run_file);
    return check_report();
}
