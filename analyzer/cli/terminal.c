#include "base/log.h"
#include "cli/cli.h"

#include <langinfo.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && *value;
}

bool cw_cli_color(const char *when, int fd) {
    if (when && strcmp(when, "auto") != 0)
        return !strcmp(when, "always");
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("FORCE_COLOR"))
        return strcmp(getenv("FORCE_COLOR"), "0") != 0;
    const char *term = getenv("TERM");
    return isatty(fd) && (!term || strcmp(term, "dumb") != 0);
}

bool cw_cli_unicode(void) {
    return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

uint32_t cw_cli_width(int fd) {
    enum { LEAST = 20, MOST = 1000 };
    const char *given = getenv("COLUMNS");
    long columns = given ? strtol(given, NULL, 10) : 0;
    struct winsize size;
    if (!isatty(fd))
        return 0;
    if (columns >= LEAST && columns <= MOST)
        return (uint32_t)columns;
    return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= LEAST && size.ws_col <= MOST ? size.ws_col : 80;
}

/* Those this process may run on: a container may be given fewer than the machine has. */
int cw_cli_processors(void) {
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

int cw_cli_usage(const char *error) {
    cw_error("%s", error);
    return CW_EXIT_USAGE;
}
