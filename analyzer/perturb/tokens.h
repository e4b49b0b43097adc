/* The tokens of a source text with their brackets and conditional sections matched, all branches of every #if included.
 *
 * Text, not a syntax tree: code that is changed in place must stay valid in every configuration, with every macro, and
 * for parsers that know dialects this program does not. */
#ifndef CW_PERTURB_TOKENS_H
#define CW_PERTURB_TOKENS_H

#include "source/lexer.h"
#include "source/source.h"

#define CW_NO_TOKEN UINT32_MAX

struct cw_code_token {
    uint32_t at, n;
    uint8_t kind;        /* enum cw_token_kind */
    uint32_t match;      /* of a bracket: its partner, else CW_NO_TOKEN */
    uint32_t parent;     /* innermost bracket open at the token, or CW_NO_TOKEN */
    uint32_t directives; /* how many directives stand before it */
};

enum cw_directive_kind {
    CW_DIRECTIVE_OTHER,
    CW_DIRECTIVE_PRAGMA,
    CW_DIRECTIVE_IF,
    CW_DIRECTIVE_ELSE,
    CW_DIRECTIVE_ENDIF
};

struct cw_directive {
    enum cw_directive_kind kind;
    uint32_t from, to; /* offsets; `to` is the end of its last token */
    uint32_t opened;   /* ELSE, ENDIF: first token behind the matching #if; CW_NO_TOKEN without one */
};

struct cw_tokens {
    const char *text;
    CW_VEC(struct cw_code_token) at; /* comments and directives left out; ends with an END token */
    CW_VEC(struct cw_directive) directives;
};

struct cw_tokens *cw_tokens_read(struct cw_arena *a, const struct cw_source *s);

bool cw_token_is(const struct cw_tokens *t, uint32_t i, const char *text);
uint32_t cw_token_end(const struct cw_tokens *t, uint32_t i);
/* The token that holds the byte, or the next one behind it. */
uint32_t cw_token_at(const struct cw_tokens *t, size_t offset);

#endif
