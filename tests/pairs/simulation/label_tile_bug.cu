// Connected components of a binary image, local pass per tile. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

#define TILE_W 32
#define TILE_H 16
#define PADDED ((TILE_W + 2) * (TILE_H + 2))

namespace ccl {

enum { BACKGROUND = 0x7fffffff };

struct Image {
    const uint8_t* pix;
    int width, height;
    __device__ bool set(int x, int y) const
    {
        return x < width && y < height && pix[size_t(y) * width + x] != 0;
    }
};

__device__ __forceinline__ int cellOf(int tx, int ty)
{
    return (ty + 1) * (TILE_W + 2) + tx + 1;
}

__device__ int smallestNeighbour(const int* lab, int c)
{
    int m = lab[c];
    m = min(m, lab[c - 1]);
    m = min(m, lab[c + 1]);
    m = min(m, lab[c - (TILE_W + 2)]);
    m = min(m, lab[c + (TILE_W + 2)]);
    return m;
}

__global__ void labelTiles(Image img, int* __restrict__ labels)
{
    __shared__ int s_lab[2][PADDED];
    __shared__ int s_changed;

    const int x = blockIdx.x * TILE_W + threadIdx.x;
    const int y = blockIdx.y * TILE_H + threadIdx.y;
    const int tid = threadIdx.y * TILE_W + threadIdx.x;
    for (int k = tid; k < 2 * PADDED; k += TILE_W * TILE_H)
        s_lab[k / PADDED][k % PADDED] = BACKGROUND;
    __syncthreads();

    const int c = cellOf(threadIdx.x, threadIdx.y);
    const bool fg = img.set(x, y);
    if (fg)
        s_lab[0][c] = y * img.width + x;

    int cur = 0;
    bool again;
    do {
        if (tid == 0)
            s_changed = 0;
        __syncthreads();
        if (fg) {
            const int before = s_lab[cur][c];
            const int now = smallestNeighbour(s_lab[cur], c);
            s_lab[cur ^ 1][c] = now;
            if (now != before)
                atomicOr(&s_changed, 1);
        }
        __syncthreads();
        again = s_changed != 0;
        cur ^= 1;
    } while (again);

    if (x < img.width && y < img.height)
        labels[size_t(y) * img.width + x] = fg ? s_lab[cur][c] : -1;
}

cudaError_t labelLocal(const uint8_t* pix, int width, int height, int* labels,
                       cudaStream_t s)
{
    if (width <= 0 || height <= 0)
        return cudaSuccess;
    Image img{pix, width, height};
    const dim3 block(TILE_W, TILE_H);
    const dim3 grid((width + TILE_W - 1) / TILE_W, (height + TILE_H - 1) / TILE_H);
    labelTiles<<<grid, block, 0, s>>>(img, labels);
    return cudaGetLastError();
}

} // namespace ccl
