// Horizontal fusion: the first 128 threads of a block do job A, the other 64 job B, each with its own barrier.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int NA = 128, NB = 64;

template <int ID, int N>
struct PartBarrier {
    static __device__ __forceinline__ void sync() { asm volatile("barrier.sync %0, %1;" ::"n"(ID), "n"(N) : "memory"); }
};

template <int N, typename Bar>
__device__ float part_sum(float v, float *sh, int t)
{
    sh[t] = v;
    Bar::sync();
    for (int d = N / 2; d > 0; d >>= 1) {
        if (t < d)
            sh[t] += sh[t + d];
        Bar::sync();
    }
    const float r = sh[0];
    Bar::sync();
    return r;
}

struct JobA { float *x; int rows, width; };
struct JobB { const float *y; float *mean; int rows, width; };

__device__ void job_a(JobA a, float *sh, int t)
{
    using Bar = PartBarrier<1, NA>;
    for (int r = blockIdx.x; r < a.rows; r += gridDim.x) {
        float *p = a.x + (size_t)r * a.width;
        float s = 0.0f;
        for (int i = t; i < a.width; i += NA)
            s += p[i] * p[i];
        s = part_sum<NA, Bar>(s, sh, t);
        for (int i = t; i < a.width; i += NA)
            p[i] *= rsqrtf(s + 1e-6f);
    }
}

__device__ void job_b(JobB b, float *sh, int t)
{
    using Bar = PartBarrier<2, NB>;
    for (int r = blockIdx.x; r < b.rows; r += gridDim.x) {
        float s = 0.0f;
        for (int i = t; i < b.width; i += NB)
            s += b.y[(size_t)r * b.width + i];
        s = part_sum<NB, Bar>(s, sh, t);
        if (t == 0)
            b.mean[r] = s / b.width;
    }
}

__global__ void __launch_bounds__(NA + NB) fused(JobA a, JobB b)
{
    __shared__ float sh[NA + NB];
    if (threadIdx.x < NA)
        job_a(a, sh, threadIdx.x);
    else
        job_b(b, sh + NA, threadIdx.x - NA);
}

int main()
{
    JobA a{nullptr, 1000, 700};
    JobB b{nullptr, nullptr, 333, 1234};
    float *y;
    cudaMalloc(&a.x, (size_t)a.rows * a.width * sizeof(float));
    cudaMalloc(&y, (size_t)b.rows * b.width * sizeof(float));
    cudaMalloc(&b.mean, b.rows * sizeof(float));
    cudaMemset(a.x, 0, (size_t)a.rows * a.width * sizeof(float));
    cudaMemset(y, 0, (size_t)b.rows * b.width * sizeof(float));
    b.y = y;
    fused<<<100, NA + NB>>>(a, b);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
