#include <cuda/barrier>
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>
#include <vector>

// Decimating FIR for long recordings. One warp of the block loads windows of
// samples, the other warps compute the outputs of a window.

namespace fir {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

struct Signal {
  const float* x;
  long long length;
  float* y;
  long long outputs;
};

template <int TAPS_, int DECIM_, int CONSUMER_WARPS>
struct Config {
  static constexpr int TAPS = TAPS_, DECIM = DECIM_;
  static constexpr int kLoaders = 32;
  static constexpr int kConsumers = CONSUMER_WARPS * 32;
  static constexpr int kThreads = kLoaders + kConsumers;
  static constexpr int kStages = 2;
  static constexpr int kWindow = (kConsumers - 1) * DECIM + TAPS;
};

template <class C>
struct Shared {
  float window[C::kStages][C::kWindow];
  float taps[C::TAPS];
  alignas(Barrier) unsigned char barriers[2 * C::kStages * sizeof(Barrier)];

  __device__ Barrier& full(int s) { return reinterpret_cast<Barrier*>(barriers)[s]; }
  __device__ Barrier& empty(int s) { return reinterpret_cast<Barrier*>(barriers)[C::kStages + s]; }

  __device__ void setup() {
    if (threadIdx.x == 0) {
      for (int s = 0; s < C::kStages; ++s) {
        init(&full(s), C::kThreads);
        init(&empty(s), C::kConsumers);
      }
    }
    __syncthreads();
  }
};

template <class C>
__device__ void loaderLoop(Shared<C>& sh, const Signal& sig, long long tiles) {
  int n = 0;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x, ++n) {
    const int s = n % C::kStages;
    sh.empty(s).arrive_and_wait();
    const long long base = t * C::kConsumers * C::DECIM;
    for (int i = threadIdx.x; i < C::kWindow; i += C::kLoaders)
      sh.window[s][i] = base + i < sig.length ? sig.x[base + i] : 0.f;
    (void)sh.full(s).arrive();
  }
}

template <class C>
__device__ void consumerLoop(Shared<C>& sh, const Signal& sig, long long tiles) {
  const int me = threadIdx.x - C::kLoaders;
  for (int s = 0; s < C::kStages; ++s) (void)sh.empty(s).arrive();

  int n = 0;
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x, ++n) {
    const int s = n % C::kStages;
    sh.full(s).arrive_and_wait();
    const float* w = sh.window[s] + me * C::DECIM;
    float acc = 0.f;
#pragma unroll 8
    for (int k = 0; k < C::TAPS; ++k) acc = fmaf(sh.taps[k], w[k], acc);
    (void)sh.empty(s).arrive();
    const long long out = t * C::kConsumers + me;
    if (out < sig.outputs) sig.y[out] = acc;
  }
}

template <class C>
__global__ void __launch_bounds__(C::kThreads) decimate(Signal sig, const float* taps) {
  __shared__ Shared<C> sh;
  for (int i = threadIdx.x; i < C::TAPS; i += C::kThreads) sh.taps[i] = taps[i];
  sh.setup();
  const long long tiles = (sig.outputs + C::kConsumers - 1) / C::kConsumers;
  if (threadIdx.x < C::kLoaders)
    loaderLoop<C>(sh, sig, tiles);
  else
    consumerLoop<C>(sh, sig, tiles);
}

template <class C>
cudaError_t launch(const Signal& s, const float* taps, cudaStream_t st) {
  int dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  decimate<C><<<4 * sms, C::kThreads, 0, st>>>(s, taps);
  return cudaGetLastError();
}

cudaError_t run(Signal s, const float* taps, int factor, cudaStream_t st) {
  s.outputs = (s.length + factor - 1) / factor;
  switch (factor) {
    case 2: return launch<Config<64, 2, 4>>(s, taps, st);
    case 4: return launch<Config<128, 4, 8>>(s, taps, st);
    default: return cudaErrorInvalidValue;
  }
}

}  // namespace fir

int main() {
  fir::Signal s{};
  s.length = 48000LL * 600;
  float *x, *taps;
  cudaMalloc(&x, s.length * sizeof(float));
  cudaMalloc(&s.y, s.length / 2 * sizeof(float));
  cudaMalloc(&taps, 128 * sizeof(float));
  cudaMemset(x, 0, s.length * sizeof(float));
  cudaMemset(taps, 0, 128 * sizeof(float));
  s.x = x;
  for (int factor : {2, 4}) {
    cudaError_t e = fir::run(s, taps, factor, 0);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    printf("1/%d: %s\n", factor, cudaGetErrorString(e));
  }
  return 0;
}
