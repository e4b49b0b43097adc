// Stream compaction: ballot ranks inside warps, shared warp offsets, one atomic per block.
#include <cuda_runtime.h>
#include <array>
#include <cstdint>

namespace compact {

constexpr int kWarp = 32;

template <int BLOCK>
class BlockRank {
 public:
  static constexpr int kWarps = BLOCK / kWarp;
  static_assert(BLOCK % kWarp == 0 && kWarps <= kWarp, "");
  struct Shared {
    int warp_offset[kWarps];
    int base;
  };
  __device__ explicit BlockRank(Shared& s) : s_(s) {}

  __device__ int operator()(bool keep, int* counter) {
    const unsigned lane = threadIdx.x % kWarp, wid = threadIdx.x / kWarp;
    const unsigned votes = __ballot_sync(0xffffffff, keep);
    if (lane == kWarp - 1) s_.warp_offset[wid] = __popc(votes);
    __syncthreads();
    if (wid == 0) {
      int v = lane < kWarps ? s_.warp_offset[lane] : 0;
      int incl = v;
#pragma unroll
      for (int d = 1; d < kWarp; d <<= 1) {
        int up = __shfl_up_sync(0xffffffff, incl, d);
        if (lane >= d) incl += up;
      }
      if (lane < kWarps) s_.warp_offset[lane] = incl - v;
      if (lane == kWarps - 1) s_.base = atomicAdd(counter, incl);
    }
    __syncthreads();
    const int r = s_.base + s_.warp_offset[wid] + __popc(votes & ((1u << lane) - 1));
    __syncthreads();
    return r;
  }

 private:
  Shared& s_;
};

struct Particle { float x, y, z, mass; };

struct AliveBox {
  float lo, hi;
  __device__ bool operator()(const Particle& p) const { return p.mass > 0 && p.x >= lo && p.x < hi; }
};

template <int BLOCK, typename Pred>
__global__ void compact_kernel(const Particle* __restrict__ in, Particle* __restrict__ out, int n, int* counter, Pred pred) {
  __shared__ typename BlockRank<BLOCK>::Shared sh;
  BlockRank<BLOCK> rank(sh);
  const int tiles = (n + BLOCK - 1) / BLOCK;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int i = t * BLOCK + threadIdx.x;
    Particle p{};
    bool keep = false;
    if (i < n) {
      p = in[i];
      keep = pred(p);
    }
    const int dst = rank(keep, counter);
    if (keep) out[dst] = p;
  }
}

template <typename Pred>
int compact(const Particle* in, Particle* out, int n, Pred pred) {
  if (n <= 0 || n > (1 << 30) || in == out) return 0;
  constexpr std::array<int, 2> sizes{128, 1024};
  int* counter = nullptr;
  if (cudaMalloc(&counter, sizeof(int)) != cudaSuccess) return -1;
  cudaMemset(counter, 0, sizeof(int));
  const bool small = n < 100000;
  const int block = small ? sizes[0] : sizes[1];
  int grid = (n + block - 1) / block;
  if (grid > 432) grid = 432;
  if (small) compact_kernel<sizes[0]><<<grid, block>>>(in, out, n, counter, pred);
  else       compact_kernel<sizes[1]><<<grid, block>>>(in, out, n, counter, pred);
  int h = 0;
  cudaMemcpy(&h, counter, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(counter);
  return h;
}

int keep_alive(const Particle* in, Particle* out, int n, float lo, float hi) { return compact(in, out, n, AliveBox{lo, hi}); }

}  // namespace compact
