/* A cursor over the text form, for parse.c. After the first error it stands at the end and every question says no. */
#ifndef CW_IR_LEX_H
#define CW_IR_LEX_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

struct cw_lex {
    const char *at, *end;
    uint32_t line;
    struct cw_arena *arena;
    const char *error; /* the first one, with its line number */
};

void cw_lex_fail(struct cw_lex *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cw_lex_blanks(struct cw_lex *l);   /* spaces and a comment, not the line's end */
bool cw_lex_at_eol(struct cw_lex *l);
void cw_lex_end_line(struct cw_lex *l); /* requires the line's end; skips empty lines after it */
char cw_lex_peek(struct cw_lex *l);     /* next character after blanks, 0 at the end of the text */
bool cw_lex_accept(struct cw_lex *l, char c);
bool cw_lex_expect(struct cw_lex *l, char c);
bool cw_lex_direct(struct cw_lex *l, char c); /* accepts c only when it follows without a blank */

cw_str cw_lex_word(struct cw_lex *l);   /* [A-Za-z_][A-Za-z0-9_]*, empty when there is none */
cw_str cw_lex_dotted(struct cw_lex *l); /* the same with dots inside */
bool cw_lex_accept_word(struct cw_lex *l, const char *word);
/* Text after a sigil as it stands, quotes included: `"a b".3`, `i.12`. */
cw_str cw_lex_label(struct cw_lex *l);
const char *cw_lex_string(struct cw_lex *l); /* "…" decoded, arena text; NULL and an error when there is none */
const char *cw_lex_symbol(struct cw_lex *l); /* a string or a dotted word */
const char *cw_lex_decode(struct cw_lex *l, cw_str quoted);

int64_t cw_lex_int(struct cw_lex *l); /* decimal or 0x…, an optional minus; up to 64 bits */
uint32_t cw_lex_u32(struct cw_lex *l);
int64_t cw_lex_float(struct cw_lex *l); /* bits of a double */

#endif
