#include "base/io.h"

#include <errno.h>
#include <unistd.h>

bool cw_write_all(int fd, const char *text, size_t n) {
    while (n) {
        ssize_t wrote = write(fd, text, n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        text += wrote;
        n -= (size_t)wrote;
    }
    return true;
}

bool cw_read_all(int fd, struct cw_buf *out, uint64_t most) {
    char chunk[65536];
    uint64_t before = out->n;
    for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (out->n - before + (uint64_t)n > most) {
            errno = EFBIG;
            return false;
        }
        cw_buf_add(out, chunk, (size_t)n);
    }
    return true;
}
