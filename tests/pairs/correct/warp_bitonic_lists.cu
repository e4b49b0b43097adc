// Faiss-like warp-select building block: every warp sorts 64 candidates held in two
// registers a lane with shuffles only.
#include <cuda_runtime.h>
#include <cassert>

struct Pair { float d; int id; };

__device__ __forceinline__ bool less(const Pair& a, const Pair& b) { return a.d < b.d || (a.d == b.d && a.id < b.id); }

__device__ __forceinline__ Pair exchange(Pair mine, int mask, bool keepMin)
{
    Pair o;
    o.d = __shfl_xor_sync(0xffffffffu, mine.d, mask);
    o.id = __shfl_xor_sync(0xffffffffu, mine.id, mask);
    const bool take = keepMin ? less(o, mine) : less(mine, o);
    return take ? o : mine;
}

__device__ __forceinline__ void sort64(Pair& a, Pair& b)
{
    const int lane = threadIdx.x & 31;
    #pragma unroll
    for (int k = 2; k <= 32; k <<= 1) {
        #pragma unroll
        for (int j = k >> 1; j > 0; j >>= 1) {
            const bool low = (lane & j) == 0;
            const bool upA = k == 32 || (lane & k) == 0;
            const bool upB = k == 32 ? false : upA;   // b descending at the end
            a = exchange(a, j, low == upA);
            b = exchange(b, j, low == upB);
        }
    }
    // a ascending followed by b descending is bitonic
    if (less(b, a)) { Pair t = a; a = b; b = t; }
    #pragma unroll
    for (int j = 16; j > 0; j >>= 1) {
        const bool low = (lane & j) == 0;
        a = exchange(a, j, low);
        b = exchange(b, j, low);
    }
}

__global__ void sortCandidates(const float* __restrict__ dist, int lists, int len, float* __restrict__ od, int* __restrict__ oi)
{
    const int warpsPerBlock = blockDim.x / 32;
    const int lane = threadIdx.x % 32;
    for (int w = blockIdx.x * warpsPerBlock + threadIdx.x / 32; w < lists; w += gridDim.x * warpsPerBlock) {
        const float* src = dist + (size_t)w * len;
        Pair a{lane < len ? src[lane] : 3e38f, lane};
        Pair b{lane + 32 < len ? src[lane + 32] : 3e38f, lane + 32};
        sort64(a, b);
        if (lane < len) { od[(size_t)w * len + lane] = a.d; oi[(size_t)w * len + lane] = a.id; }
        if (lane + 32 < len) { od[(size_t)w * len + lane + 32] = b.d; oi[(size_t)w * len + lane + 32] = b.id; }
    }
}

void sortCandidateLists(const float* dist, int lists, int len, float* od, int* oi, cudaStream_t s)
{
    assert(len >= 1 && len <= 64 && od != dist);
    if (lists <= 0) return;
    int grid = (lists + 3) / 4;
    if (grid > 2048) grid = 2048;
    sortCandidates<<<grid, 128, 0, s>>>(dist, lists, len, od, oi);
}
