// y += scale * dequant(q): vector body with scalar head and tail, any alignment of y.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace q8 {

struct Span {
  long long head;  // scalars before the first aligned float4
  long long nvec;
  long long total;
};

static Span make_span(const float* y, long long n) {
  Span s;
  const uintptr_t mis = (reinterpret_cast<uintptr_t>(y) / sizeof(float)) % 4;
  s.head = std::min<long long>(n, (4 - (long long)mis) % 4);
  s.nvec = (n - s.head) / 4;
  s.total = n;
  return s;
}

__device__ __forceinline__ float deq(int8_t q, float scale, int zp) { return scale * (float)((int)q - zp); }

template <int UNROLL>
__device__ void body(float* __restrict__ y, const int8_t* __restrict__ q, Span s, float scale, int zp) {
  float4* yv = reinterpret_cast<float4*>(y + s.head);
  const int8_t* qb = q + s.head;
  const long long stride = (long long)gridDim.x * blockDim.x;
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll UNROLL
  for (; i < s.nvec; i += stride) {
    float4 v = yv[i];
    v.x += deq(qb[4 * i + 0], scale, zp);
    v.y += deq(qb[4 * i + 1], scale, zp);
    v.z += deq(qb[4 * i + 2], scale, zp);
    v.w += deq(qb[4 * i + 3], scale, zp);
    yv[i] = v;
  }
}

__device__ void edges(float* __restrict__ y, const int8_t* __restrict__ q, Span s, float scale, int zp) {
  if (blockIdx.x != gridDim.x - 1) return;
  if (threadIdx.x < s.head) y[threadIdx.x] += deq(q[threadIdx.x], scale, zp);
  const long long done = s.nvec * 4;
  const long long i = done + (long long)threadIdx.x;
  if (i < s.total) y[i] += deq(q[i], scale, zp);
}

template <int UNROLL>
__global__ void dequant_accumulate(float* y, const int8_t* q, Span s, float scale, int zp) {
  body<UNROLL>(y, q, s, scale, zp);
  edges(y, q, s, scale, zp);
}

class Accumulator {
 public:
  Accumulator(float scale, int zp) : scale_(scale), zp_(zp) {}
  cudaError_t operator()(float* y, const int8_t* q, long long n, cudaStream_t s = 0) const {
    if (n <= 0) return cudaSuccess;
    const Span sp = make_span(y, n);
    const int threads = n > (1 << 16) ? 256 : 64;
    const long long want = (std::max<long long>(sp.nvec, 1) + threads - 1) / threads;
    const int blocks = (int)std::min<long long>(want, 2048);
    if (threads == 256)
      dequant_accumulate<4><<<blocks, threads, 0, s>>>(y, q, sp, scale_, zp_);
    else
      dequant_accumulate<1><<<blocks, threads, 0, s>>>(y, q, sp, scale_, zp_);
    return cudaGetLastError();
  }

 private:
  float scale_;
  int zp_;
};

}  // namespace q8

int main(int argc, char**) {
  const long long n = 1000003;
  float* y;
  int8_t* q;
  if (cudaMalloc(&y, (n + 4) * sizeof(float)) || cudaMalloc(&q, n + 4)) return 1;
  cudaMemset(y, 0, (n + 4) * sizeof(float));
  cudaMemset(q, 3, n + 4);
  q8::Accumulator acc(0.05f, 1);
  for (int shift = 0; shift < 4; ++shift)
    if (acc(y + shift, q, n - shift * argc) != cudaSuccess) return 2;
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
