#include <cuda_runtime.h>

namespace fused {

constexpr int TM = 16;
constexpr int TN = 16;

struct SplitKParams {
  const float* a;   // [m, k]
  const float* b;   // [k, n]
  float* c;         // [m, n]
  int* turn;        // [tiles], zero on entry
  int* semaphore;   // [tiles], zero on entry
  int m, n, k;
  int k_per_split;
};

__device__ void serialize_wait(int* semaphore, int turn) {
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    while (atomicAdd(semaphore, 0) != turn) {
    }
    __threadfence();
  }
  __syncthreads();
}

__device__ void serialize_release(int* semaphore, int turn) {
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    __threadfence();
    atomicExch(semaphore, turn + 1);
  }
}

__global__ void __launch_bounds__(TM * TN) splitk_gemm(SplitKParams p) {
  __shared__ float sa[TM][TN];
  __shared__ float sb[TM][TN];
  __shared__ int s_turn;

  const int tile = blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0 && threadIdx.y == 0) s_turn = atomicAdd(&p.turn[tile], 1);
  __syncthreads();
  const int turn = s_turn;

  const int row = blockIdx.y * TM + threadIdx.y;
  const int col = blockIdx.x * TN + threadIdx.x;
  const int k0 = turn * p.k_per_split;
  const int k1 = min(p.k, k0 + p.k_per_split);

  float acc = 0.f;
  for (int kb = k0; kb < k1; kb += TN) {
    const int ka = kb + threadIdx.x;
    const int kr = kb + threadIdx.y;
    sa[threadIdx.y][threadIdx.x] = (row < p.m && ka < k1) ? p.a[(size_t)row * p.k + ka] : 0.f;
    sb[threadIdx.y][threadIdx.x] = (col < p.n && kr < k1) ? p.b[(size_t)kr * p.n + col] : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TN; ++i) acc += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    __syncthreads();
  }

  serialize_wait(&p.semaphore[tile], turn);
  if (row < p.m && col < p.n) {
    float* dst = p.c + (size_t)row * p.n + col;
    const float prev = turn == 0 ? 0.f : *dst;
    *dst = prev + acc;
  }
  serialize_release(&p.semaphore[tile], turn);
}

bool run_splitk(SplitKParams p, int splits, cudaStream_t s) {
  if (splits < 1 || p.m == 0 || p.n == 0) return false;
  const dim3 block(TN, TM);
  const dim3 grid((p.n + TN - 1) / TN, (p.m + TM - 1) / TM, splits);
  const size_t tiles = (size_t)grid.x * grid.y;
  p.k_per_split = ((p.k + splits - 1) / splits + TN - 1) / TN * TN;
  cudaMemsetAsync(p.turn, 0, tiles * sizeof(int), s);
  cudaMemsetAsync(p.semaphore, 0, tiles * sizeof(int), s);
  splitk_gemm<<<grid, block, 0, s>>>(p);
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace fused
