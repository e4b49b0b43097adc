#include "graphx/csr.h"
#include "graphx/frontier.cuh"
#include "graphx/warp_ops.cuh"
#include <utility>

namespace graphx {
namespace {

template <int BLOCK, int CAP>
__global__ void __launch_bounds__(BLOCK)
bfs_top_down(CsrView<> g, const vid_t* __restrict__ in, int n_in, int level, int* dist, vid_t* out, int* out_count) {
  __shared__ BlockQueue<CAP> q;
  q.init();
  for (int base = blockIdx.x * BLOCK; base < n_in; base += gridDim.x * BLOCK) {
    const int i = base + threadIdx.x;
    if (i < n_in) {
      const vid_t v = in[i];
      for (int64_t e = g.begin(v); e < g.end(v); ++e) {
        const vid_t u = g.col[e];
        if (atomicCAS(&dist[u], kInf, level + 1) == kInf) q.push(u, out, out_count);
      }
    }
    q.flush(out, out_count);
  }
}

// One bit per vertex; a warp owns a word of the next frontier.
template <int BLOCK>
__global__ void bfs_bottom_up(CsrView<> g, const unsigned* __restrict__ frontier,
                              unsigned* __restrict__ next, int level, int* __restrict__ dist, int* found) {
  int mine = 0;
  for (int base = blockIdx.x * BLOCK + warp_id() * 32; base < g.n; base += gridDim.x * BLOCK) {
    const vid_t v = base + lane_id();
    bool hit = false;
    if (v < g.n && dist[v] == kInf) {
      for (int64_t e = g.begin(v); e < g.end(v) && !hit; ++e) {
        const vid_t u = g.col[e];
        hit = (frontier[u >> 5] >> (u & 31)) & 1u;
      }
      if (hit) dist[v] = level + 1;
    }
    if (hit) next[v >> 5] |= 1u << (v & 31);
    mine += hit;
  }
  mine = warp_sum(mine);
  if (lane_id() == 0 && mine) atomicAdd(found, mine);
}

}  // namespace

void bfs(const CsrView<>& g, vid_t src, int* dist, vid_t* fa, vid_t* fb, int* d_count, cudaStream_t st) {
  GX_CUDA(cudaMemcpyAsync(fa, &src, sizeof(src), cudaMemcpyHostToDevice, st));
  int n_in = 1;
  for (int level = 0; n_in > 0; ++level) {
    GX_CUDA(cudaMemsetAsync(d_count, 0, sizeof(int), st));
    bfs_top_down<kBlock, 2048><<<blocks_for(n_in), kBlock, 0, st>>>(g, fa, n_in, level, dist, fb, d_count);
    GX_CUDA(cudaGetLastError());
    GX_CUDA(cudaMemcpyAsync(&n_in, d_count, sizeof(int), cudaMemcpyDeviceToHost, st));
    GX_CUDA(cudaStreamSynchronize(st));
    std::swap(fa, fb);
  }
}

int bfs_pull_step(const CsrView<>& g, const unsigned* frontier, unsigned* next, int level, int* dist, int* d_found, cudaStream_t st) {
  GX_CUDA(cudaMemsetAsync(next, 0, (g.n + 31) / 32 * sizeof(unsigned), st));
  GX_CUDA(cudaMemsetAsync(d_found, 0, sizeof(int), st));
  bfs_bottom_up<kBlock><<<blocks_for(g.n, kBlock, 4096), kBlock, 0, st>>>(g, frontier, next, level, dist, d_found);
  GX_CUDA(cudaGetLastError());
  int f = 0;
  GX_CUDA(cudaMemcpyAsync(&f, d_found, sizeof(int), cudaMemcpyDeviceToHost, st));
  GX_CUDA(cudaStreamSynchronize(st));
  return f;
}

}  // namespace graphx
