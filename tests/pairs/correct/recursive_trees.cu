// Tournament trees: template recursion for the upper levels, run-time recursion for the rest.
#include <cuda_runtime.h>
#include <climits>
#include <type_traits>

namespace tree {

struct Entry {
  int key, index;
};

__device__ __forceinline__ Entry better(const Entry& a, const Entry& b) {
  return (b.key < a.key || (b.key == a.key && b.index < a.index)) ? b : a;
}

template <int N>
struct Tournament {
  static __device__ void play(Entry* e) {
    if (threadIdx.x < N / 2) e[threadIdx.x] = better(e[threadIdx.x], e[threadIdx.x + N / 2]);
    __syncthreads();
    Tournament<N / 2>::play(e);
  }
};
template <>
struct Tournament<1> {
  static __device__ void play(Entry*) {}
};

// n is the same for the whole block
__device__ __noinline__ void play_dynamic(Entry* e, int n) {
  if (n <= 1) return;
  const int half = (n + 1) / 2;
  for (int i = threadIdx.x; i + half < n; i += blockDim.x) e[i] = better(e[i], e[i + half]);
  __syncthreads();
  play_dynamic(e, half);
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) block_min(const int* __restrict__ x, int n, Entry* __restrict__ out) {
  __shared__ Entry e[BLOCK];
  Entry m{INT_MAX, INT_MAX};
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) m = better(m, Entry{x[i], i});
  e[threadIdx.x] = m;
  __syncthreads();
  Tournament<BLOCK>::play(e);
  if (threadIdx.x == 0) out[blockIdx.x] = e[0];
}

__global__ void final_min(const Entry* __restrict__ in, int n, Entry* result) {
  extern __shared__ Entry buf[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) buf[i] = in[i];
  __syncthreads();
  play_dynamic(buf, n);
  if (threadIdx.x == 0) *result = buf[0];
}

template <int BLOCK>
int grid_for(int n) {
  static_assert((BLOCK & (BLOCK - 1)) == 0, "power of two");
  const int g = (n + BLOCK - 1) / BLOCK;
  return g < 777 ? g : 777;
}

template <int BLOCK = 256>
Entry argmin(const int* x, int n) {
  Entry h{INT_MAX, -1};
  if (n <= 0 || n > (1 << 30)) return h;
  const int grid = grid_for<BLOCK>(n);
  Entry* mem = nullptr;
  cudaMalloc(&mem, sizeof(Entry) * (grid + 1));
  block_min<BLOCK><<<grid, BLOCK>>>(x, n, mem);
  final_min<<<1, 100, grid * sizeof(Entry)>>>(mem, grid, mem + grid);
  cudaMemcpy(&h, mem + grid, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(mem);
  return h;
}

}  // namespace tree

int main() {
  int* x;
  const int n = 1000000;
  cudaMalloc(&x, n * sizeof(int));
  cudaMemset(x, 5, n * sizeof(int));
  const auto a = tree::argmin(x, n);
  const auto b = tree::argmin<64>(x, 17);
  cudaFree(x);
  return a.index == 0 && b.index == 0 ? 0 : 1;
}
