#include "mg/device.cuh"
#include <cooperative_groups.h>
#include <utility>

namespace cg = cooperative_groups;

namespace mg {
namespace {

struct Tri {
  real a, b, c, d;
};

// Parallel cyclic reduction of one line per block, n <= NT.
template <int NT>
__global__ void line_pcr_kernel(const Tri* __restrict__ sys, real* __restrict__ x, int n) {
  __shared__ Tri s[NT];
  const int i = threadIdx.x;
  const int64_t line = static_cast<int64_t>(blockIdx.x) * n;
  const Tri unit{0, 1, 0, 0};
  s[i] = i < n ? sys[line + i] : unit;
  __syncthreads();
  for (int stride = 1; stride < n; stride <<= 1) {
    const Tri m = s[i];
    const Tri lo = i >= stride ? s[i - stride] : unit;
    const Tri hi = i + stride < NT ? s[i + stride] : unit;
    __syncthreads();
    const real k1 = m.a / lo.b, k2 = m.c / hi.b;
    s[i] = Tri{-lo.a * k1, m.b - lo.c * k1 - hi.a * k2, -hi.c * k2, m.d - lo.d * k1 - hi.d * k2};
  }
  if (i < n) x[line + i] = s[i].d / s[i].b;
}

// Weighted Jacobi on lines that are spread over a cluster of blocks.
template <int NT, int CLUSTER>
__global__ void __cluster_dims__(CLUSTER, 1, 1)
line_jacobi_cluster_kernel(const real* __restrict__ f, real* __restrict__ u, real h2, int iters) {
  __shared__ real buf[2][NT];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  const int t = threadIdx.x;
  const int64_t at = static_cast<int64_t>(blockIdx.x) * NT + t;
  const real rhs = h2 * f[at];
  buf[0][t] = u[at];
  cluster.sync();
  for (int k = 0; k < iters; ++k) {
    real* cur = buf[k & 1];
    real* nxt = buf[(k + 1) & 1];
    real left = 0, right = 0;
    if (t > 0)
      left = cur[t - 1];
    else if (rank > 0)
      left = cluster.map_shared_rank(cur, rank - 1)[NT - 1];
    if (t < NT - 1)
      right = cur[t + 1];
    else if (rank < CLUSTER - 1)
      right = cluster.map_shared_rank(cur, rank + 1)[0];
    nxt[t] = cur[t] + 0.66f * (0.5f * (left + right - rhs) - cur[t]);
    __syncthreads();
  }
  u[at] = buf[iters & 1][t];
}

}  // namespace

void solve_lines(const void* sys, real* x, int lines, int n, cudaStream_t st) {
  const Tri* p = static_cast<const Tri*>(sys);
  if (n <= 128)
    line_pcr_kernel<128><<<lines, 128, 0, st>>>(p, x, n);
  else if (n <= 512)
    line_pcr_kernel<512><<<lines, 512, 0, st>>>(p, x, n);
  else
    throw std::invalid_argument("line length");
  MG_CUDA(cudaGetLastError());
}

void relax_lines(const real* f, real* u, int lines, int n, real h2, int iters, cudaStream_t st) {
  constexpr int kThreads = 256, kCluster = 4;
  if (n != kThreads * kCluster) throw std::invalid_argument("line length");
  line_jacobi_cluster_kernel<kThreads, kCluster><<<lines * kCluster, kThreads, 0, st>>>(f, u, h2, iters);
  MG_CUDA(cudaGetLastError());
}

}  // namespace mg
