/* Folders of files that stay below a bound, whoever else writes to them at the same time. */
#ifndef CW_ENGINE_BOUNDED_H
#define CW_ENGINE_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of files in such a folder have so many characters; others are unfinished and belong to their writer for an
 * hour. */
enum { CW_BOUNDED_NAME = 32 };

/* The text in two parts, under the file's name from one moment to the next; folders above it are made. False: it is not
 * there, for whatever reason. */
struct cw_bounded_text { const char *at; size_t n; };
bool cw_bounded_write(const char *path, struct cw_bounded_text head, struct cw_bounded_text body);
/* Can the file be written? Makes the folders above it. */
bool cw_bounded_takes(const char *path);
/* The open file counts as used now. */
void cw_bounded_note_use(int fd);
/* Removes what was used longest ago, down to three quarters of `most` bytes, when there is more than that. */
void cw_bounded_trim(const char *folder, uint64_t most);

#endif
