/* A command line as one text, taken apart into words. Nothing is expanded and nothing is run. */
#ifndef CW_COMPDB_WORDS_H
#define CW_COMPDB_WORDS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

/* Beyond these a command line is cut off: real ones have a few hundred words. */
enum { CW_MAX_WORDS = 1 << 16, CW_MAX_WORD_BYTES = 1 << 20 };

struct cw_words {
    const char **at;
    uint32_t n, cap;
};

enum cw_quoting {
    CW_QUOTING_SHELL,   /* "command" of compile_commands.json: POSIX shell quotes, nothing expanded */
    CW_QUOTING_RESPONSE /* response files: a backslash counts within both kinds of quotes too, as in GNU's and nvcc's */
};

/* Appends the words of the text. A NUL ends it; an unclosed quote ends with the text. Words longer than the bound are
 * left out. */
void cw_words_split(struct cw_arena *a, cw_str text, enum cw_quoting quoting, struct cw_words *out);

/* nvcc takes lists: "a,b" are two values, unless the comma stands between double quotes, which stay, or behind a
 * backslash, which goes (as one before a double quote does). */
void cw_words_split_list(struct cw_arena *a, const char *list, struct cw_words *out);

#endif
