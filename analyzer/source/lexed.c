#include "source/lexed.h"

struct cw_lexed cw_lexed_read(struct cw_arena *a, cw_str text) {
    struct cw_lexed list = {.arena = a, .text = text.at};
    struct cw_lexer lexer;
    struct cw_token token;
    cw_lexer_init(&lexer, text.at, text.n);
    while ((token = cw_lexer_next(&lexer)).kind != CW_TOKEN_END && list.n < CW_LEXED_MAX)
        if (token.kind != CW_TOKEN_COMMENT && token.kind != CW_TOKEN_DIRECTIVE)
            cw_vec_push(a, &list, token);
    return list;
}

cw_str cw_lexed_text(const struct cw_lexed *list, uint32_t i) {
    return i < list->n ? (cw_str){list->text + list->at[i].at, list->at[i].n} : (cw_str){"", 0};
}

bool cw_lexed_is(const struct cw_lexed *list, uint32_t i, const char *text) {
    return i < list->n && cw_str_is(cw_lexed_text(list, i), text);
}

uint32_t cw_lexed_behind_angles(const struct cw_lexed *list, uint32_t i) {
    enum { MAX_TOKENS = 200 };
    int nesting = 0;
    for (uint32_t k = i; k < list->n && k < i + MAX_TOKENS; k++) {
        nesting += cw_lexed_is(list, k, "<");
        nesting -= cw_lexed_is(list, k, ">");
        if (nesting <= 0)
            return nesting == 0 && k > i ? k + 1 : i;
        if (cw_lexed_is(list, k, ";") || cw_lexed_is(list, k, "{") || cw_lexed_is(list, k, "}"))
            break;
    }
    return i;
}
