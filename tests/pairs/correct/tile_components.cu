// Connected components inside 32x32 image tiles (first stage of a labelling pipeline).
#include <cuda_runtime.h>
#include <cstdint>

namespace ccl {

constexpr int kSide = 32;
constexpr int kCells = kSide * kSide;
constexpr int kThreads = 256;
constexpr int kPerThread = kCells / kThreads;
constexpr int kBackground = kCells;

struct Image {
    const uint8_t *pixels;
    int width, height;
};

__global__ void __launch_bounds__(kThreads) label_tiles(Image img, int *labels)
{
    __shared__ int lab[kCells];
    const int x0 = blockIdx.x * kSide, y0 = blockIdx.y * kSide;

    for (int c = threadIdx.x; c < kCells; c += kThreads) {
        const int x = x0 + c % kSide, y = y0 + c / kSide;
        const bool on = x < img.width && y < img.height && img.pixels[(size_t)y * img.width + x];
        lab[c] = on ? c : kBackground;
    }
    __syncthreads();

    int seen[kPerThread];
    for (;;) {
        // phase 1: only reads
#pragma unroll
        for (int k = 0; k < kPerThread; ++k) {
            const int c = threadIdx.x + k * kThreads;
            const int x = c % kSide, y = c / kSide;
            int low = lab[c];
            if (low != kBackground) {
                if (x > 0)
                    low = min(low, lab[c - 1]);
                if (x < kSide - 1)
                    low = min(low, lab[c + 1]);
                if (y > 0)
                    low = min(low, lab[c - kSide]);
                if (y < kSide - 1)
                    low = min(low, lab[c + kSide]);
                low = min(low, lab[low]);  // shortcut through the representative
            }
            seen[k] = low;
        }
        __syncthreads();

        // phase 2: only atomics
        bool changed = false;
#pragma unroll
        for (int k = 0; k < kPerThread; ++k) {
            const int c = threadIdx.x + k * kThreads;
            if (seen[k] != kBackground)
                changed |= atomicMin(&lab[c], seen[k]) > seen[k];
        }
        if (!__syncthreads_or(changed))
            break;
    }

    for (int c = threadIdx.x; c < kCells; c += kThreads) {
        const int x = x0 + c % kSide, y = y0 + c / kSide;
        if (x < img.width && y < img.height) {
            const int l = lab[c];
            labels[(size_t)y * img.width + x] =
                l == kBackground ? -1 : (y0 + l / kSide) * img.width + x0 + l % kSide;
        }
    }
}

bool label(const Image &img, int *labels, cudaStream_t s)
{
    if (img.width < 1 || img.height < 1 || !img.pixels || !labels)
        return false;
    if ((long long)img.width * img.height > (1LL << 30) || img.height > 65535 * kSide)
        return false;
    const dim3 grid((img.width + kSide - 1) / kSide, (img.height + kSide - 1) / kSide);
    label_tiles<<<grid, kThreads, 0, s>>>(img, labels);
    return cudaGetLastError() == cudaSuccess;
}

}  // namespace ccl
