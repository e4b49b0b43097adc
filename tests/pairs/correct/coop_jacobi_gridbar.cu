// Persistent Jacobi solver with its own grid barrier, launched cooperatively.
#include <algorithm>
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

struct GridBarrier {
    unsigned *arrived; // grows by gridDim.x per phase, zero at launch
};

__device__ void grid_wait(GridBarrier g, unsigned phase)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> a(*g.arrived);
        a.fetch_add(1u, cuda::memory_order_acq_rel);
        while (a.load(cuda::memory_order_acquire) < phase * gridDim.x)
            __nanosleep(64);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(BLOCK) jacobi(float *a, float *b, const float *rhs, int n, int iters, GridBarrier g)
{
    float *src = a, *dst = b;
    const int stride = gridDim.x * BLOCK;
    for (int it = 1; it <= iters; ++it) {
        for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += stride) {
            const float l = i > 0 ? src[i - 1] : 0.0f;
            const float r = i < n - 1 ? src[i + 1] : 0.0f;
            dst[i] = 0.5f * (l + r + rhs[i]);
        }
        grid_wait(g, it);
        float *t = src;
        src = dst;
        dst = t;
    }
}

int main()
{
    int n = 1 << 18, iters = 200, dev = 0, sms = 0, per = 0, coop = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    if (!coop)
        return 1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, jacobi, BLOCK, 0);
    const int grid = std::min(sms * per, (n + BLOCK - 1) / BLOCK);
    float *a, *b, *rhs;
    GridBarrier g;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&rhs, n * sizeof(float));
    cudaMalloc(&g.arrived, sizeof(unsigned));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(rhs, 0, n * sizeof(float));
    cudaMemset(g.arrived, 0, sizeof(unsigned));
    void *args[] = {&a, &b, &rhs, &n, &iters, &g};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)jacobi, dim3(grid), dim3(BLOCK), args, 0, 0);
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
