#include "part.cuh"

#include <stdexcept>
#include <string>

namespace topk {

template <typename K, int BUF, int WARPS>
__global__ void __launch_bounds__(WARPS* kWarp)
select_k_kernel(const K* in, int batch, int len, int k, K* out_k, int* out_i)
{
    const int row = blockIdx.x * WARPS + threadIdx.x / kWarp;
    if (row >= batch) return;
    select_row<K, BUF>(in + (size_t)row * len, len, out_k + (size_t)row * k, out_i + (size_t)row * k, k);
}

inline void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <typename K>
void select_k(const K* in, int batch, int len, int k, K* out_k, int* out_i, cudaStream_t stream)
{
    if (k > kWarp || k > len) throw std::invalid_argument("select_k: k too large");
    if (batch == 0) return;
    constexpr int W = 4;
    const int blocks = (batch + W - 1) / W;
    if (len <= 1024)
        select_k_kernel<K, 2, W><<<blocks, W * kWarp, 0, stream>>>(in, batch, len, k, out_k, out_i);
    else
        select_k_kernel<K, 4, W><<<blocks, W * kWarp, 0, stream>>>(in, batch, len, k, out_k, out_i);
    check(cudaGetLastError(), "select_k_kernel");
}

template void select_k<float>(const float*, int, int, int, float*, int*, cudaStream_t);
template void select_k<int>(const int*, int, int, int, int*, int*, cudaStream_t);

}  // namespace topk
