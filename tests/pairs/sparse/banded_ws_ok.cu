// Batched banded matrix - vector product with warp specialisation: one warp
// streams the rows of the matrix to shared memory, four warps compute.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kProducers = 32;
constexpr int kConsumers = 128;
constexpr int kThreads = kProducers + kConsumers;
constexpr int kBand = 9;           // diagonals
constexpr int kHalf = kBand / 2;
constexpr int kBuffers = 2;

struct Chunk {
  float a[kBand][kConsumers];
};

__device__ void produce(Chunk* buf, block_barrier* filled, block_barrier* freed,
                        const float* __restrict__ band, int n, int chunks) {
  for (int c = 0; c < chunks; ++c) {
    const int b = c % kBuffers;
    freed[b].arrive_and_wait();
    for (int e = threadIdx.x; e < kBand * kConsumers; e += kProducers) {
      const int d = e / kConsumers, r = c * kConsumers + e % kConsumers;
      buf[b].a[d][e % kConsumers] = r < n ? band[(size_t)d * n + r] : 0.f;
    }
    (void)filled[b].arrive();
  }
}

__device__ void consume(Chunk* buf, block_barrier* filled, block_barrier* freed,
                        const float* __restrict__ x, float* __restrict__ y, int n, int chunks) {
  const int t = threadIdx.x - kProducers;
  for (int b = 0; b < kBuffers; ++b) (void)freed[b].arrive();
  for (int c = 0; c < chunks; ++c) {
    const int b = c % kBuffers;
    const int row = c * kConsumers + t;
    filled[b].arrive_and_wait();
    float s = 0.f;
    for (int d = 0; d < kBand; ++d) {
      const int col = row + d - kHalf;
      if (row < n && col >= 0 && col < n) s += buf[b].a[d][t] * x[col];
    }
    (void)freed[b].arrive();
    if (row < n) y[row] = s;
  }
}

__global__ void __launch_bounds__(kThreads)
bandedMv(const float* __restrict__ bands, const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ Chunk buf[kBuffers];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier filled[kBuffers];
  __shared__ block_barrier freed[kBuffers];
  if (threadIdx.x == 0) {
    for (int b = 0; b < kBuffers; ++b) {
      init(&filled[b], kThreads);
      init(&freed[b], kThreads);
    }
  }
  __syncthreads();

  const int chunks = (n + kConsumers - 1) / kConsumers;
  const size_t sys = blockIdx.x;
  if (threadIdx.x < kProducers)
    produce(buf, filled, freed, bands + sys * kBand * n, n, chunks);
  else
    consume(buf, filled, freed, x + sys * n, y + sys * n, n, chunks);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 3000, batch = argc > 2 ? std::atoi(argv[2]) : 200;
  if (n < 1 || batch < 1 || (long long)n * batch > 20000000) return 1;
  const size_t nb = (size_t)batch * n;
  std::vector<float> band(nb * kBand), x(nb);
  for (size_t i = 0; i < band.size(); ++i) band[i] = (float)(i % 17) * 0.1f;
  for (size_t i = 0; i < nb; ++i) x[i] = 1.f / (1 + i % 5);
  float *dB, *dX, *dY;
  if (cudaMalloc(&dB, band.size() * sizeof(float)) || cudaMalloc(&dX, nb * sizeof(float)) ||
      cudaMalloc(&dY, nb * sizeof(float)))
    return 2;
  cudaMemcpy(dB, band.data(), band.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dX, x.data(), nb * sizeof(float), cudaMemcpyHostToDevice);
  for (int it = 0; it < 10; ++it) {
    bandedMv<<<batch, kThreads>>>(dB, dX, dY, n);
    std::swap(dX, dY);
  }
  cudaMemcpy(x.data(), dX, nb * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", x[nb / 2]);
  return 0;
}
