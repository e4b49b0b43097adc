// tiny-cuda-nn: layouts, sizes, helpers of device code, and the launches for one thread for each element. Where the
// library leaves the kernel to a string that it compiles at run time, nothing is said of it.
#pragma once
#include "cuwarp_foreign/vec.h"
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#ifndef TCNN_MIN_GPU_ARCH
#define TCNN_MIN_GPU_ARCH 75
#endif
#ifndef TCNN_HALF_PRECISION
#define TCNN_HALF_PRECISION 1
#endif
#define TCNN_NAMESPACE_BEGIN namespace tcnn {
#define TCNN_NAMESPACE_END }
#define CW_TCNN_CHECK(x)                                                                                               \
    do {                                                                                                               \
        if (!(x))                                                                                                      \
            ::tcnn::cuwarp_fail();                                                                                     \
    } while (0)
#define CHECK_THROW(x) CW_TCNN_CHECK(x)
#define CUDA_CHECK_THROW(x) CW_TCNN_CHECK((x) == cudaSuccess)
#define CUDA_CHECK_PRINT(x) (void)(x)
#define CU_CHECK_THROW(x) CW_TCNN_CHECK((x) == CUDA_SUCCESS)
#define CU_CHECK_PRINT(x) (void)(x)
#define NVRTC_CHECK_THROW(x) CW_TCNN_CHECK((x) == NVRTC_SUCCESS)
#define CUBLAS_CHECK_THROW(x) CW_TCNN_CHECK((x) == CUBLAS_STATUS_SUCCESS)
namespace tcnn {
[[noreturn]] void cuwarp_fail();
static constexpr uint32_t MIN_GPU_ARCH = TCNN_MIN_GPU_ARCH;
static constexpr bool PARAMS_ALIGNED = true;
#if TCNN_HALF_PRECISION
typedef __half network_precision_t;
#else
typedef float network_precision_t;
#endif
enum class Activation { ReLU, LeakyReLU, SiLU, Exponential, Sine, Sigmoid, Squareplus, Softplus, Tanh, None };
enum class GridType { Hash, Dense, Tiled };
enum class HashType { Prime, CoherentPrime, ReversedPrime, Rng, BaseConvert };
enum class InterpolationType { Nearest, Linear, Smoothstep };
enum class ReductionType { Concatenation, Sum, Product };
enum class GradientMode { Ignore, Overwrite, Accumulate };
enum class MatrixLayout { RowMajor = 0, SoA = 0, ColumnMajor = 1, AoS = 1 };
static constexpr MatrixLayout RM = MatrixLayout::RowMajor, SoA = MatrixLayout::SoA, CM = MatrixLayout::ColumnMajor,
                              AoS = MatrixLayout::AoS;
constexpr uint32_t BATCH_SIZE_GRANULARITY = 256, N_THREADS_LINEAR = 128, WARP_SIZE = 32;
constexpr uint32_t batch_size_granularity = BATCH_SIZE_GRANULARITY, n_threads_linear = N_THREADS_LINEAR;
static constexpr float SQRT2 = 1.41421356237309504880f;
inline constexpr CW_TCNN float PI() { return 3.14159265358979323846f; }
template <typename T> constexpr CW_TCNN float default_loss_scale() { return sizeof(T) == 2 ? 128.0f : 1.0f; }
template <typename T> CW_TCNN void host_device_swap(T &a, T &b) {
    T c(a);
    a = b;
    b = c;
}
template <typename T> CW_TCNN T gcd(T a, T b) {
    for (; a != 0; host_device_swap(a, b))
        b %= a;
    return b;
}
template <typename T> CW_TCNN T lcm(T a, T b) { return gcd(a, b) ? a / gcd(a, b) * b : 0; }
template <typename T> CW_TCNN T div_round_up(T n, T by) { return (n + by - 1) / by; }
template <typename T> CW_TCNN T next_multiple(T n, T of) { return div_round_up(n, of) * of; }
template <typename T> CW_TCNN T previous_multiple(T n, T of) { return n / of * of; }
template <typename T> constexpr CW_TCNN bool is_pot(T n) { return (n & (n - 1)) == 0; }
inline bool is_pot(uint32_t n, uint32_t *log2) {
    *log2 = 0;
    for (; n > 1 && n % 2 == 0; n /= 2)
        ++*log2;
    return n == 1;
}
inline constexpr CW_TCNN uint32_t next_pot(uint32_t n) {
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}
inline uint32_t powi(uint32_t base, uint32_t exponent) {
    uint32_t result = 1;
    for (uint32_t i = 0; i < exponent; i++)
        result *= base;
    return result;
}
template <typename T> constexpr CW_TCNN uint32_t n_blocks_linear(T n, uint32_t threads = N_THREADS_LINEAR) {
    return (uint32_t)((n + (T)threads - 1) / (T)threads);
}

// ---- data of device code ----

template <typename T> struct PitchedPtr {
    T *ptr;
    size_t stride_in_bytes;
    CW_TCNN PitchedPtr() : ptr(nullptr), stride_in_bytes(sizeof(T)) {}
    CW_TCNN PitchedPtr(T *p, size_t stride, size_t offset = 0, size_t extra = 0)
        : ptr(p + offset), stride_in_bytes(stride * sizeof(T) + extra) {}
    template <typename U>
    CW_TCNN explicit PitchedPtr(PitchedPtr<U> p) : ptr((T *)p.ptr), stride_in_bytes(p.stride_in_bytes) {}
    CW_TCNN T *operator()(uint32_t y) const { return (T *)((const char *)ptr + y * stride_in_bytes); }
    CW_TCNN void operator+=(uint32_t y) { ptr = (*this)(y); }
    CW_TCNN void operator-=(uint32_t y) { ptr = (T *)((const char *)ptr - y * stride_in_bytes); }
    CW_TCNN explicit operator bool() const { return ptr; }
};
template <typename T, typename S = uint32_t> struct MatrixView {
    T *data;
    S stride_i, stride_j;
    CW_TCNN MatrixView() : data(nullptr), stride_i(0), stride_j(0) {}
    CW_TCNN MatrixView(T *d, S i, S j) : data(d), stride_i(i), stride_j(j) {}
    template <typename U>
    CW_TCNN MatrixView(const MatrixView<U, S> &v) : data(v.data), stride_i(v.stride_i), stride_j(v.stride_j) {}
    CW_TCNN T &operator()(std::make_signed_t<S> i, std::make_signed_t<S> j = 0) const {
        return data[i * (std::ptrdiff_t)stride_i + j * (std::ptrdiff_t)stride_j];
    }
    CW_TCNN T &operator()(std::make_unsigned_t<S> i, std::make_unsigned_t<S> j = 0) const {
        return data[i * (size_t)stride_i + j * (size_t)stride_j];
    }
    template <typename I, typename J> CW_TCNN void advance(I m, J n) { data = &(*this)((S)m, (S)n); }
    template <typename I> CW_TCNN void advance_rows(I m) { advance(m, 0u); }
    template <typename I> CW_TCNN void advance_cols(I n) { advance(0u, n); }
    template <uint32_t N> CW_TCNN tvec<std::remove_const_t<T>, N> row(S m) const {
        tvec<std::remove_const_t<T>, N> result;
        for (uint32_t i = 0; i < N; i++)
            result[i] = (*this)(m, i);
        return result;
    }
    template <uint32_t N> CW_TCNN tvec<std::remove_const_t<T>, N> col(S n) const {
        tvec<std::remove_const_t<T>, N> result;
        for (uint32_t i = 0; i < N; i++)
            result[i] = (*this)(i, n);
        return result;
    }
    template <typename U, uint32_t N, size_t A> CW_TCNN void set_row(S m, const tvec<U, N, A> &v) {
        for (uint32_t i = 0; i < N; i++)
            (*this)(m, i) = v[i];
    }
    template <typename U, uint32_t N, size_t A> CW_TCNN void set_col(S n, const tvec<U, N, A> &v) {
        for (uint32_t i = 0; i < N; i++)
            (*this)(i, n) = v[i];
    }
    CW_TCNN explicit operator bool() const { return data; }
};
template <typename T> struct Interval {
    T start, end;
    CW_TCNN bool operator<(const Interval &o) const { return end < o.end || (end == o.end && start < o.start); }
    CW_TCNN bool overlaps(const Interval &o) const { return !intersect(o).empty(); }
    CW_TCNN Interval intersect(const Interval &o) const { return {max(start, o.start), min(end, o.end)}; }
    CW_TCNN bool valid() const { return end >= start; }
    CW_TCNN bool empty() const { return end <= start; }
    CW_TCNN T size() const { return end - start; }
};
struct Ray {
    vec3 o, d;
    CW_TCNN vec3 operator()(float t) const { return o + t * d; }
    CW_TCNN void advance(float t) { o += d * t; }
    CW_TCNN float distance_to(const vec3 &p) const { return length((p - o) - d * (dot(p - o, d) / length2(d))); }
    CW_TCNN bool is_valid() const { return d != vec3(0.0f); }
    static CW_TCNN Ray invalid() { return {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}; }
};
template <typename T> struct PayloadAndIdx {
    T t;
    int64_t idx;
    CW_TCNN bool operator<(const PayloadAndIdx &o) { return t < o.t; }
};
struct pcg32 {
    uint64_t state = 0x853c49e6748fea9bULL, inc = 0xda3e39cb94b95bdbULL;
    CW_TCNN pcg32() {}
    CW_TCNN pcg32(uint64_t start, uint64_t sequence = 1) : state(start), inc(sequence * 2 | 1) { next_uint(); }
    CW_TCNN void seed(uint64_t start, uint64_t sequence = 1) { *this = pcg32(start, sequence); }
    CW_TCNN uint32_t next_uint() {
        uint64_t old = state;
        state = old * 0x5851f42d4c957f2dULL + inc;
        uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27), turn = (uint32_t)(old >> 59);
        return mixed >> turn | mixed << ((32 - turn) & 31);
    }
    CW_TCNN uint32_t next_uint(uint32_t bound) { return next_uint() % bound; }
    CW_TCNN float next_float() { return (float)(next_uint() >> 8) * 0x1p-24f; }
    CW_TCNN double next_double() { return next_uint() * 0x1p-32; }
    CW_TCNN void advance(int64_t by = 1ll << 32) { state = state * 0x5851f42d4c957f2dULL + inc * (uint64_t)by; }
    CW_TCNN bool operator==(const pcg32 &o) const { return state == o.state && inc == o.inc; }
    CW_TCNN bool operator!=(const pcg32 &o) const { return !(*this == o); }
};
typedef pcg32 default_rng_t;
inline __device__ float random_val(uint32_t seed, uint32_t i) {
    pcg32 rng((uint64_t)seed << 32 | i);
    return rng.next_float();
}
inline CW_TCNN float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }
inline CW_TCNN float logit(float x) { return -logf(1.0f / (fminf(fmaxf(x, 1e-9f), 1.0f - 1e-9f)) - 1.0f); }
inline CW_TCNN uint32_t cuwarp_spread(uint32_t x) {
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}
inline CW_TCNN uint32_t expand_bits(uint32_t x) { return cuwarp_spread(x); }
inline CW_TCNN uint32_t morton3D(uint32_t x, uint32_t y, uint32_t z) {
    return cuwarp_spread(x) | cuwarp_spread(y) << 1 | cuwarp_spread(z) << 2;
}
inline CW_TCNN uint32_t morton3D_invert(uint32_t x) {
    x &= 0x49249249u;
    x = (x | x >> 2) & 0xc30c30c3u;
    x = (x | x >> 4) & 0x0f00f00fu;
    x = (x | x >> 8) & 0xff0000ffu;
    return (x | x >> 16) & 0x0000ffffu;
}
inline CW_TCNN uint64_t morton3D_64bit(const ivec3 &p) {
    return morton3D((uint32_t)p.x, (uint32_t)p.y, (uint32_t)p.z);
}
inline __device__ float smoothstep(float x) { return x * x * (3.0f - 2.0f * x); }
inline __device__ float smoothstep_derivative(float x) { return 6 * x * (1.0f - x); }
inline __device__ float smoothstep_2nd_derivative(float x) { return 6.0f - 12.0f * x; }
inline __device__ float identity_fun(float x) { return x; }
inline __device__ float identity_derivative(float) { return 1.0f; }
inline __device__ float identity_2nd_derivative(float) { return 0.0f; }
template <typename F>
__device__ void pos_fract(float input, float *pos, uint32_t *cell, float scale, F interpolation) {
    float at = fmaf(scale, input, 0.5f), whole = floorf(at);
    *cell = (uint32_t)(int)whole;
    *pos = interpolation(at - whole);
}
template <typename F, typename G>
__device__ void pos_fract(float input, float *pos, float *slope, uint32_t *cell, float scale, F interpolation,
                          G derivative) {
    float at = fmaf(scale, input, 0.5f), whole = floorf(at);
    *cell = (uint32_t)(int)whole;
    *slope = derivative(at - whole);
    *pos = interpolation(at - whole);
}
template <typename V> struct VectorFragment {
    static const uint32_t num_elements = V::size();
    V x;
};
template <typename T, uint32_t N, size_t A = sizeof(T)> using vector_fragment_t = VectorFragment<tvec<T, N, A>>;
template <typename T> __host__ __device__ T relu(T x) { return x > (T)0.0f ? x : (T)0.0f; }
template <typename T, typename F> CW_TCNN void warp_activation(Activation activation, const F &in, F &out) {
    for (int i = 0; i < (int)F::num_elements; i++)
        out.x[i] = activation == Activation::None ? in.x[i] : (T)logistic((float)in.x[i]);
}
template <typename T, typename F> CW_TCNN F warp_activation(Activation activation, const F &in) {
    F out;
    warp_activation<T>(activation, in, out);
    return out;
}
template <typename T, typename F, typename G>
CW_TCNN void warp_activation_backward(Activation activation, const F &in, const G &forward, F &out) {
    for (int i = 0; i < (int)F::num_elements; i++)
        out.x[i] = activation == Activation::None ? in.x[i] : in.x[i] * (T)logistic((float)forward.x[i]);
}

