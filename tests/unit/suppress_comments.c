/* Directives in comments: their forms, and the lines that each covers. */
#include "check.h"

#include "source/lexer.h"
#include "suppress/suppress.h"

#include <stdlib.h>

static struct cw_arena arena;

static struct cw_comments *read_text(const char *text) {
    return cw_comments_read(&arena, cw_source_of_text(&arena, "a.cu", text, strlen(text)));
}

static const char *str_text(cw_str s) {
    return cw_arena_strndup(&arena, s.n ? s.at : "", s.n);
}

/* ---- forms ---- */

static struct cw_directive parse(const char *comment) {
    struct cw_token t = {.n = (uint32_t)strlen(comment), .kind = CW_TOKEN_COMMENT};
    return cw_directive_parse(&arena, cw_token_comment(comment, t));
}

static void check_form(const char *comment, enum cw_directive_kind kind, const char *names, const char *reason) {
    struct cw_directive d = parse(comment);
    const char *all = "";
    for (uint32_t i = 0; i < d.names.n; i++)
        all = cw_arena_printf(&arena, "%s%s%s", all, *all ? " " : "", str_text(d.names.at[i]));
    CHECK_INT(d.kind, kind);
    CHECK_STR(all, names);
    CHECK_STR(str_text(d.reason), reason);
}

static void test_own_forms(void) {
    check_form("// cuwarp: ignore[mask]", CW_DIRECTIVE_IGNORE, "mask", "");
    check_form("/* cuwarp: ignore[a-b, c] -- why not */", CW_DIRECTIVE_IGNORE, "a-b c", "why not");
    check_form("//cuwarp:ignore [ a ,b ]--x", CW_DIRECTIVE_IGNORE, "a b", "x");
    check_form("/// cuwarp: ignore-file[race] -- generated", CW_DIRECTIVE_IGNORE_FILE, "race", "generated");
    check_form("// cuwarp: off[race] -- r // and more", CW_DIRECTIVE_OFF, "race", "r");
    check_form("// cuwarp: on[race] // and more", CW_DIRECTIVE_ON, "race", "");
    check_form("// cuwarp: assume uniform(n, k_2) -- checked", CW_DIRECTIVE_ASSUME_UNIFORM, "n k_2", "checked");
    check_form("// cuwarp: assume converged", CW_DIRECTIVE_ASSUME_CONVERGED, "", "");
    check_form("// cuwarp: launch block=256", CW_DIRECTIVE_LAUNCH, "", "");
    check_form("/* cuwarp: ignore[a] -- first line\n * and more */", CW_DIRECTIVE_IGNORE, "a", "first line");
    check_form("// see http://x/cuwarp: ignore[a]", CW_DIRECTIVE_NONE, "", "");
    check_form("// cuwarp-args: --possible", CW_DIRECTIVE_NONE, "", "");
    check_form("// cuwarp-lint: see the manual", CW_DIRECTIVE_NONE, "", "");
}

static void check_wrong(const char *comment, const char *words) {
    struct cw_directive d = parse(comment);
    CHECK_INT(d.kind, CW_DIRECTIVE_MALFORMED);
    CHECK_STR(d.wrong, words);
}

static void test_wrong_forms(void) {
    check_wrong("// cuwarp-lint: ignore[a]", "directives begin with 'cuwarp:': write 'cuwarp: ignore'");
    check_wrong("// cuwarp: ignore", "'ignore' needs the rules it is for: 'ignore[rule]'");
    check_wrong("// cuwarp: off[]", "'off[…]': expected a comma-separated list of rules or categories");
    check_wrong("// cuwarp: off[a b]", "'off[…]': expected a comma-separated list of rules or categories");
    check_wrong("// cuwarp: ignore[a,]", "'ignore[…]': expected a comma-separated list of rules or categories");
    check_wrong("// cuwarp: ignore[a] why", "unexpected text after 'ignore[…]' (a reason starts with '-- ')");
    check_wrong("// cuwarp: ignor[a]", "unknown directive 'ignor'; did you mean 'ignore'?");
    check_wrong("// cuwarp: whatever", "unknown directive 'whatever'");
    check_wrong("// cuwarp:", "an empty directive");
    check_wrong("// cuwarp: assume best", "'assume' is followed by 'uniform(variable)' or 'converged'");
    check_wrong("// cuwarp: assume uniform(a", "'assume uniform(…)': expected a comma-separated list of variables");
}

