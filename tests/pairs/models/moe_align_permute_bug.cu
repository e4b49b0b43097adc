// Token permutation for grouped expert GEMMs, every expert padded to a multiple of block_m.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define MAX_EXPERTS 512
#define WARP 32

__host__ __device__ inline int ceil_to(int a, int b) { return (a + b - 1) / b * b; }

struct AlignShared {
  int count[MAX_EXPERTS];
  int scan[2][MAX_EXPERTS];
  int offset[MAX_EXPERTS + 1];
};

// scan of the padded counts, one thread for each expert
__device__ void exclusive_scan_experts(AlignShared& s, int num_experts, int block_m) {
  const int e = threadIdx.x;
  int cur = 0;
  const int padded = ceil_to(s.count[e], block_m);
  s.scan[0][e] = padded;
  __syncthreads();
  for (int d = 1; d < num_experts; d <<= 1) {
    s.scan[cur ^ 1][e] = s.scan[cur][e] + (e >= d ? s.scan[cur][e - d] : 0);
    cur ^= 1;
    __syncthreads();
  }
  s.offset[e + 1] = s.scan[cur][e];
  if (e == 0) s.offset[0] = 0;
}

template <typename index_t>
__global__ void moe_align_kernel(const index_t* __restrict__ topk_ids, int* __restrict__ sorted_ids,
                                 int* __restrict__ expert_of_block, int* __restrict__ total_padded,
                                 int num_experts, int block_m, int numel) {
  __shared__ AlignShared s;
  for (int e = threadIdx.x; e < num_experts; e += blockDim.x) s.count[e] = 0;
  __syncthreads();

  for (int i = threadIdx.x; i < numel; i += blockDim.x) {
    const int e = static_cast<int>(topk_ids[i]);
    if (e >= 0 && e < num_experts) atomicAdd(&s.count[e], 1);
  }
  __syncthreads();

  if (threadIdx.x < num_experts) {
    exclusive_scan_experts(s, num_experts, block_m);
  }
  __syncthreads();

  const int total = s.offset[num_experts];
  if (threadIdx.x == 0) *total_padded = total;

  for (int e = threadIdx.x; e < num_experts; e += blockDim.x) {
    for (int p = s.offset[e]; p < s.offset[e + 1]; p += block_m) expert_of_block[p / block_m] = e;
    s.count[e] = s.offset[e];  // becomes the write cursor
  }
  // pad value is numel, as the grouped GEMM expects
  for (int p = threadIdx.x; p < total; p += blockDim.x) sorted_ids[p] = numel;
  __syncthreads();

  for (int i = threadIdx.x; i < numel; i += blockDim.x) {
    const int e = static_cast<int>(topk_ids[i]);
    if (e >= 0 && e < num_experts) sorted_ids[atomicAdd(&s.count[e], 1)] = i;
  }
}

void moe_align_block_size(torch::Tensor topk_ids, int64_t num_experts, int64_t block_size,
                          torch::Tensor sorted_ids, torch::Tensor expert_ids,
                          torch::Tensor num_tokens_post_pad) {
  TORCH_CHECK(num_experts > 0 && num_experts <= MAX_EXPERTS, "num_experts out of range");
  TORCH_CHECK(block_size > 0, "block_size must be positive");
  const int numel = topk_ids.numel();
  TORCH_CHECK(sorted_ids.numel() >= numel + num_experts * (block_size - 1), "sorted_ids too small");
  int threads = ceil_to((int)num_experts, WARP);
  if (threads < 256) threads = 256;
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();

#define LAUNCH_ALIGN(index_t)                                                               \
  moe_align_kernel<index_t><<<1, threads, 0, stream>>>(                                     \
      topk_ids.data_ptr<index_t>(), sorted_ids.data_ptr<int>(), expert_ids.data_ptr<int>(), \
      num_tokens_post_pad.data_ptr<int>(), (int)num_experts, (int)block_size, numel)

  if (topk_ids.scalar_type() == torch::kLong) {
    LAUNCH_ALIGN(int64_t);
  } else {
    LAUNCH_ALIGN(int);
  }
#undef LAUNCH_ALIGN
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("moe_align_block_size", &moe_align_block_size, "pad and sort tokens by expert");
}
