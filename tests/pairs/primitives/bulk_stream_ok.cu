#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

// Welch periodogram accumulation: windows of samples are streamed to shared
// memory with bulk copies, every thread owns a group of frequency bins.

namespace welch {

struct Args {
  const float* samples;
  int windows;         // windows handled by the whole grid
  const float* cosTab; // bins x WIN
  const float* sinTab;
  float* power;        // bins, accumulated
  int bins;
};

__device__ __forceinline__ uint32_t smemAddr(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void barInit(uint64_t* bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smemAddr(bar)), "r"(count) : "memory");
}

__device__ __forceinline__ void barExpect(uint64_t* bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smemAddr(bar)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barWait(uint64_t* bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "WAIT_LOOP:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra DONE;\n"
      "bra WAIT_LOOP;\n"
      "DONE:\n"
      "}\n" ::"r"(smemAddr(bar)),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void bulkLoad(void* dst, const void* src, uint32_t bytes, uint64_t* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   smemAddr(dst)),
               "l"(src), "r"(bytes), "r"(smemAddr(bar))
               : "memory");
}

template <int WIN, int STAGES>
struct Stream {
  alignas(128) float tile[STAGES][WIN];
  alignas(8) uint64_t full[STAGES];

  __device__ void init() {
    if (threadIdx.x == 0) {
      for (int s = 0; s < STAGES; ++s) barInit(&full[s], 1);
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
  }

  __device__ void request(const float* src, int t) {
    const int s = t % STAGES;
    barExpect(&full[s], WIN * sizeof(float));
    bulkLoad(tile[s], src, WIN * sizeof(float), &full[s]);
  }

  __device__ const float* acquire(int t) {
    barWait(&full[t % STAGES], (t / STAGES) & 1);
    return tile[t % STAGES];
  }
};

template <int WIN, int STAGES, int THREADS>
__global__ void __launch_bounds__(THREADS) accumulate(Args a) {
  __shared__ Stream<WIN, STAGES> st;
  st.init();

  const int mine = (a.windows - int(blockIdx.x) + int(gridDim.x) - 1) / int(gridDim.x);
  auto window = [&](int t) { return a.samples + size_t(blockIdx.x + t * gridDim.x) * WIN; };

  if (threadIdx.x == 0)
    for (int t = 0; t < STAGES - 1 && t < mine; ++t) st.request(window(t), t);

  const int bin = blockIdx.y * THREADS + threadIdx.x;
  const float* c = a.cosTab + size_t(min(bin, a.bins - 1)) * WIN;
  const float* s = a.sinTab + size_t(min(bin, a.bins - 1)) * WIN;
  float power = 0.f;

  for (int t = 0; t < mine; ++t) {
    if (threadIdx.x == 0 && t + STAGES - 1 < mine) st.request(window(t + STAGES - 1), t + STAGES - 1);
    const float* x = st.acquire(t);
    float re = 0.f, im = 0.f;
#pragma unroll 8
    for (int k = 0; k < WIN; ++k) {
      re = fmaf(x[k], __ldg(c + k), re);
      im = fmaf(x[k], __ldg(s + k), im);
    }
    power += re * re + im * im;
    __syncthreads();
  }

  if (bin < a.bins) atomicAdd(a.power + bin, power);
}

template <int WIN>
void run(const Args& a, int blocks, cudaStream_t s) {
  constexpr int kThreads = 128, kStages = 4;
  accumulate<WIN, kStages, kThreads><<<dim3(blocks, (a.bins + kThreads - 1) / kThreads), kThreads, 0, s>>>(a);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("accumulate");
}

}  // namespace welch

int main() {
  welch::Args a{};
  a.windows = 5000;
  a.bins = 513;
  const int win = 1024;
  float *x, *c, *s;
  cudaMalloc(&x, sizeof(float) * a.windows * win);
  cudaMalloc(&c, sizeof(float) * a.bins * win);
  cudaMalloc(&s, sizeof(float) * a.bins * win);
  cudaMalloc(&a.power, sizeof(float) * a.bins);
  cudaMemset(x, 0, sizeof(float) * a.windows * win);
  cudaMemset(c, 0, sizeof(float) * a.bins * win);
  cudaMemset(s, 0, sizeof(float) * a.bins * win);
  cudaMemset(a.power, 0, sizeof(float) * a.bins);
  a.samples = x, a.cosTab = c, a.sinTab = s;
  welch::run<1024>(a, 64, 0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
