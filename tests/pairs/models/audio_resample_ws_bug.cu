// Polyphase resampling of audio: one loader warp, four filter warps, double buffered windows.
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <cstdint>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace audio {

constexpr int kProducers = 32;
constexpr int kConsumers = 128;
constexpr int kOut = 512;       // output samples of one tile
constexpr int kMaxWindow = 4096;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

struct Plan {
  int up, down;     // reduced ratio
  int taps;         // taps of one phase
  int window;       // input samples needed for a tile
};

struct Stream {
  const float* in;
  float* out;
  int64_t in_len, out_len;
  int channel_stride_in, channel_stride_out;
};

__device__ __forceinline__ int64_t first_input(const Plan& p, int64_t out_index) {
  return out_index * p.down / p.up - (p.taps - 1);
}

__device__ void fill(float* dst, const Stream& s, const Plan& p, const float* in, int64_t out0) {
  const int64_t x0 = first_input(p, out0);
  for (int i = threadIdx.x; i < p.window; i += kProducers) {
    const int64_t x = x0 + i;
    dst[i] = x >= 0 && x < s.in_len ? in[x] : 0.f;
  }
}

__device__ void filter(const float* win, const Stream& s, const Plan& p, const float* __restrict__ coef,
                       float* out, int64_t out0) {
  const int64_t x0 = first_input(p, out0);
  for (int i = threadIdx.x - kProducers; i < kOut; i += kConsumers) {
    const int64_t o = out0 + i;
    if (o >= s.out_len) break;
    const int64_t pos = o * p.down;
    const int last = (int)(pos / p.up - x0);
    const float* h = coef + (size_t)(pos % p.up) * p.taps;
    float acc = 0.f;
    for (int k = 0; k < p.taps; ++k) acc += h[k] * win[last - k];
    out[o] = acc;
  }
}

// grid = (blocks of tiles, channels)
__global__ void __launch_bounds__(kProducers + kConsumers)
resample(Stream s, Plan p, const float* __restrict__ coef, int tiles) {
  extern __shared__ float windows[];
  __shared__ Barrier full[2], empty[2];

  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], kProducers);
    init(&empty[threadIdx.x], kProducers + kConsumers);
  }
  __syncthreads();

  const float* in = s.in + (size_t)blockIdx.y * s.channel_stride_in;
  float* out = s.out + (size_t)blockIdx.y * s.channel_stride_out;

  if (threadIdx.x < kProducers) {
    int buf = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, buf ^= 1) {
      empty[buf].arrive_and_wait();
      fill(windows + buf * p.window, s, p, in, (int64_t)t * kOut);
      (void)full[buf].arrive();
    }
  } else {
    // both buffers are free at the start
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    int buf = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, buf ^= 1) {
      full[buf].arrive_and_wait();
      filter(windows + buf * p.window, s, p, coef, out, (int64_t)t * kOut);
      (void)empty[buf].arrive();
    }
  }
}

static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

int make_plan(int rate_in, int rate_out, int taps, Plan* plan) {
  if (rate_in <= 0 || rate_out <= 0 || taps <= 0) return -1;
  const int g = gcd(rate_in, rate_out);
  plan->up = rate_out / g;
  plan->down = rate_in / g;
  plan->taps = taps;
  plan->window = (int)((int64_t)(kOut - 1) * plan->down / plan->up) + 2 + taps;
  return plan->window <= kMaxWindow ? 0 : -1;
}

int run(const Plan& plan, Stream s, int channels, const float* coef, cudaStream_t stream) {
  if (s.out_len <= 0 || channels <= 0 || channels > 65535) return -1;
  const int tiles = (int)((s.out_len + kOut - 1) / kOut);
  int grid = tiles < 128 ? tiles : 128;
  const size_t smem = 2 * plan.window * sizeof(float);
  resample<<<dim3(grid, channels), kProducers + kConsumers, smem, stream>>>(s, plan, coef, tiles);
  return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

}  // namespace audio
