// One LSD radix pass on 4 bits: per-block counts, a column-major scan, and a stable
// scatter whose targets are disjoint because the offsets are exclusive sums.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

constexpr int B = 256, RADIX = 16;

__global__ void __launch_bounds__(B) countDigits(const uint32_t* __restrict__ k, int n, int shift, int* __restrict__ counts)
{
    __shared__ int c[RADIX];
    if (threadIdx.x < RADIX) c[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * B + threadIdx.x;
    if (i < n) atomicAdd(&c[(k[i] >> shift) & (RADIX - 1)], 1);
    __syncthreads();
    if (threadIdx.x < RADIX) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}

__global__ void __launch_bounds__(B) scanCounts(int* counts, int m)
{
    __shared__ int w[B / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int base = 0;
    for (int s = 0; s < m; s += B) {
        const int i = s + threadIdx.x;
        const int v = i < m ? counts[i] : 0;
        int x = v;
        for (int d = 1; d < 32; d <<= 1) { const int o = __shfl_up_sync(~0u, x, d); if (lane >= d) x += o; }
        if (lane == 31) w[warp] = x;
        __syncthreads();
        int before = base;
        for (int q = 0; q < B / 32; ++q) { if (q < warp) before += w[q]; base += w[q]; }
        if (i < m) counts[i] = before + x - v;
        __syncthreads();
    }
}

__global__ void __launch_bounds__(B)
scatter(const uint32_t* __restrict__ k, uint32_t* __restrict__ out, int n, int shift, const int* __restrict__ offs)
{
    __shared__ int warpCount[RADIX][B / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int i = blockIdx.x * B + threadIdx.x;
    const uint32_t key = i < n ? k[i] : 0u;
    const int digit = i < n ? (int)((key >> shift) & (RADIX - 1)) : RADIX;
    if (lane < RADIX) warpCount[lane][warp] = 0;
    __syncwarp();
    const unsigned same = __match_any_sync(0xffffffffu, digit);
    const int rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0 && digit < RADIX) warpCount[digit][warp] = __popc(same);
    __syncthreads();
    if (i < n) {
        int pos = offs[digit * gridDim.x + blockIdx.x] + rank;
        for (int w = 0; w < warp; ++w) pos += warpCount[digit][w];
        out[pos] = key;
    }
}

void radixSort(uint32_t* a, uint32_t* b, int* counts, int n, cudaStream_t s)
{
    if (n < 0 || n > (1 << 26) || a == b) throw std::invalid_argument("radixSort");
    if (n == 0) return;
    const int blocks = (n + B - 1) / B;
    for (int shift = 0; shift < 32; shift += 4) {      // eight passes: the result is in `a`
        countDigits<<<blocks, B, 0, s>>>(a, n, shift, counts);
        scanCounts<<<1, B, 0, s>>>(counts, RADIX * blocks);
        scatter<<<blocks, B, 0, s>>>(a, b, n, shift, counts);
        uint32_t* t = a; a = b; b = t;
    }
}
