#include "base/words.h"

#include <ctype.h>
#include <string.h>

const char *cw_bare_name(const char *name, const char **from) {
    const char *end = name + strcspn(name, "<(");
    *from = name;
    for (const char *at = name; at < end; at++)
        if (*at == ':')
            *from = at + 1;
    return end;
}

static bool ends_word(const char *from, const char *at, const char *end) {
    if (at == end || !isalpha((unsigned char)*at))
        return true;
    if (at == from || !isupper((unsigned char)*at))
        return false;
    return islower((unsigned char)at[-1]) || (at + 1 < end && islower((unsigned char)at[1]));
}

bool cw_next_word(const char **at, const char *end, char *word, size_t size) {
    while (*at < end && !isalpha((unsigned char)**at))
        ++*at;
    const char *from = *at;
    size_t n = 0;
    while (*at < end && (*at == from || !ends_word(from, *at, end))) {
        if (n + 1 < size)
            word[n++] = (char)tolower((unsigned char)**at);
        ++*at;
    }
    word[n] = '\0';
    return n > 0;
}
