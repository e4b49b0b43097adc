// Two-stage all-reduce over peer-mapped buffers, block-paired flags.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace car {

constexpr int kMaxBlocks = 36;
constexpr int kMaxRanks = 8;
constexpr int kThreads = 512;

struct Signal {
  alignas(128) uint32_t start[kMaxBlocks][kMaxRanks];
  alignas(128) uint32_t end[kMaxBlocks][kMaxRanks];
};

struct RankSignals {
  Signal *signals[kMaxRanks];
};
struct RankData {
  const void *ptrs[kMaxRanks];
};

struct alignas(16) Pack {
  __half2 v[4];
};

__device__ __forceinline__ void st_flag_release(uint32_t *addr, uint32_t flag) {
  asm volatile("st.release.sys.global.u32 [%1], %0;" ::"r"(flag), "l"(addr) : "memory");
}
__device__ __forceinline__ uint32_t ld_flag_acquire(const uint32_t *addr) {
  uint32_t flag;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(flag) : "l"(addr) : "memory");
  return flag;
}

enum class Phase { kStart, kEnd };

template <int ngpus, Phase phase>
__device__ __forceinline__ void multi_gpu_barrier(const RankSignals &sg, Signal *self, int rank, uint32_t seq) {
  if constexpr (phase == Phase::kEnd) __syncthreads();
  if (threadIdx.x < ngpus) {
    Signal *peer = sg.signals[threadIdx.x];
    uint32_t *out = phase == Phase::kStart ? &peer->start[blockIdx.x][rank] : &peer->end[blockIdx.x][rank];
    const uint32_t *in =
        phase == Phase::kStart ? &self->start[blockIdx.x][threadIdx.x] : &self->end[blockIdx.x][threadIdx.x];
    st_flag_release(out, seq);
    while (ld_flag_acquire(in) != seq) {
    }
  }
  if constexpr (phase == Phase::kStart) __syncthreads();
}

template <int ngpus>
__device__ __forceinline__ Pack packed_reduce(const Pack *const *ptrs, int idx) {
  float2 acc[4] = {};
#pragma unroll
  for (int g = 0; g < ngpus; ++g) {
    const Pack p = ptrs[g][idx];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 f = __half22float2(p.v[j]);
      acc[j].x += f.x;
      acc[j].y += f.y;
    }
  }
  Pack r;
#pragma unroll
  for (int j = 0; j < 4; ++j) r.v[j] = __float22half2_rn(acc[j]);
  return r;
}

// the shard buffer follows the signal header in each rank's signal allocation
__device__ __forceinline__ Pack *tmp_buf(Signal *s) { return reinterpret_cast<Pack *>(s + 1); }

template <int ngpus>
__global__ void __launch_bounds__(kThreads, 1)
    cross_device_reduce_2stage(RankData data, RankSignals sg, Signal *self, Pack *result, int rank, int size,
                               uint32_t seq) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = gridDim.x * blockDim.x;
  const int part = size / ngpus;
  const int start = rank * part;
  const int end = rank == ngpus - 1 ? size : start + part;
  const int largest_part = part + size % ngpus;

  const Pack *ptrs[ngpus];
  Pack *tmps[ngpus];
#pragma unroll
  for (int i = 0; i < ngpus; ++i) {
    const int target = (rank + i) % ngpus;
    ptrs[i] = static_cast<const Pack *>(data.ptrs[target]);
    tmps[i] = tmp_buf(sg.signals[target]);
  }
  Pack *tmp_out = tmps[0];

  multi_gpu_barrier<ngpus, Phase::kStart>(sg, self, rank, seq);
  for (int idx = start + tid; idx < end; idx += stride) tmp_out[idx - start] = packed_reduce<ngpus>(ptrs, idx);
  multi_gpu_barrier<ngpus, Phase::kEnd>(sg, self, rank, seq);

  for (int idx = tid; idx < largest_part; idx += stride) {
#pragma unroll
    for (int i = 0; i < ngpus; ++i) {
      const int from = (rank + i) % ngpus;
      if (from == ngpus - 1 || idx < part) result[from * part + idx] = tmps[i][idx];
    }
  }
}

}  // namespace car

#define REDUCE_CASE(ngpus)                                                                                   \
  case ngpus:                                                                                                \
    car::cross_device_reduce_2stage<ngpus>                                                                   \
        <<<blocks, car::kThreads, 0, stream>>>(data, sg, self, static_cast<car::Pack *>(out), rank, packs, seq); \
    break;

// seq increases by one on every call on every rank; out does not alias the input buffers
bool all_reduce_half(const car::RankData &data, const car::RankSignals &sg, car::Signal *self, void *out, int rank,
                     int world, int numel, uint32_t seq, cudaStream_t stream) {
  if (numel % 8 != 0) return false;
  const int packs = numel / 8;
  const int blocks = std::max(1, std::min(car::kMaxBlocks, (packs / world + car::kThreads - 1) / car::kThreads));
  switch (world) {
    REDUCE_CASE(2)
    REDUCE_CASE(4)
    REDUCE_CASE(8)
    default: return false;
  }
  return true;
}
