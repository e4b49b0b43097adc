// Macro-driven launches as found in older code bases; columns of a matrix are normalised and ranked.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    cudaError_t _e = (call);                                                             \
    if (_e != cudaSuccess) {                                                             \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(_e));         \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define BLOCK_1D 192
#define WARPS_1D (BLOCK_1D / 32)
#define LAUNCH_1D(kern, count, stream, ...)                                              \
  do {                                                                                   \
    if ((count) > 0) {                                                                   \
      kern<<<DIV_UP((count), BLOCK_1D), BLOCK_1D, 0, (stream)>>>((count), __VA_ARGS__);  \
      CHECK(cudaGetLastError());                                                         \
    }                                                                                    \
  } while (0)
#define LAUNCH_PER_ITEM(kern, items, stream, ...)                                        \
  do {                                                                                   \
    if ((items) > 0) {                                                                   \
      kern<<<(items), BLOCK_1D, 0, (stream)>>>(__VA_ARGS__);                             \
      CHECK(cudaGetLastError());                                                         \
    }                                                                                    \
  } while (0)

#define BLOCK_REDUCE(val, op, slots)                                                     \
  do {                                                                                   \
    for (int o_ = 16; o_ > 0; o_ >>= 1) {                                                \
      auto other_ = __shfl_down_sync(0xffffffffu, (val), o_);                            \
      (val) = op((val), other_);                                                         \
    }                                                                                    \
    __syncthreads();                                                                     \
    if ((threadIdx.x & 31) == 0) (slots)[threadIdx.x >> 5] = (val);                      \
    __syncthreads();                                                                     \
    (val) = (slots)[0];                                                                  \
    for (int w_ = 1; w_ < WARPS_1D; ++w_) (val) = op((val), (slots)[w_]);                \
  } while (0)

__device__ __forceinline__ float addf(float a, float b) { return a + b; }

__global__ void standardise_columns(float* m, int rows, int cols) {
  __shared__ float slots[WARPS_1D];
  const int c = blockIdx.x;
  float s = 0.f;
  for (int r = threadIdx.x; r < rows; r += BLOCK_1D) s += m[(size_t)r * cols + c];
  BLOCK_REDUCE(s, addf, slots);
  const float mean = s / rows;
  float q = 0.f;
  for (int r = threadIdx.x; r < rows; r += BLOCK_1D) {
    const float d = m[(size_t)r * cols + c] - mean;
    q += d * d;
  }
  BLOCK_REDUCE(q, addf, slots);
  const float inv = rsqrtf(q / rows + 1e-6f);
  for (int r = threadIdx.x; r < rows; r += BLOCK_1D) {
    float* p = m + (size_t)r * cols + c;
    *p = (*p - mean) * inv;
  }
}

__global__ void row_argmax(int rows, const float* __restrict__ m, int cols, int* __restrict__ arg) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int best = 0;
  for (int c = 1; c < cols; ++c)
    if (m[(size_t)r * cols + c] > m[(size_t)r * cols + best]) best = c;
  arg[r] = best;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 3000, cols = argc > 2 ? atoi(argv[2]) : 40;
  if (rows <= 0 || cols <= 0 || rows > 1000000 || cols > 1000) return 1;
  float* m;
  int* arg;
  CHECK(cudaMalloc(&m, sizeof(float) * rows * cols));
  CHECK(cudaMalloc(&arg, sizeof(int) * rows));
  CHECK(cudaMemset(m, 0, sizeof(float) * rows * cols));
  LAUNCH_PER_ITEM(standardise_columns, cols, 0, m, rows, cols);
  LAUNCH_1D(row_argmax, rows, 0, m, cols, arg);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(m));
  CHECK(cudaFree(arg));
  return 0;
}
