// Polyphase filter bank front end: one loader warp, four filter warps, named barriers.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace pfb {

constexpr int kTaps = 8;
constexpr int kFilterWarps = 4;
constexpr int kFilterThreads = kFilterWarps * 32;
constexpr int kAllThreads = kFilterThreads + 32;
constexpr int kStages = 2;
constexpr int kChunk = 256;  // samples per stage

enum BarrierId : int { kFull = 1, kEmpty = kFull + kStages };

__device__ __forceinline__ void bar_sync(int id, int n) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
__device__ __forceinline__ void bar_arrive(int id, int n) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}

struct Stream {
  const int16_t* in;
  float* out;
  int nchunk;       // chunks per antenna
  int nant;
  int decim;
};

struct Stage {
  float x[kChunk + kTaps];
};

__device__ void fill(Stage& st, const int16_t* src, int chunk, int lane) {
  const int base = chunk * kChunk - kTaps;
  for (int i = lane; i < kChunk + kTaps; i += 32) st.x[i] = base + i >= 0 ? (float)src[base + i] : 0.f;
}

__device__ void filter(const Stage& st, const float (&h)[kTaps], float* dst, int t) {
  for (int i = t; i < kChunk; i += kFilterThreads) {
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) s += h[k] * st.x[i + kTaps - k];
    dst[i] = s;
  }
}

__constant__ float c_taps[kTaps];

__global__ void __launch_bounds__(kAllThreads) pfb_kernel(Stream s) {
  __shared__ Stage stage[kStages];
  const int ant = blockIdx.x;
  const int warp = threadIdx.x / 32;
  const size_t off = (size_t)ant * s.nchunk * kChunk;

  if (warp == kFilterWarps) {
    for (int c = 0; c < s.nchunk; ++c) {
      const int b = c % kStages;
      if (c >= kStages) bar_sync(kEmpty + b, kAllThreads);
      fill(stage[b], s.in + off, c, threadIdx.x % 32);
      __threadfence_block();
      bar_arrive(kFull + b, kAllThreads);
    }
  } else {
    float h[kTaps];
    for (int k = 0; k < kTaps; ++k) h[k] = c_taps[k];
    for (int c = 0; c < s.nchunk; ++c) {
      const int b = c % kStages;
      bar_sync(kFull + b, kAllThreads);
      filter(stage[b], h, s.out + off + (size_t)c * kChunk, threadIdx.x);
      if (c + kStages < s.nchunk) bar_arrive(kEmpty + b, kFilterThreads);
    }
  }
}

class FilterBank {
 public:
  explicit FilterBank(const float (&taps)[kTaps]) {
    if (cudaMemcpyToSymbol(c_taps, taps, sizeof(taps)) != cudaSuccess) throw std::runtime_error("taps");
  }
  void process(const int16_t* in, float* out, int nant, int nsamp, cudaStream_t st) const {
    if (nsamp % kChunk) throw std::invalid_argument("nsamp must be a multiple of the chunk");
    if (nant <= 0 || nsamp == 0) return;
    Stream s{in, out, nsamp / kChunk, nant, 1};
    pfb_kernel<<<nant, kAllThreads, 0, st>>>(s);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
  }
};

}  // namespace pfb

int main() {
  const float taps[pfb::kTaps] = {.1f, .2f, .3f, .4f, .4f, .3f, .2f, .1f};
  const int nant = 96, nsamp = 1 << 16;
  int16_t* in;
  float* out;
  if (cudaMalloc(&in, sizeof(int16_t) * nant * nsamp) || cudaMalloc(&out, sizeof(float) * nant * nsamp)) return 1;
  cudaMemset(in, 0, sizeof(int16_t) * nant * nsamp);
  pfb::FilterBank fb(taps);
  fb.process(in, out, nant, nsamp, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
