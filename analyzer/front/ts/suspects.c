/* A quick look at whether an unknown attribute-like macro can be behind the other parser's errors: the text as it is
 * written, no header, no macro expanded. What clang does not know it complains about where it stands, or at the next
 * token, so a name without an error beside it needs no preprocessor to be acquitted. */
#include "front/ts/part.h"

enum { MAX_TOKENS = 2000000 };

static struct ts_tokens written_tokens(struct cw_arena *a, const struct cw_source *source) {
    struct ts_tokens tokens = {0};
    struct cw_lexer lexer;
    cw_lexer_init(&lexer, source->text, source->size);
    for (struct cw_token t = cw_lexer_next(&lexer); t.kind != CW_TOKEN_END && tokens.n < MAX_TOKENS;
         t = cw_lexer_next(&lexer))
        if (t.kind != CW_TOKEN_COMMENT && !t.in_directive)
            cw_vec_push(a, &tokens,
                        ((struct ts_token){
                            .at = source->text + t.at, .n = t.n, .kind = t.kind, .from = t.at, .to = t.at + t.n}));
    return tokens;
}

static bool is_between(const uint32_t *lines, uint32_t n, uint32_t first, uint32_t last) {
    for (uint32_t i = 0; i < n; i++)
        if (lines[i] >= first && lines[i] <= last)
            return true;
    return false;
}

static uint32_t line_of(const struct cw_source *source, size_t offset) {
    uint32_t line, col;
    cw_source_place(source, offset, &line, &col);
    return line;
}

bool cw_front_ts_suspects_macro(struct cw_arena *a, const struct cw_source *source, const uint32_t *lines, uint32_t n) {
    struct ts_tokens tokens = written_tokens(a, source);
    ts_mask(&tokens);
    for (uint32_t i = 0; i < tokens.n; i++) {
        uint32_t next = i + 1;
        if (!tokens.at[i].is_unknown)
            continue;
        while (next + 1 < tokens.n && tokens.at[next].is_masked)
            next++;
        uint32_t last = next < tokens.n ? next : i;
        if (is_between(lines, n, line_of(source, tokens.at[i].from), line_of(source, tokens.at[last].to)))
            return true;
    }
    return false;
}
