#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

namespace infer {

constexpr int kM = 16, kN = 16, kK = 16;
constexpr int kWarps = 4;

struct GemmArgs {
  const half* x;       // [m, k] row major
  const half* w;       // [n, k] row major
  const float* bias;   // [n]
  half* y;             // [m, n]
  int m, n, k;         // multiples of 16
};

__device__ __forceinline__ float gelu(float v) {
  return 0.5f * v * (1.f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

__device__ __forceinline__ float silu(float v) { return v / (1.f + __expf(-v)); }

enum class Act { kNone, kGelu, kSilu };

template <Act ACT>
__device__ __forceinline__ float activate(float v) {
  if (ACT == Act::kGelu) return gelu(v);
  if (ACT == Act::kSilu) return silu(v);
  return v;
}

template <Act ACT>
__global__ void __launch_bounds__(kWarps * 32) linear_act(GemmArgs a) {
  __shared__ float stage[kWarps][kM][kN];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int tile_n = blockIdx.x * kWarps + warp;
  const int row0 = blockIdx.y * kM;
  const int col0 = tile_n * kN;
  if (col0 >= a.n) return;

  wmma::fragment<wmma::accumulator, kM, kN, kK, float> acc;
  wmma::fill_fragment(acc, 0.f);
  for (int k = 0; k < a.k; k += kK) {
    wmma::fragment<wmma::matrix_a, kM, kN, kK, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, kM, kN, kK, half, wmma::col_major> fb;
    wmma::load_matrix_sync(fa, a.x + (size_t)row0 * a.k + k, a.k);
    wmma::load_matrix_sync(fb, a.w + (size_t)col0 * a.k + k, a.k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(&stage[warp][0][0], acc, kN, wmma::mem_row_major);
  __syncwarp();

  for (int z = lane; z < kM * kN; z += 32) {
    const int r = z / kN;
    const int c = z % kN;
    const float v = stage[warp][r][c] + a.bias[col0 + c];
    a.y[(size_t)(row0 + r) * a.n + col0 + c] = __float2half(activate<ACT>(v));
  }
}

bool linear(const GemmArgs& a, Act act, cudaStream_t s) {
  if (a.m % kM || a.n % kN || a.k % kK || a.m == 0 || a.n == 0) return false;
  dim3 grid((a.n / kN + kWarps - 1) / kWarps, a.m / kM);
  switch (act) {
    case Act::kGelu: linear_act<Act::kGelu><<<grid, kWarps * 32, 0, s>>>(a); break;
    case Act::kSilu: linear_act<Act::kSilu><<<grid, kWarps * 32, 0, s>>>(a); break;
    default: linear_act<Act::kNone><<<grid, kWarps * 32, 0, s>>>(a); break;
  }
  return true;
}

}  // namespace infer
