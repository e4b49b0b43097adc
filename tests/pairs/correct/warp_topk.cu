// k smallest distances per query (k <= 32), one warp per query, sorting networks in registers.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <algorithm>

namespace knn {

constexpr unsigned kAll = 0xffffffffu;

struct Cand {
  float d;
  int id;
};

__device__ __forceinline__ Cand shfl_xor(Cand c, int m) { return {__shfl_xor_sync(kAll, c.d, m), __shfl_xor_sync(kAll, c.id, m)}; }
__device__ __forceinline__ bool before(const Cand& a, const Cand& b) { return a.d < b.d || (a.d == b.d && a.id < b.id); }

__device__ __forceinline__ Cand exchange(Cand mine, int mask, bool keep_small) {
  const Cand other = shfl_xor(mine, mask);
  return before(other, mine) == keep_small ? other : mine;
}

struct WarpSorter {
  int lane;
  template <int SIZE>
  __device__ Cand merge(Cand c, bool up) const {
    if constexpr (SIZE > 1) {
      c = exchange(c, SIZE / 2, ((lane & (SIZE / 2)) == 0) == up);
      return merge<SIZE / 2>(c, up);
    } else {
      return c;
    }
  }
  template <int SIZE = 32>
  __device__ Cand sort(Cand c, bool up = true) const {
    if constexpr (SIZE > 1) {
      c = sort<SIZE / 2>(c, (lane & (SIZE / 2)) == 0);
      return merge<SIZE>(c, up);
    } else {
      return c;
    }
  }
};

template <int DIM, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
search(const float* __restrict__ base, int nb, const float* __restrict__ queries, int nq, int k, int* __restrict__ ids, float* __restrict__ dist) {
  __shared__ float qs[WARPS][DIM];
  const int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  const int q = blockIdx.x * WARPS + w;
  if (q >= nq) return;
  for (int d = lane; d < DIM; d += 32) qs[w][d] = queries[size_t(q) * DIM + d];
  __syncwarp();
  const WarpSorter ws{lane};
  Cand best{FLT_MAX, 0x7fffffff - 32 + lane};
  for (int b0 = 0; b0 < nb; b0 += 32) {
    const int i = b0 + lane;
    Cand c{FLT_MAX, 0x7fffff00 + lane};
    if (i < nb) {
      float s = 0.f;
      for (int d = 0; d < DIM; ++d) {
        const float t = base[size_t(i) * DIM + d] - qs[w][d];
        s += t * t;
      }
      c = {s, i};
    }
    const float worst = __shfl_sync(kAll, best.d, 31);
    if (!__any_sync(kAll, c.d < worst)) continue;
    c = ws.sort<32>(c, false);
    if (before(c, best)) best = c;
    best = ws.merge<32>(best, true);
  }
  if (lane < k) {
    ids[size_t(q) * k + lane] = best.id;
    dist[size_t(q) * k + lane] = best.d;
  }
}

template <int DIM>
bool run(const float* base, int nb, const float* q, int nq, int k, int* ids, float* dist, cudaStream_t s) {
  if (nb < 1 || nb > (1 << 28) || nq < 1 || k < 1 || k > 32 || k > nb) return false;
  if (nq < 64) search<DIM, 1><<<nq, 32, 0, s>>>(base, nb, q, nq, k, ids, dist);
  else search<DIM, 4><<<(nq + 3) / 4, 128, 0, s>>>(base, nb, q, nq, k, ids, dist);
  return cudaGetLastError() == cudaSuccess;
}

bool knn(int dim, const float* base, int nb, const float* q, int nq, int k, int* ids, float* dist, cudaStream_t s) {
  switch (dim) {
    case 3: return run<3>(base, nb, q, nq, k, ids, dist, s);
    case 16: return run<16>(base, nb, q, nq, k, ids, dist, s);
    case 96: return run<96>(base, nb, q, nq, k, ids, dist, s);
    default: std::fprintf(stderr, "dimension %d not compiled in\n", dim); return false;
  }
}

}  // namespace knn
