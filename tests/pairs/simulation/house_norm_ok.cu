// Householder vectors for the columns of a tall panel. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>

namespace qr {

enum { THREADS = 128 };

template <typename T>
__device__ void warpTail(volatile T* p, int t)
{
    T v = p[t] + p[t + 32];
    __syncwarp();
    p[t] = v;
    __syncwarp();
#pragma unroll
    for (int s = 16; s > 0; s >>= 1) {
        v += p[t + s];
        __syncwarp();
        p[t] = v;
        __syncwarp();
    }
}

template <typename T>
__device__ T blockSum(T v, T* smem)
{
    const int t = threadIdx.x;
    smem[t] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 32; s >>= 1) {
        if (t < s)
            smem[t] += smem[t + s];
        __syncthreads();
    }
    if (t < 32)
        warpTail<T>(smem, t);
    __syncthreads();
    const T r = smem[0];
    __syncthreads();
    return r;
}

template <typename T>
struct Panel {
    T* a; // column major
    int rows, ld;
    __device__ T* col(int c) const { return a + size_t(c) * ld; }
};

template <typename T>
__global__ void __launch_bounds__(THREADS)
householder(Panel<T> P, int first, T* __restrict__ tau, T* __restrict__ beta)
{
    __shared__ T smem[THREADS];
    const int c = first + blockIdx.x;
    T* x = P.col(c);

    T part = T(0);
    for (int r = c + 1 + threadIdx.x; r < P.rows; r += THREADS)
        part += x[r] * x[r];
    const T sigma = blockSum(part, smem);
    const T alpha = x[c];

    T t = T(0), b = alpha, scale = T(0);
    if (sigma > T(0)) {
        const T nrm = sqrt(alpha * alpha + sigma);
        b = alpha >= T(0) ? -nrm : nrm;
        t = (b - alpha) / b;
        scale = T(1) / (alpha - b);
    }
    for (int r = c + 1 + threadIdx.x; r < P.rows; r += THREADS)
        x[r] *= scale;
    if (threadIdx.x == 0) {
        tau[c] = t;
        beta[c] = b;
    }
}

template <typename T>
cudaError_t makeReflectors(T* a, int rows, int ld, int first, int count, T* tau, T* beta,
                           cudaStream_t s)
{
    if (count <= 0)
        return cudaSuccess;
    Panel<T> P{a, rows, ld};
    householder<T><<<count, THREADS, 0, s>>>(P, first, tau, beta);
    return cudaGetLastError();
}

template cudaError_t makeReflectors<double>(double*, int, int, int, int, double*, double*,
                                            cudaStream_t);
template cudaError_t makeReflectors<float>(float*, int, int, int, int, float*, float*,
                                           cudaStream_t);

} // namespace qr
