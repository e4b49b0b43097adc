// Embedding backward: merge equal indices within a warp, then add to the weight gradient.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace embgrad {

constexpr int kWarpsPerBlock = 8;

template <typename index_t>
struct Args {
  const index_t *indices;
  const __half *grad_out;  // [num_indices, dim]
  float *grad_weight;      // [num_weights, dim]
  int num_indices;
  int dim;
  index_t padding_idx;
};

template <typename T>
__device__ __forceinline__ void accumulate(T *dst, T v) {
  atomicAdd(dst, v);
}

// Each warp owns 32 consecutive indices; lanes run along the feature dimension.
template <typename index_t>
__global__ void __launch_bounds__(kWarpsPerBlock * 32) embedding_backward(const Args<index_t> a) {
  const int lane = threadIdx.x & 31;
  const int warp = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
  const int base = warp * 32;
  if (base >= a.num_indices) return;

  const int mine = base + lane;
  const bool valid = mine < a.num_indices && a.indices[mine] != a.padding_idx;
  const index_t idx = valid ? a.indices[mine] : static_cast<index_t>(-1);

  const unsigned live = __ballot_sync(0xffffffffu, valid);
  const unsigned peers = __match_any_sync(0xffffffffu, static_cast<long long>(idx));
  const bool leader = valid && lane == __ffs(peers) - 1;
  unsigned todo = __ballot_sync(0xffffffffu, leader) & live;

  while (todo) {
    const int src = __ffs(todo) - 1;
    todo &= todo - 1;
    const index_t row = __shfl_sync(0xffffffffu, idx, src);
    const unsigned members = __shfl_sync(0xffffffffu, peers, src);
    float *dst = a.grad_weight + static_cast<int64_t>(row) * a.dim;
    for (int d = lane; d < a.dim; d += 32) {
      float sum = 0.f;
      for (unsigned m = members; m; m &= m - 1) {
        const int64_t r = base + __ffs(m) - 1;
        sum += __half2float(a.grad_out[r * a.dim + d]);
      }
      accumulate(dst + d, sum);
    }
  }
}

template <typename index_t>
void launch(const Args<index_t> &a, cudaStream_t stream) {
  const int warps = (a.num_indices + 31) / 32;
  const int grid = (warps + kWarpsPerBlock - 1) / kWarpsPerBlock;
  if (grid > 0) embedding_backward<index_t><<<grid, kWarpsPerBlock * 32, 0, stream>>>(a);
}

}  // namespace embgrad

void embedding_dense_backward(const void *indices, bool is_int64, const __half *grad_out, float *grad_weight,
                              int num_indices, int num_weights, int dim, int64_t padding_idx,
                              cudaStream_t stream) {
  cudaMemsetAsync(grad_weight, 0, sizeof(float) * static_cast<size_t>(num_weights) * dim, stream);
  if (is_int64) {
    embgrad::launch(embgrad::Args<int64_t>{static_cast<const int64_t *>(indices), grad_out, grad_weight,
                                           num_indices, dim, padding_idx}, stream);
  } else {
    embgrad::launch(embgrad::Args<int32_t>{static_cast<const int32_t *>(indices), grad_out, grad_weight,
                                           num_indices, dim, static_cast<int32_t>(padding_idx)}, stream);
  }
}
