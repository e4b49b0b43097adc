// Warp-to-warp ring inside a block: warp 0 decodes, warp 1 filters. Head and tail are block-scope atomics.
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int SLOTS = 8;

using counter = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

struct Stream { const unsigned *packed; float *out; int groups; };

__global__ void __launch_bounds__(64) decode_filter(Stream s)
{
    __shared__ float ring[SLOTS][32];
    __shared__ unsigned head_, tail_;
    const int lane = threadIdx.x & 31;
    const size_t base = (size_t)blockIdx.x * s.groups;
    if (threadIdx.x == 0) {
        head_ = 0;
        tail_ = 0;
    }
    __syncthreads();
    counter head(head_), tail(tail_);

    if (threadIdx.x < 32) {
        for (unsigned g = 0; g < (unsigned)s.groups; ++g) {
            if (lane == 0)
                while (g - tail.load(cuda::memory_order_acquire) >= SLOTS)
                    ;
            __syncwarp();
            const unsigned w = s.packed[base + g];
            ring[g % SLOTS][lane] = (w >> lane & 1u) ? 1.0f : -1.0f;
            __syncwarp();
            if (lane == 0)
                head.store(g + 1, cuda::memory_order_release);
        }
    } else {
        float state = 0.0f;
        for (unsigned g = 0; g < (unsigned)s.groups; ++g) {
            if (lane == 0)
                while (head.load(cuda::memory_order_acquire) <= g)
                    ;
            __syncwarp();
            const float v = ring[g % SLOTS][lane] + ring[g % SLOTS][31 - lane];
            __syncwarp();
            if (lane == 0)
                tail.store(g + 1, cuda::memory_order_release);
            state = 0.9f * state + 0.1f * v;
            s.out[(base + g) * 32 + lane] = state;
        }
    }
}

int main()
{
    Stream s{};
    const int blocks = 50;
    s.groups = 333;
    unsigned *p;
    cudaMalloc(&p, (size_t)blocks * s.groups * sizeof(unsigned));
    cudaMalloc(&s.out, (size_t)blocks * s.groups * 32 * sizeof(float));
    cudaMemset(p, 0x35, (size_t)blocks * s.groups * sizeof(unsigned));
    s.packed = p;
    decode_filter<<<blocks, 64>>>(s);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(p);
    cudaFree(s.out);
    return 0;
}
