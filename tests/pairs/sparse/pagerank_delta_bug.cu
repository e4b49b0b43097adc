// PageRank (pull). The residual of a sweep is finished by the last block.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 256

struct PullGraph {
  int n;
  const int* off;
  const int* src;
  const float* invDeg;
};

__device__ float blockReduce(float v, float* scratch) {
  const int t = threadIdx.x;
  scratch[t] = v;
  __syncthreads();
#pragma unroll
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  return scratch[0];
}

__global__ void sweep(PullGraph g, const float* __restrict__ pr, float* __restrict__ next,
                      float damping, volatile float* partial, unsigned* ticket, float* residual) {
  __shared__ float scratch[THREADS];
  __shared__ bool last;
  float diff = 0.f;
  for (int v = blockIdx.x * THREADS + threadIdx.x; v < g.n; v += gridDim.x * THREADS) {
    float s = 0.f;
    for (int e = g.off[v]; e < g.off[v + 1]; ++e) s += pr[g.src[e]] * g.invDeg[g.src[e]];
    const float r = (1.f - damping) / g.n + damping * s;
    diff += fabsf(r - pr[v]);
    next[v] = r;
  }
  diff = blockReduce(diff, scratch);

  if (threadIdx.x == 0) {
    partial[blockIdx.x] = diff;
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;

  float sum = 0.f;
  for (int b = threadIdx.x; b < gridDim.x; b += THREADS) sum += partial[b];
  sum = blockReduce(sum, scratch);
  if (threadIdx.x == 0) {
    *residual = sum;
    *ticket = 0;
  }
}

static float iterate(PullGraph g, float* a, float* b, int maxIter, float tol) {
  const int need = (g.n + THREADS - 1) / THREADS;
  const int grid = need < 1024 ? need : 1024;
  float *partial, *res, h = 0.f;
  unsigned* ticket;
  if (cudaMalloc(&partial, grid * sizeof(float)) || cudaMalloc(&res, sizeof(float)) ||
      cudaMalloc(&ticket, sizeof(unsigned)))
    std::exit(1);
  cudaMemset(ticket, 0, sizeof(unsigned));
  for (int it = 0; it < maxIter; ++it) {
    sweep<<<grid, THREADS>>>(g, a, b, 0.85f, partial, ticket, res);
    cudaMemcpy(&h, res, sizeof(float), cudaMemcpyDeviceToHost);
    float* t = a; a = b; b = t;
    if (h < tol) break;
  }
  cudaFree(partial);
  cudaFree(res);
  cudaFree(ticket);
  return h;
}

int main() {
  const int n = 500000;
  std::vector<int> off(1, 0), src;
  std::vector<int> deg(n, 0);
  unsigned s = 7;
  for (int v = 0; v < n; ++v) {
    for (int k = 0; k < 2 + v % 13; ++k) {
      s = s * 1664525u + 1013904223u;
      src.push_back((s >> 4) % n);
      ++deg[src.back()];
    }
    off.push_back((int)src.size());
  }
  std::vector<float> inv(n), pr(n, 1.f / n);
  for (int v = 0; v < n; ++v) inv[v] = deg[v] ? 1.f / deg[v] : 0.f;
  int *dOff, *dSrc;
  float *dInv, *a, *b;
  cudaMalloc(&dOff, off.size() * sizeof(int));
  cudaMalloc(&dSrc, src.size() * sizeof(int));
  cudaMalloc(&dInv, n * sizeof(float));
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(dOff, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dSrc, src.data(), src.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dInv, inv.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(a, pr.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const float r = iterate(PullGraph{n, dOff, dSrc, dInv}, a, b, 100, 1e-6f);
  std::printf("residual %g\n", r);
  return 0;
}
