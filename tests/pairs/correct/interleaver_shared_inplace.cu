// Turbo code frames: bit interleaving in place in shared memory with values staged in registers.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace fec {

constexpr int kMaxFrame = 6144;
constexpr int kThreads = 256;
constexpr int kPerThread = kMaxFrame / kThreads;

// Quadratic permutation polynomial pi(i) = (f1*i + f2*i*i) mod K, checked on the host to be a bijection.
struct Qpp {
  int K;
  int f1, f2;
  __host__ __device__ int operator()(int i) const {
    return (int)(((long long)f1 * i + (long long)f2 * i % K * i) % K);
  }
};

__device__ void interleave(float* llr, const Qpp& pi, bool inverse) {
  float v[kPerThread];
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    const int i = k * kThreads + threadIdx.x;
    v[k] = i < pi.K ? llr[inverse ? i : pi(i)] : 0.f;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    const int i = k * kThreads + threadIdx.x;
    if (i < pi.K) llr[inverse ? pi(i) : i] = v[k];
  }
  __syncthreads();
}

__device__ float soft(float a, float b) {
  const float s = (a < 0.f) != (b < 0.f) ? -1.f : 1.f;
  return s * fminf(fabsf(a), fabsf(b));
}

__global__ void __launch_bounds__(kThreads) iterate(Qpp pi, const float* __restrict__ channel, float* extrinsic, int rounds) {
  __shared__ float llr[kMaxFrame];
  const float* ch = channel + (size_t)blockIdx.x * pi.K;
  float* ext = extrinsic + (size_t)blockIdx.x * pi.K;
  for (int i = threadIdx.x; i < pi.K; i += kThreads) llr[i] = ch[i];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    for (int i = threadIdx.x; i < pi.K; i += kThreads) llr[i] += 0.5f * soft(llr[i], ch[i]);
    __syncthreads();
    interleave(llr, pi, r & 1);
  }
  for (int i = threadIdx.x; i < pi.K; i += kThreads) ext[i] = llr[i] - ch[i];
}

void check_bijection(const Qpp& pi) {
  if (pi.K < 1 || pi.K > kMaxFrame) throw std::invalid_argument("frame size");
  std::vector<char> hit(pi.K, 0);
  for (int i = 0; i < pi.K; ++i) {
    const int j = pi(i);
    if (hit[j]) throw std::invalid_argument("not a permutation polynomial");
    hit[j] = 1;
  }
}

void decode(const Qpp& pi, const float* d_channel, float* d_extrinsic, int frames, int rounds, cudaStream_t s) {
  check_bijection(pi);
  if (frames > 0) iterate<<<frames, kThreads, 0, s>>>(pi, d_channel, d_extrinsic, rounds);
}

}  // namespace fec
