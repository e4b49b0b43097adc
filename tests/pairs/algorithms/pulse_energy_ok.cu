// Energy per detection window of a sampled pulse train; classic shared-memory tree.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

struct WindowPlan {
  int length;
  int hop;
  int count;
};

struct DetectorOut {
  float* energy;
  unsigned* above;
  float threshold;
};

#define TREE_STEP(N)                  \
  if (NT >= 2 * (N)) {                \
    if (t < (N)) s[t] += s[t + (N)];  \
    __syncthreads();                  \
  }

#define TAIL_STEP(N)      \
  acc += s[t + (N)];      \
  __syncwarp();           \
  s[t] = acc;             \
  __syncwarp();

template <int NT>
__device__ __forceinline__ void tail_reduce(float* s, int t) {
  float acc = s[t];
  TAIL_STEP(32)
  TAIL_STEP(16)
  TAIL_STEP(8)
  TAIL_STEP(4)
  TAIL_STEP(2)
  TAIL_STEP(1)
}

template <int NT>
__global__ void window_energy(const short2* __restrict__ iq, WindowPlan plan, DetectorOut out) {
  __shared__ float s[NT];
  const int t = threadIdx.x;
  for (int w = blockIdx.x; w < plan.count; w += gridDim.x) {
    const short2* p = iq + (size_t)w * plan.hop;
    float e = 0.f;
    for (int i = t; i < plan.length; i += NT) {
      const short2 v = p[i];
      e += (float)v.x * v.x + (float)v.y * v.y;
    }
    s[t] = e;
    __syncthreads();
    TREE_STEP(256)
    TREE_STEP(128)
    TREE_STEP(64)
    if (t < 32) tail_reduce<NT>(s, t);
    if (t == 0) {
      const float m = s[0] / plan.length;
      out.energy[w] = m;
      if (m > out.threshold) atomicAdd(out.above, 1u);
    }
    __syncthreads();
  }
}

template <int NT>
static void launch(const short2* iq, const WindowPlan& p, const DetectorOut& o, cudaStream_t s) {
  const int grid = p.count < 2048 ? p.count : 2048;
  window_energy<NT><<<grid, NT, 0, s>>>(iq, p, o);
}

extern "C" int detect_pulses(const short2* iq, long long nsamp, int length, int hop, float thr, float* energy,
                             unsigned* above, cudaStream_t s) {
  if (length <= 0 || hop <= 0 || nsamp < length) return -1;
  WindowPlan p{length, hop, (int)((nsamp - length) / hop) + 1};
  DetectorOut o{energy, above, thr};
  if (cudaMemsetAsync(above, 0, sizeof(unsigned), s) != cudaSuccess) return -2;
  if (length >= 4096)
    launch<512>(iq, p, o, s);
  else if (length >= 512)
    launch<128>(iq, p, o, s);
  else
    launch<64>(iq, p, o, s);
  return cudaGetLastError() == cudaSuccess ? p.count : -3;
}

int main() {
  const long long n = 1 << 22;
  short2* iq;
  float* e;
  unsigned* a;
  if (cudaMalloc(&iq, n * sizeof(short2)) || cudaMalloc(&e, n / 64 * sizeof(float)) || cudaMalloc(&a, 4)) return 1;
  cudaMemset(iq, 1, n * sizeof(short2));
  for (int len : {128, 1024, 8192})
    if (detect_pulses(iq, n, len, len / 2, 10.f, e, a, 0) < 0) return 2;
  return cudaDeviceSynchronize() != cudaSuccess;
}
