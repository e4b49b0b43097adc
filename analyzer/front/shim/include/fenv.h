#pragma once
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
typedef unsigned short fexcept_t;
struct fenv_t {
    unsigned state[8];
};
extern "C" {
int fegetenv(fenv_t *e), fesetenv(const fenv_t *e), feholdexcept(fenv_t *e), feupdateenv(const fenv_t *e),
    fegetexceptflag(fexcept_t *f, int mask), fesetexceptflag(const fexcept_t *f, int mask), feraiseexcept(int mask);
int fegetround(void);
int fesetround(int);
int feclearexcept(int);
int fetestexcept(int);
int feenableexcept(int);
int fedisableexcept(int);
}
