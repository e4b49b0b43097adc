#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

namespace agg {

struct Entry {
  int key;
  int count;
};

struct AggArgs {
  const int* keys;
  const int* weights;    // may be null
  int* bins;
  int n;
  int nbins;
};

struct ModuloBin {
  int nbins;
  __device__ int operator()(int key) const { return key >= 0 ? key % nbins : nbins - 1; }
};

struct ShiftBin {
  int shift;
  int nbins;
  __device__ int operator()(int key) const { return min(int(unsigned(key) >> shift), nbins - 1); }
};

// Combines equal bins of one warp before touching memory. `live` names the calling lanes.
__device__ __forceinline__ void warp_add(int* bins, int bin, int w, unsigned live) {
  const unsigned peers = __match_any_sync(live, bin);
  const int leader = __ffs(peers) - 1;
#if __CUDA_ARCH__ >= 800
  const int total = int(__reduce_add_sync(peers, unsigned(w)));
#else
  int total = 0;
  for (unsigned rest = peers; rest; rest &= rest - 1) total += __shfl_sync(peers, w, __ffs(rest) - 1);
#endif
  if ((threadIdx.x & 31) == leader) atomicAdd(&bins[bin], total);
}

template <int BLOCK, class Bin>
__global__ void __launch_bounds__(BLOCK) aggregate_kernel(AggArgs a, Bin to_bin) {
  const int stride = gridDim.x * BLOCK;
  const int lane = threadIdx.x & 31;
  for (int base = blockIdx.x * BLOCK + threadIdx.x - lane; base < a.n; base += stride) {
    const int i = base + lane;
    const unsigned live = __ballot_sync(0xffffffffu, i < a.n);
    if (i < a.n) {
      const int bin = to_bin(a.keys[i]);
      const int w = a.weights ? a.weights[i] : 1;
      warp_add(a.bins, bin, w, live);
    }
    __syncwarp();
  }
}

template <class Bin>
struct AggLauncher {
  using Kernel = void (*)(AggArgs, Bin);
  static Kernel pick(int block) {
    switch (block) {
      case 128: return &aggregate_kernel<128, Bin>;
      case 256: return &aggregate_kernel<256, Bin>;
      default: return &aggregate_kernel<512, Bin>;
    }
  }
  static cudaError_t run(AggArgs a, Bin b, int block, int max_blocks, cudaStream_t s) {
    Kernel k = pick(block);
    const int grid = std::max(1, std::min((a.n + block - 1) / block, max_blocks));
    void* params[] = {&a, &b};
    return cudaLaunchKernel(reinterpret_cast<const void*>(k), dim3(grid), dim3(block), params, 0, s);
  }
};

cudaError_t aggregate(const AggArgs& a, int key_bits, int max_blocks, cudaStream_t s) {
  const int block = a.n < (1 << 14) ? 256 : 512;
  const bool pow2 = (a.nbins & (a.nbins - 1)) == 0;
  if (pow2 && key_bits > 0) {
    int log2 = 0;
    while ((1 << log2) < a.nbins) ++log2;
    return AggLauncher<ShiftBin>::run(a, ShiftBin{std::max(0, key_bits - log2), a.nbins}, block, max_blocks, s);
  }
  return AggLauncher<ModuloBin>::run(a, ModuloBin{a.nbins}, block, max_blocks, s);
}

}  // namespace agg
