// Single-pass dot product / squared norm: the block that finishes last adds
// up the partial sums of all others.
#include <cuda_runtime.h>
#include <cstdlib>
#include <iostream>

namespace la {

const int kThreads = 256;
const int kMaxBlocks = 512;

__device__ unsigned int g_retired = 0;

struct DotOp {
    static __device__ double map(float a, float b) { return (double)a * b; }
    static __device__ float finish(double s) { return (float)s; }
};
struct DistOp {
    static __device__ double map(float a, float b) { const double d = (double)a - b; return d * d; }
    static __device__ float finish(double s) { return (float)sqrt(s); }
};

__device__ double blockSum(double v, double* s)
{
    const int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int k = kThreads / 2; k >= 1; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    const double r = s[0];
    __syncthreads();
    return r;
}

// true in every thread of the block that retires last
__device__ bool retire(volatile double* partial, double sum)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        const unsigned int ticket = atomicInc(&g_retired, gridDim.x - 1);
        last = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    return last;
}

template <class Op>
__global__ void __launch_bounds__(kThreads)
fusedReduce(const float* __restrict__ x, const float* __restrict__ y, int n,
            volatile double* partial, float* result)
{
    __shared__ double s[kThreads];
    double acc = 0.0;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kThreads * gridDim.x)
        acc += Op::map(x[i], y[i]);
    acc = blockSum(acc, s);

    if (retire(partial, acc)) {
        __threadfence();
        double total = 0.0;
        for (int i = threadIdx.x; i < gridDim.x; i += kThreads) total += partial[i];
        total = blockSum(total, s);
        if (threadIdx.x == 0) *result = Op::finish(total);
    }
}

class Blas1 {
public:
    Blas1()
    {
        check(cudaMalloc((void**)&d_partial_, kMaxBlocks * sizeof(double)));
        check(cudaMalloc((void**)&d_result_, sizeof(float)));
    }
    ~Blas1() { cudaFree(d_partial_); cudaFree(d_result_); }

    float dot(const float* x, const float* y, int n) { return run<DotOp>(x, y, n); }
    float distance(const float* x, const float* y, int n) { return run<DistOp>(x, y, n); }

private:
    static void check(cudaError_t e)
    {
        if (e != cudaSuccess) { std::cerr << cudaGetErrorString(e) << std::endl; std::abort(); }
    }
    template <class Op>
    float run(const float* x, const float* y, int n)
    {
        int blocks = (n + kThreads - 1) / kThreads;
        if (blocks > kMaxBlocks) blocks = kMaxBlocks;
        if (blocks < 1) blocks = 1;
        fusedReduce<Op><<<blocks, kThreads>>>(x, y, n, d_partial_, d_result_);
        check(cudaGetLastError());
        float r;
        check(cudaMemcpy(&r, d_result_, sizeof(float), cudaMemcpyDeviceToHost));
        return r;
    }
    double* d_partial_;
    float* d_result_;
};

}  // namespace la

int main()
{
    const int n = 1 << 20;
    float *x, *y;
    cudaMalloc((void**)&x, n * sizeof(float));
    cudaMalloc((void**)&y, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cudaMemset(y, 0, n * sizeof(float));
    la::Blas1 b;
    std::cout << b.dot(x, y, n) << " " << b.distance(x, y, n) << std::endl;
    return 0;
}
