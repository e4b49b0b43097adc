/* What a run is doing and how far it is, on a terminal, when it takes longer than a moment. One line, drawn over itself
 * and erased at the end. A step that does not report is drawn by a timer, whose handler only writes what was prepared.
 */
#include "base/log.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "source/source.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 400, REDRAW_MS = 100, BAR_CELLS = 24, LEAST_NAME = 8 };

static struct {
    bool color, unicode;
    volatile sig_atomic_t is_drawn;
    char step[512]; /* the line that the timer writes */
    volatile sig_atomic_t step_bytes;
    long long started, drawn; /* ms; 0: not yet */
} bar;

static long long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}

/* The end of a path says more than its beginning: at most `cells` of it, cut at a character. */
static void put_name(struct cw_buf *out, const char *file, uint32_t cells) {
    cw_str rest = cw_str_of(file);
    const char *dots = bar.unicode ? "\xe2\x80\xa6" : "..";
    uint32_t code, reserve = bar.unicode ? 1 : 2;
    if (cw_source_cells(rest, rest.n, 1) <= cells) {
        cw_buf_add(out, rest.at, rest.n);
        return;
    }
    while (rest.n && cw_source_cells(rest, rest.n, 1) + reserve > cells) {
        uint32_t n = cw_utf8_decode(rest, &code);
        rest = (cw_str){rest.at + n, rest.n - n};
    }
    cw_buf_puts(out, dots);
    cw_buf_add(out, rest.at, rest.n);
}

static void put_cells(struct cw_buf *out, const char *cell, uint32_t n) {
    while (n--)
        cw_buf_puts(out, cell);
}

static void put_bar(struct cw_buf *out, uint32_t done, uint32_t total) {
    uint32_t full = total ? (uint32_t)((uint64_t)done * BAR_CELLS / total) : 0;
    cw_buf_puts(out, bar.color ? "\x1b[36m" : "");
    put_cells(out, bar.unicode ? "\xe2\x94\x81" : "#", full);
    cw_buf_puts(out, bar.color ? "\x1b[2m" : "");
    put_cells(out, bar.unicode ? "\xe2\x94\x80" : ".", BAR_CELLS - full);
    cw_buf_puts(out, bar.color ? "\x1b[0m" : "");
}

static void draw_bar(uint32_t done, uint32_t total, const char *file) {
    char count[32];
    struct cw_buf line = {0};
    uint32_t width = cw_cli_width(STDERR_FILENO);
    int n = snprintf(count, sizeof count, " %u/%u ", done, total);
    uint32_t used = (uint32_t)n;
    if (width <= used)
        return;
    cw_buf_puts(&line, "\r");
    if (width > used + BAR_CELLS) {
        put_bar(&line, done, total);
        used += BAR_CELLS;
    }
    cw_buf_puts(&line, count);
    if (width > used + LEAST_NAME) {
        struct cw_buf name = {0};
        cw_puts_printable(&name, file);
        put_name(&line, name.at, width - used - 1);
        cw_buf_free(&name);
    }
    cw_buf_puts(&line, "\x1b[K");
    fwrite(line.at, 1, line.n, stderr);
    fflush(stderr);
    cw_buf_free(&line);
    bar.is_drawn = true;
}

/* ---- steps ---- */

static void write_step(int number) {
    int error = errno;
    (void)number;
    if (bar.step_bytes && write(STDERR_FILENO, bar.step, (size_t)bar.step_bytes) > 0)
        bar.is_drawn = true;
    errno = error;
}

static void set_timer(long long ms) {
    struct itimerval t = {.it_value = {(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)}};
    setitimer(ITIMER_REAL, &t, NULL);
}

static void erase_bar(void) {
    set_timer(0);
    if (bar.is_drawn)
        fputs("\r\x1b[K", stderr);
    fflush(stderr);
    bar.is_drawn = false;
}

static void begin_step(const char *what, long long t) {
    struct cw_buf line = {0};
    uint32_t width = cw_cli_width(STDERR_FILENO);
    cw_buf_puts(&line, "\r");
    cw_buf_add(&line, what, strlen(what) < width ? strlen(what) : width - 1);
    cw_buf_puts(&line, "\x1b[K");
    bar.step_bytes = 0;
    if (line.n <= sizeof bar.step) {
        memcpy(bar.step, line.at, line.n);
        bar.step_bytes = (int)line.n;
    }
    cw_buf_free(&line);
    if (t - bar.started >= PATIENCE_MS)
        write_step(0);
    else
        set_timer(PATIENCE_MS - (t - bar.started));
}

static void show_progress(uint32_t done, uint32_t total, const char *file) {
    long long t = now_ms();
    if (!file) {
        erase_bar();
        return;
    }
    if (!total) {
        begin_step(file, t);
        return;
    }
    if (t - bar.started < PATIENCE_MS || t - bar.drawn < REDRAW_MS)
        return;
    set_timer(0);
    bar.drawn = t;
    draw_bar(done, total, file);
}

cw_cli_progress_bar *cw_cli_progress(const struct cw_command_line *command) {
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO) || cw_log_level != CW_LOG_NORMAL || (term && !strcmp(term, "dumb")))
        return NULL;
    bar.color = cw_cli_color(cw_option_value(command, CW_OPT_COLOR), STDERR_FILENO);
    bar.unicode = cw_cli_unicode();
    bar.started = now_ms();
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = write_step, .sa_flags = SA_RESTART}, NULL);
    cw_log_before = erase_bar;
    return show_progress;
}
