#pragma once
#include "cuwarp/curand_types.h"
#include "curand.h"
//@ curand | __device__
