#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

// Histogram equalisation of regions of very different sizes by persistent blocks.
struct Region {
    int x, y, w, h;  // regions do not overlap
};

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
equalise(uint8_t *img, int pitch, const Region *regions, int n, int *next)
{
    __shared__ int task;
    __shared__ unsigned hist[256];
    __shared__ uint8_t map[256];

    while (true) {
        if (threadIdx.x == 0)
            task = atomicAdd(next, 1);
        hist[threadIdx.x] = 0;
        __syncthreads();
        if (task >= n)
            break;
        const Region r = regions[task];
        const int area = r.w * r.h;

        for (int k = threadIdx.x; k < area; k += kThreads)
            atomicAdd(&hist[img[(size_t)(r.y + k / r.w) * pitch + r.x + k % r.w]], 1u);
        __syncthreads();

        // inclusive scan of the 256 counters, in place with two barriers a step
        for (int d = 1; d < 256; d <<= 1) {
            const unsigned add = threadIdx.x >= d ? hist[threadIdx.x - d] : 0u;
            __syncthreads();
            hist[threadIdx.x] += add;
            __syncthreads();
        }
        map[threadIdx.x] = (uint8_t)((255ull * hist[threadIdx.x]) / max(area, 1));
        __syncthreads();

        for (int k = threadIdx.x; k < area; k += kThreads) {
            uint8_t &p = img[(size_t)(r.y + k / r.w) * pitch + r.x + k % r.w];
            p = map[p];
        }
        // `task` and `hist` were last read before the barrier above;
        // `map` is rewritten only behind the barriers of the next task
    }
}

void equalise_regions(uint8_t *img, int pitch, const Region *regions, int n, int *counter,
                      cudaStream_t s)
{
    if (n < 0 || n > (1 << 28) || pitch < 1 || !img || !counter)
        throw std::invalid_argument("equalise_regions");
    if (n == 0)
        return;
    if (cudaMemsetAsync(counter, 0, sizeof(int), s) != cudaSuccess)
        throw std::runtime_error("equalise_regions: memset");
    equalise<<<n < 256 ? n : 256, kThreads, 0, s>>>(img, pitch, regions, n, counter);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("equalise_regions: launch");
}
