// Point-to-plane ICP: accumulates the 6x6 normal equations in one launch.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

namespace slam {

constexpr int kSys = 27;  // 21 upper triangle + 6 rhs
constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

struct Pose {
  float r[9];
  float t[3];
};

struct IcpView {
  const float3* src;
  const float3* dst;
  const float3* nrm;
  int n;
  float max_d2;
};

struct Workspace {
  float* partial;        // grid * kSys
  unsigned int* ticket;  // zero before the first launch
  float* system;         // kSys
  int max_blocks;
};

__device__ float3 apply(const Pose& p, float3 v) {
  return make_float3(p.r[0] * v.x + p.r[1] * v.y + p.r[2] * v.z + p.t[0],
                     p.r[3] * v.x + p.r[4] * v.y + p.r[5] * v.z + p.t[1],
                     p.r[6] * v.x + p.r[7] * v.y + p.r[8] * v.z + p.t[2]);
}

__device__ void add_residual(float (&a)[kSys], float3 s, float3 d, float3 n) {
  const float row[6] = {s.y * n.z - s.z * n.y, s.z * n.x - s.x * n.z, s.x * n.y - s.y * n.x, n.x, n.y, n.z};
  const float b = n.x * (d.x - s.x) + n.y * (d.y - s.y) + n.z * (d.z - s.z);
  int k = 0;
#pragma unroll
  for (int i = 0; i < 6; ++i) {
#pragma unroll
    for (int j = i; j < 6; ++j) a[k++] += row[i] * row[j];
  }
#pragma unroll
  for (int i = 0; i < 6; ++i) a[21 + i] += row[i] * b;
}

__global__ void __launch_bounds__(kThreads) icp_accumulate(IcpView v, Pose pose, Workspace ws) {
  __shared__ float red[kWarps][kSys];
  __shared__ bool is_last;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

  float a[kSys] = {};
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < v.n; i += gridDim.x * kThreads) {
    const float3 s = apply(pose, v.src[i]);
    const float3 d = v.dst[i];
    const float dx = s.x - d.x, dy = s.y - d.y, dz = s.z - d.z;
    if (dx * dx + dy * dy + dz * dz < v.max_d2) add_residual(a, s, d, v.nrm[i]);
  }
#pragma unroll
  for (int k = 0; k < kSys; ++k) {
    float x = a[k];
    for (int o = 16; o; o >>= 1) x += __shfl_down_sync(0xffffffffu, x, o);
    if (lane == 0) red[warp][k] = x;
  }
  __syncthreads();

  for (int k = threadIdx.x; k < kSys; k += kThreads) {
    float x = 0.f;
    for (int w = 0; w < kWarps; ++w) x += red[w][k];
    ws.partial[blockIdx.x * kSys + k] = x;
  }
  __threadfence();

  if (threadIdx.x == kThreads - 1) {
    const unsigned int done = atomicInc(ws.ticket, gridDim.x - 1);
    is_last = (done == gridDim.x - 1);
  }
  __syncthreads();
  if (!is_last) return;

  __threadfence();
  if (threadIdx.x < kSys) {
    float x = 0.f;
    for (int b = 0; b < (int)gridDim.x; ++b) x += __ldcg(&ws.partial[b * kSys + threadIdx.x]);
    ws.system[threadIdx.x] = x;
  }
}

class IcpSolver {
 public:
  explicit IcpSolver(int max_blocks) {
    ws_.max_blocks = std::max(1, max_blocks);
    ok_ = cudaMalloc(&ws_.partial, sizeof(float) * kSys * ws_.max_blocks) == cudaSuccess &&
          cudaMalloc(&ws_.ticket, sizeof(unsigned)) == cudaSuccess &&
          cudaMalloc(&ws_.system, sizeof(float) * kSys) == cudaSuccess &&
          cudaMemset(ws_.ticket, 0, sizeof(unsigned)) == cudaSuccess;
  }
  bool step(const IcpView& v, const Pose& p, float* h_sys, cudaStream_t s) {
    if (!ok_) return false;
    const int blocks = std::min(ws_.max_blocks, std::max(1, (v.n + kThreads - 1) / kThreads));
    icp_accumulate<<<blocks, kThreads, 0, s>>>(v, p, ws_);
    cudaMemcpyAsync(h_sys, ws_.system, sizeof(float) * kSys, cudaMemcpyDeviceToHost, s);
    return cudaStreamSynchronize(s) == cudaSuccess;
  }

 private:
  Workspace ws_{};
  bool ok_ = false;
};

}  // namespace slam

int main() {
  const int n = 100000;
  float3* p;
  if (cudaMalloc(&p, sizeof(float3) * n * 3)) return 1;
  cudaMemset(p, 0, sizeof(float3) * n * 3);
  slam::IcpSolver s(256);
  slam::Pose id{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  float sys[slam::kSys];
  return !s.step({p, p + n, p + 2 * n, n, 1.f}, id, sys, 0);
}
