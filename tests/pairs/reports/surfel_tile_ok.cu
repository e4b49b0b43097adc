#include <cuda_runtime.h>
#include <float.h>

template <typename T>
struct Camera {
    T focal;
    int width;
    int height;
};

enum { COL_POS_X = 0, COL_POS_Y, COL_POS_Z, COL_RADIUS, COL_R, COL_G, COL_B, COL_DIM };

template <typename T>
__device__ __forceinline__ bool hit(const T* s, T px, T py, T focal, T& depth)
{
    const T z = s[COL_POS_Z];
    if (z <= T(0)) return false;
    const T sx = s[COL_POS_X] * focal / z;
    const T sy = s[COL_POS_Y] * focal / z;
    const T r  = s[COL_RADIUS] * focal / z;
    const T dx = px - sx, dy = py - sy;
    depth = z;
    return dx * dx + dy * dy <= r * r;
}

template <typename T, int TILE>
__global__ void render_tile(const T* __restrict__ surfels, int n, Camera<T> cam,
                            T* __restrict__ image, T* __restrict__ zbuf)
{
    __shared__ T tile[TILE * COL_DIM];

    const int idx = blockIdx.x * TILE + threadIdx.x;
    const int npix = cam.width * cam.height;
    const T px = T(idx % cam.width) - T(cam.width) / 2;
    const T py = T(idx / cam.width) - T(cam.height) / 2;

    T best = T(FLT_MAX);
    T r = 0, g = 0, b = 0;

    for (int base = 0; base < n; base += TILE) {
        const int count = min(TILE, n - base);
        if (threadIdx.x < count) {
            const T* src = surfels + (size_t)(base + threadIdx.x) * COL_DIM;
            #pragma unroll
            for (int c = 0; c < COL_DIM; ++c)
                tile[threadIdx.x * COL_DIM + c] = src[c];
        }
        __syncthreads();

        if (idx < npix) {
            for (int k = 0; k < count; ++k) {
                T z;
                if (hit(tile + k * COL_DIM, px, py, cam.focal, z) && z < best) {
                    best = z;
                    r = tile[k * COL_DIM + COL_R];
                    g = tile[k * COL_DIM + COL_G];
                    b = tile[k * COL_DIM + COL_B];
                }
            }
        }
        __syncthreads();
    }

    if (idx < npix) {
        image[idx * 3 + 0] = r;
        image[idx * 3 + 1] = g;
        image[idx * 3 + 2] = b;
        zbuf[idx] = best;
    }
}

template <typename T>
void render(const T* d_surfels, int n, int width, int height, const T* focal, int nviews,
            T* d_images, T* d_zbuf)
{
    const int tile = 256;
    const int npix = width * height;
    const int blocks = (npix + tile - 1) / tile;
    for (int v = 0; v < nviews; ++v) {
        Camera<T> cam = {focal[v], width, height};
        render_tile<T, tile><<<blocks, tile>>>(d_surfels, n, cam,
                                               d_images + (size_t)v * npix * 3,
                                               d_zbuf + (size_t)v * npix);
    }
    cudaDeviceSynchronize();
}

template void render<float>(const float*, int, int, int, const float*, int, float*, float*);
