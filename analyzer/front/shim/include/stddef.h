#pragma once
#include "cuwarp/types.h"
typedef struct {
    long long a;
    long double b;
} max_align_t;
