#include <cuda_runtime.h>
#include <cfloat>
#include <algorithm>

namespace nearest_sel {

struct Args {
  const float* dist;     // rows x cols
  float* out_val;        // rows
  int* out_idx;          // rows
  int rows;
  int cols;
};

template <int BLOCK>
struct ArgMinStorage {
  float val[BLOCK];
  int idx[BLOCK];
  float best;
  int best_idx;
};

__device__ __forceinline__ bool block_any(bool pred) {
  return __syncthreads_or(pred ? 1 : 0) != 0;
}

template <int BLOCK>
__device__ __forceinline__ void block_argmin(ArgMinStorage<BLOCK>& s, float v, int i) {
  s.val[threadIdx.x] = v;
  s.idx[threadIdx.x] = i;
  __syncthreads();
#pragma unroll
  for (int step = BLOCK / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step && s.val[threadIdx.x + step] < s.val[threadIdx.x]) {
      s.val[threadIdx.x] = s.val[threadIdx.x + step];
      s.idx[threadIdx.x] = s.idx[threadIdx.x + step];
    }
    __syncthreads();
  }
}

template <int BLOCK, bool kNegate>
__global__ void __launch_bounds__(BLOCK) nearest_kernel(Args a) {
  __shared__ ArgMinStorage<BLOCK> smem;
  for (int row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const float* d = a.dist + size_t(row) * a.cols;
    if (threadIdx.x == 0) {
      smem.best = FLT_MAX;
      smem.best_idx = -1;
    }
    __syncthreads();

    for (int base = 0; base < a.cols; base += BLOCK) {
      const int col = base + threadIdx.x;
      const bool valid = col < a.cols;
      float v = valid ? d[col] : FLT_MAX;
      if (kNegate && valid) v = -v;
      const float cur = smem.best;
      if (block_any(valid && v < cur)) {
        block_argmin<BLOCK>(smem, v, valid ? col : -1);
        if (threadIdx.x == 0 && smem.val[0] < cur) {
          smem.best = smem.val[0];
          smem.best_idx = smem.idx[0];
        }
      }
      __syncthreads();
    }

    if (threadIdx.x == 0) {
      a.out_val[row] = kNegate ? -smem.best : smem.best;
      a.out_idx[row] = smem.best_idx;
    }
    __syncthreads();
  }
}

#define SELECT_DISPATCH(B)                                           \
  case B:                                                            \
    if (negate)                                                      \
      nearest_kernel<B, true><<<grid, B, 0, stream>>>(args);         \
    else                                                             \
      nearest_kernel<B, false><<<grid, B, 0, stream>>>(args);        \
    break;

cudaError_t run_nearest(const Args& args, bool negate, int sms, cudaStream_t stream) {
  const int block = args.cols >= 2048 ? 512 : args.cols >= 512 ? 256 : 128;
  const int grid = std::max(1, std::min(args.rows, sms * (2048 / block)));
  switch (block) {
    SELECT_DISPATCH(128)
    SELECT_DISPATCH(256)
    SELECT_DISPATCH(512)
  }
  return cudaGetLastError();
}

#undef SELECT_DISPATCH

}  // namespace nearest_sel
