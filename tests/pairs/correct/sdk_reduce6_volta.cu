// Port of the SDK "reduce6" sample: the unrolled tail keeps its shape, but is
// written for independent thread scheduling.
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>

template <typename T, unsigned B>
__device__ __forceinline__ T tailReduce(T* s, unsigned t)
{
    T v = s[t];
    if (B >= 64) { v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp(); }
    v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 8];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 4];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 2];  __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 1];
    return v;
}

template <typename T, unsigned B, bool Pow2>
__global__ void reduce6(const T* __restrict__ in, T* __restrict__ out, unsigned n)
{
    static_assert(B >= 64 && (B & (B - 1)) == 0, "block size");
    __shared__ T s[B];
    const unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * (B * 2) + t;
    const unsigned stride = B * 2 * gridDim.x;
    T acc = T(0);
    while (i < n) {
        acc += in[i];
        if (Pow2 || i + B < n) acc += in[i + B];
        i += stride;
    }
    s[t] = acc;
    __syncthreads();
    if constexpr (B >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if constexpr (B >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if constexpr (B >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
    if (t < 32) {
        T v = tailReduce<T, B>(s, t);
        if (t == 0) out[blockIdx.x] = v;
    }
}

template <typename T, unsigned B>
static void launch(const T* in, T* out, unsigned n, unsigned blocks)
{
    // The unguarded variant needs every pair (i, i + B) to be inside.
    if (n % (2 * B) == 0)
        reduce6<T, B, true><<<blocks, B>>>(in, out, n);
    else
        reduce6<T, B, false><<<blocks, B>>>(in, out, n);
}

template <typename T>
void reduceSum(const T* in, T* out, unsigned n, unsigned threads, unsigned blocks)
{
    if (n == 0 || n > (1u << 28) || blocks == 0 || blocks > 1024)
        throw std::invalid_argument("reduceSum");
    switch (threads) {
        case 512: launch<T, 512>(in, out, n, blocks); break;
        case 256: launch<T, 256>(in, out, n, blocks); break;
        case 128: launch<T, 128>(in, out, n, blocks); break;
        case 64:  launch<T, 64>(in, out, n, blocks); break;
        default: throw std::invalid_argument("threads");
    }
}

int main()
{
    const unsigned n = 1u << 20;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    reduceSum<float>(in, out, n, 256, 64);
    reduceSum<float>(in, out, n - 77, 64, 64);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
