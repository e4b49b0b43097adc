// Wide BVH (8 children per node): bottom-up refit, a tile of eight threads per
// node, one lane per child.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

struct Aabb { float lo[3], hi[3]; };

struct WideNode {
  int firstChild;
  int count;   // 1..8
};

using Tile8 = cg::thread_block_tile<8>;

__device__ __forceinline__ Aabb emptyBox() {
  return Aabb{{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

__device__ Aabb tileUnion(const Tile8& tile, Aabb b) {
  for (int o = tile.size() / 2; o > 0; o /= 2) {
    for (int a = 0; a < 3; ++a) {
      b.lo[a] = fminf(b.lo[a], tile.shfl_xor(b.lo[a], o));
      b.hi[a] = fmaxf(b.hi[a], tile.shfl_xor(b.hi[a], o));
    }
  }
  return b;
}

// Nodes [first, first + n) of one level; their children are on the level below.
__global__ void refitLevel(const WideNode* __restrict__ nodes, Aabb* boxes, int first, int n) {
  const Tile8 tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int k = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (k >= n) return;
  const WideNode nd = nodes[first + k];
  const int lane = tile.thread_rank();

  Aabb b = emptyBox();
  if (lane < nd.count) b = boxes[nd.firstChild + lane];
  b = tileUnion(tile, b);
  if (lane == 0) boxes[first + k] = b;
}

__global__ void leafBoxes(const float4* __restrict__ spheres, Aabb* boxes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 s = spheres[i];
  boxes[i] = Aabb{{s.x - s.w, s.y - s.w, s.z - s.w}, {s.x + s.w, s.y + s.w, s.z + s.w}};
}

struct Level { int first, n; };

int main(int argc, char** argv) {
  const int leaves = argc > 1 ? std::atoi(argv[1]) : 100003;
  if (leaves < 2 || leaves > 20000000) return 1;
  std::vector<WideNode> nodes(leaves, WideNode{-1, 0});
  std::vector<Level> levels(1, Level{0, leaves});
  while (levels.back().n > 1) {
    const Level below = levels.back();
    const Level cur{(int)nodes.size(), (below.n + 7) / 8};
    for (int k = 0; k < cur.n; ++k)
      nodes.push_back(WideNode{below.first + 8 * k, below.n - 8 * k < 8 ? below.n - 8 * k : 8});
    levels.push_back(cur);
  }
  std::vector<float4> sph(leaves);
  for (auto& s : sph)
    s = make_float4(rand() % 1000 * 0.1f, rand() % 1000 * 0.1f, rand() % 1000 * 0.1f, 0.05f);
  WideNode* dNodes;
  Aabb* dBoxes;
  float4* dSph;
  if (cudaMalloc(&dNodes, nodes.size() * sizeof(WideNode)) ||
      cudaMalloc(&dBoxes, nodes.size() * sizeof(Aabb)) || cudaMalloc(&dSph, leaves * sizeof(float4)))
    return 2;
  cudaMemcpy(dNodes, nodes.data(), nodes.size() * sizeof(WideNode), cudaMemcpyHostToDevice);
  cudaMemcpy(dSph, sph.data(), leaves * sizeof(float4), cudaMemcpyHostToDevice);
  leafBoxes<<<(leaves + 255) / 256, 256>>>(dSph, dBoxes, leaves);
  for (size_t l = 1; l < levels.size(); ++l)
    refitLevel<<<(levels[l].n * 8 + 127) / 128, 128>>>(dNodes, dBoxes, levels[l].first, levels[l].n);
  Aabb root;
  cudaMemcpy(&root, dBoxes + nodes.size() - 1, sizeof(root), cudaMemcpyDeviceToHost);
  std::printf("root x %g..%g\n", root.lo[0], root.hi[0]);
  return 0;
}
