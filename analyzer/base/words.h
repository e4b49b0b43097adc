/* The words of an identifier: `named_barrier_sync` and `blockReduceSum` have three each. */
#ifndef CW_BASE_WORDS_H
#define CW_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The name without qualification and template arguments, `reduce` of `cub::Block::reduce<float>`: begins at *from and
 * ends at the result. */
const char *cw_bare_name(const char *name, const char **from);

/* The next word of [*at, end) in small letters, cut to `size` - 1 characters; *at moves behind it. A word ends before
 * an underscore or a digit, before a capital letter behind a small one, and before the last capital letter of
 * `TMALoad`. False when there is none left. */
bool cw_next_word(const char **at, const char *end, char *word, size_t size);

#endif
