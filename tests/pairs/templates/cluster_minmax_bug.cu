// nvcc -arch=sm_90
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cfloat>

namespace cg = cooperative_groups;

namespace quant {

struct Range {
  float lo;
  float hi;
};

struct RangeOp {
  __device__ Range operator()(const Range& a, const Range& b) const {
    return Range{fminf(a.lo, b.lo), fmaxf(a.hi, b.hi)};
  }
};

struct RangeArgs {
  const float* x;      // rows x cols
  float* scale;        // rows
  float* zero;         // rows
  int cols;
  int levels;
};

template <int BLOCK>
struct RangeReduce {
  struct TempStorage {
    Range warp[BLOCK / 32];
  };
  static __device__ Range run(TempStorage& ts, Range r) {
    const RangeOp op;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
      const Range q{__shfl_xor_sync(0xffffffffu, r.lo, o), __shfl_xor_sync(0xffffffffu, r.hi, o)};
      r = op(r, q);
    }
    if (threadIdx.x % 32 == 0) ts.warp[threadIdx.x / 32] = r;
    __syncthreads();
    Range t = ts.warp[0];
    for (int w = 1; w < BLOCK / 32; ++w) t = op(t, ts.warp[w]);
    return t;
  }
};

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) row_range_kernel(RangeArgs a) {
  auto cluster = cg::this_cluster();
  __shared__ typename RangeReduce<BLOCK>::TempStorage ts;
  __shared__ Range mine;

  const int nr = cluster.num_blocks();
  const int rank = cluster.block_rank();
  const int row = blockIdx.x / nr;
  const float* x = a.x + size_t(row) * a.cols;
  const int part = (a.cols + nr - 1) / nr;
  const int begin = rank * part;
  const int end = min(begin + part, a.cols);

  Range r{FLT_MAX, -FLT_MAX};
  for (int c = begin + threadIdx.x; c < end; c += BLOCK) r = RangeOp{}(r, Range{x[c], x[c]});
  r = RangeReduce<BLOCK>::run(ts, r);
  if (threadIdx.x == 0) mine = r;
  cluster.sync();

  if (rank == 0 && threadIdx.x == 0) {
    Range all = mine;
    for (int k = 1; k < nr; ++k) {
      const Range* other = cluster.map_shared_rank(&mine, k);
      all = RangeOp{}(all, *other);
    }
    const float s = (all.hi - all.lo) / float(a.levels - 1);
    a.scale[row] = s > 0.f ? s : 1.f;
    a.zero[row] = all.lo;
  }
}

template <int BLOCK>
cudaError_t launch(const RangeArgs& a, int rows, int cluster_size, cudaStream_t stream) {
  cudaLaunchAttribute attr[1];
  attr[0].id = cudaLaunchAttributeClusterDimension;
  attr[0].val.clusterDim.x = cluster_size;
  attr[0].val.clusterDim.y = 1;
  attr[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t cfg = {};
  cfg.gridDim = dim3(rows * cluster_size);
  cfg.blockDim = dim3(BLOCK);
  cfg.dynamicSmemBytes = 0;
  cfg.stream = stream;
  cfg.attrs = attr;
  cfg.numAttrs = 1;
  return cudaLaunchKernelEx(&cfg, row_range_kernel<BLOCK>, a);
}

cudaError_t row_ranges(const RangeArgs& a, int rows, cudaStream_t s) {
  if (rows <= 0) return cudaSuccess;
  if (a.cols <= 4096) return launch<128>(a, rows, 2, s);
  return launch<256>(a, rows, std::min(8, 4), s);
}

}  // namespace quant
