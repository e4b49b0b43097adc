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
