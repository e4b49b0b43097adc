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
struct cuwarp_storage {
    int bytes[256];
};
#define CUWARP_PRIMITIVE(name, call, ...)                                                                              \
    template <typename T, __VA_ARGS__> struct name {                                                                   \
        typedef cuwarp_storage TempStorage;                                                                            \
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
CUWARP_PRIMITIVE(BlockReduce, cuwarp_block_call, int X, BlockReduceAlgorithm R = BLOCK_REDUCE_WARP_REDUCTIONS,
                 int Y = 1, int Z = 1)
CUWARP_PRIMITIVE(BlockScan, cuwarp_block_call, int X, BlockScanAlgorithm R = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1)
CUWARP_PRIMITIVE(BlockLoad, cuwarp_block_call, int X, int I, BlockLoadAlgorithm R = BLOCK_LOAD_DIRECT, int Y = 1,
                 int Z = 1)
CUWARP_PRIMITIVE(BlockStore, cuwarp_block_call, int X, int I, BlockStoreAlgorithm R = BLOCK_STORE_DIRECT, int Y = 1,
                 int Z = 1)
CUWARP_PRIMITIVE(BlockRadixSort, cuwarp_block_call, int X, int I, typename V = NullType, int B = 4)
CUWARP_PRIMITIVE(BlockMergeSort, cuwarp_block_call, int X, int I, typename V = NullType, int Y = 1, int Z = 1)
CUWARP_PRIMITIVE(BlockExchange, cuwarp_block_call, int X, int I, bool W = false, int Y = 1, int Z = 1)
CUWARP_PRIMITIVE(BlockHistogram, cuwarp_block_call, int X, int I, int B, BlockHistogramAlgorithm R = BLOCK_HISTO_SORT,
                 int Y = 1, int Z = 1)
CUWARP_PRIMITIVE(BlockDiscontinuity, cuwarp_block_call, int X, int Y = 1, int Z = 1)
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
