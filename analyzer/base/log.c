#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum cw_log_level cw_log_level = CW_LOG_NORMAL;

static void say(const char *kind, const char *format, va_list ap) {
    fprintf(stderr, "cuwarp-lint: %s", kind);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
}

#define SAY_WHEN(condition, kind)                                                                                      \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            va_list ap;                                                                                                \
            va_start(ap, format);                                                                                      \
            say(kind, format, ap);                                                                                     \
            va_end(ap);                                                                                                \
        }                                                                                                              \
    } while (0)

void cw_error(const char *format, ...) {
    SAY_WHEN(1, "error: ");
}

void cw_tell(const char *format, ...) {
    SAY_WHEN(1, "");
}

void cw_note(const char *format, ...) {
    SAY_WHEN(cw_log_level >= CW_LOG_NORMAL, "");
}

void cw_verbose(const char *format, ...) {
    SAY_WHEN(cw_log_level >= CW_LOG_VERBOSE, "");
}

void cw_die(const char *format, ...) {
    SAY_WHEN(1, "fatal: ");
    exit(2);
}
