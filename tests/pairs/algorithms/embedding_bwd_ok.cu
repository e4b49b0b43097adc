// Embedding gradient from sorted token ids: equal ids are neighbours after the sort.
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <cstdint>
#include <cstdio>
#include <vector>

#define DIV_UP(a, b) (((a) + (b)-1) / (b))

namespace emb {

struct BwdParams {
  const int64_t* ids;     // sorted
  const int* origin;      // position of each sorted id in the batch
  const float* grad_out;  // [ntok, dim]
  float* grad_weight;     // [vocab, dim]
  int64_t ntok;
  int dim;
  int64_t padding_idx;
};

constexpr int kRowsPerBlock = 4;
constexpr int kUnroll = 4;

template <int SZ>
__global__ void embedding_backward(BwdParams p) {
  int64_t idx = (int64_t)blockIdx.x * kRowsPerBlock + threadIdx.y;
  if (idx >= p.ntok) return;
  const int64_t id = p.ids[idx];
  if (idx != 0 && p.ids[idx - 1] == id) return;
  if (id == p.padding_idx) return;

  const int start = threadIdx.x + blockIdx.y * blockDim.x * SZ;
  float acc[SZ];
#pragma unroll
  for (int k = 0; k < SZ; ++k) {
    const int f = start + k * blockDim.x;
    acc[k] = f < p.dim ? p.grad_weight[id * p.dim + f] : 0.f;
  }
  do {
    const float* g = p.grad_out + (int64_t)p.origin[idx] * p.dim;
#pragma unroll
    for (int k = 0; k < SZ; ++k) {
      const int f = start + k * blockDim.x;
      if (f < p.dim) acc[k] += g[f];
    }
    ++idx;
  } while (idx < p.ntok && p.ids[idx] == id);
#pragma unroll
  for (int k = 0; k < SZ; ++k) {
    const int f = start + k * blockDim.x;
    if (f < p.dim) p.grad_weight[id * p.dim + f] = acc[k];
  }
}

void sort_tokens(int64_t* ids, int* origin, int64_t n, cudaStream_t st) {
  auto pol = thrust::cuda::par.on(st);
  thrust::device_ptr<int64_t> k(ids);
  thrust::device_ptr<int> v(origin);
  thrust::sequence(pol, v, v + n);
  thrust::stable_sort_by_key(pol, k, k + n, v);
}

cudaError_t backward(int64_t* ids, int* origin, const float* go, float* gw, int64_t ntok, int dim, int64_t pad,
                     cudaStream_t st) {
  if (ntok == 0 || dim == 0) return cudaSuccess;
  sort_tokens(ids, origin, ntok, st);
  BwdParams p{ids, origin, go, gw, ntok, dim, pad};
  const dim3 block(32, kRowsPerBlock);
  const dim3 grid((unsigned)DIV_UP(ntok, (int64_t)kRowsPerBlock), DIV_UP(dim, 32 * kUnroll));
  embedding_backward<kUnroll><<<grid, block, 0, st>>>(p);
  return cudaGetLastError();
}

}  // namespace emb

int main() {
  const int n = 4096, dim = 300, vocab = 100;
  std::vector<int64_t> h(n);
  for (int i = 0; i < n; ++i) h[i] = (i * 37) % vocab;
  int64_t* ids;
  int* origin;
  float *go, *gw;
  cudaMalloc(&ids, n * sizeof(int64_t));
  cudaMalloc(&origin, n * sizeof(int));
  cudaMalloc(&go, sizeof(float) * n * dim);
  cudaMalloc(&gw, sizeof(float) * vocab * dim);
  cudaMemcpy(ids, h.data(), n * sizeof(int64_t), cudaMemcpyHostToDevice);
  cudaMemset(go, 0, sizeof(float) * n * dim);
  cudaMemset(gw, 0, sizeof(float) * vocab * dim);
  cudaError_t e = emb::backward(ids, origin, go, gw, n, dim, 0, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
