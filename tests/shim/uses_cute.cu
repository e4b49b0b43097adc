// CUTLASS's cute as projects use it. What is asserted of shapes and positions holds with the library's own headers too:
//   clang++ -std=c++17 -x cuda --cuda-device-only -I CUTLASS/include -fsyntax-only uses_cute.cu
#include <cute/tensor.hpp>
#include <type_traits>
using namespace cute;
constexpr int M = 64, N = 128, K = 64, WARPS = 4;
#define SAME(a, b) static_assert((a) == (b), #a " is not " #b)
#define SIZE(...) decltype(size(__VA_ARGS__))::value
#define MODE(i, ...) decltype(size<i>(__VA_ARGS__))::value

using Element = cutlass::half_t;
using Mma = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<Int<WARPS>, _1, _1>>,
                     Tile<Int<16 * WARPS>, _16, _16>>;
using SmemAtom = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, Int<K>>, Stride<Int<K>, _1>>{}));
using SmemQ = decltype(tile_to_shape(SmemAtom{}, Shape<Int<M>, Int<K>>{}));
using SmemK = decltype(tile_to_shape(SmemAtom{}, Shape<Int<N>, Int<K>>{}));
using SmemVt = decltype(composition(SmemK{}, make_layout(Shape<Int<K>, Int<N>>{}, GenRowMajor{})));
using GmemCopy = decltype(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>, Element>{},
                                          Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}));
using SmemCopy = Copy_Atom<SM75_U32x4_LDSM_N, Element>;
using SmemCopyT = Copy_Atom<SM75_U16x8_LDSM_T, Element>;
using StoreCopy = Copy_Atom<AutoVectorizingCopyWithAssumedAlignment<128>, Element>;
SAME(size(SmemQ{}), M *K);
SAME(size<0>(SmemK{}), N);
SAME(size<0>(SmemVt{}), K);
SAME(size(Mma{}), 32 * WARPS);
SAME(decltype(Mma{}.template tile_size_mnk<1>())::value, 16);
SAME(ceil_div(100, 32), 4);
SAME(decltype(Int<3>{} * Int<4>{})::value, 12);
SAME((Layout<Shape<_4, _8>, Stride<_8, _1>>{}(2, 3)), 19);
SAME((Layout<Shape<_4, _8>>{}(2, 3)), 14);
SAME((make_layout(Shape<Shape<_2, _3>, _4>{})(5, 1)), 11);
SAME((make_layout(Shape<Shape<_2, _3>, _4>{})(make_coord(1, 2), 1)), 11);
SAME((make_layout(Shape<_4, _8>{}, GenRowMajor{})(1, 2)), 10);

template <class Layout> __device__ auto rows_and_columns(Layout l) {
    static_assert(decltype(size<0>(l))::value == 4 && decltype(rank(l))::value == 3);
    auto d = logical_divide(l, Shape<_2>{});
    return make_layout(make_layout(get<0, 1>(d), get<1>(d)), make_layout(get<0, 0>(d), get<2>(d)));
}
template <class Layout> __device__ auto operand_of(Layout l) {
    auto d = logical_divide(l, Shape<Underscore, Underscore, _2>{});
    return make_layout(make_layout(get<0>(d), get<2, 0>(d)), get<1>(d), get<2, 1>(d));
}
template <class Engine, class Layout> __device__ float sum_of(Tensor<Engine, Layout> const &t) {
    static_assert(std::is_same<typename Engine::value_type, float>::value);
    float sum = 0;
    for (int i = 0; i < size(t); ++i)
        sum += t(i);
    return sum;
}

