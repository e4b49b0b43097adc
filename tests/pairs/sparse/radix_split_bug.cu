// Block-local LSD radix sort of tiles, one bit per round, followed by a
// histogram of the top digit used by the global pass.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NT 256
#define NW (NT / 32)

__device__ __forceinline__ int lane_id() { return threadIdx.x & 31; }
__device__ __forceinline__ int warp_id() { return threadIdx.x >> 5; }

/* number of zero bits before this thread; *zeros gets the sum over the block */
__device__ int rank_zeros(int bit, volatile int *s_wsum, int *zeros)
{
    const unsigned b = __ballot_sync(0xffffffffu, bit == 0);
    if (lane_id() == 0)
        s_wsum[warp_id()] = __popc(b);
    __syncthreads();
    int before = 0, total = 0;
    for (int w = 0; w < NW; ++w) {
        const int c = s_wsum[w];
        if (w < warp_id()) before += c;
        total += c;
    }
    *zeros = total;
    return before + __popc(b & ((1u << lane_id()) - 1u));
}

__device__ uint32_t split(uint32_t key, int shift, uint32_t *s_keys, int *s_wsum)
{
    const int bit = (key >> shift) & 1;
    int zeros;
    const int z = rank_zeros(bit, s_wsum, &zeros);
    const int dst = bit ? zeros + (int)threadIdx.x - z : z;
    s_keys[dst] = key;
    return s_keys[threadIdx.x];
}

__global__ void sort_tiles(uint32_t *keys, int n, int lo, int hi)
{
    __shared__ uint32_t s_keys[NT];
    __shared__ int s_wsum[NW];
    const int g = blockIdx.x * NT + threadIdx.x;
    uint32_t k = g < n ? keys[g] : 0xffffffffu;
    for (int b = lo; b < hi; ++b)
        k = split(k, b, s_keys, s_wsum);
    if (g < n)
        keys[g] = k;
}

__global__ void digit_histogram(const uint32_t *keys, int n, int shift, unsigned *hist)
{
    __shared__ unsigned s_hist[16];
    if (threadIdx.x < 16)
        s_hist[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT)
        atomicAdd(&s_hist[(keys[i] >> shift) & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&hist[threadIdx.x], s_hist[threadIdx.x]);
}

int main(void)
{
    const int n = 1 << 20;
    uint32_t *h = (uint32_t *)malloc(n * sizeof(*h)), *d;
    unsigned *hist, hh[16];
    for (int i = 0; i < n; ++i)
        h[i] = (uint32_t)rand() * 2654435761u;
    if (cudaMalloc(&d, n * sizeof(*d)) || cudaMalloc(&hist, sizeof(hh)))
        return 1;
    cudaMemcpy(d, h, n * sizeof(*d), cudaMemcpyHostToDevice);
    cudaMemset(hist, 0, sizeof(hh));
    sort_tiles<<<(n + NT - 1) / NT, NT>>>(d, n, 0, 32);
    digit_histogram<<<256, NT>>>(d, n, 28, hist);
    cudaMemcpy(h, d, n * sizeof(*d), cudaMemcpyDeviceToHost);
    cudaMemcpy(hh, hist, sizeof(hh), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 1; i < n; ++i)
        bad += (i % NT) && h[i - 1] > h[i];
    printf("inversions %d, digit0 %u\n", bad, hh[0]);
    free(h);
    return bad != 0;
}
