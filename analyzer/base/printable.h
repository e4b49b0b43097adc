/* Text from elsewhere (file names, settings, sources, messages of libraries), made fit for a terminal and for the log
 * of a CI job.
 *
 * Control characters, line ends included, bytes that are no UTF-8, and characters that reorder or hide text are written
 * as
 * "\\n", "\\t", "\\x1b" (bytes) or "\\u202e". Marks of commands that CI systems look for anywhere in a line
 * ("##[error]",
 * "##vso[…]") lose their second '#'. All other text stays as it is; a backslash is not doubled. */
#ifndef CW_BASE_PRINTABLE_H
#define CW_BASE_PRINTABLE_H

#include "base/str.h"

#include <stdint.h>

/* Decodes the character at s.at: its length in bytes (1 for malformed input, *code then U+FFFD), 0 at the end. */
uint32_t cw_utf8_decode(cw_str s, uint32_t *code);

/* A character that must not reach a terminal as it is. */
bool cw_is_unprintable(uint32_t code);
/* Is the '#' at s.at the second one of a CI system's command mark ("##[", "##vso[")? `before` is the byte before it. */
bool cw_is_command_mark(char before, cw_str s);

void cw_put_printable(struct cw_buf *out, cw_str text);
void cw_puts_printable(struct cw_buf *out, const char *text);
/* The same for text of several lines: '\n' and '\t' stay, and no line begins with "::", the mark of a workflow command.
 */
void cw_put_printable_lines(struct cw_buf *out, cw_str text);
/* The same for a path that may begin a line: a relative one that a CI system could take for a workflow command
 * ("::error::…") gets "./" before it. */
void cw_put_path(struct cw_buf *out, const char *path);

/* A field of a line that programs read back: tabs, line ends and backslashes are escaped; and undone, in place. */
void cw_put_field(struct cw_buf *out, const char *text);
char *cw_field_text(char *field);

#endif
