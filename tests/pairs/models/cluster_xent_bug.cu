// Cross entropy over a large vocabulary: one cluster for each row, a block for each vocab slice.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cfloat>

namespace cg = cooperative_groups;

namespace xent {

constexpr int kThreads = 256;

struct Partial {
  float m;       // running maximum
  float s;       // sum of exp(x - m)
  float target;  // logit of the target if it is in this slice, else -FLT_MAX
};

__device__ __forceinline__ Partial combine(const Partial& a, const Partial& b) {
  Partial r;
  r.m = fmaxf(a.m, b.m);
  r.s = a.s * __expf(a.m - r.m) + b.s * __expf(b.m - r.m);
  r.target = fmaxf(a.target, b.target);
  return r;
}

__device__ Partial warp_combine(Partial p) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    Partial q;
    q.m = __shfl_xor_sync(0xffffffffu, p.m, o);
    q.s = __shfl_xor_sync(0xffffffffu, p.s, o);
    q.target = __shfl_xor_sync(0xffffffffu, p.target, o);
    p = combine(p, q);
  }
  return p;
}

// grid.x = rows * cluster size
__global__ void __launch_bounds__(kThreads)
cross_entropy_fwd(const __nv_bfloat16* __restrict__ logits, const int* __restrict__ targets,
                  float* __restrict__ loss, float* __restrict__ lse_out, __nv_bfloat16* __restrict__ grad,
                  int vocab, int ignore_index, float grad_scale) {
  cg::cluster_group cluster = cg::this_cluster();
  __shared__ Partial warp_part[kThreads / 32];
  __shared__ Partial mine;

  const int ranks = cluster.num_blocks(), rank = cluster.block_rank();
  const int row = blockIdx.x / ranks;
  const int slice = (vocab + ranks - 1) / ranks;
  const int beg = rank * slice, end = min(vocab, beg + slice);
  const __nv_bfloat16* x = logits + (size_t)row * vocab;
  const int target = targets[row];

  Partial p{-FLT_MAX, 0.f, -FLT_MAX};
  for (int i = beg + threadIdx.x; i < end; i += kThreads) {
    const float v = __bfloat162float(x[i]);
    p = combine(p, Partial{v, 1.f, i == target ? v : -FLT_MAX});
  }
  p = warp_combine(p);
  if (threadIdx.x % 32 == 0) warp_part[threadIdx.x / 32] = p;
  __syncthreads();
  if (threadIdx.x < 32) {
    p = threadIdx.x < kThreads / 32 ? warp_part[threadIdx.x] : Partial{-FLT_MAX, 0.f, -FLT_MAX};
    p = warp_combine(p);
    if (threadIdx.x == 0) mine = p;
  }
  cluster.sync();

  Partial all{-FLT_MAX, 0.f, -FLT_MAX};
  for (int r = 0; r < ranks; ++r) all = combine(all, *cluster.map_shared_rank(&mine, r));

  const float lse = all.m + __logf(all.s);
  const bool ignored = target == ignore_index;
  if (rank == 0 && threadIdx.x == 0) {
    loss[row] = ignored ? 0.f : lse - all.target;
    lse_out[row] = lse;
  }
  if (grad != nullptr) {
    __nv_bfloat16* g = grad + (size_t)row * vocab;
    for (int i = beg + threadIdx.x; i < end; i += kThreads) {
      const float prob = __expf(__bfloat162float(x[i]) - lse);
      const float d = ignored ? 0.f : (prob - (i == target ? 1.f : 0.f)) * grad_scale;
      g[i] = __float2bfloat16(d);
    }
  }
}

static int cluster_for(int vocab) {
  if (vocab <= 16384) return 2;
  return vocab <= 65536 ? 4 : 8;
}

cudaError_t cross_entropy(const __nv_bfloat16* logits, const int* targets, float* loss, float* lse,
                          __nv_bfloat16* grad, int rows, int vocab, int ignore_index, float grad_scale,
                          cudaStream_t stream) {
  if (rows <= 0 || vocab <= 0) return cudaErrorInvalidValue;
  const int cs = cluster_for(vocab);
  cudaLaunchConfig_t cfg = {};
  cfg.gridDim = dim3(rows * cs);
  cfg.blockDim = dim3(kThreads);
  cfg.stream = stream;
  cudaLaunchAttribute attr[1];
  attr[0].id = cudaLaunchAttributeClusterDimension;
  attr[0].val.clusterDim.x = cs;
  attr[0].val.clusterDim.y = 1;
  attr[0].val.clusterDim.z = 1;
  cfg.attrs = attr;
  cfg.numAttrs = 1;
  return cudaLaunchKernelEx(&cfg, cross_entropy_fwd, logits, targets, loss, lse, grad, vocab, ignore_index,
                            grad_scale);
}

}  // namespace xent
