// Stable block compaction: scan of flags, then an ordered write; offsets come from a first pass.
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int ITEMS = 4;

struct Edge { int u, v; float w; };

__device__ int block_exclusive(int x, int& total)
{
    __shared__ int warp_sum[BLOCK / 32];
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    int inc = x;
    for (int d = 1; d < 32; d <<= 1) {
        const int t = __shfl_up_sync(~0u, inc, d);
        if (lane >= d) inc += t;
    }
    if (lane == 31) warp_sum[wid] = inc;
    __syncthreads();
    int before = 0;
    total = 0;
#pragma unroll
    for (int w = 0; w < BLOCK / 32; ++w) {
        if (w < wid) before += warp_sum[w];
        total += warp_sum[w];
    }
    __syncthreads();        // warp_sum may be reused by the next call
    return before + inc - x;
}

__global__ void count_kept(const Edge* __restrict__ e, int n, float cut, int* __restrict__ counts)
{
    int c = 0;
    for (int k = 0; k < ITEMS; ++k) {
        const int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;
        c += __syncthreads_count(i < n && e[i].w >= cut);
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = c;
}

__global__ void scan_counts(int* counts, int nb, int* total)
{
    int carry = 0;
    for (int b0 = 0; b0 < nb; b0 += BLOCK) {
        const int i = b0 + threadIdx.x;
        const int c = i < nb ? counts[i] : 0;
        int sum;
        const int ex = block_exclusive(c, sum);
        if (i < nb) counts[i] = carry + ex;
        carry += sum;
    }
    if (threadIdx.x == 0) *total = carry;
}

__global__ void write_kept(const Edge* __restrict__ e, int n, float cut, const int* __restrict__ off,
                           Edge* __restrict__ out)
{
    int base = off[blockIdx.x];
    for (int k = 0; k < ITEMS; ++k) {
        const int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;
        Edge mine{0, 0, 0.f};
        bool keep = false;
        if (i < n) {
            mine = e[i];
            keep = mine.w >= cut;
        }
        int sum;
        const int at = block_exclusive(keep, sum);
        if (keep) out[base + at] = mine;
        base += sum;
    }
}

void threshold_edges(const Edge* e, int n, float cut, int* counts, int* total, Edge* out,
                     cudaStream_t s)
{
    const int nb = (n + BLOCK * ITEMS - 1) / (BLOCK * ITEMS);
    if (nb) count_kept<<<nb, BLOCK, 0, s>>>(e, n, cut, counts);
    scan_counts<<<1, BLOCK, 0, s>>>(counts, nb, total);
    if (nb) write_kept<<<nb, BLOCK, 0, s>>>(e, n, cut, counts, out);
}
