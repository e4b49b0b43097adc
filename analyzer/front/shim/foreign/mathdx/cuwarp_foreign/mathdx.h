// MathDx: descriptions of FFTs, products and solvers as sums of operators. A block that the description gives is known;
// one that the library chooses is not. What runs on the device is declared only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda/std/complex>
#include <tuple>
#include <type_traits>
namespace cuwarp_dx {
enum kind { NONE, SIZE, PRECISION, TYPE, BLOCK_DIM, ELEMENTS, BATCHES, SM_OF, DIRECTION, FUNCTION, ARRANGEMENT, LEADING,
            LEVEL_THREAD, LEVEL_BLOCK, FILL, SIDE, DIAG, TRANSPOSE, JOB, ALIGNMENT, CLUSTER, TILE, WARPS, ALGORITHM };
template <typename L> struct op {};
template <typename L, typename... O> struct expr;
template <kind k, typename... O> struct find { typedef void type; };
template <kind k, typename A, typename... O> struct find<k, A, O...> {
    typedef typename find<k, O...>::type later;
    typedef typename std::conditional<A::cuwarp_kind == k && std::is_void<later>::value, A, later>::type type;
};
template <unsigned... v> struct numbers {
    static constexpr unsigned count = sizeof...(v);
    static constexpr unsigned at(unsigned i, unsigned otherwise) {
        const unsigned all[] = {v..., 0};
        return i < count ? all[i] : otherwise;
    }
};
template <kind k, unsigned i, unsigned otherwise, typename F> struct number_of {
    static constexpr unsigned value = F::values::at(i, otherwise);
};
template <kind k, unsigned i, unsigned otherwise> struct number_of<k, i, otherwise, void> {
    static constexpr unsigned value = otherwise;
};
template <typename F> struct precision_of_op { typedef typename F::a type; };
template <> struct precision_of_op<void> { typedef float type; };
template <typename T> struct alignas(2 * sizeof(T)) complex {
    typedef T value_type;
    T x, y;
    complex() = default;
    __host__ __device__ constexpr complex(T a, T b = T()) : x(a), y(b) {}
    __host__ __device__ constexpr T real() const { return x; }
    __host__ __device__ constexpr T imag() const { return y; }
    __host__ __device__ void real(T v) { x = v; }
    __host__ __device__ void imag(T v) { y = v; }
    __host__ __device__ complex &operator+=(const complex &o) {
        x += o.x;
        y += o.y;
        return *this;
    }
    __host__ __device__ complex &operator*=(T v) {
        x *= v;
        y *= v;
        return *this;
    }
};
template <typename T> __host__ __device__ complex<T> operator+(complex<T> a, complex<T> b) {
    return complex<T>(a.x + b.x, a.y + b.y);
}
template <typename T> __host__ __device__ complex<T> operator-(complex<T> a, complex<T> b) {
    return complex<T>(a.x - b.x, a.y - b.y);
}
template <typename T> __host__ __device__ complex<T> operator*(complex<T> a, complex<T> b) {
    return complex<T>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
template <typename T> __host__ __device__ complex<T> operator*(complex<T> a, T b) {
    return complex<T>(a.x * b, a.y * b);
}
/* The types of cuBLAS and cuSOLVER that hold the same numbers. */
template <typename T> struct of_cuda { typedef T type; };
template <> struct of_cuda<complex<float>> { typedef float2 type; };
template <> struct of_cuda<complex<double>> { typedef double2 type; };
template <typename T, bool is_fft> struct number_in { typedef T type; };
template <> struct number_in<__half, true> { typedef __half2 type; };
template <typename T> struct is_complex { enum { value = 0 }; };
template <typename T> struct is_complex<complex<T>> { enum { value = 1 }; };
template <typename T> struct tensor {
    typedef T value_type;
    typedef T *engine_type;
    T *cuwarp_data;
    template <typename... A> __device__ T &operator()(A...) const;
    __device__ T &operator[](size_t i) const { return cuwarp_data[i]; }
    __host__ __device__ T *data() const { return cuwarp_data; }
    __host__ __device__ size_t size() const;
};
struct none {
    enum { cuwarp_kind = NONE };
};
template <typename E> struct no_members {
    template <typename... A> __host__ __device__ int execute(A &&...) const;
};
template <unsigned... n> struct no_shape {};
/* What follows from the operators, if they say it. */
template <bool is_known, unsigned size, unsigned elements> struct elements_of {};
template <unsigned size, unsigned elements> struct elements_of<true, size, elements> {
    static constexpr unsigned elements_per_thread = elements, storage_size = elements, stride = size / elements;
    static constexpr unsigned input_ept = elements, output_ept = elements;
};
template <bool is_known, unsigned x, unsigned y, unsigned z> struct block_of {
    static const dim3 block_dim;
    static constexpr unsigned max_threads_per_block = 1024;
};
template <unsigned x, unsigned y, unsigned z> struct block_of<true, x, y, z> {
    static constexpr dim3 block_dim = dim3(x, y, z);
    static constexpr unsigned max_threads_per_block = x * y * z;
};
template <typename L, typename... O> struct shape {
    typedef typename find<SIZE, O...>::type size_op;
    typedef typename find<BLOCK_DIM, O...>::type block_op;
    typedef typename find<ELEMENTS, O...>::type elements_op;
    static constexpr unsigned n = number_of<SIZE, 0, 1, size_op>::value;
    static constexpr unsigned elements = number_of<ELEMENTS, 0, 1, elements_op>::value;
    static constexpr unsigned batches = number_of<BATCHES, 0, 1, typename find<BATCHES, O...>::type>::value;
    static constexpr bool is_thread = !std::is_void<typename find<LEVEL_THREAD, O...>::type>::value;
    static constexpr bool has_block = !std::is_void<block_op>::value;
    static constexpr bool has_elements = !std::is_void<elements_op>::value;
    static constexpr bool is_fft = L::is_fft && !is_thread && has_elements && !std::is_void<size_op>::value;
    typedef elements_of<has_elements || (L::is_fft && is_thread), n, has_elements ? elements : n> elements_members;
    typedef block_of<has_block || is_fft, has_block ? number_of<BLOCK_DIM, 0, 1, block_op>::value : n / elements,
                     has_block ? number_of<BLOCK_DIM, 1, 1, block_op>::value : batches,
                     has_block ? number_of<BLOCK_DIM, 2, 1, block_op>::value : 1> block_members;
};
template <typename L, typename... O>
struct expr : op<L>,
              shape<L, O...>::elements_members,
              shape<L, O...>::block_members,
              L::template members<expr<L, O...>> {
    typedef shape<L, O...> cuwarp_shape;
    template <int k> using cuwarp_find = typename find<kind(k), O...>::type;
    /* All threads of a block that the description sizes take part. */
    struct working_group {
        __device__ static bool is_thread_active() { return true; }
        __device__ static dim3 block_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
        __device__ static dim3 thread_idx() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    };
    typedef typename find<PRECISION, O...>::type cuwarp_precision;
    typedef typename precision_of_op<cuwarp_precision>::type real_type;
    static constexpr unsigned cuwarp_type = number_of<TYPE, 0, L::is_fft, typename find<TYPE, O...>::type>::value;
    typedef typename number_in<real_type, L::is_fft>::type cuwarp_number; /* of two FFTs where it is a half */
    typedef typename std::conditional<L::is_fft || cuwarp_type != 0, complex<cuwarp_number>, real_type>::type
        value_type;
    typedef typename of_cuda<value_type>::type a_cuda_data_type, b_cuda_data_type, x_cuda_data_type;
    typedef value_type a_data_type, b_data_type, c_data_type, x_data_type, data_type, input_type, output_type;
    typedef value_type a_value_type, b_value_type, c_value_type, workspace_type;
    typedef real_type a_precision, b_precision, c_precision;
    typedef int status_type;
    typedef unsigned long long offset_type;
    typedef unsigned bitgenerator_result_type;
    static constexpr unsigned m_size = cuwarp_shape::n;
    static constexpr unsigned n_size = number_of<SIZE, 1, m_size, typename cuwarp_shape::size_op>::value;
    static constexpr unsigned k_size = number_of<SIZE, 2, 1, typename cuwarp_shape::size_op>::value;
    typedef typename find<ARRANGEMENT, O...>::type cuwarp_order;
    typedef typename L::arrangement_type cuwarp_arrangement;
    static constexpr cuwarp_arrangement a_arrangement =
        cuwarp_arrangement(number_of<ARRANGEMENT, 0, L::is_rows_by_columns, cuwarp_order>::value);
    static constexpr cuwarp_arrangement b_arrangement =
        cuwarp_arrangement(number_of<ARRANGEMENT, 1, L::is_solver ? unsigned(a_arrangement) : 0, cuwarp_order>::value);
    static constexpr cuwarp_arrangement c_arrangement =
        cuwarp_arrangement(number_of<ARRANGEMENT, 2, 0, cuwarp_order>::value);
    static constexpr auto fill_mode =
        typename L::fill_mode_type(number_of<FILL, 0, 0, typename find<FILL, O...>::type>::value);
    static constexpr auto side = typename L::side_type(number_of<SIDE, 0, 0, typename find<SIDE, O...>::type>::value);
    static constexpr auto diag = typename L::diag_type(number_of<DIAG, 0, 0, typename find<DIAG, O...>::type>::value);
    static constexpr auto job = typename L::job_type(number_of<JOB, 0, 0, typename find<JOB, O...>::type>::value);
    static constexpr auto jobu = job;
    static constexpr auto jobvt = typename L::job_type(number_of<JOB, 1, 0, typename find<JOB, O...>::type>::value);
    static constexpr auto type = typename L::number_type(cuwarp_type);
    static constexpr unsigned blocks_per_cluster =
        number_of<CLUSTER, 0, 1, typename find<CLUSTER, O...>::type>::value;
    static constexpr unsigned tile_size = number_of<TILE, 0, 32, typename find<TILE, O...>::type>::value;
    typedef typename find<LEADING, O...>::type cuwarp_leading;
    static constexpr unsigned cuwarp_columns_of_a = L::is_solver ? n_size : k_size;
    static constexpr unsigned cuwarp_rows_of_b = L::is_solver ? n_size : k_size;
    static constexpr unsigned cuwarp_columns_of_b = L::is_solver ? k_size : n_size;
    static constexpr unsigned lda =
        number_of<LEADING, 0, unsigned(a_arrangement) ? cuwarp_columns_of_a : m_size, cuwarp_leading>::value;
    static constexpr unsigned ldb =
        number_of<LEADING, 1, unsigned(b_arrangement) ? cuwarp_columns_of_b : cuwarp_rows_of_b, cuwarp_leading>::value;
    static constexpr unsigned ldc =
        number_of<LEADING, 2, unsigned(c_arrangement) ? n_size : m_size, cuwarp_leading>::value;
    static constexpr unsigned a_size = lda * (unsigned(a_arrangement) ? m_size : cuwarp_columns_of_a);
    static constexpr unsigned b_size = ldb * (unsigned(b_arrangement) ? cuwarp_rows_of_b : cuwarp_columns_of_b);
    static constexpr typename L::template shape<m_size, k_size> a_shape{};
    static constexpr typename L::template shape<k_size, n_size> b_shape{};
    static constexpr typename L::template shape<m_size, n_size> c_shape{};
    static constexpr unsigned c_size = ldc * (unsigned(c_arrangement) ? m_size : n_size);
    /* The library suggests what is fast; one is always right. */
    static constexpr unsigned suggested_batches_per_block = 1, suggested_ffts_per_block = 1;
    static constexpr unsigned ffts_per_block = cuwarp_shape::batches, batches_per_block = cuwarp_shape::batches;
    static constexpr unsigned implicit_type_batching = sizeof(cuwarp_number) / sizeof(real_type);
    static constexpr auto code = L::code_type::ltoir;
    static constexpr unsigned input_length = cuwarp_type == 2 ? m_size / 2 + 1 : m_size;
    static constexpr unsigned output_length = cuwarp_type == 3 ? m_size / 2 + 1 : m_size;
    static constexpr bool requires_workspace = false;
    static constexpr size_t workspace_size = 0;
    static const unsigned shared_memory_size, global_memory_size;
    static const dim3 suggested_block_dim;
    constexpr expr() = default;
    template <typename A, typename... B> __host__ __device__ expr(A &&, B &&...);
    template <typename... A> static unsigned get_shared_memory_size(A...);
    template <typename... A> static unsigned get_global_memory_size(A...);
    /* Of random numbers. */
    typedef unsigned long long scrambled_const_type, direction_vector_type;
    template <typename... A> __device__ void init(A...);
    __device__ void skip_subsequence(unsigned long long);
    __device__ void skip_offset(unsigned long long);
    __device__ bitgenerator_result_type generate();
    __device__ uint4 generate4();
    /* Of compressors: a warp or a block, and how much memory it needs. */
    __host__ __device__ static constexpr size_t shmem_alignment() { return 16; }
    __host__ __device__ static constexpr size_t input_alignment() { return 8; }
    __host__ __device__ static constexpr size_t output_alignment() { return 8; }
    __host__ __device__ static constexpr size_t tmp_alignment() { return 16; }
    static constexpr unsigned cuwarp_direction =
        number_of<DIRECTION, 0, 0, typename find<DIRECTION, O...>::type>::value;
    __host__ __device__ static constexpr size_t tmp_size_group() { return cuwarp_direction ? 0 : 65536; }
    static constexpr unsigned cuwarp_algorithm =
        number_of<ALGORITHM, 0, 0, typename find<ALGORITHM, O...>::type>::value;
    __host__ __device__ static constexpr size_t shmem_size_group() { return cuwarp_algorithm ? 16384 : 0; }
    __host__ __device__ static size_t max_comp_chunk_size();
    static size_t tmp_size_total(size_t);
};
template <typename T> struct list_of;
template <typename L, typename A, typename B> struct sum;
template <typename L, typename... A, typename... B> struct sum<L, expr<L, A...>, expr<L, B...>> {
    typedef expr<L, A..., B...> type;
};
template <typename L, typename A> struct as_expr { typedef expr<L, A> type; };
template <typename L, typename... A> struct as_expr<L, expr<L, A...>> { typedef expr<L, A...> type; };
template <typename L> L library_of(const op<L> *);
template <typename A, typename B, typename L = decltype(library_of((const A *)0)),
          typename M = decltype(library_of((const B *)0))>
__host__ __device__ typename sum<L, typename as_expr<L, A>::type, typename as_expr<M, B>::type>::type
operator+(const A &, const B &);
} // namespace cuwarp_dx
#define CUWARP_DX_NUMBERS(name, kind_of)                                                                               \
    template <unsigned... v> struct name : cuwarp_dx::op<cuwarp_library> {                                             \
        enum { cuwarp_kind = cuwarp_dx::kind_of };                                                                     \
        typedef cuwarp_dx::numbers<v...> values;                                                                       \
    };
#define CUWARP_DX_VALUES(name, kind_of)                                                                                \
    template <auto... v> struct name : cuwarp_dx::op<cuwarp_library> {                                                 \
        enum { cuwarp_kind = cuwarp_dx::kind_of };                                                                     \
        typedef cuwarp_dx::numbers<unsigned(v)...> values;                                                             \
    };
#define CUWARP_DX_PLAIN(name, kind_of)                                                                                 \
    struct name : cuwarp_dx::op<cuwarp_library> {                                                                      \
        enum { cuwarp_kind = cuwarp_dx::kind_of };                                                                     \
    };
#define CUWARP_DX_LIBRARY(is_it_fft, is_it_solver, is_of_rows, members_of, shape_of)                                   \
    enum sm_modifier { generic, arch_specific, family_specific };                                                      \
    enum class type { real, complex };                                                                                 \
    enum arrangement { col_major, row_major };                                                                         \
    enum fill_mode { upper, lower };                                                                                   \
    enum transpose_mode { non_trans, trans, conj_trans, non_transposed = non_trans, transposed = trans,                \
                          conj_transposed = conj_trans };                                                              \
    typedef transpose_mode transpose;                                                                                  \
    enum class side { left, right };                                                                                   \
    constexpr side left = side::left, right = side::right;                                                             \
    enum class diag { non_unit, unit };                                                                                \
    enum class job { no_vectors, multiply_vectors, all_vectors, overwrite_vectors, some_vectors };                     \
    struct cuwarp_library {                                                                                            \
        enum { is_fft = is_it_fft, is_solver = is_it_solver, is_rows_by_columns = is_of_rows };                        \
        enum class code_type { ptx, ltoir };                                                                           \
        typedef arrangement arrangement_type;                                                                          \
        typedef fill_mode fill_mode_type;                                                                              \
        typedef side side_type;                                                                                        \
        typedef diag diag_type;                                                                                        \
        typedef job job_type;                                                                                          \
        typedef type number_type;                                                                                      \
        template <typename E> using members = members_of<E>;                                                           \
        template <unsigned... n> using shape = shape_of<n...>;                                                         \
    };                                                                                                                 \
    namespace experimental {                                                                                           \
    typedef cuwarp_library::code_type code_type;                                                                       \
    template <typename D> struct code_type_of {                                                                        \
        static constexpr code_type value = D::code;                                                                    \
    };                                                                                                                 \
    CUWARP_DX_VALUES(CodeType, NONE)                                                                                   \
    }                                                                                                                  \
    using cuwarp_dx::complex;                                                                                          \
    typedef unsigned char byte;                                                                                        \
    CUWARP_DX_NUMBERS(Size, SIZE)                                                                                      \
    CUWARP_DX_NUMBERS(BlockDim, BLOCK_DIM)                                                                             \
    CUWARP_DX_NUMBERS(ElementsPerThread, ELEMENTS)                                                                     \
    CUWARP_DX_NUMBERS(FFTsPerBlock, BATCHES)                                                                           \
    CUWARP_DX_NUMBERS(BatchesPerBlock, BATCHES)                                                                        \
    CUWARP_DX_NUMBERS(LeadingDimension, LEADING)                                                                       \
    CUWARP_DX_NUMBERS(Alignment, NONE)                                                                                 \
    CUWARP_DX_NUMBERS(MaxUncompChunkSize, NONE)                                                                        \
    CUWARP_DX_VALUES(Type, TYPE)                                                                                       \
    CUWARP_DX_VALUES(Direction, DIRECTION)                                                                             \
    CUWARP_DX_VALUES(Function, FUNCTION)                                                                               \
    CUWARP_DX_VALUES(Arrangement, ARRANGEMENT)                                                                         \
    CUWARP_DX_VALUES(FillMode, FILL)                                                                                   \
    CUWARP_DX_VALUES(TransposeMode, TRANSPOSE)                                                                         \
    CUWARP_DX_VALUES(Side, SIDE)                                                                                       \
    CUWARP_DX_VALUES(Diag, DIAG)                                                                                       \
    CUWARP_DX_VALUES(Job, JOB)                                                                                         \
    CUWARP_DX_VALUES(Algorithm, ALGORITHM)                                                                             \
    CUWARP_DX_VALUES(DataType, NONE)                                                                                   \
    CUWARP_DX_VALUES(CodeType, NONE)                                                                                   \
    CUWARP_DX_VALUES(Generator, NONE)                                                                                  \
    CUWARP_DX_VALUES(SM, SM_OF)                                                                                        \
    template <typename... T> struct Precision : cuwarp_dx::op<cuwarp_library> {                                        \
        enum { cuwarp_kind = cuwarp_dx::PRECISION };                                                                   \
        typedef typename std::tuple_element<0, std::tuple<T...>>::type a;                                              \
    };                                                                                                                 \
    CUWARP_DX_VALUES(RealFFTOptions, NONE)                                                                             \
    CUWARP_DX_VALUES(BlockWarp, WARPS)                                                                                 \
    CUWARP_DX_PLAIN(Block, LEVEL_BLOCK)                                                                                \
    CUWARP_DX_PLAIN(Thread, LEVEL_THREAD)                                                                              \
    CUWARP_DX_VALUES(BlocksPerCluster, CLUSTER)                                                                        \
    CUWARP_DX_VALUES(TileSize, TILE)                                                                                   \
    CUWARP_DX_VALUES(PhiloxRounds, NONE)                                                                               \
    CUWARP_DX_PLAIN(Cluster, NONE)                                                                                     \
    CUWARP_DX_PLAIN(Warp, NONE)                                                                                        \
    CUWARP_DX_PLAIN(StaticBlockDim, NONE)                                                                              \
    CUWARP_DX_PLAIN(WithPipeline, NONE)                                                                                \
    CUWARP_DX_PLAIN(EnableInputStreaming, NONE)                                                                        \
    template <typename D> struct cuwarp_size_of {                                                                      \
        static constexpr unsigned m = D::m_size, n = D::n_size, k = D::k_size;                                         \
    };                                                                                                                 \
    template <typename D> constexpr unsigned size_of_v_m = D::m_size;                                                  \
    template <typename D> constexpr unsigned size_of_v_n = D::n_size;                                                  \
    template <typename D> constexpr unsigned size_of_v_k = D::k_size;                                                  \
    template <typename D> constexpr dim3 block_dim_of_v = D::block_dim;                                                \
    namespace detail {                                                                                                 \
    using cuwarp_dx::complex;                                                                                          \
    template <typename A, typename B> constexpr auto roundUpTo(A n, B to) { return (n + to - 1) / to * to; }           \
    template <typename A, typename B> constexpr auto roundUpDiv(A n, B by) { return (n + by - 1) / by; }               \
    template <auto kind, typename D> constexpr bool has_operator_v =                                                   \
        !std::is_void<typename D::template cuwarp_find<int(kind)>>::value;                                             \
    template <typename T> constexpr bool has_complex_interface_v = cuwarp_dx::is_complex<T>::value;                    \
    }                                                                                                                  \
    enum class operator_type {                                                                                         \
        size = cuwarp_dx::SIZE,                                                                                        \
        precision = cuwarp_dx::PRECISION,                                                                              \
        type = cuwarp_dx::TYPE,                                                                                        \
        block_dim = cuwarp_dx::BLOCK_DIM,                                                                              \
        block = cuwarp_dx::LEVEL_BLOCK,                                                                                \
        thread = cuwarp_dx::LEVEL_THREAD,                                                                              \
        function = cuwarp_dx::FUNCTION,                                                                                \
        direction = cuwarp_dx::DIRECTION,                                                                              \
        arrangement = cuwarp_dx::ARRANGEMENT,                                                                          \
        leading_dimension = cuwarp_dx::LEADING,                                                                        \
        batches_per_block = cuwarp_dx::BATCHES,                                                                        \
        fill_mode = cuwarp_dx::FILL,                                                                                   \
        sm = cuwarp_dx::SM_OF                                                                                          \
    };                                                                                                                 \
    template <typename D> constexpr auto type_of_v = type(D::cuwarp_type);                                             \
    template <typename D> constexpr auto fill_mode_of_v = fill_mode(cuwarp_dx::number_of<cuwarp_dx::FILL, 0, 0,        \
        typename D::template cuwarp_find<cuwarp_dx::FILL>>::value);                                                    \
    template <typename D> constexpr unsigned sm_of_v = cuwarp_dx::number_of<cuwarp_dx::SM_OF, 0, 750,                  \
        typename D::template cuwarp_find<cuwarp_dx::SM_OF>>::value;                                                    \
    template <typename D> struct precision_of { typedef typename D::real_type type, a_type, b_type, c_type; };         \
    template <typename D> using precision_of_t = typename D::real_type;                                                \
    template <typename D> struct arrangement_of {                                                                      \
        static constexpr arrangement a = D::a_arrangement, b = D::b_arrangement, c = D::c_arrangement;                 \
    };                                                                                                                 \
    template <typename D> constexpr arrangement arrangement_of_v_a = D::a_arrangement;                                 \
    template <typename D> constexpr arrangement arrangement_of_v_b = D::b_arrangement;                                 \
    template <typename D> constexpr arrangement arrangement_of_v_c = D::c_arrangement;                                 \
    template <typename D> constexpr auto transpose_mode_of_v = transpose_mode(cuwarp_dx::number_of<                    \
        cuwarp_dx::TRANSPOSE, 0, 0, typename D::template cuwarp_find<cuwarp_dx::TRANSPOSE>>::value);                   \
    template <typename D> constexpr transpose_mode transpose_mode_of_a = transpose_mode_of_v<D>;                       \
    template <typename D> constexpr auto transpose_mode_of_b = transpose_mode(cuwarp_dx::number_of<                    \
        cuwarp_dx::TRANSPOSE, 1, 0, typename D::template cuwarp_find<cuwarp_dx::TRANSPOSE>>::value);                   \
    template <typename D> constexpr auto side_of_v = D::side;                                                          \
    template <typename D> constexpr auto diag_of_v = D::diag;                                                          \
    template <typename D> constexpr auto job_of_v = D::job;                                                            \
    template <typename D> constexpr auto jobu_of_v = D::jobu;                                                          \
    template <typename D> constexpr auto jobvt_of_v = D::jobvt;                                                        \
    template <typename D> struct leading_dimension_of {                                                                \
        static constexpr unsigned a = D::lda, b = D::ldb, c = D::ldc;                                                  \
    };                                                                                                                 \
    template <typename T> struct convert_to_cuda_type : cuwarp_dx::of_cuda<T> {};                                      \
    template <typename D> struct make_complex_type { typedef complex<D> type; };                                       \
    template <typename D> using make_complex_type_t = complex<D>;
namespace cuwarp_dx_slices {
typedef unsigned char byte;
template <typename T, typename... A>
__device__ inline std::tuple<T *> cuwarp_part(byte *memory, size_t at, unsigned align, A...) {
    return std::tuple<T *>((T *)(memory + (at + align - 1) / align * align));
}
template <typename T, typename U, typename... R, typename... A>
__device__ inline std::tuple<T *, U *, R *...> cuwarp_part(byte *memory, size_t at, unsigned align, size_t n,
                                                           A... rest) {
    std::tuple<T *, U *, R *...> all;
    at = (at + align - 1) / align * align;
    all.head = (T *)(memory + at);
    static_cast<std::tuple<U *, R *...> &>(all) = cuwarp_part<U, R...>(memory, at + n * sizeof(T), rest...);
    return all;
}
/* Pointers to one array after the other; of the last one the size may be missing. */
template <typename... T, typename... A> __device__ inline std::tuple<T *...> slice(byte *memory, A... sizes) {
    return cuwarp_part<T...>(memory, 0, sizes...);
}
} // namespace cuwarp_dx_slices
namespace commondx {
using cuwarp_dx::complex;
template <typename T> struct cuwarp_number { typedef T type; };
template <typename T> struct cuwarp_number<complex<T>> { typedef T type; };
template <> struct cuwarp_number<__half> { typedef float type; };
template <> struct cuwarp_number<__nv_bfloat16> { typedef float type; };
template <> struct cuwarp_number<__half2> { typedef float type; };
template <> struct cuwarp_number<__nv_fp8_e4m3> { typedef float type; };
template <> struct cuwarp_number<__nv_fp8_e5m2> { typedef float type; };
template <typename T> using cuwarp_of_number = typename cuwarp_number<typename cuwarp_number<T>::type>::type;
template <typename T> constexpr bool is_floating_point_v = std::is_floating_point<cuwarp_of_number<T>>::value;
template <typename T> constexpr bool is_signed_integral_v = std::is_integral<T>::value && std::is_signed<T>::value;
template <typename T> constexpr bool is_unsigned_integral_v = std::is_integral<T>::value && std::is_unsigned<T>::value;
template <typename T> constexpr bool is_integral_v = std::is_integral<cuwarp_of_number<T>>::value;
template <unsigned sm> struct device_info {
    static constexpr unsigned shared_memory() { /* kilobytes, as in the programming guide */
        return 1024 * (sm == 750 ? 64 : sm == 800 || sm == 870 ? 163 : sm == 860 || sm == 890 || sm >= 1200 ? 99 : 227);
    }
};
} // namespace commondx
#define CUWARP_DX_ONE_SIZE                                                                                             \
    template <typename D> struct size_of : cuwarp_size_of<D> { static constexpr unsigned value = D::m_size; };         \
    template <typename D> constexpr unsigned size_of_v = D::m_size;
#define CUWARP_DX_THREE_SIZES                                                                                          \
    template <typename D> struct size_of : cuwarp_size_of<D> {                                                         \
        static constexpr std::tuple<unsigned, unsigned, unsigned> value{D::m_size, D::n_size, D::k_size};              \
    };                                                                                                                 \
    template <typename D> constexpr std::tuple<unsigned, unsigned, unsigned> size_of_v = size_of<D>::value;
namespace cufftdx {
CUWARP_DX_LIBRARY(1, 0, 0, cuwarp_dx::no_members, cuwarp_dx::no_shape)
CUWARP_DX_ONE_SIZE
enum class fft_type { cuwarp_none, c2c, c2r, r2c };
enum class fft_direction { forward, inverse };
enum class complex_layout { natural, packed, full };
enum class real_mode { normal, folded };
template <typename D> constexpr bool is_fft = true;
template <typename D> struct type_of { static constexpr fft_type value = fft_type(D::cuwarp_type); };
template <typename D> struct real_fft_mode_of { static constexpr real_mode value = real_mode::normal; };
template <typename D, typename... O> struct replace;
/* An operator of the same kind that comes later counts. */
template <typename L, typename... A, typename... O> struct replace<cuwarp_dx::expr<L, A...>, O...> {
    typedef cuwarp_dx::expr<L, A..., O...> type;
};
template <typename D, typename... O> using replace_t = typename replace<D, O...>::type;
template <typename D> typename D::workspace_type make_workspace(cudaError_t &error, cudaStream_t stream = 0);
} // namespace cufftdx
namespace cusolverdx {
CUWARP_DX_LIBRARY(0, 1, 0, cuwarp_dx::no_members, cuwarp_dx::no_shape)
CUWARP_DX_THREE_SIZES
enum function { potrf, potrs, posv, getrf_no_pivot, getrs_no_pivot, gesv_no_pivot, getrf_partial_pivot,
                getrs_partial_pivot, gesv_partial_pivot, geqrf, unmqr, ungqr, gelqf, unmlq, unglq, gels, trsm, htev,
                modified_lu,
                heev, bdsvd, gesvd, gtsv_no_pivot, hegst, hegv };
template <typename D> constexpr auto function_of_v = function(cuwarp_dx::number_of<cuwarp_dx::FUNCTION, 0, 0,
    typename D::template cuwarp_find<cuwarp_dx::FUNCTION>>::value);
template <typename D, unsigned m, unsigned n, arrangement a, unsigned batches = 1, typename... A>
__device__ void copy_2d(A &&...);
template <typename D, unsigned m, unsigned n, typename... A> __device__ void copy_2d(A &&...);
template <unsigned threads, unsigned m, unsigned n, arrangement a, unsigned batches = 1, typename... A>
__device__ void copy_2d(A &&...);
namespace shared_memory {
using namespace cuwarp_dx_slices;
}
} // namespace cusolverdx
namespace curanddx {
CUWARP_DX_LIBRARY(0, 0, 0, cuwarp_dx::no_members, cuwarp_dx::no_shape)
enum generator { xorwow, mrg32k3a, philox4_32, pcg, sobol32, scrambled_sobol32, sobol64, scrambled_sobol64, mtgp32 };
enum normal_method { box_muller, icdf };
template <typename T> struct cuwarp_vectors {
    typedef uint2 two;
    typedef uint4 four;
};
template <> struct cuwarp_vectors<float> {
    typedef float2 two;
    typedef float4 four;
};
template <> struct cuwarp_vectors<double> {
    typedef double2 two;
    typedef double4 four;
};
template <typename T> using cuwarp_two = typename cuwarp_vectors<T>::two;
template <typename T> using cuwarp_four = typename cuwarp_vectors<T>::four;
template <typename T> struct cuwarp_distribution {
    template <typename... A> __host__ __device__ cuwarp_distribution(A...) {}
    template <typename R> __device__ T generate(R &) const;
    template <typename R> __device__ cuwarp_two<T> generate2(R &) const;
    template <typename R> __device__ cuwarp_four<T> generate4(R &) const;
};
template <typename T> struct uniform_bits : cuwarp_distribution<T> {
    using cuwarp_distribution<T>::cuwarp_distribution;
};
template <typename T> struct uniform : cuwarp_distribution<T> { using cuwarp_distribution<T>::cuwarp_distribution; };
template <typename T, normal_method m = icdf> struct normal : cuwarp_distribution<T> {
    using cuwarp_distribution<T>::cuwarp_distribution;
};
template <typename T, normal_method m = icdf> struct log_normal : cuwarp_distribution<T> {
    using cuwarp_distribution<T>::cuwarp_distribution;
};
} // namespace curanddx
namespace nvcompdx {
CUWARP_DX_LIBRARY(0, 0, 0, cuwarp_dx::no_members, cuwarp_dx::no_shape)
enum class algorithm { lz4, ans };
enum class datatype { uint8, float16, bfloat16, uint16, uint32 };
enum class direction { compress, decompress };
} // namespace nvcompdx
#define CUFFTDX_STD std
#define CUSOLVERDX_STD std
#define COMMONDX_STL_NAMESPACE std
#define CUFFTDX_SKIP_IF_NOT_APPLICABLE_SM(D)
#define CUSOLVERDX_SKIP_IF_NOT_APPLICABLE_SM(D)
#define CURANDDX_SKIP_IF_NOT_APPLICABLE_SM(D)
#define NVCOMPDX_SKIP_IF_NOT_APPLICABLE_SM(D)
#define CUFFTDX_HOST_DEVICE __host__ __device__
#define CUSOLVERDX_HOST_DEVICE __host__ __device__
#define CUSOLVERDX_DEVICE __device__
