// Smith-Waterman scores, one warp per (query, target) pair, one query base per lane.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

#define FULL_MASK 0xffffffffu
#define WARPS_PER_BLOCK 4

struct ScoreScheme {
  int match, mismatch, gap_open, gap_ext;
};

struct PairBatch {
  const uint8_t* query;     // 32 bases a pair, 4 = padding
  const uint8_t* target;
  const int* target_off;
  const int* target_len;
  int npairs;
};

__device__ __forceinline__ int subst(uint8_t a, uint8_t b, const ScoreScheme& s) {
  return (a == b && a < 4) ? s.match : -s.mismatch;
}

__device__ __forceinline__ int warp_max(int v) {
  for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(FULL_MASK, v, o));
  return v;
}

template <bool kLocal>
__global__ void sw_kernel(PairBatch b, ScoreScheme sc, int* __restrict__ score) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int pair = blockIdx.x * WARPS_PER_BLOCK + warp;
  if (pair >= b.npairs) return;

  const uint8_t q = b.query[pair * 32 + lane];
  const uint8_t* t = b.target + b.target_off[pair];
  const int tlen = b.target_len[pair];

  int h = 0, hdiag = 0, e = -1 << 20, f = -1 << 20, best = 0;
  for (int d = 0; d < tlen + 31; ++d) {
    const int j = d - lane;
    const bool active = j >= 0 && j < tlen;
    int hup = 0;
    if (active) {
      hup = __shfl_up_sync(FULL_MASK, h, 1);
      int fup = __shfl_up_sync(FULL_MASK, f, 1);
      if (lane == 0) {
        hup = 0;
        fup = -1 << 20;
      }
      e = max(h - sc.gap_open, e - sc.gap_ext);
      f = max(hup - sc.gap_open, fup - sc.gap_ext);
      int hn = max(hdiag + subst(q, t[j], sc), max(e, f));
      if (kLocal) hn = max(hn, 0);
      h = hn;
      best = max(best, h);
    }
    hdiag = hup;
  }
  best = warp_max(best);
  if (lane == 0) score[pair] = best;
}

class Aligner {
 public:
  explicit Aligner(ScoreScheme s, bool local) : s_(s), local_(local) {}
  bool align(const PairBatch& b, int* d_score, cudaStream_t st = 0) const {
    if (b.npairs <= 0) return true;
    const int blocks = (b.npairs + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
    if (local_)
      sw_kernel<true><<<blocks, WARPS_PER_BLOCK * 32, 0, st>>>(b, s_, d_score);
    else
      sw_kernel<false><<<blocks, WARPS_PER_BLOCK * 32, 0, st>>>(b, s_, d_score);
    return cudaGetLastError() == cudaSuccess;
  }

 private:
  ScoreScheme s_;
  bool local_;
};

int main() {
  const int n = 1001, len = 150;
  std::vector<uint8_t> q(n * 32, 1), t((size_t)n * len, 1);
  std::vector<int> off(n), ln(n);
  for (int i = 0; i < n; ++i) off[i] = i * len, ln[i] = len - i % 40;
  uint8_t *dq, *dt;
  int *doff, *dl, *ds;
  cudaMalloc(&dq, q.size());
  cudaMalloc(&dt, t.size());
  cudaMalloc(&doff, n * 4);
  cudaMalloc(&dl, n * 4);
  cudaMalloc(&ds, n * 4);
  cudaMemcpy(dq, q.data(), q.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(dt, t.data(), t.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(doff, off.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dl, ln.data(), n * 4, cudaMemcpyHostToDevice);
  Aligner a({2, 3, 5, 1}, true);
  if (!a.align({dq, dt, doff, dl, n}, ds)) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
