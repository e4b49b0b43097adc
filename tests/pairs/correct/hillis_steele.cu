// Inclusive scan with two shared buffers; multi-level scan on the host side.
#include <cuda_runtime.h>
#include <vector>
#include <utility>

namespace scan {

enum class Kind { Inclusive, Exclusive };

template <int N>
class PingPong {
 public:
  __device__ explicit PingPong(int (*store)[N]) : front_(store[0]), back_(store[1]) {}
  __device__ int* front() { return front_; }
  __device__ int* back() { return back_; }
  __device__ void flip() { int* t = front_; front_ = back_; back_ = t; }
 private:
  int* front_;
  int* back_;
};

template <Kind K, int N>
__global__ void scan_block(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ sums, int n) {
  __shared__ int store[2][N];
  PingPong<N> pp(store);
  const int t = threadIdx.x;
  const int g = blockIdx.x * N + t;
  const int x = g < n ? in[g] : 0;
  pp.front()[t] = x;
  __syncthreads();
#pragma unroll
  for (int d = 1; d < N; d *= 2) {
    int v = pp.front()[t];
    if (t >= d) v += pp.front()[t - d];
    pp.back()[t] = v;
    pp.flip();
    __syncthreads();
  }
  const int incl = pp.front()[t];
  if (g < n) out[g] = K == Kind::Inclusive ? incl : incl - x;
  if (t == N - 1 && sums) sums[blockIdx.x] = incl;
}

template <int N>
__global__ void add_offsets(int* __restrict__ out, const int* __restrict__ offs, int n) {
  const int g = blockIdx.x * N + threadIdx.x;
  if (g < n) out[g] += offs[blockIdx.x];
}

template <Kind K, int N = 256>
void scan_recursive(const int* in, int* out, int n, std::vector<int*>& temps) {
  const int blocks = (n + N - 1) / N;
  if (blocks == 1) {
    scan_block<K, N><<<1, N>>>(in, out, nullptr, n);
    return;
  }
  int* sums = nullptr;
  cudaMalloc(&sums, 2 * sizeof(int) * blocks);
  temps.push_back(sums);
  scan_block<K, N><<<blocks, N>>>(in, out, sums, n);
  scan_recursive<Kind::Exclusive, N>(sums, sums + blocks, blocks, temps);
  add_offsets<N><<<blocks, N>>>(out, sums + blocks, n);
}

cudaError_t inclusive(const int* in, int* out, int n) {
  if (n <= 0 || in == out) return cudaErrorInvalidValue;
  std::vector<int*> temps;
  scan_recursive<Kind::Inclusive>(in, out, n, temps);
  cudaError_t e = cudaDeviceSynchronize();
  for (int* p : temps) cudaFree(p);
  return e;
}

cudaError_t exclusive(const int* in, int* out, int n) {
  if (n <= 0 || in == out) return cudaErrorInvalidValue;
  std::vector<int*> temps;
  scan_recursive<Kind::Exclusive, 512>(in, out, n, temps);
  cudaError_t e = cudaDeviceSynchronize();
  for (int* p : temps) cudaFree(p);
  return e;
}

}  // namespace scan
