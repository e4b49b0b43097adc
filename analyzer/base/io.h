/* Descriptors, where the C library stops short. */
#ifndef CW_BASE_IO_H
#define CW_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>

/* All of it, also after signals and short writes; false with errno set when that fails. */
bool cw_write_all(int fd, const char *text, size_t n);

#endif
