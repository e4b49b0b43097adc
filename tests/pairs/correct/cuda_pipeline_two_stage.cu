// Block-scope cuda::pipeline, two stages, all threads both copy and compute.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <stdexcept>

namespace cg = cooperative_groups;
constexpr int ST = 2;
constexpr int CH = 1024;
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void __launch_bounds__(256)
dotChunks(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int chunks)
{
    __shared__ alignas(16) float sa[ST][CH];
    __shared__ alignas(16) float sb[ST][CH];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, ST> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);

    const int mine = ((int)chunks - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;
    auto fetch = [&](int k) {
        const size_t g = ((size_t)k * gridDim.x + blockIdx.x) * CH;
        pipe.producer_acquire();
        cuda::memcpy_async(block, sa[k % ST], a + g, cuda::aligned_size_t<16>(CH * sizeof(float)), pipe);
        cuda::memcpy_async(block, sb[k % ST], b + g, cuda::aligned_size_t<16>(CH * sizeof(float)), pipe);
        pipe.producer_commit();
    };

    float acc = 0.f;
    int fetched = 0;
    for (int k = 0; k < mine; ++k) {
        for (; fetched < mine && fetched < k + ST; ++fetched) fetch(fetched);
        pipe.consumer_wait();
        for (int i = threadIdx.x; i < CH; i += 256) acc += sa[k % ST][CH - 1 - i] * sb[k % ST][i];
        pipe.consumer_release();
    }
    #pragma unroll
    for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out, acc);
}

void chunkedDot(const float* a, const float* b, float* out, int n, cudaStream_t s)
{
    if (n <= 0 || n % CH != 0) throw std::invalid_argument("n must be a positive multiple of 1024");
    if (((size_t)a | (size_t)b) & 15) throw std::invalid_argument("alignment");
    const int chunks = n / CH;
    cudaMemsetAsync(out, 0, sizeof(float), s);
    dotChunks<<<chunks < 264 ? chunks : 264, 256, 0, s>>>(a, b, out, chunks);
}

int main()
{
    const int n = CH * 1000;
    float *a, *b, *o;
    cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float)); cudaMalloc(&o, sizeof(float));
    cudaMemset(a, 0, n * sizeof(float)); cudaMemset(b, 0, n * sizeof(float));
    chunkedDot(a, b, o, n, 0);
    cudaDeviceSynchronize();
    cudaFree(a); cudaFree(b); cudaFree(o);
    return 0;
}
