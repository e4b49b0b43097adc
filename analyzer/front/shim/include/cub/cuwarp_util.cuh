// CUB: what its headers give to code besides collectives: instructions, traits, operators, iterators, macros.
#pragma once
#include "cuwarp/move.h"
#include <cuda/functional>
#include <iterator>
namespace cub {}
namespace thrust {}
#ifdef THRUST_CUB_WRAPPED_NAMESPACE
namespace THRUST_CUB_WRAPPED_NAMESPACE {
namespace cub = ::cub;
namespace thrust = ::thrust;
}
#elif defined(CUB_WRAPPED_NAMESPACE)
namespace CUB_WRAPPED_NAMESPACE {
namespace cub = ::cub;
}
#endif
#define CUB_VERSION 300000
#define CUB_MAJOR_VERSION 3
#define CUB_MINOR_VERSION 0
#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#define CUB_NS_QUALIFIER ::cub
#define CUB_RUNTIME_ENABLED
#define CUB_RDC_ENABLED
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_HOST_COMPILER_UNKNOWN 0
#define CUB_HOST_COMPILER_MSVC 1
#define CUB_HOST_COMPILER_GCC 2
#define CUB_HOST_COMPILER_CLANG 3
#define CUB_HOST_COMPILER CUB_HOST_COMPILER_GCC
#define CUB_DEVICE_COMPILER_UNKNOWN 0
#define CUB_DEVICE_COMPILER_MSVC 1
#define CUB_DEVICE_COMPILER_GCC 2
#define CUB_DEVICE_COMPILER_NVCC 3
#define CUB_DEVICE_COMPILER_CLANG 4
#define CUB_DEVICE_COMPILER CUB_DEVICE_COMPILER_NVCC
#define CUB_CPP_DIALECT 2017
#define CUB_ALIGN(bytes) __attribute__((aligned(bytes)))
#define CUB_PREVENT_MACRO_SUBSTITUTION
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) ((((x) + (y)-1) / (y)) * (y))
#define CUB_ROUND_DOWN_NEAREST(x, y) (((x) / (y)) * (y))
#define CUB_STATIC_ASSERT(condition, message) static_assert(condition, message)
#define CUB_PTX_ARCH __CUDA_ARCH__
#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_WARP_THREADS(unused) 32
#define CUB_LOG_SMEM_BANKS(unused) 5
#define CUB_SMEM_BANKS(unused) 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_SMEM_BANKS 5
#define CUB_PTX_SMEM_BANKS 32
#define CUB_DETAIL_DEVICE_SYNCHRONIZE
#define CubDebug(e) ::cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e)                                                                                                \
    if (::cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) { exit(1); }
