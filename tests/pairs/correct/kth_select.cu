// k-th smallest of up to 1024 unsigned keys per warp by a bitwise radix descent.
#include <cuda_runtime.h>

namespace {

template <int R>
struct WarpKeys {
    unsigned k[R];
    bool     live[R];
};

template <int R>
__device__ unsigned count_zero_bit(const WarpKeys<R>& w, int bit)
{
    unsigned c = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) c += (w.live[r] && !((w.k[r] >> bit) & 1u)) ? 1u : 0u;
    return __reduce_add_sync(0xffffffffu, c);
}

template <int R>
__device__ unsigned select_kth(WarpKeys<R>& w, unsigned k)
{
    unsigned prefix = 0;
    for (int bit = 31; bit >= 0; --bit) {
        const unsigned zeros = count_zero_bit(w, bit);
        const bool take_one = k >= zeros;
        if (take_one) {
            k -= zeros;
            prefix |= 1u << bit;
        }
        unsigned left = 0;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            w.live[r] = w.live[r] && (((w.k[r] >> bit) & 1u) != 0u) == take_one;
            left += w.live[r];
        }
        left = __reduce_add_sync(0xffffffffu, left);
        if (left == 1) {                // only one candidate remains in the warp
            unsigned v = 0;
#pragma unroll
            for (int r = 0; r < R; ++r)
                if (w.live[r]) v = w.k[r];
            return __reduce_or_sync(0xffffffffu, v);
        }
    }
    return prefix;
}

template <int R>
__global__ void kth_kernel(const unsigned* __restrict__ data, const int* __restrict__ off, int rows,
                           float quantile, unsigned* __restrict__ out)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    if (row >= rows) return;
    const int lane = threadIdx.x % warpSize;
    const int b = off[row];
    const int n = off[row + 1] - b;
    if (n <= 0 || n > 32 * R) {
        if (lane == 0) out[row] = 0xffffffffu;
        return;
    }
    WarpKeys<R> w;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        const int i = r * 32 + lane;
        w.live[r] = i < n;
        w.k[r] = i < n ? data[b + i] : 0u;
    }
    unsigned k = static_cast<unsigned>(quantile * (n - 1));
    if (k > static_cast<unsigned>(n - 1)) k = n - 1;
    const unsigned v = select_kth(w, k);
    if (lane == 0) out[row] = v;
}

} // namespace

cudaError_t row_quantile(const unsigned* data, const int* off, int rows, int max_len, float q,
                         unsigned* out, cudaStream_t s)
{
    if (!(q >= 0.f && q <= 1.f) || max_len > 1024) return cudaErrorInvalidValue;
    if (rows <= 0) return cudaSuccess;
    const int blocks = (rows + 3) / 4;
    if (max_len <= 128) kth_kernel<4><<<blocks, 128, 0, s>>>(data, off, rows, q, out);
    else                kth_kernel<32><<<blocks, 128, 0, s>>>(data, off, rows, q, out);
    return cudaGetLastError();
}
