// GroupNorm over NHWC activations, several (n, g) groups per block.  nvcc -arch=sm_80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace cg = cooperative_groups;

namespace gn {

struct GroupNormNHWCParams {
  __half *dst;
  const __half *src;
  const float *gamma;
  const float *beta;
  float eps;
  int n, hw, c, groups;
  bool silu;
};

struct Moments {
  float sum;
  float sq;
};

template <int THREADS_PER_GROUP, int GROUPS_PER_BLOCK>
__global__ void __launch_bounds__(THREADS_PER_GROUP *GROUPS_PER_BLOCK)
    group_norm_nhwc(const GroupNormNHWCParams p) {
  constexpr int kWarpsPerGroup = (THREADS_PER_GROUP + 31) / 32;
  __shared__ Moments s_part[GROUPS_PER_BLOCK][kWarpsPerGroup];
  __shared__ float2 s_stat[GROUPS_PER_BLOCK];

  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const auto &sync_group = warp;

  const int slot = threadIdx.x / THREADS_PER_GROUP;
  const int rank = threadIdx.x % THREADS_PER_GROUP;
  const int64_t ng = static_cast<int64_t>(blockIdx.x) * GROUPS_PER_BLOCK + slot;
  const bool active = ng < static_cast<int64_t>(p.n) * p.groups;
  const int n = active ? static_cast<int>(ng / p.groups) : 0;
  const int g = active ? static_cast<int>(ng % p.groups) : 0;
  const int cpg = p.c / p.groups;
  const int count = active ? p.hw * cpg : 0;
  const int64_t base = static_cast<int64_t>(n) * p.hw * p.c + g * cpg;

  Moments m{0.f, 0.f};
  for (int i = rank; i < count; i += THREADS_PER_GROUP) {
    const int px = i / cpg, ch = i - px * cpg;
    const float v = __half2float(p.src[base + static_cast<int64_t>(px) * p.c + ch]);
    m.sum += v;
    m.sq += v * v;
  }
  m.sum = cg::reduce(warp, m.sum, cg::plus<float>());
  m.sq = cg::reduce(warp, m.sq, cg::plus<float>());
  if (warp.thread_rank() == 0) s_part[slot][rank / 32] = m;
  sync_group.sync();

  if (rank == 0) {
    float sum = 0.f, sq = 0.f;
#pragma unroll
    for (int w = 0; w < kWarpsPerGroup; ++w) {
      sum += s_part[slot][w].sum;
      sq += s_part[slot][w].sq;
    }
    const float inv = count > 0 ? 1.f / count : 0.f;
    const float mean = sum * inv;
    s_stat[slot] = make_float2(mean, rsqrtf(fmaxf(sq * inv - mean * mean, 0.f) + p.eps));
  }
  sync_group.sync();

  const float2 st = s_stat[slot];
  for (int i = rank; i < count; i += THREADS_PER_GROUP) {
    const int px = i / cpg, ch = i - px * cpg;
    const int64_t idx = base + static_cast<int64_t>(px) * p.c + ch;
    float v = (__half2float(p.src[idx]) - st.x) * st.y * p.gamma[g * cpg + ch] + p.beta[g * cpg + ch];
    if (p.silu) v = v / (1.f + __expf(-v));
    p.dst[idx] = __float2half(v);
  }
}

template <int TPG>
void launch(const GroupNormNHWCParams &p, cudaStream_t stream) {
  constexpr int kGroupsPerBlock = 256 / TPG;
  const int total = p.n * p.groups;
  const int grid = (total + kGroupsPerBlock - 1) / kGroupsPerBlock;
  group_norm_nhwc<TPG, kGroupsPerBlock><<<grid, 256, 0, stream>>>(p);
}

}  // namespace gn

void groupNormNHWC(const gn::GroupNormNHWCParams &p, cudaStream_t stream) {
  const int elems = p.hw * (p.c / p.groups);
  if (elems <= 1024)
    gn::launch<32>(p, stream);
  else
    gn::launch<64>(p, stream);
}
