// BSR x dense panel, 2-D thread block: x = dense column, y = row inside the sparse block.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

template <int BS>
struct Bsr {
  int mb;
  const int* ptr;
  const int* col;
  const float* val;  // BS x BS row-major blocks
};

struct Panel {
  const float* b;
  float* c;
  int n;
  int ldb, ldc;
};

template <int BS, int NX>
class TileLoader {
 public:
  __device__ TileLoader(float* a, float* b) : a_(a), b_(b) {}
  __device__ void load(const Bsr<BS>& A, const Panel& p, int k, int n0) {
    const int tid = threadIdx.y * BS + threadIdx.x;
    const float* blk = A.val + (size_t)k * BS * BS;
    for (int i = tid; i < BS * BS; i += NX * BS) a_[i] = blk[i];
    const int row = A.col[k] * BS + threadIdx.y;
    const int n = n0 + threadIdx.x;
    b_[tid] = n < p.n ? p.b[(size_t)row * p.ldb + n] : 0.f;
  }
  __device__ float dot() const {
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < BS; ++i) s += a_[threadIdx.y * BS + i] * b_[i * NX + threadIdx.x];
    return s;
  }

 private:
  float* a_;
  float* b_;
};

template <int BS, int NX>
__global__ void __launch_bounds__(BS* NX) bsr_spmm(Bsr<BS> A, Panel p, float alpha, float beta) {
  __shared__ float sa[BS * BS];
  __shared__ float sb[BS * NX];
  TileLoader<BS, NX> tl(sa, sb);
  const int br = blockIdx.y;
  const int n0 = blockIdx.x * NX;
  const int beg = A.ptr[br], end = A.ptr[br + 1];

  float acc = 0.f;
  for (int k = beg; k < end; ++k) {
    tl.load(A, p, k, n0);
    __syncthreads();
    acc += tl.dot();
    __syncthreads();
  }
  const int n = n0 + threadIdx.x;
  if (n < p.n) {
    float* out = p.c + (size_t)(br * BS + threadIdx.y) * p.ldc + n;
    *out = alpha * acc + (beta != 0.f ? beta * *out : 0.f);
  }
}

template <int BS, int NX>
static cudaError_t go(int mb, const int* ptr, const int* col, const float* val, const Panel& p, float alpha,
                      float beta, cudaStream_t s) {
  Bsr<BS> A{mb, ptr, col, val};
  dim3 block(NX, BS), grid((p.n + NX - 1) / NX, mb);
  bsr_spmm<BS, NX><<<grid, block, 0, s>>>(A, p, alpha, beta);
  return cudaGetLastError();
}

extern "C" int bsr_spmm_f32(int bs, int mb, const int* ptr, const int* col, const float* val, const float* b, int ldb,
                            float* c, int ldc, int n, float alpha, float beta, cudaStream_t s) {
  if (mb <= 0 || n <= 0) return 0;
  if (mb > 65535) return -1;
  Panel p{b, c, n, ldb, ldc};
  switch (bs) {
    case 4: return go<4, 32>(mb, ptr, col, val, p, alpha, beta, s);
    case 8: return go<8, 32>(mb, ptr, col, val, p, alpha, beta, s);
    case 16: return go<16, 16>(mb, ptr, col, val, p, alpha, beta, s);
  }
  return -2;
}
