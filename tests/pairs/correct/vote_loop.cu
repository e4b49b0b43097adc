// Mandelbrot with warp votes: a warp keeps iterating until all its pixels are done.
#include <cuda_runtime.h>
#include <cstdint>

struct View {
    double x0, y0, dx, dy;
    int width, height, max_iter;
};

__device__ __forceinline__ uchar4 palette(int it, int max_iter)
{
    if (it >= max_iter) return make_uchar4(0, 0, 0, 255);
    const uint8_t t = static_cast<uint8_t>((it * 255) / max_iter);
    return make_uchar4(t, static_cast<uint8_t>(255 - t), static_cast<uint8_t>(t ^ 0x5a), 255);
}

__global__ void mandel(View v, uchar4* __restrict__ img, unsigned long long* __restrict__ work)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y;
    const int lane = threadIdx.x & 31;
    const bool inside = px < v.width;

    const double cr = v.x0 + px * v.dx;
    const double ci = v.y0 + py * v.dy;
    double zr = 0.0, zi = 0.0;
    int it = 0;
    bool busy = inside;
    unsigned rounds = 0;

    while (__any_sync(0xffffffffu, busy)) {
#pragma unroll 4
        for (int k = 0; k < 16; ++k) {
            if (busy) {
                const double r2 = zr * zr, i2 = zi * zi;
                if (r2 + i2 > 4.0 || it >= v.max_iter) {
                    busy = false;
                } else {
                    zi = 2.0 * zr * zi + ci;
                    zr = r2 - i2 + cr;
                    ++it;
                }
            }
        }
        ++rounds;
    }

    if (inside) img[static_cast<size_t>(py) * v.width + px] = palette(it, v.max_iter);

    unsigned total = __reduce_add_sync(0xffffffffu, static_cast<unsigned>(it));
    if (lane == 0) atomicAdd(work, static_cast<unsigned long long>(total) + rounds);
}

cudaError_t render(const View& v, uchar4* img, unsigned long long* work, cudaStream_t s)
{
    if (v.width <= 0 || v.height <= 0 || v.height > 65535 || v.max_iter <= 0 || v.max_iter > 100000)
        return cudaErrorInvalidValue;
    cudaMemsetAsync(work, 0, sizeof(*work), s);
    dim3 block(64);
    dim3 grid((v.width + 63) / 64, v.height);
    mandel<<<grid, block, 0, s>>>(v, img, work);
    return cudaGetLastError();
}
