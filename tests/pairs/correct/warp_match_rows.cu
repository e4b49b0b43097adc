// Per-warp category counters in global memory with __match_any_sync leader election.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace analytics {

struct CountJob {
  const uint8_t* category;   // one of 256 categories per event
  const float* amount;
  int64_t n;
};

struct WarpRow {
  uint32_t count[256];
  float amount[256];
};

__device__ float reduce_peers(unsigned peers, float v) {
  // sum over the lanes in peers; every lane of peers calls this with the same mask
  const int lane = threadIdx.x & 31;
  float s = 0.f;
  for (unsigned rest = peers; rest; rest &= rest - 1) {
    const int src = __ffs(rest) - 1;
    s += __shfl_sync(peers, v, src);
  }
  (void)lane;
  return s;
}

// rows: one per launched warp, cleared
__global__ void count_events(CountJob job, WarpRow* rows) {
  const int64_t warp = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32;
  const int64_t warps = (int64_t)gridDim.x * blockDim.x / 32;
  const int lane = threadIdx.x % 32;
  WarpRow& row = rows[warp];
  for (int64_t base = warp * 32; base < job.n; base += warps * 32) {
    const int64_t i = base + lane;
    const unsigned active = __ballot_sync(0xffffffffu, i < job.n);
    if (i < job.n) {
      const int c = job.category[i];
      const unsigned peers = __match_any_sync(active, c);
      const float sum = reduce_peers(peers, job.amount[i]);
      if (lane == __ffs(peers) - 1) {
        row.count[c] += __popc(peers);
        row.amount[c] += sum;
      }
    }
    __syncwarp();
  }
}

__global__ void fold_rows(const WarpRow* rows, int n, uint32_t* count, float* amount) {
  const int c = threadIdx.x;
  uint32_t k = 0;
  float a = 0.f;
  for (int r = 0; r < n; ++r) {
    k += rows[r].count[c];
    a += rows[r].amount[c];
  }
  count[c] = k;
  amount[c] = a;
}

cudaError_t count_by_category(const CountJob& job, uint32_t* d_count, float* d_amount, cudaStream_t s) {
  constexpr int kBlock = 128;
  const int blocks = (int)std::min<int64_t>(128, (job.n + kBlock - 1) / kBlock);
  if (blocks == 0) return cudaSuccess;
  const int rows = blocks * kBlock / 32;
  WarpRow* d_rows;
  cudaError_t e = cudaMallocAsync(&d_rows, rows * sizeof(WarpRow), s);
  if (e != cudaSuccess) return e;
  cudaMemsetAsync(d_rows, 0, rows * sizeof(WarpRow), s);
  count_events<<<blocks, kBlock, 0, s>>>(job, d_rows);
  fold_rows<<<1, 256, 0, s>>>(d_rows, rows, d_count, d_amount);
  cudaFreeAsync(d_rows, s);
  return cudaGetLastError();
}

}  // namespace analytics
