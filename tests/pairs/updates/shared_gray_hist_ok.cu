// CLAHE front end: grey level histogram of every image tile, one block per tile.
#include <cuda_runtime.h>
#include <stdint.h>

#define BINS 256
#define TILE_THREADS 256

typedef struct {
    const uint8_t *data;
    int width, height, step;
    int tile_w, tile_h;
    int tiles_x, tiles_y;
    float clip;
} clahe_args;

__device__ static void redistribute(unsigned *hist, unsigned limit, unsigned *excess)
{
    unsigned v = hist[threadIdx.x];
    if (v > limit) {
        atomicAdd(excess, v - limit);
        hist[threadIdx.x] = limit;
    }
    __syncthreads();
    hist[threadIdx.x] += *excess / BINS;
}

__global__ void __launch_bounds__(TILE_THREADS) clahe_lut(clahe_args a, uint8_t *lut)
{
    __shared__ unsigned hist[BINS];
    __shared__ unsigned excess;
    const int tx = blockIdx.x, ty = blockIdx.y, tid = threadIdx.x;
    hist[tid] = 0;
    if (tid == 0)
        excess = 0;
    __syncthreads();

    const int x0 = tx * a.tile_w, y0 = ty * a.tile_h;
    const int x1 = min(x0 + a.tile_w, a.width), y1 = min(y0 + a.tile_h, a.height);
    for (int y = y0 + tid / 32; y < y1; y += TILE_THREADS / 32)
        for (int x = x0 + tid % 32; x < x1; x += 32) {
            const uint8_t g = a.data[y * a.step + x];
            atomicAdd(&hist[g], 1u);
        }
    __syncthreads();

    const unsigned area = (x1 - x0) * (y1 - y0);
    redistribute(hist, max(1u, (unsigned)(a.clip * area / BINS)), &excess);
    __syncthreads();

    /* inclusive scan */
    for (int off = 1; off < BINS; off <<= 1) {
        unsigned add = tid >= off ? hist[tid - off] : 0;
        __syncthreads();
        hist[tid] += add;
        __syncthreads();
    }
    lut[(ty * a.tiles_x + tx) * BINS + tid] = (uint8_t)min(255u, hist[tid] * 255u / max(1u, area));
}

int clahe_build_luts(const uint8_t *d_img, int w, int h, int step, int tiles_x, int tiles_y, float clip,
                     uint8_t *d_lut, cudaStream_t s)
{
    clahe_args a;
    a.data = d_img;
    a.width = w;
    a.height = h;
    a.step = step;
    a.tiles_x = tiles_x;
    a.tiles_y = tiles_y;
    a.tile_w = (w + tiles_x - 1) / tiles_x;
    a.tile_h = (h + tiles_y - 1) / tiles_y;
    a.clip = clip;
    clahe_lut<<<dim3(tiles_x, tiles_y), TILE_THREADS, 0, s>>>(a, d_lut);
    return (int)cudaGetLastError();
}
