// Boolean constraint propagation step: scans clauses, appends implied literals to the trail.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

namespace sat {

constexpr int kThreads = 128;
constexpr int kWidth = 3;

enum Status { kSatisfied, kUnit, kOpen, kConflict };

struct Formula {
  const int* lit;  // kWidth literals a clause, 2 * var + sign
  int nclause;
};

struct Trail {
  int* lit;
  unsigned* size;
  unsigned cap;
  int* conflict;  // lowest conflicting clause
};

struct BlockScratch {
  unsigned warp_count[kThreads / 32];
  unsigned base;
};

__device__ Status classify(const Formula& f, const int8_t* __restrict__ assign, int c, int& implied) {
  int open = 0;
  for (int k = 0; k < kWidth; ++k) {
    const int l = f.lit[c * kWidth + k];
    const int8_t v = assign[l >> 1];
    if (v < 0) {
      ++open;
      implied = l;
    } else if (v == ((l & 1) ^ 1)) {
      return kSatisfied;
    }
  }
  return open == 0 ? kConflict : (open == 1 ? kUnit : kOpen);
}

__device__ unsigned reserve_slot(BlockScratch& s, const Trail& t, bool want) {
  const unsigned lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  const unsigned m = __ballot_sync(0xffffffffu, want);
  if (lane == 0) s.warp_count[w] = __popc(m);
  __syncthreads();
  unsigned before = 0, total = 0;
  for (unsigned i = 0; i < kThreads / 32; ++i) {
    if (i < w) before += s.warp_count[i];
    total += s.warp_count[i];
  }
  if (threadIdx.x == 0) s.base = total ? atomicAdd(t.size, total) : 0u;
  __syncthreads();
  return s.base + before + __popc(m & ((1u << lane) - 1));
}

__global__ void __launch_bounds__(kThreads)
propagate(Formula f, const int8_t* __restrict__ assign, Trail t) {
  __shared__ BlockScratch s;
  const int rounds = (f.nclause + gridDim.x * kThreads - 1) / (gridDim.x * kThreads);
  for (int r = 0; r < rounds; ++r) {
    const int c = (r * gridDim.x + blockIdx.x) * kThreads + threadIdx.x;
    int implied = 0;
    const Status st = c < f.nclause ? classify(f, assign, c, implied) : kSatisfied;
    switch (st) {
      case kUnit: {
        const unsigned slot = reserve_slot(s, t, true);
        if (slot < t.cap) t.lit[slot] = implied;
        break;
      }
      case kConflict:
        atomicMin(t.conflict, c);
        break;
      default:
        break;
    }
  }
}

class Propagator {
 public:
  explicit Propagator(int max_blocks) : max_blocks_(max_blocks < 1 ? 1 : max_blocks) {}

  int step(const Formula& f, const int8_t* assign, const Trail& t, cudaStream_t s) const {
    if (f.nclause <= 0) return 0;
    static const int none = 0x7fffffff;
    cudaMemsetAsync(t.size, 0, sizeof(unsigned), s);
    cudaMemcpyAsync(t.conflict, &none, sizeof(int), cudaMemcpyHostToDevice, s);
    int grid = (f.nclause + kThreads - 1) / kThreads;
    if (grid > max_blocks_) grid = max_blocks_;
    propagate<<<grid, kThreads, 0, s>>>(f, assign, t);
    unsigned n = 0;
    cudaMemcpyAsync(&n, t.size, sizeof(n), cudaMemcpyDeviceToHost, s);
    if (cudaStreamSynchronize(s) != cudaSuccess) return -1;
    return (int)(n < t.cap ? n : t.cap);
  }

 private:
  int max_blocks_;
};

}  // namespace sat

int main() {
  const int nc = 100001, nv = 20000;
  int *lit, *tl, *cf;
  int8_t* as;
  unsigned* sz;
  cudaMalloc(&lit, sizeof(int) * nc * sat::kWidth);
  cudaMalloc(&tl, sizeof(int) * nv);
  cudaMalloc(&cf, sizeof(int));
  cudaMalloc(&sz, sizeof(unsigned));
  cudaMalloc(&as, nv);
  cudaMemset(lit, 0, sizeof(int) * nc * sat::kWidth);
  cudaMemset(as, 0xff, nv);
  sat::Propagator p(512);
  const int n = p.step({lit, nc}, as, {tl, sz, (unsigned)nv, cf}, 0);
  printf("%d implied\n", n);
  return n < 0;
}
