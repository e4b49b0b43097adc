#pragma once
#include "cuwarp/math_macros.h"
// For the host: no device function has a row for long double.
#define CUWARP_LONG1(name) name##l(long double x)
extern "C" {
long double CUWARP_LONG1(acos), CUWARP_LONG1(acosh), CUWARP_LONG1(asin), CUWARP_LONG1(asinh), CUWARP_LONG1(atan),
    CUWARP_LONG1(atanh), CUWARP_LONG1(cbrt), CUWARP_LONG1(ceil), CUWARP_LONG1(cos), CUWARP_LONG1(cosh),
    CUWARP_LONG1(erf), CUWARP_LONG1(erfc), CUWARP_LONG1(exp), CUWARP_LONG1(exp2), CUWARP_LONG1(expm1),
    CUWARP_LONG1(fabs), CUWARP_LONG1(floor), CUWARP_LONG1(lgamma), CUWARP_LONG1(log), CUWARP_LONG1(log10),
    CUWARP_LONG1(log1p), CUWARP_LONG1(log2), CUWARP_LONG1(logb), CUWARP_LONG1(nearbyint), CUWARP_LONG1(rint),
    CUWARP_LONG1(round), CUWARP_LONG1(sin), CUWARP_LONG1(sinh), CUWARP_LONG1(sqrt), CUWARP_LONG1(tan),
    CUWARP_LONG1(tanh), CUWARP_LONG1(tgamma), CUWARP_LONG1(trunc), nanl(const char *s),
    atan2l(long double x, long double y), copysignl(long double x, long double y), fdiml(long double x, long double y),
    fmaxl(long double x, long double y), fminl(long double x, long double y), fmodl(long double x, long double y),
    hypotl(long double x, long double y), nextafterl(long double x, long double y),
    nexttowardl(long double x, long double y), powl(long double x, long double y),
    remainderl(long double x, long double y), fmal(long double x, long double y, long double z),
    frexpl(long double x, int *e), ldexpl(long double x, int n), modfl(long double x, long double *whole),
    remquol(long double x, long double y, int *q), scalblnl(long double x, long n), scalbnl(long double x, int n);
double nexttoward(double x, long double y);
float nexttowardf(float x, long double y);
int ilogbl(long double x);
long lrintl(long double x), lroundl(long double x);
long long llrintl(long double x), llroundl(long double x);
}
//@ math.more | __host__ __device__
#undef CUWARP_LONG1
bool isgreaterequal(double x, double y), islessequal(double x, double y), islessgreater(double x, double y);
