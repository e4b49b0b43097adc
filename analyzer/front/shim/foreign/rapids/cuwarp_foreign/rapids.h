// RMM and RAFT: streams, buffers and views as kernels and their launches see them.
#pragma once
#include <cstddef>
#include <array>
#include <atomic>
#include <cstdint>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
namespace cuda {
namespace std {
template <typename T> struct default_accessor {};
struct full_extent_t {};
constexpr full_extent_t full_extent{};
template <typename V, typename... S> V submdspan(const V &v, S...);
} // namespace std
} // namespace cuda
namespace rmm {
std::pair<size_t, size_t> available_device_memory();
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
typedef device_async_resource_ref host_async_resource_ref, host_device_async_resource_ref;
device_async_resource_ref get_current_device_resource_ref();
namespace mr {
using rmm::get_current_device_resource_ref;
struct managed_memory_resource : device_memory_resource {};
template <typename U = device_memory_resource> struct pool_memory_resource : device_memory_resource {
    template <typename... A> pool_memory_resource(A &&...);
};
template <typename U = device_memory_resource> struct failure_callback_resource_adaptor : device_memory_resource {
    template <typename... A> failure_callback_resource_adaptor(A &&...);
};
} // namespace mr
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
template <typename T> struct device_vector : device_uvector<T> {
    using device_uvector<T>::device_uvector;
    template <typename... A> device_vector(A &&...);
    T operator[](size_t i) const;
};
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
#define RAFT_EXPLICIT
#define _RAFT_HOST_DEVICE __host__ __device__
#define RAFT_INLINE_FUNCTION __host__ __device__ __forceinline__
#define RAFT_DEVICE_INLINE_FUNCTION __device__ __forceinline__
#define RAFT_LOG_TRACE(...) ((void)0)
namespace raft {
[[noreturn]] void cuwarp_failed();
static constexpr int WarpSize = 32;
struct exception {
    exception();
    exception(const std::string &);
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
DI int warp_size() { return 32; }
DI void warpFence() { __syncwarp(); }
template <int n, typename I = int> struct Pow2 {
    typedef I Type;
    static constexpr I Value = n, Log2 = log2(n), Mask = n - 1;
    template <typename T> HDI static constexpr T roundDown(T x) { return x & ~T(Mask); }
    template <typename T> HDI static constexpr T roundUp(T x) { return (x + T(Mask)) & ~T(Mask); }
    template <typename T> HDI static constexpr T div(T x) { return x >> Log2; }
    template <typename T> HDI static constexpr T mod(T x) { return x & T(Mask); }
    template <typename T> HDI static constexpr T quot(T x) { return x / T(n); }
    template <typename T> HDI static constexpr T rem(T x) { return x % T(n); }
    template <typename T> HDI static constexpr bool is(T x) { return (x & T(Mask)) == 0; }
    template <typename T> HDI static constexpr bool areSameAlignOffsets(T a, T b) { return mod(a) == mod(b); }
};
#define CUWARP_RAFT_MATH(name)                                                                                         \
    template <typename T> HDI T name(T x) { return ::name(x); }
CUWARP_RAFT_MATH(sqrt) CUWARP_RAFT_MATH(sin) CUWARP_RAFT_MATH(cos) CUWARP_RAFT_MATH(asin) CUWARP_RAFT_MATH(acos)
CUWARP_RAFT_MATH(tanh) CUWARP_RAFT_MATH(atanh) CUWARP_RAFT_MATH(exp) CUWARP_RAFT_MATH(log) CUWARP_RAFT_MATH(rsqrt)
template <typename T> HDI T abs(T x) { return x < T(0) ? -x : x; }
template <typename T> HDI T sgn(T x) { return T((T(0) < x) - (x < T(0))); }
template <typename T, typename U> HDI T pow(T x, U y) { return ::pow(x, y); }
template <typename T> HDI T min(T a, T b) { return b < a ? b : a; }
template <typename T> HDI T max(T a, T b) { return a < b ? b : a; }
template <typename T> HDI float to_float(T x) { return (float)x; }
template <typename T, typename U> HDI constexpr T div_rounding_up_unsafe(T a, U b) { return (a + b - 1) / b; }
template <typename T, typename U> HDI constexpr T div_rounding_up_safe(T a, U b) { return a / b + (a % b != 0); }
template <typename T, typename U> HDI constexpr T round_up_safe(T a, U b) { return div_rounding_up_safe(a, b) * b; }
template <typename T> constexpr T bound_by_power_of_two(T x) {
    T bound = 1;
    while (bound < x && bound <= std::numeric_limits<T>::max() / 2)
        bound *= 2;
    return bound;
}
template <typename T> constexpr bool is_a_power_of_two(T x) { return x > 0 && (x & (x - 1)) == 0; }
template <typename T> constexpr T upper_bound() { return std::numeric_limits<T>::max(); }
template <typename T> constexpr T lower_bound() { return std::numeric_limits<T>::lowest(); }
DI int laneId() { return (int)(threadIdx.x % 32); }
template <typename T> DI T warpReduce(T v) {
    for (int i = 16; i > 0; i >>= 1)
        v += shfl_xor(v, i);
    return v;
}
struct row_major {};
struct col_major {};
struct layout_stride {};
typedef row_major layout_c_contiguous, layout_right;
typedef col_major layout_f_contiguous, layout_left;
template <typename T, size_t = 0> struct layout_right_padded {};
template <typename T, size_t = 0> struct layout_left_padded {};
template <typename I, size_t... e> struct extents {
    typedef I index_type;
    typedef I size_type;
    static constexpr int cuwarp_rank = sizeof...(e);
    I e_[sizeof...(e) ? sizeof...(e) : 1];
    constexpr extents() = default;
    template <typename A, typename... B> HD constexpr extents(A a, B... b) : e_{(I)a, (I)b...} {}
    HD constexpr I extent(size_t i) const { return e_[i]; }
    HD static constexpr size_t rank() { return sizeof...(e); }
};
template <typename I> using matrix_extent = extents<I, (size_t)-1, (size_t)-1>;
template <typename I> using vector_extent = extents<I, (size_t)-1>;
template <typename I> using extent_1d = vector_extent<I>;
template <typename I> using extent_2d = matrix_extent<I>;
template <typename I> using extent_3d = extents<I, (size_t)-1, (size_t)-1, (size_t)-1>;
template <typename I> using scalar_extent = extents<I, 1>;
constexpr size_t dynamic_extent = (size_t)-1;
enum class memory_type { host, pinned, device, managed };
constexpr bool is_device_accessible(memory_type t) { return t != memory_type::host; }
constexpr bool is_host_accessible(memory_type t) { return t != memory_type::device; }
template <typename A = void, memory_type m = memory_type::device> struct host_device_accessor : std::false_type {};
template <typename A> struct host_device_accessor<A, memory_type::host> : std::true_type {};
template <typename A = void> using device_accessor = host_device_accessor<A>;
template <typename A = void> using host_accessor = host_device_accessor<A, memory_type::host>;
// The layout and the place are part of the type only: functions are overloaded for them.
template <typename T, typename I, int rank, typename L = row_major, bool is_host = false> struct cuwarp_view {
    typedef T value_type;
    typedef T element_type;
    typedef I index_type;
    T *data_;
    I extents_[rank];
    HD constexpr cuwarp_view() : data_(nullptr) {}
    template <typename... A> HD constexpr cuwarp_view(T *p, A... a) : data_(p), extents_{(I)a...} {}
    template <typename U>
    HD constexpr cuwarp_view(const cuwarp_view<U, I, rank, L, is_host> &v) : data_(v.data_) {
        for (int i = 0; i < rank; i++)
            extents_[i] = v.extents_[i];
    }
    HD constexpr T *data_handle() const { return data_; }
    HD constexpr I extent(size_t i) const { return extents_[i]; }
    HD constexpr size_t size() const {
        return rank == 1 ? (size_t)extents_[0] : (size_t)extents_[0] * (size_t)extents_[rank - 1];
    }
    HD constexpr T &operator()(I i) const { return data_[i]; }
    HD constexpr T &operator()(I i, I k) const { return data_[i * extents_[rank - 1] + k]; }
    HD constexpr T &operator[](I i) const { return data_[i]; }
    template <typename... K> HD constexpr T &operator()(I i, I k, I l, K...) const;
    typedef extents<I, (size_t)-1> cuwarp_vector;
    typedef std::conditional_t<rank == 1, cuwarp_vector, matrix_extent<I>> extents_type;
    typedef L layout_type;
    typedef host_device_accessor<void, is_host ? memory_type::host : memory_type::device> accessor_type;
    typedef T *data_handle_type;
    typedef T &reference;
    typedef I size_type;
    HD constexpr extents_type extents() const { return extents_type(extents_[0], extents_[rank - 1]); }
    HD constexpr I stride(size_t i) const { return i + 1 == rank ? I(1) : extents_[rank - 1]; }
    HD constexpr bool is_exhaustive() const { return true; }
    HD constexpr bool empty() const { return size() == 0; }
};
template <typename T, typename E, typename L = row_major, typename A = host_device_accessor<>>
using mdspan = cuwarp_view<T, typename E::index_type, E::cuwarp_rank, L, A::value>;
template <typename T, typename E, typename L = row_major, typename A = void>
using device_mdspan = cuwarp_view<T, typename E::index_type, E::cuwarp_rank, L, false>;
template <typename T, typename E, typename L = row_major, typename A = void>
using host_mdspan = cuwarp_view<T, typename E::index_type, E::cuwarp_rank, L, true>;
template <typename T, typename I = uint32_t, typename L = row_major>
using device_vector_view = cuwarp_view<T, I, 1, L, false>;
template <typename T, typename I = uint32_t, typename L = row_major>
using device_matrix_view = cuwarp_view<T, I, 2, L, false>;
template <typename T, typename I = uint32_t, typename L = row_major>
using host_vector_view = cuwarp_view<T, I, 1, L, true>;
template <typename T, typename I = uint32_t, typename L = row_major>
using host_matrix_view = cuwarp_view<T, I, 2, L, true>;
template <typename T, typename I = uint32_t> using device_scalar_view = cuwarp_view<T, I, 1>;
template <typename T, typename I = uint32_t> using host_scalar_view = cuwarp_view<T, I, 1, row_major, true>;
template <typename T, typename R = int, typename C = int, typename N = uint64_t> struct device_csr_matrix_view {
    T *elements_;
    R *rows_;
    C *columns_;
    N nnz_;
    struct structure_type {
        R *rows_;
        C *columns_;
        N nnz_;
        R n_rows_;
        C n_cols_;
        R *get_indptr() const { return rows_; }
        C *get_indices() const { return columns_; }
        N get_nnz() const { return nnz_; }
        R get_n_rows() const { return n_rows_; }
        C get_n_cols() const { return n_cols_; }
    } structure_;
    structure_type structure_view() const { return structure_; }
    cuwarp_view<T, N, 1> get_elements() const;
};
template <typename T, typename R = int, typename C = int, typename N = uint64_t>
using device_coo_matrix_view = device_csr_matrix_view<T, R, C, N>;
struct resources;
template <typename T, typename I, int rank, typename L = row_major, bool is_host = false> struct cuwarp_array {
    T *data_;
    I extents_[rank];
    cuwarp_view<T, I, rank, L, is_host> view();
    cuwarp_view<const T, I, rank, L, is_host> view() const;
    T *data_handle() { return data_; }
    const T *data_handle() const { return data_; }
    I extent(size_t i) const { return extents_[i]; }
    size_t size() const;
    typedef T value_type;
    typedef T element_type;
    typedef I index_type;
    typedef L layout_type;
    typedef cuwarp_view<T, I, rank, L, is_host> view_type;
    typedef cuwarp_view<const T, I, rank, L, is_host> const_view_type;
    typedef typename view_type::extents_type extents_type;
    typedef int mapping_type, container_policy_type;
    cuwarp_array();
    template <typename... A> explicit cuwarp_array(const resources &, A &&...);
    extents_type extents() const;
    template <typename... K> T &operator()(K...);
    template <typename... K> const T &operator()(K...) const;
    operator view_type() { return view(); }
};
template <typename T, typename E, typename L = row_major, typename A = void>
using mdarray = cuwarp_array<T, typename E::index_type, E::cuwarp_rank, L, false>;
template <typename T, typename E, typename L = row_major, typename A = void>
using device_mdarray = cuwarp_array<T, typename E::index_type, E::cuwarp_rank, L, false>;
template <typename T, typename E, typename L = row_major, typename A = void>
using host_mdarray = cuwarp_array<T, typename E::index_type, E::cuwarp_rank, L, true>;
template <typename T, typename I = uint32_t> using device_scalar = cuwarp_array<T, I, 1, row_major, false>;
template <typename T, typename I = uint32_t> using host_scalar = cuwarp_array<T, I, 1, row_major, true>;
template <typename T, typename I = uint32_t, typename L = row_major>
using pinned_matrix = cuwarp_array<T, I, 2, L, true>;
template <typename T, typename I = uint32_t, typename L = row_major>
using pinned_vector = cuwarp_array<T, I, 1, L, true>;
template <typename T, typename I = uint32_t, typename L = row_major>
using device_matrix_strided_view = cuwarp_view<T, I, 2, layout_stride, false>;
template <typename T, typename I = uint32_t, typename L = row_major>
using device_aligned_matrix_view = cuwarp_view<T, I, 2, L, false>;
template <typename T, typename I = uint32_t, typename L = row_major>
using device_vector = cuwarp_array<T, I, 1, L, false>;
template <typename T, typename I = uint32_t, typename L = row_major>
using device_matrix = cuwarp_array<T, I, 2, L, false>;
template <typename T, typename I = uint32_t, typename L = row_major> using host_vector = cuwarp_array<T, I, 1, L, true>;
template <typename T, typename I = uint32_t, typename L = row_major> using host_matrix = cuwarp_array<T, I, 2, L, true>;
namespace resource {
enum resource_type { CUSTOM, CUDA_STREAM_VIEW, CUDA_STREAM_POOL, CUBLAS_HANDLE, NCCL_CLIQUE, COMMUNICATOR, LAST_KEY };
struct resource {
    virtual void *get_resource() = 0;
};
struct resource_factory {
    virtual resource_type get_resource_type() = 0;
    virtual resource *make_resource() = 0;
};
} // namespace resource
struct resources {
    bool has_resource_factory(resource::resource_type) const;
    template <typename T> void add_resource_factory(T) const;
    template <typename T> T *get_resource(resource::resource_type) const;
};
typedef resources device_resources;
typedef resources handle_t;
template <typename T, typename I = uint32_t, typename L = row_major>
device_vector<T, I, L> make_device_vector(const resources &, I n);
template <typename T, typename I = uint32_t, typename L = row_major>
device_matrix<T, I, L> make_device_matrix(const resources &, I n, I m);
template <typename T, typename I = uint32_t, typename L = row_major>
device_vector_view<T, I, L> make_device_vector_view(T *p, I n);
template <typename T, typename I = uint32_t, typename L = row_major>
device_matrix_view<T, I, L> make_device_matrix_view(T *p, I n, I m);
template <typename T, typename I = uint32_t, typename L = row_major>
host_vector<T, I, L> make_host_vector(I n);
template <typename T, typename I = uint32_t, typename L = row_major>
host_vector<T, I, L> make_host_vector(const resources &, I n);
template <typename T, typename I = uint32_t, typename L = row_major>
host_vector_view<T, I, L> make_host_vector_view(T *p, I n);
template <typename T, typename I = uint32_t, typename L = row_major>
host_matrix_view<T, I, L> make_host_matrix_view(T *p, I n, I m);
template <typename T, typename I = uint32_t, typename L = row_major, typename... A>
device_matrix<T, I, L> make_device_mdarray(const resources &, A &&...);
template <typename T, typename I = uint32_t, typename L = row_major, typename... A>
host_matrix<T, I, L> make_host_mdarray(A &&...);
template <typename T, typename I = uint32_t, typename L = row_major>
device_matrix_strided_view<T, I> make_device_strided_matrix_view(T *p, I n, I m, I stride);
template <typename T, typename I = uint32_t, typename L = row_major>
pinned_matrix<T, I, L> make_pinned_matrix(const resources &, I n, I m);
template <typename T, typename I = uint32_t, typename L = row_major>
pinned_vector<T, I, L> make_pinned_vector(const resources &, I n);
template <typename... A> int make_strided_layout(A &&...);
template <typename T, typename I = uint32_t, typename L = row_major, bool host = false, bool device = true, size_t... e>
cuwarp_view<T, I, sizeof...(e), L, host> make_mdspan(T *p, extents<I, e...> x);
template <typename... A> void copy_matrix(A &&...);
template <typename... A> void copy_async(A &&...);
template <typename... A> void print_vector(A &&...);
template <typename... A> void print_device_vector(A &&...);
template <typename... A> void serialize_scalar(A &&...);
template <typename... A> void serialize_mdspan(A &&...);
template <typename T, typename... A> T deserialize_scalar(A &&...);
template <typename... A> void deserialize_mdspan(A &&...);
inline int getMultiProcessorCount();
template <typename T> constexpr bool is_host_mdspan_v = T::accessor_type::value;
template <typename T> constexpr bool is_device_mdspan_v = !T::accessor_type::value;
memory_type memory_type_from_pointer(const void *);
namespace detail {
namespace numpy_serializer {
struct dtype_t {
    template <typename... A> dtype_t(A &&...);
    std::string to_string() const;
};
template <typename T> dtype_t get_numpy_dtype();
} // namespace numpy_serializer
} // namespace detail
template <typename T, typename I = uint32_t> cuwarp_array<T, I, 1> make_device_scalar(const resources &, T v);
template <typename T, typename I = uint32_t> device_scalar_view<T, I> make_device_scalar_view(T *p);
template <typename T, typename I = uint32_t> host_scalar_view<T, I> make_host_scalar_view(T *p);
template <typename I, typename... E> matrix_extent<I> make_extents(E...);
template <typename T, typename I = uint32_t, typename L = row_major>
host_matrix<T, I, L> make_host_matrix(I n, I m);
namespace resource {
rmm::cuda_stream_view get_cuda_stream(const resources &);
void sync_stream(const resources &);
void sync_stream(const resources &, rmm::cuda_stream_view);
size_t get_stream_pool_size(const resources &);
bool is_stream_pool_initialized(const resources &);
rmm::cuda_stream_view get_stream_from_stream_pool(const resources &, size_t i = 0);
rmm::cuda_stream_view get_next_usable_stream(const resources &, size_t i = 0);
void sync_stream_pool(const resources &);
void wait_stream_pool_on_stream(const resources &);
rmm::device_async_resource_ref get_workspace_resource_ref(const resources &);
rmm::device_async_resource_ref get_large_workspace_resource_ref(const resources &);
rmm::mr::device_memory_resource *get_large_workspace_resource(const resources &);
size_t get_workspace_free_bytes(const resources &);
size_t get_workspace_total_bytes(const resources &);
int get_device_id(const resources &);
const cudaDeviceProp &get_device_properties(const resources &);
rmm::exec_policy get_thrust_policy(const resources &);
rmm::mr::device_memory_resource *get_workspace_resource(const resources &);
} // namespace resource
template <typename... A> void copy(A &&...);
template <typename... A> void update_host(A &&...);
template <typename... A> void update_device(A &&...);
namespace common {
namespace nvtx {
template <typename D = void> struct range { template <typename... A> range(A &&...); };
namespace detail {
template <typename D = void, typename... A> void push_range(A &&...);
template <typename D = void> void pop_range();
} // namespace detail
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
struct mul_op {
    template <typename T> HD constexpr T operator()(T a, T b) const { return a * b; }
};
struct sub_op {
    template <typename T> HD constexpr T operator()(T a, T b) const { return a - b; }
};
struct abs_op {
    template <typename T, typename... A> HD constexpr T operator()(T v, A...) const { return v < T(0) ? -v : v; }
};
struct sqrt_op {
    template <typename T, typename... A> HD T operator()(T v, A...) const { return ::sqrt(v); }
};
struct argmin_op {
    template <typename T> HD T operator()(T a, T b) const { return b.value < a.value ? b : a; }
};
template <typename T> struct cast_op {
    template <typename U, typename... A> HD constexpr T operator()(U v, A...) const { return static_cast<T>(v); }
};
template <typename T> struct const_op {
    T v;
    constexpr explicit const_op(T x) : v(x) {}
    template <typename... A> HD constexpr T operator()(A...) const { return v; }
};
template <typename T> struct mul_const_op {
    T v;
    constexpr explicit mul_const_op(T x) : v(x) {}
    template <typename U, typename... A> HD constexpr auto operator()(U x, A...) const { return x * v; }
};
namespace random {
enum GeneratorType { GenPhilox, GenPC };
struct RngState {
    explicit RngState(uint64_t seed, uint64_t base = 0, GeneratorType type = GenPC);
    uint64_t seed;
    uint64_t base_subsequence;
    GeneratorType type;
    void advance(uint64_t, uint64_t);
};
template <typename... A> void uniform(A &&...);
template <typename... A> void uniformInt(A &&...);
template <typename... A> void normal(A &&...);
} // namespace random
namespace linalg {
enum NormType { L1Norm, L2Norm, LinfNorm };
enum class Apply { ALONG_ROWS, ALONG_COLUMNS };
template <NormType n = L2Norm, bool rows = true, typename... A> void norm(A &&...);
template <NormType n = L2Norm, bool rows = true, typename... A> void rowNorm(A &&...);
template <NormType n = L2Norm, bool rows = true, typename... A> void colNorm(A &&...);
template <NormType n = L2Norm, typename... T, typename... A> void row_normalize(A &&...);
template <bool rows = true, bool along = true, typename... A> void matrixVectorOp(A &&...);
template <Apply a = Apply::ALONG_ROWS, typename... A> void matrix_vector_op(A &&...);
template <typename... A> void addScalar(A &&...);
template <typename... A> void add_scalar(A &&...);
template <typename... A> void transpose(A &&...);
template <typename... A> void gemv(A &&...);
template <typename... A> void axpy(A &&...);
template <typename... A> void subtract(A &&...);
template <typename... A> void multiply_scalar(A &&...);
template <typename... A> void divide_scalar(A &&...);
template <typename... A> void reduce_rows_by_key(A &&...);
template <typename... A> void unary_op(A &&...);
template <typename... A> void binary_op(A &&...);
template <typename... A> void coalescedReduction(A &&...);
template <typename... A> void dot(A &&...);
template <typename... A> void map_reduce(A &&...);
template <typename... A> void mapThenReduce(A &&...);
template <typename... A> void mapThenSumReduce(A &&...);
template <typename... A> void reduce_cols_by_key(A &&...);
template <typename T, int v, typename K, int b = 4, int c = 32> struct Policy4x4 {};
template <typename... A> void map(A &&...);
template <typename... A> void map_offset(A &&...);
template <typename... A> void reduce(A &&...);
template <typename... A> void gemm(A &&...);
template <typename... A> void add(A &&...);
template <typename... A> void unaryOp(A &&...);
template <typename... A> void binaryOp(A &&...);
template <typename... A> void writeOnlyUnaryOp(A &&...);
} // namespace linalg
namespace matrix {
template <typename... A> void fill(A &&...);
template <typename... A> void gather(A &&...);
template <typename... A> void select_k(A &&...);
template <typename... A> void copy_rows(A &&...);
template <typename... A> void copy(A &&...);
template <typename... A> void scatter(A &&...);
template <typename... A> void sample_rows(A &&...);
template <typename... A> void slice(A &&...);
template <typename... A> void argmin(A &&...);
template <typename... A> void argmax(A &&...);
template <typename... A> void linewise_op(A &&...);
template <typename... A> void sort_cols_per_row(A &&...);
enum class SelectAlgo { kAuto, kRadix8bits, kRadix11bits, kRadix11bitsExtraPass, kWarpAuto, kWarpImmediate,
                        kWarpFiltered, kWarpDistributed, kWarpDistributedShm };
namespace detail {
template <typename... A> void select_k(A &&...);
template <typename... A> void gather(A &&...);
namespace select::warpsort {
constexpr int kMaxCapacity = 256;
}
} // namespace detail
} // namespace matrix
namespace util {
namespace arch {
template <int n> struct SM_compute_arch_t {
    static constexpr int value() { return n; }
};
struct SM_runtime {
    int version_;
    int value() const { return version_; }
};
template <int n> using SM_range_min = SM_compute_arch_t<n>;
#define CUWARP_RAFT_ARCH(n) typedef SM_compute_arch_t<n * 10> SM_##n;
CUWARP_RAFT_ARCH(60) CUWARP_RAFT_ARCH(70) CUWARP_RAFT_ARCH(75) CUWARP_RAFT_ARCH(80) CUWARP_RAFT_ARCH(86)
CUWARP_RAFT_ARCH(90)
#undef CUWARP_RAFT_ARCH
struct SM_min : SM_compute_arch_t<350> {};
struct SM_future : SM_compute_arch_t<99999> {};
struct SM_range {
    int min_, max_;
    template <typename A, typename B> SM_range(A a, B b) : min_(a.value()), max_(b.value()) {}
    template <typename T> bool contains(T t) const { return min_ <= t.value() && t.value() < max_; }
};
template <typename K> SM_runtime kernel_virtual_arch(K);
} // namespace arch
/* Exchanges values between the lanes of a warp: how is not computed. */
template <int n> struct bitonic {
    HD bitonic(bool ascending, int width = 32);
    template <typename... A> DI void sort(A &&...) const;
    template <typename... A> DI void merge(A &&...) const;
};
struct FastIntDiv {
    int d_;
    HD FastIntDiv(int d) : d_(d) {}
    HD operator int() const { return d_; }
};
HDI int operator/(int n, FastIntDiv d) { return n / d.d_; }
HDI int operator%(int n, FastIntDiv d) { return n % d.d_; }
template <typename T> struct cuwarp_itertools;
namespace itertools {
template <typename S, typename... A> std::vector<S> product(A &&...);
}
} // namespace util
template <typename T, int n> struct TxN_t {
    typedef T math_t;
    struct alignas(sizeof(T) * n) io_t {
        T at[n];
    };
    static constexpr int Ratio = n;
    struct vectype {
        alignas(sizeof(T) * n) T internal[n];
    } val;
    DI void fill(T v) {
        for (int i = 0; i < n; i++)
            val.internal[i] = v;
    }
    template <typename I = int> DI void load(const T *p, I at) {
        for (int i = 0; i < n; i++)
            val.internal[i] = p[at + i];
    }
    template <typename I = int> DI void store(T *p, I at) {
        for (int i = 0; i < n; i++)
            p[at + i] = val.internal[i];
    }
};
template <typename T> DI void ldg(T &x, const T *p) { x = *p; }
template <typename T> DI void ldg(T (&x)[1], const T *p) { x[0] = p[0]; }
template <typename T> DI void ldg(T (&x)[2], const T *p) {
    x[0] = p[0];
    x[1] = p[1];
}
template <typename T> DI void ldg(T (&x)[4], const T *p) {
    for (int i = 0; i < 4; i++)
        x[i] = p[i];
}
template <typename T> DI void lds(T &x, const T *p) { x = *p; }
template <typename T, int n> DI void lds(T (&x)[n], const T *p) {
    for (int i = 0; i < n; i++)
        x[i] = p[i];
}
template <typename T> DI void sts(T *p, const T &x) { *p = x; }
template <typename T, int n> DI void sts(T *p, const T (&x)[n]) {
    for (int i = 0; i < n; i++)
        p[i] = x[i];
}
namespace sparse {
template <typename T, typename I = int, typename N = uint64_t> struct COO {
    template <typename... A> COO(A &&...);
    T *vals();
    I *rows();
    I *cols();
    N nnz;
};
} // namespace sparse
namespace stats {
enum HistType { HistTypeSmemBits1, HistTypeGmem, HistTypeSmem, HistTypeAuto };
template <typename... A> void histogram(A &&...);
template <bool rows = true, typename... A> void mean(A &&...);
template <bool rows = true, typename... A> void sum(A &&...);
} // namespace stats
namespace label {}
namespace spatial {}
template <typename F, typename G> struct compose_op {
    F f;
    G g;
    compose_op() = default;
    constexpr compose_op(F a, G b) : f(a), g(b) {}
    template <typename... A> HD constexpr auto operator()(A... a) const { return f(g(a...)); }
};
template <typename T, typename I, int rank, typename L, bool is_host>
cuwarp_view<const T, I, rank, L, is_host> make_const_mdspan(cuwarp_view<T, I, rank, L, is_host> v) {
    return v;
}
template <typename From, typename To> constexpr bool is_narrowing_v = sizeof(To) < sizeof(From);
namespace core {
template <typename B = uint32_t, typename I = uint32_t> struct bitset_view {
    B *bitset_ptr_;
    I bitset_len_, original_nbits_;
    HD bitset_view(B *p, I n, I bits = 0) : bitset_ptr_(p), bitset_len_(n), original_nbits_(bits) {}
    DI bool test(I i) const {
        return bitset_ptr_[i / (sizeof(B) * 8)] >> (i % (sizeof(B) * 8)) & 1;
    }
    DI void set(I i, bool v = true) const {
        B bit = B(1) << (i % (sizeof(B) * 8));
        if (v)
            atomicOr(bitset_ptr_ + i / (sizeof(B) * 8), bit);
        else
            atomicAnd(bitset_ptr_ + i / (sizeof(B) * 8), ~bit);
    }
    HD B *data() const { return bitset_ptr_; }
    HD I size() const { return bitset_len_; }
    HD I n_elements() const { return (bitset_len_ + sizeof(B) * 8 - 1) / (sizeof(B) * 8); }
};
template <typename B = uint32_t, typename I = uint32_t> struct bitset {
    template <typename... A> bitset(const resources &, A &&...);
    B *data();
    const B *data() const;
    I size() const;
    bitset_view<B, I> view();
};
template <typename B = uint32_t, typename I = uint32_t> struct bitmap_view : bitset_view<B, I> {
    I rows_, cols_;
    HD bitmap_view(B *p, I rows, I cols, I bits = 0)
        : bitset_view<B, I>(p, rows * cols, bits), rows_(rows), cols_(cols) {}
    HD I get_n_rows() const { return rows_; }
    HD I get_n_cols() const { return cols_; }
};
} // namespace core
template <typename K, typename V> struct KeyValuePair {
    K key;
    V value;
    KeyValuePair() = default;
    HD KeyValuePair(K k, V v) : key(k), value(v) {}
};
} // namespace raft
namespace rapids_logger {
enum class level_enum { trace, debug, info, warn, error, critical, off };
struct logger {
    template <typename... A> logger(A &&...);
    template <typename... A> void log(A &&...);
    void set_level(level_enum);
    level_enum level() const;
};
} // namespace rapids_logger
