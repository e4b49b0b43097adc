#include "graphx/csr.h"
#include <utility>

namespace graphx {
namespace {

template <typename W>
__device__ __forceinline__ bool relax(W* dist, vid_t u, W nd) {
  return atomicMin(dist + u, nd) > nd;
}

// Bellman-Ford round: reads dist_in, lowers dist_out (a copy of dist_in at entry).
template <typename W>
__global__ void sssp_round(CsrView<W> g, const W* __restrict__ dist_in, W* dist_out, int* changed) {
  bool any = false;
  for (vid_t v = blockIdx.x * blockDim.x + threadIdx.x; v < g.n; v += gridDim.x * blockDim.x) {
    const W d = dist_in[v];
    if (d == kInf) continue;
    for (int64_t e = g.begin(v); e < g.end(v); ++e) any |= relax(dist_out, g.col[e], d + g.weight[e]);
  }
  if (__syncthreads_or(any) && threadIdx.x == 0) atomicExch(changed, 1);
}

}  // namespace

int sssp(const CsrView<int>& g, int* dist, int* tmp, int* d_changed, cudaStream_t st) {
  int rounds = 0, changed = 1;
  while (changed && rounds < g.n) {
    GX_CUDA(cudaMemcpyAsync(tmp, dist, g.n * sizeof(int), cudaMemcpyDeviceToDevice, st));
    GX_CUDA(cudaMemsetAsync(d_changed, 0, sizeof(int), st));
    sssp_round<int><<<blocks_for(g.n), kBlock, 0, st>>>(g, dist, tmp, d_changed);
    GX_CUDA(cudaGetLastError());
    GX_CUDA(cudaMemcpyAsync(dist, tmp, g.n * sizeof(int), cudaMemcpyDeviceToDevice, st));
    GX_CUDA(cudaMemcpyAsync(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost, st));
    GX_CUDA(cudaStreamSynchronize(st));
    ++rounds;
  }
  return rounds;
}

}  // namespace graphx
