// Lagged products of long series, chunks staged by a block pipeline. Build: nvcc -arch=sm_80
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

namespace series {

constexpr int kThreads = 128;
constexpr int kChunk = 512;
constexpr int kMaxLag = 64;
constexpr int kStages = 2;

struct Window {
    const float* x;
    long long n;
    int lag;

    __device__ long long chunks() const { return (n + kChunk - 1) / kChunk; }
    // Samples from the start of the chunk, including those reached by the lag.
    __device__ int available(long long c) const
    {
        const long long left = n - c * kChunk;
        return int(left < kChunk + lag ? left : kChunk + lag);
    }
};

__device__ float chunkProduct(const float* buf, int avail, int lag)
{
    float acc = 0.f;
    for (int i = threadIdx.x; i < kChunk && i + lag < avail; i += kThreads)
        acc = fmaf(buf[i], buf[i + lag], acc);
    return acc;
}

__device__ __forceinline__ void addToResult(double v, double* result)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(result, v);
}

__global__ void __launch_bounds__(kThreads)
laggedProducts(Window w, double* __restrict__ result)
{
    __shared__ __align__(16) float s_buf[kStages][kChunk + kMaxLag];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> s_state;

    const cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &s_state);

    const long long step = gridDim.x;
    const long long total = w.chunks();
    double acc = 0.0;
    long long fetch = blockIdx.x;
    int fetchStage = 0, stage = 0;
    for (long long c = blockIdx.x; c < total; c += step) {
        for (; fetch < total && fetch < c + kStages * step; fetch += step) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s_buf[fetchStage], w.x + fetch * kChunk,
                               sizeof(float) * w.available(fetch), pipe);
            pipe.producer_commit();
            fetchStage = (fetchStage + 1) % kStages;
        }
        pipe.consumer_wait();
        acc += chunkProduct(s_buf[stage], w.available(c), w.lag);
        pipe.consumer_release();
        stage = (stage + 1) % kStages;
    }
    addToResult(acc, result);
}

cudaError_t autocorrelation(const float* x, long long n, int lag, double* result,
                            cudaStream_t s)
{
    if (lag < 0 || lag > kMaxLag)
        return cudaErrorInvalidValue;
    cudaError_t e = cudaMemsetAsync(result, 0, sizeof(double), s);
    if (e != cudaSuccess || n <= 0)
        return e;
    const long long chunks = (n + kChunk - 1) / kChunk;
    const int grid = int(std::min<long long>(chunks, 432));
    laggedProducts<<<grid, kThreads, 0, s>>>(Window{x, n, lag}, result);
    return cudaGetLastError();
}

} // namespace series
