#pragma once
#include "cuda_awbarrier_primitives.h"
//@ pipeline.primitives | __device__
