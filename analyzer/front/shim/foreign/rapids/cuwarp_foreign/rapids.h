// RMM and RAFT: streams, buffers and views as kernels and their launches see them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
namespace rmm {
struct cuda_stream_view {
    cudaStream_t stream_;
    constexpr cuda_stream_view() : stream_(nullptr) {}
    constexpr cuda_stream_view(cudaStream_t s) : stream_(s) {}
    constexpr cudaStream_t value() const { return stream_; }
    constexpr operator cudaStream_t() const { return stream_; }
    void synchronize() const;
    bool is_default() const;
};
static constexpr cuda_stream_view cuda_stream_default{};
static constexpr cuda_stream_view cuda_stream_legacy{}, cuda_stream_per_thread{};
struct cuda_stream {
    cuda_stream();
    cudaStream_t value() const;
    operator cuda_stream_view() const;
    cuda_stream_view view() const;
    void synchronize() const;
};
namespace mr {
struct device_memory_resource {
    void *allocate(size_t n, cuda_stream_view s = {});
    void deallocate(void *p, size_t n, cuda_stream_view s = {});
};
device_memory_resource *get_current_device_resource();
} // namespace mr
struct device_async_resource_ref {
    template <typename... T> device_async_resource_ref(T &&...);
};
device_async_resource_ref get_current_device_resource_ref();
template <typename T> struct device_uvector {
    typedef T value_type;
    typedef T *iterator;
    T *data_;
    size_t size_;
    template <typename... A> device_uvector(size_t n, cuda_stream_view s, A &&...);
    T *data() noexcept { return data_; }
    const T *data() const noexcept { return data_; }
    size_t size() const noexcept { return size_; }
    bool is_empty() const noexcept { return size_ == 0; }
    T *begin() noexcept { return data_; }
    T *end() noexcept { return data_ + size_; }
    const T *begin() const noexcept { return data_; }
    const T *end() const noexcept { return data_ + size_; }
    const T *cbegin() const noexcept { return data_; }
    const T *cend() const noexcept { return data_ + size_; }
    T *element_ptr(size_t i) noexcept { return data_ + i; }
    T element(size_t i, cuda_stream_view s) const;
    T front_element(cuda_stream_view s) const;
    T back_element(cuda_stream_view s) const;
    void set_element_async(size_t i, const T &v, cuda_stream_view s);
    void resize(size_t n, cuda_stream_view s);
    void reserve(size_t n, cuda_stream_view s);
    cuda_stream_view stream() const;
};
template <typename T> struct device_vector : device_uvector<T> { using device_uvector<T>::device_uvector; };
template <typename T> struct device_scalar {
    T *data_;
    template <typename... A> device_scalar(A &&...);
    T *data() noexcept { return data_; }
    const T *data() const noexcept { return data_; }
    T value(cuda_stream_view s) const;
    template <typename... A> void set_value_async(A &&...);
};
struct device_buffer {
    void *data_;
    size_t size_;
    template <typename... A> device_buffer(A &&...);
    void *data() noexcept { return data_; }
    const void *data() const noexcept { return data_; }
    size_t size() const noexcept { return size_; }
    void resize(size_t n, cuda_stream_view s);
};
struct exec_policy {
    template <typename... A> exec_policy(A &&...);
};
struct exec_policy_nosync {
    template <typename... A> exec_policy_nosync(A &&...);
};
} // namespace rmm
#define RMM_CUDA_TRY(...) ((void)(__VA_ARGS__))
#define RMM_EXPECTS(condition, ...)                                                                                    \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ::raft::cuwarp_failed();                                                                                   \
    } while (0)
#define RAFT_CUDA_TRY(...) ((void)(__VA_ARGS__))
#define RAFT_CUDA_TRY_NO_THROW(...) ((void)(__VA_ARGS__))
#define RAFT_CUBLAS_TRY(...) ((void)(__VA_ARGS__))
#define RAFT_CHECK_CUDA(stream) ((void)(stream))
#define RAFT_EXPECTS(condition, ...)                                                                                   \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ::raft::cuwarp_failed();                                                                                   \
    } while (0)
