/* Spots in awkward text: never outside of it, never inside a token, and the same for whatever stands behind the
 * statement. */
#include "check.h"

#include "perturb/spots.h"

#include <stdlib.h>

/* The text with the call X put in at the place of '@', which is taken out first. */
static char *skewed(struct cw_arena *a, const char *marked) {
    const char *mark = strchr(marked, '@');
    struct cw_buf text = {0}, out = {0};
    cw_buf_add(&text, marked, (size_t)(mark - marked));
    cw_buf_puts(&text, mark + 1);
    const struct cw_source *s = cw_source_of_text(a, "", text.at, text.n);
    struct cw_spot spot = cw_spot_find(cw_tokens_read(a, s), (size_t)(mark - marked));
    static const char *const forms[] = {"", "X; ", " X;", "{ X; ", "X, "};
    if (spot.kind == CW_SPOT_NONE) {
        cw_buf_free(&text);
        return cw_arena_strdup(a, spot.why);
    }
    cw_buf_add(&out, text.at, spot.at);
    cw_buf_puts(&out, forms[spot.kind]);
    if (spot.kind == CW_SPOT_AROUND) {
        cw_buf_add(&out, text.at + spot.at, spot.end - spot.at);
        cw_buf_puts(&out, " }");
        cw_buf_puts(&out, text.at + spot.end);
    } else {
        cw_buf_puts(&out, text.at + spot.at);
    }
    char *result = cw_arena_strdup(a, out.at);
    cw_buf_free(&text);
    cw_buf_free(&out);
    return result;
}

static void check(const char *marked, const char *expected) {
    struct cw_arena a;
    cw_arena_init(&a);
    CHECK_STR(skewed(&a, marked), expected);
    cw_arena_free(&a);
}

static void test_statements(void) {
    check("f() { a; @b; }", "f() { a; X; b; }");
    check("f() { a = g(1, @s[2]); }", "f() { X; a = g(1, s[2]); }");
    check("f() { if (a) @b; else c; d; }", "f() { if (a) { X; b; } else c; d; }");
    check("f() { if (a) b; else @c; d; }", "f() { if (a) b; else { X; c; } d; }");
    check("f() { if (a) for (;;) if (@b) c; else d; e; }", "f() { if (a) for (;;) { X; if (b) c; else d; } e; }");
    check("f() { if (a) do @b; while (c); d; }", "f() { if (a) do { X; b; } while (c); d; }");
    check("f() { switch (a) { case N::b ? 1 : 2: @c; } }", "f() { switch (a) { case N::b ? 1 : 2: X; c; } }");
    check("f() { l: @c; }", "f() { l: X; c; }");
    check("f() { return {@a, b}; }", "f() { X; return {a, b}; }");
    check("f() { int x[] {@a, b}; }", "f() { X; int x[] {a, b}; }");
    check("f() { x = (T){@a, b}; }", "f() { X; x = (T){a, b}; }");
    check("f() { g([=] __device__ (int i) { @s; }); }", "f() { g([=] __device__ (int i) { X; s; }); }");
    check("f() { g([&] { return @s; }); }", "f() { g([&] { X; return s; }); }");
    check("f() { } int g() const noexcept { @s; }", "f() { } int g() const noexcept { X; s; }");
    check("auto f() -> N::T<int> { @s; }", "auto f() -> N::T<int> { X; s; }");
}

static void test_heads(void) {
    check("f() { while (@a) b; }", "f() { while (X, a) b; }");
    check("f() { while (T x = @a) b; }", "f() { X; while (T x = a) b; }");
    check("f() { while (x != @a) b; }", "f() { while (X, x != a) b; }");
    check("f() { while (x = @a) b; }", "f() { while (X, x = a) b; }");
    check("f() { for (@a; b; c) d; }", "f() { X; for (a; b; c) d; }");
    check("f() { for (a; @b; c) d; }", "f() { for (a; X, b; c) d; }");
    check("f() { for (a; g(;) > b; @c) d; }", "f() { for (a; g(;) > b; X, c) d; }");
    check("f() { for (int x : @s) d; }", "f() { X; for (int x : s) d; }");
    check("f() { do { a; } while (@b); }", "f() { do { a; } while (X, b); }");
}

static void test_preprocessor(void) {
    check("f() { a;\n#pragma unroll\nfor (@b;;) c; }", "f() { a; X;\n#pragma unroll\nfor (b;;) c; }");
    check("f() { if (a)\n#if N\n@b;\n#else\nc;\n#endif\n}", "f() { X; if (a)\n#if N\nb;\n#else\nc;\n#endif\n}");
    check("f() { if (a)\n#if N\nb;\n#else\n@c;\n#endif\n}", "no statement can be told apart there");
    check("f() {\n#if N\nif (a) {\n#else\nif (b) {\n#endif\n@c; }\n}",
          "f() {\n#if N\nif (a) {\n#else\nif (b) {\n#endif\nX; c; }\n}");
    check("#define A @s[1]\nf() { A; }", "it stands in a macro's definition");
    check("#define A s[1]\nf() { @A; }", "#define A s[1]\nf() { X; A; }");
}

static void test_refused(void) {
    check("int x = @s[1];", "it stands in no function's body");
    check("struct T { int x = @s[1]; };", "it stands in no function's body");
    check("namespace n { int x = @s[1]; }", "it stands in no function's body");
    check("constexpr int f() { return @s[1]; }", "its function is constexpr");
    check("MY_CONSTEXPR int f() { g([&] { return @s[1]; }); }", "its function is constexpr");
    check("int f() { if constexpr (a) { @b; } }", "int f() { if constexpr (a) { X; b; } }");
    check("@", "it stands in no function's body");
    check("f() { @", "f() { X; ");
}

/* Every place of a text, whole and cut anywhere: the answer lies in the text and takes bounded time. */
static void try_all(const char *text, size_t size) {
    struct cw_arena a;
    cw_arena_init(&a);
    const struct cw_tokens *t = cw_tokens_read(&a, cw_source_of_text(&a, "", text, size));
    for (size_t offset = 0; offset <= size + 1; offset++) {
        struct cw_spot s = cw_spot_find(t, offset);
        if (s.kind == CW_SPOT_NONE ? !s.why : s.at > size || s.end > size || s.end < s.at)
            CHECK(false && "a spot outside of the text");
    }
    cw_arena_free(&a);
}

static void test_damaged(void) {
    static char text[1 << 16];
    FILE *f = fopen(CW_TEST_DIR "/perturb/cases/spots.cu", "re");
    CHECK(f != NULL);
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    CHECK(size > 1000);
    try_all(text, size);
    for (size_t cut = 0; cut < size; cut += 97)
        try_all(text, cut);
    unsigned state = 1;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 20; i++) {
            state = state * 1103515245u + 12345u;
            text[state % size] = "(){}[];:#\n\\\"'/*<>=, if"[state >> 16 & 15];
        }
        try_all(text, size);
    }
}

int main(void) {
    test_statements();
    test_heads();
    test_preprocessor();
    test_refused();
    test_damaged();
    return check_report();
}
