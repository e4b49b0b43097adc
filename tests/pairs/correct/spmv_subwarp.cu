// CSR SpMV with VS lanes per row; VS picked from the mean row length.
#include <cuda_runtime.h>
#include <algorithm>

namespace sparse {

template <typename I, typename V>
struct CsrView {
  I rows, nnz;
  const I* ptr;
  const I* idx;
  const V* val;
};

template <int VS, typename V>
__device__ V sub_warp_sum(V v) {
#pragma unroll
  for (int d = VS / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d, VS);
  return v;
}

template <int VS, int BLOCK, typename I, typename V>
__global__ void __launch_bounds__(BLOCK) spmv(CsrView<I, V> A, const V* __restrict__ x, V* __restrict__ y, V alpha, V beta) {
  constexpr int kRowsPerBlock = BLOCK / VS;
  const int sub = threadIdx.x / VS, l = threadIdx.x % VS;
  for (I first = blockIdx.x * kRowsPerBlock; first < A.rows; first += gridDim.x * kRowsPerBlock) {
    const I row = first + sub;
    V acc = V(0);
    if (row < A.rows)
      for (I k = A.ptr[row] + l; k < A.ptr[row + 1]; k += VS) acc += A.val[k] * x[A.idx[k]];
    acc = sub_warp_sum<VS>(acc);
    if (row < A.rows && l == 0) y[row] = alpha * acc + (beta == V(0) ? V(0) : beta * y[row]);
  }
}

template <int VS, typename I, typename V>
void launch(const CsrView<I, V>& A, const V* x, V* y, V alpha, V beta, cudaStream_t s) {
  constexpr int BLOCK = 128;
  const int per = BLOCK / VS;
  const int grid = int(std::min<long long>(((long long)A.rows + per - 1) / per, 4096));
  spmv<VS, BLOCK><<<grid, BLOCK, 0, s>>>(A, x, y, alpha, beta);
}

template <typename I, typename V>
void multiply(const CsrView<I, V>& A, const V* x, V* y, V alpha = V(1), V beta = V(0), cudaStream_t s = 0) {
  if (A.rows <= 0 || A.rows > (1 << 28) || x == y) return;
  const int mean = int(A.nnz / A.rows);
  if (mean < 3) launch<2>(A, x, y, alpha, beta, s);
  else if (mean < 6) launch<4>(A, x, y, alpha, beta, s);
  else if (mean < 12) launch<8>(A, x, y, alpha, beta, s);
  else if (mean < 24) launch<16>(A, x, y, alpha, beta, s);
  else launch<32>(A, x, y, alpha, beta, s);
}

template void multiply<int, float>(const CsrView<int, float>&, const float*, float*, float, float, cudaStream_t);
template void multiply<int, double>(const CsrView<int, double>&, const double*, double*, double, double, cudaStream_t);

}  // namespace sparse
