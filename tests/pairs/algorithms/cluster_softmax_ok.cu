// Log-softmax over very wide rows: one row per thread-block cluster, partials through DSMEM.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cfloat>
#include <cstdio>

namespace cg = cooperative_groups;

#define CLUSTER 4
#define BLOCK 256

struct RowStat {
  float mx;
  float sum;
};

__device__ __forceinline__ RowStat combine(RowStat a, RowStat b) {
  RowStat r;
  r.mx = fmaxf(a.mx, b.mx);
  r.sum = a.sum * __expf(a.mx - r.mx) + b.sum * __expf(b.mx - r.mx);
  return r;
}

__device__ RowStat warp_combine(RowStat v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    RowStat u;
    u.mx = __shfl_xor_sync(0xffffffffu, v.mx, o);
    u.sum = __shfl_xor_sync(0xffffffffu, v.sum, o);
    v = combine(v, u);
  }
  return v;
}

template <int NT>
__device__ RowStat block_combine(RowStat v, RowStat* scratch) {
  v = warp_combine(v);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  RowStat r = scratch[0];
#pragma unroll
  for (int i = 1; i < NT / 32; ++i) r = combine(r, scratch[i]);
  return r;
}

__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(BLOCK)
log_softmax(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ RowStat scratch[BLOCK / 32];
  __shared__ RowStat mine;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  const int row = blockIdx.x / CLUSTER;
  const float* px = x + (size_t)row * cols;
  float* py = y + (size_t)row * cols;

  RowStat v{-FLT_MAX, 0.f};
  for (int c = rank * BLOCK + threadIdx.x; c < cols; c += BLOCK * CLUSTER) v = combine(v, RowStat{px[c], 1.f});
  v = block_combine<BLOCK>(v, scratch);
  if (threadIdx.x == 0) mine = v;
  cluster.sync();

  RowStat all{-FLT_MAX, 0.f};
#pragma unroll
  for (unsigned r = 0; r < CLUSTER; ++r) {
    const RowStat* peer = cluster.map_shared_rank(&mine, r);
    all = combine(all, *peer);
  }
  const float lse = all.mx + __logf(all.sum);
  cluster.sync();
  for (int c = rank * BLOCK + threadIdx.x; c < cols; c += BLOCK * CLUSTER) py[c] = px[c] - lse;
}

struct LogSoftmax {
  int rows = 0;
  int cols = 0;
  const char* last_error = nullptr;

  bool operator()(const float* x, float* y, cudaStream_t s) {
    if (rows == 0) return true;
    if (cols <= 0) {
      last_error = "bad shape";
      return false;
    }
    log_softmax<<<rows * CLUSTER, BLOCK, 0, s>>>(x, y, cols);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) last_error = cudaGetErrorString(e);
    return e == cudaSuccess;
  }
};

int main(int argc, char** argv) {
  LogSoftmax op;
  op.rows = argc > 1 ? 1024 : 64;
  op.cols = 256000;
  float *x, *y;
  const size_t bytes = sizeof(float) * (size_t)op.rows * op.cols;
  if (cudaMalloc(&x, bytes) || cudaMalloc(&y, bytes)) return 1;
  cudaMemset(x, 0, bytes);
  if (!op(x, y, 0)) {
    fprintf(stderr, "%s\n", op.last_error);
    return 2;
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
