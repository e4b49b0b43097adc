// MathDx as its users write it: descriptions, tensors of shared memory, solvers, compressors. The static assertions hold
// with the library's own headers, too.
#include <cublasdx.hpp>
#include <cufftdx.hpp>
#include <curanddx.hpp>
#include <cusolverdx.hpp>
#include <nvcompdx.hpp>
#include <functional>
#include <tuple>

using namespace cublasdx;
using Product = decltype(Size<32, 16, 8>() + Precision<float>() + Type<type::complex>() + Function<function::MM>() +
                         Arrangement<row_major, col_major, col_major>() + SM<800>() + Block() + BlockDim<128>());
static_assert(Product::lda == 8 && Product::ldb == 8 && Product::ldc == 32, "");
static_assert(Product::a_size == 256 && Product::b_size == 128 && Product::c_size == 512, "");
static_assert(Product::block_dim.x == 128 && Product::max_threads_per_block == 128, "");
static_assert(arrangement_of<Product>::a == row_major && arrangement_of_v_c<Product> == col_major, "");
static_assert(size_of<Product>::m == 32 && size_of_v_k<Product> == 8, "");
static_assert(sizeof(typename Product::c_value_type) == 8, "");

template <class BLAS> __global__ void multiply(const typename BLAS::a_value_type *a, const typename BLAS::b_value_type *b,
                                               typename BLAS::c_value_type *c) {
    extern __shared__ __align__(16) cublasdx::byte memory[];
    auto a_global = cublasdx::make_tensor(a, BLAS::get_layout_gmem_a());
    auto b_global = cublasdx::make_tensor(b, BLAS::get_layout_gmem_b());
    auto c_global = cublasdx::make_tensor(c, BLAS::get_layout_gmem_c());
    auto [a_memory, b_memory] = cublasdx::slice_shared_memory_ab<BLAS>(memory);
    auto a_shared = cublasdx::make_tensor(a_memory, BLAS::suggest_layout_smem_a());
    auto b_shared = cublasdx::make_tensor(b_memory, BLAS::suggest_layout_smem_b());
    using alignment = cublasdx::alignment_of<BLAS>;
    cublasdx::copy<BLAS, alignment::a>(a_global, a_shared);
    cublasdx::copy<BLAS, alignment::b>(b_global, b_shared);
    cublasdx::copy_wait();
    auto accumulator = BLAS().execute(a_shared, b_shared);
    auto results = accumulator.get_results();
    auto old = accumulator.make_partition_and_copy(c_global);
    cublasdx::axpby(1.0, results, 1.0, old);
    accumulator.partition_and_copy(old, c_global);
}

using Solver = decltype(cusolverdx::Size<16, 8, 4>() + cusolverdx::Precision<double>() +
                        cusolverdx::Type<cusolverdx::type::real>() + cusolverdx::Function<cusolverdx::gels>() +
                        cusolverdx::Arrangement<cusolverdx::col_major, cusolverdx::row_major>() + cusolverdx::SM<800>() +
                        cusolverdx::Block() + cusolverdx::BlockDim<64>());
static_assert(Solver::lda == 16 && Solver::a_arrangement == cusolverdx::col_major, "");
static_assert(cusolverdx::arrangement_of_v_b<Solver> == cusolverdx::row_major, "");

using Compressor = decltype(nvcompdx::Algorithm<nvcompdx::algorithm::lz4>() +
                            nvcompdx::DataType<nvcompdx::datatype::uint8>() +
                            nvcompdx::Direction<nvcompdx::direction::compress>() +
                            nvcompdx::MaxUncompChunkSize<65536>() + nvcompdx::Warp() + nvcompdx::SM<800>());
static_assert(Compressor().shmem_size_group() == 0, "");

void run(float2 *a, float2 *b, float2 *c) {
    using value = typename Product::c_value_type;
    std::function<void()> later = [=] {
        multiply<Product><<<1, Product::block_dim, cublasdx::get_shared_storage_size_ab<Product>()>>>(
            (const value *)a, (const value *)b, (value *)c);
    };
    later();
}
