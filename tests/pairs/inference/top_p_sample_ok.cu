// Nucleus (top-p) sampling from probabilities sorted in descending order.  nvcc -arch=sm_80
#include <cuda_runtime.h>

#include <cstdint>

namespace sampling {

struct TopPParams {
  const float *sorted_probs;  // [batch, vocab], descending
  const int *sorted_ids;      // [batch, vocab]
  const float *top_p;         // [batch]
  const float *uniform;       // [batch]
  const bool *skip;           // [batch]
  int *out;                   // [batch]
  int vocab;
};

template <int W>
__device__ __forceinline__ float scan_lanes(float v, int lane) {
#pragma unroll
  for (int o = 1; o < W; o <<= 1) {
    const float t = __shfl_up_sync(0xffffffffu, v, o, W);
    if (lane >= o) v += t;
  }
  return v;
}

template <int kThreads>
class BlockPrefix {
 public:
  static constexpr int kWarps = kThreads / 32;
  struct Storage {
    float totals[kWarps];
    float aggregate;
  };

  __device__ explicit BlockPrefix(Storage &s) : s_(s) {}

  // inclusive scan; also returns the block total
  __device__ float inclusive(float v, float &total) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = scan_lanes<32>(v, lane);
    if (lane == 31) s_.totals[warp] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
      const float t = scan_lanes<32>(lane < kWarps ? s_.totals[lane] : 0.f, lane);
      if (lane < kWarps) s_.totals[lane] = t;
      if (lane == kWarps - 1) s_.aggregate = t;
    }
    __syncthreads();
    total = s_.aggregate;
    const float before = warp > 0 ? s_.totals[warp - 1] : 0.f;
    __syncthreads();
    return before + v;
  }

 private:
  Storage &s_;
};

template <int kThreads>
__global__ void __launch_bounds__(kThreads) top_p_sampling(const TopPParams p) {
  __shared__ typename BlockPrefix<kThreads>::Storage storage;
  __shared__ int s_pick;

  const int b = blockIdx.x;
  if (p.skip != nullptr && p.skip[b]) return;
  const float *probs = p.sorted_probs + static_cast<int64_t>(b) * p.vocab;
  const float target = p.uniform[b] * p.top_p[b];
  if (threadIdx.x == 0) s_pick = p.vocab - 1;

  BlockPrefix<kThreads> prefix(storage);
  float carry = 0.f;
  for (int base = 0; base < p.vocab; base += kThreads) {
    const int i = base + threadIdx.x;
    const float v = i < p.vocab ? probs[i] : 0.f;
    float total;
    const float cum = carry + prefix.inclusive(v, total);
    const int hits = __syncthreads_count(i < p.vocab && cum >= target);
    if (hits > 0) {
      if (i < p.vocab && cum >= target) atomicMin(&s_pick, i);
      break;
    }
    carry += total;
  }
  __syncthreads();
  if (threadIdx.x == 0) p.out[b] = p.sorted_ids[static_cast<int64_t>(b) * p.vocab + s_pick];
}

}  // namespace sampling

void top_p_sample(const sampling::TopPParams &p, int batch, cudaStream_t stream) {
  if (batch == 0) return;
  if (p.vocab > 32768)
    sampling::top_p_sampling<512><<<batch, 512, 0, stream>>>(p);
  else
    sampling::top_p_sampling<256><<<batch, 256, 0, stream>>>(p);
}
