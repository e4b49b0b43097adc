// Block-local radix sort of 4 keys per thread, as the first pass of the old
// merge sorter.  1-bit splits; a scan of uint4 gives the ranks.
#include <cuda_runtime.h>
#include <cstdio>

typedef unsigned int uint;

#define CTA_SIZE 256
#define ELEMS (4 * CTA_SIZE)
#define WARPS_PER_CTA (CTA_SIZE / 32)

__device__ __forceinline__ uint scanwarp(uint val, uint lane)
{
    uint x = val;
    for (int d = 1; d < 32; d <<= 1) {
        const uint y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += y;
    }
    return x - val;
}

// exclusive scan over the CTA, four items per thread; `total` is the sum of all
__device__ uint4 scan4(uint4 in, uint* s_warp, uint& total)
{
    const uint lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint4 v = in;
    const uint s0 = v.x, s1 = s0 + v.y, s2 = s1 + v.z, s3 = s2 + v.w;
    const uint ex = scanwarp(s3, lane);

    if (lane == 31) s_warp[warp] = ex + s3;
    __syncthreads();
    uint base = 0;
    total = 0;
    for (uint w = 0; w < WARPS_PER_CTA; ++w) {
        const uint c = s_warp[w];
        if (w < warp) base += c;
        total += c;
    }
    base += ex;
    v.x = base;
    v.y = base + s0;
    v.z = base + s1;
    v.w = base + s2;
    return v;
}

__device__ __forceinline__ uint splitRank(uint pred, uint before, uint falses, uint idx)
{
    return pred ? before : falses + idx - before;
}

template <uint BITS, uint START>
__global__ void radixSortBlocks(uint4* keysOut, const uint4* keysIn)
{
    __shared__ uint s_keys[ELEMS];
    __shared__ uint s_warp[WARPS_PER_CTA];
    const uint t = threadIdx.x;
    uint4 key = keysIn[blockIdx.x * CTA_SIZE + t];

    for (uint shift = START; shift < START + BITS; ++shift) {
        uint4 lsb;
        lsb.x = !((key.x >> shift) & 1);
        lsb.y = !((key.y >> shift) & 1);
        lsb.z = !((key.z >> shift) & 1);
        lsb.w = !((key.w >> shift) & 1);

        uint zeros;
        const uint4 r = scan4(lsb, s_warp, zeros);
        if (zeros == 0 || zeros == ELEMS) continue;  // this digit is constant

        const uint i = 4 * t;
        s_keys[splitRank(lsb.x, r.x, zeros, i)] = key.x;
        s_keys[splitRank(lsb.y, r.y, zeros, i + 1)] = key.y;
        s_keys[splitRank(lsb.z, r.z, zeros, i + 2)] = key.z;
        s_keys[splitRank(lsb.w, r.w, zeros, i + 3)] = key.w;
        __syncthreads();
        key.x = s_keys[i];
        key.y = s_keys[i + 1];
        key.z = s_keys[i + 2];
        key.w = s_keys[i + 3];
        __syncthreads();
    }
    keysOut[blockIdx.x * CTA_SIZE + t] = key;
}

__global__ void countInversions(const uint* keys, uint n, uint* bad)
{
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool b = i + 1 < n && (i % ELEMS) != ELEMS - 1 && keys[i] > keys[i + 1];
    const uint votes = __ballot_sync(0xffffffffu, b);
    if ((threadIdx.x & 31) == 0 && votes) atomicAdd(bad, __popc(votes));
}

int main()
{
    const uint blocks = 64, n = blocks * ELEMS;
    uint *a, *b, *bad;
    cudaMallocManaged(&a, n * sizeof(uint));
    cudaMallocManaged(&b, n * sizeof(uint));
    cudaMallocManaged(&bad, sizeof(uint));
    uint seed = 1234567u;
    for (uint i = 0; i < n; ++i) { seed = seed * 1664525u + 1013904223u; a[i] = seed >> 8; }
    *bad = 0;
    radixSortBlocks<16, 0><<<blocks, CTA_SIZE>>>((uint4*)b, (const uint4*)a);
    radixSortBlocks<16, 16><<<blocks, CTA_SIZE>>>((uint4*)a, (const uint4*)b);
    countInversions<<<(n + 255) / 256, 256>>>(a, n, bad);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%u inversions\n", *bad);
    return *bad != 0;
}
