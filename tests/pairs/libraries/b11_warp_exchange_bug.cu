// Blocked <-> striped exchange inside a warp, and the AoS loader built on it.
#include <cuda_runtime.h>
#include <cstdint>

namespace xchg {

template <typename T, int ITEMS, int kChunk = 4>
class WarpExchange {
    static_assert(ITEMS % kChunk == 0, "ITEMS must be a multiple of the chunk");
    static constexpr int kSlices = ITEMS / kChunk;

public:
    struct Storage { T buf[32 * kChunk + 32]; };

    __device__ explicit WarpExchange(Storage& s) : s_(s), lane_(threadIdx.x & 31) {}

    // item i of lane l (striped: i * 32 + l) -> blocked (l * ITEMS + i)
    __device__ void striped_to_blocked(T (&x)[ITEMS])
    {
        T y[ITEMS];
#pragma unroll
        for (int slice = 0; slice < kSlices; ++slice) {
            fill(x, slice);
            __syncwarp();
            drain(y, slice);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) x[i] = y[i];
    }

private:
    static __device__ int pad(int i) { return i + i / kChunk; }

    __device__ void fill(const T (&x)[ITEMS], int slice)
    {
#pragma unroll
        for (int i = 0; i < kChunk; ++i) s_.buf[pad(i * 32 + lane_)] = x[slice * kChunk + i];
    }
    // lanes of the slice pick up their whole blocks
    __device__ void drain(T (&y)[ITEMS], int slice)
    {
        constexpr int kLanes = 32 / kSlices;
        if (lane_ / kLanes == slice) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) y[i] = s_.buf[pad((lane_ % kLanes) * ITEMS + i)];
        }
    }

    Storage& s_;
    int lane_;
};

template <typename T, int F> struct alignas(sizeof(T)) Record { T f[F]; };

template <typename T, int F>
struct RowSum {
    __device__ T operator()(const T (&f)[F]) const
    {
        T s = T(0);
#pragma unroll
        for (int i = 0; i < F; ++i) s += f[i];
        return s;
    }
};

template <typename T, int F>
struct RowMax {
    __device__ T operator()(const T (&f)[F]) const
    {
        T m = f[0];
#pragma unroll
        for (int i = 1; i < F; ++i) m = f[i] > m ? f[i] : m;
        return m;
    }
};

// one record per lane, 32 records per warp, coalesced loads
template <typename T, int F, int WARPS, typename Op>
__global__ void __launch_bounds__(32 * WARPS)
reduce_records(const Record<T, F>* rec, T* out, int n, Op op)
{
    using Exchange = WarpExchange<T, F>;
    __shared__ typename Exchange::Storage storage[WARPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int first = (blockIdx.x * WARPS + warp) * 32;
    if (first >= n) return;

    const T* src = reinterpret_cast<const T*>(rec + first);
    const int valid = min(n - first, 32) * F;
    T x[F];
#pragma unroll
    for (int i = 0; i < F; ++i) x[i] = i * 32 + lane < valid ? src[i * 32 + lane] : T(0);
    Exchange(storage[warp]).striped_to_blocked(x);
    if (first + lane < n) out[first + lane] = op(x);
}

enum class Reduction { Sum, Max };

template <typename T, int F>
cudaError_t launch(const void* rec, T* out, int n, Reduction r, cudaStream_t s)
{
    constexpr int W = 4;
    const int blocks = (n + 32 * W - 1) / (32 * W);
    auto* p = static_cast<const Record<T, F>*>(rec);
    if (r == Reduction::Sum)
        reduce_records<T, F, W><<<blocks, 32 * W, 0, s>>>(p, out, n, RowSum<T, F>());
    else
        reduce_records<T, F, W><<<blocks, 32 * W, 0, s>>>(p, out, n, RowMax<T, F>());
    return cudaGetLastError();
}

template <typename T>
cudaError_t reduce_rows(const void* rec, int fields, T* out, int n, Reduction r, cudaStream_t s)
{
    if (n <= 0) return cudaSuccess;
    if (fields == 4) return launch<T, 4>(rec, out, n, r, s);
    if (fields == 8) return launch<T, 8>(rec, out, n, r, s);
    return cudaErrorInvalidValue;
}

template cudaError_t reduce_rows<float>(const void*, int, float*, int, Reduction, cudaStream_t);
template cudaError_t reduce_rows<int64_t>(const void*, int, int64_t*, int, Reduction, cudaStream_t);

}  // namespace xchg
