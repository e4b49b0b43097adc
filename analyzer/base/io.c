#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cw_open_regular(const char *path, int flags) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0) {
        errno = errno == ENXIO ? CW_NOT_REGULAR : errno; /* a socket, or a device without a driver */
        return -1;
    }
    int error = fstat(fd, &st) ? errno : S_ISREG(st.st_mode) ? 0 : S_ISDIR(st.st_mode) ? EISDIR : CW_NOT_REGULAR;
    if (!error)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

const char *cw_open_error(int error) {
    return error == CW_NOT_REGULAR ? "not a regular file (a FIFO, device or socket)" : strerror(error);
}

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

static struct sigaction inherited;
static bool is_ignored;

void cw_file_limit_fails_writes(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    is_ignored = sigaction(SIGXFSZ, &ignore, &inherited) == 0;
}

void cw_file_limit_restore(void) {
    if (is_ignored)
        sigaction(SIGXFSZ, &inherited, NULL);
}

void cw_hold_interrupts(sigset_t *before) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&held, numbers[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

void cw_release_interrupts(const sigset_t *before) {
    sigprocmask(SIG_SETMASK, before, NULL);
}
