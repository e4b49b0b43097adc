// cuBLASDx: products as sums of operators, over cute's layouts and tensors. What runs on the device is declared only.
#pragma once
#include <cuwarp_foreign/mathdx.h>
#include <cute/tensor.hpp>
namespace cublasdx {
template <typename E> struct cuwarp_members;
template <unsigned... n> using cuwarp_shape = cute::Shape<cute::Int<n>...>;
CUWARP_DX_LIBRARY(0, 0, 1, cuwarp_members, cuwarp_shape)
CUWARP_DX_THREE_SIZES
enum class function { MM, TRSM };
typedef cute::bfloat16_t bfloat16_t;
typedef cute::half_t half_t;
typedef cute::tfloat32_t tfloat32_t;
template <typename E, typename L> using tensor = cute::Tensor<E, L>;
using cute::clear;
using cute::cosize;
using cute::make_coord;
using cute::make_fragment_like;
using cute::make_tensor;
CUWARP_DX_NUMBERS(RequiredMantissaBits, NONE)
typedef Alignment<16, 16, 16> MaxAlignment;
struct identity {
    template <typename T> __host__ __device__ constexpr T operator()(T v) const { return v; }
};
struct conjugate {
    template <typename T> __host__ __device__ constexpr T operator()(T v) const { return v; }
};
/* The parts that the values of C have in a thread: how many is the library's choice. */
template <typename T> struct cuwarp_fragment {
    typedef T value_type;
    template <typename... A> __device__ T &operator()(A...) const;
    __device__ T &operator[](size_t) const;
    __host__ __device__ size_t size() const;
};
template <typename T> __host__ __device__ size_t size(const cuwarp_fragment<T> &);
template <typename U, typename T> __device__ cuwarp_fragment<U> make_fragment_like(const cuwarp_fragment<T> &);
template <typename T> __device__ cuwarp_fragment<T> make_fragment_like(const cuwarp_fragment<T> &);
template <typename T> __device__ void clear(const cuwarp_fragment<T> &);
template <typename T> struct cuwarp_accumulator {
    typedef T value_type;
    typedef cuwarp_fragment<T> fragment;
    template <typename... A> __device__ fragment make_partition_and_copy(A &&...) const;
    template <typename... A> __device__ void partition_and_copy(A &&...) const;
    template <typename... A> __device__ void partition_and_store(A &&...) const;
    template <typename... A> __device__ void reduce_and_store(A &&...) const;
    template <typename... A> __device__ void axpby(A &&...) const;
    template <typename... A> __device__ fragment partition_like_C(A &&...) const;
    __device__ fragment make_empty_fragment() const;
    __device__ fragment make_accumulator_fragment() const;
    __device__ fragment get_results() const;
    __device__ bool is_thread_active() const;
    __device__ void clear() const;
    template <typename... A> __device__ cute::tuple<int, int> map_fragment_index(A...) const;
    template <typename... A> __device__ bool is_index_in_bounds(A...) const;
};
template <typename T> struct cuwarp_is_part : std::false_type {};
template <typename E, typename L> struct cuwarp_is_part<cute::Tensor<E, L>> : std::true_type {};
template <typename T> struct cuwarp_is_part<cuwarp_accumulator<T>> : std::true_type {};
template <typename E> struct cuwarp_members {
    /* Two tensors without a third, or an accumulator, make one. */
    template <typename... A> __device__ auto execute(A &&...a) const {
        typedef std::tuple<cute::remove_cvref_t<A>..., int, int, int> all;
        if constexpr (cuwarp_is_part<std::tuple_element_t<0, all>>::value &&
                      !cuwarp_is_part<std::tuple_element_t<2, all>>::value)
            return cuwarp_make(a...);
        else
            cuwarp_run(a...);
    }
    template <typename... A> __device__ auto cuwarp_make(A &...a) const {
        cuwarp_accumulator<typename E::c_value_type> made;
        cuwarp_run(a...);
        return made;
    }
    template <typename... A> __device__ void cuwarp_run(A &...) const;
    template <unsigned leading, bool by_rows, typename S, typename... D>
    __host__ __device__ static constexpr auto cuwarp_order(const S &s, const D &...d) {
        if constexpr (sizeof...(D) == 1 && by_rows)
            return cute::make_layout(s, cute::make_stride(d..., cute::Int<1>{}));
        else if constexpr (sizeof...(D) == 1)
            return cute::make_layout(s, cute::make_stride(cute::Int<1>{}, d...));
        else if constexpr (by_rows)
            return cute::make_layout(s, cute::make_stride(cute::Int<leading>{}, cute::Int<1>{}));
        else
            return cute::make_layout(s, cute::make_stride(cute::Int<1>{}, cute::Int<leading>{}));
    }
    /* The shapes are members of the description, which is complete only within functions. */
    template <typename X = E> __host__ __device__ static constexpr auto cuwarp_a() {
        return cute::make_shape(cute::Int<X::m_size>{}, cute::Int<X::k_size>{});
    }
    template <typename X = E> __host__ __device__ static constexpr auto cuwarp_b() {
        return cute::make_shape(cute::Int<X::k_size>{}, cute::Int<X::n_size>{});
    }
    template <typename X = E> __host__ __device__ static constexpr auto cuwarp_c() {
        return cute::make_shape(cute::Int<X::m_size>{}, cute::Int<X::n_size>{});
    }
#define CUWARP_DX_LAYOUTS(name, shape, leading, order)                                                                 \
    template <typename... D> __host__ __device__ static constexpr auto get_layout_gmem_##name(const D &...d) {         \
        return cuwarp_order<E::leading, bool(E::order)>(shape(), d...);                                                \
    }                                                                                                                  \
    template <typename... D> __host__ __device__ static constexpr auto get_layout_smem_##name(const D &...d) {         \
        return cuwarp_order<E::leading, bool(E::order)>(shape(), d...);                                                \
    }                                                                                                                  \
    template <typename... D> __host__ __device__ static constexpr auto suggest_layout_smem_##name(const D &...) {      \
        return cute::cuwarp_hide(shape());                                                                             \
    }                                                                                                                  \
    template <typename... D> __host__ __device__ static constexpr auto suggest_layout_rmem_##name(const D &...) {      \
        return cute::cuwarp_hide(shape());                                                                             \
    }
    CUWARP_DX_LAYOUTS(a, cuwarp_a, lda, a_arrangement)
    CUWARP_DX_LAYOUTS(b, cuwarp_b, ldb, b_arrangement)
    CUWARP_DX_LAYOUTS(c, cuwarp_c, ldc, c_arrangement)
