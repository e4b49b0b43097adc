// CUB: the interface of what kernels use.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuwarp/move.h"
#include <cuda/functional>
#define CUB_VERSION 300000
#define CUB_MAJOR_VERSION 3
#define CUB_MINOR_VERSION 0
namespace cub {
inline int CurrentDevice() { return 0; }
inline int DeviceCount() { return 1; }
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
    __host__ __device__ KeyValuePair() {}
    __host__ __device__ KeyValuePair(const K &key, const V &value) : key(key), value(value) {}
};
// Bits of a key in the order of the keys.
template <int size> struct cuwarp_bits;
template <> struct cuwarp_bits<1> { typedef unsigned char type; };
template <> struct cuwarp_bits<2> { typedef unsigned short type; };
template <> struct cuwarp_bits<4> { typedef unsigned type; };
template <> struct cuwarp_bits<8> { typedef unsigned long long type; };
template <typename T> struct Traits {
    typedef typename cuwarp_bits<sizeof(T)>::type UnsignedBits;
    static constexpr UnsignedBits cuwarp_high = UnsignedBits(1) << (8 * sizeof(T) - 1);
    static constexpr bool cuwarp_is_signed = T(-1) < T(0), cuwarp_is_float = T(3) / T(2) != T(1);
    static __host__ __device__ UnsignedBits TwiddleIn(UnsignedBits key) {
        if (cuwarp_is_float) return key ^ (key & cuwarp_high ? UnsignedBits(-1) : cuwarp_high);
        return cuwarp_is_signed ? key ^ cuwarp_high : key;
    }
    static __host__ __device__ UnsignedBits TwiddleOut(UnsignedBits key) {
        if (cuwarp_is_float) return key ^ (key & cuwarp_high ? cuwarp_high : UnsignedBits(-1));
        return cuwarp_is_signed ? key ^ cuwarp_high : key;
    }
};
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
template <typename T> struct Uninitialized {
    unsigned char storage[sizeof(T)];
    __device__ T &Alias() { return *(T *)storage; }
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
    template <typename cuwarp_v, typename cuwarp_o>                                                                    \
    __device__ name(TempStorage &s, cuwarp_v &values, cuwarp_o &offsets) : temp_storage(&s) {                          \
        cuwarp_begin(this, values, offsets);                                                                           \
    }                                                                                                                  \
    template <typename cuwarp_v, typename cuwarp_l, typename cuwarp_t>                                                 \
    __device__ name(TempStorage &s, cuwarp_v &values, cuwarp_l &lengths, cuwarp_t &total) : temp_storage(&s) {         \
        cuwarp_begin(this, values, lengths, total);                                                                    \
    }
//@ collectives
#undef CUWARP_STORED
#define CUWARP_DEVICE_CALL(name) template <typename... A> static cudaError_t name(A &&...a);
struct cuwarp_device_calls {
    CUWARP_DEVICE_CALL(Sum)
    CUWARP_DEVICE_CALL(Reduce) CUWARP_DEVICE_CALL(Min) CUWARP_DEVICE_CALL(Max) CUWARP_DEVICE_CALL(ArgMin)
        CUWARP_DEVICE_CALL(ArgMax) CUWARP_DEVICE_CALL(ReduceByKey) CUWARP_DEVICE_CALL(InclusiveSum)
            CUWARP_DEVICE_CALL(ExclusiveSum) CUWARP_DEVICE_CALL(InclusiveScan) CUWARP_DEVICE_CALL(ExclusiveScan)
                CUWARP_DEVICE_CALL(InclusiveSumByKey) CUWARP_DEVICE_CALL(SortKeys)
                    CUWARP_DEVICE_CALL(SortKeysDescending) CUWARP_DEVICE_CALL(SortPairs)
                        CUWARP_DEVICE_CALL(SortPairsDescending) CUWARP_DEVICE_CALL(StableSortPairs)
                            CUWARP_DEVICE_CALL(StableSortKeys) CUWARP_DEVICE_CALL(StableSortPairsDescending)
                                CUWARP_DEVICE_CALL(StableSortKeysDescending) CUWARP_DEVICE_CALL(Flagged) CUWARP_DEVICE_CALL(If)
                                CUWARP_DEVICE_CALL(Unique) CUWARP_DEVICE_CALL(Encode) CUWARP_DEVICE_CALL(HistogramEven)
                                    CUWARP_DEVICE_CALL(HistogramRange) CUWARP_DEVICE_CALL(TopKPairs)
                                        CUWARP_DEVICE_CALL(MaxPairs) CUWARP_DEVICE_CALL(Batched) CUWARP_DEVICE_CALL(Bulk) CUWARP_DEVICE_CALL(ForEach)
                                            CUWARP_DEVICE_CALL(ForEachN) CUWARP_DEVICE_CALL(ForEachCopy) CUWARP_DEVICE_CALL(ForEachCopyN)
};
#undef CUWARP_DEVICE_CALL
typedef cuwarp_device_calls DeviceReduce, DeviceScan, DeviceRadixSort, DeviceSegmentedSort, DeviceSegmentedRadixSort,
    DeviceSegmentedReduce, DeviceSelect, DevicePartition, DeviceHistogram, DeviceRunLengthEncode, DeviceMergeSort,
    DeviceTopK, DeviceMemcpy, DeviceCopy, DeviceFor;
// What the calls above lead to, on the host.
enum class SortOrder { Ascending, Descending };
struct cuwarp_dispatch {
    template <typename... A> static cudaError_t Dispatch(A &&...a);
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
    DoubleBuffer();
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
template <int N, typename T> __device__ inline T ShuffleUp(T v, int offset, int first, unsigned mask) {
    return __shfl_up_sync(mask, v, offset);
}
template <int N, typename T> __device__ inline T ShuffleIndex(T v, int lane, unsigned mask) {
    return __shfl_sync(mask, v, lane, N);
}
cudaError_t SmVersion(int &version, int device = 0);
cudaError_t PtxVersion(int &version);
__device__ inline unsigned LaneId() { return __nvvm_read_ptx_sreg_laneid(); }
}
