#include <cuda_runtime.h>
#include <cstdint>

namespace scan {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;

__device__ uint32_t warp_inclusive(uint32_t v)
{
    const int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d <<= 1) {
        const uint32_t u = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += u;
    }
    return v;
}

__global__ void __launch_bounds__(kThreads)
exclusive(const uint32_t *in, uint32_t *out, int n, uint32_t *total)
{
    __shared__ uint32_t warp_total[kWarps];
    __shared__ uint32_t carry;

    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    if (threadIdx.x == 0)
        carry = 0;

    for (int base = 0; base < n; base += kThreads) {
        const int i = base + threadIdx.x;
        const uint32_t x = i < n ? in[i] : 0u;
        const uint32_t inc = warp_inclusive(x);
        if (lane == 31)
            warp_total[warp] = inc;
        __syncthreads();

        if (warp == 0) {
            const uint32_t t = lane < kWarps ? warp_total[lane] : 0u;
            const uint32_t s = warp_inclusive(t);
            if (lane < kWarps)
                warp_total[lane] = s;
        }
        __syncthreads();

        const uint32_t before = carry + (warp > 0 ? warp_total[warp - 1] : 0u);
        const uint32_t chunk = warp_total[kWarps - 1];
        if (i < n)
            out[i] = before + inc - x;
        __syncthreads();
        if (threadIdx.x == 0)
            carry += chunk;  // next read is two barriers away
    }
    if (threadIdx.x == 0)
        *total = carry;
}

bool run(const uint32_t *in, uint32_t *out, int n, uint32_t *total, cudaStream_t stream)
{
    if (n < 0 || n > (1 << 28) || total == nullptr)
        return false;
    exclusive<<<1, kThreads, 0, stream>>>(in, out, n, total);
    return cudaGetLastError() == cudaSuccess;
}

}  // namespace scan
