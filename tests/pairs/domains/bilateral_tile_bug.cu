#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                     \
    do {                                                                     \
        cudaError_t e_ = (call);                                             \
        if (e_ != cudaSuccess) {                                             \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                \
                    cudaGetErrorString(e_));                                 \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

namespace {
constexpr int kBlock = 16;
constexpr int kRadius = 3;
constexpr int kSpan = kBlock + 2 * kRadius;

struct BilateralParams {
    int width, height, pitch;
    float sigmaSpace, sigmaRange;
};

__device__ __forceinline__ int clampi(int v, int lo, int hi) {
    return v < lo ? lo : (v > hi ? hi : v);
}

__device__ void stageTile(float (&tile)[kSpan][kSpan], const float* img, const BilateralParams& p) {
    const int ox = blockIdx.x * kBlock - kRadius;
    const int oy = blockIdx.y * kBlock - kRadius;
    for (int ty = threadIdx.y; ty < kSpan; ty += kBlock)
        for (int tx = threadIdx.x; tx < kSpan; tx += kBlock) {
            const int gx = clampi(ox + tx, 0, p.width - 1);
            const int gy = clampi(oy + ty, 0, p.height - 1);
            tile[ty][tx] = img[gy * p.pitch + gx];
        }
}

__global__ void bilateralKernel(const float* __restrict__ in, float* __restrict__ out, BilateralParams p) {
    __shared__ float tile[kSpan][kSpan];
    const int x = blockIdx.x * kBlock + threadIdx.x;
    const int y = blockIdx.y * kBlock + threadIdx.y;

    stageTile(tile, in, p);
    if (x >= p.width || y >= p.height) return;
    __syncthreads();

    const float center = tile[threadIdx.y + kRadius][threadIdx.x + kRadius];
    const float is = -0.5f / (p.sigmaSpace * p.sigmaSpace);
    const float ir = -0.5f / (p.sigmaRange * p.sigmaRange);
    float num = 0.f, den = 0.f;
#pragma unroll
    for (int dy = -kRadius; dy <= kRadius; ++dy)
#pragma unroll
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
            const float v = tile[threadIdx.y + kRadius + dy][threadIdx.x + kRadius + dx];
            const float d = v - center;
            const float w = __expf(is * (dx * dx + dy * dy) + ir * d * d);
            num += w * v;
            den += w;
        }
    out[y * p.pitch + x] = num / den;
}
}  // namespace

int main(int argc, char** argv) {
    BilateralParams p{};
    p.width = argc > 1 ? atoi(argv[1]) : 1000;
    p.height = argc > 2 ? atoi(argv[2]) : 700;
    p.pitch = (p.width + 31) & ~31;
    p.sigmaSpace = 2.0f;
    p.sigmaRange = 0.1f;
    const size_t bytes = size_t(p.pitch) * p.height * sizeof(float);
    std::vector<float> h(size_t(p.pitch) * p.height);
    for (size_t i = 0; i < h.size(); ++i) h[i] = float(i % 255) / 255.f;
    float *dIn, *dOut;
    CUDA_CHECK(cudaMalloc(&dIn, bytes));
    CUDA_CHECK(cudaMalloc(&dOut, bytes));
    CUDA_CHECK(cudaMemcpy(dIn, h.data(), bytes, cudaMemcpyHostToDevice));
    dim3 block(kBlock, kBlock);
    dim3 grid((p.width + kBlock - 1) / kBlock, (p.height + kBlock - 1) / kBlock);
    bilateralKernel<<<grid, block>>>(dIn, dOut, p);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h.data(), dOut, bytes, cudaMemcpyDeviceToHost));
    printf("%f\n", h[h.size() / 2]);
    cudaFree(dIn);
    cudaFree(dOut);
    return 0;
}
