#include "base/suggest.h"

#include <string.h>

enum { MAX_NAME = 48 };

static uint32_t min_u32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Edit distance in which swapping two neighbours counts once (Damerau 1964, optimal string alignment). */
static uint32_t edit_distance(const char *a, uint32_t n, const char *b, uint32_t m) {
    uint32_t d[MAX_NAME + 1][MAX_NAME + 1];
    for (uint32_t i = 0; i <= n; i++)
        d[i][0] = i;
    for (uint32_t j = 0; j <= m; j++)
        d[0][j] = j;
    for (uint32_t i = 1; i <= n; i++)
        for (uint32_t j = 1; j <= m; j++) {
            d[i][j] = min_u32(min_u32(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min_u32(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

/* What was typed is often the beginning of the name ("divergent" for "divergent-barrier"). */
static uint32_t rate_name(const char *text, const char *name) {
    size_t n = strlen(text), m = strlen(name);
    if (n > MAX_NAME || m > MAX_NAME)
        return UINT32_MAX;
    if (n >= 4 && !strncmp(text, name, n))
        return 1;
    return edit_distance(text, (uint32_t)n, name, (uint32_t)m);
}

const char *cw_suggest(const char *text, const char *const *names, uint32_t n) {
    const char *best = NULL;
    uint32_t least = (uint32_t)strlen(text) / 3 + 2;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = rate_name(text, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}
