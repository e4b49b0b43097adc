/* Between the files of this folder: the tokens of both languages, and the decoding of literals. */
#ifndef CW_EMBEDDED_INTERNAL_H
#define CW_EMBEDDED_INTERNAL_H

#include "embedded/embedded.h"

enum emb_kind { EMB_END, EMB_NAME, EMB_STRING, EMB_PUNCT, EMB_OTHER, EMB_NEWLINE };

/* NEWLINE ends a logical line of Python or a preprocessor line; comments are left out. PUNCT is one character. */
struct emb_token {
    uint32_t at, n;
    uint8_t kind;
};

struct emb_tokens {
    struct emb_token *at;
    uint32_t n, cap;
};

/* At most so many: what is behind them is not looked at. */
enum { EMB_MAX_TOKENS = 4 << 20 };

struct emb_tokens emb_cpp_tokens(struct cw_arena *a, cw_str text);
struct emb_tokens emb_python_tokens(struct cw_arena *a, cw_str text);

/* One literal's value appended to out->text (in `value`) and out->pieces. Sets *has_fields for an f-string that has
 * any. */
struct emb_value {
    struct cw_arena *arena;
    struct cw_buf *text;
    struct cw_embedded *out;
    bool has_fields, is_formatted; /* an f-string's braces are doubled */
};

void emb_cpp_decode(struct emb_value *v, cw_str text, struct emb_token t);
void emb_python_decode(struct emb_value *v, cw_str text, struct emb_token t);

/* `n` bytes written as themselves, and `n` bytes written as `outer_n` others. */
void emb_add_plain(struct emb_value *v, cw_str text, uint32_t at, uint32_t n);
void emb_add_escape(struct emb_value *v, const char *bytes, uint32_t n, uint32_t outer, uint32_t outer_n);
/* An escape sequence that both languages have, at the backslash: its length, 0 when it is none of these. */
uint32_t emb_common_escape(struct emb_value *v, cw_str text, uint32_t at, uint32_t end);

#endif
