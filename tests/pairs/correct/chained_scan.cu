#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdio>

#define BLOCK 256

struct Chain {
    unsigned ticket;
    unsigned pad;
};

__global__ void __launch_bounds__(BLOCK)
chained_scan(const int *in, int *out, int n, Chain *chain, int *prefix, int *ready)
{
    __shared__ unsigned tile_id;
    __shared__ int warp_sum[BLOCK / 32];
    __shared__ int carry;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (threadIdx.x == 0)
        tile_id = atomicAdd(&chain->ticket, 1u);
    __syncthreads();
    const int tile = (int)tile_id;
    const int i = tile * BLOCK + threadIdx.x;

    int v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d <<= 1) {
        const int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += u;
    }
    if (lane == 31)
        warp_sum[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; ++w)
        v += warp_sum[w];

    if (threadIdx.x == 0) {
        int total = 0;
        for (int w = 0; w < BLOCK / 32; ++w)
            total += warp_sum[w];
        int before = 0;
        if (tile > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> flag(ready[tile - 1]);
            while (flag.load(cuda::memory_order_acquire) == 0)
                __nanosleep(20);
            before = prefix[tile - 1];
        }
        prefix[tile] = before + total;
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(ready[tile]);
        mine.store(1, cuda::memory_order_release);
        carry = before;
    }
    __syncthreads();
    if (i < n)
        out[i] = v + carry;
}

/* prefix and ready have room for (n + 255) / 256 entries. */
int inclusive_scan(const int *in, int *out, int n, Chain *chain, int *prefix, int *ready,
                   cudaStream_t s)
{
    if (n < 0 || n > (1 << 30) || !chain || !prefix || !ready)
        return -1;
    if (n == 0)
        return 0;
    const int tiles = (n + BLOCK - 1) / BLOCK;
    if (cudaMemsetAsync(chain, 0, sizeof *chain, s) != cudaSuccess ||
        cudaMemsetAsync(ready, 0, tiles * sizeof(int), s) != cudaSuccess)
        return -2;
    chained_scan<<<tiles, BLOCK, 0, s>>>(in, out, n, chain, prefix, ready);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        std::fprintf(stderr, "inclusive_scan: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -3;
}
