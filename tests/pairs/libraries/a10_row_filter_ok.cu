// Horizontal filter of a float image, one row segment of 32 pixels per warp.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>

#define RADIUS 8
#define WARPS 4
#define SEG 32
#define ROW_PITCH (SEG + 2 * RADIUS)
#define POOL (WARPS * (SEG + 2 * RADIUS))

__constant__ float c_kernel[2 * RADIUS + 1];

enum Border { BORDER_ZERO = 0, BORDER_CLAMP = 1 };

template <int B>
__device__ __forceinline__ float pixel(const float* row, int x, int w)
{
    if (B == BORDER_CLAMP) return row[min(max(x, 0), w - 1)];
    return (x >= 0 && x < w) ? row[x] : 0.f;
}

template <int B>
__device__ __forceinline__ void fillSegment(float* line, const float* row, int x0, int w, int lane)
{
    line[RADIUS + lane] = pixel<B>(row, x0 + lane, w);
    if (lane < RADIUS)
        line[lane] = pixel<B>(row, x0 + lane - RADIUS, w);
    else if (lane < 2 * RADIUS)
        line[SEG + lane] = pixel<B>(row, x0 + SEG + lane - RADIUS, w);
}

__device__ __forceinline__ float convolve(const float* line, int lane)
{
    float acc = 0.f;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; ++k) acc += c_kernel[k] * line[lane + k];
    return acc;
}

template <int B>
__global__ void rowFilter(float* __restrict__ dst, const float* __restrict__ src, int w, int h,
                          int pitch)
{
    __shared__ float pool[POOL];
    const int lane = threadIdx.x;
    const int y = blockIdx.y * WARPS + threadIdx.y;
    float* line = pool + threadIdx.y * ROW_PITCH;

    if (y >= h) return;  // whole warps
    const float* row = src + (size_t)y * pitch;

    for (int x0 = blockIdx.x * SEG; x0 < w; x0 += gridDim.x * SEG) {
        fillSegment<B>(line, row, x0, w, lane);
        __syncwarp();
        const float v = convolve(line, lane);
        if (x0 + lane < w) dst[(size_t)y * pitch + x0 + lane] = v;
        __syncwarp();
    }
}

static void gaussian(float sigma)
{
    float k[2 * RADIUS + 1], sum = 0.f;
    for (int i = -RADIUS; i <= RADIUS; ++i) sum += k[i + RADIUS] = expf(-0.5f * i * i / (sigma * sigma));
    for (int i = 0; i <= 2 * RADIUS; ++i) k[i] /= sum;
    cudaMemcpyToSymbol(c_kernel, k, sizeof(k));
}

int blurRows(float* d_dst, const float* d_src, int w, int h, int pitch, float sigma, Border border)
{
    gaussian(sigma);
    const dim3 block(SEG, WARPS);
    int gx = (w + SEG - 1) / SEG;
    if (gx > 8) gx = 8;
    const dim3 grid(gx, (h + WARPS - 1) / WARPS);
    switch (border) {
    case BORDER_ZERO:  rowFilter<BORDER_ZERO><<<grid, block>>>(d_dst, d_src, w, h, pitch); break;
    case BORDER_CLAMP: rowFilter<BORDER_CLAMP><<<grid, block>>>(d_dst, d_src, w, h, pitch); break;
    default: return -1;
    }
    const cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        printf("blurRows: %s\n", cudaGetErrorString(err));
        return -1;
    }
    return 0;
}
