#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

namespace sparse {

struct CsrF {
  const int* row_ptr;
  const int* col;
  const float* val;
  int rows;
  int cols;
};

struct SpmmArgs {
  CsrF a;
  const float* x;   // cols x ncol, row major
  float* y;         // rows x ncol
  int ncol;
  float alpha;
  float beta;
};

template <int VEC>
__device__ __forceinline__ unsigned vector_mask() {
  static_assert(VEC < 32, "use the warp kernel");
  const unsigned lane = threadIdx.x & 31u;
  const unsigned low = (1u << VEC) - 1u;
  return low << (lane & (VEC - 1));
}

template <int VEC>
struct VectorReduce {
  unsigned mask;
  __device__ explicit VectorReduce(unsigned m) : mask(m) {}
  __device__ float operator()(float v) const {
#pragma unroll
    for (int o = VEC / 2; o > 0; o >>= 1) v += __shfl_xor_sync(mask, v, o, VEC);
    return v;
  }
};

template <int BLOCK, int VEC, int NC>
__global__ void __launch_bounds__(BLOCK) spmm_vector(SpmmArgs p) {
  constexpr int ROWS = BLOCK / VEC;
  const int r0 = threadIdx.x % VEC;
  const VectorReduce<VEC> reduce(vector_mask<VEC>());

  for (int row = blockIdx.x * ROWS + threadIdx.x / VEC; row < p.a.rows; row += gridDim.x * ROWS) {
    const int b = p.a.row_ptr[row];
    const int e = p.a.row_ptr[row + 1];
    for (int c0 = 0; c0 < p.ncol; c0 += NC) {
      float acc[NC];
#pragma unroll
      for (int c = 0; c < NC; ++c) acc[c] = 0.f;
      for (int k = b + r0; k < e; k += VEC) {
        const float v = p.a.val[k];
        const float* x = p.x + size_t(p.a.col[k]) * p.ncol + c0;
#pragma unroll
        for (int c = 0; c < NC; ++c)
          if (c0 + c < p.ncol) acc[c] += v * x[c];
      }
#pragma unroll
      for (int c = 0; c < NC; ++c) {
        const float s = reduce(acc[c]);
        if (r0 == 0 && c0 + c < p.ncol) {
          float* y = p.y + size_t(row) * p.ncol + c0 + c;
          *y = p.alpha * s + (p.beta == 0.f ? 0.f : p.beta * *y);
        }
      }
    }
  }
}

template <int VEC>
void launch_vec(const SpmmArgs& p, int max_grid, cudaStream_t s) {
  constexpr int BLOCK = 256;
  const int need = (p.a.rows + BLOCK / VEC - 1) / (BLOCK / VEC);
  const int grid = std::max(1, std::min(need, max_grid));
  if (p.ncol == 1)
    spmm_vector<BLOCK, VEC, 1><<<grid, BLOCK, 0, s>>>(p);
  else
    spmm_vector<BLOCK, VEC, 4><<<grid, BLOCK, 0, s>>>(p);
}

void spmm(const SpmmArgs& p, long long nnz, int max_grid, cudaStream_t s) {
  if (p.a.rows <= 0) return;
  if (p.y == p.x) throw std::invalid_argument("aliased output");
  const long long avg = nnz / p.a.rows;
  if (avg <= 4)
    launch_vec<4>(p, max_grid, s);
  else if (avg <= 8)
    launch_vec<8>(p, max_grid, s);
  else
    launch_vec<16>(p, max_grid, s);
}

}  // namespace sparse
