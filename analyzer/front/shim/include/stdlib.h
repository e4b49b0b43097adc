#pragma once
#include "cuwarp/types.h"
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
struct div_t {
    int quot, rem;
};
struct ldiv_t {
    long quot, rem;
};
extern "C" {
void *realloc(void *p, size_t n), *aligned_alloc(size_t a, size_t n), *memalign(size_t a, size_t n),
    *bsearch(const void *key, const void *base, size_t n, size_t size, int (*less)(const void *, const void *));
int posix_memalign(void **p, size_t a, size_t n), rand(), rand_r(unsigned *seed), atoi(const char *s),
    system(const char *s), atexit(void (*f)()), setenv(const char *n, const char *v, int o), unsetenv(const char *n),
    putenv(char *s), mkstemp(char *s);
void srand(unsigned seed), srand48(long seed), srandom(unsigned seed),
    qsort(void *base, size_t n, size_t size, int (*less)(const void *, const void *)), _Exit(int status),
    quick_exit(int status);
long atol(const char *s), random(), lrand48(), mrand48(), strtol(const char *s, char **end, int base);
long long atoll(const char *s), strtoll(const char *s, char **end, int base);
unsigned long strtoul(const char *s, char **end, int base);
unsigned long long strtoull(const char *s, char **end, int base);
double atof(const char *s), strtod(const char *s, char **end), drand48();
float strtof(const char *s, char **end);
long double strtold(const char *s, char **end);
char *getenv(const char *name), *realpath(const char *path, char *out), *mktemp(char *s);
div_t div(int a, int b);
ldiv_t ldiv(long a, long b);
}
