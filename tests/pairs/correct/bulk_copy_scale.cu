#include <cuda/barrier>
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kTile = 2048;
constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) scale_tiles(float *data, int tiles, float a, float b)
{
    __shared__ alignas(128) float buf[kTile];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier bar;

    if (threadIdx.x == 0) {
        init(&bar, kThreads);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();

    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        float *global = data + (size_t)tile * kTile;
        Barrier::arrival_token token;
        if (threadIdx.x == 0) {
            cde::cp_async_bulk_global_to_shared(buf, global, sizeof(buf), bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(buf));
        } else {
            token = bar.arrive();
        }
        bar.wait(std::move(token));

        for (int k = threadIdx.x; k < kTile; k += kThreads)
            buf[k] = a * buf[k] + b;

        cde::fence_proxy_async_shared_cta();
        __syncthreads();
        if (threadIdx.x == 0) {
            cde::cp_async_bulk_shared_to_global(global, buf, sizeof(buf));
            cde::cp_async_bulk_commit_group();
            cde::cp_async_bulk_wait_group_read<0>();
        }
    }
}

__global__ void scale_rest(float *data, int n, float a, float b)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        data[i] = a * data[i] + b;
}

void scale_in_place(float *data, size_t n, float a, float b, cudaStream_t s)
{
    if (reinterpret_cast<uintptr_t>(data) % 16 != 0)
        throw std::invalid_argument("scale_in_place: data must be aligned to 16 bytes");
    if (n / kTile > (1u << 28))
        throw std::invalid_argument("scale_in_place: too long");
    const int tiles = static_cast<int>(n / kTile);
    const int rest = static_cast<int>(n % kTile);
    if (tiles > 0)
        scale_tiles<<<tiles < 528 ? tiles : 528, kThreads, 0, s>>>(data, tiles, a, b);
    if (rest > 0)
        scale_rest<<<(rest + 127) / 128, 128, 0, s>>>(data + (size_t)tiles * kTile, rest, a, b);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("scale_in_place: launch");
}
