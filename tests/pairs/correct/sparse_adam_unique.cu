// Lazy Adam for embedding tables: only rows touched by the batch are updated.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

struct AdamConfig {
  float lr, beta1, beta2, eps;
  int step;
};

struct Table {
  float* weight;   // [vocab, dim]
  float* m;
  float* v;
  int dim;
};

__device__ inline float adam_delta(float g, float& m, float& v, const AdamConfig& c, float bc1, float bc2) {
  m = c.beta1 * m + (1.f - c.beta1) * g;
  v = c.beta2 * v + (1.f - c.beta2) * g * g;
  return c.lr * (m / bc1) / (sqrtf(v / bc2) + c.eps);
}

// rows are distinct
__global__ void lazy_adam_kernel(Table t, const int64_t* __restrict__ rows, const float* __restrict__ grad, int n_rows,
                                 AdamConfig c, float bc1, float bc2) {
  const int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= n_rows) return;
  const size_t base = (size_t)rows[r] * t.dim;
  for (int d = threadIdx.x; d < t.dim; d += blockDim.x) {
    float m = t.m[base + d], v = t.v[base + d];
    t.weight[base + d] -= adam_delta(grad[(size_t)r * t.dim + d], m, v, c, bc1, bc2);
    t.m[base + d] = m;
    t.v[base + d] = v;
  }
}

// one gradient row per distinct id, summed over its occurrences
__global__ void gather_grad_kernel(const float* __restrict__ grad_tokens, const int* __restrict__ occ_ptr,
                                   const int* __restrict__ occ, int n_rows, int dim, float* grad) {
  const int r = blockIdx.x;
  if (r >= n_rows) return;
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    float s = 0.f;
    for (int k = occ_ptr[r]; k < occ_ptr[r + 1]; ++k) s += grad_tokens[(size_t)occ[k] * dim + d];
    grad[(size_t)r * dim + d] = s;
  }
}

void sparse_step(Table t, const std::vector<int64_t>& token_ids, const float* d_grad_tokens, AdamConfig c) {
  std::vector<int> order(token_ids.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = (int)i;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return token_ids[a] < token_ids[b]; });
  std::vector<int64_t> rows(token_ids);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<int> ptr(rows.size() + 1, 0);
  for (size_t r = 0, k = 0; r < rows.size(); ++r) {
    while (k < order.size() && token_ids[order[k]] == rows[r]) ++k;
    ptr[r + 1] = (int)k;
  }
  const int n = (int)rows.size();
  if (n == 0) return;
  int64_t* d_rows;
  int *d_ptr, *d_occ;
  float* d_grad;
  cudaMalloc(&d_rows, n * sizeof(int64_t));
  cudaMalloc(&d_ptr, (n + 1) * sizeof(int));
  cudaMalloc(&d_occ, order.size() * sizeof(int));
  cudaMalloc(&d_grad, sizeof(float) * (size_t)n * t.dim);
  cudaMemcpy(d_rows, rows.data(), n * sizeof(int64_t), cudaMemcpyHostToDevice);
  cudaMemcpy(d_ptr, ptr.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_occ, order.data(), order.size() * sizeof(int), cudaMemcpyHostToDevice);
  gather_grad_kernel<<<n, 128>>>(d_grad_tokens, d_ptr, d_occ, n, t.dim, d_grad);
  const float bc1 = 1.f - powf(c.beta1, c.step), bc2 = 1.f - powf(c.beta2, c.step);
  lazy_adam_kernel<<<(n + 3) / 4, dim3(64, 4)>>>(t, d_rows, d_grad, n, c, bc1, bc2);
  cudaFree(d_rows);
  cudaFree(d_ptr);
  cudaFree(d_occ);
  cudaFree(d_grad);
}
