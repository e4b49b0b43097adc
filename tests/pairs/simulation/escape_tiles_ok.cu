// Escape-time rendering with persistent blocks and dynamic tile queue. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdint>

#define FRACTAL_CALL(x)                                                      \
    do {                                                                     \
        cudaError_t err__ = (x);                                             \
        if (err__ != cudaSuccess) {                                          \
            std::fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(err__)); \
            return err__;                                                    \
        }                                                                    \
    } while (0)

namespace fractal {

constexpr int kTile = 16;

struct Viewport {
    double x0, y0, dx, dy;
    int width, height, maxIter;
};

class TileQueue {
public:
    __host__ __device__ TileQueue(int* next, int tilesX, int tilesY)
        : next_(next), tilesX_(tilesX), total_(tilesX * tilesY)
    {
    }

    // True when a tile was obtained; all threads of the block must call.
    __device__ bool pop(int& tx, int& ty)
    {
        __shared__ int s_tile;
        __syncthreads();
        if (threadIdx.x == 0 && threadIdx.y == 0)
            s_tile = atomicAdd(next_, 1);
        __syncthreads();
        const int t = s_tile;
        tx = t % tilesX_;
        ty = t / tilesX_;
        return t < total_;
    }

private:
    int* next_;
    int tilesX_;
    int total_;
};

__device__ int escapeTime(double cx, double cy, int maxIter)
{
    double x = 0.0, y = 0.0;
    int it = 0;
    while (it < maxIter && x * x + y * y <= 4.0) {
        const double t = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = t;
        ++it;
    }
    return it;
}

__device__ __forceinline__ uchar4 shade(int it, int maxIter)
{
    if (it == maxIter)
        return make_uchar4(0, 0, 0, 255);
    const unsigned v = unsigned(it) * 7u;
    return make_uchar4(v & 255u, (v >> 1) & 255u, 255u - (v & 127u), 255);
}

__global__ void __launch_bounds__(kTile* kTile)
renderKernel(Viewport vp, TileQueue queue, uchar4* __restrict__ image)
{
    int tx, ty;
    while (queue.pop(tx, ty)) {
        const int px = tx * kTile + threadIdx.x;
        const int py = ty * kTile + threadIdx.y;
        if (px >= vp.width || py >= vp.height)
            continue;
        const int it = escapeTime(vp.x0 + px * vp.dx, vp.y0 + py * vp.dy, vp.maxIter);
        image[size_t(py) * vp.width + px] = shade(it, vp.maxIter);
    }
}

cudaError_t render(const Viewport& vp, int* queueCounter, uchar4* image, cudaStream_t s)
{
    if (vp.width <= 0 || vp.height <= 0)
        return cudaSuccess;
    int dev = 0, sms = 0, perSm = 0;
    FRACTAL_CALL(cudaGetDevice(&dev));
    FRACTAL_CALL(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    FRACTAL_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, renderKernel,
                                                               kTile * kTile, 0));
    FRACTAL_CALL(cudaMemsetAsync(queueCounter, 0, sizeof(int), s));
    const TileQueue q(queueCounter, (vp.width + kTile - 1) / kTile,
                      (vp.height + kTile - 1) / kTile);
    renderKernel<<<sms * perSm, dim3(kTile, kTile), 0, s>>>(vp, q, image);
    FRACTAL_CALL(cudaGetLastError());
    return cudaSuccess;
}

} // namespace fractal
