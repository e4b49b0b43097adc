#include "config/glob.h"

#include "base/str.h"

#include <stdint.h>
#include <string.h>

/* ---- within a name ---- */

/* Length of the set at `at` ("[a-z]"), 0 when it is not closed and the bracket stands for itself. */
static size_t set_length(cw_str text, size_t at) {
    size_t i = at + 1;
    if (i < text.n && (text.at[i] == '!' || text.at[i] == '^'))
        i++;
    if (i < text.n && text.at[i] == ']')
        i++;
    while (i < text.n && text.at[i] != ']')
        i++;
    return i < text.n ? i + 1 - at : 0;
}

static bool set_holds(cw_str set, unsigned char c) {
    size_t i = 1;
    bool negated = set.at[i] == '!' || set.at[i] == '^', found = false;
    for (i += negated; i + 1 < set.n; i++) {
        unsigned char low = (unsigned char)set.at[i], high = low;
        if (i + 3 < set.n && set.at[i + 1] == '-') {
            high = (unsigned char)set.at[i + 2];
            i += 2;
        }
        found |= c >= low && c <= high;
    }
    return found != negated;
}

/* Length of the pattern's element at `at` when it matches `c`, else 0. */
static size_t match_element(cw_str text, size_t at, char c) {
    size_t set = text.at[at] == '[' ? set_length(text, at) : 0;
    if (set)
        return set_holds((cw_str){text.at + at, set}, (unsigned char)c) ? set : 0;
    if (text.at[at] == '\\' && at + 1 < text.n)
        return text.at[at + 1] == c ? 2 : 0;
    return text.at[at] == '?' || text.at[at] == c ? 1 : 0;
}

/* Only the last star can need another try: what stood before it has matched as early as it can. */
static bool name_matches(cw_str pattern, cw_str text) {
    size_t at = 0, i = 0, star = SIZE_MAX, from = 0;
    while (i < text.n) {
        size_t n = at < pattern.n && pattern.at[at] != '*' ? match_element(pattern, at, text.at[i]) : 0;
        if (n) {
            at += n;
            i++;
        } else if (at < pattern.n && pattern.at[at] == '*') {
            star = ++at;
            from = i;
        } else if (star != SIZE_MAX) {
            at = star;
            i = ++from;
        } else {
            return false;
        }
    }
    while (at < pattern.n && pattern.at[at] == '*')
        at++;
    return at == pattern.n;
}

/* ---- over directories ---- */

static cw_str first_name(cw_str text) {
    const char *slash = text.n ? memchr(text.at, '/', text.n) : NULL;
    return (cw_str){text.at, slash ? (size_t)(slash - text.at) : text.n};
}

static cw_str behind_name(cw_str text, cw_str name) {
    size_t n = name.n < text.n ? name.n + 1 : text.n;
    return (cw_str){text.at + n, text.n - n};
}

/* The same walk as in name_matches, with names for characters and `**` for the star. */
static bool path_matches(cw_str pattern, cw_str text) {
    cw_str star = {0}, from = {0};
    while (text.n) {
        cw_str want = first_name(pattern), have = first_name(text);
        if (pattern.n && cw_str_is(want, "**")) {
            star = pattern = behind_name(pattern, want);
            from = text;
            if (!pattern.n)
                return true;
        } else if (pattern.n && name_matches(want, have)) {
            pattern = behind_name(pattern, want);
            text = behind_name(text, have);
        } else if (star.at) {
            pattern = star;
            text = from = behind_name(from, first_name(from));
        } else {
            return false;
        }
    }
    return !pattern.n;
}

/* Also through the directories that the path lies in. */
static bool some_prefix_matches(cw_str text, cw_str path, bool directories_only, bool is_directory) {
    for (size_t end = 1; end <= path.n; end++) {
        bool is_last = end == path.n;
        if (!is_last && path.at[end] != '/')
            continue;
        if (is_last && directories_only && !is_directory)
            return false;
        if (path_matches(text, (cw_str){path.at, end}))
            return true;
    }
    return false;
}

bool cw_glob_matches(const char *pattern, const char *path, bool is_directory) {
    cw_str p = cw_str_of(pattern), s = cw_str_of(path);
    bool directories_only = p.n > 1 && p.at[p.n - 1] == '/';
    if (directories_only)
        p.n--;
    if (cw_str_starts(p, "./"))
        p = (cw_str){p.at + 2, p.n - 2};
    if (p.n && p.at[0] == '/')
        return some_prefix_matches((cw_str){p.at + 1, p.n - 1}, s, directories_only, is_directory);
    if (p.n && memchr(p.at, '/', p.n))
        return some_prefix_matches(p, s, directories_only, is_directory);
    for (cw_str rest = s; rest.n; rest = behind_name(rest, first_name(rest))) {
        cw_str name = first_name(rest);
        bool is_last = name.n == rest.n;
        if (is_last && directories_only && !is_directory)
            return false;
        if (name_matches(p, name))
            return true;
    }
    return false;
}

const char *cw_glob_check(const char *pattern) {
    if (!*pattern)
        return "an empty pattern";
    if (*pattern == '!')
        return "a pattern cannot be negated";
    if (!strncmp(pattern, "../", 3) || strstr(pattern, "/../"))
        return "a pattern cannot leave its directory";
    return NULL;
}
