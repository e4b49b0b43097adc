#pragma once
__host__ __device__ constexpr int lib_lanes() {
    return LANES / 2;
}
