// Single-pass prefix sum with decoupled look-back.  Status words and values
// live in separate arrays so that any value type works.
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>

namespace lookback {

enum class TileStatus : int { Invalid = 0, Partial = 1, Prefix = 2 };

template <typename T>
struct TileState {
    volatile int* status;
    volatile T* partial;
    volatile T* inclusive;

    static size_t bytes(int tiles) { return tiles * (2 * sizeof(T) + sizeof(int)) + sizeof(int); }

    // [partial | inclusive | status | ticket]
    __host__ TileState(void* mem, int tiles)
        : status(reinterpret_cast<int*>(static_cast<char*>(mem) + 2 * sizeof(T) * tiles)),
          partial(static_cast<T*>(mem)), inclusive(static_cast<T*>(mem) + tiles) {}

    __device__ void set_partial(int tile, T v) const
    {
        partial[tile] = v;
        __threadfence();
        status[tile] = static_cast<int>(TileStatus::Partial);
    }
    __device__ void set_inclusive(int tile, T v) const
    {
        inclusive[tile] = v;
        status[tile] = static_cast<int>(TileStatus::Prefix);
    }
    __device__ TileStatus wait(int tile, T& v) const
    {
        int s;
        do { s = status[tile]; } while (s == static_cast<int>(TileStatus::Invalid));
        __threadfence();
        v = s == static_cast<int>(TileStatus::Prefix) ? inclusive[tile] : partial[tile];
        return static_cast<TileStatus>(s);
    }
};

template <typename T, int THREADS>
class BlockScanRaking {
public:
    struct Storage { T warp[THREADS / 32]; };
    __device__ static T inclusive(T x, Storage& s, T& total)
    {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        for (int d = 1; d < 32; d <<= 1) {
            const T y = __shfl_up_sync(0xffffffffu, x, d);
            if (lane >= d) x += y;
        }
        if (lane == 31) s.warp[warp] = x;
        __syncthreads();
        T base = T(0);
        total = T(0);
        for (int w = 0; w < THREADS / 32; ++w) {
            if (w < warp) base += s.warp[w];
            total += s.warp[w];
        }
        return base + x;
    }
};

template <typename T, int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS)
scan_kernel(const T* in, T* out, int n, TileState<T> state, int* ticket)
{
    using Scan = BlockScanRaking<T, THREADS>;
    __shared__ typename Scan::Storage storage;
    __shared__ int s_tile;
    __shared__ T s_prefix;

    // tiles are handed out in order, so every predecessor is already running
    if (threadIdx.x == 0) s_tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int tile = s_tile;
    const int base = tile * THREADS * ITEMS + threadIdx.x * ITEMS;

    T x[ITEMS], sum = T(0);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        x[i] = base + i < n ? in[base + i] : T(0);
        sum += x[i];
    }
    T total;
    T incl = Scan::inclusive(sum, storage, total);

    if (threadIdx.x == 0) {
        T prefix = T(0);
        if (tile > 0) {
            state.set_partial(tile, total);
            for (int p = tile - 1; p >= 0; --p) {
                T v;
                const TileStatus st = state.wait(p, v);
                prefix += v;
                if (st == TileStatus::Prefix) break;
            }
        }
        state.set_inclusive(tile, prefix + total);
        s_prefix = prefix;
    }
    __syncthreads();

    T run = s_prefix + incl - sum;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        run += x[i];
        if (base + i < n) out[base + i] = run;
    }
}

template <typename T>
cudaError_t inclusive_sum(void* temp, size_t& temp_bytes, const T* in, T* out, int n, cudaStream_t stream)
{
    constexpr int THREADS = 256;
    constexpr int ITEMS = sizeof(T) == 4 ? 12 : 6;
    const int tiles = (n + THREADS * ITEMS - 1) / (THREADS * ITEMS);
    const size_t need = TileState<T>::bytes(tiles);
    if (temp == nullptr) {
        temp_bytes = need;
        return cudaSuccess;
    }
    if (temp_bytes < need) return cudaErrorInvalidValue;
    if (tiles == 0) return cudaSuccess;
    cudaMemsetAsync(temp, 0, need, stream);
    TileState<T> state(temp, tiles);
    int* ticket = const_cast<int*>(state.status) + tiles;
    scan_kernel<T, THREADS, ITEMS><<<tiles, THREADS, 0, stream>>>(in, out, n, state, ticket);
    return cudaGetLastError();
}

template cudaError_t inclusive_sum<int>(void*, size_t&, const int*, int*, int, cudaStream_t);
template cudaError_t inclusive_sum<double>(void*, size_t&, const double*, double*, int, cudaStream_t);

}  // namespace lookback
