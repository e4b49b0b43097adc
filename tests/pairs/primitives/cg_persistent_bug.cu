#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

// Conjugate gradients for the five point Laplacian in one cooperative launch.

struct CgArgs {
  int nx, ny;
  const float* b;
  float *x, *r, *p, *ap;
  double* acc;
  int maxIter;
  float tol;
  int* iters;
};

constexpr int kBlock = 256;
constexpr int kSlots = 3;

__device__ double blockSum(double v) {
  __shared__ double part[kBlock / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  __syncthreads();
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < kBlock / 32 ? part[lane] : 0.0;
    for (int o = 4; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  }
  return v;
}

// Sum over the grid. Consecutive calls go round the accumulator slots.
class GridDot {
 public:
  __device__ GridDot(cg::grid_group g, double* acc) : g_(g), acc_(acc), slot_(0) {}

  __device__ double operator()(double mine) {
    const double s = blockSum(mine);
    if (threadIdx.x == 0) atomicAdd(acc_ + slot_, s);
    g_.sync();
    const double total = *(volatile double*)(acc_ + slot_);
    const int next = slot_ + 1 == kSlots ? 0 : slot_ + 1;
    if (g_.thread_rank() == 0) acc_[next] = 0.0;
    slot_ = next;
    return total;
  }

 private:
  cg::grid_group g_;
  double* acc_;
  int slot_;
};

__device__ __forceinline__ float laplace(const CgArgs& a, const float* v, int i) {
  const int x = i % a.nx, y = i / a.nx;
  float s = 4.f * v[i];
  if (x > 0) s -= v[i - 1];
  if (x + 1 < a.nx) s -= v[i + 1];
  if (y > 0) s -= v[i - a.nx];
  if (y + 1 < a.ny) s -= v[i + a.nx];
  return s;
}

__global__ void __launch_bounds__(kBlock) cgSolve(CgArgs a) {
  cg::grid_group grid = cg::this_grid();
  GridDot dot(grid, a.acc);
  const int n = a.nx * a.ny;
  const int first = int(grid.thread_rank()), step = int(grid.size());

  double mine = 0.0;
  for (int i = first; i < n; i += step) {
    const float b = a.b[i];
    a.x[i] = 0.f;
    a.r[i] = a.p[i] = b;
    mine += double(b) * b;
  }
  double rr = dot(mine);
  const double stop = rr * a.tol * a.tol;

  int it = 0;
  while (it < a.maxIter && rr > stop) {
    mine = 0.0;
    for (int i = first; i < n; i += step) {
      const float q = laplace(a, a.p, i);
      a.ap[i] = q;
      mine += double(q) * a.p[i];
    }
    const double alpha = rr / dot(mine);

    mine = 0.0;
    for (int i = first; i < n; i += step) {
      a.x[i] += float(alpha) * a.p[i];
      const float r = a.r[i] - float(alpha) * a.ap[i];
      a.r[i] = r;
      mine += double(r) * r;
    }
    const double rrNew = dot(mine);
    const float beta = float(rrNew / rr);
    for (int i = first; i < n; i += step) a.p[i] = a.r[i] + beta * a.p[i];
    rr = rrNew;
    ++it;
    grid.sync();
  }
  if (first == 0) *a.iters = it;
}

int main() {
  CgArgs a{};
  a.nx = 700, a.ny = 500, a.maxIter = 400, a.tol = 1e-5f;
  const size_t n = size_t(a.nx) * a.ny;
  std::vector<float> ones(n, 1.f);
  float* pool;
  cudaMalloc(&pool, 5 * n * sizeof(float));
  cudaMemcpy(pool, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  a.b = pool, a.x = pool + n, a.r = pool + 2 * n, a.p = pool + 3 * n, a.ap = pool + 4 * n;
  cudaMalloc(&a.acc, kSlots * sizeof(double));
  cudaMemset(a.acc, 0, kSlots * sizeof(double));
  cudaMallocManaged(&a.iters, sizeof(int));

  int dev = 0, sms = 0, perSm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, cgSolve, kBlock, 0);
  void* args[] = {&a};
  cudaError_t e = cudaLaunchCooperativeKernel((void*)cgSolve, dim3(sms * perSm), dim3(kBlock), args, 0, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s, %d iterations\n", cudaGetErrorString(e), *a.iters);
  return e != cudaSuccess;
}
