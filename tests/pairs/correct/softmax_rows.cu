// Row-wise softmax, one warp per row, warps per block chosen at run time.
#include <cuda_runtime.h>
#include <cfloat>
#include <algorithm>
#include <cstdio>

#define CUDA_OK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::fprintf(stderr, "%s\n", cudaGetErrorString(e_)); return e_; } } while (0)

struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct AddOp { __device__ float operator()(float a, float b) const { return a + b; } };

template <typename Op>
__device__ __forceinline__ float warp_all_reduce(float v, Op op) {
  for (int m = 16; m; m /= 2) v = op(v, __shfl_xor_sync(0xffffffff, v, m));
  return v;
}

__global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, int ld) {
  extern __shared__ float cache[];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int row = blockIdx.x * (blockDim.x >> 5) + warp;
  if (row >= rows) return;

  float* mine = cache + warp * ld;
  const float* src = x + (size_t)row * cols;
  float m = -FLT_MAX;
  for (int c = lane; c < cols; c += 32) {
    float v = src[c];
    mine[c] = v;
    m = fmaxf(m, v);
  }
  m = warp_all_reduce(m, MaxOp{});
  float s = 0.f;
  for (int c = lane; c < cols; c += 32) {
    float e = __expf(mine[c] - m);
    mine[c] = e;
    s += e;
  }
  s = warp_all_reduce(s, AddOp{});
  __syncwarp();
  const float inv = 1.f / s;
  // write reversed so that consumers can stream from the tail
  float* dst = y + (size_t)row * cols;
  for (int c = lane; c < cols; c += 32) dst[c] = mine[cols - 1 - c] * inv;
}

static int round_up(int v, int m) { return (v + m - 1) / m * m; }

cudaError_t softmax(const float* x, float* y, int rows, int cols, int threads_hint, cudaStream_t stream) {
  if (rows <= 0 || cols <= 0 || cols > 2048) return cudaErrorInvalidValue;
  int threads = std::clamp(threads_hint, 1, 128);
  threads = round_up(threads, 32);
  const int ld = round_up(cols, 32) + 1;
  const int warps = threads / 32;
  const int grid = (rows + warps - 1) / warps;
  const size_t smem = sizeof(float) * ld * warps;
  CUDA_OK(cudaFuncSetAttribute(softmax_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, int(smem)));
  softmax_rows<<<grid, threads, smem, stream>>>(x, y, rows, cols, ld);
  CUDA_OK(cudaGetLastError());
  return cudaSuccess;
}

int main() {
  float *x, *y;
  const int r = 1000, c = 777;
  CUDA_OK(cudaMalloc(&x, sizeof(float) * r * c));
  CUDA_OK(cudaMalloc(&y, sizeof(float) * r * c));
  CUDA_OK(cudaMemset(x, 0, sizeof(float) * r * c));
  for (int hint : {1, 33, 100, 500}) CUDA_OK(softmax(x, y, r, c, hint, 0));
  CUDA_OK(cudaDeviceSynchronize());
  cudaFree(x);
  cudaFree(y);
  return 0;
}