static void test_nolint_forms(void) {
    check_form("// NOLINT(cuwarp-mask)", CW_DIRECTIVE_NOLINT, "mask", "");
    check_form("// text NOLINT(a-b, cuwarp-x ,cuwarp-*): why", CW_DIRECTIVE_NOLINT, "x *", "");
    check_form("// NOLINTNEXTLINE(cuwarp-x)", CW_DIRECTIVE_NOLINT_NEXT_LINE, "x", "");
    check_form("/* NOLINTBEGIN(cuwarp-x) */", CW_DIRECTIVE_NOLINT_BEGIN, "x", "");
    check_form("// NOLINTEND(cuwarp-x)", CW_DIRECTIVE_NOLINT_END, "x", "");
    check_form("// NOLINT", CW_DIRECTIVE_NONE, "", "");
    check_form("// NOLINT(bugprone-x)", CW_DIRECTIVE_NOLINT_OTHERS, "bugprone-x", "");
    check_form("// NOLINT(cuwarp-)", CW_DIRECTIVE_NOLINT_OTHERS, "cuwarp-", "");
    check_form("// NOLINT (cuwarp-x)", CW_DIRECTIVE_NONE, "", "");
    check_form("// NOLINT(cuwarp-x", CW_DIRECTIVE_NONE, "", "");
    check_form("// MYNOLINT(cuwarp-x)", CW_DIRECTIVE_NONE, "", "");
    check_form("// NOLINT(bugprone-x) NOLINT(cuwarp-y)", CW_DIRECTIVE_NOLINT, "y", "");
    CHECK_INT(parse("// NOLINT(a, b, cuwarp-y)").others, 2);
}

/* ---- cover ---- */

/* "first-last" of the n-th directive's first name. */
static const char *lines(const char *text, uint32_t n) {
    const struct cw_comments *c = read_text(text);
    if (n >= c->list.n || !c->list.at[n].silences.n)
        return "(none)";
    const struct cw_silence *s = &c->list.at[n].silences.at[0];
    return s->last == UINT32_MAX ? cw_arena_printf(&arena, "%u-", s->first)
                                 : cw_arena_printf(&arena, "%u-%u", s->first, s->last);
}

#define ABOVE "// cuwarp: ignore[a]\n"
#define BEHIND " // cuwarp: ignore[a]\n"

static void test_statements_above(void) {
    CHECK_STR(lines(ABOVE "x = 1;\ny = 2;\n", 0), "2-2");
    CHECK_STR(lines(ABOVE "f(1,\n  2,\n  3);\ny = 2;\n", 0), "2-4");
    CHECK_STR(lines(ABOVE "for (int i = 0; i < n; i++)\n  f(i);\ny;\n", 0), "2-3");
    CHECK_STR(lines(ABOVE "if (a) {\n  b;\n} else {\n  c;\n}\nd;\n", 0), "2-6");
    CHECK_STR(lines(ABOVE "if (a)\n  b;\nelse if (c)\n  d;\nelse\n  e;\nf;\n", 0), "2-7");
    CHECK_STR(lines(ABOVE "do {\n  a;\n} while (b);\nc;\n", 0), "2-4");
    CHECK_STR(lines(ABOVE "if (a) {\n}\nwhile (b) {\n}\n", 0), "2-3");
    CHECK_STR(lines(ABOVE "int x[] = {1,\n 2};\ny;\n", 0), "2-3");
    CHECK_STR(lines(ABOVE "auto f = [&](int i) {\n  return i;\n};\ny;\n", 0), "2-4");
    CHECK_STR(lines(ABOVE "template <int N>\n__global__ void k() {\n  a;\n}\nb;\n", 0), "2-5");
    CHECK_STR(lines("{\n" ABOVE "}\nx;\n", 0), "3-3"); /* nothing follows in the block */
    CHECK_STR(lines("f(a,\n" ABOVE "b);\nx;\n", 0), "3-3");
}

static void test_what_may_stand_between(void) {
    CHECK_STR(lines(ABOVE "// a remark\n/* and\n another */\nx;\n", 0), "2-5");
    CHECK_STR(lines(ABOVE ABOVE "x;\n", 0), "2-3");
    CHECK_STR(lines(ABOVE "// x();\n\ny;\n", 0), "2-2"); /* code in a comment */
    CHECK_STR(lines(ABOVE "\nx;\n", 0), "0-0"); /* a blank line parts them */
    CHECK_STR(lines(ABOVE "#pragma unroll\nfor (;;) {\n}\n", 0), "2-4");
    CHECK_STR(lines(ABOVE "#if A\nx;\n#endif\n", 0), "2-3");
    CHECK_STR(lines(ABOVE "#if A\nif (a) {\n#else\nif (b) {\n#endif\n  c;\n}\nd;\n", 0), "2-8");
    CHECK_STR(lines("/* cuwarp: ignore[a] */ f(1,\n 2);\n", 0), "1-2");
    CHECK_STR(lines(ABOVE, 0), "0-0");
}

static void test_statements_before(void) {
    CHECK_STR(lines("x = 1;\ny = 2;" BEHIND "z;\n", 0), "2-2");
    CHECK_STR(lines("x;\nf(1,\n  2);" BEHIND "z;\n", 0), "2-3");
    CHECK_STR(lines("x;\nf(1," BEHIND "  2);\n", 0), "2-2");
    CHECK_STR(lines("x;\nf(g(1), h(\n  2," BEHIND "  3));\n", 0), "2-3");
    CHECK_STR(lines("x;\nif (a &&\n    b) {" BEHIND "  c;\n}\n", 0), "2-3");
    CHECK_STR(lines("x;\nfor (int i = 0; i < n;\n     i++)" BEHIND "  c;\n", 0), "2-3");
    CHECK_STR(lines("{\n  x;\n}" BEHIND, 0), "3-3");
    CHECK_STR(lines("#define A 1\n#if B" BEHIND "#endif\n", 0), "2-2");
}

