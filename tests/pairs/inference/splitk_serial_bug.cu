// Skinny split-K GEMM: splits of one output tile accumulate in order through a semaphore.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace splitk {

constexpr int kThreads = 128;
constexpr int kCols = 128;   // output columns per tile, one per thread

class Semaphore {
 public:
  __device__ explicit Semaphore(int *lock) : lock_(lock) {}

  // block until the flag reaches `status`
  __device__ void wait(int status) const {
    if (threadIdx.x == 0) {
      int state;
      do {
        asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(state) : "l"(lock_) : "memory");
      } while (state != status);
    }
    __syncthreads();
  }

  __device__ void release(int status) const {
    if (threadIdx.x == 0) {
      __threadfence();
      asm volatile("st.global.release.gpu.b32 [%0], %1;\n" ::"l"(lock_), "r"(status) : "memory");
    }
  }

 private:
  int *lock_;
};

struct Args {
  const __half *x;  // [m, k]
  const __half *w;  // [k, n]
  float *acc;       // [m, n]
  __half *out;      // [m, n]
  int *locks;       // [tiles], zero on entry and on exit
  int *tickets;     // [tiles], zero on entry and on exit
  int m, n, k;
  int k_per_split;
  int splits;
};

template <int M>
__global__ void __launch_bounds__(kThreads) splitk_gemm(const Args a) {
  extern __shared__ float s_x[];  // [M][k_per_split]
  __shared__ int s_split;

  const int tile = blockIdx.x;
  if (threadIdx.x == 0) s_split = atomicAdd(a.tickets + tile, 1);
  __syncthreads();
  const int split = s_split;

  const int k0 = split * a.k_per_split;
  const int kn = max(0, min(a.k_per_split, a.k - k0));
  for (int i = threadIdx.x; i < M * kn; i += kThreads)
    s_x[(i / kn) * a.k_per_split + i % kn] = __half2float(a.x[static_cast<int64_t>(i / kn) * a.k + k0 + i % kn]);
  __syncthreads();

  const int col = tile * kCols + threadIdx.x;
  float r[M] = {};
  if (col < a.n) {
    for (int kk = 0; kk < kn; ++kk) {
      const float w = __half2float(a.w[static_cast<int64_t>(k0 + kk) * a.n + col]);
#pragma unroll
      for (int i = 0; i < M; ++i) r[i] += s_x[i * a.k_per_split + kk] * w;
    }
  }

  const bool last = split == a.splits - 1;
  Semaphore sem(a.locks + tile);
  if (split > 0) {
    sem.wait(split);
    if (col < a.n) {
#pragma unroll
      for (int i = 0; i < M; ++i) r[i] += __ldcg(a.acc + static_cast<int64_t>(i) * a.n + col);
    }
  }

  if (last) {
    if (col < a.n) {
#pragma unroll
      for (int i = 0; i < M; ++i) a.out[static_cast<int64_t>(i) * a.n + col] = __float2half(r[i]);
    }
    if (threadIdx.x == 0) a.tickets[tile] = 0;
    sem.release(0);
  } else {
    if (col < a.n) {
#pragma unroll
      for (int i = 0; i < M; ++i) a.acc[static_cast<int64_t>(i) * a.n + col] = r[i];
    }
    sem.release(split + 1);
  }
}

}  // namespace splitk

bool splitk_linear(splitk::Args a, int splits, cudaStream_t stream) {
  using namespace splitk;
  const int tiles = (a.n + kCols - 1) / kCols;
  a.k_per_split = (a.k + splits - 1) / splits;
  a.splits = splits;
  const dim3 grid(tiles, splits);
  const size_t smem = sizeof(float) * a.m * a.k_per_split;
  if (smem > 48 * 1024) return false;
  switch (a.m) {
    case 1: splitk_gemm<1><<<grid, kThreads, smem, stream>>>(a); return true;
    case 2: splitk_gemm<2><<<grid, kThreads, smem, stream>>>(a); return true;
    case 4: splitk_gemm<4><<<grid, kThreads, smem, stream>>>(a); return true;
    case 8: splitk_gemm<8><<<grid, kThreads, smem, stream>>>(a); return true;
    default: return false;
  }
}
