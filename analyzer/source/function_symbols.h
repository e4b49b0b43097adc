/* A function's text as the symbols that source/siblings.h compares: its tokens, and its marks as one symbol each. */
#ifndef CW_SOURCE_FUNCTION_SYMBOLS_H
#define CW_SOURCE_FUNCTION_SYMBOLS_H

#include "base/str.h"
#include "source/lexer.h"
#include "source/siblings.h"

struct cw_function_symbols {
    struct cw_symbols symbols;
    struct { struct cw_token *at; uint32_t n, cap; } tokens; /* one for each symbol; a mark's is its whole statement */
};

/* Reads the function's body. `is_mark`: is the statement (text with its semicolon) a mark? Cost: one pass over the
 * tokens. */
struct cw_function_symbols cw_function_symbols_read(struct cw_arena *a, cw_str text, bool (*is_mark)(cw_str statement));

#endif
