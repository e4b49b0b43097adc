#pragma once
#include "cuwarp/types.h"
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef long suseconds_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
struct timezone {
    int tz_minuteswest, tz_dsttime;
};
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
extern "C" {
time_t time(time_t *t), mktime(tm *t);
int clock_gettime(clockid_t c, timespec *t), clock_getres(clockid_t c, timespec *t),
    nanosleep(const timespec *t, timespec *rest), gettimeofday(timeval *t, void *zone);
tm *localtime(const time_t *t), *gmtime(const time_t *t), *localtime_r(const time_t *t, tm *out);
char *ctime(const time_t *t), *asctime(const tm *t);
size_t strftime(char *s, size_t n, const char *format, const tm *t);
double difftime(time_t a, time_t b);
}
