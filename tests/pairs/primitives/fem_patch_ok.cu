#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// Residual of a linear elasticity problem on triangle patches. A block owns
// one patch: nodes are gathered to shared memory, elements scatter there.

namespace fem {

constexpr int kMaxNodes = 192;
constexpr int kThreads = 128;

struct Patch {
  int nodeBegin, nodeCount;
  int elemBegin, elemCount;
};

struct Mesh {
  const Patch* patches;
  const int* nodeIds;    // patch local to global
  const uchar3* elems;   // patch local corners
  const float2* coords;
  const float2* disp;
  float2* residual;
};

struct Material {
  float lambda, mu;
  float2 body;
};

struct PatchData {
  float2 x[kMaxNodes];
  float2 u[kMaxNodes];
  float fx[kMaxNodes];
  float fy[kMaxNodes];
};

struct Grad {
  float2 g[3];
  float area;
};

__device__ __forceinline__ Grad shapeGradients(float2 a, float2 b, float2 c) {
  const float det = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  const float inv = 1.f / det;
  Grad r;
  r.g[0] = make_float2((b.y - c.y) * inv, (c.x - b.x) * inv);
  r.g[1] = make_float2((c.y - a.y) * inv, (a.x - c.x) * inv);
  r.g[2] = make_float2((a.y - b.y) * inv, (b.x - a.x) * inv);
  r.area = 0.5f * fabsf(det);
  return r;
}

__device__ void elementForces(PatchData& p, uchar3 e, const Material& m) {
  const int id[3] = {e.x, e.y, e.z};
  const Grad gr = shapeGradients(p.x[id[0]], p.x[id[1]], p.x[id[2]]);
  float exx = 0.f, eyy = 0.f, exy = 0.f;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const float2 u = p.u[id[i]];
    exx += gr.g[i].x * u.x;
    eyy += gr.g[i].y * u.y;
    exy += 0.5f * (gr.g[i].y * u.x + gr.g[i].x * u.y);
  }
  const float tr = m.lambda * (exx + eyy);
  const float sxx = tr + 2.f * m.mu * exx, syy = tr + 2.f * m.mu * eyy, sxy = 2.f * m.mu * exy;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    atomicAdd(&p.fx[id[i]], -gr.area * (sxx * gr.g[i].x + sxy * gr.g[i].y));
    atomicAdd(&p.fy[id[i]], -gr.area * (sxy * gr.g[i].x + syy * gr.g[i].y));
  }
}

__device__ __forceinline__ void bodyForce(PatchData& p, int node, const Material& m) {
  atomicAdd(&p.fx[node], m.body.x);
  atomicAdd(&p.fy[node], m.body.y);
}

__global__ void __launch_bounds__(kThreads) patchResidual(Mesh mesh, Material mat) {
  __shared__ PatchData p;
  const Patch patch = mesh.patches[blockIdx.x];
  const int* ids = mesh.nodeIds + patch.nodeBegin;

  for (int n = threadIdx.x; n < patch.nodeCount; n += kThreads) {
    p.x[n] = mesh.coords[ids[n]];
    p.u[n] = mesh.disp[ids[n]];
    p.fx[n] = 0.f;
    p.fy[n] = 0.f;
  }
  __syncthreads();

  for (int e = threadIdx.x; e < patch.elemCount; e += kThreads)
    elementForces(p, mesh.elems[patch.elemBegin + e], mat);
  for (int n = threadIdx.x; n < patch.nodeCount; n += kThreads) bodyForce(p, n, mat);
  __syncthreads();

  for (int n = threadIdx.x; n < patch.nodeCount; n += kThreads) {
    atomicAdd(&mesh.residual[ids[n]].x, p.fx[n]);
    atomicAdd(&mesh.residual[ids[n]].y, p.fy[n]);
  }
}

}  // namespace fem

template <typename T>
static T* upload(const std::vector<T>& v) {
  T* d = nullptr;
  cudaMalloc(&d, v.size() * sizeof(T));
  cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  using namespace fem;
  const int cells = 12, patches = 100, side = cells + 1;
  std::vector<Patch> ps;
  std::vector<int> ids;
  std::vector<uchar3> el;
  std::vector<float2> xy;
  for (int k = 0; k < patches; ++k) {
    ps.push_back({int(ids.size()), side * side, int(el.size()), 2 * cells * cells});
    for (int i = 0; i < side * side; ++i) {
      ids.push_back(int(xy.size()));
      xy.push_back(make_float2(float(k * cells + i % side), float(i / side)));
    }
    for (int c = 0; c < cells * cells; ++c) {
      const int a = c / cells * side + c % cells;
      el.push_back(make_uchar3(a, a + 1, a + side));
      el.push_back(make_uchar3(a + 1, a + side + 1, a + side));
    }
  }
  Mesh m{upload(ps), upload(ids), upload(el), upload(xy), upload(xy), nullptr};
  cudaMalloc(&m.residual, xy.size() * sizeof(float2));
  cudaMemset(m.residual, 0, xy.size() * sizeof(float2));
  patchResidual<<<patches, kThreads>>>(m, Material{1.f, 0.5f, make_float2(0.f, -9.81f)});
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
