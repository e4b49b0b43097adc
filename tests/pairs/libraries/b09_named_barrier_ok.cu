// Warp-specialised row statistics: one producer warp copies tiles of rows into
// a ring of slots, four consumer warps reduce them.  Named barriers per slot.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

namespace ws {

enum Role { kProducer, kConsumer };
enum BarrierBase { kFull = 1, kEmpty = 5 };

struct NamedBarrier {
    static __device__ __forceinline__ void sync(int id, int threads)
    {
        __syncwarp();
        asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
    }
    static __device__ __forceinline__ void arrive(int id, int threads)
    {
        __threadfence_block();
        __syncwarp();
        asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
    }
};

template <int Cols_, int Stages_>
struct Traits {
    static constexpr int Cols = Cols_;
    static constexpr int Stages = Stages_;
    static constexpr int ConsumerWarps = 4;
    static constexpr int RowsPerTile = 4 * ConsumerWarps;
    static constexpr int ConsumerThreads = 32 * ConsumerWarps;
    static constexpr int Threads = ConsumerThreads + 32;
    static_assert(Stages <= 4, "barrier ids");
};

template <typename Tr>
struct Ring {
    float slot[Tr::Stages][Tr::RowsPerTile][Tr::Cols];
};

template <typename Tr>
struct RingPipe {
    static constexpr int kEmptyCount = Tr::Threads;
    static constexpr int kFullCount = Tr::Threads;

    static __device__ int slot(int it) { return it % Tr::Stages; }
    static __device__ void acquire_empty(int it)
    {
        if (it >= Tr::Stages) NamedBarrier::sync(kEmpty + slot(it), kEmptyCount);
    }
    static __device__ void commit_full(int it) { NamedBarrier::arrive(kFull + slot(it), kFullCount); }
    static __device__ void wait_full(int it) { NamedBarrier::sync(kFull + slot(it), kFullCount); }
    static __device__ void release(int it, int total)
    {
        if (it + Tr::Stages < total) NamedBarrier::arrive(kEmpty + slot(it), kEmptyCount);
    }
};

struct RowStat { float max, sum; };

template <typename Tr>
__device__ void produce(Ring<Tr>& ring, const float* x, int rows, int first, int total)
{
    const int lane = threadIdx.x % 32;
    for (int it = 0; it < total; ++it) {
        RingPipe<Tr>::acquire_empty(it);
        const int row0 = (first + it * gridDim.x) * Tr::RowsPerTile;
        for (int r = 0; r < Tr::RowsPerTile; ++r)
            for (int c = lane; c < Tr::Cols; c += 32)
                ring.slot[it % Tr::Stages][r][c] = row0 + r < rows ? x[(size_t)(row0 + r) * Tr::Cols + c] : 0.f;
        RingPipe<Tr>::commit_full(it);
    }
}

template <typename Tr>
__device__ void consume(Ring<Tr>& ring, RowStat* out, int rows, int first, int total)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 - 1;
    for (int it = 0; it < total; ++it) {
        RingPipe<Tr>::wait_full(it);
        RowStat st[4];
        for (int r = 0; r < 4; ++r) {
            st[r] = {-FLT_MAX, 0.f};
            for (int c = lane; c < Tr::Cols; c += 32) {
                const float v = ring.slot[it % Tr::Stages][warp * 4 + r][c];
                st[r].max = fmaxf(st[r].max, v);
                st[r].sum += v;
            }
        }
        RingPipe<Tr>::release(it, total);
        const int row0 = (first + it * gridDim.x) * Tr::RowsPerTile + warp * 4;
        for (int r = 0; r < 4; ++r) {
            for (int d = 16; d > 0; d >>= 1) {
                st[r].max = fmaxf(st[r].max, __shfl_xor_sync(~0u, st[r].max, d));
                st[r].sum += __shfl_xor_sync(~0u, st[r].sum, d);
            }
            if (lane == 0 && row0 + r < rows) out[row0 + r] = st[r];
        }
    }
}

template <typename Tr>
__global__ void __launch_bounds__(Tr::Threads) row_stats(const float* x, RowStat* out, int rows)
{
    extern __shared__ __align__(16) char raw[];
    Ring<Tr>& ring = *reinterpret_cast<Ring<Tr>*>(raw);
    const int tiles = (rows + Tr::RowsPerTile - 1) / Tr::RowsPerTile;
    const int first = blockIdx.x;
    const int mine = first < tiles ? (tiles - first + gridDim.x - 1) / gridDim.x : 0;
    const Role role = threadIdx.x < 32 ? kProducer : kConsumer;
    if (role == kProducer) produce<Tr>(ring, x, rows, first, mine);
    else consume<Tr>(ring, out, rows, first, mine);
}

template <typename Tr>
static int launch(const float* x, RowStat* out, int rows, int sms, cudaStream_t s)
{
    constexpr int bytes = sizeof(Ring<Tr>);
    if (cudaFuncSetAttribute(row_stats<Tr>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) return 1;
    row_stats<Tr><<<2 * sms, Tr::Threads, bytes, s>>>(x, out, rows);
    return cudaGetLastError() != cudaSuccess;
}

int row_statistics(const float* x, RowStat* out, int rows, int cols, cudaStream_t s)
{
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    switch (cols) {
    case 128: return launch<Traits<128, 4>>(x, out, rows, sms, s);
    case 256: return launch<Traits<256, 4>>(x, out, rows, sms, s);
    case 512: return launch<Traits<512, 3>>(x, out, rows, sms, s);
    default: fprintf(stderr, "row_statistics: %d columns\n", cols); return 1;
    }
}

}  // namespace ws
