/* Statements that are nothing but a barrier, by their tokens. */
#ifndef CW_RULES_TEXT_BARRIERS_H
#define CW_RULES_TEXT_BARRIERS_H

#include "base/str.h"

/* The first tokens of a statement: enough to see a barrier in "NAME(" or "NAME.sync(". */
struct cw_beginning {
    cw_str first, second, third;
    int n; /* tokens taken so far, of which three are kept */
};

void cw_beginning_take(struct cw_beginning *, cw_str token);
bool cw_beginning_is_barrier(const struct cw_beginning *);

/* Is the text a call of a barrier with its semicolon and nothing else: "__syncthreads();", "tile.sync();"? */
bool cw_is_barrier_statement(cw_str text);

#endif
