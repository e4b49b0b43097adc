#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace dsp {

constexpr int kStages = 3;
constexpr int kThreads = 128;
constexpr int kTile = 512;   // samples per stage
constexpr int kVec = 4;

struct FilterArgs {
  const float* x;       // [channels, len], len a multiple of kTile
  const float* coeff;   // [channels, kTile]
  float* energy;        // [channels]
  int len;
};

struct Ring {
  float data[kStages][kTile];
};

__device__ __forceinline__ void load_tile(Ring& ring, const float* src, int tile) {
  float* dst = ring.data[tile % kStages];
  const float* from = src + (size_t)tile * kTile;
  for (int i = threadIdx.x * kVec; i < kTile; i += kThreads * kVec) {
    __pipeline_memcpy_async(dst + i, from + i, kVec * sizeof(float));
  }
}

__device__ __forceinline__ float mac_tile(const Ring& ring, const float* coeff, int tile) {
  const float* s = ring.data[tile % kStages];
  float acc = 0.f;
  for (int i = threadIdx.x; i < kTile; i += kThreads) {
    const int m = kTile - 1 - i;
    acc += s[i] * coeff[i] + s[m] * coeff[m] * 0.5f;
  }
  return acc;
}

__global__ void __launch_bounds__(kThreads) channel_energy(FilterArgs a) {
  __shared__ __align__(16) Ring ring;
  __shared__ float red[kThreads / 32];

  const int ch = blockIdx.x;
  const int tiles = a.len / kTile;
  const float* x = a.x + (size_t)ch * a.len;
  const float* c = a.coeff + (size_t)ch * kTile;

#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < tiles) load_tile(ring, x, s);
    __pipeline_commit();
  }

  float acc = 0.f;
  for (int t = 0; t < tiles; ++t) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    const int next = t + kStages - 1;
    if (next < tiles) {
      load_tile(ring, x, next);
    }
    __pipeline_commit();
    const float y = mac_tile(ring, c, t);
    acc += y * y;
  }
  __pipeline_wait_prior(0);

  for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = acc;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.f;
    for (int w = 0; w < kThreads / 32; ++w) sum += red[w];
    a.energy[ch] = sum;
  }
}

bool filter_energy(const FilterArgs& a, int channels, cudaStream_t s) {
  if (channels <= 0 || a.len <= 0 || a.len % kTile != 0) return false;
  channel_energy<<<channels, kThreads, 0, s>>>(a);
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace dsp
