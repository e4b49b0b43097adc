// needs -arch=sm_90: bulk asynchronous copies into a two-stage ring, completion by mbarrier transaction bytes
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int TILE = 1024; // floats
constexpr int STAGES = 2;
constexpr uint32_t BYTES = TILE * sizeof(float);

__device__ __forceinline__ uint32_t sptr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void mbar_init(uint64_t *b, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sptr(b)), "r"(count) : "memory");
}

__device__ __forceinline__ void mbar_expect(uint64_t *b, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sptr(b)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void mbar_wait(uint64_t *b, uint32_t parity)
{
    asm volatile("{\n .reg .pred p;\n"
                 "W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra D;\n bra W;\n D:\n}" ::"r"(sptr(b)), "r"(parity) : "memory");
}

__device__ __forceinline__ void bulk_load(float *dst, const float *src, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sptr(dst)),
                 "l"(src), "r"(BYTES), "r"(sptr(b)) : "memory");
}

__global__ void __launch_bounds__(BLOCK) absmax(const float *__restrict__ in, int tiles, int *out)
{
    __shared__ alignas(128) float buf[STAGES][TILE];
    __shared__ uint64_t full[STAGES];
    const int nmine = blockIdx.x < tiles ? (tiles - 1 - (int)blockIdx.x) / (int)gridDim.x + 1 : 0;
    auto issue = [&](int k) {
        // order the initialisation and the reads before the barrier against the async proxy
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        mbar_expect(&full[k % STAGES], BYTES);
        bulk_load(buf[k % STAGES], in + ((size_t)blockIdx.x + (size_t)k * gridDim.x) * TILE, &full[k % STAGES]);
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s)
            mbar_init(&full[s], 1);
        for (int k = 0; k < STAGES && k < nmine; ++k)
            issue(k);
    }
    __syncthreads();
    float best = 0.0f;
    for (int k = 0; k < nmine; ++k) {
        mbar_wait(&full[k % STAGES], (k / STAGES) & 1);
        for (int i = threadIdx.x; i < TILE; i += BLOCK)
            best = fmaxf(best, fabsf(buf[k % STAGES][i]));
        __syncthreads(); // the stage is free
        if (threadIdx.x == 0 && k + STAGES < nmine)
            issue(k + STAGES);
    }
    atomicMax(out, __float_as_int(best)); // non-negative floats order like ints
}

int main()
{
    const int tiles = 5000;
    float *in;
    int *out;
    cudaMalloc(&in, (size_t)tiles * TILE * sizeof(float));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(in, 0, (size_t)tiles * TILE * sizeof(float));
    cudaMemset(out, 0, sizeof(int));
    absmax<<<264, BLOCK>>>(in, tiles, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
