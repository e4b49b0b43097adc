#include "source/constant_counts.h"

#include "source/lexed.h"

#include <ctype.h>
#include <string.h>

/* Could the argument, tokens from..to, be a constant that is some count: a number above 0, `WIDTH`, `2 * kRows`? */
static bool is_constant_count(const struct cw_lexed *tokens, uint32_t from, uint32_t to) {
    bool is_count = false;
    for (uint32_t i = from; i < to; i++) {
        cw_str text = cw_lexed_text(tokens, i);
        bool is_name = tokens->at[i].kind == CW_TOKEN_NAME, is_number = tokens->at[i].kind == CW_TOKEN_NUMBER;
        bool is_constant_name = isupper((unsigned char)text.at[text.n > 1 && text.at[0] == 'k']);
        if (is_name && !is_constant_name)
            return false;
        is_count |= is_name || (is_number && !cw_str_is(text, "0") && !memchr(text.at, '.', text.n));
    }
    return is_count;
}

/* Has one of the arguments between the parentheses, of which `open` is the first, such a value? */
static bool has_constant_count(const struct cw_lexed *tokens, uint32_t open) {
    int depth = 0;
    uint32_t from = open + 1;
    for (uint32_t i = open; i < tokens->n; i++) {
        bool is_end = false;
        depth += cw_lexed_is(tokens, i, "(") || cw_lexed_is(tokens, i, "{");
        if (cw_lexed_is(tokens, i, ")") || cw_lexed_is(tokens, i, "}"))
            is_end = --depth == 0;
        if (!is_end && !(depth == 1 && cw_lexed_is(tokens, i, ",")))
            continue;
        if (is_constant_count(tokens, from, i))
            return true;
        if (is_end)
            break;
        from = i + 1;
    }
    return false;
}

bool cw_passes_constant_count(cw_str text, cw_str name) {
    struct cw_arena scratch;
    bool passes = false;
    cw_arena_init(&scratch);
    struct cw_lexed tokens = cw_lexed_read(&scratch, text);
    for (uint32_t i = 0; i < tokens.n && !passes; i++) {
        if (tokens.at[i].kind != CW_TOKEN_NAME || !cw_str_eq(cw_lexed_text(&tokens, i), name))
            continue;
        uint32_t open = cw_lexed_behind_angles(&tokens, i + 1);
        passes = cw_lexed_is(&tokens, open, "(") && has_constant_count(&tokens, open);
    }
    cw_arena_free(&scratch);
    return passes;
}