#define _CubLog(...) printf(__VA_ARGS__)
struct __half;
struct __nv_bfloat16;
namespace cub {
__host__ __device__ inline cudaError_t Debug(cudaError_t error, const char *, int) { return error; }
inline int CurrentDevice() { return 0; }
inline int DeviceCount() { return 1; }
inline int DeviceCountUncached() { return 1; }
__host__ __device__ cudaError_t SyncStream(cudaStream_t stream);
struct NullType {
    template <typename T> __host__ __device__ NullType &operator=(const T &) { return *this; }
    __host__ __device__ bool operator==(const NullType &) { return true; }
    __host__ __device__ bool operator!=(const NullType &) { return false; }
};
template <int a> struct Int2Type {
    enum { VALUE = a };
};
template <int n> struct PowerOfTwo {
    enum { VALUE = (n & (n - 1)) == 0 };
};
template <int n, int now = n, int count = 0> struct Log2 {
    enum { VALUE = Log2<n, (now >> 1), count + 1>::VALUE };
};
template <int n, int count> struct Log2<n, 0, count> {
    enum { VALUE = (1 << (count - 1) < n) ? count : count - 1 };
};
template <typename N, typename D> __host__ __device__ constexpr N DivideAndRoundUp(N n, D d) {
    return n / d + (n % d != 0 ? 1 : 0);
}
template <typename T> __host__ __device__ constexpr T MidPoint(T begin, T end) { return begin + (end - begin) / 2; }
template <typename T> struct Uninitialized {
    unsigned char alignas(T) storage[sizeof(T)];
    __host__ __device__ T &Alias() { return *(T *)storage; }
};
namespace detail {
template <bool is_first, typename A, typename B> using conditional_t = typename std::conditional<is_first, A, B>::type;
template <typename I> using value_t = typename std::iterator_traits<I>::value_type;
template <typename I, typename F, bool is_void = std::is_void<std::remove_pointer_t<I>>::value>
struct non_void_value_impl {
    typedef F type;
};
template <typename I, typename F> struct non_void_value_impl<I, F, false> {
    typedef typename std::conditional<std::is_void<value_t<I>>::value, F, value_t<I>>::type type;
};
template <typename I, typename F> using non_void_value_t = typename non_void_value_impl<I, F>::type;
template <typename T, typename U> __host__ __device__ void uninitialized_copy(T *to, U &&value) {
    *to = static_cast<U &&>(value);
}
__host__ __device__ cudaError_t device_synchronize();
} // namespace detail
// Keys as numbers, whose bits have the order of the keys.
enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
template <Category category, bool primitive, bool is_null, typename U, typename T> struct BaseTraits {
    static constexpr Category CATEGORY = category;
    enum { PRIMITIVE = primitive, NULL_TYPE = is_null };
    typedef U UnsignedBits;
    static constexpr int cuwarp_shift = category == NOT_A_NUMBER ? 0 : 8 * sizeof(U) - 1;
    template <typename B> static __host__ __device__ B TwiddleIn(B key) {
        const B high = B(1) << cuwarp_shift;
        return category == UNSIGNED_INTEGER                     ? key
               : category == FLOATING_POINT && (key & high) != 0 ? key ^ B(-1)
                                                                 : key ^ high;
    }
    template <typename B> static __host__ __device__ B TwiddleOut(B key) {
        const B high = B(1) << cuwarp_shift;
        return category == UNSIGNED_INTEGER                     ? key
               : category == FLOATING_POINT && (key & high) == 0 ? key ^ B(-1)
                                                                 : key ^ high;
    }
    static __host__ __device__ T Max() { return std::numeric_limits<T>::max(); }
    static __host__ __device__ T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <typename T> struct FpLimits {
    static __host__ __device__ T Max() { return std::numeric_limits<T>::max(); }
    static __host__ __device__ T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <int size> struct cuwarp_bits { typedef unsigned char type; };
template <> struct cuwarp_bits<2> { typedef unsigned short type; };
template <> struct cuwarp_bits<4> { typedef unsigned type; };
template <> struct cuwarp_bits<8> { typedef unsigned long long type; };
template <typename T, bool is_number = std::is_arithmetic<T>::value> struct cuwarp_number_traits
    : BaseTraits<NOT_A_NUMBER, false, false, T, T> {};
template <typename T> struct cuwarp_number_traits<T, true>
    : BaseTraits<(T(3) / T(2) != T(1) ? FLOATING_POINT : T(-1) < T(0) ? SIGNED_INTEGER : UNSIGNED_INTEGER), true, false,
                 typename cuwarp_bits<sizeof(T)>::type, T> {};
template <typename T> struct NumericTraits : cuwarp_number_traits<T> {};
template <> struct NumericTraits<NullType> : BaseTraits<NOT_A_NUMBER, false, true, NullType, NullType> {};
template <> struct NumericTraits<bool> : BaseTraits<UNSIGNED_INTEGER, true, false, unsigned char, bool> {};
template <> struct NumericTraits<__half> : BaseTraits<FLOATING_POINT, true, false, unsigned short, __half> {};
template <> struct NumericTraits<__nv_bfloat16>
    : BaseTraits<FLOATING_POINT, true, false, unsigned short, __nv_bfloat16> {};
template <typename T> struct Traits : NumericTraits<typename std::remove_cv<T>::type> {};
// Operators.
struct Sum {
    template <typename T, typename U> __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a + b) {
        return a + b;
    }
};
struct Difference {
    template <typename T, typename U> __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a - b) {
        return a - b;
    }
};
struct Division {
    template <typename T, typename U> __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a / b) {
        return a / b;
    }
};
struct Max {
    template <typename T, typename U>
    __host__ __device__ typename std::common_type<T, U>::type operator()(const T &a, const U &b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <typename T, typename U>
    __host__ __device__ typename std::common_type<T, U>::type operator()(const T &a, const U &b) const {
        return b < a ? b : a;
    }
};
struct Equality {
    template <typename T, typename U> __host__ __device__ bool operator()(const T &a, const U &b) const { return a == b; }
};
struct Inequality {
    template <typename T, typename U> __host__ __device__ bool operator()(const T &a, const U &b) const { return a != b; }
};
template <typename E> struct InequalityWrapper {
    E op;
    __host__ __device__ InequalityWrapper(E op) : op(op) {}
    template <typename T, typename U> __host__ __device__ bool operator()(const T &a, const U &b) { return !op(a, b); }
};
struct ArgMax {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <typename B> struct CastOp {
    template <typename A> __host__ __device__ B operator()(A &&a) const { return (B)a; }
};
template <typename F> struct SwizzleScanOp {
    F scan_op;
    __host__ __device__ SwizzleScanOp(F op) : scan_op(op) {}
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) { return scan_op(b, a); }
};
// A thread's place, and instructions by their name.
__device__ inline int RowMajorTid(int x, int y, int z) {
    return (z == 1 ? 0 : threadIdx.z * x * y) + (y == 1 ? 0 : threadIdx.y * x) + threadIdx.x;
}
__device__ inline unsigned LaneId() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ inline unsigned WarpId() {
    unsigned id;
    asm("mov.u32 %0, %%warpid;" : "=r"(id));
    return id;
}
__device__ inline unsigned LaneMaskLt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
__device__ inline unsigned LaneMaskLe() { return __nvvm_read_ptx_sreg_lanemask_le(); }
__device__ inline unsigned LaneMaskGt() { return __nvvm_read_ptx_sreg_lanemask_gt(); }
__device__ inline unsigned LaneMaskGe() { return __nvvm_read_ptx_sreg_lanemask_ge(); }
template <int N, int unused = 0> __host__ __device__ inline unsigned WarpMask(unsigned warp) {
    return N == 32 ? ~0u : (N & (N - 1)) != 0 ? (1u << N % 32) - 1 : ((1u << N % 32) - 1) << warp * N;
}
__device__ inline void BAR(int count) { asm volatile("bar.sync 1, %0;" : : "r"(count)); }
__device__ inline void CTA_SYNC() { __syncthreads(); }
__device__ inline int CTA_SYNC_AND(int p) { return __syncthreads_and(p); }
__device__ inline int CTA_SYNC_OR(int p) { return __syncthreads_or(p); }
__device__ inline void WARP_SYNC(unsigned mask) { __syncwarp(mask); }
__device__ inline int WARP_ANY(int p, unsigned mask) { return __any_sync(mask, p); }
__device__ inline int WARP_ALL(int p, unsigned mask) { return __all_sync(mask, p); }
__device__ inline int WARP_BALLOT(int p, unsigned mask) { return __ballot_sync(mask, p); }
__device__ inline unsigned SHR_ADD(unsigned x, unsigned shift, unsigned add) { return (x >> shift) + add; }
__device__ inline unsigned SHL_ADD(unsigned x, unsigned shift, unsigned add) { return (x << shift) + add; }
template <typename T> __device__ inline unsigned BFE(T x, unsigned start, unsigned bits) {
    return unsigned(x >> start) & ((1u << bits) - 1);
}
__device__ inline void BFI(unsigned &to, unsigned x, unsigned y, unsigned start, unsigned bits) {
    const unsigned mask = ((1u << bits) - 1) << start;
    to = (x & ~mask) | ((y << start) & mask);
}
__device__ inline unsigned IADD3(unsigned x, unsigned y, unsigned z) { return x + y + z; }
__device__ inline int PRMT(unsigned a, unsigned b, unsigned index) { return __byte_perm(a, b, index); }
__device__ inline float FMUL_RZ(float a, float b) { return __fmul_rz(a, b); }
__device__ inline float FFMA_RZ(float a, float b, float c) { return __fmaf_rz(a, b, c); }
__device__ inline void ThreadExit() { asm volatile("exit;"); }
__device__ inline void ThreadTrap() { asm volatile("trap;"); }
template <int N, typename T> __device__ inline T ShuffleDown(T v, int offset, int last, unsigned mask) {
    return __shfl_down_sync(mask, v, offset);
}
template <int N, typename T> __device__ inline T ShuffleUp(T v, int offset, int first, unsigned mask) {
    return __shfl_up_sync(mask, v, offset);
}
template <int N, typename T> __device__ inline T ShuffleIndex(T v, int lane, unsigned mask) {
    return __shfl_sync(mask, v, lane, N);
}
template <int bits> __device__ inline unsigned MatchAny(unsigned label) {
    return __match_any_sync(0xffffffff, label & (bits < 32 ? (1u << bits % 32) - 1 : ~0u));
}
// Loads and stores with a cache modifier, and iterators.
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier how, typename I> __device__ inline detail::value_t<I> ThreadLoad(I at) {
    if constexpr ((how == LOAD_VOLATILE || how == LOAD_CV) && std::is_scalar<detail::value_t<I>>::value)
        return *(volatile detail::value_t<I> *)&*at;
    else
        return *at;
}
template <CacheStoreModifier how, typename I, typename T> __device__ inline void ThreadStore(I at, T value) {
    if constexpr (how == STORE_VOLATILE && std::is_scalar<T>::value)
        *(volatile T *)&*at = value;
    else
        *at = value;
}
template <typename K, typename V, typename F, int N>
__device__ inline void StableOddEvenSort(K (&keys)[N], V (&items)[N], F is_less) {
    for (int i = 0; i < N; i++)
        for (int j = i & 1; j < N - 1; j += 2)
            if (is_less(keys[j + 1], keys[j])) {
                std::swap(keys[j], keys[j + 1]);
                if (!std::is_same<V, NullType>::value) std::swap(items[j], items[j + 1]);
            }
}
template <typename T, int N, typename F> __device__ inline T ThreadReduce(T (&items)[N], F op) {
    T sum = items[0];
    for (int i = 1; i < N; i++) sum = op(sum, items[i]);
    return sum;
}
// What all iterators can do that know their place: S is the iterator, `from(base, n)` the one n further on.
template <typename S, typename V, typename R, typename O> struct cuwarp_place {
    typedef S self_type;
    typedef O difference_type;
    typedef V value_type;
    typedef V *pointer;
    typedef R reference;
    typedef std::random_access_iterator_tag iterator_category;
    __host__ __device__ S &self() { return *(S *)this; }
    __host__ __device__ const S &self() const { return *(const S *)this; }
    __host__ __device__ R operator*() const { return self().at(0); }
    template <typename D> __host__ __device__ R operator[](D n) const { return self().at(n); }
    template <typename D> __host__ __device__ S operator+(D n) const { return self().moved(n); }
    template <typename D> __host__ __device__ S operator-(D n) const { return self().moved(-n); }
    template <typename D> __host__ __device__ S &operator+=(D n) { return self() = self().moved(n); }
    template <typename D> __host__ __device__ S &operator-=(D n) { return self() = self().moved(-n); }
    __host__ __device__ S &operator++() { return self() = self().moved(1); }
    __host__ __device__ S operator++(int) {
        S old = self();
        self() = old.moved(1);
        return old;
    }
};
template <typename V, typename O = ptrdiff_t> struct ConstantInputIterator
    : cuwarp_place<ConstantInputIterator<V, O>, V, V, O> {
    V val;
    O offset;
    __host__ __device__ ConstantInputIterator(V val, O offset = 0) : val(val), offset(offset) {}
    template <typename D> __host__ __device__ V at(D) const { return val; }
    template <typename D> __host__ __device__ ConstantInputIterator moved(D n) const { return {val, O(offset + n)}; }
};
template <typename V, typename O = ptrdiff_t> struct CountingInputIterator
    : cuwarp_place<CountingInputIterator<V, O>, V, V, O> {
    V val;
    __host__ __device__ CountingInputIterator(const V &val) : val(val) {}
    template <typename D> __host__ __device__ V at(D n) const { return val + (V)n; }
    template <typename D> __host__ __device__ CountingInputIterator moved(D n) const { return V(val + (V)n); }
};
template <typename V, typename F, typename I, typename O = ptrdiff_t> struct TransformInputIterator
    : cuwarp_place<TransformInputIterator<V, F, I, O>, V, V, O> {
    F conversion_op;
    I input_itr;
    __host__ __device__ TransformInputIterator(I input, F op) : conversion_op(op), input_itr(input) {}
    template <typename D> __host__ __device__ V at(D n) const { return conversion_op(input_itr[n]); }
    template <typename D> __host__ __device__ TransformInputIterator moved(D n) const {
        return {input_itr + n, conversion_op};
    }
};
template <CacheLoadModifier how, typename V, typename O = ptrdiff_t> struct CacheModifiedInputIterator
    : cuwarp_place<CacheModifiedInputIterator<how, V, O>, V, V, O> {
    V *ptr;
    template <typename Q> __host__ __device__ CacheModifiedInputIterator(Q *ptr)
        : ptr(const_cast<typename std::remove_cv<V>::type *>(ptr)) {}
    template <typename D> __device__ V at(D n) const { return ThreadLoad<how>(ptr + n); }
    template <typename D> __host__ __device__ CacheModifiedInputIterator moved(D n) const { return ptr + n; }
};
template <CacheStoreModifier how, typename V> struct cuwarp_stored_place {
    V *ptr;
    __host__ __device__ explicit cuwarp_stored_place(V *ptr) : ptr(ptr) {}
    __device__ V operator=(V value) const {
        ThreadStore<how>(ptr, value);
        return value;
    }
};
template <CacheStoreModifier how, typename V, typename O = ptrdiff_t> struct CacheModifiedOutputIterator
    : cuwarp_place<CacheModifiedOutputIterator<how, V, O>, void, cuwarp_stored_place<how, V>, O> {
    V *ptr;
    template <typename Q> __host__ __device__ CacheModifiedOutputIterator(Q *ptr) : ptr(ptr) {}
    template <typename D> __device__ cuwarp_stored_place<how, V> at(D n) const {
        return cuwarp_stored_place<how, V>(ptr + n);
    }
    template <typename D> __host__ __device__ CacheModifiedOutputIterator moved(D n) const { return ptr + n; }
};
struct cuwarp_discarded {
    template <typename T> __host__ __device__ const T &operator=(const T &value) const { return value; }
};
template <typename O = ptrdiff_t> struct DiscardOutputIterator
    : cuwarp_place<DiscardOutputIterator<O>, void, cuwarp_discarded, O> {
    O offset;
    __host__ __device__ DiscardOutputIterator(O offset = 0) : offset(offset) {}
    template <typename D> __host__ __device__ cuwarp_discarded at(D) const { return {}; }
    template <typename D> __host__ __device__ DiscardOutputIterator moved(D n) const { return O(offset + n); }
    operator void *() const;
};
template <typename K, typename V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    __host__ __device__ KeyValuePair() {}
    __host__ __device__ KeyValuePair(const K &key, const V &value) : key(key), value(value) {}
    __host__ __device__ bool operator!=(const KeyValuePair &b) const { return value != b.value || key != b.key; }
};
template <typename I, typename O = ptrdiff_t, typename V = detail::value_t<I>> struct ArgIndexInputIterator
    : cuwarp_place<ArgIndexInputIterator<I, O, V>, KeyValuePair<O, V>, KeyValuePair<O, V>, O> {
    I itr;
    O offset;
    __host__ __device__ ArgIndexInputIterator(I itr, O offset = 0) : itr(itr), offset(offset) {}
    template <typename D> __host__ __device__ KeyValuePair<O, V> at(D n) const { return {O(offset + n), itr[n]}; }
    template <typename D> __host__ __device__ ArgIndexInputIterator moved(D n) const { return {itr + n, O(offset + n)}; }
    __host__ __device__ void normalize() { offset = 0; }
};
template <typename T, typename O = ptrdiff_t> struct TexObjInputIterator
    : cuwarp_place<TexObjInputIterator<T, O>, T, T, O> {
    T *ptr;
    __host__ __device__ TexObjInputIterator(T *ptr = nullptr) : ptr(ptr) {}
    template <typename Q> cudaError_t BindTexture(Q *at, size_t = 0, size_t = 0) {
        ptr = (T *)at;
        return cudaSuccess;
    }
    cudaError_t UnbindTexture();
    template <typename D> __device__ T at(D n) const { return ptr[n]; }
    template <typename D> __host__ __device__ TexObjInputIterator moved(D n) const { return ptr + n; }
};
struct CachingDeviceAllocator {
    bool debug;
    CachingDeviceAllocator(bool skip_cleanup = false, bool debug = false);
    CachingDeviceAllocator(unsigned bin_growth, unsigned min_bin = 1, unsigned max_bin = ~0u, size_t max_bytes = ~0ull,
                           bool skip_cleanup = false, bool debug = false);
    template <typename... A> cudaError_t DeviceAllocate(A &&...a);
    template <typename... A> cudaError_t DeviceFree(A &&...a);
    cudaError_t FreeAllCached();
    cudaError_t SetMaxCachedBytes(size_t bytes);
};
__host__ __device__ cudaError_t SmVersion(int &version, int device = 0);
__host__ __device__ cudaError_t PtxVersion(int &version);
__host__ __device__ cudaError_t PtxVersion(int &version, int device);
template <typename K> __host__ __device__ cudaError_t MaxSmOccupancy(int &count, K kernel, int threads, int shared = 0);
} // namespace cub