#define RAFT_FAIL(...) ::raft::cuwarp_failed()
#define RAFT_LOG_DEBUG(...) ((void)0)
#define RAFT_LOG_INFO(...) ((void)0)
#define RAFT_LOG_WARN(...) ((void)0)
#define RAFT_LOG_ERROR(...) ((void)0)
#define ASSERT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ::raft::cuwarp_failed();                                                                                   \
    } while (0)
#define THROW(...) ::raft::cuwarp_failed()
#define HD __host__ __device__
#define DI __device__ __forceinline__
#define HDI __host__ __device__ __forceinline__
#define RAFT_KERNEL __global__ void
#define _RAFT_HOST_DEVICE __host__ __device__
#define RAFT_INLINE_FUNCTION __host__ __device__ __forceinline__
namespace raft {
[[noreturn]] void cuwarp_failed();
static constexpr int WarpSize = 32;
struct exception {
    const char *what() const;
};
struct logic_error : exception {
    logic_error(const std::string &);
};
template <typename T> HDI constexpr T ceildiv(T a, T b) { return (a + b - 1) / b; }
template <typename T> HDI constexpr T alignTo(T a, T v) { return ceildiv(a, v) * v; }
template <typename T> HDI constexpr T alignDown(T a, T v) { return a / v * v; }
template <typename T> HDI constexpr bool isPo2(T n) { return n && !(n & (n - 1)); }
template <typename T> HDI constexpr T log2(T n, T p = T(0)) { return n <= 1 ? p : log2(n / 2, p + 1); }
template <typename T> DI T shfl(T v, int lane, int width = 32, uint32_t mask = 0xffffffffu) {
    return __shfl_sync(mask, v, lane, width);
}
template <typename T> DI T shfl_xor(T v, int m, int width = 32, uint32_t mask = 0xffffffffu) {
    return __shfl_xor_sync(mask, v, m, width);
}
template <typename T> DI T shfl_down(T v, int d, int width = 32, uint32_t mask = 0xffffffffu) {
    return __shfl_down_sync(mask, v, d, width);
}
template <typename T> DI T shfl_up(T v, int d, int width = 32, uint32_t mask = 0xffffffffu) {
    return __shfl_up_sync(mask, v, d, width);
}
DI bool any(bool p, uint32_t mask = 0xffffffffu) { return __any_sync(mask, p); }
DI bool all(bool p, uint32_t mask = 0xffffffffu) { return __all_sync(mask, p); }
DI uint32_t ballot(bool p, uint32_t mask = 0xffffffffu) { return __ballot_sync(mask, p); }
DI int laneId() { return (int)(threadIdx.x % 32); }
template <typename T> DI T warpReduce(T v) {
    for (int i = 16; i > 0; i >>= 1)
        v += shfl_xor(v, i);
    return v;
}
struct row_major {};
struct col_major {};
struct layout_c_contiguous {};
struct layout_f_contiguous {};
template <typename I, size_t... e> struct extents {
    I e_[sizeof...(e) ? sizeof...(e) : 1];
    template <typename... A> HD constexpr extents(A...);
};
template <typename I> using matrix_extent = extents<I, (size_t)-1, (size_t)-1>;
template <typename I> using vector_extent = extents<I, (size_t)-1>;
constexpr size_t dynamic_extent = (size_t)-1;
template <typename T, typename I, int rank> struct cuwarp_view {
    typedef T value_type;
    typedef T element_type;
    typedef I index_type;
    T *data_;
    I extents_[rank];
    HD constexpr cuwarp_view() : data_(nullptr) {}
    template <typename... A> HD constexpr cuwarp_view(T *p, A... a) : data_(p), extents_{(I)a...} {}
    template <typename U>
    HD constexpr cuwarp_view(const cuwarp_view<U, I, rank> &v) : data_(v.data_), extents_{v.extents_[0]} {}
    HD constexpr T *data_handle() const { return data_; }
    HD constexpr I extent(size_t i) const { return extents_[i]; }
    HD constexpr size_t size() const {
        return rank == 1 ? (size_t)extents_[0] : (size_t)extents_[0] * (size_t)extents_[rank - 1];
    }
    HD constexpr T &operator()(I i) const { return data_[i]; }
    HD constexpr T &operator()(I i, I k) const { return data_[i * extents_[rank - 1] + k]; }
    HD constexpr T &operator[](I i) const { return data_[i]; }
};
template <typename T, typename I = uint32_t, typename L = row_major> using device_vector_view = cuwarp_view<T, I, 1>;
template <typename T, typename I = uint32_t, typename L = row_major> using device_matrix_view = cuwarp_view<T, I, 2>;
template <typename T, typename I = uint32_t, typename L = row_major> using host_vector_view = cuwarp_view<T, I, 1>;
template <typename T, typename I = uint32_t, typename L = row_major> using host_matrix_view = cuwarp_view<T, I, 2>;
template <typename T, typename I = uint32_t> using device_scalar_view = cuwarp_view<T, I, 1>;
template <typename T, typename I, int rank> struct cuwarp_array {
    T *data_;
    I extents_[rank];
    cuwarp_view<T, I, rank> view();
    cuwarp_view<const T, I, rank> view() const;
    T *data_handle() { return data_; }
    const T *data_handle() const { return data_; }
    I extent(size_t i) const { return extents_[i]; }
    size_t size() const;
};
template <typename T, typename I = uint32_t, typename L = row_major> using device_vector = cuwarp_array<T, I, 1>;
template <typename T, typename I = uint32_t, typename L = row_major> using device_matrix = cuwarp_array<T, I, 2>;
template <typename T, typename I = uint32_t, typename L = row_major> using host_vector = cuwarp_array<T, I, 1>;
template <typename T, typename I = uint32_t, typename L = row_major> using host_matrix = cuwarp_array<T, I, 2>;
struct resources {};
typedef resources device_resources;
typedef resources handle_t;
template <typename T, typename I = uint32_t, typename... A>
device_vector<T, I> make_device_vector(const resources &, I n);
template <typename T, typename I = uint32_t, typename... A>
device_matrix<T, I> make_device_matrix(const resources &, I n, I m);
template <typename T, typename I = uint32_t, typename... A> device_vector_view<T, I> make_device_vector_view(T *p, I n);
template <typename T, typename I = uint32_t, typename... A>
device_matrix_view<T, I> make_device_matrix_view(T *p, I n, I m);
template <typename T, typename I = uint32_t, typename... A> host_vector<T, I> make_host_vector(I n);
template <typename T, typename I = uint32_t, typename... A> host_matrix<T, I> make_host_matrix(I n, I m);
namespace resource {
rmm::cuda_stream_view get_cuda_stream(const resources &);
void sync_stream(const resources &);
rmm::mr::device_memory_resource *get_workspace_resource(const resources &);
} // namespace resource
template <typename... A> void copy(A &&...);
template <typename... A> void update_host(A &&...);
template <typename... A> void update_device(A &&...);
namespace common {
namespace nvtx {
template <typename D = void> struct range { template <typename... A> range(A &&...); };
} // namespace nvtx
} // namespace common
struct identity_op {
    template <typename T, typename... A> HD constexpr T operator()(T v, A...) const { return v; }
};
struct sq_op {
    template <typename T, typename... A> HD constexpr T operator()(T v, A...) const { return v * v; }
};
struct add_op {
    template <typename T> HD constexpr T operator()(T a, T b) const { return a + b; }
};
struct min_op {
    template <typename T> HD constexpr T operator()(T a, T b) const { return b < a ? b : a; }
};
struct max_op {
    template <typename T> HD constexpr T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename K, typename V> struct KeyValuePair {
    K key;
    V value;
    KeyValuePair() = default;
    HD KeyValuePair(K k, V v) : key(k), value(v) {}
};
} // namespace raft
