// SELL-32 SpMM with few right hand sides: every warp handles a slice of 32 rows.
// x is row major (n x NRHS); results are turned round in shared memory so that
// the stores to row major y are coalesced.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int NRHS = 8;
constexpr int SLICE = 32;
constexpr int WARPS = 8;

template <typename T>
struct Sell {
  int rows, slices;
  const int* slicePtr;  // slices + 1, in entries
  const int* col;
  const T* val;
};

template <typename T>
__device__ __forceinline__ void storeSlice(const T* acc, T* stage, T* y, int row0, int rows, int lane) {
  // lane = row on the way in, lanes run over the entries on the way out
  for (int c = 0; c < NRHS; ++c) stage[lane * (NRHS + 1) + c] = acc[c];
  __syncwarp();
  for (int e = lane; e < SLICE * NRHS; e += 32) {
    const int r = e / NRHS, c = e % NRHS;
    if (row0 + r < rows) y[(size_t)row0 * NRHS + e] = stage[r * (NRHS + 1) + c];
  }
  __syncwarp();
}

template <typename T>
__global__ void __launch_bounds__(WARPS * 32)
sellSpmm(Sell<T> A, const T* __restrict__ x, T* __restrict__ y) {
  __shared__ T stage[WARPS][SLICE * (NRHS + 1)];
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;

  for (int s = blockIdx.x * WARPS + w; s < A.slices; s += gridDim.x * WARPS) {
    T acc[NRHS];
#pragma unroll
    for (int c = 0; c < NRHS; ++c) acc[c] = 0;
    for (int k = A.slicePtr[s] + lane; k < A.slicePtr[s + 1]; k += SLICE) {
      const int j = A.col[k];
      if (j < 0) break;
      const T v = A.val[k];
#pragma unroll
      for (int c = 0; c < NRHS; ++c) acc[c] += v * x[(size_t)j * NRHS + c];
    }
    storeSlice(acc, stage[w], y, s * SLICE, A.rows, lane);
  }
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 150001;
  if (rows < 1 || rows > 10000000) return 1;
  const int slices = (rows + SLICE - 1) / SLICE;
  std::vector<int> sp(1, 0), col;
  std::vector<float> val;
  for (int s = 0; s < slices; ++s) {
    const int width = 3 + s % 9;
    for (int k = 0; k < width; ++k)
      for (int l = 0; l < SLICE; ++l) {
        const int r = s * SLICE + l;
        const bool live = r < rows && k < width - r % 3;
        col.push_back(live ? (int)((r + 17LL * k * k) % rows) : -1);
        val.push_back(live ? 1.f / (k + 1) : 0.f);
      }
    sp.push_back((int)col.size());
  }
  int *dSp, *dCol;
  float *dVal, *dX, *dY;
  const size_t vec = (size_t)rows * NRHS * sizeof(float);
  if (cudaMalloc(&dSp, sp.size() * sizeof(int)) || cudaMalloc(&dCol, col.size() * sizeof(int)) ||
      cudaMalloc(&dVal, val.size() * sizeof(float)) || cudaMalloc(&dX, vec) || cudaMalloc(&dY, vec))
    return 2;
  cudaMemcpy(dSp, sp.data(), sp.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dCol, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dVal, val.data(), val.size() * sizeof(float), cudaMemcpyHostToDevice);
  std::vector<float> x((size_t)rows * NRHS);
  for (size_t i = 0; i < x.size(); ++i) x[i] = (float)(i % NRHS);
  cudaMemcpy(dX, x.data(), vec, cudaMemcpyHostToDevice);
  const int need = (slices + WARPS - 1) / WARPS;
  sellSpmm<float><<<need < 432 ? need : 432, WARPS * 32>>>(Sell<float>{rows, slices, dSp, dCol, dVal}, dX, dY);
  cudaMemcpy(x.data(), dY, vec, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", x[0], x[x.size() - 1]);
  return 0;
}
