// Batched power-of-two complex FFT, one transform per block.
#include <cuda_runtime.h>
#include <stdexcept>

__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// blockDim.x == N / 2
__global__ void fftRadix2(const float2* __restrict__ in, float2* __restrict__ out, int logN, float sign)
{
    extern __shared__ float2 buf[];
    const int N = 1 << logN;
    const int half = N >> 1;
    const int t = threadIdx.x;
    in += (size_t)blockIdx.x * N;
    out += (size_t)blockIdx.x * N;

    // bit-reversed scatter: a permutation of [0, N)
    buf[__brev(t) >> (32 - logN)] = in[t];
    buf[__brev(t + half) >> (32 - logN)] = in[t + half];
    __syncthreads();

    for (int s = 0; s < logN; ++s) {
        const int m = 1 << s;
        const int k = t & (m - 1);
        const int lo = ((t >> s) << (s + 1)) | k;
        float sn, cs;
        sincospif(sign * (float)k / (float)m, &sn, &cs);
        const float2 a = buf[lo];
        const float2 b = cmul(buf[lo + m], make_float2(cs, sn));
        // in place: the two cells belong to this thread in this stage
        buf[lo] = make_float2(a.x + b.x, a.y + b.y);
        buf[lo + m] = make_float2(a.x - b.x, a.y - b.y);
        __syncthreads();
    }
    out[t] = buf[t];
    out[t + half] = buf[t + half];
}

void fftBatch(const float2* d_in, float2* d_out, int n, int batch, bool inverse, cudaStream_t st)
{
    if (n < 2 || n > 2048 || (n & (n - 1))) throw std::invalid_argument("n must be a power of two in [2, 2048]");
    if (batch <= 0) return;
    int logN = 0;
    while ((1 << logN) < n) ++logN;
    fftRadix2<<<batch, n / 2, n * sizeof(float2), st>>>(d_in, d_out, logN, inverse ? 1.f : -1.f);
}

int main()
{
    float2 *a, *b;
    cudaMalloc(&a, 64 * 1024 * sizeof(float2));
    cudaMalloc(&b, 64 * 1024 * sizeof(float2));
    cudaMemset(a, 0, 64 * 1024 * sizeof(float2));
    fftBatch(a, b, 1024, 64, false, 0);
    fftBatch(a, b, 16, 64, true, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
