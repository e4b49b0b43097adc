// Connected components inside a tile: iterate until no thread changes (vote by barrier).
#include <cuda_runtime.h>
#include <cstdint>

constexpr int T = 16;

__global__ void label_tiles(const uint8_t* __restrict__ mask, int w, int h, int* __restrict__ labels,
                            int* __restrict__ iterations)
{
    __shared__ int lab[2][T + 2][T + 2];
    const int x = blockIdx.x * T + threadIdx.x;
    const int y = blockIdx.y * T + threadIdx.y;
    const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    const bool on = x < w && y < h && mask[(size_t)y * w + x] != 0;
    const int none = 0x7fffffff;

    for (int i = threadIdx.y * T + threadIdx.x; i < (T + 2) * (T + 2); i += T * T) {
        lab[0][i / (T + 2)][i % (T + 2)] = none;
        lab[1][i / (T + 2)][i % (T + 2)] = none;
    }
    __syncthreads();
    int mine = on ? y * w + x : none;
    lab[0][ly][lx] = mine;
    __syncthreads();

    int cur = 0, rounds = 0;
    bool changed;
    do {
        const int before = mine;
        if (on) {
            mine = min(mine, lab[cur][ly - 1][lx]);
            mine = min(mine, lab[cur][ly + 1][lx]);
            mine = min(mine, lab[cur][ly][lx - 1]);
            mine = min(mine, lab[cur][ly][lx + 1]);
        }
        cur ^= 1;
        lab[cur][ly][lx] = mine;
        ++rounds;
        changed = __syncthreads_or(mine != before);
    } while (changed);

    if (x < w && y < h) labels[(size_t)y * w + x] = on ? mine : -1;
    if (threadIdx.x == 0 && threadIdx.y == 0) atomicMax(iterations, rounds);
}

bool label_image_tiles(const uint8_t* mask, int w, int h, int* labels, int* iterations,
                       cudaStream_t s)
{
    if (w <= 0 || h <= 0 || (long long)w * h >= 0x7fffffffLL) return false;
    cudaMemsetAsync(iterations, 0, sizeof(int), s);
    label_tiles<<<dim3((w + T - 1) / T, (h + T - 1) / T), dim3(T, T), 0, s>>>(mask, w, h, labels,
                                                                           iterations);
    return cudaGetLastError() == cudaSuccess;
}
