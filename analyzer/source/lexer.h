/* Preprocessing tokens of C++ and CUDA text, good enough to see structure: comments, directives, names, brackets.
 *
 * Never fails and never reads past the text: an unclosed string ends at its line's end, an unclosed comment at the end
 * of the text. Works on a stream, so a file of any size costs no memory. */
#ifndef CW_SOURCE_LEXER_H
#define CW_SOURCE_LEXER_H

#include "base/str.h"

#include <stdint.h>

enum cw_token_kind {
    CW_TOKEN_END,
    CW_TOKEN_NAME,      /* identifier or keyword */
    CW_TOKEN_NUMBER,
    CW_TOKEN_STRING,    /* with prefix; raw ones too */
    CW_TOKEN_CHAR,
    CW_TOKEN_HEADER,    /* <path> of an #include */
    CW_TOKEN_PUNCT,     /* one character, or one of  ::  ->  <<  <<<  <=  ; '>' always comes singly */
    CW_TOKEN_COMMENT,
    CW_TOKEN_DIRECTIVE, /* '#' up to the directive's name, which is the token's tail */
};

struct cw_token {
    uint32_t at, n; /* offset and length in bytes */
    uint8_t kind;
    bool in_directive; /* belongs to a preprocessor line (the DIRECTIVE token itself too) */
};

struct cw_lexer {
    const char *text;
    uint32_t size, at;
    bool line_start, in_directive, header_next; /* internal */
};

void cw_lexer_init(struct cw_lexer *l, const char *text, size_t size);
/* The next token; CW_TOKEN_END for ever at the end. */
struct cw_token cw_lexer_next(struct cw_lexer *l);

/* Name of a DIRECTIVE token: "define", "if", … */
cw_str cw_token_directive(const char *text, struct cw_token t);
/* Text of a comment without its marks and the blanks around it. */
cw_str cw_token_comment(const char *text, struct cw_token t);

#endif
