#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <stdexcept>
#include <vector>

// Bottom-up refit of a binary bounding volume tree. Threads start at the
// leaves; of the two threads that reach a node only the second goes on.

namespace bvh {

struct alignas(16) Box {
  float3 lo;
  float3 hi;

  __device__ static Box merge(const Box& a, const Box& b) {
    Box r;
    r.lo = make_float3(fminf(a.lo.x, b.lo.x), fminf(a.lo.y, b.lo.y), fminf(a.lo.z, b.lo.z));
    r.hi = make_float3(fmaxf(a.hi.x, b.hi.x), fmaxf(a.hi.y, b.hi.y), fmaxf(a.hi.z, b.hi.z));
    return r;
  }
};

// Inner nodes 0 .. leaves-2, leaves follow. Node 0 is the root.
struct Tree {
  int leaves;
  const int* parent;
  const int2* child;
  Box* box;
  float* area;
  int* visits;
};

struct Primitives {
  const float3* center;
  const float* radius;
};

__device__ __forceinline__ Box loadBox(const Box* p) {
  const float4* q = reinterpret_cast<const float4*>(p);
  const float4 a = __ldcg(q), b = __ldcg(q + 1);
  Box r;
  r.lo = make_float3(a.x, a.y, a.z);
  r.hi = make_float3(a.w, b.x, b.y);
  return r;
}

__device__ __forceinline__ void storeBox(Box* p, const Box& b) {
  float4* q = reinterpret_cast<float4*>(p);
  __stcg(q, make_float4(b.lo.x, b.lo.y, b.lo.z, b.hi.x));
  __stcg(q + 1, make_float4(b.hi.y, b.hi.z, 0.f, 0.f));
}

__device__ __forceinline__ float halfArea(const Box& b) {
  const float x = b.hi.x - b.lo.x, y = b.hi.y - b.lo.y, z = b.hi.z - b.lo.z;
  return x * y + y * z + z * x;
}

// True for the second of the two arrivals.
__device__ __forceinline__ bool arrive(int* visits, int node) {
  __threadfence();
  const bool second = atomicAdd(visits + node, 1) == 1;
  __threadfence();
  return second;
}

template <class Bounds>
__global__ void refit(Tree t, Bounds bounds) {
  const int leaf = blockIdx.x * blockDim.x + threadIdx.x;
  if (leaf >= t.leaves) return;

  int node = t.leaves - 1 + leaf;
  Box b = bounds(leaf);
  storeBox(t.box + node, b);
  t.area[node] = halfArea(b);

  while (node != 0) {
    node = t.parent[node];
    if (!arrive(t.visits, node)) return;
    const int2 c = t.child[node];
    b = Box::merge(loadBox(t.box + c.x), loadBox(t.box + c.y));
    storeBox(t.box + node, b);
    t.area[node] = halfArea(b);
  }
}

struct SphereBounds {
  Primitives p;
  __device__ Box operator()(int i) const {
    const float3 c = p.center[i];
    const float r = p.radius[i];
    Box b;
    b.lo = make_float3(c.x - r, c.y - r, c.z - r);
    b.hi = make_float3(c.x + r, c.y + r, c.z + r);
    return b;
  }
};

void update(const Tree& t, const Primitives& p, cudaStream_t s) {
  if (t.leaves < 2) return;
  cudaMemsetAsync(t.visits, 0, sizeof(int) * (t.leaves - 1), s);
  const int threads = 192;
  refit<<<(t.leaves + threads - 1) / threads, threads, 0, s>>>(t, SphereBounds{p});
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("refit launch");
}

}  // namespace bvh

int main() {
  const int leaves = 1 << 17, nodes = 2 * leaves - 1;
  std::vector<int> parent(nodes, -1);
  std::vector<int2> child(leaves - 1);
  for (int i = 0; i < leaves - 1; ++i) {
    child[i] = make_int2(2 * i + 1, 2 * i + 2);
    parent[2 * i + 1] = parent[2 * i + 2] = i;
  }
  std::vector<float3> c(leaves);
  std::vector<float> r(leaves, 0.5f);
  for (int i = 0; i < leaves; ++i) c[i] = make_float3(float(i % 64), float(i / 64 % 64), float(i / 4096));

  bvh::Tree t{};
  t.leaves = leaves;
  int* dp;
  int2* dc;
  float3* pc;
  float* pr;
  cudaMalloc(&dp, nodes * sizeof(int));
  cudaMalloc(&dc, child.size() * sizeof(int2));
  cudaMalloc(&t.box, nodes * sizeof(bvh::Box));
  cudaMalloc(&t.area, nodes * sizeof(float));
  cudaMalloc(&t.visits, leaves * sizeof(int));
  cudaMalloc(&pc, leaves * sizeof(float3));
  cudaMalloc(&pr, leaves * sizeof(float));
  cudaMemcpy(dp, parent.data(), nodes * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, child.data(), child.size() * sizeof(int2), cudaMemcpyHostToDevice);
  cudaMemcpy(pc, c.data(), leaves * sizeof(float3), cudaMemcpyHostToDevice);
  cudaMemcpy(pr, r.data(), leaves * sizeof(float), cudaMemcpyHostToDevice);
  t.parent = dp, t.child = dc;
  for (int step = 0; step < 3; ++step) bvh::update(t, {pc, pr}, 0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
