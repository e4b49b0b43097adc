// Connected components inside 32x16 image tiles: label propagation until a block
// vote finds no change.
#include <cuda_runtime.h>
#include <cstdint>
#include <cassert>

constexpr int W = 32, H = 16;

__global__ void __launch_bounds__(W * H)
labelTiles(const uint8_t* __restrict__ mask, int width, int height, int* __restrict__ labels)
{
    __shared__ int lab[H + 2][W + 2];
    const int none = 0x7fffffff;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int t = ty * W + tx;
    for (int i = t; i < (H + 2) * (W + 2); i += W * H) (&lab[0][0])[i] = none;
    __syncthreads();

    const int x = blockIdx.x * W + tx, y = blockIdx.y * H + ty;
    const bool fg = x < width && y < height && mask[(size_t)y * width + x] != 0;
    int cur = fg ? t : none;
    lab[ty + 1][tx + 1] = cur;
    __syncthreads();

    bool changed = true;
    while (__syncthreads_or(changed)) {
        int best = cur;
        if (fg) {
            best = min(best, lab[ty][tx + 1]);
            best = min(best, lab[ty + 2][tx + 1]);
            best = min(best, lab[ty + 1][tx]);
            best = min(best, lab[ty + 1][tx + 2]);
        }
        __syncthreads();
        changed = best != cur;
        if (changed) {
            cur = best;
            lab[ty + 1][tx + 1] = cur;
        }
    }
    if (x < width && y < height)
        labels[(size_t)y * width + x] = fg ? (int)((blockIdx.y * gridDim.x + blockIdx.x) * (W * H)) + cur : -1;
}

void labelImageTiles(const uint8_t* mask, int width, int height, int* labels, cudaStream_t s)
{
    assert(width > 0 && height > 0 && width <= 32768 && height <= 32768);
    const dim3 grid((width + W - 1) / W, (height + H - 1) / H);
    labelTiles<<<grid, dim3(W, H), 0, s>>>(mask, width, height, labels);
}

int main()
{
    uint8_t* m; int* l;
    cudaMalloc(&m, 500 * 301);
    cudaMalloc(&l, 500 * 301 * 4);
    cudaMemset(m, 1, 500 * 301);
    labelImageTiles(m, 500, 301, l, 0);
    cudaDeviceSynchronize();
    cudaFree(m);
    cudaFree(l);
    return 0;
}
