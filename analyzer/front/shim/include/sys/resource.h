#pragma once
#include <time.h>
struct rusage {
    timeval ru_utime, ru_stime;
    long ru_maxrss;
};
#define RUSAGE_SELF 0
extern "C" int getrusage(int who, rusage *out);
