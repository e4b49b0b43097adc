#include <cuda_runtime.h>
#include <cstdint>

#define N_THREADS 512
#define N_WARPS (N_THREADS / 32)

__device__ int block_rank(bool flag, int *warp_counts, int *total)
{
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const unsigned vote = __ballot_sync(0xffffffffu, flag);
    if (lane == 0)
        warp_counts[warp] = __popc(vote);
    __syncthreads();
    int before = __popc(vote & ((1u << lane) - 1));
    int all = 0;
    for (int w = 0; w < N_WARPS; ++w) {
        if (w < warp)
            before += warp_counts[w];
        all += warp_counts[w];
    }
    *total = all;
    return before;
}

__global__ void __launch_bounds__(N_THREADS)
sort_blocks(uint32_t *keys, int n, int begin_bit, int end_bit)
{
    __shared__ uint32_t sh[N_THREADS];
    __shared__ int counts[N_WARPS];
    const int i = blockIdx.x * N_THREADS + threadIdx.x;

    uint32_t key = i < n ? keys[i] : 0xffffffffu;
    for (int bit = begin_bit; bit < end_bit; ++bit) {
        const bool one = (key >> bit) & 1u;
        int zeros;
        const int zero_rank = block_rank(!one, counts, &zeros);
        const int target = one ? zeros + (int)threadIdx.x - zero_rank : zero_rank;
        sh[target] = key;
        __syncthreads();
        key = sh[threadIdx.x];
        __syncthreads();
    }
    if (i < n)
        keys[i] = key;
}

extern "C" cudaError_t sort_within_blocks(uint32_t *keys, int n, int begin_bit, int end_bit,
                                          cudaStream_t stream)
{
    if (n < 0 || n > 0x7fffffff - N_THREADS || keys == nullptr)
        return cudaErrorInvalidValue;
    // padding keys come last and every split is stable, so they stay behind the real keys
    if (begin_bit < 0 || end_bit > 32 || begin_bit >= end_bit)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    sort_blocks<<<(n + N_THREADS - 1) / N_THREADS, N_THREADS, 0, stream>>>(keys, n, begin_bit,
                                                                          end_bit);
    return cudaGetLastError();
}
