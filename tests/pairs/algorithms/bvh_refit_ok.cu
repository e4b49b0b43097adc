// Bottom-up refit of a binary LBVH: one thread starts at every leaf.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <cstdlib>

#define BVH_CHECK(expr)                                                      \
  do {                                                                       \
    cudaError_t err__ = (expr);                                              \
    if (err__ != cudaSuccess) {                                              \
      fprintf(stderr, "bvh: %s (%s:%d)\n", cudaGetErrorString(err__), __FILE__, __LINE__); \
      abort();                                                               \
    }                                                                        \
  } while (0)

struct Aabb {
  float lo[3];
  float hi[3];
};

struct BvhNode {
  int parent;  // -1 for the root
  int left;
  int right;
};

// inner nodes are [0, n-1), leaves are [n-1, 2n-1)
struct BvhView {
  const BvhNode* nodes;
  Aabb* boxes;
  int* visited;
  int nleaf;
};

__device__ __forceinline__ Aabb merge(const Aabb& a, const Aabb& b) {
  Aabb r;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    r.lo[k] = fminf(a.lo[k], b.lo[k]);
    r.hi[k] = fmaxf(a.hi[k], b.hi[k]);
  }
  return r;
}

__device__ Aabb triangle_box(const float3* v, const int3 t, float pad) {
  const float3 p[3] = {v[t.x], v[t.y], v[t.z]};
  Aabb r;
  r.lo[0] = fminf(p[0].x, fminf(p[1].x, p[2].x)) - pad;
  r.lo[1] = fminf(p[0].y, fminf(p[1].y, p[2].y)) - pad;
  r.lo[2] = fminf(p[0].z, fminf(p[1].z, p[2].z)) - pad;
  r.hi[0] = fmaxf(p[0].x, fmaxf(p[1].x, p[2].x)) + pad;
  r.hi[1] = fmaxf(p[0].y, fmaxf(p[1].y, p[2].y)) + pad;
  r.hi[2] = fmaxf(p[0].z, fmaxf(p[1].z, p[2].z)) + pad;
  return r;
}

__device__ __forceinline__ Aabb load_box(const Aabb* b) {
  Aabb r;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    r.lo[k] = __ldcg(&b->lo[k]);
    r.hi[k] = __ldcg(&b->hi[k]);
  }
  return r;
}

__global__ void refit(BvhView bvh, const float3* verts, const int3* tris, const int* order, float pad) {
  const int leaf = blockIdx.x * blockDim.x + threadIdx.x;
  if (leaf >= bvh.nleaf) return;

  int node = bvh.nleaf - 1 + leaf;
  bvh.boxes[node] = triangle_box(verts, tris[order[leaf]], pad);
  __threadfence();

  int up = bvh.nodes[node].parent;
  while (up >= 0) {
    if (atomicExch(&bvh.visited[up], 1) == 0) return;
    __threadfence();
    const BvhNode n = bvh.nodes[up];
    bvh.boxes[up] = merge(load_box(&bvh.boxes[n.left]), load_box(&bvh.boxes[n.right]));
    __threadfence();
    up = n.parent;
  }
}

class LbvhRefitter {
 public:
  LbvhRefitter(const BvhNode* nodes, int nleaf) {
    view_.nodes = nodes;
    view_.nleaf = nleaf;
    BVH_CHECK(cudaMalloc(&view_.boxes, sizeof(Aabb) * (2 * (size_t)nleaf - 1)));
    BVH_CHECK(cudaMalloc(&view_.visited, sizeof(int) * (size_t)nleaf));
  }
  ~LbvhRefitter() {
    cudaFree(view_.boxes);
    cudaFree(view_.visited);
  }
  const Aabb* update(const float3* verts, const int3* tris, const int* order, float pad, cudaStream_t s) {
    BVH_CHECK(cudaMemsetAsync(view_.visited, 0, sizeof(int) * (size_t)view_.nleaf, s));
    const int block = view_.nleaf < 4096 ? 64 : 256;
    refit<<<(view_.nleaf + block - 1) / block, block, 0, s>>>(view_, verts, tris, order, pad);
    BVH_CHECK(cudaGetLastError());
    return view_.boxes;
  }

 private:
  BvhView view_{};
};

extern "C" const void* bvh_refit_once(const BvhNode* nodes, int nleaf, const float3* v, const int3* t,
                                      const int* order) {
  if (nleaf < 2) return nullptr;
  static LbvhRefitter r(nodes, nleaf);
  return r.update(v, t, order, 1e-4f, nullptr);
}
