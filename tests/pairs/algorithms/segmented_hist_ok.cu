// Per-key statistics with warp aggregation: equal keys of a warp are combined before the atomics.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>

namespace cg = cooperative_groups;

namespace stats {

struct Column {
  const uint32_t* key;
  const uint32_t* value;
  int n;
};

struct Table {
  unsigned* count;
  unsigned* sum;
  unsigned* maxv;
  uint32_t nkeys;
};

struct Options {
  bool drop_zero;
  uint32_t value_cap;
};

__device__ __forceinline__ unsigned lanemask_lt() {
  unsigned m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  return m;
}

__device__ void aggregate(const Table& t, unsigned active, uint32_t k, uint32_t v) {
  const unsigned peers = __match_any_sync(active, k);
  const unsigned s = __reduce_add_sync(peers, v);
  const unsigned m = __reduce_max_sync(peers, v);
  if ((peers & lanemask_lt()) == 0) {
    atomicAdd(&t.count[k], (unsigned)__popc(peers));
    atomicAdd(&t.sum[k], s);
    atomicMax(&t.maxv[k], m);
  }
}

__global__ void accumulate(Column c, Table t, Options o) {
  const int stride = gridDim.x * blockDim.x;
  const int bound = (c.n + 31) / 32 * 32;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bound; i += stride) {
    uint32_t k = ~0u, v = 0;
    if (i < c.n) {
      k = c.key[i];
      v = min(c.value[i], o.value_cap);
    }
    const bool use = k < t.nkeys && !(o.drop_zero && v == 0);
    const unsigned active = __ballot_sync(0xffffffffu, use);
    if (use) aggregate(t, active, k, v);
  }
}

__global__ void finish(Table t, float* __restrict__ mean) {
  auto grid = cg::this_grid();
  for (uint32_t k = (uint32_t)grid.thread_rank(); k < t.nkeys; k += (uint32_t)grid.size())
    mean[k] = t.count[k] ? (float)t.sum[k] / (float)t.count[k] : 0.f;
}

template <typename F>
static int occupancy_grid(F f, int block, int want) {
  int per = 0, dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, f, block, 0);
  const int cap = per * sms > 0 ? per * sms : 1;
  return want < cap ? want : cap;
}

cudaError_t run(const Column& c, const Table& t, const Options& o, float* mean, cudaStream_t s) {
  if (c.n <= 0 || t.nkeys == 0) return cudaSuccess;
  const int block = 128;
  cudaMemsetAsync(t.count, 0, t.nkeys * sizeof(unsigned), s);
  cudaMemsetAsync(t.sum, 0, t.nkeys * sizeof(unsigned), s);
  cudaMemsetAsync(t.maxv, 0, t.nkeys * sizeof(unsigned), s);
  accumulate<<<occupancy_grid(accumulate, block, (c.n + block - 1) / block), block, 0, s>>>(c, t, o);
  finish<<<(t.nkeys + block - 1) / block, block, 0, s>>>(t, mean);
  return cudaGetLastError();
}

}  // namespace stats

int main() {
  const int n = 1234567, nk = 1000;
  uint32_t *k, *v;
  stats::Table t{};
  float* mean;
  cudaMalloc(&k, n * 4);
  cudaMalloc(&v, n * 4);
  cudaMalloc(&t.count, nk * 4);
  cudaMalloc(&t.sum, nk * 4);
  cudaMalloc(&t.maxv, nk * 4);
  cudaMalloc(&mean, nk * 4);
  cudaMemset(k, 0, n * 4);
  cudaMemset(v, 1, n * 4);
  t.nkeys = nk;
  if (stats::run({k, v, n}, t, {true, 1u << 20}, mean, 0)) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
