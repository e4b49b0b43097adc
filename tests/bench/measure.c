#include "measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void become(const char *const *argv) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execvp(argv[0], (char *const *)argv);
    _exit(127);
}

struct measure measure_run(const char *const *argv) {
    double start = now();
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0)
        become(argv);
    struct rusage usage;
    int status = 0;
    if (wait4(child, &status, 0, &usage) != child) {
        perror("wait4");
        exit(2);
    }
    return (struct measure){.seconds = now() - start, .megabytes = (double)usage.ru_maxrss / 1024,
                            .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t n) {
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct measure measure_median(const struct measure *runs, size_t n) {
    struct measure m = runs[n - 1];
    double *values = calloc(n, sizeof *values);
    if (!values)
        abort();
    for (size_t i = 0; i < n; i++)
        values[i] = runs[i].seconds;
    m.seconds = median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = runs[i].megabytes;
    m.megabytes = median(values, n);
    free(values);
    return m;
}
