// CUDA by the build's word only.
#include "dep/kernel.cuh"

__device__ int twice(int v) {
    return helper(helper(v));
}
