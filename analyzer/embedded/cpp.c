/* String literals of C and C++: [lex.string], [lex.ccon] of the C++ standard. */
#include "embedded/internal.h"

#include "source/lexer.h"

#include <string.h>

/* The lexer's tokens; strings of different preprocessor lines must not be joined. */
struct emb_tokens emb_cpp_tokens(struct cw_arena *a, cw_str text) {
    static const uint8_t kinds[] = {[CW_TOKEN_NAME] = EMB_NAME, [CW_TOKEN_STRING] = EMB_STRING,
                                    [CW_TOKEN_PUNCT] = EMB_PUNCT, [CW_TOKEN_NUMBER] = EMB_OTHER,
                                    [CW_TOKEN_CHAR] = EMB_OTHER, [CW_TOKEN_HEADER] = EMB_OTHER,
                                    [CW_TOKEN_DIRECTIVE] = EMB_NEWLINE};
    struct emb_tokens out = {0};
    struct cw_lexer l;
    bool in_directive = false;
    cw_lexer_init(&l, text.at, text.n);
    for (struct cw_token t; out.n < EMB_MAX_TOKENS && (t = cw_lexer_next(&l)).kind != CW_TOKEN_END;) {
        if (t.kind == CW_TOKEN_COMMENT)
            continue;
        if (in_directive && !t.in_directive)
            cw_vec_push(a, &out, ((struct emb_token){t.at, 0, EMB_NEWLINE}));
        in_directive = t.in_directive;
        cw_vec_push(a, &out, ((struct emb_token){t.at, t.n, kinds[t.kind]}));
    }
    return out;
}

/* Bytes of the line ending at `at`, or 0. */
static uint32_t newline_length(cw_str text, uint32_t at, uint32_t end) {
    if (at < end && text.at[at] == '\n')
        return 1;
    if (at >= end || text.at[at] != '\r')
        return 0;
    return at + 1 < end && text.at[at + 1] == '\n' ? 2 : 1;
}

static void decode_raw(struct emb_value *emb_value, cw_str text, uint32_t quote, uint32_t end) {
    const char *open = memchr(text.at + quote, '(', end - quote);
    if (!open)
        return;
    uint32_t from = (uint32_t)(open - text.at) + 1, delimiter = from - quote - 2;
    if (end >= from + delimiter + 2)
        emb_add_plain(emb_value, text, from, end - delimiter - 2 - from);
}

static uint32_t decode_escape(struct emb_value *emb_value, cw_str text, uint32_t at, uint32_t end) {
    uint32_t splice = newline_length(text, at + 1, end);
    if (splice)
        return 1 + splice;
    uint32_t n = emb_common_escape(emb_value, text, at, end);
    if (!n && at + 1 < end) { /* "\?", and what no compiler takes */
        emb_add_escape(emb_value, text.at + at + 1, 1, at, 2);
        n = 2;
    }
    return n ? n : 1;
}

void emb_cpp_decode(struct emb_value *emb_value, cw_str text, struct emb_token emb_token) {
    uint32_t at = emb_token.at, end = emb_token.at + emb_token.n;
    while (at < end && text.at[at] != '"')
        at++;
    if (at > emb_token.at && text.at[at - 1] == 'R') {
        decode_raw(emb_value, text, at, end);
        return;
    }
    at++;
    if (end > at && text.at[end - 1] == '"')
        end--;
    while (at < end) {
        const char *backslash = memchr(text.at + at, '\\', end - at);
        uint32_t stop = backslash ? (uint32_t)(backslash - text.at) : end;
        emb_add_plain(emb_value, text, at, stop - at);
        at = stop;
        if (at < end)
            at += decode_escape(emb_value, text, at, end);
    }
}
