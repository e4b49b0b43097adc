// MoE token permutation: counting sort by expert, grouped GEMM input, weighted un-permute.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

namespace moe {

struct Dims {
  int tokens;
  int topk;
  int experts;
  int hidden;
};

__global__ void count_experts(const int* __restrict__ topk_ids, int n, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[topk_ids[i]], 1);
}

// one block; experts <= blockDim.x
__global__ void scan_experts(const int* __restrict__ counts, int experts, int* offsets, int* cursor) {
  extern __shared__ int s[];
  const int e = threadIdx.x;
  s[e] = e < experts ? counts[e] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    const int v = e >= d ? s[e - d] : 0;
    __syncthreads();
    s[e] += v;
    __syncthreads();
  }
  if (e < experts) {
    offsets[e + 1] = s[e];
    cursor[e] = e ? s[e - 1] : 0;
    if (e == 0) offsets[0] = 0;
  }
}

__global__ void assign_rows(const int* __restrict__ topk_ids, int n, int* cursor, int* row_of_pair, int* pair_of_row) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int row = atomicAdd(&cursor[topk_ids[i]], 1);
  row_of_pair[i] = row;
  pair_of_row[row] = i;
}

__global__ void permute(Dims d, const __half* __restrict__ x, const int* __restrict__ row_of_pair, __half* xs) {
  const int pair = blockIdx.x;
  const __half* src = x + (size_t)(pair / d.topk) * d.hidden;
  __half* dst = xs + (size_t)row_of_pair[pair] * d.hidden;
  for (int h = threadIdx.x; h < d.hidden; h += blockDim.x) dst[h] = src[h];
}

__global__ void unpermute(Dims d, const __half* __restrict__ ys, const int* __restrict__ row_of_pair,
                          const float* __restrict__ gate, __half* y) {
  const int t = blockIdx.x;
  for (int h = threadIdx.x; h < d.hidden; h += blockDim.x) {
    float acc = 0.f;
    for (int k = 0; k < d.topk; ++k) {
      const int pair = t * d.topk + k;
      acc += gate[pair] * __half2float(ys[(size_t)row_of_pair[pair] * d.hidden + h]);
    }
    y[(size_t)t * d.hidden + h] = __float2half(acc);
  }
}

int group_tokens(const Dims& d, const int* topk_ids, const __half* x, int* counts, int* offsets, int* cursor,
                 int* row_of_pair, int* pair_of_row, __half* xs, cudaStream_t s) {
  if (d.experts > 256) return -1;
  const int n = d.tokens * d.topk;
  cudaMemsetAsync(counts, 0, d.experts * sizeof(int), s);
  count_experts<<<(n + 255) / 256, 256, 0, s>>>(topk_ids, n, counts);
  scan_experts<<<1, 256, 256 * sizeof(int), s>>>(counts, d.experts, offsets, cursor);
  assign_rows<<<(n + 255) / 256, 256, 0, s>>>(topk_ids, n, cursor, row_of_pair, pair_of_row);
  permute<<<n, 128, 0, s>>>(d, x, row_of_pair, xs);
  return cudaGetLastError();
}

int ungroup_tokens(const Dims& d, const __half* ys, const int* row_of_pair, const float* gate, __half* y, cudaStream_t s) {
  unpermute<<<d.tokens, 128, 0, s>>>(d, ys, row_of_pair, gate, y);
  return cudaGetLastError();
}

}  // namespace moe
