#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <vector>

// Radius count in a point tree. The 32 queries of a warp are close together
// and walk the tree as one, with a common stack.

namespace tree {

constexpr int kWarps = 4;
constexpr int kDepth = 48;

struct Node {
  float lo[3], hi[3];
  int left;   // right child is left + 1, leaf if negative
  int begin;
  int count;
};

struct Forest {
  const Node* nodes;
  const float4* points;
};

struct Query {
  const float4* at;  // sorted along a space filling curve
  int count;
  float radius;
  int* result;
};

class WarpStack {
 public:
  struct Storage {
    int entry[kDepth];
  };

  __device__ explicit WarpStack(Storage& s) : s_(s), size_(0), lane_(threadIdx.x & 31) {}

  __device__ bool empty() const { return size_ == 0; }

  __device__ int pop() {
    __syncwarp();
    const int node = s_.entry[--size_];
    __syncwarp();
    return node;
  }

  __device__ void push(int node) {
    if (lane_ == 0) s_.entry[size_] = node;
    ++size_;
  }

 private:
  Storage& s_;
  int size_;  // the same in all lanes
  int lane_;
};

__device__ __forceinline__ float boxDistance(const Node& n, const float4& q) {
  const float p[3] = {q.x, q.y, q.z};
  float d = 0.f;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float e = fmaxf(fmaxf(n.lo[k] - p[k], p[k] - n.hi[k]), 0.f);
    d += e * e;
  }
  return d;
}

__device__ int countLeaf(const Forest& f, const Node& n, const float4& q, float r2) {
  int c = 0;
  for (int i = n.begin; i < n.begin + n.count; ++i) {
    const float4 p = __ldg(f.points + i);
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    c += dx * dx + dy * dy + dz * dz <= r2;
  }
  return c;
}

__global__ void __launch_bounds__(kWarps * 32) countNeighbours(Forest f, Query q) {
  __shared__ WarpStack::Storage mem[kWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int base = (blockIdx.x * kWarps + warp) * 32;
  if (base >= q.count) return;

  const bool live = base + lane < q.count;
  const float4 me = q.at[live ? base + lane : q.count - 1];
  const float r2 = q.radius * q.radius;
  int found = 0;

  WarpStack stack(mem[warp]);
  stack.push(0);
  while (!stack.empty()) {
    const Node n = f.nodes[stack.pop()];
    const bool near = boxDistance(n, me) <= r2;
    if (!__any_sync(0xffffffffu, near)) continue;
    if (n.left < 0) {
      if (near) found += countLeaf(f, n, me, r2);
    } else {
      stack.push(n.left + 1);
      stack.push(n.left);
    }
  }

  if (live) q.result[base + lane] = found;
}

cudaError_t radiusCount(const Forest& f, const Query& q, cudaStream_t s) {
  if (q.count == 0) return cudaSuccess;
  countNeighbours<<<(q.count + kWarps * 32 - 1) / (kWarps * 32), kWarps * 32, 0, s>>>(f, q);
  return cudaGetLastError();
}

}  // namespace tree

static void build(std::vector<tree::Node>& nodes, int id, const std::vector<float4>& p, int begin, int count) {
  tree::Node n{};
  for (int k = 0; k < 3; ++k) n.lo[k] = FLT_MAX, n.hi[k] = -FLT_MAX;
  for (int i = begin; i < begin + count; ++i) {
    const float v[3] = {p[i].x, p[i].y, p[i].z};
    for (int k = 0; k < 3; ++k) n.lo[k] = fminf(n.lo[k], v[k]), n.hi[k] = fmaxf(n.hi[k], v[k]);
  }
  n.begin = begin, n.count = count, n.left = -1;
  if (count > 16) {
    n.left = int(nodes.size());
    nodes.resize(nodes.size() + 2);
    build(nodes, n.left, p, begin, count / 2);
    build(nodes, n.left + 1, p, begin + count / 2, count - count / 2);
  }
  nodes[id] = n;
}

int main() {
  std::vector<float4> p(100003);
  for (size_t i = 0; i < p.size(); ++i) p[i] = make_float4(i * 1e-3f, float(i % 97) * 0.01f, float(i % 31) * 0.02f, 0.f);
  std::vector<tree::Node> nodes(1);
  build(nodes, 0, p, 0, int(p.size()));
  tree::Node* dn;
  float4* dp;
  int* res;
  cudaMalloc(&dn, nodes.size() * sizeof(tree::Node));
  cudaMalloc(&dp, p.size() * sizeof(float4));
  cudaMalloc(&res, p.size() * sizeof(int));
  cudaMemcpy(dn, nodes.data(), nodes.size() * sizeof(tree::Node), cudaMemcpyHostToDevice);
  cudaMemcpy(dp, p.data(), p.size() * sizeof(float4), cudaMemcpyHostToDevice);
  cudaError_t e = tree::radiusCount({dn, dp}, {dp, int(p.size()), 0.2f, res}, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
