// Split-K with an in-order semaphore per output tile (CUTLASS style): slice k waits
// for slice k-1 of its tile, then adds to the output without atomics.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <stdexcept>

struct Semaphore {
    int* word;
    __device__ void wait(int want) const
    {
        if (threadIdx.x == 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> r(*word);
            while (r.load(cuda::memory_order_acquire) != want) { }
            __threadfence();
        }
        __syncthreads();
    }
    __device__ void release(int next) const
    {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> r(*word);
            r.store(next, cuda::memory_order_release);
        }
    }
};

__global__ void __launch_bounds__(128)
gemvSplit(const float* __restrict__ A, const float* __restrict__ x, float* y, int m, int k, int slices, int* sem, int* ticket)
{
    // Work units are numbered by arrival, slice-major: the predecessor has started.
    __shared__ int unit;
    if (threadIdx.x == 0) unit = atomicAdd(ticket, 1);
    __syncthreads();
    const int tiles = gridDim.x / slices;
    const int slice = unit / tiles, tile = unit % tiles;
    const int row = tile * 128 + threadIdx.x;
    const int per = (k + slices - 1) / slices;
    const int k0 = min(k, slice * per), k1 = min(k, k0 + per);

    float acc = 0.f;
    if (row < m)
        for (int j = k0; j < k1; ++j) acc += A[(size_t)j * m + row] * x[j];     // column-major

    const Semaphore s{sem + tile};
    s.wait(slice);
    if (row < m) y[row] = slice == 0 ? acc : __ldcg(&y[row]) + acc;
    s.release(slice + 1 == slices ? 0 : slice + 1);     // leaves the semaphore clean
}

void gemv(const float* A, const float* x, float* y, int m, int k, int slices, int* sem, int* ticket, cudaStream_t s)
{
    if (m <= 0 || k <= 0 || slices < 1 || slices > 64 || m > (1 << 24) || k > (1 << 24) || x == y) throw std::invalid_argument("gemv");
    const int tiles = (m + 127) / 128;
    cudaMemsetAsync(sem, 0, tiles * sizeof(int), s);
    cudaMemsetAsync(ticket, 0, sizeof(int), s);
    gemvSplit<<<tiles * slices, 128, 0, s>>>(A, x, y, m, k, slices, sem, ticket);
}
