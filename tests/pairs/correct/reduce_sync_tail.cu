// Integer statistics with hardware warp reductions and a ragged tail.
#include <cuda_runtime.h>
#include <cstdint>
#include <climits>
#include <stdexcept>

struct Stats {
  int min_v, max_v;
  unsigned long long sum;
  unsigned any_bits, all_bits;
};

__global__ void reset(Stats* s) {
  s->min_v = INT_MAX;
  s->max_v = INT_MIN;
  s->sum = 0;
  s->any_bits = 0;
  s->all_bits = ~0u;
}

template <bool kBits>
__global__ void stats_kernel(const uint16_t* __restrict__ x, unsigned n, Stats* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  const unsigned v = x[i];
  const int lo = __reduce_min_sync(mask, int(v));
  const int hi = __reduce_max_sync(mask, int(v));
  const unsigned sum = __reduce_add_sync(mask, v);
  unsigned any = 0, all = ~0u;
  if constexpr (kBits) {
    any = __reduce_or_sync(mask, v);
    all = __reduce_and_sync(mask, v);
  }
  if ((threadIdx.x & 31) == __ffs(mask) - 1) {
    atomicMin(&out->min_v, lo);
    atomicMax(&out->max_v, hi);
    atomicAdd(&out->sum, (unsigned long long)sum);
    if constexpr (kBits) {
      atomicOr(&out->any_bits, any);
      atomicAnd(&out->all_bits, all);
    }
  }
}

class StatsRunner {
 public:
  explicit StatsRunner(int warps_per_block = 4) : warps_(warps_per_block) {
    if (warps_ < 1 || warps_ > 32) throw std::invalid_argument("warps_per_block");
    cudaMalloc(&d_, sizeof(Stats));
  }
  ~StatsRunner() { cudaFree(d_); }
  StatsRunner(const StatsRunner&) = delete;

  Stats operator()(const uint16_t* x, unsigned n, bool bits = true) {
    reset<<<1, 1>>>(d_);
    if (n > 0 && n <= (1u << 30)) {
      const unsigned threads = unsigned(warps_) * 32u;
      const unsigned grid = (n + threads - 1) / threads;
      bits ? stats_kernel<true><<<grid, threads>>>(x, n, d_) : stats_kernel<false><<<grid, threads>>>(x, n, d_);
    }
    Stats h;
    cudaMemcpy(&h, d_, sizeof h, cudaMemcpyDeviceToHost);
    return h;
  }

 private:
  int warps_;
  Stats* d_ = nullptr;
};

Stats column_stats(const uint16_t* x, unsigned n) {
  StatsRunner r;
  return r(x, n);
}
Stats quick_stats(const uint16_t* x, unsigned n) {
  StatsRunner r(8);
  return r(x, n, false);
}
