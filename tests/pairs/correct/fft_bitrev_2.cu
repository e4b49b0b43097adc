// Radix-2 complex FFT: bit reversal in place, then one kernel per stage, in place.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void bit_reverse(float2 *a, int logn)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >> logn)
        return;
    const unsigned j = __brev(i) >> (32 - logn);
    if (i < j) {
        const float2 t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}

__global__ void butterfly(float2 *a, int logn, int stage)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= (1u << (logn - 1)))
        return;
    const unsigned half = 1u << stage;
    const unsigned k = t & (half - 1);
    const unsigned i = ((t >> stage) << (stage + 1)) | k;
    const unsigned j = i + half;
    float s, c;
    sincospif(-(float)k / half, &s, &c);
    const float2 u = a[i];
    const float2 v = make_float2(a[j].x * c - a[j].y * s, a[j].x * s + a[j].y * c);
    a[i] = make_float2(u.x + v.x, u.y + v.y);
    a[j] = make_float2(u.x - v.x, u.y - v.y);
}

static void fft(float2 *d, int logn, cudaStream_t st)
{
    const int n = 1 << logn, block = 256;
    bit_reverse<<<(n + block - 1) / block, block, 0, st>>>(d, logn);
    for (int s = 0; s < logn; ++s)
        butterfly<<<(n / 2 + block - 1) / block, block, 0, st>>>(d, logn, s);
}

int main(int argc, char **argv)
{
    const int logn = argc > 1 ? atoi(argv[1]) : 14;
    if (logn < 1 || logn > 24)
        return 1;
    std::vector<float2> h(1 << logn);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = make_float2(std::cos(0.1f * i), 0.0f);
    float2 *d;
    cudaMalloc(&d, h.size() * sizeof(float2));
    cudaMemcpy(d, h.data(), h.size() * sizeof(float2), cudaMemcpyHostToDevice);
    cudaStream_t st;
    cudaStreamCreate(&st);
    fft(d, logn, st);
    cudaStreamSynchronize(st);
    cudaMemcpy(h.data(), d, h.size() * sizeof(float2), cudaMemcpyDeviceToHost);
    printf("%f %s\n", h[0].x, cudaGetErrorString(cudaGetLastError()));
    cudaStreamDestroy(st);
    cudaFree(d);
    return 0;
}
