#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace ragged {

template <typename T>
struct RaggedView {
  const T* values;
  const int64_t* offsets;
  int rows;
};

template <int LANES>
struct Tile {
  static __device__ __forceinline__ int rank() { return threadIdx.x & (LANES - 1); }
  static __device__ __forceinline__ unsigned mask() {
    if (LANES == 32) return 0xffffffffu;
    const unsigned low = (1u << (LANES & 31)) - 1u;
    return low << ((threadIdx.x & 31) & ~(LANES - 1));
  }
};

template <int LANES, typename T, class Op>
__device__ __forceinline__ T tile_reduce(T v, Op op) {
  constexpr unsigned mask = 0xffffffffu;
#pragma unroll
  for (int o = LANES / 2; o > 0; o >>= 1) v = op(v, __shfl_down_sync(mask, v, o, LANES));
  return v;
}

struct Plus {
  template <typename T>
  __device__ T operator()(T a, T b) const { return a + b; }
  template <typename T>
  __device__ static T init() { return T(0); }
};
struct Max {
  template <typename T>
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
  template <typename T>
  __device__ static T init() { return T(-1e30); }
};

template <int BLOCK, int LANES, typename T, class Op>
__global__ void __launch_bounds__(BLOCK) ragged_reduce_kernel(RaggedView<T> in, T* out, int* block_longest,
                                                              bool mean, Op op) {
  __shared__ int longest;
  if (threadIdx.x == 0) longest = 0;
  __syncthreads();
  const int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
  const int r = Tile<LANES>::rank();
  if (row < in.rows) {
    const int64_t b = in.offsets[row];
    const int64_t e = in.offsets[row + 1];
    T acc = Op::template init<T>();
    for (int64_t k = b + r; k < e; k += LANES) acc = op(acc, in.values[k]);
    acc = tile_reduce<LANES>(acc, op);
    if (r == 0) {
      const T len = T(e - b);
      out[row] = mean && len > T(0) ? acc / len : acc;
      atomicMax(&longest, int(e - b));
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) block_longest[blockIdx.x] = longest;
}

template <int LANES, typename T, class Op>
cudaError_t launch(const RaggedView<T>& in, T* out, int* longest, bool mean, Op op, cudaStream_t s) {
  constexpr int BLOCK = 256;
  constexpr int per_block = BLOCK / LANES;
  const int grid = (in.rows + per_block - 1) / per_block;
  if (grid == 0) return cudaSuccess;
  ragged_reduce_kernel<BLOCK, LANES><<<grid, BLOCK, 0, s>>>(in, out, longest, mean, op);
  return cudaGetLastError();
}

template <typename T>
cudaError_t ragged_sum(const RaggedView<T>& in, T* out, int* longest, int64_t nnz, bool mean, cudaStream_t s) {
  const int64_t avg = in.rows ? nnz / in.rows : 0;
  if (avg <= 12) return launch<8>(in, out, longest, mean, Plus{}, s);
  return launch<32>(in, out, longest, mean, Plus{}, s);
}

template <typename T>
cudaError_t ragged_max(const RaggedView<T>& in, T* out, int* longest, int64_t nnz, cudaStream_t s) {
  const int64_t avg = in.rows ? nnz / in.rows : 0;
  if (avg <= 12) return launch<8>(in, out, longest, false, Max{}, s);
  return launch<32>(in, out, longest, false, Max{}, s);
}

template cudaError_t ragged_sum<float>(const RaggedView<float>&, float*, int*, int64_t, bool, cudaStream_t);
template cudaError_t ragged_sum<double>(const RaggedView<double>&, double*, int*, int64_t, bool, cudaStream_t);
template cudaError_t ragged_max<float>(const RaggedView<float>&, float*, int*, int64_t, cudaStream_t);

}  // namespace ragged
