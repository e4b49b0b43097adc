// CUB: the interface of what kernels use.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cub/cuwarp_util.cuh"
namespace cub {
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
// Items of a thread, from and to memory: of which places, and how many of them are valid.
#define CUWARP_DIRECT(kind, place)                                                                                     \
    template <int N, typename T, int I, typename P>                                                                    \
    __device__ inline void Load##kind(int tid, P from, T (&items)[I]) {                                                \
        for (int i = 0; i < I; i++) items[i] = from[place];                                                            \
    }                                                                                                                  \
    template <int N, typename T, int I, typename P>                                                                    \
    __device__ inline void Load##kind(int tid, P from, T (&items)[I], int valid) {                                     \
        for (int i = 0; i < I; i++)                                                                                    \
            if (place < valid) items[i] = from[place];                                                                 \
    }                                                                                                                  \
    template <int N, typename T, int I, typename P>                                                                    \
    __device__ inline void Load##kind(int tid, P from, T (&items)[I], int valid, T other) {                            \
        for (int i = 0; i < I; i++) items[i] = place < valid ? from[place] : other;                                    \
    }                                                                                                                  \
    template <int N, typename T, int I, typename P>                                                                    \
    __device__ inline void Store##kind(int tid, P to, T (&items)[I]) {                                                 \
        for (int i = 0; i < I; i++) to[place] = items[i];                                                              \
    }                                                                                                                  \
    template <int N, typename T, int I, typename P>                                                                    \
    __device__ inline void Store##kind(int tid, P to, T (&items)[I], int valid) {                                      \
        for (int i = 0; i < I; i++)                                                                                    \
            if (place < valid) to[place] = items[i];                                                                   \
    }
CUWARP_DIRECT(DirectStriped, i * N + tid)
#undef CUWARP_DIRECT
#define CUWARP_DIRECT(name, do)                                                                                        \
    template <typename T, int I, typename P, typename... V>                                                            \
    __device__ inline void name(int tid, P at, T (&items)[I], V... valid) {                                            \
        for (int i = 0; i < I; i++)                                                                                    \
            if (cuwarp_is_valid(tid * I + i, valid...)) do;                                                            \
    }
__device__ inline bool cuwarp_is_valid(int) { return true; }
__device__ inline bool cuwarp_is_valid(int at, int valid) { return at < valid; }
CUWARP_DIRECT(LoadDirectBlocked, items[i] = at[tid * I + i])
CUWARP_DIRECT(StoreDirectBlocked, at[tid * I + i] = items[i])
#undef CUWARP_DIRECT
template <typename T, int I> __device__ inline void LoadDirectBlockedVectorized(int tid, T *at, T (&items)[I]) {
    for (int i = 0; i < I; i++) items[i] = at[tid * I + i];
}
template <typename T, int I> __device__ inline void StoreDirectBlockedVectorized(int tid, T *at, T (&items)[I]) {
    for (int i = 0; i < I; i++) at[tid * I + i] = items[i];
}
// A warp's items are one after the other, each thread's 32 apart.
#define CUWARP_DIRECT(name, do)                                                                                        \
    template <typename T, int I, typename P, typename... V>                                                            \
    __device__ inline void name(int tid, P at, T (&items)[I], V... valid) {                                            \
        for (int i = 0; i < I; i++) {                                                                                  \
            const int place = (tid >> 5) * 32 * I + (tid & 31) + i * 32;                                               \
            if (cuwarp_is_valid(place, valid...)) do;                                                                  \
        }                                                                                                              \
    }
