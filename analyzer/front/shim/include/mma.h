// Matrix fragments; the calls on them are in intrinsics_async.def.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
template <typename T> struct cuwarp_stored { typedef T type; };
template <> struct cuwarp_stored<precision::tf32> { typedef float type; };
template <> struct cuwarp_stored<experimental::precision::u4> { typedef unsigned type; };
template <> struct cuwarp_stored<experimental::precision::s4> { typedef int type; };
template <> struct cuwarp_stored<experimental::precision::b1> { typedef unsigned type; };
template <typename Use, int M, int N, int K> struct cuwarp_size { static constexpr int value = M * N / 32; };
template <int M, int N, int K> struct cuwarp_size<matrix_a, M, N, K> { static constexpr int value = M * K / 16; };
template <int M, int N, int K> struct cuwarp_size<matrix_b, M, N, K> { static constexpr int value = K * N / 16; };
template <typename Use, int M, int N, int K, typename T, typename Layout = void> struct fragment {
    typedef typename cuwarp_stored<T>::type element_type;
    typedef element_type storage_element_type;
    static constexpr int num_elements = cuwarp_size<Use, M, N, K>::value, num_storage_elements = num_elements;
    element_type x[num_elements];
};
//@ wmma | __device__
}
}
