// Stable permutation of token slots by expert inside each segment; one warp per segment.  nvcc -arch=sm_80
#include <cuda_runtime.h>

#include <cstdint>

namespace permute {

constexpr int kWarps = 4;

struct SegmentTable {
  const int *begin;  // [num_segments + 1]
  int num_segments;
};

__device__ __forceinline__ unsigned lanemask_lt() {
  unsigned m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  return m;
}

// Calls f(i, active) for every i in [0, n); lanes of a warp take consecutive i.
template <typename F>
__device__ __forceinline__ void warp_for_each(int n, F &&f) {
  const int lane = threadIdx.x & 31;
  for (int base = 0; base < n; base += 32) {
    const int i = base + lane;
    const bool valid = i < n;
    const unsigned active = __ballot_sync(0xffffffffu, valid);
    if (valid) f(i, active);
    __syncwarp();
  }
}

template <int MAX_EXPERTS>
__global__ void __launch_bounds__(kWarps * 32)
    permute_by_expert(const int *__restrict__ expert_of, SegmentTable segs, int num_experts,
                      int *__restrict__ sorted_pos, int *__restrict__ expert_offsets) {
  __shared__ int s_cnt[kWarps][MAX_EXPERTS];

  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int seg = blockIdx.x * kWarps + warp;
  if (seg >= segs.num_segments) return;
  int *cnt = s_cnt[warp];
  const int first = segs.begin[seg];
  const int n = segs.begin[seg + 1] - first;
  const int *ids = expert_of + first;

  for (int e = lane; e < MAX_EXPERTS; e += 32) cnt[e] = 0;
  __syncwarp();

  warp_for_each(n, [&](int i, unsigned active) {
    const int e = ids[i];
    const unsigned peers = __match_any_sync(active, e);
    if ((peers & lanemask_lt()) == 0) cnt[e] += __popc(peers);
    __syncwarp(active);
  });

  // exclusive prefix over experts
  int carry = 0;
  for (int base = 0; base < MAX_EXPERTS; base += 32) {
    const int v = cnt[base + lane];
    int inc = v;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      const int t = __shfl_up_sync(0xffffffffu, inc, o);
      if (lane >= o) inc += t;
    }
    cnt[base + lane] = carry + inc - v;
    if (base + lane < num_experts) expert_offsets[seg * num_experts + base + lane] = first + carry + inc - v;
    carry += __shfl_sync(0xffffffffu, inc, 31);
  }
  __syncwarp();

  warp_for_each(n, [&](int i, unsigned active) {
    const int e = ids[i];
    const unsigned peers = __match_any_sync(active, e);
    const unsigned before = peers & lanemask_lt();
    const int slot = cnt[e] + __popc(before);
    __syncwarp(active);
    if (before == 0) cnt[e] += __popc(peers);
    sorted_pos[first + slot] = first + i;
  });
}

}  // namespace permute

bool permute_tokens(const int *expert_of, const int *segment_begin, int num_segments, int num_experts,
                    int *sorted_pos, int *expert_offsets, cudaStream_t stream) {
  const permute::SegmentTable segs{segment_begin, num_segments};
  const int grid = (num_segments + permute::kWarps - 1) / permute::kWarps;
  if (grid == 0) return true;
  if (num_experts <= 32)
    permute::permute_by_expert<32><<<grid, permute::kWarps * 32, 0, stream>>>(expert_of, segs, num_experts, sorted_pos,
                                                                            expert_offsets);
  else if (num_experts <= 256)
    permute::permute_by_expert<256><<<grid, permute::kWarps * 32, 0, stream>>>(expert_of, segs, num_experts,
                                                                             sorted_pos, expert_offsets);
  else
    return false;
  return true;
}
