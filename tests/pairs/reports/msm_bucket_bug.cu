#include <cuda_runtime.h>
#include <cstdint>

namespace msm {

constexpr int NTHREADS = 128;
constexpr int WBITS = 8;

struct Scalar {
  uint32_t limb[8];
};

struct Config {
  const Scalar* scalars;
  const uint64_t* points;      // toy group: addition modulo 2^64
  uint64_t* buckets;           // [gridDim.x][nwins][1 << WBITS]
  int n;
  int nwins;
};

__device__ __forceinline__ uint32_t get_wval(const Scalar& s, int win) {
  const int off = win * WBITS;
  uint32_t lo = s.limb[off / 32] >> (off % 32);
  return lo & ((1u << WBITS) - 1u);
}

class Pippenger {
 public:
  __device__ explicit Pippenger(uint32_t* storage) : wvals_(storage) {}

  __device__ bool is_unique(uint32_t wval) {
    const int tid = threadIdx.x;
    wvals_[tid] = wval;
    __syncthreads();
    bool unique = true;
    for (int i = 0; i < tid; ++i) {
      unique &= (wvals_[i] != wval);
    }
    return unique;
  }

 private:
  uint32_t* wvals_;
};

__global__ void __launch_bounds__(NTHREADS) accumulate_kernel(Config cfg) {
  __shared__ uint32_t storage[NTHREADS];
  Pippenger pip(storage);

  const int idx = blockIdx.x * NTHREADS + threadIdx.x;
  const bool has_work = idx < cfg.n;
  Scalar s = {};
  uint64_t p = 0;
  if (has_work) {
    s = cfg.scalars[idx];
    p = cfg.points[idx];
  }

  for (int w = 0; w < cfg.nwins; ++w) {
    const uint32_t wval = has_work ? get_wval(s, w) : 0u;
    const bool unique = pip.is_unique(wval);
    if (!has_work || wval == 0) continue;
    unsigned long long* row = reinterpret_cast<unsigned long long*>(
        cfg.buckets + ((size_t)blockIdx.x * cfg.nwins + w) * (1u << WBITS));
    const uint64_t term = unique ? p : p * 2u;
    atomicAdd(row + wval, (unsigned long long)term);
  }
}

int accumulate(const Scalar* scalars, const uint64_t* points, uint64_t* buckets, int n,
               cudaStream_t stream) {
  Config cfg{scalars, points, buckets, n, 256 / WBITS};
  const int grid = (n + NTHREADS - 1) / NTHREADS;
  cudaMemsetAsync(buckets, 0,
                  sizeof(uint64_t) * (size_t)grid * cfg.nwins * (1u << WBITS), stream);
  accumulate_kernel<<<grid, NTHREADS, 0, stream>>>(cfg);
  return cudaGetLastError();
}

}  // namespace msm
