/* One run of a program: how long, how much memory, how it ended. */
#ifndef CW_BENCH_MEASURE_H
#define CW_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

struct measure {
    double seconds;    /* wall clock, from before the fork to after the wait */
    double megabytes;  /* largest resident set of the program or of a child it waited for */
    int status;        /* exit status, 128 + signal when killed */
};

/* Runs argv[0] with its output thrown away. Exits when no process can be made. */
struct measure measure_run(const char *const *argv);

/* Time and memory each as the median of `n` runs; the status of the last. */
struct measure measure_median(const struct measure *runs, size_t n);

#endif
