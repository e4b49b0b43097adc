#include <cuda_runtime.h>
#include <algorithm>

namespace conv {

static constexpr int kStages = 2;
static constexpr int kConsumers = 128;
static constexpr int kProducers = 32;
static constexpr int kThreads = kConsumers + kProducers;
static constexpr int kChunk = 512;
static constexpr int kMaxTaps = 32;

struct NamedBarrier {
  static __device__ __forceinline__ void sync(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
  }
  static __device__ __forceinline__ void arrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
  }
};

struct BarrierIds {
  static constexpr int kFull = 1;
  static constexpr int kEmpty = 2;
};

struct ConvArgs {
  const float* x;      // channels x len
  const float* taps;   // channels x ntaps
  float* y;            // channels x len
  int len;
  int ntaps;
};

struct Stage {
  float x[kChunk + kMaxTaps];
};

struct Smem {
  Stage stage[kStages];
  float taps[kMaxTaps];
};

__device__ __forceinline__ void fill_stage(Stage& st, const float* x, int base, int halo, int len, int lane) {
  for (int k = lane; k < kChunk + halo; k += kProducers) {
    const int pos = base - halo + k;
    st.x[k] = (pos >= 0 && pos < len) ? x[pos] : 0.f;
  }
}

__device__ __forceinline__ float fir(const Stage& st, const float* taps, int ntaps, int k) {
  float acc = 0.f;
  for (int t = 0; t < ntaps; ++t) acc += taps[t] * st.x[k + ntaps - 1 - t];
  return acc;
}

__global__ void __launch_bounds__(kThreads) conv1d_kernel(ConvArgs a) {
  __shared__ Smem sm;
  const float* x = a.x + size_t(blockIdx.x) * a.len;
  float* y = a.y + size_t(blockIdx.x) * a.len;
  const int nchunks = (a.len + kChunk - 1) / kChunk;
  const int halo = a.ntaps - 1;

  if (threadIdx.x < a.ntaps) sm.taps[threadIdx.x] = a.taps[blockIdx.x * a.ntaps + threadIdx.x];
  __syncthreads();

  if (threadIdx.x >= kConsumers) {
    const int lane = threadIdx.x - kConsumers;
    for (int c = 0; c < nchunks; ++c) {
      const int s = c % kStages;
      if (c >= kStages) NamedBarrier::sync(BarrierIds::kEmpty + s, kThreads);
      fill_stage(sm.stage[s], x, c * kChunk, halo, a.len, lane);
      NamedBarrier::arrive(BarrierIds::kFull + s, kThreads);
    }
  } else {
    for (int c = 0; c < nchunks; ++c) {
      const int s = c % kStages;
      NamedBarrier::sync(BarrierIds::kFull + s, kThreads);
      for (int k = threadIdx.x; k < kChunk; k += kConsumers) {
        const int pos = c * kChunk + k;
        if (pos < a.len) y[pos] = fir(sm.stage[s], sm.taps, a.ntaps, k);
      }
      if (c + kStages < nchunks) NamedBarrier::arrive(BarrierIds::kEmpty + s, kThreads);
    }
  }
}

cudaError_t conv1d(const ConvArgs& a, int channels, cudaStream_t s) {
  if (a.ntaps < 1 || a.ntaps > kMaxTaps || channels <= 0) return cudaErrorInvalidValue;
  conv1d_kernel<<<std::max(channels, 1), kThreads, 0, s>>>(a);
  return cudaGetLastError();
}

}  // namespace conv
