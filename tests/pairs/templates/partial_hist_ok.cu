#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace imgstat {

template <int BLOCK_, int BINS_>
struct HistPolicy {
  static constexpr int BLOCK = BLOCK_;
  static constexpr int BINS = BINS_;
};

struct HistArgs {
  const uint8_t* img;
  size_t n;
  unsigned int* partial;   // grid x BINS
  unsigned int* hist;      // BINS
  unsigned int* ticket;    // zero before the launch, left at zero
};

template <class P>
struct HistShared {
  unsigned int bins[P::BINS];
  bool last;
};

template <int BINS>
struct ByteBin {
  __device__ int operator()(uint8_t v) const { return int(v) * BINS / 256; }
};

template <class P>
__device__ __forceinline__ void accumulate(HistShared<P>& sh, const HistArgs& a) {
  const ByteBin<P::BINS> bin;
  const size_t nvec = a.n / 4;
  const size_t first = size_t(blockIdx.x) * P::BLOCK + threadIdx.x;
  const size_t stride = size_t(gridDim.x) * P::BLOCK;
  const uchar4* v4 = reinterpret_cast<const uchar4*>(a.img);
  for (size_t k = first; k < nvec; k += stride) {
    const uchar4 v = v4[k];
    atomicAdd(&sh.bins[bin(v.x)], 1u);
    atomicAdd(&sh.bins[bin(v.y)], 1u);
    atomicAdd(&sh.bins[bin(v.z)], 1u);
    atomicAdd(&sh.bins[bin(v.w)], 1u);
  }
  for (size_t k = nvec * 4 + first; k < a.n; k += stride) atomicAdd(&sh.bins[bin(a.img[k])], 1u);
}

template <class P>
__device__ __forceinline__ bool take_ticket(HistShared<P>& sh, unsigned int* ticket) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned int t = atomicInc(ticket, gridDim.x - 1);
    __threadfence();
    sh.last = t == gridDim.x - 1;
  }
  __syncthreads();
  return sh.last;
}

template <class P>
__global__ void __launch_bounds__(P::BLOCK) hist_kernel(HistArgs a) {
  __shared__ HistShared<P> sh;
  for (int b = threadIdx.x; b < P::BINS; b += P::BLOCK) sh.bins[b] = 0;
  __syncthreads();
  accumulate<P>(sh, a);
  __syncthreads();

  unsigned int* mine = a.partial + size_t(blockIdx.x) * P::BINS;
  for (int b = threadIdx.x; b < P::BINS; b += P::BLOCK) mine[b] = sh.bins[b];

  if (take_ticket<P>(sh, a.ticket)) {
    for (int b = threadIdx.x; b < P::BINS; b += P::BLOCK) {
      unsigned int s = 0;
      for (unsigned int g = 0; g < gridDim.x; ++g) s += __ldcg(&a.partial[size_t(g) * P::BINS + b]);
      a.hist[b] = s;
    }
  }
}

template <class P>
cudaError_t launch(const HistArgs& a, int max_grid, cudaStream_t s) {
  const size_t per = size_t(P::BLOCK) * 16;
  const int grid = int(std::max<size_t>(1, std::min<size_t>((a.n + per - 1) / per, max_grid)));
  hist_kernel<P><<<grid, P::BLOCK, 0, s>>>(a);
  return cudaGetLastError();
}

cudaError_t histogram(const HistArgs& a, int bins, int max_grid, cudaStream_t s) {
  switch (bins) {
    case 64: return launch<HistPolicy<128, 64>>(a, max_grid, s);
    case 256: return launch<HistPolicy<128, 256>>(a, max_grid, s);
  }
  return cudaErrorInvalidValue;
}

}  // namespace imgstat
