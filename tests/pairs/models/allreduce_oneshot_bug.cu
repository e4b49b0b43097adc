// One-shot all-reduce inside of a node over peer-mapped buffers.
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

namespace comm {

constexpr int kMaxRanks = 8;
constexpr int kMaxBlocks = 36;
constexpr int kThreads = 256;

// One slot for each (block, peer): the peer stores its sequence number there.
struct alignas(128) Signal {
  uint32_t flag[kMaxBlocks][kMaxRanks];
  uint32_t seq[kMaxBlocks][kMaxRanks];  // private to the owner
};

struct Peers {
  Signal* signal[kMaxRanks];
  const void* data[kMaxRanks];
};

using FlagRef = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

template <typename T>
struct alignas(16) Pack {
  T v[16 / sizeof(T)];
};

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float& d, float v) { d = v; }
__device__ __forceinline__ void down(__half& d, float v) { d = __float2half(v); }
__device__ __forceinline__ void down(__nv_bfloat16& d, float v) { d = __float2bfloat16(v); }

// Block b of this rank meets block b of all ranks. Sequence numbers only grow and a peer is ahead
// by one at most, so a slot can be used again without a reset.
template <int kRanks>
__device__ void meet_peers(const Peers& p, int rank) {
  if (threadIdx.x < kRanks) {
    Signal* self = p.signal[rank];
    const uint32_t seq = ++self->seq[blockIdx.x][threadIdx.x];
    FlagRef theirs(p.signal[threadIdx.x]->flag[blockIdx.x][rank]);
    FlagRef ours(self->flag[blockIdx.x][threadIdx.x]);
    theirs.store(seq, cuda::memory_order_release);
    while ((int32_t)(ours.load(cuda::memory_order_acquire) - seq) < 0) {
    }
  }
}

template <typename T, int kRanks>
__global__ void __launch_bounds__(kThreads, 1)
allreduce_oneshot(Peers p, T* __restrict__ out, int rank, int packs) {
  using P = Pack<T>;
  constexpr int kElems = 16 / sizeof(T);

  // inputs of all ranks are complete once their kernels have started
  meet_peers<kRanks>(p, rank);
  __syncthreads();

  for (int i = blockIdx.x * kThreads + threadIdx.x; i < packs; i += gridDim.x * kThreads) {
    float acc[kElems] = {};
#pragma unroll
    for (int r = 0; r < kRanks; ++r) {
      // same order of ranks everywhere: bitwise equal results
      const P v = static_cast<const P*>(p.data[r])[i];
#pragma unroll
      for (int e = 0; e < kElems; ++e) acc[e] += up(v.v[e]);
    }
    P res;
#pragma unroll
    for (int e = 0; e < kElems; ++e) down(res.v[e], acc[e]);
    reinterpret_cast<P*>(out)[i] = res;
  }

  // nobody may overwrite an input that a peer still reads
  __syncthreads();
  meet_peers<kRanks>(p, rank);
}

template <typename T>
void allreduce(const Peers& p, T* out, int rank, int world, int64_t count, cudaStream_t st) {
  constexpr int kElems = 16 / sizeof(T);
  if (count <= 0 || count % kElems != 0 || count / kElems > INT32_MAX / 2)
    throw std::invalid_argument("count must be a multiple of 16 bytes");
  if (out == p.data[rank]) throw std::invalid_argument("in-place is not supported");
  const int packs = (int)(count / kElems);
  int blocks = (packs + kThreads - 1) / kThreads;
  if (blocks > kMaxBlocks) blocks = kMaxBlocks;
  switch (world) {
#define RANKS_CASE(N)                                                              \
  case N:                                                                          \
    allreduce_oneshot<T, N><<<blocks, kThreads, 0, st>>>(p, out, rank, packs);     \
    break;
    RANKS_CASE(2)
    RANKS_CASE(4)
    RANKS_CASE(6)
    RANKS_CASE(8)
#undef RANKS_CASE
    default:
      throw std::invalid_argument("unsupported number of ranks");
  }
}

template void allreduce<float>(const Peers&, float*, int, int, int64_t, cudaStream_t);
template void allreduce<__half>(const Peers&, __half*, int, int, int64_t, cudaStream_t);
template void allreduce<__nv_bfloat16>(const Peers&, __nv_bfloat16*, int, int, int64_t, cudaStream_t);

}  // namespace comm
