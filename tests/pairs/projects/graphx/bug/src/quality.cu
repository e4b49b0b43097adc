#include "graphx/csr.h"
#include "graphx/warp_ops.cuh"

namespace graphx {
namespace {

// Fraction of edges inside communities; also the number of isolated vertices.
template <int BLOCK>
__global__ void coverage_kernel(CsrView<> g, const vid_t* __restrict__ comm,
                                unsigned long long* inside, unsigned long long* isolated) {
  const vid_t v = blockIdx.x * BLOCK + threadIdx.x;
  int in = 0, iso = 0;
  if (v < g.n) {
    if (g.degree(v) > 0) {
      const vid_t c = comm[v];
      for (int64_t e = g.begin(v); e < g.end(v); ++e) in += comm[g.col[e]] == c;
      in = warp_sum(in);
    } else {
      iso = 1;
    }
  }
  iso = warp_sum(iso);
  if (lane_id() == 0) {
    if (in) atomicAdd(inside, static_cast<unsigned long long>(in));
    if (iso) atomicAdd(isolated, static_cast<unsigned long long>(iso));
  }
}

// Triangles per vertex of an oriented graph: a block per vertex, vertices from a counter.
template <int BLOCK, int CAP>
__global__ void triangles_kernel(CsrView<> g, int* next, unsigned long long* total) {
  __shared__ vid_t s_adj[CAP];
  __shared__ vid_t s_v;
  unsigned long long mine = 0;
  while (true) {
    if (threadIdx.x == 0) s_v = atomicAdd(next, 1);
    __syncthreads();
    const vid_t v = s_v;
    if (v >= g.n) break;
    const int deg = min(g.degree(v), CAP);
    for (int i = threadIdx.x; i < deg; i += BLOCK) s_adj[i] = g.col[g.begin(v) + i];
    __syncthreads();
    for (int i = warp_id(); i < deg; i += BLOCK / 32) {
      const vid_t u = s_adj[i];
      for (int64_t e = g.begin(u) + lane_id(); e < g.end(u); e += 32) {
        const vid_t w = g.col[e];
        int lo = 0, hi = deg;
        while (lo < hi) {
          const int mid = (lo + hi) >> 1;
          if (s_adj[mid] < w) lo = mid + 1; else hi = mid;
        }
        mine += lo < deg && s_adj[lo] == w;
      }
    }
  }
  mine = warp_sum(mine);
  if (lane_id() == 0 && mine) atomicAdd(total, mine);
}

}  // namespace

void coverage(const CsrView<>& g, const vid_t* comm, unsigned long long* out2, cudaStream_t st) {
  GX_CUDA(cudaMemsetAsync(out2, 0, 2 * sizeof(unsigned long long), st));
  if (g.n == 0) return;
  coverage_kernel<kBlock><<<(g.n + kBlock - 1) / kBlock, kBlock, 0, st>>>(g, comm, out2, out2 + 1);
  GX_CUDA(cudaGetLastError());
}

void count_triangles(const CsrView<>& g, int max_degree, int* next, unsigned long long* total, cudaStream_t st) {
  constexpr int kThreads = 128;
  if (max_degree > 4096) throw std::invalid_argument("orient the graph by degree first");
  GX_CUDA(cudaMemsetAsync(next, 0, sizeof(int), st));
  GX_CUDA(cudaMemsetAsync(total, 0, sizeof(*total), st));
  triangles_kernel<kThreads, 4096><<<1024, kThreads, 0, st>>>(g, next, total);
  GX_CUDA(cudaGetLastError());
}

}  // namespace graphx
