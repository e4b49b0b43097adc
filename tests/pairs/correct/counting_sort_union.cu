// Sorts tiles of 1024 records by an 8-bit class (stability is not needed).
#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

struct Record {
    uint32_t cls;
    float payload;
};

constexpr int kThreads = 256;
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;

union Scratch {
    struct {
        unsigned count[256];
        unsigned warp_sum[8];
    } phase1;
    struct Staged {
        uint32_t cls[kTile];
        float payload[kTile];
    } phase2;
};

__global__ void __launch_bounds__(kThreads) sort_tiles(Record *rec, int n)
{
    __shared__ Scratch sh;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int base = blockIdx.x * kTile;
    const int size = min(kTile, n - base);

    sh.phase1.count[t] = 0;
    __syncthreads();

    Record mine[kItems];
    unsigned rank[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const int i = k * kThreads + t;
        rank[k] = 0;
        mine[k] = Record{0u, 0.0f};
        if (i < size) {
            mine[k] = rec[base + i];
            mine[k].cls &= 255u;
            rank[k] = atomicAdd(&sh.phase1.count[mine[k].cls], 1u);
        }
    }
    __syncthreads();

    const unsigned c = sh.phase1.count[t];
    unsigned inc = c;
    for (int d = 1; d < 32; d *= 2) {
        const unsigned u = __shfl_up_sync(0xffffffffu, inc, d);
        if (lane >= d)
            inc += u;
    }
    if (lane == 31)
        sh.phase1.warp_sum[warp] = inc;
    __syncthreads();
    unsigned before = inc - c;
    for (int w = 0; w < warp; ++w)
        before += sh.phase1.warp_sum[w];
    sh.phase1.count[t] = before;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < kItems; ++k)
        if (k * kThreads + t < size)
            rank[k] += sh.phase1.count[mine[k].cls];
    __syncthreads();  // from here on the storage belongs to phase 2

#pragma unroll
    for (int k = 0; k < kItems; ++k)
        if (k * kThreads + t < size) {
            sh.phase2.cls[rank[k]] = mine[k].cls;
            sh.phase2.payload[rank[k]] = mine[k].payload;
        }
    __syncthreads();
    for (int i = t; i < size; i += kThreads)
        rec[base + i] = Record{sh.phase2.cls[i], sh.phase2.payload[i]};
}

cudaError_t sort_by_class(Record *rec, int n, cudaStream_t s)
{
    if (n < 0 || n > (1 << 30))
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    sort_tiles<<<(n + kTile - 1) / kTile, kThreads, 0, s>>>(rec, n);
    return cudaGetLastError();
}
