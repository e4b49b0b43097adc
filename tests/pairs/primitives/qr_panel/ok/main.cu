#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>
#include "part.cuh"

// Householder QR of many tall skinny panels, one block for each panel. The
// panel lives in registers: every thread owns one row.

namespace qr {

template <int COLS>
struct Panel {
  float a[COLS];
};

template <int ROWS, int COLS>
struct Factor {
  using Sum = block::Broadcast<float, ROWS>;
  Sum& sum;
  Panel<COLS>& p;
  const int row;

  __device__ Factor(Sum& s, Panel<COLS>& panel) : sum(s), p(panel), row(threadIdx.x) {}

  // Reflector for column k, scaled to a unit first entry. Returns tau.
  __device__ float reflector(int k, float& v) {
    const float x = p.a[k];
    const float tail = sum.sumAll(row > k ? x * x : 0.f);
    const float alpha = sum.sumAll(row == k ? x : 0.f);
    if (tail == 0.f) {
      v = row == k ? 1.f : 0.f;
      return 0.f;
    }
    const float beta = -copysignf(sqrtf(alpha * alpha + tail), alpha);
    const float scale = 1.f / (alpha - beta);
    v = row < k ? 0.f : (row == k ? 1.f : x * scale);
    p.a[k] = row < k ? x : (row == k ? beta : v);
    return (beta - alpha) / beta;
  }

  __device__ void apply(int k, float tau, float v) {
#pragma unroll
    for (int j = 0; j < COLS; ++j) {
      if (j <= k) continue;
      const float w = sum.sumAll(v * p.a[j]);
      p.a[j] -= tau * w * v;
    }
  }
};

template <int ROWS, int COLS>
__global__ void __launch_bounds__(ROWS) factorPanels(float* a, float* tau, int panels) {
  using Sum = block::Broadcast<float, ROWS>;
  __shared__ typename Sum::Storage mem;
  Sum sum(mem);
  for (int id = blockIdx.x; id < panels; id += gridDim.x) {
    float* base = a + size_t(id) * ROWS * COLS;
    Panel<COLS> p;
#pragma unroll
    for (int j = 0; j < COLS; ++j) p.a[j] = base[j * ROWS + threadIdx.x];

    Factor<ROWS, COLS> f(sum, p);
#pragma unroll
    for (int k = 0; k < COLS; ++k) {
      float v;
      const float t = f.reflector(k, v);
      if (t != 0.f) f.apply(k, t, v);
      if (threadIdx.x == 0) tau[id * COLS + k] = t;
    }

#pragma unroll
    for (int j = 0; j < COLS; ++j) base[j * ROWS + threadIdx.x] = p.a[j];
  }
}

bool factor(float* a, float* tau, int rows, int panels, cudaStream_t s) {
  const int blocks = panels < 1024 ? panels : 1024;
  if (rows == 64)
    factorPanels<64, 6><<<blocks, 64, 0, s>>>(a, tau, panels);
  else if (rows == 256)
    factorPanels<256, 6><<<blocks, 256, 0, s>>>(a, tau, panels);
  else
    return false;
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace qr

int main() {
  const int panels = 3000, cols = 6;
  for (int rows : {64, 256}) {
    std::vector<float> h(size_t(panels) * rows * cols);
    for (size_t i = 0; i < h.size(); ++i) h[i] = std::sin(float(i % 10007));
    float *a, *tau;
    cudaMalloc(&a, h.size() * sizeof(float));
    cudaMalloc(&tau, sizeof(float) * panels * cols);
    cudaMemcpy(a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    const bool ok = qr::factor(a, tau, rows, panels, 0);
    printf("%d rows: %d %s\n", rows, ok, cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(tau);
  }
  return 0;
}
