/* "did you mean": the nearest of a list of names. */
#ifndef CW_BASE_SUGGEST_H
#define CW_BASE_SUGGEST_H

#include <stdint.h>

/* The name with the smallest edit distance to `text`, or NULL when none is near enough to be a slip of it. */
const char *cw_suggest(const char *text, const char *const *names, uint32_t n);

#endif
