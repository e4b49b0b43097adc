/* Descriptors, where the C library stops short. */
#ifndef CW_BASE_IO_H
#define CW_BASE_IO_H

#include "base/str.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a regular file for reading. Anything else (a FIFO without a writer would block for ever, a device may never
 * end) is refused without waiting: -1 with errno EISDIR for a directory, CW_NOT_REGULAR for the rest. `flags` are
 * added. */
int cw_open_regular(const char *path, int flags);
/* strerror, and words for CW_NOT_REGULAR. */
const char *cw_open_error(int error);
#define CW_NOT_REGULAR ENOTSUP

/* All of it, also after signals and short writes; false with errno set when that fails. */
bool cw_write_all(int fd, const char *text, size_t n);

/* Appends what is left of an open file, also after signals; false with errno set when that fails or it is longer
 * than `most`. */
bool cw_read_all(int fd, struct cw_buf *out, uint64_t most);

/* From now on a write beyond the file-size limit (ulimit -f) fails with EFBIG, like any other failed write,
 * instead of ending the process. The second call puts back what the parent process had set, for a program that
 * takes this one's place. */
void cw_file_limit_fails_writes(void);
void cw_file_limit_restore(void);

/* Delays interrupts while a temporary file has a name: between the two calls lies an unlink or a rename. */
void cw_hold_interrupts(sigset_t *before);
void cw_release_interrupts(const sigset_t *before);

#endif
