// Single-pass reduction, the last block to finish combines the partial results.
#include <cuda_runtime.h>
#include <stdexcept>
#include <algorithm>

namespace onepass {

struct Moments {
  double n, sum, sq;
  __host__ __device__ Moments operator+(const Moments& o) const { return {n + o.n, sum + o.sum, sq + o.sq}; }
};

template <int THREADS>
__device__ Moments block_combine(Moments m, Moments* sh) {
  sh[threadIdx.x] = m;
  __syncthreads();
#pragma unroll
  for (int w = THREADS / 2; w > 0; w /= 2) {
    if (threadIdx.x < w) sh[threadIdx.x] = sh[threadIdx.x] + sh[threadIdx.x + w];
    __syncthreads();
  }
  const Moments r = sh[0];
  __syncthreads();
  return r;
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS)
moments(const float* __restrict__ x, size_t n, Moments* partial, unsigned* ticket, Moments* result) {
  __shared__ Moments sh[THREADS];
  __shared__ bool last;
  Moments m{0, 0, 0};
  for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < n; i += size_t(gridDim.x) * THREADS) {
    const double v = x[i];
    m = m + Moments{1.0, v, v * v};
  }
  m = block_combine<THREADS>(m, sh);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = m;
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;

  Moments t{0, 0, 0};
  for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS) t = t + partial[b];
  t = block_combine<THREADS>(t, sh);
  if (threadIdx.x == 0) {
    *result = t;
    *ticket = 0;   // ready for the next launch
  }
}

class MomentsEngine {
 public:
  explicit MomentsEngine(int max_blocks = 512) : max_blocks_(std::max(1, max_blocks)) {
    if (cudaMalloc(&partial_, sizeof(Moments) * (max_blocks_ + 1)) != cudaSuccess || cudaMalloc(&ticket_, sizeof(unsigned)) != cudaSuccess)
      throw std::runtime_error("out of memory");
    cudaMemset(ticket_, 0, sizeof(unsigned));
    cudaStreamCreate(&stream_);
    cudaDeviceSynchronize();
  }
  ~MomentsEngine() {
    cudaStreamDestroy(stream_);
    cudaFree(partial_);
    cudaFree(ticket_);
  }
  MomentsEngine(const MomentsEngine&) = delete;

  Moments compute(const float* x, size_t n) {
    constexpr int T = 128;
    const unsigned blocks = unsigned(std::clamp<size_t>((n + T - 1) / T, 1, size_t(max_blocks_)));
    Moments* res = partial_ + max_blocks_;
    moments<T><<<blocks, T, 0, stream_>>>(x, n, partial_, ticket_, res);
    Moments h{};
    cudaMemcpyAsync(&h, res, sizeof h, cudaMemcpyDeviceToHost, stream_);
    cudaStreamSynchronize(stream_);
    return h;
  }

 private:
  int max_blocks_;
  Moments* partial_ = nullptr;
  unsigned* ticket_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

double variance(MomentsEngine& e, const float* x, size_t n) {
  const Moments m = e.compute(x, n);
  return m.n > 0 ? m.sq / m.n - (m.sum / m.n) * (m.sum / m.n) : 0.0;
}

}  // namespace onepass
