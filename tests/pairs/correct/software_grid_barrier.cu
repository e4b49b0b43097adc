// Sense-counting device-wide barrier for a cooperatively launched power iteration
// (dense, small); pre-CG code kept for its lower overhead.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <stdexcept>

class DeviceBarrier {
    unsigned* arrived_;
    unsigned target_ = 0;
public:
    __device__ explicit DeviceBarrier(unsigned* a) : arrived_(a) {}
    __device__ void wait()
    {
        target_ += gridDim.x;           // monotone, so nothing has to be reset between rounds
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> a(*arrived_);
            a.fetch_add(1u, cuda::memory_order_acq_rel);
            while (a.load(cuda::memory_order_acquire) < target_) { }
            __threadfence();
        }
        __syncthreads();
    }
};

__global__ void __launch_bounds__(256)
powerIteration(const float* __restrict__ A, int n, float* x, float* y, float* norms /* [iters] */, int iters, unsigned* arrived)
{
    DeviceBarrier bar(arrived);
    const int warp = (blockIdx.x * 256 + threadIdx.x) / 32, warps = gridDim.x * 8, lane = threadIdx.x % 32;
    for (int it = 0; it < iters; ++it) {
        float part = 0.f;
        for (int r = warp; r < n; r += warps) {
            float s = 0.f;
            for (int c = lane; c < n; c += 32) s += A[(size_t)r * n + c] * __ldcg(&x[c]);
            #pragma unroll
            for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            if (lane == 0) y[r] = s;
            part += s * s;
        }
        if (lane == 0 && part != 0.f) atomicAdd(&norms[it], part);
        bar.wait();
        const float inv = rsqrtf(__ldcg(&norms[it]) + 1e-30f);
        for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) x[i] = __ldcg(&y[i]) * inv;
        bar.wait();
    }
}

void dominantVector(const float* A, int n, float* x, float* y, float* norms, int iters, unsigned* arrived, cudaStream_t s)
{
    if (x == y || n < 1 || n > 16384 || iters < 1 || iters > 10000) throw std::invalid_argument("dominantVector");
    int dev = 0, sms = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaMemsetAsync(norms, 0, iters * sizeof(float), s);
    cudaMemsetAsync(arrived, 0, sizeof(unsigned), s);
    void* args[] = {&A, &n, &x, &y, &norms, &iters, &arrived};
    // cooperative: all blocks are resident or the launch fails
    if (cudaLaunchCooperativeKernel((const void*)powerIteration, dim3(sms), dim3(256), args, 0, s) != cudaSuccess)
        throw std::runtime_error("cooperative launch");
}
