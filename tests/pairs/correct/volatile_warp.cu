// Classic tree reduction ported from older hardware: volatile tail with explicit warp syncs.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#ifndef THREADS
#define THREADS 256
#endif
#if THREADS < 64 || (THREADS & (THREADS - 1))
#error "THREADS must be a power of two >= 64"
#endif

#define WARP_STEP(buf, t, off)                \
  do {                                        \
    float v_ = (buf)[t] + (buf)[(t) + (off)]; \
    __syncwarp();                             \
    (buf)[t] = v_;                            \
    __syncwarp();                             \
  } while (0)

__device__ void warp_tail(volatile float* buf, int t) {
  WARP_STEP(buf, t, 32);
  WARP_STEP(buf, t, 16);
  WARP_STEP(buf, t, 8);
  WARP_STEP(buf, t, 4);
  WARP_STEP(buf, t, 2);
  WARP_STEP(buf, t, 1);
}

__global__ void dot(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ part, int n) {
  __shared__ float buf[THREADS];
  const int t = threadIdx.x;
  float s = 0.f;
  for (int i = blockIdx.x * THREADS + t; i < n; i += THREADS * gridDim.x) s += a[i] * b[i];
  buf[t] = s;
  __syncthreads();
  for (int half = THREADS / 2; half > 32; half >>= 1) {
    if (t < half) buf[t] += buf[t + half];
    __syncthreads();
  }
  if (t < 32) {
    warp_tail(buf, t);
    if (t == 0) part[blockIdx.x] = buf[0];
  }
}

struct Workspace {
  static constexpr int kMaxBlocks = 240;
  float* dev = nullptr;
  float host[kMaxBlocks];
  Workspace() {
    if (cudaMalloc(&dev, sizeof host) != cudaSuccess) std::abort();
  }
  ~Workspace() { cudaFree(dev); }
};

float dot_product(Workspace& w, const float* a, const float* b, int n) {
  if (n <= 0) return 0.f;
  int blocks = n / THREADS + (n % THREADS != 0);
  blocks = blocks > Workspace::kMaxBlocks ? Workspace::kMaxBlocks : blocks;
  if (n > 1 << 30) return 0.f;
  dot<<<blocks, THREADS>>>(a, b, w.dev, n);
  cudaMemcpy(w.host, w.dev, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  float s = 0.f;
  for (int i = 0; i < blocks; ++i) s += w.host[i];
  return s;
}

int main() {
  float *a, *b;
  const int n = 1234567;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  Workspace w;
  std::printf("%f\n", dot_product(w, a, b, n) + dot_product(w, a, b, 5));
  cudaFree(a);
  cudaFree(b);
  return 0;
}