__global__ void attend(Element *q, Element *k, float *out, int rows, int row_stride, int heads) {
    extern __shared__ char smem[];
    const int tid = threadIdx.x;
    Tensor mQ =
        make_tensor(make_gmem_ptr(q), make_shape(rows, heads, Int<K>{}), make_stride(row_stride, Int<K>{}, _1{}));
    Tensor gQ = local_tile(mQ(_, blockIdx.y, _), Shape<Int<M>, Int<K>>{}, make_coord(blockIdx.x, 0));
    Tensor gK = local_tile(make_tensor(make_gmem_ptr(k), make_shape(rows, Int<K>{}), make_stride(row_stride, _1{})),
                           Shape<Int<N>, Int<K>>{}, make_coord(_, 0));
    SAME(MODE(0, gQ), M);
    SAME(decltype(rank(gK))::value, 3);
    Tensor sQ = make_tensor(make_smem_ptr(reinterpret_cast<Element *>(smem)), SmemQ{});
    Tensor sK = make_tensor(sQ.data() + size(sQ), SmemK{});
    Tensor sVt = make_tensor(sK.data(), SmemVt{});

    GmemCopy gmem_copy;
    auto thread_copy = gmem_copy.get_thread_slice(tid);
    Tensor tQgQ = thread_copy.partition_S(gQ);
    Tensor tQsQ = thread_copy.partition_D(sQ);
    Tensor tKgK = thread_copy.partition_S(gK);
    SAME(MODE(0, tQsQ), 8);
    SAME(MODE(1, tQsQ), M / 16);
    SAME(MODE(2, tQsQ), K / 64);
    SAME(MODE(1, tKgK), N / 16);
    CUTE_STATIC_ASSERT_V(size<1>(tQgQ) == size<1>(tQsQ));
    Tensor cQ = make_identity_tensor(make_shape(size<0>(sQ), size<1>(sQ)));
    Tensor tQcQ = thread_copy.partition_S(cQ);
    Tensor tQpQ = make_tensor<bool>(make_shape(size<2>(tQsQ)));
    for (int i = 0; i < size(tQpQ); ++i)
        tQpQ(i) = get<1>(tQcQ(0, 0, i)) < heads;
    for (int m = 0; m < size<1>(tQgQ); ++m)
        if (get<0>(tQcQ(0, m, 0)) < rows && tQpQ(0))
            cute::copy(gmem_copy, tQgQ(_, m, _), tQsQ(_, m, _));
    cp_async_fence();
    cp_async_wait<0>();
    __syncthreads();

    Mma mma;
    auto thread_mma = mma.get_thread_slice(tid);
    Tensor tSrQ = thread_mma.partition_fragment_A(sQ);
    Tensor tSrK = thread_mma.partition_fragment_B(sK);
    Tensor tOrVt = thread_mma.partition_fragment_B(sVt);
    Tensor scores = partition_fragment_C(mma, Shape<Int<M>, Int<N>>{});
    SAME(MODE(0, tSrQ), 8);
    SAME(MODE(1, tSrQ), M / 16 / WARPS);
    SAME(MODE(2, tSrQ), K / 16);
    SAME(MODE(0, tSrK), 4);
    SAME(MODE(1, tSrK), N / 8);
    SAME(MODE(1, tOrVt), K / 8);
    SAME(MODE(2, tOrVt), N / 16);
    SAME(SIZE(scores), M * N / 32 / WARPS);
    clear(scores);

    auto copy_q = make_tiled_copy_A(SmemCopy{}, mma);
    auto copy_k = make_tiled_copy_B(SmemCopy{}, mma);
    auto copy_v = make_tiled_copy_B(SmemCopyT{}, mma);
    auto thread_copy_q = copy_q.get_thread_slice(tid);
    auto thread_copy_k = copy_k.get_thread_slice(tid);
    Tensor tSsQ = thread_copy_q.partition_S(sQ);
    Tensor tSsK = thread_copy_k.partition_S(sK);
    Tensor view_q = thread_copy_q.retile_D(tSrQ);
    Tensor view_k = thread_copy_k.retile_D(tSrK);
    SAME(MODE(0, view_q), 8);
    SAME(MODE(0, view_k), 8);
    SAME(MODE(1, view_q), MODE(1, tSsQ));
    SAME(MODE(2, view_q), MODE(2, tSsQ));
    SAME(MODE(1, view_k), MODE(1, tSsK));
    SAME(MODE(2, view_k), MODE(2, tSsK));
    SAME(MODE(1, tSsK), N / 16);
    Tensor tOsVt = copy_v.get_thread_slice(tid).partition_S(sVt);
    SAME(MODE(1, tOsVt), K / 16);
    SAME(MODE(2, tOsVt), N / 16);
    SAME(MODE(2, tSsK), K / 16);
    for (int i = 0; i < size<2>(tSrQ); ++i) {
        cute::copy(copy_q, tSsQ(_, _, i), view_q(_, _, i));
        cute::copy(copy_k, tSsK(_, _, i), view_k(_, _, i));
        cute::gemm(mma, tSrQ(_, _, i), tSrK(_, _, i), scores);
    }
    Tensor by_row = make_tensor(scores.data(), rows_and_columns(scores.layout()));
    SAME(decltype(by_row)::layout_type::rank, 2);
    SAME(MODE(0, by_row), 2 * M / 16 / WARPS);
    SAME(MODE(1, by_row), 2 * N / 8);
    Tensor row_max = make_tensor<float>(Shape<Int<MODE(0, by_row)>>{});
    for (int m = 0; m < size<0>(by_row); ++m) {
        row_max(m) = by_row(m, 0);
        for (int n = 1; n < size<1>(by_row); ++n)
            row_max(m) = row_max(m) < by_row(m, n) ? by_row(m, n) : row_max(m);
        by_row(m, make_coord(0, 1)) *= 2;
    }
    Tensor before = make_fragment_like(row_max);
    cute::copy(row_max, before);
    Tensor operand = make_tensor(scores.data(), operand_of(scores.layout()));
    SAME(MODE(0, operand), 8);
    SAME(MODE(2, operand), N / 16);
    Tensor cC = make_identity_tensor(Shape<Int<M>, Int<N>>{});
    Tensor tCcC = thread_mma.partition_C(cC);
    Tensor row_of = logical_divide(tCcC, Shape<_2>{})(make_coord(0, _), _, 0);
    SAME(SIZE(row_of), MODE(0, by_row));
    auto copy_o = make_tiled_copy_C(StoreCopy{}, mma);
    Tensor tOsO = copy_o.get_thread_slice(tid).partition_D(make_tensor(
        make_smem_ptr(reinterpret_cast<float *>(smem)), Layout<Shape<Int<M>, Int<N>>, Stride<Int<N>, _1>>{}));
    Tensor tOrO = copy_o.get_thread_slice(tid).retile_S(scores);
    SAME(SIZE(tOsO), SIZE(scores));
    SAME(SIZE(tOrO), SIZE(scores));
    SAME(MODE(1, tOsO), MODE(1, tOrO));
    SAME(MODE(2, tOsO), MODE(2, tOrO));
    Tensor gO = make_tensor(make_gmem_ptr(out), Shape<Int<M>>{}, Stride<_1>{});
    for (int i = 0; i < size(row_of); ++i)
        gO(get<0>(row_of(i))) = before(i) + sum_of(scores);
}
