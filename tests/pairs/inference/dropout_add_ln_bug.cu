// Dropout + residual + per-row absmax (for the fp8 GEMM that follows).  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace {

struct PhiloxLite {
  uint64_t seed;
  __device__ __forceinline__ uint32_t operator()(uint64_t ctr) const {
    uint64_t z = seed + (ctr + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  }
};

__device__ __forceinline__ float block_max(float v, float *smem) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, o));
  if (lane == 0) smem[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? smem[lane] : 0.f;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, o));
    if (lane == 0) smem[0] = v;
  }
  __syncthreads();
  const float r = smem[0];
  __syncthreads();
  return r;
}

struct DropoutAddParams {
  const __half *x;
  const __half *residual;
  __half *out;
  uint8_t *mask;
  float *row_absmax;
  float p_drop;
  uint64_t seed;
  int rows, hidden;
};

template <bool kTraining>
__global__ void dropout_add_absmax(const DropoutAddParams prm) {
  __shared__ float smem[32];
  const PhiloxLite rng{prm.seed};
  const float inv_keep = 1.f / (1.f - prm.p_drop);
  const uint32_t cut = static_cast<uint32_t>(prm.p_drop * 4294967040.f);

  for (int row = blockIdx.x; row < prm.rows; row += gridDim.x) {
    const int64_t off = static_cast<int64_t>(row) * prm.hidden;
    float branch_max = 0.f;
    int kept = 0;
    for (int i = threadIdx.x; i < prm.hidden; i += blockDim.x) {
      float b = __half2float(prm.x[off + i]);
      if (kTraining) {
        const bool keep = rng(off + i) >= cut;
        b = keep ? b * inv_keep : 0.f;
        prm.mask[off + i] = keep;
        kept += keep;
      } else {
        ++kept;
      }
      branch_max = fmaxf(branch_max, fabsf(b));
      prm.out[off + i] = __float2half(b + __half2float(prm.residual[off + i]));
    }
    const float absmax = kept ? block_max(branch_max, smem) : 0.f;
    if (threadIdx.x == 0) prm.row_absmax[row] = absmax;
  }
}

}  // namespace

void dropout_add_forward(const __half *x, const __half *residual, __half *out, uint8_t *mask,
                         float *row_absmax, float p_drop, uint64_t seed, int rows, int hidden,
                         bool training, cudaStream_t stream) {
  if (rows == 0) return;
  const DropoutAddParams prm{x, residual, out, mask, row_absmax, p_drop, seed, rows, hidden};
  const int block = std::min(512, (hidden + 31) / 32 * 32);
  const int grid = std::min(rows, 2048);
  if (training)
    dropout_add_absmax<true><<<grid, block, 0, stream>>>(prm);
  else
    dropout_add_absmax<false><<<grid, block, 0, stream>>>(prm);
}
