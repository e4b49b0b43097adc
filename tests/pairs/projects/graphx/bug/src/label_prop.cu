#include "graphx/csr.h"
#include "graphx/warp_ops.cuh"

namespace graphx {
namespace {

// One warp per vertex with a degree of at most CAP / 2.
template <int BLOCK, int CAP>
__global__ void label_prop_warp(CsrView<> g, const vid_t* __restrict__ label, vid_t* __restrict__ out) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ vid_t s_key[kWarps][CAP];
  __shared__ int s_cnt[kWarps][CAP];
  vid_t* key = s_key[warp_id()];
  int* cnt = s_cnt[warp_id()];
  const int lane = lane_id();

  for (vid_t v = blockIdx.x * kWarps + warp_id(); v < g.n; v += gridDim.x * kWarps) {
    if (g.degree(v) == 0 || g.degree(v) > CAP / 2) {
      if (lane == 0) out[v] = label[v];
      continue;
    }
    for (int s = lane; s < CAP; s += 32) {
      key[s] = -1;
      cnt[s] = 0;
    }
    for (int64_t e = g.begin(v) + lane; e < g.end(v); e += 32) {
      const vid_t l = label[g.col[e]];
      unsigned h = (static_cast<unsigned>(l) * 2654435761u) % CAP;
      while (true) {
        const vid_t old = atomicCAS(&key[h], -1, l);
        if (old == -1 || old == l) break;
        h = (h + 1) % CAP;
      }
      atomicAdd(&cnt[h], 1);
    }
    __syncwarp();
    long long best = -1;
    for (int s = lane; s < CAP; s += 32) {
      if (cnt[s] == 0) continue;
      const long long c = (static_cast<long long>(cnt[s]) << 32) | (0x7fffffff - key[s]);
      best = c > best ? c : best;
    }
    best = warp_max(best);
    if (lane == 0) out[v] = 0x7fffffff - static_cast<int>(best & 0xffffffff);
    __syncwarp();
  }
}

}  // namespace

void label_prop_step(const CsrView<>& g, const vid_t* label, vid_t* out, cudaStream_t st) {
  constexpr int kThreads = 128;
  label_prop_warp<kThreads, 128><<<blocks_for(g.n, kThreads / 32, 8192), kThreads, 0, st>>>(g, label, out);
  GX_CUDA(cudaGetLastError());
}

}  // namespace graphx