#undef CUWARP_DX_LAYOUTS
    template <typename X = E> __device__ static cuwarp_accumulator<typename X::c_value_type> get_accumulator() {
        return {};
    }
    template <typename X = E> __device__ static cuwarp_accumulator<typename X::c_value_type> suggest_accumulator() {
        return {};
    }
    template <typename X = E> __device__ static cuwarp_accumulator<typename X::c_value_type> get_partitioner() {
        return {};
    }
    template <typename X = E> __device__ static cuwarp_accumulator<typename X::c_value_type> suggest_partitioner() {
        return {};
    }
};
struct default_alignment {
    static constexpr unsigned a = 16, b = 16, c = 16;
};
template <typename D> struct alignment_of {
    static constexpr unsigned a = 16, b = 16, c = 16;
};
template <typename D> constexpr unsigned alignment_of_v_a = 16;
template <typename D> constexpr unsigned alignment_of_v_b = 16;
template <typename D> constexpr unsigned alignment_of_v_c = 16;
template <typename T, typename L> __host__ __device__ auto make_gmem_tensor(T *data, const L &l) {
    return cute::make_tensor(cute::make_gmem_ptr(data), l);
}
template <arrangement order = col_major, typename T, typename M, typename K, typename... D>
__host__ __device__ auto make_gmem_tensor(T *data, const M &rows, const K &columns, const D &...) {
    if constexpr (order == col_major)
        return cute::make_tensor(cute::make_gmem_ptr(data),
                                 cute::make_layout(cute::make_shape(rows, columns),
                                                   cute::make_stride(cute::Int<1>{}, rows)));
    else
        return cute::make_tensor(cute::make_gmem_ptr(data),
                                 cute::make_layout(cute::make_shape(rows, columns),
                                                   cute::make_stride(columns, cute::Int<1>{})));
}
template <arrangement order = col_major, typename T, typename M, typename K, typename B, typename... D>
__host__ __device__ auto make_gmem_tensor_batched(T *data, const M &rows, const K &columns, const B &batches,
                                                  const D &...) {
    if constexpr (order == col_major)
        return cute::make_tensor(cute::make_gmem_ptr(data),
                                 cute::make_layout(cute::make_shape(rows, columns, batches),
                                                   cute::make_stride(cute::Int<1>{}, rows, rows * columns)));
    else
        return cute::make_tensor(cute::make_gmem_ptr(data),
                                 cute::make_layout(cute::make_shape(rows, columns, batches),
                                                   cute::make_stride(columns, cute::Int<1>{}, rows * columns)));
}
template <typename E, typename L, typename I>
__host__ __device__ auto get_batch(const cute::Tensor<E, L> &t, const I &at) {
    return t(cute::_, cute::_, at);
}
template <typename E, typename L, typename I, typename... A>
__host__ __device__ auto get_batch(const cute::Tensor<E, L> &t, const I &layout, const A &...at) {
    return cute::make_tensor(t.data(), layout);
}
template <typename E, typename L, typename S, typename... K>
__host__ __device__ auto get_tile(const cute::Tensor<E, L> &t, const S &shape, const K &...at) {
    return cute::make_tensor(t.data(), cute::cuwarp_hide(shape));
}
template <typename E, typename L, typename S, typename... K>
__host__ __device__ auto get_tile_row(const cute::Tensor<E, L> &t, const S &shape, const K &...at) {
    return cute::make_tensor(t.data(), cute::cuwarp_hide(shape));
}
template <typename E, typename L, typename S, typename... K>
__host__ __device__ auto get_tile_col(const cute::Tensor<E, L> &t, const S &shape, const K &...at) {
    return cute::make_tensor(t.data(), cute::cuwarp_hide(shape));
}
template <typename E, typename L> __host__ __device__ auto transpose_view(const cute::Tensor<E, L> &t) { return t; }
template <typename E, typename L> __host__ __device__ auto conj_transpose_view(const cute::Tensor<E, L> &t) {
    return t;
}
template <typename D, typename A = typename D::a_value_type, typename B = typename D::b_value_type,
          typename C = typename D::c_value_type, typename T, typename... R>
