// MoE routing: counts tokens per expert, pads to the GEMM tile, emits sorted token slots.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <algorithm>

#define MAX_EXPERTS 256
#define ALIGN_THREADS 256

namespace moe {

struct AlignArgs {
  const int* topk_ids;
  int* sorted_ids;
  int* expert_of_tile;
  int* total;
  int numel;
  int nexpert;
  int tile;
};

__device__ __forceinline__ int ceil_mul(int v, int m) { return (v + m - 1) / m * m; }

__device__ void clear(int* p, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v;
}

__global__ void __launch_bounds__(ALIGN_THREADS) align_block(AlignArgs a) {
  __shared__ int counts[MAX_EXPERTS];
  __shared__ int offsets[MAX_EXPERTS + 1];

  clear(counts, a.nexpert, 0);
  __syncthreads();

  for (int i = threadIdx.x; i < a.numel; i += blockDim.x) {
    const int e = a.topk_ids[i];
    if (e >= 0 && e < a.nexpert) atomicAdd(&counts[e], 1);
  }
  __syncthreads();

  if (threadIdx.x < 32) {
    int run = 0;
    for (int base = 0; base < a.nexpert; base += 32) {
      const int e = base + threadIdx.x;
      int v = e < a.nexpert ? ceil_mul(counts[e], a.tile) : 0;
      const int own = v;
#pragma unroll
      for (int o = 1; o < 32; o <<= 1) {
        const int u = __shfl_up_sync(0xffffffffu, v, o);
        if (threadIdx.x >= o) v += u;
      }
      if (e < a.nexpert) offsets[e] = run + v - own;
      run += __shfl_sync(0xffffffffu, v, 31);
    }
    if (threadIdx.x == 0) {
      offsets[a.nexpert] = run;
      *a.total = run;
    }
  }
  __syncthreads();

  for (int e = threadIdx.x; e < a.nexpert; e += blockDim.x) {
    for (int t = offsets[e]; t < offsets[e + 1]; t += a.tile) a.expert_of_tile[t / a.tile] = e;
    for (int t = offsets[e] + counts[e]; t < offsets[e + 1]; ++t) a.sorted_ids[t] = a.numel;
  }
  __syncthreads();

  clear(counts, a.nexpert, 0);
  __syncthreads();
  for (int i = threadIdx.x; i < a.numel; i += blockDim.x) {
    const int e = a.topk_ids[i];
    if (e >= 0 && e < a.nexpert) a.sorted_ids[offsets[e] + atomicAdd(&counts[e], 1)] = i;
  }
}

}  // namespace moe

void moe_align(torch::Tensor topk_ids, int64_t num_experts, int64_t tile, torch::Tensor sorted_ids,
               torch::Tensor expert_ids, torch::Tensor total) {
  TORCH_CHECK(num_experts > 0 && num_experts <= MAX_EXPERTS, "too many experts");
  TORCH_CHECK(tile > 0, "tile");
  moe::AlignArgs a;
  a.topk_ids = topk_ids.data_ptr<int>();
  a.sorted_ids = sorted_ids.data_ptr<int>();
  a.expert_of_tile = expert_ids.data_ptr<int>();
  a.total = total.data_ptr<int>();
  a.numel = (int)topk_ids.numel();
  a.nexpert = (int)num_experts;
  a.tile = (int)tile;
  moe::align_block<<<1, ALIGN_THREADS, 0, c10::cuda::getCurrentCUDAStream()>>>(a);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("moe_align", &moe_align); }
