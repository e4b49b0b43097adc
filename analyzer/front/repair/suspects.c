/* A quick look at whether an unknown attribute-like macro can be behind the other parser's errors: the text as it is
 * written, no header, no macro expanded. What clang does not know it complains about where it stands, or at the next
 * token, so a name without an error beside it needs no preprocessor to be acquitted. */
#include "front/repair/preproc.h"

enum { MAX_TOKENS = 2000000, MAX_UNKNOWN = 200 };

static struct pp_tokens written_tokens(struct cw_arena *arena, const struct cw_source *source) {
    struct pp_tokens tokens = {0};
    struct cw_lexer lexer;
    cw_lexer_init(&lexer, source->text, source->size);
    for (struct cw_token t = cw_lexer_next(&lexer); t.kind != CW_TOKEN_END && tokens.n < MAX_TOKENS;
         t = cw_lexer_next(&lexer))
        if (t.kind != CW_TOKEN_COMMENT && !t.in_directive)
            cw_vec_push(arena, &tokens,
                        ((struct pp_token){
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

bool cw_repair_suspects_macro(struct cw_arena *arena, const struct cw_source *source, const uint32_t *lines,
                              uint32_t n) {
    struct pp_tokens tokens = written_tokens(arena, source);
    pp_mask(&tokens);
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

struct cw_unknown_macros cw_repair_unknown_macros(struct cw_arena *arena, const struct cw_front_options *options) {
    struct cw_unknown_macros out = {0};
    struct cw_arena scratch;
    struct cw_intern names;
    struct pp_preproc preproc;
    cw_arena_init(&scratch);
    cw_intern_init(&names, &scratch);
    pp_preprocess(&preproc, &scratch, &names, options);
    pp_mask(&preproc.out);
    for (uint32_t i = 0; i < preproc.out.n; i++) {
        const struct pp_token *t = &preproc.out.at[i];
        uint32_t known = 0;
        while (known < out.n && !cw_str_is((cw_str){t->at, t->n}, out.at[known].name))
            known++;
        if (!t->is_unknown || t->macro || out.n >= MAX_UNKNOWN)
            continue;
        if (known < out.n) {
            out.at[known].is_marked |= t->is_marked;
            continue;
        }
        bool is_call =
            i + 1 < preproc.out.n && preproc.out.at[i + 1].is_masked && pp_token_is(&preproc.out.at[i + 1], "(");
        struct cw_unknown_macro made = {cw_arena_strndup(arena, t->at, t->n), is_call, t->is_marked};
        cw_vec_push(arena, &out, made);
    }
    cw_arena_free(&scratch);
    return out;
}
