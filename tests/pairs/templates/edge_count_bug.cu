#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace tri {

struct Graph {
  const int* row_ptr;
  const int* col;   // sorted within a row
  int rows;
};

struct CountArgs {
  Graph g;
  const int2* edges;
  int num_edges;
  unsigned int* warp_counts;   // one per warp of the grid
};

__device__ __forceinline__ int lower_bound(const int* a, int lo, int hi, int key) {
  while (lo < hi) {
    const int mid = (lo + hi) >> 1;
    if (a[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

struct MergeIntersect {
  __device__ unsigned operator()(const Graph& g, int u, int v) const {
    int i = g.row_ptr[u], ie = g.row_ptr[u + 1];
    int j = g.row_ptr[v], je = g.row_ptr[v + 1];
    unsigned c = 0;
    while (i < ie && j < je) {
      const int a = g.col[i], b = g.col[j];
      c += a == b;
      i += a <= b;
      j += b <= a;
    }
    return c;
  }
};

struct SearchIntersect {
  __device__ unsigned operator()(const Graph& g, int u, int v) const {
    const int ub = g.row_ptr[u], ue = g.row_ptr[u + 1];
    const int vb = g.row_ptr[v], ve = g.row_ptr[v + 1];
    unsigned c = 0;
    int from = vb;
    for (int i = ub; i < ue; ++i) {
      from = lower_bound(g.col, from, ve, g.col[i]);
      if (from == ve) break;
      c += g.col[from] == g.col[i];
    }
    return c;
  }
};

__device__ __forceinline__ unsigned warp_total(unsigned v) {
  const unsigned mask = __activemask();
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(mask, v);
#else
  unsigned total = 0;
  for (int l = 0; l < 32; ++l)
    if (mask >> l & 1u) total += __shfl_sync(mask, v, l);
  return total;
#endif
}

template <int BLOCK, class Intersect>
__global__ void __launch_bounds__(BLOCK) count_triangles(CountArgs a, Intersect isect) {
  const int stride = gridDim.x * BLOCK;
  unsigned local = 0;
  for (int e = blockIdx.x * BLOCK + threadIdx.x; e < a.num_edges; e += stride) {
    const int2 uv = a.edges[e];
    local += isect(a.g, uv.x, uv.y);
  }
  const unsigned total = warp_total(local);
  if ((threadIdx.x & 31) == 0) a.warp_counts[(blockIdx.x * BLOCK + threadIdx.x) / 32] = total;
}

template <class Intersect>
static int launch(const CountArgs& a, Intersect isect, cudaStream_t s) {
  constexpr int BLOCK = 128;
  int dev = 0, sms = 1, occ = 1;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, count_triangles<BLOCK, Intersect>, BLOCK, 0);
  const int grid = std::max(1, std::min((a.num_edges + BLOCK - 1) / BLOCK, sms * occ));
  count_triangles<BLOCK><<<grid, BLOCK, 0, s>>>(a, isect);
  return grid * (BLOCK / 32);
}

// Returns the number of warp counters written.
int count(const CountArgs& a, double mean_degree, cudaStream_t s) {
  return mean_degree > 64.0 ? launch(a, SearchIntersect{}, s) : launch(a, MergeIntersect{}, s);
}

}  // namespace tri
