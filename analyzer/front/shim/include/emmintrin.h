#pragma once
#include "cuwarp/simd.h"