CUWARP_DIRECT(LoadDirectWarpStriped, items[i] = at[place])
CUWARP_DIRECT(StoreDirectWarpStriped, at[place] = items[i])
#undef CUWARP_DIRECT
// The collectives: docs/internals/models.md. The front end knows what their members do.
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <int N> struct cuwarp_storage {
    int slot[N];
};
template <typename C> __device__ typename C::TempStorage *cuwarp_private() {
    __shared__ typename C::TempStorage own;
    return &own;
}
// The widest words that T is a whole number of.
template <int N> struct cuwarp_word { typedef unsigned char type; };
template <> struct cuwarp_word<2> { typedef unsigned short type; };
template <> struct cuwarp_word<4> { typedef unsigned type; };
template <> struct cuwarp_word<8> { typedef unsigned long long type; };
template <> struct cuwarp_word<16> { typedef ulonglong2 type; };
template <typename T> struct UnitWord {
    static constexpr int size = sizeof(T) | alignof(T), unit = size & -size;
    typedef typename cuwarp_word<(unit < 4 ? unit : 4)>::type ShuffleWord;
    typedef typename cuwarp_word<(unit < 8 ? unit : 8)>::type VolatileWord;
    typedef typename cuwarp_word<(unit < 16 ? unit : 16)>::type DeviceWord;
    typedef typename cuwarp_word<(unit < 8 ? unit : 8)>::type TextureWord;
};
// Only BlockRunLengthDecode has constructors with items.
template <typename C, typename... A> __device__ void cuwarp_begin(C *c, A &...a) {
    if constexpr (sizeof...(A) == 3)
        c->InitWithRunLengths(a...);
    else
        c->InitWithRunOffsets(a...);
}
#define CUWARP_STORED(name, threads)                                                                                   \
    typedef cuwarp_storage<threads> TempStorage;                                                                       \
    TempStorage *temp_storage;                                                                                         \
    __device__ name() : temp_storage(cuwarp_private<name>()) {}                                                        \
    __device__ name(TempStorage &s) : temp_storage(&s) {}                                                              \
    __device__ name(TempStorage &s, int) : temp_storage(&s) {}                                                         \
    __device__ name(TempStorage &s, int, int, int) : temp_storage(&s) {}                                               \
    __device__ unsigned get_linear_tid() const { return LaneId() % (threads); }                                        \
    __device__ unsigned get_member_mask() const { return WarpMask<threads>(LaneId() / (threads)); }                    \
    template <typename cuwarp_v, typename cuwarp_o>                                                                    \
    __device__ name(TempStorage &s, cuwarp_v &values, cuwarp_o &offsets) : temp_storage(&s) {                          \
        cuwarp_begin(this, values, offsets);                                                                           \
    }                                                                                                                  \
    template <typename cuwarp_v, typename cuwarp_l, typename cuwarp_t>                                                 \
    __device__ name(TempStorage &s, cuwarp_v &values, cuwarp_l &lengths, cuwarp_t &total) : temp_storage(&s) {         \
        cuwarp_begin(this, values, lengths, total);                                                                    \
    }
