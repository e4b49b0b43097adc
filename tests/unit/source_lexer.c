/* Tokens of awkward text. Each case spells the expected tokens as kind letters and texts. */
#include "check.h"

#include "source/lexer.h"

#include <stdlib.h>

/* "n:int n:x p:;" with '!' after the kind of tokens that belong to a directive. */
static char *spell(const char *text, size_t size) {
    static const char letter[] = {[CW_TOKEN_NAME] = 'n',   [CW_TOKEN_NUMBER] = '0',  [CW_TOKEN_STRING] = 's',
                                  [CW_TOKEN_CHAR] = 'c',   [CW_TOKEN_HEADER] = 'h',  [CW_TOKEN_PUNCT] = 'p',
                                  [CW_TOKEN_COMMENT] = '/', [CW_TOKEN_DIRECTIVE] = '#'};
    struct cw_buf out = {0};
    struct cw_lexer l;
    cw_lexer_init(&l, text, size);
    for (struct cw_token t; (t = cw_lexer_next(&l)).kind != CW_TOKEN_END;)
        cw_buf_printf(&out, "%s%c%s:%.*s", out.n ? " " : "", letter[t.kind], t.in_directive ? "!" : "", (int)t.n,
                      text + t.at);
    cw_buf_add(&out, "", 0);
    return out.at;
}

static void check_tokens(const char *text, const char *expected) {
    char *got = spell(text, strlen(text));
    CHECK_STR(got, expected);
    free(got);
}

static void test_literals(void) {
    check_tokens("f(\"a\\\"b\", 'c', '\\'')", "n:f p:( s:\"a\\\"b\" p:, c:'c' p:, c:'\\'' p:)");
    check_tokens("u8\"x\" L'y' uR\"q(a)\" )q\" z", "s:u8\"x\" c:L'y' s:uR\"q(a)\" )q\" n:z");
    check_tokens("R\"(// no comment\n)\";", "s:R\"(// no comment\n)\" p:;");
    check_tokens("FOO\"x\"", "n:FOO s:\"x\"");
    check_tokens("1'000'000 0x1p-3f 1e+5 .5 1.f", "0:1'000'000 0:0x1p-3f 0:1e+5 0:.5 0:1.f");
    check_tokens("\"open\nnext", "s:\"open n:next");
    check_tokens("\"spliced\\\nstill\" x", "s:\"spliced\\\nstill\" n:x");
    check_tokens("R\"(open", "s:R\"(open");
    check_tokens("'\\", "c:'\\");
}

static void test_comments(void) {
    check_tokens("a // b \\\n c\nd", "n:a /:// b \\\n c n:d");
    check_tokens("a /* // */ b /* open", "n:a /:/* // */ n:b /:/* open");
    check_tokens("/*/ x */ y", "/:/*/ x */ n:y");
    check_tokens("\"/*\" x", "s:\"/*\" n:x");
    check_tokens("a / b", "n:a p:/ n:b");
    check_tokens("/", "p:/");
    check_tokens("/*", "/:/*");
}

static void test_directives(void) {
    check_tokens("#include <a//b's.h> // c\nx", "#!:#include h!:<a//b's.h> /!:// c n:x");
    check_tokens("# \\\n define A \\\r\n B\r\nC", "#!:# \\\n define n!:A n!:B n:C");
    check_tokens("/* c */ #if 1\na # b", "/:/* c */ #!:#if 0!:1 n:a p:# n:b");
    check_tokens("#define S(x) #x\n", "#!:#define n!:S p!:( n!:x p!:) p!:# n!:x");
    check_tokens("#define A /* two\nlines */ B\nC", "#!:#define n!:A /!:/* two\nlines */ n!:B n:C");
    check_tokens("#error don't\nx", "#!:#error n!:don c!:'t n:x");
    check_tokens("#\nx", "#!:# n:x");
}

static void test_punctuation(void) {
    check_tokens("k<<<1,2>>>(a);", "n:k p:<<< 0:1 p:, 0:2 p:> p:> p:> p:( n:a p:) p:;");
    check_tokens("a<<2 <=b A::c->d", "n:a p:<< 0:2 p:<= n:b n:A p::: n:c p:-> n:d");
    check_tokens("v<v<int>>", "n:v p:< n:v p:< n:int p:> p:>");
    check_tokens("\xC3\xA9t\xC3\xA9 @", "n:\xC3\xA9t\xC3\xA9 p:@");
}

static void check_comment(const char *text, const char *expected) {
    struct cw_lexer l;
    cw_lexer_init(&l, text, strlen(text));
    cw_str got = cw_token_comment(text, cw_lexer_next(&l));
    CHECK(cw_str_is(got, expected));
}

static void test_comment_text(void) {
    check_comment("//   cuwarp: a \n", "cuwarp: a");
    check_comment("/// cuwarp: a", "cuwarp: a");
    check_comment("/* cuwarp: a */", "cuwarp: a");
    check_comment("/** x", "x");
    check_comment("/**/", "");
    check_comment("/*", "");
    check_comment("//", "");
}

/* Whatever the bytes, tokens follow each other inside the text and the end comes. */
static void test_any_bytes(void) {
    static const char alphabet[] = "/*\\\n\r\"'R(#<>:-a1 .e\x80";
    char text[40];
    uint32_t state = 1;
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof text; i++) {
            state = state * 1664525u + 1013904223u;
            text[i] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
        }
        struct cw_lexer l;
        uint32_t end = 0, count = 0;
        bool ordered = true;
        cw_lexer_init(&l, text, sizeof text);
        for (struct cw_token t; (t = cw_lexer_next(&l)).kind != CW_TOKEN_END && count <= sizeof text; count++) {
            ordered = ordered && t.at >= end && t.n > 0 && t.at + t.n <= sizeof text;
            end = t.at + t.n;
        }
        if (!ordered || count > sizeof text)
            CHECK_STR(spell(text, sizeof text), "tokens in order");
    }
    CHECK(state != 1);
}

int main(void) {
    test_literals();
    test_comments();
    test_directives();
    test_punctuation();
    test_comment_text();
    test_any_bytes();
    return check_report();
}