__device__ std::tuple<A *, B *, C *> slice_shared_memory(T *memory, R...);
template <typename D, typename A = typename D::a_value_type, typename B = typename D::b_value_type, typename T,
          typename... R>
__device__ std::tuple<A *, B *> slice_shared_memory_ab(T *memory, R...);
template <typename... P, typename... A> __device__ void copy(A &&...);
template <typename D, unsigned n, typename... A> __device__ void copy(A &&...);
template <unsigned threads, unsigned n, typename... A> __device__ void copy(A &&...);
template <unsigned n, typename... A> __device__ void copy_fragment(A &&...);
template <typename... A> __device__ void axpby(A &&...);
template <typename... A> __device__ void transform_fragment(A &&...);
template <typename... A> __device__ void transform(A &&...);
__device__ void copy_wait();
template <typename D, typename... A> unsigned get_shared_storage_size(A...);
template <typename D, typename... A> unsigned get_shared_storage_size_ab(A...);
/* How much shared memory several arrays take: constants of the library and of the arrays. */
struct cuwarp_storage {
    template <typename... A> __host__ __device__ constexpr cuwarp_storage add(A...) const { return *this; }
    __host__ __device__ unsigned get() const;
};
__host__ __device__ constexpr cuwarp_storage make_shared_storage_calculator() { return {}; }
constexpr cute::Underscore slice{};
namespace shared_memory {
template <typename... T, typename... A> __device__ inline auto slice(byte *memory, A... sizes) {
    return cuwarp_dx_slices::slice<T...>(memory, sizes...);
}
/* Tensors when layouts are given: where each begins is what its alignment and those before it make it. */
template <typename T, typename... R, typename S, typename D, typename... A>
__device__ inline auto slice(byte *memory, unsigned align, const cute::Layout<S, D> &layout, A... rest) {
    unsigned long long at = ((unsigned long long)memory + align - 1) / align * align;
    auto tensor = cute::make_tensor(cute::make_smem_ptr((T *)at), layout);
    if constexpr (sizeof...(R) == 0)
        return cute::make_tuple(tensor);
    else
        return cute::tuple_cat(cute::make_tuple(tensor),
                               shared_memory::slice<R...>((byte *)(at + cute::cosize(layout) * sizeof(T)), rest...));
}
}
/* Tiles in a row, from global to shared memory and on to the product. */
struct reusable_accumulator {};
struct internal_accumulator {};
struct pipeline_stage_scratch_t {
    unsigned long long barriers[2];
};
enum class pipeline_error_code { none, unsupported };
const char *pipeline_error_string(pipeline_error_code);
struct cuwarp_pipeline_error {
    pipeline_error_code code;
    cudaError_t get_cuda_error() const;
};
template <typename D> struct cuwarp_tile_pipeline {
    template <typename... A> __device__ void execute(A &&...) const;
    template <typename... A> __device__ void epilogue(A &&...) const;
    __device__ cuwarp_accumulator<typename D::c_value_type> get_accumulator() const { return {}; }
};
template <typename D> struct cuwarp_device_pipeline {
    static constexpr unsigned max_threads_per_block = 1024;
    __host__ __device__ static constexpr unsigned buffer_alignment() { return 128; }
    __host__ __device__ static unsigned buffer_size();
    template <typename... A> __device__ cuwarp_tile_pipeline<D> get_tile(A...) const { return {}; }
    template <typename... A> __device__ void reset_tile(A &&...) const;
};
template <typename D> struct cuwarp_pipeline : cuwarp_device_pipeline<D> {
    dim3 get_block_dim() const;
    cuwarp_device_pipeline<D> get_device_handle() const;
};
template <typename D> struct cuwarp_made_pipeline {
    cuwarp_pipeline<D> pipeline;
    explicit operator bool() const;
    cuwarp_pipeline_error error() const;
    cuwarp_pipeline<D> *operator->() { return &pipeline; }
    const cuwarp_pipeline<D> *operator->() const { return &pipeline; }
};
template <unsigned depth, typename D, typename... P, typename... A> cuwarp_made_pipeline<D> suggest_pipeline(A &&...);
template <typename D, typename... P, typename... A> cuwarp_made_pipeline<D> suggest_pipeline(A &&...);
template <typename D> constexpr std::tuple<unsigned, unsigned, unsigned> leading_dimension_of_v{D::lda, D::ldb, D::ldc};
template <typename D, unsigned sm> struct cuwarp_suggested_leading_dimension {
    typedef LeadingDimension<D::lda, D::ldb, D::ldc> type;
};
template <typename D, unsigned sm>
using suggested_leading_dimension_of_t = typename cuwarp_suggested_leading_dimension<D, sm>::type;
namespace detail {
template <typename T, typename A, typename B, typename C>
__host__ __device__ constexpr void fma(T &d, const A &a, const B &b, const C &c) {
    d = a * b + c;
}
template <typename F, typename G> struct cuwarp_composed {
    F f;
    G g;
    template <typename T> __host__ __device__ constexpr auto operator()(const T &v) const { return g(f(v)); }
};
template <typename F, typename G> __host__ __device__ constexpr cuwarp_composed<F, G> compose_functors(F f, G g) {
    return {f, g};
}
namespace cute_backend {
template <typename T> __host__ __device__ auto transpose_first_two_modes_of_layout(T const &t) { return t; }
template <typename T> __host__ __device__ auto transpose_first_two_modes_of_tensor(T const &t) { return t; }
} // namespace cute_backend
} // namespace detail
} // namespace cublasdx
#define CUBLASDX_STD std
#define CUBLASDX_SKIP_IF_NOT_APPLICABLE_SM(D)
#define CUBLASDX_HOST_DEVICE __host__ __device__
#define CUBLASDX_DEVICE __device__
