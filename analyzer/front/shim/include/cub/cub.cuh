// CUB: the interface of what kernels use. A call is one opaque operation on the whole block or warp.
#pragma once
#include "cuwarp/move.h"
namespace cub {
//@ cub | __device__
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
struct Sum {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct Max {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct ArgMax {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const {
        return a.value < b.value ? b : a;
    }
};
struct ArgMin {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const {
        return b.value < a.value ? b : a;
    }
};
struct NullType {};
template <typename K, typename V> struct KeyValuePair {
    K key;
    V value;
};
// What the documentation says of a block-wide collective, as code: all threads of the block call it; every thread writes to
// the temporary storage, the block synchronises, every thread reads what others wrote. So the storage may be used again only
// behind a barrier. Values are unknown; those that all threads get are equal in all of them.
template <int X, int Y, int Z> struct cuwarp_storage {
    int slot[X * Y * Z], all;
};
template <int X, int Y, int Z> __device__ int cuwarp_rank() {
    int rank = threadIdx.x;
    if constexpr (Y > 1)
        rank += threadIdx.y * X;
    if constexpr (Z > 1)
        rank += threadIdx.z * X * Y;
    return rank;
}
template <int X, int Y, int Z> __device__ int cuwarp_collect(cuwarp_storage<X, Y, Z> *s) {
    int rank = cuwarp_rank<X, Y, Z>();
    s->slot[rank] = cuwarp_made<int>();
    __syncthreads();
    return s->slot[(rank + 32) % (X * Y * Z)];
}
template <int X, int Y, int Z> __device__ int cuwarp_agree(cuwarp_storage<X, Y, Z> *s) {
    if (cuwarp_rank<X, Y, Z>() == 0)
        s->all = cuwarp_made<int>();
    __syncthreads();
    return s->all;
}
template <typename C> __device__ typename C::TempStorage *cuwarp_private() {
    __shared__ typename C::TempStorage own;
    return &own;
}
template <typename T> __device__ void cuwarp_output(int seed, T &out) {
    if constexpr (__is_arithmetic(T) && !__is_const(T))
        out = cuwarp_made<T>(seed);
}
template <typename T, int N> __device__ void cuwarp_output(int seed, T (&out)[N]) {
    for (int i = 0; i < N; i++)
        out[i] = cuwarp_made<T>(seed, i);
}
template <typename S, typename T> __device__ void cuwarp_total(S *s, T &out) {
    if constexpr (__is_arithmetic(T) && !__is_const(T))
        out = (T)cuwarp_agree(s);
}
#define CUWARP_STORED(name)                                                                                            \
    typedef cuwarp_storage<X, Y, Z> TempStorage;                                                                       \
    TempStorage *storage;                                                                                              \
    __device__ name() : storage(cuwarp_private<name>()) {}                                                             \
    __device__ name(TempStorage &s) : storage(&s) {}                                                                   \
    __device__ name(TempStorage &s, int) : storage(&s) {}                                                              \
    __device__ name(TempStorage &s, int, int, int) : storage(&s) {}
// The result is valid in thread 0 only.
#define CUWARP_REDUCES(name)                                                                                           \
    template <typename... A> __device__ T name(A &&...a) {                                                             \
        return cuwarp_made<T>(cuwarp_collect(storage), a...);                                                          \
    }
template <typename T, int X, BlockReduceAlgorithm R = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
struct BlockReduce {
    CUWARP_STORED(BlockReduce)
    CUWARP_REDUCES(Sum) CUWARP_REDUCES(Reduce) CUWARP_REDUCES(Max) CUWARP_REDUCES(Min)
};
// The last argument may be the aggregate of the block, which all threads get.
#define CUWARP_SCANS(name)                                                                                             \
    template <typename I, typename O> __device__ void name(I &&in, O &&out) {                                          \
        cuwarp_output(cuwarp_collect(storage), out);                                                                   \
    }                                                                                                                  \
    template <typename I, typename O, typename A> __device__ void name(I &&in, O &&out, A &&a) {                       \
        cuwarp_output(cuwarp_collect(storage), out);                                                                   \
        cuwarp_total(storage, a);                                                                                      \
    }                                                                                                                  \
    template <typename I, typename O, typename A, typename B> __device__ void name(I &&in, O &&out, A &&a, B &&b) {    \
        cuwarp_output(cuwarp_collect(storage), out);                                                                   \
        cuwarp_total(storage, b);                                                                                      \
    }                                                                                                                  \
    template <typename I, typename O, typename A, typename B, typename C>                                              \
    __device__ void name(I &&in, O &&out, A &&a, B &&b, C &&c) {                                                       \
        cuwarp_output(cuwarp_collect(storage), out);                                                                   \
        cuwarp_total(storage, c);                                                                                      \
    }
template <typename T, int X, BlockScanAlgorithm R = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1> struct BlockScan {
    CUWARP_STORED(BlockScan)
    CUWARP_SCANS(InclusiveSum) CUWARP_SCANS(ExclusiveSum) CUWARP_SCANS(InclusiveScan) CUWARP_SCANS(ExclusiveScan)
};
// Arrays of the calling thread are written; all else is read.
template <typename T> __device__ void cuwarp_items(int, const T &) {}
template <typename T, int N> __device__ void cuwarp_items(int seed, T (&items)[N]) { cuwarp_output(seed, items); }
#define CUWARP_EXCHANGES(name)                                                                                         \
    template <typename... A> __device__ void name(A &&...a) {                                                          \
        int seed = cuwarp_collect(storage);                                                                            \
        (cuwarp_items(seed, a), ...);                                                                                  \
    }
template <typename T, int X, int I, typename V = NullType, int B = 4, bool M = true, int L = 0, int C = 0, int Y = 1,
          int Z = 1>
struct BlockRadixSort {
    CUWARP_STORED(BlockRadixSort)
    CUWARP_EXCHANGES(Sort)
    CUWARP_EXCHANGES(SortDescending)
    CUWARP_EXCHANGES(SortBlockedToStriped)
    CUWARP_EXCHANGES(SortDescendingBlockedToStriped)
};
template <typename T, int X, int I, typename V = NullType, int Y = 1, int Z = 1> struct BlockMergeSort {
    CUWARP_STORED(BlockMergeSort)
    CUWARP_EXCHANGES(Sort)
    CUWARP_EXCHANGES(StableSort)
};
template <typename T, int X, int I, bool W = false, int Y = 1, int Z = 1> struct BlockExchange {
    CUWARP_STORED(BlockExchange)
    CUWARP_EXCHANGES(BlockedToStriped)
    CUWARP_EXCHANGES(StripedToBlocked)
    CUWARP_EXCHANGES(BlockedToWarpStriped)
    CUWARP_EXCHANGES(WarpStripedToBlocked)
    CUWARP_EXCHANGES(ScatterToBlocked)
    CUWARP_EXCHANGES(ScatterToStriped)
    CUWARP_EXCHANGES(ScatterToStripedGuarded)
    CUWARP_EXCHANGES(ScatterToStripedFlagged)
};
template <typename T, int X, int Y = 1, int Z = 1> struct BlockDiscontinuity {
    CUWARP_STORED(BlockDiscontinuity)
    CUWARP_EXCHANGES(FlagHeads)
    CUWARP_EXCHANGES(FlagTails)
    CUWARP_EXCHANGES(FlagHeadsAndTails)
};
template <typename T, int X, int Y = 1, int Z = 1> struct BlockAdjacentDifference {
    CUWARP_STORED(BlockAdjacentDifference)
    CUWARP_EXCHANGES(SubtractLeft)
    CUWARP_EXCHANGES(SubtractLeftPartialTile)
    CUWARP_EXCHANGES(SubtractRight)
    CUWARP_EXCHANGES(SubtractRightPartialTile)
};
// Only the transposing ones go through the storage; the others are loads and stores of each thread.
template <typename T, int X, int I, BlockLoadAlgorithm R = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1> struct BlockLoad {
    CUWARP_STORED(BlockLoad)
    template <typename... A> __device__ void Load(A &&...a) {
        int seed = 0;
        if constexpr (R == BLOCK_LOAD_TRANSPOSE)
            seed = cuwarp_collect(storage);
        (cuwarp_items(seed, a), ...);
    }
};
template <typename T, int X, int I, BlockStoreAlgorithm R = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
struct BlockStore {
    CUWARP_STORED(BlockStore)
    template <typename... A> __device__ void Store(A &&...) {
        if constexpr (R == BLOCK_STORE_TRANSPOSE)
            cuwarp_collect(storage);
    }
};
struct cuwarp_bytes {
    int bytes[256];
};
#define CUWARP_PRIMITIVE(name, call, ...)                                                                              \
    template <typename T, __VA_ARGS__> struct name {                                                                   \
        typedef cuwarp_bytes TempStorage;                                                                              \
        TempStorage *storage;                                                                                          \
        __device__ name() : storage(0) {}                                                                              \
        __device__ name(TempStorage &s) : storage(&s) {}                                                               \
        __device__ name(TempStorage &s, int) : storage(&s) {}                                                          \
        template <typename... A> __device__ T Sum(A &&...a) {                                                          \
            T result;                                                                                                  \
            call(storage, &result, &a...);                                                                             \
            return result;                                                                                             \
        }                                                                                                              \
        template <typename... A> __device__ T Reduce(A &&...a) {                                                       \
            T result;                                                                                                  \
            call(storage, &result, &a...);                                                                             \
            return result;                                                                                             \
        }                                                                                                              \
        template <typename... A> __device__ T Max(A &&...a) {                                                          \
            T result;                                                                                                  \
            call(storage, &result, &a...);                                                                             \
            return result;                                                                                             \
        }                                                                                                              \
        template <typename... A> __device__ T Min(A &&...a) {                                                          \
            T result;                                                                                                  \
            call(storage, &result, &a...);                                                                             \
            return result;                                                                                             \
        }                                                                                                              \
        template <typename... A> __device__ T Broadcast(A &&...a) {                                                    \
            T result;                                                                                                  \
            call(storage, &result, &a...);                                                                             \
            return result;                                                                                             \
        }                                                                                                              \
        template <typename... A> __device__ void HeadSegmentedSum(A &&...a) { call(storage, &a...); }                  \
        template <typename... A> __device__ void InclusiveSum(A &&...a) { call(storage, &a...); }                      \
        template <typename... A> __device__ void ExclusiveSum(A &&...a) { call(storage, &a...); }                      \
        template <typename... A> __device__ void InclusiveScan(A &&...a) { call(storage, &a...); }                     \
        template <typename... A> __device__ void ExclusiveScan(A &&...a) { call(storage, &a...); }                     \
        template <typename... A> __device__ void Sort(A &&...a) { call(storage, &a...); }                              \
        template <typename... A> __device__ void SortDescending(A &&...a) { call(storage, &a...); }                    \
        template <typename... A> __device__ void SortBlockedToStriped(A &&...a) { call(storage, &a...); }              \
        template <typename... A> __device__ void SortDescendingBlockedToStriped(A &&...a) { call(storage, &a...); }    \
        template <typename... A> __device__ void Load(A &&...a) { call(storage, &a...); }                              \
        template <typename... A> __device__ void Store(A &&...a) { call(storage, &a...); }                             \
        template <typename... A> __device__ void BlockedToStriped(A &&...a) { call(storage, &a...); }                  \
        template <typename... A> __device__ void StripedToBlocked(A &&...a) { call(storage, &a...); }                  \
        template <typename... A> __device__ void InitHistogram(A &&...a) { call(storage, &a...); }                     \
        template <typename... A> __device__ void Histogram(A &&...a) { call(storage, &a...); }                         \
        template <typename... A> __device__ void Composite(A &&...a) { call(storage, &a...); }                         \
        template <typename... A> __device__ void FlagHeads(A &&...a) { call(storage, &a...); }                         \
    };
CUWARP_PRIMITIVE(BlockHistogram, cuwarp_block_call, int X, int I, int B, BlockHistogramAlgorithm R = BLOCK_HISTO_SORT,
                 int Y = 1, int Z = 1)
CUWARP_PRIMITIVE(WarpReduce, cuwarp_warp_call, int N = 32)
CUWARP_PRIMITIVE(WarpScan, cuwarp_warp_call, int N = 32)
CUWARP_PRIMITIVE(WarpMergeSort, cuwarp_warp_call, int I, int N = 32, typename V = NullType)
#undef CUWARP_PRIMITIVE
#define CUWARP_DEVICE_CALL(name) template <typename... A> static cudaError_t name(A &&...a);
struct cuwarp_device_calls {
    CUWARP_DEVICE_CALL(Sum)
    CUWARP_DEVICE_CALL(Reduce) CUWARP_DEVICE_CALL(Min) CUWARP_DEVICE_CALL(Max) CUWARP_DEVICE_CALL(ArgMin)
        CUWARP_DEVICE_CALL(ArgMax) CUWARP_DEVICE_CALL(ReduceByKey) CUWARP_DEVICE_CALL(InclusiveSum)
            CUWARP_DEVICE_CALL(ExclusiveSum) CUWARP_DEVICE_CALL(InclusiveScan) CUWARP_DEVICE_CALL(ExclusiveScan)
                CUWARP_DEVICE_CALL(InclusiveSumByKey) CUWARP_DEVICE_CALL(SortKeys)
                    CUWARP_DEVICE_CALL(SortKeysDescending) CUWARP_DEVICE_CALL(SortPairs)
                        CUWARP_DEVICE_CALL(SortPairsDescending) CUWARP_DEVICE_CALL(StableSortPairs)
                            CUWARP_DEVICE_CALL(StableSortKeys) CUWARP_DEVICE_CALL(Flagged) CUWARP_DEVICE_CALL(If)
                                CUWARP_DEVICE_CALL(Unique) CUWARP_DEVICE_CALL(Encode) CUWARP_DEVICE_CALL(HistogramEven)
                                    CUWARP_DEVICE_CALL(HistogramRange) CUWARP_DEVICE_CALL(TopKPairs)
                                        CUWARP_DEVICE_CALL(MaxPairs) CUWARP_DEVICE_CALL(Batched)
};
#undef CUWARP_DEVICE_CALL
typedef cuwarp_device_calls DeviceReduce, DeviceScan, DeviceRadixSort, DeviceSegmentedSort, DeviceSegmentedRadixSort,
    DeviceSegmentedReduce, DeviceSelect, DevicePartition, DeviceHistogram, DeviceRunLengthEncode, DeviceMergeSort,
    DeviceTopK, DeviceMemcpy, DeviceCopy;
template <typename T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector;
    DoubleBuffer(T *a, T *b);
    T *Current();
    T *Alternate();
};
template <typename T, typename O = ptrdiff_t> struct CountingInputIterator {
    CountingInputIterator(T v);
    T operator[](O i) const;
};
template <typename V, typename F, typename I, typename O = ptrdiff_t> struct TransformInputIterator {
    TransformInputIterator(I i, F f);
    V operator[](O i) const;
};
struct CachingDeviceAllocator {
    CachingDeviceAllocator(bool b = false);
    template <typename... A> cudaError_t DeviceAllocate(A &&...a);
    template <typename... A> cudaError_t DeviceFree(A &&...a);
};
template <int N, typename T> __device__ inline T ShuffleDown(T v, int offset, int last, unsigned mask) {
    return __shfl_down_sync(mask, v, offset);
}
__device__ inline unsigned LaneId() { return __nvvm_read_ptx_sreg_laneid(); }
}
