#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

// Group-by aggregation over a small dictionary column. Each warp keeps its own
// accumulators, leaders of equal keys write them; the warps are merged last.

namespace agg {

constexpr int kWarps = 4;
constexpr int kGroups = 64;
constexpr unsigned kAll = 0xffffffffu;

struct Column {
  const uint8_t* key;
  const float* value;
  const uint32_t* validity;  // one bit for each row
  int rows;
};

struct Result {
  double* sum;
  unsigned long long* count;
};

struct WarpAcc {
  float sum[kGroups];
  unsigned count[kGroups];
};

__device__ __forceinline__ bool isValid(const Column& c, int row) { return (c.validity[row >> 5] >> (row & 31)) & 1u; }

// Sum of v over the lanes in peers. The lowest lane gets the result.
__device__ float sumOver(unsigned peers, float v, int lane) {
  const int leader = __ffs(peers) - 1;
  float total = 0.f;
  for (unsigned rest = peers; rest; rest &= rest - 1) total += __shfl_sync(peers, v, __ffs(rest) - 1);
  return lane == leader ? total : 0.f;
}

__device__ void addRow(WarpAcc& acc, const Column& c, int row, int lane) {
  const bool live = row < c.rows && isValid(c, row) && c.key[row] < kGroups;
  const unsigned lanes = __ballot_sync(kAll, live);
  if (live) {
    const unsigned key = c.key[row];
    const float v = c.value[row];
    const unsigned peers = __match_any_sync(lanes, key);
    const float s = sumOver(peers, v, lane);
    if (lane == __ffs(peers) - 1) {
      acc.sum[key] += s;
      acc.count[key] += __popc(peers);
    }
  }
  __syncwarp(kAll);
}

__global__ void __launch_bounds__(kWarps * 32) aggregate(Column c, Result r) {
  __shared__ WarpAcc acc[kWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  for (int g = lane; g < kGroups; g += 32) {
    acc[warp].sum[g] = 0.f;
    acc[warp].count[g] = 0u;
  }
  __syncwarp();

  const int step = gridDim.x * blockDim.x;
  for (int base = (blockIdx.x * kWarps + warp) * 32; base < c.rows; base += step)
    addRow(acc[warp], c, base + lane, lane);

  __syncthreads();
  for (int g = threadIdx.x; g < kGroups; g += blockDim.x) {
    double s = 0.0;
    unsigned long long n = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      s += acc[w].sum[g];
      n += acc[w].count[g];
    }
    if (n) {
      atomicAdd(r.sum + g, s);
      atomicAdd(r.count + g, n);
    }
  }
}

class GroupBy {
 public:
  GroupBy() {
    cudaMalloc(&r_.sum, kGroups * sizeof(double));
    cudaMalloc(&r_.count, kGroups * sizeof(unsigned long long));
  }
  ~GroupBy() {
    cudaFree(r_.sum);
    cudaFree(r_.count);
  }

  bool operator()(const Column& c, std::vector<double>& means, cudaStream_t s) {
    cudaMemsetAsync(r_.sum, 0, kGroups * sizeof(double), s);
    cudaMemsetAsync(r_.count, 0, kGroups * sizeof(unsigned long long), s);
    aggregate<<<160, kWarps * 32, 0, s>>>(c, r_);
    std::vector<double> sums(kGroups);
    std::vector<unsigned long long> counts(kGroups);
    cudaMemcpyAsync(sums.data(), r_.sum, kGroups * sizeof(double), cudaMemcpyDeviceToHost, s);
    cudaMemcpyAsync(counts.data(), r_.count, kGroups * sizeof(counts[0]), cudaMemcpyDeviceToHost, s);
    if (cudaStreamSynchronize(s) != cudaSuccess) return false;
    means.assign(kGroups, 0.0);
    for (int g = 0; g < kGroups; ++g)
      if (counts[g]) means[g] = sums[g] / double(counts[g]);
    return true;
  }

 private:
  Result r_{};
};

}  // namespace agg

int main() {
  const int n = 3000017;
  std::vector<uint8_t> key(n);
  std::vector<float> val(n, 1.f);
  std::vector<uint32_t> bits((n + 31) / 32, 0xf7fffeffu);
  for (int i = 0; i < n; ++i) key[i] = uint8_t((i / 3) * 7 % 70);
  uint8_t* k;
  float* v;
  uint32_t* b;
  cudaMalloc(&k, n);
  cudaMalloc(&v, n * sizeof(float));
  cudaMalloc(&b, bits.size() * 4);
  cudaMemcpy(k, key.data(), n, cudaMemcpyHostToDevice);
  cudaMemcpy(v, val.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, bits.data(), bits.size() * 4, cudaMemcpyHostToDevice);
  std::vector<double> means;
  agg::GroupBy g;
  if (!g({k, v, b, n}, means, 0)) return 1;
  printf("mean[5] = %f\n", means[5]);
  return 0;
}