// ---- host ----

enum class LogSeverity { Info, Debug, Warning, Error, Success };
template <typename... A> void log(LogSeverity, const std::string &, A &&...);
template <typename... A> void log_info(const std::string &, A &&...);
template <typename... A> void log_debug(const std::string &, A &&...);
template <typename... A> void log_warning(const std::string &, A &&...);
template <typename... A> void log_error(const std::string &, A &&...);
template <typename... A> void log_success(const std::string &, A &&...);
const std::function<void(LogSeverity, const std::string &)> &log_callback();
void set_log_callback(const std::function<void(LogSeverity, const std::string &)> &);
bool verbose();
void set_verbose(bool);
Activation string_to_activation(const std::string &);
GridType string_to_grid_type(const std::string &);
HashType string_to_hash_type(const std::string &);
InterpolationType string_to_interpolation_type(const std::string &);
ReductionType string_to_reduction_type(const std::string &);
template <typename E> std::string to_string(E);
int cuda_runtime_version();
int cuda_device();
void set_cuda_device(int);
int cuda_device_count();
bool cuda_supports_virtual_memory(int device = 0);
std::string cuda_device_name(int device = 0);
uint32_t cuda_compute_capability(int device = 0);
uint32_t cuda_max_supported_compute_capability();
uint32_t cuda_supported_compute_capability(int device = 0);
size_t cuda_max_shmem(int device = 0);
uint32_t cuda_max_registers(int device = 0);
size_t cuda_memory_granularity(int device = 0);
struct MemoryInfo { size_t total, free, used; };
MemoryInfo cuda_memory_info();
std::string get_env(const std::string &);
template <typename T> std::string join(const T &, const std::string &);
std::vector<std::string> split(const std::string &, const std::string &);
template <typename... A> std::string dfmt(uint32_t, const std::string &, A &&...);
std::string to_lower(std::string);
std::string to_upper(std::string);
std::string to_snake_case(const std::string &);
std::string bytes_to_string(size_t);
template <typename T> std::string type_to_string();
bool equals_case_insensitive(const std::string &, const std::string &);
struct CaseInsensitiveHash { size_t operator()(const std::string &) const; };
struct CaseInsensitiveEqual { bool operator()(const std::string &, const std::string &) const; };
template <typename T> using ci_hashmap = std::unordered_map<std::string, T, CaseInsensitiveHash, CaseInsensitiveEqual>;
struct ScopeGuard {
    ScopeGuard() = default;
    template <typename F> ScopeGuard(F &&);
    ScopeGuard &operator=(ScopeGuard &&);
    void disarm();
};
template <typename T> struct Lazy {
    T value;
    template <typename F> T &get(F &&);
};

