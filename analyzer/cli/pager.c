/* Long texts on a terminal, through the program that the user reads long texts with. */
#include "base/io.h"
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_RUN = 126 };

/* The shell reads $PAGER, as other programs have it: "less -R" is a command with an argument. */
static void become_pager(int in) {
    const char *given = getenv("PAGER"), *pager = given && *given ? given : "less -FRX";
    dup2(in, STDIN_FILENO);
    execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    _exit(CANNOT_RUN);
}

bool cw_cli_page(const struct cw_buf *text) {
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return false;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        close(ends[1]);
        become_pager(ends[0]);
    }
    close(ends[0]);
    if (child > 0)
        (void)cw_write_all(ends[1], text->at, text->n); /* a reader that leaves early has seen what it wanted */
    close(ends[1]);
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN); /* it is the pager's */
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    signal(SIGINT, interrupt);
    signal(SIGPIPE, before);
    return child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) >= CANNOT_RUN);
}
