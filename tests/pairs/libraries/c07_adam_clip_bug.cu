// Adam step with global gradient-norm clipping in one cooperative launch.
// All tensors of a parameter group are described by a chunk table.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace optim {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

struct Chunk {
    float* param;
    const float* grad;
    float* exp_avg;
    float* exp_avg_sq;
    int count;
};

struct AdamArgs {
    float lr, beta1, beta2, eps, weight_decay;
    float bias1, bias2;
    float max_norm;
};

struct GridSync {
    unsigned int* arrived;  // zeroed by the host before each launch
    unsigned int phase;

    __device__ void wait()
    {
        ++phase;
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1u);
            while (*(volatile unsigned int*)arrived < phase * gridDim.x) {
            }
            __threadfence();
        }
        __syncthreads();
    }
};

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__device__ float chunk_norm(const Chunk* chunks, int n)
{
    float s = 0.f;
    for (int c = blockIdx.x; c < n; c += gridDim.x)
        for (int i = threadIdx.x; i < chunks[c].count; i += kThreads) s += chunks[c].grad[i] * chunks[c].grad[i];
    return warp_sum(s);
}

template <bool DECOUPLED_DECAY>
__device__ __forceinline__ void adam_update(const Chunk& c, int i, float g, const AdamArgs& a)
{
    float p = c.param[i];
    if (DECOUPLED_DECAY) p -= a.lr * a.weight_decay * p;
    else g += a.weight_decay * p;
    const float m = a.beta1 * c.exp_avg[i] + (1.f - a.beta1) * g;
    const float v = a.beta2 * c.exp_avg_sq[i] + (1.f - a.beta2) * g * g;
    c.exp_avg[i] = m;
    c.exp_avg_sq[i] = v;
    c.param[i] = p - a.lr * (m / a.bias1) / (sqrtf(v / a.bias2) + a.eps);
}

template <bool DECOUPLED_DECAY>
__global__ void __launch_bounds__(kThreads)
adam_clip_kernel(const Chunk* chunks, int n, AdamArgs a, float* warp_norms, unsigned int* arrived)
{
    GridSync grid{arrived, 0};
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    const float local = chunk_norm(chunks, n);
    if (lane == 0) warp_norms[blockIdx.x * kWarps + warp] = local;
    grid.wait();

    // every warp adds up all partial norms on its own
    float total = 0.f;
    for (int i = lane; i < gridDim.x * kWarps; i += 32) total += __ldcg(warp_norms + i);
    total = sqrtf(warp_sum(total));
    const float clip = total > a.max_norm ? a.max_norm / (total + 1e-6f) : 1.f;

    for (int c = blockIdx.x; c < n; c += gridDim.x) {
        const Chunk ch = chunks[c];
        for (int i = threadIdx.x; i < ch.count; i += kThreads)
            adam_update<DECOUPLED_DECAY>(ch, i, clip * ch.grad[i], a);
    }
}

class FusedAdam {
public:
    FusedAdam() : step_(0)
    {
        int dev = 0, sms = 0;
        cudaGetDevice(&dev);
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
        blocks_ = sms;
        cudaMalloc(&norms_, blocks_ * kWarps * sizeof(float));
        cudaMalloc(&arrived_, sizeof(unsigned int));
    }
    ~FusedAdam()
    {
        cudaFree(norms_);
        cudaFree(arrived_);
    }

    cudaError_t step(const Chunk* d_chunks, int n, AdamArgs a, bool adamw, cudaStream_t s)
    {
        ++step_;
        a.bias1 = 1.f - std::pow(a.beta1, (float)step_);
        a.bias2 = 1.f - std::pow(a.beta2, (float)step_);
        cudaMemsetAsync(arrived_, 0, sizeof(unsigned int), s);
        void* args[] = {&d_chunks, &n, &a, &norms_, &arrived_};
        const void* f = adamw ? (const void*)adam_clip_kernel<true> : (const void*)adam_clip_kernel<false>;
        const int grid = std::max(1, std::min(n, blocks_));
        return cudaLaunchCooperativeKernel(f, dim3(grid), dim3(kThreads), args, 0, s);
    }

private:
    int step_, blocks_;
    float* norms_;
    unsigned int* arrived_;
};

}  // namespace optim

cudaError_t adam_step(const optim::Chunk* chunks, int n, const optim::AdamArgs& a, bool adamw, cudaStream_t s)
{
    static optim::FusedAdam impl;
    return impl.step(chunks, n, a, adamw, s);
}
