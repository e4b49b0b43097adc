#include "base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FDS_CLOSED = 256 };

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    remove(path);
    return 0;
}

static void remove_all(const char *folder) {
    enum { FOLDERS_OPEN = 16 };
    nftw(folder, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

/* What the janitor writes first: the real path, empty when none could be made. */
struct made {
    char path[PATH_MAX];
    int why; /* errno */
};

static void make_folder(char *pattern, struct made *out) {
    if (!mkdtemp(pattern) || !realpath(pattern, out->path)) {
        out->why = errno;
        out->path[0] = '\0';
    }
}

/* Creates the folder itself, so that it never exists without a janitor. Leaves the terminal's process group: an
 * interrupt is for the run. */
static void be_janitor(char *pattern, int watched, int answer) {
    struct made made = {.why = 0};
    char byte;
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    make_folder(pattern, &made);
    ssize_t told = write(answer, &made, sizeof made);
    while (told == (ssize_t)sizeof made && read(watched, &byte, 1) < 0 && errno == EINTR)
        continue;
    if (*made.path)
        remove_all(made.path);
    _exit(0);
}

/* In the child: closes the inherited standard output and error, whose readers would wait for their end, and the
 * pipes of other scratch folders, whose janitors would. */
static void become_janitor(char *pattern, int watched, int answer) {
    int null = open("/dev/null", O_RDWR);
    int high_watched = fcntl(watched, F_DUPFD, FDS_CLOSED), high_answer = fcntl(answer, F_DUPFD, FDS_CLOSED);
    for (int fd = 0; fd < FDS_CLOSED; fd++)
        if (fd > 2)
            close(fd);
        else if (null >= 0)
            dup2(null, fd);
    be_janitor(pattern, high_watched, high_answer);
}

static bool start_janitor(struct cw_scratch *scratch, char *pattern, struct made *made) {
    int watched[2], answer[2];
    if (pipe2(watched, O_CLOEXEC))
        return false;
    if (pipe2(answer, O_CLOEXEC)) {
        close(watched[0]);
        close(watched[1]);
        return false;
    }
    pid_t pid = fork();
    if (pid == 0)
        become_janitor(pattern, watched[0], answer[1]);
    close(watched[0]);
    close(answer[1]);
    bool told = pid > 0 && read(answer[0], made, sizeof *made) == (ssize_t)sizeof *made;
    close(answer[0]);
    if (!told)
        close(watched[1]);
    scratch->keep = told ? watched[1] : -1;
    scratch->janitor = told ? pid : -1;
    return told;
}

const char *cw_scratch_make(struct cw_arena *a, struct cw_scratch *out) {
    const char *parent = getenv("TMPDIR");
    char *pattern = cw_arena_printf(a, "%s/cuwarp-lint-XXXXXX", parent && *parent == '/' ? parent : "/tmp");
    struct made *made = CW_NEW(a, struct made);
    out->keep = out->janitor = -1;
    if (!start_janitor(out, pattern, made))
        make_folder(pattern, made);
    if (!*made->path)
        return cw_arena_printf(a, "%s: cannot be made: %s", pattern, strerror(made->why));
    out->path = made->path;
    return NULL;
}

void cw_scratch_remove(struct cw_scratch *scratch) {
    if (!scratch->path)
        return;
    if (scratch->keep >= 0)
        close(scratch->keep);
    while (scratch->janitor > 0 && waitpid(scratch->janitor, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (scratch->janitor < 0)
        remove_all(scratch->path);
    scratch->path = NULL;
}
