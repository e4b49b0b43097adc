#include "part.cuh"

#include <cstdint>

namespace mgl {

template <typename T> struct less_t {
    __host__ __device__ bool operator()(T a, T b) const { return a < b; }
};

template <typename key_t, typename Comp>
__global__ void partition_kernel(const key_t* a, int na, const key_t* b, int nb, int nv, int* mp, int num, Comp comp)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < num) mp[i] = merge_path(a, na, b, nb, min(i * nv, na + nb), comp);
}

template <int nt, int vt, typename key_t, typename val_t, typename Comp>
__global__ void __launch_bounds__(nt)
merge_kernel(const key_t* a, const val_t* va, int na, const key_t* b, const val_t* vb, int nb, key_t* out,
             val_t* vout, const int* mp, Comp comp)
{
    using merge_t = cta_merge_t<nt, vt, key_t, val_t, Comp>;
    __shared__ typename merge_t::storage_t shared;
    const int d0 = blockIdx.x * merge_t::nv;
    const int d1 = min(d0 + merge_t::nv, na + nb);
    const int a0 = mp[blockIdx.x], a1 = mp[blockIdx.x + 1];
    const merge_range_t r{a0, a1, d0 - a0, d1 - a1};
    merge_t{shared, comp}.merge(a, b, va, vb, r, out, vout, d0);
}

template <typename key_t, typename val_t>
cudaError_t merge(const key_t* a, const val_t* va, int na, const key_t* b, const val_t* vb, int nb, key_t* out,
                  val_t* vout, int* mp, cudaStream_t stream)
{
    constexpr int nt = 128;
    constexpr int vt = sizeof(key_t) > 4 ? 7 : 11;
    const int nv = nt * vt;
    const int ctas = (na + nb + nv - 1) / nv;
    if (!ctas) return cudaSuccess;
    less_t<key_t> comp;
    partition_kernel<<<(ctas + 1 + 63) / 64, 64, 0, stream>>>(a, na, b, nb, nv, mp, ctas + 1, comp);
    merge_kernel<nt, vt><<<ctas, nt, 0, stream>>>(a, va, na, b, vb, nb, out, vout, mp, comp);
    return cudaGetLastError();
}

template cudaError_t merge<int, empty_t>(const int*, const empty_t*, int, const int*, const empty_t*, int, int*,
                                         empty_t*, int*, cudaStream_t);
template cudaError_t merge<int64_t, float>(const int64_t*, const float*, int, const int64_t*, const float*, int,
                                           int64_t*, float*, int*, cudaStream_t);

}  // namespace mgl
