/* Statements of a text: where they begin, what they are in, and which of them have no braces. */
#include "check.h"

#include "base/str.h"
#include "front/front.h"
#include "source/statements.h"

static struct cw_arena arena;
static struct cw_source *source;
static struct cw_statements *statements;

static void read(const char *text) {
    source = cw_source_of_text(&arena, "a.cu", text, strlen(text));
    statements = cw_statements_of(&arena, source);
}

static const char *text_of(const struct cw_statement *s) {
    return cw_arena_strndup(&arena, source->text + s->from, s->to - s->from);
}

/* The innermost statement around the first occurrence of `needle`. */
static const struct cw_statement *around(const char *needle) {
    const char *at = strstr(source->text, needle);
    size_t from = (size_t)(at - source->text);
    uint32_t found = at ? cw_statements_find(statements, from, from + strlen(needle)) : CW_NO_STATEMENT;
    static const struct cw_statement none = {.parent = CW_NO_STATEMENT};
    return found == CW_NO_STATEMENT ? &none : &statements->at.at[found];
}

static const struct cw_statement *parent(const struct cw_statement *s) {
    static const struct cw_statement none = {.parent = CW_NO_STATEMENT};
    return s->parent == CW_NO_STATEMENT ? &none : &statements->at.at[s->parent];
}

static void test_shapes(void) {
    read("__global__ void k(int *s) {\n"
         "    int t = threadIdx.x; // t\n"
         "#pragma unroll 4\n"
         "    for (int i = 0; i < 4; i++)\n"
         "        s[t] += i;\n"
         "    if (t < 3) { t++; } else t--;\n"
         "    do t += 7; while (t < 9);\n"
         "    switch (t) { case 1: s[1] = 2; break; default: s[2] = 3; }\n"
         "}\n");
    CHECK_STR(text_of(around("threadIdx")), "int t = threadIdx.x;");
    CHECK(parent(around("threadIdx"))->kind == CW_STATEMENT_COMPOUND);
    CHECK(parent(around("threadIdx"))->parent == CW_NO_STATEMENT);
    CHECK_STR(text_of(around("+= i")), "s[t] += i;");
    CHECK(around("+= i")->is_bare);
    CHECK(source->text[around("+= i")->header_end - 1] == ')');
    CHECK(parent(around("+= i"))->kind == CW_STATEMENT_LOOP);
    CHECK(!parent(around("+= i"))->is_bare);
    CHECK(source->text[parent(around("+= i"))->head] == '#');
    CHECK(around("int i = 0")->kind == CW_STATEMENT_LOOP); /* its header is no statement of its own */
    CHECK(around("i < 4")->kind == CW_STATEMENT_LOOP);
    CHECK(!around("t++")->is_bare);
    CHECK(around("t--")->is_bare);
    CHECK(around("t < 3")->kind == CW_STATEMENT_IF);
    CHECK(around("+= 7")->is_bare);
    CHECK(!strncmp(source->text + around("+= 7")->header_end - 2, "do", 2));
    CHECK_STR(text_of(around("= 2")), "s[1] = 2;");
    CHECK(parent(around("= 2"))->is_labelled);
}

static const char *piece(struct cw_extent e) {
    return cw_arena_strndup(&arena, source->text + e.from, e.to - e.from);
}

static void test_parts(void) {
    read("void f() { for (int i = 9; i > 1; i >>= 1) s[i] += a(i) * 2; while (x < 3) x = 4; if (y > 5) z(); else w();\n"
         "  if (int q = g()) v = 6; if (int r = h(); r) u = 7; }\n");
    CHECK_STR(piece(around("i >>= 1")->update), "i >>= 1");
    CHECK_STR(piece(around("i >>= 1")->condition), "i > 1");
    CHECK_STR(piece(around("a(i)")->left), "s[i]");
    CHECK_STR(piece(around("a(i)")->op), "+=");
    CHECK_STR(piece(around("a(i)")->right), "a(i) * 2");
    CHECK_STR(piece(around("x < 3")->condition), "x < 3");
    CHECK(!around("x < 3")->has_else);
    CHECK_STR(piece(around("y > 5")->condition), "y > 5");
    CHECK(around("y > 5")->has_else);
    CHECK_STR(piece(around("y > 5")->then), "z();");
    CHECK_STR(piece(around("z()")->left), "");
    CHECK_STR(piece(around("q = g")->condition), "");
    CHECK_STR(piece(around("r = h")->condition), "");
}

static void test_others(void) {
    read("template <int N> struct A { int x = 1; __device__ void f() { g([&] { y = N; }); } };\n"
         "int outside = 5;\n"
         "__device__ void h() {\n"
         "#if X\n"
         "  a = 1;\n"
         "#else\n"
         "  b = 2;\n"
         "#endif\n"
         "  again: c = 3;\n"
         "  [[maybe_unused]] int q = 8;\n"
         "}\n");
    CHECK_INT(around("x = 1")->to, 0);
    CHECK_INT(around("outside")->to, 0);
    CHECK_STR(text_of(around("y = N")), "y = N;");
    CHECK_STR(text_of(around("a = 1")), "a = 1;");
    CHECK_STR(text_of(around("b = 2")), "b = 2;");
    CHECK(around("c = 3")->is_labelled);
    CHECK_STR(text_of(around("q = 8")), "[[maybe_unused]] int q = 8;");
}

static void test_broken(void) {
    read("__global__ void k() { z = 1; if (a b { x[; } y = 1; }\n");
    CHECK(around("x[")->is_broken);
    read("");
    CHECK_INT(statements->at.n, 0);
    struct cw_buf deep = {0};
    cw_buf_puts(&deep, "void f() ");
    for (int i = 0; i < 2000; i++)
        cw_buf_putc(&deep, '{');
    read(deep.at);
    CHECK(statements->at.n < 2001);
    cw_buf_free(&deep);
}

int main(void) {
    cw_arena_init(&arena);
    test_shapes();
    test_parts();
    test_others();
    test_broken();
    cw_arena_free(&arena);
    return check_report();
}
