// Build for sm_90. One thread issues bulk copies into shared memory; a transaction
// barrier per buffer counts the bytes.
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cuda/std/utility>
#include <stdexcept>

using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int CH = 2048;
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void __launch_bounds__(256)
clampBulk(const float* __restrict__ in, float* __restrict__ out, int chunks, float lo, float hi)
{
    __shared__ alignas(128) float buf[2][CH];
    __shared__ barrier bar[2];
    if (threadIdx.x == 0) {
        init(&bar[0], blockDim.x);
        init(&bar[1], blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();

    auto issue = [&](int chunk, int b) {
        barrier::arrival_token tok;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(buf[b], in + (size_t)chunk * CH, cuda::aligned_size_t<16>(CH * sizeof(float)), bar[b]);
            tok = cuda::device::barrier_arrive_tx(bar[b], 1, CH * sizeof(float));
        } else {
            tok = bar[b].arrive();
        }
        return tok;
    };

    int b = 0;
    barrier::arrival_token tok = issue(blockIdx.x, 0);      // gridDim.x <= chunks
    for (int c = blockIdx.x; c < chunks; c += gridDim.x, b ^= 1) {
        barrier::arrival_token ahead;
        const bool more = c + (int)gridDim.x < chunks;      // same for the block
        if (more) ahead = issue(c + gridDim.x, b ^ 1);
        bar[b].wait(cuda::std::move(tok));
        for (int i = threadIdx.x; i < CH; i += blockDim.x)
            out[(size_t)c * CH + i] = fminf(hi, fmaxf(lo, buf[b][i]));
        if (more) tok = cuda::std::move(ahead);
        __syncthreads();        // buf[b] may be refilled from here on
    }
}

void clampAll(const float* in, float* out, int n, float lo, float hi, cudaStream_t s)
{
    if (n <= 0 || n % CH || ((size_t)in & 15) || in == out) throw std::invalid_argument("clampAll");
    const int chunks = n / CH;
    clampBulk<<<chunks < 512 ? chunks : 512, 256, 0, s>>>(in, out, chunks, lo, hi);
}
