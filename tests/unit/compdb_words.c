/* Command lines and response files taken apart. */
#include "compdb/words.h"

#include "check.h"

#include <stdlib.h>

static struct cw_arena arena;

/* The words with '|' between them. */
static const char *shown(const struct cw_words *w) {
    struct cw_buf b = {0};
    cw_buf_puts(&b, "");
    for (uint32_t i = 0; i < w->n; i++)
        cw_buf_printf(&b, "%s%s", i ? "|" : "", w->at[i]);
    const char *text = cw_arena_strdup(&arena, b.at ? b.at : "");
    cw_buf_free(&b);
    return text;
}

static const char *split(const char *text, enum cw_quoting quoting) {
    struct cw_words w = {0};
    cw_words_split(&arena, cw_str_of(text), quoting, &w);
    return shown(&w);
}

static const char *list(const char *text) {
    struct cw_words w = {0};
    cw_words_split_list(&arena, text, &w);
    return shown(&w);
}

static void test_shell(void) {
    CHECK_STR(split("nvcc  -c\ta.cu\n", CW_QUOTING_SHELL), "nvcc|-c|a.cu");
    CHECK_STR(split("", CW_QUOTING_SHELL), "");
    CHECK_STR(split("-DA=\"a b\" '-DB=\"c\"'", CW_QUOTING_SHELL), "-DA=a b|-DB=\"c\"");
    CHECK_STR(split("-DNAME=\"\\\"a b\\\"\"", CW_QUOTING_SHELL), "-DNAME=\"a b\"");
    CHECK_STR(split("a\\ b 'c\\d' \"e\\f\" \"\\$g\"", CW_QUOTING_SHELL), "a b|c\\d|e\\f|$g");
    CHECK_STR(split("'' \"\" x''y", CW_QUOTING_SHELL), "||xy");
    CHECK_STR(split("a\\\nb c\\\r\nd", CW_QUOTING_SHELL), "ab|cd");
    CHECK_STR(split("open 'quote and \"more", CW_QUOTING_SHELL), "open|quote and \"more");
    CHECK_STR(split("end\\", CW_QUOTING_SHELL), "end");
    /* Nothing is expanded: what a shell would run stays text. */
    CHECK_STR(split("$(touch x) `id` $HOME ; a && b > c *", CW_QUOTING_SHELL),
              "$(touch|x)|`id`|$HOME|;|a|&&|b|>|c|*");
}

static void test_response(void) {
    CHECK_STR(split("-I\"/a b/c\" -isystem=/opt/sys\r\n-DX", CW_QUOTING_RESPONSE), "-I/a b/c|-isystem=/opt/sys|-DX");
    CHECK_STR(split("'a\\'b' \"c\\nd\" e\\\\f", CW_QUOTING_RESPONSE), "a'b|cnd|e\\f");
}

static void test_list(void) {
    CHECK_STR(list("a,b,,c"), "a|b|c");
    CHECK_STR(list("A=\"1,2\",B"), "A=\"1,2\"|B");
    CHECK_STR(list("A=1\\,2"), "A=1,2");
    CHECK_STR(list("Q=\\\"s\\\""), "Q=\"s\"");
    CHECK_STR(list(""), "");
}

static void test_bounds(void) {
    struct cw_words w = {0};
    size_t n = CW_MAX_WORD_BYTES + 10;
    char *big = malloc(n + 4);
    if (!big)
        return;
    memset(big, 'x', n);
    memcpy(big + n, " ok", 4);
    cw_words_split(&arena, cw_str_of(big), CW_QUOTING_SHELL, &w);
    CHECK_STR(shown(&w), "ok");
    for (size_t i = 0; i < n; i++)
        big[i] = i % 2 ? ' ' : 'y';
    w.n = 0;
    cw_words_split(&arena, cw_str_of(big), CW_QUOTING_SHELL, &w);
    CHECK_INT(w.n, CW_MAX_WORDS);
    free(big);
    w.n = 0;
    cw_words_split(&arena, CW_STR("a b\0c d"), CW_QUOTING_RESPONSE, &w);
    CHECK_STR(shown(&w), "a|b");
}

int main(void) {
    cw_arena_init(&arena);
    test_shell();
    test_response();
    test_list();
    test_bounds();
    cw_arena_free(&arena);
    return check_report();
}
