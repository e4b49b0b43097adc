// MoE: sort token slots by expert and pad each expert to a multiple of block_size.  nvcc -arch=sm_80
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#define CEILDIV(x, y) (((x) + (y)-1) / (y))
#define VLLM_DISPATCH_INDEX(is64, NAME, ...)                    \
  do {                                                          \
    if (is64) { using NAME = int64_t; __VA_ARGS__(); }          \
    else { using NAME = int32_t; __VA_ARGS__(); }               \
  } while (0)

namespace moe {

__device__ __forceinline__ int32_t index(int32_t total_col, int32_t row, int32_t col) {
  return row * total_col + col;
}

template <typename scalar_t>
__global__ void moe_align_block_size_kernel(const scalar_t *__restrict__ topk_ids,
                                            int32_t *__restrict__ sorted_token_ids,
                                            int32_t *__restrict__ expert_ids,
                                            int32_t *__restrict__ total_tokens_post_pad, int32_t num_experts,
                                            int32_t block_size, size_t numel) {
  const size_t tokens_per_thread = CEILDIV(numel, blockDim.x);
  const size_t start_idx = threadIdx.x * tokens_per_thread;

  extern __shared__ int32_t shared_mem[];
  int32_t *cumsum = shared_mem;                      // [num_experts + 1]
  int32_t *tokens_cnts = shared_mem + num_experts + 1;  // [blockDim.x + 1][num_experts]

  for (int i = 0; i < num_experts; ++i) tokens_cnts[index(num_experts, threadIdx.x + 1, i)] = 0;
  if (threadIdx.x < num_experts) tokens_cnts[index(num_experts, 0, threadIdx.x)] = 0;

  for (size_t i = start_idx; i < numel && i < start_idx + tokens_per_thread; ++i)
    ++tokens_cnts[index(num_experts, threadIdx.x + 1, static_cast<int32_t>(topk_ids[i]))];
  __syncthreads();

  // running count per expert over the threads' shards
  if (threadIdx.x < num_experts) {
    for (int i = 1; i <= static_cast<int>(blockDim.x); ++i)
      tokens_cnts[index(num_experts, i, threadIdx.x)] += tokens_cnts[index(num_experts, i - 1, threadIdx.x)];
  }
  __syncthreads();

  if (threadIdx.x == 0) {
    cumsum[0] = 0;
    for (int e = 1; e <= num_experts; ++e) {
      const int32_t cnt = tokens_cnts[index(num_experts, blockDim.x, e - 1)];
      cumsum[e] = cumsum[e - 1] + CEILDIV(cnt, block_size) * block_size;
    }
    *total_tokens_post_pad = cumsum[num_experts];
  }
  __syncthreads();

  if (threadIdx.x < num_experts) {
    for (int i = cumsum[threadIdx.x]; i < cumsum[threadIdx.x + 1]; i += block_size)
      expert_ids[i / block_size] = threadIdx.x;
  }

  // row threadIdx.x holds how many tokens of each expert precede this thread's shard
  for (size_t i = start_idx; i < numel && i < start_idx + tokens_per_thread; ++i) {
    const int32_t expert = static_cast<int32_t>(topk_ids[i]);
    const int32_t rank = tokens_cnts[index(num_experts, threadIdx.x, expert)] + cumsum[expert];
    sorted_token_ids[rank] = static_cast<int32_t>(i);
    ++tokens_cnts[index(num_experts, threadIdx.x, expert)];
  }
}

}  // namespace moe

// sorted_token_ids is prefilled with numel by the caller
void moe_align_block_size(const void *topk_ids, bool ids_are_int64, int64_t numel, int64_t num_experts,
                          int64_t block_size, int32_t *sorted_token_ids, int32_t *expert_ids,
                          int32_t *num_tokens_post_pad, cudaStream_t stream) {
  VLLM_DISPATCH_INDEX(ids_are_int64, scalar_t, [&] {
    const int32_t num_thread = std::max(static_cast<int32_t>(CEILDIV(num_experts, 32) * 32), 64);
    const size_t shared = ((num_thread + 1) * num_experts + (num_experts + 1)) * sizeof(int32_t);
    auto kernel = moe::moe_align_block_size_kernel<scalar_t>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    kernel<<<1, num_thread, shared, stream>>>(static_cast<const scalar_t *>(topk_ids), sorted_token_ids,
                                              expert_ids, num_tokens_post_pad,
                                              static_cast<int32_t>(num_experts),
                                              static_cast<int32_t>(block_size), numel);
  });
}
