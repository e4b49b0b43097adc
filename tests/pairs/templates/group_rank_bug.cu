// Order statistics of fixed-size groups with cooperative-group tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <algorithm>

namespace cg = cooperative_groups;

namespace grouprank {

template <int TILE_, int BLOCK_>
struct Policy {
  static constexpr int TILE = TILE_;
  static constexpr int BLOCK = BLOCK_;
};

struct Args {
  const float* in;
  int* rank;        // rank of each element within its group
  float* gmax;      // one per group
  float* bmax;      // one per block
  int n;
};

struct Less {
  __device__ bool operator()(float a, float b) const { return a < b; }
};
struct Greater {
  __device__ bool operator()(float a, float b) const { return a > b; }
};

template <class Tile, class Cmp>
__device__ int rank_in_tile(const Tile& tile, float v, int live, Cmp cmp) {
  int r = 0;
  const int me = tile.thread_rank();
  for (int k = 0; k < int(tile.size()); ++k) {
    const float o = tile.shfl(v, k);
    if (k < live) r += cmp(o, v) || (o == v && k < me);
  }
  return r;
}

template <class P, class Cmp>
__global__ void __launch_bounds__(P::BLOCK) rank_kernel(Args a, Cmp cmp) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<P::TILE>(block);
  const int groups = (a.n + P::TILE - 1) / P::TILE;
  constexpr int per_block = P::BLOCK / P::TILE;
  __shared__ float tile_max[per_block];
  float best = -3.4e38f;

  for (int g = blockIdx.x * per_block + tile.meta_group_rank(); g < groups; g += gridDim.x * per_block) {
    const int i = g * P::TILE + tile.thread_rank();
    const bool in = i < a.n;
    if (!in) continue;
    const float v = in ? a.in[i] : -3.4e38f;
    const int live = min(P::TILE, a.n - g * P::TILE);
    const int r = rank_in_tile(tile, v, live, cmp);
    const float m = cg::reduce(tile, v, cg::greater<float>());
    if (in) a.rank[i] = r;
    if (tile.thread_rank() == 0) {
      a.gmax[g] = m;
      best = fmaxf(best, m);
    }
  }

  if (tile.thread_rank() == 0) tile_max[tile.meta_group_rank()] = best;
  block.sync();
  if (block.thread_rank() == 0) {
    for (int k = 1; k < per_block; ++k) best = fmaxf(best, tile_max[k]);
    a.bmax[blockIdx.x] = best;
  }
}

template <class P, class Cmp>
cudaError_t launch(Args a, Cmp cmp, cudaStream_t s) {
  int dev = 0, sms = 0, occ = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  auto k = rank_kernel<P, Cmp>;
  cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, k, P::BLOCK, 0);
  if (e != cudaSuccess) return e;
  const int need = (a.n + P::BLOCK - 1) / P::BLOCK;
  const int grid = std::max(1, std::min(need, sms * occ));
  k<<<grid, P::BLOCK, 0, s>>>(a, cmp);
  return cudaGetLastError();
}

cudaError_t rank_groups(const float* in, int* rank, float* gmax, float* bmax, int n, int group, bool descending,
                        cudaStream_t s) {
  const Args a{in, rank, gmax, bmax, n};
  switch (group) {
    case 8:
      return descending ? launch<Policy<8, 128>>(a, Greater{}, s) : launch<Policy<8, 128>>(a, Less{}, s);
    case 16:
      return descending ? launch<Policy<16, 128>>(a, Greater{}, s) : launch<Policy<16, 128>>(a, Less{}, s);
    case 32:
      return descending ? launch<Policy<32, 256>>(a, Greater{}, s) : launch<Policy<32, 256>>(a, Less{}, s);
  }
  return cudaErrorInvalidValue;
}

}  // namespace grouprank
