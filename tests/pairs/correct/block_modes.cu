// Mixed-mode kernel: the role of a block depends on its index; phases driven by a small state machine.
#include <cuda_runtime.h>
#include <cstdint>

namespace modes {

enum class Phase : int { Load, Smooth, Sharpen, Store, Done };

struct Task {
  float* data;
  int n;
  int smooth_every;   // blocks with index % smooth_every == 0 are smoothed twice
};

constexpr int kBlock = 128;

__device__ float at(const float* s, int i) { return s[(i + kBlock) % kBlock]; }

template <bool Sharp>
__device__ void filter(const float* src, float* dst) {
  const int t = threadIdx.x;
  const float side = at(src, t - 1) + at(src, t + 1);
  if constexpr (Sharp) dst[t] = 2.f * src[t] - 0.5f * side;
  else dst[t] = 0.5f * src[t] + 0.25f * side;
}

__global__ void __launch_bounds__(kBlock) process(Task t) {
  __shared__ float buf[2][kBlock];
  __shared__ float lo;
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int repeats = blockIdx.x % t.smooth_every == 0 ? 2 : 1;
  int cur = 0, done = 0, retries = 0;
  Phase ph = Phase::Load;

again:
  switch (ph) {
    case Phase::Load:
      buf[cur][threadIdx.x] = i < t.n ? t.data[i] : 0.f;
      __syncthreads();
      ph = Phase::Smooth;
      goto again;
    case Phase::Smooth:
      filter<false>(buf[cur], buf[cur ^ 1]);
      cur ^= 1;
      __syncthreads();
      if (++done == repeats) ph = blockIdx.x & 1 ? Phase::Sharpen : Phase::Store;
      goto again;
    case Phase::Sharpen: {
      filter<true>(buf[cur], buf[cur ^ 1]);
      cur ^= 1;
      __syncthreads();
      if (threadIdx.x == 0) {
        float m = buf[cur][0];
        for (int k = 1; k < kBlock; ++k) m = fminf(m, buf[cur][k]);
        lo = m;
      }
      __syncthreads();
      if (lo < -1.f && retries++ < 3) {
        done = 0;
        ph = Phase::Smooth;
        __syncthreads();
        goto again;
      }
      ph = Phase::Store;
    }
      [[fallthrough]];
    case Phase::Store:
      if (i < t.n) t.data[i] = buf[cur][threadIdx.x];
      ph = Phase::Done;
      break;
    case Phase::Done:
      __trap();
  }
}

class Runner {
 public:
  Runner& every(int k) {
    task_.smooth_every = k > 0 ? k : 1;
    return *this;
  }
  Runner& on(float* d, int n) {
    task_.data = d;
    task_.n = n;
    return *this;
  }
  cudaError_t go(cudaStream_t s = 0) const {
    if (!task_.data || task_.n <= 0 || task_.n > (1 << 30)) return cudaErrorInvalidValue;
    process<<<(task_.n + kBlock - 1) / kBlock, kBlock, 0, s>>>(task_);
    return cudaGetLastError();
  }
 private:
  Task task_{nullptr, 0, 4};
};

}  // namespace modes

int main() {
  float* d;
  cudaMalloc(&d, 99999 * sizeof(float));
  cudaMemset(d, 0, 99999 * sizeof(float));
  int bad = modes::Runner().on(d, 99999).go() != cudaSuccess;
  bad |= modes::Runner().on(d, 500).every(3).go() != cudaSuccess;
  bad |= cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(d);
  return bad;
}
