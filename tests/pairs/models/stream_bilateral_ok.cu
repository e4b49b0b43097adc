// Bilateral filter that marches down the image, a ring of rows in shared memory.
#include <cuda_runtime.h>
#include <cmath>
#include <vector>

constexpr int TX = 160;

template <int R>
struct RowRing {
    static constexpr int kSlots = 2 * R + 2;
    static constexpr int kWidth = TX + 2 * R;

    float rows[kSlots][kWidth];

    __device__ static int slot(int y) { return (y + kSlots * 4) % kSlots; }

    // y may lie outside of the image: border rows and columns are replicated
    __device__ void load(const float* img, int pitch, int w, int h, int x0, int y) {
        const int sy = min(max(y, 0), h - 1);
        for (int i = threadIdx.x; i < kWidth; i += TX) {
            const int sx = min(max(x0 + i - R, 0), w - 1);
            rows[slot(y)][i] = img[(size_t)sy * pitch + sx];
        }
    }

    __device__ float at(int y, int dx) const { return rows[slot(y)][threadIdx.x + R + dx]; }
};

struct BilateralParams {
    const float* src;
    float* dst;
    int pitch, width, height;
    int strip;              // rows of one block
    float inv2ss, inv2sr;   // 1/(2 sigma^2) in space and range
};

template <int R>
__global__ void __launch_bounds__(TX) bilateral_march(BilateralParams p) {
    __shared__ RowRing<R> ring;
    const int x0 = blockIdx.x * TX;
    const int x = x0 + threadIdx.x;
    const int y0 = blockIdx.y * p.strip;
    const int y1 = min(y0 + p.strip, p.height);

    for (int y = y0 - R; y < y0 + R; ++y)
        ring.load(p.src, p.pitch, p.width, p.height, x0, y);

    for (int y = y0; y < y1; ++y) {
        ring.load(p.src, p.pitch, p.width, p.height, x0, y + R);
        __syncthreads();
        if (x < p.width) {
            const float c = ring.at(y, 0);
            float num = 0.f, den = 0.f;
            for (int dy = -R; dy <= R; ++dy) {
#pragma unroll
                for (int dx = -R; dx <= R; ++dx) {
                    const float v = ring.at(y + dy, dx);
                    const float e = (dx * dx + dy * dy) * p.inv2ss + (v - c) * (v - c) * p.inv2sr;
                    const float w = __expf(-e);
                    num += w * v;
                    den += w;
                }
            }
            p.dst[(size_t)y * p.pitch + x] = num / den;
        }
    }
}

static int strip_rows(int w, int h) {
    // aim at about 200 blocks
    const int bx = (w + TX - 1) / TX;
    int s = (h * bx + 199) / 200;
    return s < 16 ? 16 : s;
}

bool bilateral(const float* src, float* dst, int pitch, int w, int h, int radius, float sigma_s,
               float sigma_r, cudaStream_t stream) {
    if (w <= 0 || h <= 0 || pitch < w || sigma_s <= 0 || sigma_r <= 0) return false;
    BilateralParams p{src, dst, pitch, w, h, strip_rows(w, h), 0.5f / (sigma_s * sigma_s),
                      0.5f / (sigma_r * sigma_r)};
    dim3 grid((w + TX - 1) / TX, (h + p.strip - 1) / p.strip);
    switch (radius) {
        case 1: bilateral_march<1><<<grid, TX, 0, stream>>>(p); break;
        case 2: bilateral_march<2><<<grid, TX, 0, stream>>>(p); break;
        case 3: bilateral_march<3><<<grid, TX, 0, stream>>>(p); break;
        case 5: bilateral_march<5><<<grid, TX, 0, stream>>>(p); break;
        default: return false;
    }
    return cudaGetLastError() == cudaSuccess;
}
