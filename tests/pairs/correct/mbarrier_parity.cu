// Ring between one loader warp and several worker warps on raw mbarriers with phase parity.
#include <cuda_runtime.h>
#include <cstdint>

namespace ring {

class MBarrier {
 public:
  __device__ void init(unsigned count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(addr()), "r"(count) : "memory"); }
  __device__ void arrive() {
    [[maybe_unused]] uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(addr()) : "memory");
  }
  __device__ void wait(unsigned parity) {
    unsigned ok = 0;
    while (!ok) {
      asm volatile(
          "{\n .reg .pred p;\n"
          " mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
          " selp.u32 %0, 1, 0, p;\n}\n"
          : "=r"(ok) : "r"(addr()), "r"(parity) : "memory");
    }
  }
 private:
  __device__ uint32_t addr() { return static_cast<uint32_t>(__cvta_generic_to_shared(&word_)); }
  uint64_t word_;
};

struct Cursor {
  unsigned stage = 0, phase = 0;
  template <unsigned STAGES>
  __device__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
};

template <int WORKERS_, int STAGES_, int CHUNK_>
struct Traits {
  static constexpr int WORKERS = WORKERS_, STAGES = STAGES_, CHUNK = CHUNK_;
  static constexpr int THREADS = 32 * (WORKERS + 1);
};

template <typename T>
struct Smem {
  float data[T::STAGES][T::CHUNK];
  MBarrier full[T::STAGES], empty[T::STAGES];
  float partial[T::WORKERS];
};

template <typename T>
__global__ void __launch_bounds__(T::THREADS) rms(const float* __restrict__ x, float* __restrict__ out, int n) {
  __shared__ Smem<T> sm;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < T::STAGES) {
    sm.full[threadIdx.x].init(32);
    sm.empty[threadIdx.x].init(T::WORKERS);
  }
  __syncthreads();
  const float* row = x + size_t(blockIdx.x) * n;
  const int chunks = (n + T::CHUNK - 1) / T::CHUNK;
  Cursor c;
  if (warp == T::WORKERS) {
    for (int k = 0; k < chunks; ++k, c.advance<T::STAGES>()) {
      sm.empty[c.stage].wait(c.phase ^ 1);
      for (int i = lane; i < T::CHUNK; i += 32) {
        const int g = k * T::CHUNK + i;
        sm.data[c.stage][i] = g < n ? row[g] : 0.f;
      }
      sm.full[c.stage].arrive();
    }
  } else {
    float acc = 0.f;
    for (int k = 0; k < chunks; ++k, c.advance<T::STAGES>()) {
      sm.full[c.stage].wait(c.phase);
      for (int i = warp * 32 + lane; i < T::CHUNK; i += 32 * T::WORKERS) {
        const float v = sm.data[c.stage][T::CHUNK - 1 - i];
        acc += v * v;
      }
      __syncwarp();
      if (lane == 0) sm.empty[c.stage].arrive();
    }
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if (lane == 0) sm.partial[warp] = acc;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int w = 0; w < T::WORKERS; ++w) s += sm.partial[w];
    out[blockIdx.x] = sqrtf(s / n);
  }
}

bool row_rms(const float* x, float* out, int rows, int n, cudaStream_t s) {
  if (rows <= 0 || n <= 0 || n > (1 << 30)) return false;
  using Narrow = Traits<1, 2, 128>;
  using Wide = Traits<7, 4, 1000>;
  if (n <= 512) rms<Narrow><<<rows, Narrow::THREADS, 0, s>>>(x, out, n);
  else rms<Wide><<<rows, Wide::THREADS, 0, s>>>(x, out, n);
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace ring
