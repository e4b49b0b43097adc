/* A source file in memory: its text, its lines, and the way between offsets and places people read.
 *
 * Lines and columns count from 1, columns in bytes, as in every span of the analyzer. A line ends at LF, CRLF or a lone
 * CR, as the compiler counts them. A byte order mark is not part of the text. UTF-16 with a byte order mark is read as
 * UTF-8, and a NUL byte as a blank, as clang does. */
#ifndef CW_SOURCE_SOURCE_H
#define CW_SOURCE_SOURCE_H

#include "base/printable.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

enum { CW_SOURCE_MAX_BYTES = 64 * 1024 * 1024 };

struct cw_source {
    const char *path;
    const char *text; /* NUL-terminated; may hold NULs when is_binary */
    size_t size;
    bool has_bom;   /* a UTF-8 byte order mark stood before the text */
    bool is_binary; /* many NUL and other control bytes: not source text */
    bool is_converted; /* `text` is not what the file holds: UTF-16 was converted, NUL bytes became blanks */
    struct cw_vec_u32 line_start; /* offset of each line; at least one */
};

/* The offset of each line of a text; and the index of the line that an offset lies in: the last one that starts
 * there or before. */
struct cw_vec_u32 cw_line_starts(struct cw_arena *a, const char *text, size_t size);
uint32_t cw_line_at(const struct cw_vec_u32 *starts, size_t offset);

/* Reads the whole file. NULL and *error (arena text, without the path) when it is missing, a directory, unreadable or
 * larger than CW_SOURCE_MAX_BYTES. Read rather than mapped: a file that shrinks meanwhile must not kill the process. */
struct cw_source *cw_source_load(struct cw_arena *a, const char *path, const char **error);
/* The same from an open descriptor (standard input). */
struct cw_source *cw_source_load_fd(struct cw_arena *a, int fd, const char *path, const char **error);
/* Over a copy of `text`. */
struct cw_source *cw_source_of_text(struct cw_arena *a, const char *path, const char *text, size_t size);

/* An offset past the end is taken as the end. */
void cw_source_place(const struct cw_source *s, size_t offset, uint32_t *line, uint32_t *col);
/* A place outside the text is taken to the nearest one inside: the end of its line, or of the text. */
size_t cw_source_offset(const struct cw_source *s, uint32_t line, uint32_t col);
/* Text of a line without its line ending; empty when there is no such line. */
cw_str cw_source_line(const struct cw_source *s, uint32_t line);
uint32_t cw_source_lines(const struct cw_source *s);
/* Text of a range, end exclusive, clamped to the text. */
cw_str cw_source_range(const struct cw_source *s, uint32_t line, uint32_t col, uint32_t end_line, uint32_t end_col);

/* Terminal cells the first `bytes` of a line take when printed, tabs going to the next multiple of `tab`. Malformed
 * UTF-8 counts one cell a byte; combining marks none; wide (CJK, emoji) characters two. */
uint32_t cw_source_cells(cw_str line, size_t bytes, uint32_t tab);

#endif
