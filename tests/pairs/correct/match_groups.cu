// Group-by aggregation where lanes with equal keys elect a leader.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

struct Record { uint32_t key; int32_t amount; };

struct GroupTable {
  unsigned long long* sum;
  unsigned* count;
  int* slots;         // per-key cursor
  uint32_t mask;
};

__device__ int sum_over(unsigned peers, int v) {
  int total = 0;
  for (unsigned rest = peers; rest; rest &= rest - 1) total += __shfl_sync(peers, v, __ffs(rest) - 1);
  return total;
}

__device__ int peer_rank(unsigned peers) { 
  unsigned below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  return __popc(peers & below);
}

__global__ void group_by(const Record* __restrict__ rec, int n, GroupTable t, uint32_t* __restrict__ position) {
  const int stride = gridDim.x * blockDim.x;
  const int lane = threadIdx.x & 31;
  const int rounds = (n + stride - 1) / stride;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r, i += stride) {
    const bool valid = i < n;
    const unsigned live = __ballot_sync(0xffffffffu, valid);
    if (valid) {
      const Record x = rec[i];
      const uint32_t k = x.key & t.mask;
      const unsigned peers = __match_any_sync(live, k);
      const int total = sum_over(peers, x.amount);
      const int leader = __ffs(peers) - 1;
      int base = 0;
      if (lane == leader) {
        atomicAdd(&t.sum[k], (unsigned long long)(long long)total);
        atomicAdd(&t.count[k], __popc(peers));
        base = atomicAdd(&t.slots[k], __popc(peers));
      }
      base = __shfl_sync(peers, base, leader);
      position[i] = uint32_t(base + peer_rank(peers));
    }
    __syncwarp();
  }
}

namespace {
const std::map<std::string, int> kProfiles{{"latency", 64}, {"default", 256}, {"throughput", 512}};
int block_for(const std::string& profile) {
  auto it = kProfiles.find(profile);
  return it != kProfiles.end() ? it->second : kProfiles.at("default");
}
}

cudaError_t aggregate(const Record* rec, int n, int log2_groups, const std::string& profile, GroupTable* out, uint32_t** pos) {
  if (n <= 0 || n > (1 << 29) || log2_groups < 0 || log2_groups > 20) return cudaErrorInvalidValue;
  const size_t groups = size_t(1) << log2_groups;
  GroupTable t{};
  t.mask = uint32_t(groups - 1);
  cudaMalloc(&t.sum, groups * sizeof(*t.sum));
  cudaMalloc(&t.count, groups * sizeof(*t.count));
  cudaMalloc(&t.slots, groups * sizeof(*t.slots));
  cudaMalloc(pos, size_t(n) * sizeof(uint32_t));
  cudaMemset(t.sum, 0, groups * sizeof(*t.sum));
  cudaMemset(t.count, 0, groups * sizeof(*t.count));
  cudaMemset(t.slots, 0, groups * sizeof(*t.slots));
  const int block = block_for(profile);
  const int grid = std::min((n + block - 1) / block, 512);
  group_by<<<grid, block>>>(rec, n, t, *pos);
  *out = t;
  return cudaDeviceSynchronize();
}
