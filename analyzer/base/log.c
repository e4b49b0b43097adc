#include "base/log.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum cw_log_level cw_log_level = CW_LOG_NORMAL;

/* Names of files, settings and messages of libraries come along in the arguments: all of it is made printable, and
 * a message is one line, whatever they hold. */
void (*cw_log_before)(void);

static void write_message(const char *kind, const char *format, va_list ap) {
    if (cw_log_before)
        cw_log_before();
    enum { SHORT_BYTES = 4096 };
    char text[SHORT_BYTES], *longer = NULL;
    struct cw_buf line = {0};
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(text, sizeof text, format, ap);
    if (n >= (int)sizeof text && vasprintf(&longer, format, again) < 0)
        longer = NULL;
    va_end(again);
    cw_buf_puts(&line, "cuwarp-lint: ");
    cw_buf_puts(&line, kind);
    cw_put_printable(&line, cw_str_of(longer ? longer : text));
    cw_buf_putc(&line, '\n');
    fwrite(line.at, 1, line.n, stderr);
    cw_buf_free(&line);
    free(longer);
}

#define SAY_WHEN(condition, kind)                                                                                      \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            va_list ap;                                                                                                \
            va_start(ap, format);                                                                                      \
            write_message(kind, format, ap);                                                                           \
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

/* Without write_message(), which needs memory: the arguments are numbers. */
void cw_die(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fputs("cuwarp-lint: fatal: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(2);
}
