#pragma once
#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_ALL 6
struct lconv {
    char *decimal_point, *thousands_sep, *grouping;
};
extern "C" lconv *localeconv();
extern "C" char *setlocale(int category, const char *name);
