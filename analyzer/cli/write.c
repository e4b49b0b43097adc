/* Where output goes: standard output, or a report file that other programs may be reading already. */
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_text(FILE *out, const struct cw_buf *text) {
    return out && (!text->n || fwrite(text->at, 1, text->n, out) == text->n) && fflush(out) == 0;
}

/* Into the file as it stands: pipes, devices, and files in a folder that takes no new ones. */
static bool write_in_place(const struct cw_buf *text, const char *path) {
    FILE *f = fopen(path, "wbe");
    bool good = write_text(f, text);
    if (f)
        good &= fclose(f) == 0;
    return good;
}

/* Permissions of the file that is replaced, or those a new file gets. */
static mode_t mode_of(const char *path) {
    struct stat st;
    if (!stat(path, &st))
        return st.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool fill_file(int fd, const struct cw_buf *text, mode_t mode) {
    FILE *f = fdopen(fd, "wb");
    if (!f) {
        close(fd);
        return false;
    }
    bool good = write_text(f, text) && fchmod(fd, mode) == 0;
    good &= fclose(f) == 0;
    return good;
}

/* Beside it, then by a rename: a reader sees the old report or the new one, never a part. */
static bool replace_file(struct cw_arena *a, const struct cw_buf *text, const char *path) {
    char real[PATH_MAX];
    const char *target = realpath(path, real) ? real : path; /* behind a symbolic link */
    char *beside = cw_arena_printf(a, "%s.cuwarp-XXXXXX", target);
    sigset_t before;
    cw_hold_interrupts(&before);
    int fd = mkstemp(beside);
    bool good = fd >= 0 && fill_file(fd, text, mode_of(target)) && rename(beside, target) == 0;
    int why = errno;
    if (fd >= 0 && !good)
        unlink(beside);
    cw_release_interrupts(&before);
    errno = why;
    return fd < 0 ? write_in_place(text, path) : good;
}

static bool is_ordinary(const char *path) {
    struct stat st;
    return stat(path, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

int cw_cli_write(const struct cw_buf *text, const char *path) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    if (!path && cw_log_before)
        cw_log_before();
    bool good = !path               ? write_text(stdout, text)
                : is_ordinary(path) ? replace_file(&scratch, text, path)
                                    : write_in_place(text, path);
    if (!good)
        cw_error("%s: cannot be written: %s", path ? path : "standard output", strerror(errno));
    cw_arena_free(&scratch);
    return good ? 0 : -1;
}
