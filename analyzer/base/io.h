/* Descriptors, where the C library stops short. */
#ifndef CW_BASE_IO_H
#define CW_BASE_IO_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of it, also after signals and short writes; false with errno set when that fails. */
bool cw_write_all(int fd, const char *text, size_t n);

/* Appends what is left of an open file, also after signals; false with errno set when that fails or it is longer than `most`. */
bool cw_read_all(int fd, struct cw_buf *out, uint64_t most);

#endif
