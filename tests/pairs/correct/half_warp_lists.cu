// Sorted-list intersection: every half-warp owns one pair of lists and a private staging area.
#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

constexpr int HALF = 16;

struct Pair { int a_begin, a_end, b_begin, b_end; };

struct __align__(16) Stage {
  int b[2 * HALF];
  int hits[HALF];
};

__device__ __forceinline__ unsigned half_mask() { return 0xffffu << (threadIdx.x & 16); }

__device__ int half_sum(int v, Stage& st, int l, unsigned m) {
  st.hits[l] = v;
  __syncwarp(m);
  for (int d = HALF / 2; d > 0; d >>= 1) {
    if (l < d) st.hits[l] += st.hits[l + d];
    __syncwarp(m);
  }
  return st.hits[0];
}

__global__ void intersect_count(const int* __restrict__ lists, const Pair* __restrict__ pairs, int npairs, int* __restrict__ counts) {
  extern __shared__ Stage stages[];
  const int h = threadIdx.x / HALF, l = threadIdx.x % HALF;
  const unsigned m = half_mask();
  Stage& st = stages[h];
  const int halves = blockDim.x / HALF;
  for (int p = blockIdx.x * halves + h; p < npairs; p += gridDim.x * halves) {
    const Pair pr = pairs[p];
    int found = 0;
    for (int b0 = pr.b_begin; b0 < pr.b_end; b0 += 2 * HALF) {
      const int nb = min(2 * HALF, pr.b_end - b0);
      for (int j = l; j < nb; j += HALF) st.b[j] = lists[b0 + j];
      __syncwarp(m);
      for (int i = pr.a_begin + l; i < pr.a_end; i += HALF) {
        const int key = lists[i];
        int lo = 0, hi = nb;
        while (lo < hi) {
          const int mid = (lo + hi) / 2;
          if (st.b[mid] < key) lo = mid + 1;
          else hi = mid;
        }
        found += lo < nb && st.b[lo] == key;
      }
      __syncwarp(m);
    }
    const int total = half_sum(found, st, l, m);
    if (l == 0) counts[p] = total;
    __syncwarp(m);
  }
}

class Intersector {
 public:
  Intersector& threads(int t) {
    threads_ = std::max(HALF, std::min(t, 512)) / HALF * HALF;
    return *this;
  }
  void operator()(const int* lists, const Pair* pairs, int n, int* counts, cudaStream_t s = 0) const {
    if (n <= 0 || n > (1 << 28)) return;
    const int halves = threads_ / HALF;
    const int grid = std::min((n + halves - 1) / halves, 2048);
    intersect_count<<<grid, threads_, halves * sizeof(Stage), s>>>(lists, pairs, n, counts);
  }
 private:
  int threads_ = 128;
};

void count_common(const int* lists, const Pair* pairs, int n, int* counts) {
  Intersector().threads(n < 1000 ? 48 : 256)(lists, pairs, n, counts);
}
