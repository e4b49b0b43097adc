// CUB: what blocks of a grid tell each other through device memory.
#pragma once
#include "cub/cub.cuh"
namespace cub {
class GridBarrier {
  protected:
    typedef unsigned SyncFlag;
    SyncFlag *d_sync;
  public:
    GridBarrier() : d_sync(0) {}
    // Documented as a barrier of the grid; the blocks' flags are a counter here.
    __device__ void Sync() const {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
            const unsigned all = gridDim.x * gridDim.y * gridDim.z, mine = atomicAdd(d_sync, 1u) / all;
            while (*(volatile SyncFlag *)d_sync / all == mine) __threadfence_block();
        }
        __syncthreads();
    }
};
class GridBarrierLifetime : public GridBarrier {
  public:
    virtual ~GridBarrierLifetime();
    cudaError_t HostReset();
    cudaError_t Setup(int grid_size);
};
// Decoupled look-back: each tile says its sum, and waits for those of the tiles before it.
enum ScanTileStatus { SCAN_TILE_OOB, SCAN_TILE_INVALID = 99, SCAN_TILE_PARTIAL, SCAN_TILE_INCLUSIVE };
namespace detail {
struct no_delay_constructor {};
} // namespace detail
template <typename T, bool is_one_word = true> struct ScanTileState {
    typedef unsigned StatusWord;
    enum { TILE_STATUS_PADDING = CUB_PTX_WARP_THREADS };
    unsigned *d_tile_status;
    T *d_tile_partial, *d_tile_inclusive;
    __host__ __device__ ScanTileState() : d_tile_status(nullptr), d_tile_partial(nullptr), d_tile_inclusive(nullptr) {}
    __host__ __device__ cudaError_t Init(int tiles, void *storage, size_t) {
        d_tile_inclusive = (T *)storage;
        d_tile_partial = d_tile_inclusive + tiles + TILE_STATUS_PADDING;
        d_tile_status = (unsigned *)(d_tile_partial + tiles + TILE_STATUS_PADDING);
        return cudaSuccess;
    }
    __host__ __device__ static cudaError_t AllocationSize(int tiles, size_t &bytes) {
        bytes = (2 * sizeof(T) + sizeof(unsigned)) * (tiles + TILE_STATUS_PADDING);
        return cudaSuccess;
    }
    __device__ void InitializeStatus(int tiles) {
        const int tile = blockIdx.x * blockDim.x + threadIdx.x;
        if (tile < tiles) d_tile_status[TILE_STATUS_PADDING + tile] = SCAN_TILE_INVALID;
        if (blockIdx.x == 0 && threadIdx.x < TILE_STATUS_PADDING) d_tile_status[threadIdx.x] = SCAN_TILE_OOB;
    }
    __device__ void SetInclusive(int tile, T value) {
        d_tile_inclusive[TILE_STATUS_PADDING + tile] = value;
        __threadfence();
        *(volatile unsigned *)&d_tile_status[TILE_STATUS_PADDING + tile] = SCAN_TILE_INCLUSIVE;
    }
    __device__ void SetPartial(int tile, T value) {
        d_tile_partial[TILE_STATUS_PADDING + tile] = value;
        __threadfence();
        *(volatile unsigned *)&d_tile_status[TILE_STATUS_PADDING + tile] = SCAN_TILE_PARTIAL;
    }
    template <typename... D> __device__ void WaitForValid(int tile, StatusWord &status, T &value, D &&...) {
        do {
            status = *(volatile unsigned *)&d_tile_status[TILE_STATUS_PADDING + tile];
            __threadfence();
        } while (__any_sync(0xffffffff, status == SCAN_TILE_INVALID));
        if (status == SCAN_TILE_PARTIAL) value = d_tile_partial[TILE_STATUS_PADDING + tile];
        else value = d_tile_inclusive[TILE_STATUS_PADDING + tile];
    }
    __device__ T LoadValid(int tile) { return d_tile_inclusive[TILE_STATUS_PADDING + tile]; }
};
template <typename V, typename K, bool is_one_word = true> struct ReduceByKeyScanTileState
    : ScanTileState<KeyValuePair<K, V>> {};
template <typename T, typename F, typename S, int unused = 0, typename D = detail::no_delay_constructor>
struct TilePrefixCallbackOp {
    typedef WarpReduce<T, CUB_PTX_WARP_THREADS> WarpReduceT;
    struct _TempStorage {
        typename WarpReduceT::TempStorage warp_reduce;
        T exclusive_prefix, inclusive_prefix, block_aggregate;
    };
    struct TempStorage : Uninitialized<_TempStorage> {};
    typedef typename S::StatusWord StatusWord;
    _TempStorage &temp_storage;
    S &tile_status;
    F scan_op;
    int tile_idx;
    T exclusive_prefix, inclusive_prefix;
    __device__ TilePrefixCallbackOp(S &status, TempStorage &storage, F op, int tile)
        : temp_storage(storage.Alias()), tile_status(status), scan_op(op), tile_idx(tile) {}
    __device__ TilePrefixCallbackOp(S &status, TempStorage &storage, F op)
        : TilePrefixCallbackOp(status, storage, op, blockIdx.x) {}
    __device__ T cuwarp_window(int tile, StatusWord &status) {
        T value;
        tile_status.WaitForValid(tile, status, value);
        return WarpReduceT(temp_storage.warp_reduce)
            .TailSegmentedReduce(value, status == SCAN_TILE_INCLUSIVE, SwizzleScanOp<F>(scan_op));
    }
    // The first warp calls it, as a callback of BlockScan or by itself: window after window of 32 tiles, until one of them
    // knows its prefix.
    __device__ T operator()(T aggregate) {
        const bool is_leader = threadIdx.x == 0;
        if (is_leader) tile_status.SetPartial(tile_idx, temp_storage.block_aggregate = aggregate);
        StatusWord status;
        T sum = cuwarp_window(tile_idx - 1 - threadIdx.x, status);
        for (int end = tile_idx - 32; !__any_sync(0xffffffff, status == SCAN_TILE_INCLUSIVE); end -= 32)
            sum = scan_op(cuwarp_window(end - 1 - threadIdx.x, status), sum);
        exclusive_prefix = sum;
        if (is_leader) {
            inclusive_prefix = scan_op(sum, aggregate);
            tile_status.SetInclusive(tile_idx, inclusive_prefix);
            temp_storage.exclusive_prefix = sum;
            temp_storage.inclusive_prefix = inclusive_prefix;
        }
        return sum;
    }
    __device__ T GetExclusivePrefix() { return temp_storage.exclusive_prefix; }
    __device__ T GetInclusivePrefix() { return temp_storage.inclusive_prefix; }
    __device__ T GetBlockAggregate() { return temp_storage.block_aggregate; }
    __device__ int GetTileIdx() const { return tile_idx; }
};
} // namespace cub
