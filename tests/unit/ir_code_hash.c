/* Equal code of two modules has one hash; what a rule could report otherwise changes it. */
#include "check.h"

#include "ir/code_hash.h"

/* %s: type of the local, a store to it, type of the shared array, a line, a callee, a constant. */
#define TEXT(local, store, shared, line, callee, number)                                                               \
    "kernel @k(ptr %p restrict elem=4) {\n"                                                                            \
    "  local $q[8] align=8 type=\"" local "\" @3:1-4\n"                                                               \
    "  shared $s[64] elem=4 type=\"" shared "\" @4:1-4\n"                                                             \
    "entry:\n" store "  %v = load i32 $s @" line ":2-8\n"                                                              \
    "  call @" callee "(%v, " number ") @6:2-8\n"                                                                      \
    "  return\n"                                                                                                       \
    "}\n"

static uint64_t hash_of(struct cw_arena *a, const char *text, bool types) {
    const char *error = NULL;
    struct cw_module *m = cw_module_parse(a, text, strlen(text), &error);
    CHECK_STR(error ? error : "fine", "fine");
    if (!m)
        return 0;
    cw_fn_link_preds(m->fns.at[0]);
    return cw_fn_code_hash(m->fns.at[0], types, 7);
}

static void test_equal(struct cw_arena *a) {
    static const char plain[] = TEXT("int *", "", "int[16]", "5", "f", "1");
    static const char *const others[] = {
        TEXT("int *", "", "int[4][4]", "5", "f", "1"), TEXT("int *", "", "int[16]", "6", "f", "1"),
        TEXT("int *", "", "int[16]", "5", "g", "1"), TEXT("int *", "", "int[16]", "5", "f", "2"),
        TEXT("int *", "  store %p, $q\n", "int[16]", "5", "f", "1")};
    uint64_t first = hash_of(a, plain, true);
    CHECK(first == hash_of(a, plain, true));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK(first != hash_of(a, others[i], true));
        CHECK(hash_of(a, plain, false) != hash_of(a, others[i], false));
    }
}

/* `float *RESTRICT p = q;` where the macro is empty for one architecture. */
static void test_types_of_locals(struct cw_arena *a) {
    static const char plain[] = TEXT("int *", "", "int[16]", "5", "f", "1");
    static const char restricted[] = TEXT("int *__restrict", "", "int[16]", "5", "f", "1");
    static const char used[] = TEXT("int *", "  store %p, $q\n", "int[16]", "5", "f", "1");
    static const char used_restricted[] = TEXT("int *__restrict", "  store %p, $q\n", "int[16]", "5", "f", "1");
    CHECK(hash_of(a, plain, true) == hash_of(a, restricted, true));
    CHECK(hash_of(a, used, true) != hash_of(a, used_restricted, true));
    CHECK(hash_of(a, used, false) == hash_of(a, used_restricted, false));
}

/* Constants, names and files have other indices in other modules. */
static void test_indices(struct cw_arena *a) {
    #define BODY(file) "kernel @k() {\nentry:\n  call @f(3) @" file "/5:2-8\n  return\n}\n"
    static const char text[] = "file \"a.cu\"\nfile \"b.h\"\n" BODY("1");
    static const char moved[] = "file \"a.cu\"\nfile \"c.h\"\nfile \"b.h\"\n" BODY("2");
    static const char other[] = "file \"a.cu\"\nfile \"c.h\"\nfile \"b.h\"\n" BODY("1");
    CHECK(hash_of(a, text, true) == hash_of(a, moved, true));
    CHECK(hash_of(a, text, true) != hash_of(a, other, true));
}

int main(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    test_equal(&a);
    test_types_of_locals(&a);
    test_indices(&a);
    cw_arena_free(&a);
    return check_report();
}