static void test_regions(void) {
    static const char text[] = "// cuwarp: off[a, b]\nx;\n// cuwarp: on[a]\ny;\n// cuwarp: on[c]\n";
    const struct cw_comments *c = read_text(text);
    CHECK_INT(c->list.n, 3);
    CHECK_STR(lines(text, 0), "1-3");
    CHECK(c->list.at[0].silences.at[1].last == UINT32_MAX);
    CHECK(!c->list.at[1].silences.at[0].is_wrong && c->list.at[2].silences.at[0].is_wrong);
    CHECK_STR(lines("x; // cuwarp: ignore-file[a]\n", 0), "1-");
    CHECK_STR(lines("x;\n// NOLINTBEGIN(cuwarp-a)\ny;\n// NOLINTEND(cuwarp-a)\n", 0), "2-4");
    CHECK_STR(lines("x;\n/* NOLINTNEXTLINE(cuwarp-a)\n */\ny;\n", 0), "4-4");
    CHECK_STR(lines("x;\nf(1,\n2); // NOLINT(cuwarp-a)\n", 0), "3-3");
    /* The inner one of two is the one that ends. */
    static const char nested[] = "// cuwarp: off[a]\n// cuwarp: off[a]\n// cuwarp: on[a]\n";
    CHECK_STR(lines(nested, 0), "1-");
    CHECK_STR(lines(nested, 1), "2-3");
}

static void test_macros(void) {
    const struct cw_comments *c = read_text("#define A(x) \\\n  f(x); /* cuwarp: ignore[a] */ \\\n  g(B)\n"
                                            "#define B h() // cuwarp: ignore[b]\n"
                                            "// cuwarp: ignore[c]\n#define C \\\n  1\n"
                                            "// cuwarp: ignore[d]\n#undef C\nx;\n");
    struct cw_macros macros = cw_macros_read(&arena, c->source);
    CHECK_INT(c->list.n, 4);
    CHECK_STR(str_text(c->list.at[0].macro), "A");
    CHECK_STR(str_text(c->list.at[1].macro), "B");
    CHECK_STR(str_text(c->list.at[2].macro), "C");
    CHECK_STR(str_text(c->list.at[3].macro), "");
    CHECK_INT(c->list.at[3].silences.at[0].first, 9);
    CHECK(c->has_macros);
    CHECK_INT(macros.n, 3);
    CHECK_STR(str_text(cw_vec_last(&macros.at[0].mentions)), "B");
}

static void test_where_it_is_written(void) {
    const struct cw_comments *c = read_text("x; // cuwarp: ignore[a]\n  // cuwarp: ignore[b]\n"
                                            "/* cuwarp: ignore[c] */ y;\nconst char *s = \"// cuwarp: ignore[d]\";\n"
                                            "R\"(\n// cuwarp: ignore[e]\n)\";\n");
    CHECK_INT(c->list.n, 3);
    CHECK(c->list.at[0].is_behind && !c->list.at[0].is_alone);
    CHECK(!c->list.at[1].is_behind && c->list.at[1].is_alone);
    CHECK(!c->list.at[2].is_behind && !c->list.at[2].is_alone);
    CHECK_STR(str_text(c->list.at[2].code), "y;");
    CHECK_INT(read_text("no directives; // at all\n")->list.n, 0);
    CHECK_INT(read_text("")->list.n, 0);
}

static void test_names(void) {
    CHECK(cw_silence_names(CW_STR("mask"), "bad-shuffle-width", "mask"));
    CHECK(cw_silence_names(CW_STR("bad-shuffle-width"), "bad-shuffle-width", "mask"));
    CHECK(cw_silence_names(CW_STR("bad-*"), "bad-shuffle-width", "mask") && cw_silence_names(CW_STR("*"), "x", "y"));
    CHECK(!cw_silence_names(CW_STR("bad-shuffle"), "bad-shuffle-width", "mask"));
    CHECK(!cw_silence_names(CW_STR("good-*"), "bad-shuffle-width", "mask") && !cw_silence_names(CW_STR(""), "x", NULL));
}

/* Thousands of directives with nothing between them to end their statements. */
static void test_hostile(void) {
    enum { N = 5000 };
    static const char line[] = "f( // cuwarp: ignore[a]\n// cuwarp: off[b]\n";
    struct cw_buf b = {0};
    for (int i = 0; i < N; i++)
        cw_buf_puts(&b, line);
    CHECK(read_text(b.at)->list.n > 1000);
    cw_buf_free(&b);
}

int main(void) {
    cw_arena_init(&arena);
    test_own_forms();
    test_wrong_forms();
    test_nolint_forms();
    test_statements_above();
    test_what_may_stand_between();
    test_statements_before();
    test_regions();
    test_macros();
    test_where_it_is_written();
    test_names();
    test_hostile();
    cw_arena_free(&arena);
    return check_report();
}
