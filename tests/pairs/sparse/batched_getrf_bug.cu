// Small batched LU with partial pivoting. One thread block factors one matrix,
// the matrix lives in shared memory in column-major order.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

namespace smallla {

constexpr int kThreads = 128;

template <int N>
struct Tile {
  float m[N * (N + 1)];
  int piv;
  __device__ float& at(int r, int c) { return m[c * (N + 1) + r]; }
};

// Called by the first warp; every lane looks at one candidate row.
template <int N>
__device__ void findPivot(Tile<N>& t, int k, int lane) {
  float best = -1.f;
  int row = k;
  if (lane >= k && lane < N) {
    best = fabsf(t.at(lane, k));
    row = lane;
  }
  for (int o = 16; o > 0; o >>= 1) {
    const float b2 = __shfl_xor_sync(0xffffffffu, best, o);
    const int r2 = __shfl_xor_sync(0xffffffffu, row, o);
    if (b2 > best || (b2 == best && r2 < row)) { best = b2; row = r2; }
  }
  if (lane == 0) t.piv = row;
}

template <int N>
__device__ void swapRows(Tile<N>& t, int k, int tid) {
  const int p = t.piv;
  if (p != k && tid < N) {
    const float tmp = t.at(k, tid);
    t.at(k, tid) = t.at(p, tid);
    t.at(p, tid) = tmp;
  }
  __syncthreads();
}

template <int N>
__device__ void scaleColumn(Tile<N>& t, int k, int tid) {
  const float d = t.at(k, k);
  if (tid > k && tid < N && d != 0.f) t.at(tid, k) /= d;
  __syncthreads();
}

template <int N>
__device__ void rank1Update(Tile<N>& t, int k, int tid) {
  const int rem = N - k - 1;
  for (int e = tid; e < rem * rem; e += kThreads) {
    const int r = k + 1 + e / rem;
    const int c = k + 1 + e % rem;
    t.at(r, c) -= t.at(r, k) * t.at(k, c);
  }
}

template <int N>
__global__ void getrfBatched(float* A, int* ipiv) {
  static_assert(N <= 32, "one lane per row");
  __shared__ Tile<N> t;
  const int tid = threadIdx.x;
  float* a = A + (size_t)blockIdx.x * N * N;

  for (int e = tid; e < N * N; e += kThreads) t.at(e % N, e / N) = a[e];
  __syncthreads();

  for (int k = 0; k < N; ++k) {
    if (tid < 32) findPivot(t, k, tid);
    __syncthreads();
    if (tid == 0) ipiv[blockIdx.x * N + k] = t.piv;
    swapRows(t, k, tid);
    scaleColumn(t, k, tid);
    rank1Update(t, k, tid);
  }

  __syncthreads();
  for (int e = tid; e < N * N; e += kThreads) a[e] = t.at(e % N, e / N);
}

}  // namespace smallla

int main() {
  constexpr int N = 24;
  const int batch = 4096;
  std::vector<float> h((size_t)batch * N * N);
  unsigned s = 12345u;
  for (auto& v : h) { s = s * 1664525u + 1013904223u; v = (float)(s >> 8) / (1 << 24) - 0.5f; }
  float* dA = nullptr;
  int* dP = nullptr;
  if (cudaMalloc(&dA, h.size() * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&dP, (size_t)batch * N * sizeof(int)) != cudaSuccess) return 1;
  cudaMemcpy(dA, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  smallla::getrfBatched<N><<<batch, smallla::kThreads>>>(dA, dP);
  cudaMemcpy(h.data(), dA, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("u00 = %f\n", h[0]);
  cudaFree(dA);
  cudaFree(dP);
  return 0;
}
