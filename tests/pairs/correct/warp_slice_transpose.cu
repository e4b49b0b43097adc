#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

// Converts an array of 8-float structures into eight separate arrays.
constexpr int kFields = 8;
constexpr int kWarps = 4;

struct Planes {
    float *field[kFields];
};

__global__ void __launch_bounds__(kWarps * 32)
split_fields(const float *aos, int n, Planes planes)
{
    __shared__ float slices[kWarps][32 * (kFields + 1)];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    float *slice = slices[warp];

    const int groups = (n + 31) / 32;
    for (int g = blockIdx.x * kWarps + warp; g < groups; g += gridDim.x * kWarps) {
        const size_t first = (size_t)g * 32 * kFields;
        const int records = min(32, n - g * 32);
#pragma unroll
        for (int k = 0; k < kFields; ++k) {
            const int e = k * 32 + lane;
            if (e < records * kFields)
                slice[(e / kFields) * (kFields + 1) + e % kFields] = aos[first + e];
        }
        __syncwarp();
        if (lane < records) {
#pragma unroll
            for (int f = 0; f < kFields; ++f)
                planes.field[f][g * 32 + lane] = slice[lane * (kFields + 1) + f];
        }
        __syncwarp();
    }
}

void aos_to_soa(const float *aos, int n, float *const fields[kFields], cudaStream_t stream)
{
    if (n < 0 || n > (1 << 30) || aos == nullptr)
        throw std::invalid_argument("aos_to_soa");
    if (n == 0)
        return;
    Planes p;
    std::copy(fields, fields + kFields, p.field);
    const int per_block = 32 * kWarps;
    const int grid = std::min((n + per_block - 1) / per_block, 2048);
    split_fields<<<grid, kWarps * 32, 0, stream>>>(aos, n, p);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("aos_to_soa: launch");
}
