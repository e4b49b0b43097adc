// Block reduction with compile-time block size, dispatched at run time.
#include <cuda_runtime.h>
#include <cstddef>
#include <stdexcept>
#include <algorithm>

namespace rdc {

template <typename T> struct Sum { __host__ __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct Max { __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; } };

template <int STEP, int BLOCK, typename T, typename Op>
__device__ __forceinline__ void fold(T* sm, T& acc, Op op) {
  if constexpr (BLOCK >= 2 * STEP) {
    if (threadIdx.x < STEP) {
      acc = op(acc, sm[threadIdx.x + STEP]);
      sm[threadIdx.x] = acc;
    }
    __syncthreads();
  }
}

template <int BLOCK, typename T, typename Op>
__global__ void __launch_bounds__(BLOCK)
reduce_kernel(const T* __restrict__ in, T* __restrict__ out, std::size_t n, T init, Op op) {
  __shared__ T sm[BLOCK];
  T acc = init;
  for (std::size_t i = blockIdx.x * std::size_t(BLOCK) + threadIdx.x; i < n; i += std::size_t(BLOCK) * gridDim.x)
    acc = op(acc, in[i]);
  sm[threadIdx.x] = acc;
  __syncthreads();
  fold<512, BLOCK>(sm, acc, op);
  fold<256, BLOCK>(sm, acc, op);
  fold<128, BLOCK>(sm, acc, op);
  fold<64, BLOCK>(sm, acc, op);
  if (threadIdx.x < 32) {
    if (BLOCK >= 64) acc = op(acc, sm[threadIdx.x + 32]);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) acc = op(acc, __shfl_down_sync(0xffffffffu, acc, o));
    if (threadIdx.x == 0) out[blockIdx.x] = acc;
  }
}

template <typename T, typename Op>
void launch(int block, int grid, const T* in, T* out, std::size_t n, T init, Op op, cudaStream_t s) {
  switch (block) {
    case 32:   reduce_kernel<32><<<grid, 32, 0, s>>>(in, out, n, init, op); break;
    case 64:   reduce_kernel<64><<<grid, 64, 0, s>>>(in, out, n, init, op); break;
    case 128:  reduce_kernel<128><<<grid, 128, 0, s>>>(in, out, n, init, op); break;
    case 256:  reduce_kernel<256><<<grid, 256, 0, s>>>(in, out, n, init, op); break;
    case 512:  reduce_kernel<512><<<grid, 512, 0, s>>>(in, out, n, init, op); break;
    case 1024: reduce_kernel<1024><<<grid, 1024, 0, s>>>(in, out, n, init, op); break;
    default: throw std::invalid_argument("unsupported block size");
  }
}

inline int next_pow2(std::size_t n, int cap) {
  int b = 32;
  while (b < cap && std::size_t(b) < n) b <<= 1;
  return b;
}

template <typename T, typename Op>
T reduce(const T* d_in, std::size_t n, T init, Op op, cudaStream_t s = 0) {
  if (n == 0) return init;
  const int block = next_pow2(n, 512);
  const int grid = int(std::min<std::size_t>((n + block - 1) / block, 1024));
  T* partial = nullptr;
  if (cudaMalloc(&partial, sizeof(T) * (grid + 1)) != cudaSuccess) throw std::runtime_error("alloc");
  launch(block, grid, d_in, partial, n, init, op, s);
  launch(next_pow2(grid, 1024), 1, (const T*)partial, partial + grid, std::size_t(grid), init, op, s);
  T h = init;
  cudaMemcpyAsync(&h, partial + grid, sizeof(T), cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  cudaFree(partial);
  return h;
}

}  // namespace rdc

float device_sum(const float* x, std::size_t n) { return rdc::reduce(x, n, 0.0f, rdc::Sum<float>{}); }
int device_max(const int* x, std::size_t n) { return rdc::reduce(x, n, -2147483647, rdc::Max<int>{}); }
