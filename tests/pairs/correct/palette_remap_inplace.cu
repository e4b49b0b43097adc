// Indexed colour images: nearest palette entry table, then in-place remap of the index plane.
#include <cuda_runtime.h>
#include <cstdint>
#include <climits>

struct Palette {
    uchar3 entry[256];
    int size;
};

__constant__ Palette c_from;
__constant__ Palette c_to;

__device__ inline int dist2(uchar3 a, uchar3 b)
{
    int dr = a.x - b.x, dg = a.y - b.y, db = a.z - b.z;
    return 2 * dr * dr + 4 * dg * dg + 3 * db * db;
}

__global__ void build_lut(uint8_t *lut)
{
    const int i = threadIdx.x;
    int best = 0, bd = INT_MAX;
    if (i < c_from.size)
        for (int k = 0; k < c_to.size; ++k) {
            int d = dist2(c_from.entry[i], c_to.entry[k]);
            if (d < bd) {
                bd = d;
                best = k;
            }
        }
    lut[i] = (uint8_t)best;
}

__global__ void remap(uint8_t *img, int w, int h, size_t pitch, const uint8_t *__restrict__ lut)
{
    __shared__ uint8_t s_lut[256];
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int k = t; k < 256; k += blockDim.x * blockDim.y)
        s_lut[k] = lut[k];
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    uint8_t *row = img + y * pitch;
    row[x] = s_lut[row[x]];
}

__global__ void expand_rgb(const uint8_t *__restrict__ img, int w, int h, size_t pitch, uchar4 *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const uchar3 c = c_to.entry[img[y * pitch + x]];
    out[y * w + x] = make_uchar4(c.x, c.y, c.z, 255);
}

cudaError_t convert_palette(const Palette &from, const Palette &to, uint8_t *d_img, int w, int h, size_t pitch,
                            uint8_t *d_lut, uchar4 *d_rgb)
{
    cudaError_t e = cudaMemcpyToSymbol(c_from, &from, sizeof(Palette));
    if (e == cudaSuccess)
        e = cudaMemcpyToSymbol(c_to, &to, sizeof(Palette));
    if (e != cudaSuccess)
        return e;
    const dim3 b(32, 8), g((w + 31) / 32, (h + 7) / 8);
    build_lut<<<1, 256>>>(d_lut);
    remap<<<g, b>>>(d_img, w, h, pitch, d_lut);
    expand_rgb<<<g, b>>>(d_img, w, h, pitch, d_rgb);
    return cudaGetLastError();
}
