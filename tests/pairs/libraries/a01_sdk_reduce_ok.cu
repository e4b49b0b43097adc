// Parallel sum, derived from the old SDK sample.  One kernel per block size,
// dispatched with a switch so that all the size tests fold at compile time.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define MAX_BLOCKS 64

#define CUDA_SAFE_CALL(call)                                                   \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                  \
                    cudaGetErrorString(e_));                                   \
            exit(EXIT_FAILURE);                                                \
        }                                                                      \
    } while (0)

template <class T> struct SharedMemory;
template <> struct SharedMemory<float> {
    __device__ static float* get() { extern __shared__ float smem_f[]; return smem_f; }
};
template <> struct SharedMemory<double> {
    __device__ static double* get() { extern __shared__ double smem_d[]; return smem_d; }
};
template <> struct SharedMemory<int> {
    __device__ static int* get() { extern __shared__ int smem_i[]; return smem_i; }
};

// one folding step of the last warp
#define FOLD(off) { T o_ = s[t + (off)]; __syncwarp(); s[t] += o_; __syncwarp(); }

template <class T, unsigned int BS>
__device__ __forceinline__ void warpTail(T* s, unsigned int t)
{
    if (BS >= 64) FOLD(32)
    FOLD(16)
    FOLD(8)
    FOLD(4)
    FOLD(2)
    FOLD(1)
}

template <class T, unsigned int BS, bool POW2>
__global__ void reduceKernel(const T* __restrict__ in, T* __restrict__ out, unsigned int n)
{
    T* s = SharedMemory<T>::get();
    const unsigned int t = threadIdx.x;
    unsigned int i = blockIdx.x * BS * 2 + t;
    const unsigned int grid = BS * 2 * gridDim.x;

    T sum = T(0);
    while (i < n) {
        sum += in[i];
        if (POW2 || i + BS < n) sum += in[i + BS];
        i += grid;
    }
    s[t] = sum;
    __syncthreads();

    if (BS >= 512) { if (t < 256) s[t] = sum = sum + s[t + 256]; __syncthreads(); }
    if (BS >= 256) { if (t < 128) s[t] = sum = sum + s[t + 128]; __syncthreads(); }
    if (BS >= 128) { if (t < 64)  s[t] = sum = sum + s[t + 64];  __syncthreads(); }

    if (t < 32) warpTail<T, BS>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

static bool isPow2(unsigned int x) { return (x & (x - 1)) == 0; }

template <class T, bool P>
static void launch(unsigned int threads, unsigned int blocks, const T* in, T* out, unsigned int n)
{
    const size_t bytes = threads * sizeof(T);
    switch (threads) {
    case 512: reduceKernel<T, 512, P><<<blocks, 512, bytes>>>(in, out, n); break;
    case 256: reduceKernel<T, 256, P><<<blocks, 256, bytes>>>(in, out, n); break;
    case 128: reduceKernel<T, 128, P><<<blocks, 128, bytes>>>(in, out, n); break;
    default:  reduceKernel<T, 64, P><<<blocks, 64, bytes>>>(in, out, n); break;
    }
    CUDA_SAFE_CALL(cudaGetLastError());
}

template <class T>
T reduceSum(const T* d_in, T* d_tmp, unsigned int n)
{
    unsigned int threads = 64;
    while (threads < 512 && threads * 2 < n) threads *= 2;
    unsigned int blocks = (n + threads * 2 - 1) / (threads * 2);
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;

    if (isPow2(n) && n >= 2 * threads) launch<T, true>(threads, blocks, d_in, d_tmp, n);
    else                               launch<T, false>(threads, blocks, d_in, d_tmp, n);

    T h[MAX_BLOCKS];
    CUDA_SAFE_CALL(cudaMemcpy(h, d_tmp, blocks * sizeof(T), cudaMemcpyDeviceToHost));
    T total = T(0);
    for (unsigned int b = 0; b < blocks; ++b) total += h[b];
    return total;
}

template float reduceSum<float>(const float*, float*, unsigned int);
template double reduceSum<double>(const double*, double*, unsigned int);
template int reduceSum<int>(const int*, int*, unsigned int);
