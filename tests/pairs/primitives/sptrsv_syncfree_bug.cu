#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

// Sparse lower triangular solve L x = b, one warp per row, rows wait for the
// rows they depend on. Rows are handed out in order by a ticket so that a
// waiting warp only ever waits for warps that are already running.

namespace sparse {

struct Csr {
  int rows;
  const int* ptr;
  const int* col;
  const double* val;
};

struct SolveState {
  volatile int* ready;
  int* ticket;
};

#define FULL 0xffffffffu

__device__ __forceinline__ double warpSum(double v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
  return v;
}

__device__ __forceinline__ double waitFor(const SolveState& st, const double* x, int j) {
  while (st.ready[j] == 0) {
#if __CUDA_ARCH__ >= 700
    __nanosleep(20);
#endif
  }
  __threadfence();
  return *const_cast<const volatile double*>(x + j);
}

__device__ __forceinline__ void finish(const SolveState& st, double* x, int row, double v) {
  x[row] = v;
  st.ready[row] = 1;
}

template <int WARPS, bool UNIT>
__global__ void __launch_bounds__(WARPS * 32) lowerSolve(Csr L, const double* b, double* x, SolveState st) {
  const int lane = threadIdx.x & 31;
  int row = 0;
  if (lane == 0) row = atomicAdd(st.ticket, 1);
  row = __shfl_sync(FULL, row, 0);
  if (row >= L.rows) return;

  const int beg = L.ptr[row];
  const int end = L.ptr[row + 1] - (UNIT ? 0 : 1);
  double acc = 0.0;
  for (int p = beg + lane; p < end; p += 32) acc += L.val[p] * waitFor(st, x, L.col[p]);
  acc = warpSum(acc);

  if (lane == 0) {
    double v = b[row] - acc;
    if (!UNIT) v /= L.val[end];
    finish(st, x, row, v);
  }
}

static void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

class LowerSolver {
 public:
  explicit LowerSolver(const Csr& L, bool unit) : L_(L), unit_(unit) {
    check(cudaMalloc(&flags_, sizeof(int) * (size_t(L.rows) + 1)), "flags");
  }
  ~LowerSolver() { cudaFree(flags_); }

  void operator()(const double* b, double* x, cudaStream_t s) {
    constexpr int kWarps = 8;
    check(cudaMemsetAsync(flags_, 0, sizeof(int) * (size_t(L_.rows) + 1), s), "memset");
    SolveState st{flags_ + 1, flags_};
    const int blocks = (L_.rows + kWarps - 1) / kWarps;
    if (unit_)
      lowerSolve<kWarps, true><<<blocks, kWarps * 32, 0, s>>>(L_, b, x, st);
    else
      lowerSolve<kWarps, false><<<blocks, kWarps * 32, 0, s>>>(L_, b, x, st);
    check(cudaGetLastError(), "launch");
  }

 private:
  Csr L_;
  bool unit_;
  int* flags_ = nullptr;
};

}  // namespace sparse

int main() {
  const int n = 40000;
  std::vector<int> ptr(1, 0), col;
  std::vector<double> val;
  for (int i = 0; i < n; ++i) {
    for (int d : {97, 13, 1})
      if (i >= d) col.push_back(i - d), val.push_back(-0.25);
    col.push_back(i), val.push_back(2.0);
    ptr.push_back(int(col.size()));
  }
  int *dp, *dc;
  double *dv, *b, *x;
  cudaMalloc(&dp, ptr.size() * sizeof(int));
  cudaMalloc(&dc, col.size() * sizeof(int));
  cudaMalloc(&dv, val.size() * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMalloc(&x, n * sizeof(double));
  cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dv, val.data(), val.size() * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * sizeof(double));
  sparse::LowerSolver solve({n, dp, dc, dv}, false);
  solve(b, x, 0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
