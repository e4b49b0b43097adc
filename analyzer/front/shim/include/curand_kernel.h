#pragma once
#include "cuwarp/curand_types.h"
//@ curand | __device__
