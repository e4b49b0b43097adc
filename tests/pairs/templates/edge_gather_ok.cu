#include <cuda_runtime.h>
#include <algorithm>

namespace graph {

struct Csr {
  const int* row_ptr;
  const int* col;
  const float* weight;
  int rows;
};

struct GatherArgs {
  Csr g;
  const float* feat;     // rows x dim
  float* out;            // rows x dim
  int dim;
};

static constexpr int kMaxX = 32;
static constexpr int kRowsPerBlock = 8;

struct EdgeStage {
  int col[kRowsPerBlock][kMaxX];
  float w[kRowsPerBlock][kMaxX];
};

struct WeightedSum {
  __device__ float operator()(float acc, float w, float f) const { return acc + w * f; }
};
struct MaxPool {
  __device__ float operator()(float acc, float, float f) const { return fmaxf(acc, f); }
};

// One threadIdx.y slice per CSR row; threadIdx.x strides over edges, then features.
template <class Combine>
__global__ void gather_kernel(GatherArgs a, Combine combine) {
  __shared__ EdgeStage sh;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.x * kRowsPerBlock + ty;
  const bool live = row < a.g.rows;
  const int begin = live ? a.g.row_ptr[row] : 0;
  const int end = live ? a.g.row_ptr[row + 1] : 0;

  for (int f0 = 0; f0 < a.dim; f0 += blockDim.x) {
    const int f = f0 + tx;
    float acc = 0.f;
    const int width = blockDim.x;
    const unsigned lane0 = (ty * width) & 31;
    const unsigned mask = width >= 32 ? 0xffffffffu : (((1u << width) - 1u) << lane0);
    for (int e0 = begin; e0 < end; e0 += width) {
      const int m = min(width, end - e0);
      if (tx < m) {
        sh.col[ty][tx] = a.g.col[e0 + tx];
        sh.w[ty][tx] = a.g.weight[e0 + tx];
      }
      __syncwarp(mask);
      if (f < a.dim) {
        for (int k = 0; k < m; ++k)
          acc = combine(acc, sh.w[ty][k], a.feat[size_t(sh.col[ty][k]) * a.dim + f]);
      }
      __syncwarp(mask);
    }
    if (live && f < a.dim) a.out[size_t(row) * a.dim + f] = acc;
  }
}

static int pick_width(int degree_hint) {
  int w = 8;
  while (w < degree_hint && w < kMaxX) w *= 2;
  return w;
}

template <class Combine>
static cudaError_t launch(const GatherArgs& a, int degree_hint, Combine c, cudaStream_t s) {
  const dim3 block(pick_width(degree_hint), kRowsPerBlock);
  const dim3 grid((a.g.rows + kRowsPerBlock - 1) / kRowsPerBlock);
  if (grid.x == 0) return cudaSuccess;
  gather_kernel<Combine><<<grid, block, 0, s>>>(a, c);
  return cudaGetLastError();
}

enum class Pool { Sum, Max };

cudaError_t gather(const GatherArgs& a, int nnz, Pool pool, cudaStream_t s) {
  const int hint = a.g.rows > 0 ? nnz / a.g.rows : 0;
  switch (pool) {
    case Pool::Sum: return launch(a, hint, WeightedSum{}, s);
    case Pool::Max: return launch(a, hint, MaxPool{}, s);
  }
  return cudaErrorInvalidValue;
}

}  // namespace graph
