/* The tokens of a text as a list, without comments and the names of directives, for looks ahead and back. */
#ifndef CW_SOURCE_LEXED_H
#define CW_SOURCE_LEXED_H

#include "base/arena.h"
#include "base/vec.h"
#include "source/lexer.h"

enum { CW_LEXED_MAX = 400000 }; /* what is behind is left out */

struct cw_lexed {
    struct cw_arena *arena;
    const char *text; /* borrowed */
    struct cw_token *at;
    uint32_t n, cap;
};

/* `at` lives in `a`. Cost: one pass over the text. */
struct cw_lexed cw_lexed_read(struct cw_arena *a, cw_str text);
/* "" behind the end. */
cw_str cw_lexed_text(const struct cw_lexed *list, uint32_t i);
/* Is token i this text? False behind the end. */
bool cw_lexed_is(const struct cw_lexed *list, uint32_t i, const char *text);
/* Behind the template arguments, `<T, 2>`, that begin at token i; i: there are none, or they do not end soon. */
uint32_t cw_lexed_behind_angles(const struct cw_lexed *list, uint32_t i);

#endif