// ---- launches ----

template <typename K, typename T, typename... A>
void linear_kernel(K kernel, uint32_t bytes, cudaStream_t stream, T n, A... args) {
    if (n <= 0)
        return;
    kernel<<<n_blocks_linear(n), N_THREADS_LINEAR, bytes, stream>>>(n, args...);
}
template <typename F> __global__ void parallel_for_kernel(const size_t n, F f) {
    const size_t i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        f(i);
}
template <typename F> __global__ void parallel_for_aos_kernel(const size_t n, const uint32_t dims, F f) {
    const size_t dim = threadIdx.x, i = threadIdx.y + blockIdx.x * blockDim.y;
    if (dim < dims && i < n)
        f(i, dim);
}
template <typename F> __global__ void parallel_for_soa_kernel(const size_t n, const uint32_t dims, F f) {
    const size_t i = threadIdx.x + blockIdx.x * blockDim.x, dim = blockIdx.y;
    if (dim < dims && i < n)
        f(i, dim);
}
template <typename F> void parallel_for_gpu(uint32_t bytes, cudaStream_t stream, size_t n, F &&f) {
    if (n <= 0)
        return;
    parallel_for_kernel<std::decay_t<F>><<<n_blocks_linear(n), N_THREADS_LINEAR, bytes, stream>>>(n, f);
}
template <typename F> void parallel_for_gpu_aos(uint32_t bytes, cudaStream_t stream, size_t n, uint32_t dims, F &&f) {
    if (n <= 0 || dims <= 0)
        return;
    const dim3 threads(dims, div_round_up(N_THREADS_LINEAR, dims), 1);
    const size_t all = threads.x * threads.y;
    const dim3 blocks((uint32_t)div_round_up(n * dims, all), 1, 1);
    parallel_for_aos_kernel<std::decay_t<F>><<<blocks, threads, bytes, stream>>>(n, dims, f);
}
template <typename F> void parallel_for_gpu_soa(uint32_t bytes, cudaStream_t stream, size_t n, uint32_t dims, F &&f) {
    if (n <= 0 || dims <= 0)
        return;
    const dim3 blocks(n_blocks_linear(n), dims, 1);
    parallel_for_soa_kernel<std::decay_t<F>><<<blocks, N_THREADS_LINEAR, bytes, stream>>>(n, dims, f);
}
template <typename F> void parallel_for_gpu(cudaStream_t stream, size_t n, F &&f) { parallel_for_gpu(0, stream, n, f); }
template <typename F> void parallel_for_gpu(size_t n, F &&f) { parallel_for_gpu(0, nullptr, n, f); }
template <typename F> void parallel_for_gpu_aos(cudaStream_t stream, size_t n, uint32_t dims, F &&f) {
    parallel_for_gpu_aos(0, stream, n, dims, f);
}
template <typename F> void parallel_for_gpu_aos(size_t n, uint32_t dims, F &&f) {
    parallel_for_gpu_aos(0, nullptr, n, dims, f);
}
template <typename F> void parallel_for_gpu_soa(cudaStream_t stream, size_t n, uint32_t dims, F &&f) {
    parallel_for_gpu_soa(0, stream, n, dims, f);
}
template <typename F> void parallel_for_gpu_soa(size_t n, uint32_t dims, F &&f) {
    parallel_for_gpu_soa(0, nullptr, n, dims, f);
}
} // namespace tcnn
using tcnn::pcg32;
