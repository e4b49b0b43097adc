// Sync-free lower triangular solve, one warp per row in CSR order, unit of progress by ticket.
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>

namespace trsv {

constexpr int kWarpsPerBlock = 4;

struct Lower {
  int n;
  const int* rowptr;  // diagonal is the last entry of each row
  const int* col;
  const float* val;
};

struct Work {
  int* next_row;
  int* ready;
};

__device__ __forceinline__ void wait_ready(int* ready, int c) {
  while (atomicAdd(&ready[c], 0) == 0) __nanosleep(20);
  __threadfence();
}

__device__ __forceinline__ void publish(int* ready, int row) {
  __threadfence();
  atomicExch(&ready[row], 1);
}

__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

__global__ void __launch_bounds__(kWarpsPerBlock * 32) solve(Lower L, const float* __restrict__ b, float* x, Work w) {
  const int lane = threadIdx.x & 31;
  for (;;) {
    int row = 0;
    if (lane == 0) row = atomicAdd(w.next_row, 1);
    row = __shfl_sync(0xffffffffu, row, 0);
    if (row >= L.n) return;

    const int beg = L.rowptr[row], last = L.rowptr[row + 1] - 1;
    float acc = 0.f;
    for (int k = beg + lane; k < last; k += 32) {
      const int c = L.col[k];
      wait_ready(w.ready, c);
      acc += L.val[k] * __ldcg(&x[c]);
    }
    __syncwarp();
    acc = warp_sum(acc);
    if (lane == 0) {
      x[row] = (b[row] - acc) / L.val[last];
      publish(w.ready, row);
    }
    __syncwarp();
  }
}

class Solver {
 public:
  explicit Solver(const Lower& L) : L_(L) {
    if (cudaMalloc(&w_.next_row, sizeof(int)) || cudaMalloc(&w_.ready, sizeof(int) * (L.n + 1)))
      throw std::runtime_error("sptrsv: out of memory");
    int dev = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, dev);
  }
  ~Solver() {
    cudaFree(w_.next_row);
    cudaFree(w_.ready);
  }
  void operator()(const float* b, float* x, cudaStream_t s) {
    if (L_.n == 0) return;
    cudaMemsetAsync(w_.next_row, 0, sizeof(int), s);
    cudaMemsetAsync(w_.ready, 0, sizeof(int) * L_.n, s);
    int blocks = (L_.n + kWarpsPerBlock - 1) / kWarpsPerBlock;
    if (blocks > 8 * sms_) blocks = 8 * sms_;
    solve<<<blocks, kWarpsPerBlock * 32, 0, s>>>(L_, b, x, w_);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
  }

 private:
  Lower L_;
  Work w_{};
  int sms_ = 1;
};

}  // namespace trsv

int main() {
  const int n = 1 << 14;
  int *rp, *ci;
  float *v, *b, *x;
  cudaMallocManaged(&rp, sizeof(int) * (n + 1));
  cudaMallocManaged(&ci, sizeof(int) * 2 * n);
  cudaMallocManaged(&v, sizeof(float) * 2 * n);
  cudaMallocManaged(&b, sizeof(float) * n);
  cudaMallocManaged(&x, sizeof(float) * n);
  int k = 0;
  for (int i = 0; i < n; ++i) {
    rp[i] = k;
    if (i > 0) ci[k] = i / 2, v[k++] = 0.5f;
    ci[k] = i, v[k++] = 2.f;
    b[i] = 1.f;
  }
  rp[n] = k;
  trsv::Solver s({n, rp, ci, v});
  s(b, x, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