// Which bits of a key are its digit, as BlockRadixRank asks.
template <typename K> struct BaseDigitExtractor {
    unsigned bit_start, num_bits;
    __device__ BaseDigitExtractor(unsigned start, unsigned bits) : bit_start(start), num_bits(bits) {}
    template <typename B> __device__ unsigned Digit(B key) const {
        return unsigned(key >> bit_start) & ((1u << num_bits) - 1);
    }
};
template <typename K> struct BFEDigitExtractor : BaseDigitExtractor<K> {
    __device__ BFEDigitExtractor(unsigned start, unsigned bits) : BaseDigitExtractor<K>(start, bits) {}
};
template <typename K> struct ShiftDigitExtractor : BaseDigitExtractor<K> {
    __device__ ShiftDigitExtractor(unsigned start, unsigned bits) : BaseDigitExtractor<K>(start, bits) {}
};
//@ collectives
#undef CUWARP_STORED
enum RadixRankAlgorithm {
    RADIX_RANK_BASIC,
    RADIX_RANK_MEMOIZE,
    RADIX_RANK_MATCH,
    RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
    RADIX_RANK_MATCH_EARLY_COUNTS_ATOMIC_OR
};
namespace detail {
template <RadixRankAlgorithm how, int X, int B, bool D, BlockScanAlgorithm S>
using block_radix_rank_t = conditional_t<(how == RADIX_RANK_BASIC || how == RADIX_RANK_MEMOIZE),
                                         BlockRadixRank<X, B, D, how == RADIX_RANK_MEMOIZE, S>,
                                         BlockRadixRankMatch<X, B, D, S>>;
} // namespace detail
// Launches of grids, by the host or by a thread of a kernel: they order no threads.
#define CUWARP_DEVICE_CALL(name) template <typename... A> __host__ __device__ static cudaError_t name(A &&...a);
struct cuwarp_device_calls {
    CUWARP_DEVICE_CALL(Sum) CUWARP_DEVICE_CALL(Reduce) CUWARP_DEVICE_CALL(Min) CUWARP_DEVICE_CALL(Max)
    CUWARP_DEVICE_CALL(ArgMin) CUWARP_DEVICE_CALL(ArgMax) CUWARP_DEVICE_CALL(ReduceByKey)
    CUWARP_DEVICE_CALL(TransformReduce) CUWARP_DEVICE_CALL(InclusiveSum) CUWARP_DEVICE_CALL(ExclusiveSum)
    CUWARP_DEVICE_CALL(InclusiveScan) CUWARP_DEVICE_CALL(ExclusiveScan) CUWARP_DEVICE_CALL(InclusiveScanInit)
    CUWARP_DEVICE_CALL(InclusiveSumByKey) CUWARP_DEVICE_CALL(ExclusiveSumByKey) CUWARP_DEVICE_CALL(InclusiveScanByKey)
    CUWARP_DEVICE_CALL(ExclusiveScanByKey) CUWARP_DEVICE_CALL(SortKeys) CUWARP_DEVICE_CALL(SortKeysDescending)
    CUWARP_DEVICE_CALL(SortPairs) CUWARP_DEVICE_CALL(SortPairsDescending) CUWARP_DEVICE_CALL(StableSortKeys)
    CUWARP_DEVICE_CALL(StableSortPairs) CUWARP_DEVICE_CALL(StableSortKeysDescending)
    CUWARP_DEVICE_CALL(StableSortPairsDescending) CUWARP_DEVICE_CALL(SortKeysCopy)
    CUWARP_DEVICE_CALL(StableSortKeysCopy) CUWARP_DEVICE_CALL(SortPairsCopy) CUWARP_DEVICE_CALL(Flagged)
    CUWARP_DEVICE_CALL(FlaggedIf) CUWARP_DEVICE_CALL(If) CUWARP_DEVICE_CALL(Unique) CUWARP_DEVICE_CALL(UniqueByKey)
    CUWARP_DEVICE_CALL(Encode) CUWARP_DEVICE_CALL(NonTrivialRuns) CUWARP_DEVICE_CALL(HistogramEven)
    CUWARP_DEVICE_CALL(HistogramRange)
    CUWARP_DEVICE_CALL(SubtractLeft) CUWARP_DEVICE_CALL(SubtractLeftCopy) CUWARP_DEVICE_CALL(SubtractRight)
    CUWARP_DEVICE_CALL(SubtractRightCopy) CUWARP_DEVICE_CALL(CsrMV) CUWARP_DEVICE_CALL(TopKPairs)
    CUWARP_DEVICE_CALL(TopKKeys) CUWARP_DEVICE_CALL(MaxPairs) CUWARP_DEVICE_CALL(MaxKeys) CUWARP_DEVICE_CALL(MinPairs)
    CUWARP_DEVICE_CALL(MinKeys) CUWARP_DEVICE_CALL(Batched) CUWARP_DEVICE_CALL(Bulk) CUWARP_DEVICE_CALL(ForEach)
    CUWARP_DEVICE_CALL(ForEachN) CUWARP_DEVICE_CALL(ForEachCopy) CUWARP_DEVICE_CALL(ForEachCopyN)
    CUWARP_DEVICE_CALL(LowerBound) CUWARP_DEVICE_CALL(UpperBound) CUWARP_DEVICE_CALL(MergeKeys)
    CUWARP_DEVICE_CALL(MergePairs) CUWARP_DEVICE_CALL(Transform) CUWARP_DEVICE_CALL(Fill)
    template <int channels, int active, typename... A>
    __host__ __device__ static cudaError_t MultiHistogramEven(A &&...a);
    template <int channels, int active, typename... A>
    __host__ __device__ static cudaError_t MultiHistogramRange(A &&...a);
};
#undef CUWARP_DEVICE_CALL
template <typename T> __global__ void EmptyKernel() {}
typedef cuwarp_device_calls DeviceReduce, DeviceScan, DeviceRadixSort, DeviceSegmentedSort, DeviceSegmentedRadixSort,
    DeviceSegmentedReduce, DeviceSelect, DevicePartition, DeviceHistogram, DeviceRunLengthEncode, DeviceMergeSort,
    DeviceTopK, DeviceMemcpy, DeviceCopy, DeviceFor, DeviceAdjacentDifference, DeviceSpmv, DeviceMerge, DeviceTransform;
// What the calls above lead to.
enum class SortOrder { Ascending, Descending };
struct cuwarp_dispatch {
    template <typename... A> __host__ __device__ static cudaError_t Dispatch(A &&...a);
};
#if __cplusplus >= 201703L
template <auto order, typename... T> struct DispatchRadixSort : cuwarp_dispatch {};
template <auto order, typename... T> struct DispatchSegmentedRadixSort : cuwarp_dispatch {};
#endif
template <typename... T> struct DispatchScan : cuwarp_dispatch {};
template <typename... T> struct DispatchScanByKey : cuwarp_dispatch {};
template <typename... T> struct DispatchReduce : cuwarp_dispatch {};
template <typename... T> struct DispatchReduceByKey : cuwarp_dispatch {};
template <typename T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector;
    __host__ __device__ DoubleBuffer() : selector(0) { d_buffers[0] = d_buffers[1] = nullptr; }
    __host__ __device__ DoubleBuffer(T *a, T *b) : selector(0) {
        d_buffers[0] = a;
        d_buffers[1] = b;
    }
    __host__ __device__ T *Current() { return d_buffers[selector]; }
    __host__ __device__ T *Alternate() { return d_buffers[selector ^ 1]; }
};
} // namespace cub
#include "cub/cuwarp_grid.cuh"
