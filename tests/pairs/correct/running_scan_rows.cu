// Inclusive scan of long rows: registers, one value per warp, running carry.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int NW = BLOCK / 32;
constexpr int ITEMS = 4;

__global__ void __launch_bounds__(BLOCK) scan_rows(const float *in, float *out, int width)
{
    __shared__ float tot[2][NW];
    const float *src = in + (size_t)blockIdx.x * width;
    float *dst = out + (size_t)blockIdx.x * width;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float carry = 0.0f; // the same in every thread
    int parity = 0;
    for (int base = 0; base < width; base += BLOCK * ITEMS) {
        const int at = base + threadIdx.x * ITEMS;
        float v[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            v[k] = at + k < width ? src[at + k] : 0.0f;
            if (k > 0)
                v[k] += v[k - 1];
        }
        float inc = v[ITEMS - 1];
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const float o = __shfl_up_sync(0xffffffffu, inc, d);
            inc += lane >= d ? o : 0.0f;
        }
        if (lane == 31)
            tot[parity][warp] = inc;
        __syncthreads();
        float before = carry;
#pragma unroll
        for (int w = 0; w < NW; ++w) {
            const float t = tot[parity][w];
            before += w < warp ? t : 0.0f;
            carry += t;
        }
        const float prev = before + inc - v[ITEMS - 1];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k)
            if (at + k < width)
                dst[at + k] = prev + v[k];
        parity ^= 1; // the other line of tot, so no second barrier
    }
}

int main()
{
    const int rows = 37, width = 10007;
    std::vector<float> h((size_t)rows * width, 1.0f);
    float *d;
    cudaMalloc(&d, h.size() * sizeof(float));
    cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    scan_rows<<<rows, BLOCK>>>(d, d, width); // in place
    cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %s\n", h[width - 1], cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    return 0;
}
