/* Path patterns as in .gitignore: `*` and `?` stay within a name, `**` crosses directories, `[a-z]` and `[!a-z]` are
 * sets; a pattern without a slash matches a name anywhere, one with a slash is meant from the top; a slash at the end
 * asks for a directory. What matches a directory matches all that is in it. */
#ifndef CW_CONFIG_GLOB_H
#define CW_CONFIG_GLOB_H

#include <stdbool.h>

/* NULL, or what is wrong with the pattern. */
const char *cw_glob_check(const char *pattern);
/* `path`: from the pattern's top, without "./" or a slash in front. Time grows with the product of the lengths at most.
 */
bool cw_glob_matches(const char *pattern, const char *path, bool is_directory);

#endif
