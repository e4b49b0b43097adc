#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdio>

constexpr int kThreads = 128;
constexpr int kSlots = 4;

struct Ring {
    unsigned head;  // batches published
    unsigned tail;  // batches released
    float slot[kSlots][kThreads];
};

using Counter = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ void produce(Ring &ring, const float *in, int n, unsigned batches)
{
    for (unsigned b = 0; b < batches; ++b) {
        if (threadIdx.x == 0) {
            Counter tail(ring.tail);
            while (b - tail.load(cuda::memory_order_acquire) >= kSlots)
                __nanosleep(100);
        }
        __syncthreads();
        const unsigned i = b * kThreads + threadIdx.x;
        ring.slot[b % kSlots][threadIdx.x] = i < (unsigned)n ? sqrtf(fabsf(in[i])) : 0.0f;
        __syncthreads();
        if (threadIdx.x == 0)
            Counter(ring.head).store(b + 1, cuda::memory_order_release);
    }
}

__device__ void consume(Ring &ring, float *out, int n, unsigned batches)
{
    float running = 0.0f;
    for (unsigned b = 0; b < batches; ++b) {
        if (threadIdx.x == 0) {
            Counter head(ring.head);
            while (head.load(cuda::memory_order_acquire) <= b)
                __nanosleep(100);
        }
        __syncthreads();
        const float mine = ring.slot[b % kSlots][threadIdx.x];
        const float mirror = ring.slot[b % kSlots][kThreads - 1 - threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            Counter(ring.tail).store(b + 1, cuda::memory_order_release);
        running = 0.5f * running + mine - mirror;
        const unsigned i = b * kThreads + threadIdx.x;
        if (i < (unsigned)n)
            out[i] = running;
    }
}

// Even blocks produce for the odd block that follows.
__global__ void __launch_bounds__(kThreads)
pipeline(Ring *rings, const float *in, float *out, int n)
{
    const int channel = blockIdx.x / 2;
    const unsigned batches = (n + kThreads - 1) / kThreads;
    Ring &ring = rings[channel];
    if (blockIdx.x % 2 == 0)
        produce(ring, in + (size_t)channel * n, n, batches);
    else
        consume(ring, out + (size_t)channel * n, n, batches);
}

int run_pipeline(Ring *rings, int channels, const float *in, float *out, int n, cudaStream_t s)
{
    if (channels < 1 || channels > 1 << 14 || n < 1 || n > (1 << 30) || in == out)
        return -1;
    if (cudaMemsetAsync(rings, 0, channels * sizeof(Ring), s) != cudaSuccess)
        return -2;
    void *args[] = {&rings, &in, &out, &n};
    // fails, rather than hangs, when the blocks cannot all be resident
    cudaError_t e = cudaLaunchCooperativeKernel(pipeline, dim3(2 * channels), dim3(kThreads), args,
                                                0, s);
    if (e != cudaSuccess)
        std::fprintf(stderr, "pipeline: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -3;
}
