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
