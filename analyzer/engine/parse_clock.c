#include "engine/parse_clock.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    LEAST_SECONDS = 6,
    SECONDS_PER_MB = 4,
    OPEN_SECONDS = 30 /* where not all files are known that the unit reads */
};

static uint32_t least_seconds(void) {
#ifdef CUWARP_TEST_HOOKS
    const char *hook = getenv("CUWARP_TEST_PARSE_SECONDS"); /* tests of what happens then need not wait as long */
    if (hook)
        return (uint32_t)atoi(hook);
#endif
    return LEAST_SECONDS;
}

uint32_t cw_parse_seconds(const struct cw_unit_options *options, size_t own_bytes) {
    uint64_t bytes = own_bytes;
    struct stat st;
    for (uint32_t i = 0; i < options->nfiles; i++)
        bytes += stat(options->files[i], &st) ? 0 : (uint64_t)st.st_size;
    uint32_t seconds = least_seconds() + (uint32_t)((bytes * SECONDS_PER_MB) >> 20);
    bool is_open =
        options->is_open || options->cuda_path != NULL; /* the toolkit's headers are not counted among the unit's */
    seconds = is_open && seconds < OPEN_SECONDS ? OPEN_SECONDS : seconds;
    return options->is_device_only ? (seconds + 1) / 2 : seconds; /* a part of the text, after the whole was too much */
}

static void give_up(int number) {
    (void)number;
    _exit(CW_SLOW_PARSER_STATUS);
}

static void set_timer(uint32_t seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

void cw_parse_clock_start(uint32_t seconds) {
    struct sigaction act = {.sa_handler = give_up};
    sigaction(SIGPROF, &act, NULL);
    set_timer(seconds);
}

void cw_parse_clock_stop(void) {
    set_timer(0);
}
