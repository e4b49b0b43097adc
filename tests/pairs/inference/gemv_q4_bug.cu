// Block-quantised (32 x int4) matrix-vector product, two rows per warp.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#define QK4 32

struct block_q4 {
  __half d;
  uint8_t qs[QK4 / 2];
};

static constexpr int kLanesPerRow = 16;
static constexpr int kWarps = 4;
static constexpr int kRowsPerBlock = kWarps * 32 / kLanesPerRow;

template <int W>
static __device__ __forceinline__ float groupReduceSum(float x) {
#pragma unroll
  for (int m = W / 2; m > 0; m >>= 1) x += __shfl_xor_sync(0xffffffff, x, m, W);
  return x;
}

static __device__ __forceinline__ float dot_block_q4(const block_q4 &b, const float *y) {
  float s = 0.f;
#pragma unroll
  for (int j = 0; j < QK4 / 2; ++j) {
    const int lo = (b.qs[j] & 0x0f) - 8;
    const int hi = (b.qs[j] >> 4) - 8;
    s += lo * y[j] + hi * y[j + QK4 / 2];
  }
  return s * __half2float(b.d);
}

struct Identity {
  __device__ float operator()(float x) const { return x; }
};
struct Silu {
  __device__ float operator()(float x) const { return x / (1.f + __expf(-x)); }
};

template <typename Act>
static __global__ void mul_mat_vec_q4(const block_q4 *__restrict__ w, const float *__restrict__ x,
                                      const float *__restrict__ bias, float *__restrict__ dst, int n_cols,
                                      int n_rows, Act act) {
  __shared__ float s_out[kRowsPerBlock];

  const int lane = threadIdx.x & 31;
  const int local_row = threadIdx.x / kLanesPerRow;
  const int sub = lane & (kLanesPerRow - 1);
  const int row = blockIdx.x * kRowsPerBlock + local_row;
  const int blocks_per_row = n_cols / QK4;

  float acc = 0.f;
  if (row < n_rows) {
    const block_q4 *wr = w + static_cast<int64_t>(row) * blocks_per_row;
    for (int ib = sub; ib < blocks_per_row; ib += kLanesPerRow) acc += dot_block_q4(wr[ib], x + ib * QK4);
    acc = groupReduceSum<kLanesPerRow>(acc);
    if (sub == 0) s_out[local_row] = acc;
  }
  __syncthreads();

  if (threadIdx.x < kRowsPerBlock) {
    const int r = blockIdx.x * kRowsPerBlock + threadIdx.x;
    if (r < n_rows) {
      const float b = bias != nullptr ? bias[r] : 0.f;
      dst[r] = act(s_out[threadIdx.x] + b);
    }
  }
}

void mul_mat_vec_q4_cuda(const void *vx, const float *y, const float *bias, float *dst, int ncols, int nrows,
                         bool fuse_silu, cudaStream_t stream) {
  const int grid = (nrows + kRowsPerBlock - 1) / kRowsPerBlock;
  const auto *w = static_cast<const block_q4 *>(vx);
  if (fuse_silu)
    mul_mat_vec_q4<<<grid, kWarps * 32, 0, stream>>>(w, y, bias, dst, ncols, nrows, Silu{});
  else
    mul_mat_vec_q4<<<grid, kWarps * 32, 0, stream>>>(w, y, bias, dst, ncols, nrows, Identity{});
}
