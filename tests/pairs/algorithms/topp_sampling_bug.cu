// Nucleus sampling: bisection on the probability pivot, one block per sequence.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <algorithm>

namespace sampling {

struct Params {
  const float* probs;     // [batch, vocab], normalised
  const float* uniforms;  // [batch]
  int* out;
  int vocab;
  float top_p;
  int max_iter;
};

struct Shared {
  float warp_sum[32];
  float lo, hi;
  float kept;
  int pick;
};

template <int BLOCK>
__device__ float block_sum(float v, float* scratch) {
  constexpr int NW = BLOCK / 32;
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
  __syncthreads();
  float t = 0.f;
#pragma unroll
  for (int i = 0; i < NW; ++i) t += scratch[i];
  return t;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) top_p_sample(Params p) {
  __shared__ Shared sh;
  const float* pr = p.probs + (size_t)blockIdx.x * p.vocab;

  if (threadIdx.x == 0) {
    sh.lo = 0.f;
    sh.hi = 1.f;
    sh.kept = 1.f;
    sh.pick = p.vocab - 1;
  }
  __syncthreads();

  for (int it = 0; it < p.max_iter; ++it) {
    const float pivot = 0.5f * (sh.lo + sh.hi);
    float mass = 0.f;
    for (int i = threadIdx.x; i < p.vocab; i += BLOCK) mass += pr[i] >= pivot ? pr[i] : 0.f;
    mass = block_sum<BLOCK>(mass, sh.warp_sum);
    if (threadIdx.x == 0) {
      if (mass >= p.top_p) {
        sh.lo = pivot;
        sh.kept = mass;
      } else {
        sh.hi = pivot;
      }
    }
    if (sh.hi - sh.lo < 1e-6f) break;
    __syncthreads();
  }

  if (threadIdx.x < 32) {
    const float target = p.uniforms[blockIdx.x] * sh.kept;
    const float floor_p = sh.lo;
    float run = 0.f;
    for (int base = 0; base < p.vocab; base += 32) {
      const int i = base + threadIdx.x;
      const float w = i < p.vocab && pr[i] >= floor_p ? pr[i] : 0.f;
      float s = w;
      for (int o = 1; o < 32; o <<= 1) {
        const float u = __shfl_up_sync(~0u, s, o);
        if ((int)threadIdx.x >= o) s += u;
      }
      const unsigned hit = __ballot_sync(~0u, w > 0.f && run + s > target);
      if (hit) {
        if (threadIdx.x == 0) sh.pick = base + __ffs(hit) - 1;
        break;
      }
      run += __shfl_sync(~0u, s, 31);
    }
    if (threadIdx.x == 0) p.out[blockIdx.x] = sh.pick;
  }
}

}  // namespace sampling

extern "C" cudaError_t sample_top_p(const float* probs, const float* u, int* out, int batch, int vocab, float top_p,
                                    cudaStream_t stream) {
  if (batch <= 0 || vocab <= 0) return cudaSuccess;
  sampling::Params p{probs, u, out, vocab, std::min(std::max(top_p, 0.f), 1.f), 32};
  if (vocab <= 8192)
    sampling::top_p_sample<256><<<batch, 256, 0, stream>>>(p);
  else
    sampling::top_p_sample<1024><<<batch, 1024, 0, stream>>>(p);
  return cudaGetLastError();
}

int main() {
  const int batch = 8, vocab = 32000;
  float *p, *u;
  int* o;
  cudaMalloc(&p, sizeof(float) * batch * vocab);
  cudaMalloc(&u, sizeof(float) * batch);
  cudaMalloc(&o, sizeof(int) * batch);
  cudaMemset(p, 0, sizeof(float) * batch * vocab);
  cudaMemset(u, 0, sizeof(float) * batch);
  if (sample_top_p(p, u, o, batch, vocab, 0.9f, 0)) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
