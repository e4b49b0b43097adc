// CUTLASS: numeric types, fragments, coordinates and small helpers. Tensor-core templates are not stood in for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <type_traits>
#define CUTLASS_HOST_DEVICE __host__ __device__ __forceinline__
#define CUTLASS_DEVICE __device__ __forceinline__
#define CUTLASS_HOST __host__
#define CUTLASS_GLOBAL __global__
#define CUTLASS_PRAGMA_UNROLL _Pragma("unroll")
#define CUTLASS_PRAGMA_NO_UNROLL _Pragma("unroll 1")
#define CUTLASS_GEMM_LOOP CUTLASS_PRAGMA_NO_UNROLL
#define CUTLASS_UNUSED(x) ((void)(x))
#define CUTLASS_CHECK(...) ((void)(__VA_ARGS__))
#define CUTE_HOST_DEVICE __host__ __device__ __forceinline__
#define CUTE_DEVICE __device__ __forceinline__
#define CUTE_UNROLL _Pragma("unroll")
namespace cutlass {
static const int NumThreadsPerWarp = 32, NumWarpsPerWarpGroup = 4, NumThreadsPerWarpGroup = 128;
CUTLASS_DEVICE int canonical_lane_idx() { return threadIdx.x % 32; }
CUTLASS_DEVICE int canonical_warp_idx() { return threadIdx.x / 32; }
CUTLASS_DEVICE int canonical_warp_idx_sync() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0); }
CUTLASS_DEVICE int canonical_warp_group_idx() { return __shfl_sync(0xffffffff, threadIdx.x / 128, 0); }
enum class Status {
    kSuccess,
    kErrorMisalignedOperand,
    kErrorInvalidProblem,
    kErrorNotSupported,
    kErrorInternal,
    kInvalid
};
const char *cutlassGetStatusString(Status s);
typedef __half cuwarp_half;
struct alignas(2) half_t {
    uint16_t storage;
    half_t() = default;
    CUTLASS_HOST_DEVICE half_t(float v) : storage(__half_as_ushort(__float2half(v))) {}
    CUTLASS_HOST_DEVICE explicit half_t(int v) : half_t((float)v) {}
    CUTLASS_HOST_DEVICE operator float() const { return __half2float(__ushort_as_half(storage)); }
    CUTLASS_HOST_DEVICE half_t operator-() const { return half_t(-(float)*this); }
};
struct alignas(2) bfloat16_t {
    uint16_t storage;
    bfloat16_t() = default;
    CUTLASS_HOST_DEVICE bfloat16_t(float v) : storage(__bfloat16_as_ushort(__float2bfloat16(v))) {}
    CUTLASS_HOST_DEVICE explicit bfloat16_t(int v) : bfloat16_t((float)v) {}
    CUTLASS_HOST_DEVICE operator float() const { return __bfloat162float(__ushort_as_bfloat16(storage)); }
    CUTLASS_HOST_DEVICE bfloat16_t operator-() const { return bfloat16_t(-(float)*this); }
};
struct alignas(4) tfloat32_t {
    uint32_t storage;
    tfloat32_t() = default;
    CUTLASS_HOST_DEVICE tfloat32_t(float v);
    CUTLASS_HOST_DEVICE operator float() const;
};
struct alignas(1) float_e4m3_t {
    uint8_t storage;
    float_e4m3_t() = default;
    CUTLASS_HOST_DEVICE explicit float_e4m3_t(float v);
    CUTLASS_HOST_DEVICE operator float() const;
};
struct alignas(1) float_e5m2_t {
    uint8_t storage;
    float_e5m2_t() = default;
    CUTLASS_HOST_DEVICE explicit float_e5m2_t(float v);
    CUTLASS_HOST_DEVICE operator float() const;
};
struct int4b_t {
    int8_t storage;
};
struct uint4b_t {
    uint8_t storage;
};
template <typename T> struct sizeof_bits { static constexpr int value = int(sizeof(T) * 8); };
template <> struct sizeof_bits<int4b_t> { static constexpr int value = 4; };
template <> struct sizeof_bits<uint4b_t> { static constexpr int value = 4; };
template <typename T, int N, bool registers = true> struct alignas(sizeof(T) * N >= 16 ? 16 : alignof(T)) Array {
    typedef T Element;
    typedef T value_type;
    static constexpr int kElements = N;
    T storage[N];
    CUTLASS_HOST_DEVICE static constexpr int size() { return N; }
    CUTLASS_HOST_DEVICE T &operator[](int i) { return storage[i]; }
    CUTLASS_HOST_DEVICE const T &operator[](int i) const { return storage[i]; }
    CUTLASS_HOST_DEVICE T &at(int i) { return storage[i]; }
    CUTLASS_HOST_DEVICE T *data() { return storage; }
    CUTLASS_HOST_DEVICE const T *data() const { return storage; }
    CUTLASS_HOST_DEVICE T *raw_data() { return storage; }
    CUTLASS_HOST_DEVICE T *begin() { return storage; }
    CUTLASS_HOST_DEVICE T *end() { return storage + N; }
    CUTLASS_HOST_DEVICE void fill(const T &v) {
        for (int i = 0; i < N; i++)
            storage[i] = v;
    }
    CUTLASS_HOST_DEVICE void clear() { fill(T(0)); }
};
template <typename T, int N, int A = sizeof(T) * N> struct alignas(A) AlignedArray : Array<T, N> {};
template <typename T, typename S> struct NumericConverter {
    typedef T result_type;
    typedef S source_type;
    CUTLASS_HOST_DEVICE static T convert(const S &s) { return T(s); }
    CUTLASS_HOST_DEVICE T operator()(const S &s) const { return T(s); }
};
template <typename T, typename S, int N> struct NumericArrayConverter {
    CUTLASS_HOST_DEVICE static Array<T, N> convert(const Array<S, N> &s) {
        Array<T, N> r;
        for (int i = 0; i < N; i++)
            r[i] = T(s[i]);
        return r;
    }
    CUTLASS_HOST_DEVICE Array<T, N> operator()(const Array<S, N> &s) const { return convert(s); }
};
template <typename T> struct multiply_add {
    CUTLASS_HOST_DEVICE T operator()(const T &a, const T &b, const T &c) const { return a * b + c; }
};
template <typename T> struct maximum {
    CUTLASS_HOST_DEVICE T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <typename T> struct minimum {
    CUTLASS_HOST_DEVICE T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <typename T> struct plus {
    CUTLASS_HOST_DEVICE T operator()(const T &a, const T &b) const { return a + b; }
};
template <typename T> CUTLASS_HOST_DEVICE constexpr T const_max(T a, T b) { return a < b ? b : a; }
template <typename T> CUTLASS_HOST_DEVICE constexpr T const_min(T a, T b) { return b < a ? b : a; }
template <typename A, typename B> CUTLASS_HOST_DEVICE constexpr auto ceil_div(A a, B b) { return (a + b - 1) / b; }
template <typename A, typename B> CUTLASS_HOST_DEVICE constexpr auto round_up(A a, B b) { return (a + b - 1) / b * b; }
template <typename T> CUTLASS_HOST_DEVICE T fast_max(T a, T b) { return a < b ? b : a; }
template <typename T> CUTLASS_HOST_DEVICE T fast_min(T a, T b) { return b < a ? b : a; }
CUTLASS_HOST_DEVICE float fast_exp(float x) { return ::expf(x); }
CUTLASS_HOST_DEVICE float fast_tanh(float x) { return ::tanhf(x); }
CUTLASS_HOST_DEVICE float fast_log(float x) { return ::logf(x); }
struct FastDivmod {
    int divisor;
    FastDivmod() = default;
    CUTLASS_HOST_DEVICE FastDivmod(int d) : divisor(d) {}
    CUTLASS_HOST_DEVICE void operator()(int &q, int &r, int n) const {
        q = n / divisor;
        r = n % divisor;
    }
    CUTLASS_HOST_DEVICE int divmod(int &r, int n) const {
        r = n % divisor;
        return n / divisor;
    }
    CUTLASS_HOST_DEVICE int div(int n) const { return n / divisor; }
    CUTLASS_HOST_DEVICE int rem(int n) const { return n % divisor; }
    CUTLASS_HOST_DEVICE operator int() const { return divisor; }
};
template <int R, typename I = int> struct Coord {
    I idx[R];
    CUTLASS_HOST_DEVICE I &operator[](int i) { return idx[i]; }
    CUTLASS_HOST_DEVICE const I &operator[](int i) const { return idx[i]; }
};
struct MatrixCoord : Coord<2> {
    CUTLASS_HOST_DEVICE MatrixCoord(int r = 0, int c = 0) {
        idx[0] = r;
        idx[1] = c;
    }
    CUTLASS_HOST_DEVICE int row() const { return idx[0]; }
    CUTLASS_HOST_DEVICE int column() const { return idx[1]; }
};
namespace gemm {
struct GemmCoord : Coord<3> {
    CUTLASS_HOST_DEVICE GemmCoord(int m = 0, int n = 0, int k = 0) {
        idx[0] = m;
        idx[1] = n;
        idx[2] = k;
    }
    CUTLASS_HOST_DEVICE int m() const { return idx[0]; }
    CUTLASS_HOST_DEVICE int n() const { return idx[1]; }
    CUTLASS_HOST_DEVICE int k() const { return idx[2]; }
};
template <int m, int n, int k> struct GemmShape { static constexpr int kM = m, kN = n, kK = k; };
} // namespace gemm
namespace layout {
struct RowMajor {
    RowMajor(int64_t s = 0);
};
struct ColumnMajor {
    ColumnMajor(int64_t s = 0);
};
} // namespace layout
namespace arch {
struct Sm70 {
    static constexpr int kMinComputeCapability = 70;
};
struct Sm80 {
    static constexpr int kMinComputeCapability = 80;
};
struct Sm90 {
    static constexpr int kMinComputeCapability = 90;
};
struct OpClassSimt {};
struct OpClassTensorOp {};
struct NamedBarrier {
    uint32_t num_threads_, id_;
    CUTLASS_DEVICE NamedBarrier(uint32_t n, uint32_t id) : num_threads_(n), id_(id) {}
    CUTLASS_DEVICE void arrive_and_wait() const { sync(num_threads_, id_); }
    CUTLASS_DEVICE void sync() const { sync(num_threads_, id_); }
    CUTLASS_DEVICE void arrive() const { arrive(num_threads_, id_); }
    CUTLASS_DEVICE static void sync(uint32_t n, uint32_t id) {
        asm volatile("bar.sync %0, %1;" : : "r"(id + 8), "r"(n));
    }
    CUTLASS_DEVICE static void arrive(uint32_t n, uint32_t id) {
        asm volatile("bar.arrive %0, %1;" : : "r"(id + 8), "r"(n));
    }
};
CUTLASS_DEVICE void launch_dependent_grids() {}
CUTLASS_DEVICE void wait_on_dependent_grids() {}
template <uint32_t n> CUTLASS_DEVICE void warpgroup_reg_alloc() {}
template <uint32_t n> CUTLASS_DEVICE void warpgroup_reg_dealloc() {}
} // namespace arch
} // namespace cutlass
