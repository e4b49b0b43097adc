// Blocks form a chain: each adds its column sums to those of the block before it (order-preserving, reproducible).
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int COLS = 128;

struct Chain {
    float *carry; // blocks * COLS
    int *ready;   // per block, zeroed
    int *ticket;  // zeroed
};

__global__ void __launch_bounds__(COLS) column_cumsum(const float *__restrict__ in, float *out, int rows_per_block, Chain ch)
{
    __shared__ int s_id;
    if (threadIdx.x == 0)
        s_id = atomicAdd(ch.ticket, 1); // in order of start, so the predecessor is running or done
    __syncthreads();
    const int id = s_id;
    const size_t base = (size_t)id * rows_per_block * COLS + threadIdx.x;
    float own = 0.0f;
    for (int r = 0; r < rows_per_block; ++r)
        own += in[base + (size_t)r * COLS];

    if (id > 0) {
        if (threadIdx.x == 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> f(ch.ready[id - 1]);
            while (f.load(cuda::memory_order_acquire) == 0)
                __nanosleep(20);
        }
        __syncthreads();
    }
    float run = id > 0 ? ch.carry[(size_t)(id - 1) * COLS + threadIdx.x] : 0.0f;
    ch.carry[(size_t)id * COLS + threadIdx.x] = run + own;
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> f(ch.ready[id]);
        f.store(1, cuda::memory_order_release);
    }
    for (int r = 0; r < rows_per_block; ++r) {
        run += in[base + (size_t)r * COLS];
        out[base + (size_t)r * COLS] = run;
    }
}

int main()
{
    const int blocks = 600, rpb = 50;
    const size_t n = (size_t)blocks * rpb * COLS;
    float *in, *out;
    Chain ch;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&ch.carry, (size_t)blocks * COLS * sizeof(float));
    cudaMalloc(&ch.ready, blocks * sizeof(int));
    cudaMalloc(&ch.ticket, sizeof(int));
    cudaMemset(in, 0, n * sizeof(float));
    cudaMemset(ch.ready, 0, blocks * sizeof(int));
    cudaMemset(ch.ticket, 0, sizeof(int));
    column_cumsum<<<blocks, COLS>>>(in, out, rpb, ch);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
