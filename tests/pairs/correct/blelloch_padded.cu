// Work-efficient exclusive scan (Blelloch) with bank-conflict padding.
#include <cuda_runtime.h>
#include <cassert>
#include <cstdint>

static constexpr int LOG_BANKS = 5;
#define PAD(i) ((i) + ((i) >> LOG_BANKS))

struct ScanPlan {
  int elems = 0;      // power of two
  int threads = 0;    // elems / 2
  size_t smem = 0;
  static ScanPlan for_size(int n) {
    ScanPlan p;
    p.elems = 2;
    while (p.elems < n) p.elems <<= 1;
    p.threads = p.elems / 2;
    p.smem = sizeof(uint32_t) * (PAD(p.elems - 1) + 1);
    return p;
  }
};

__device__ void up_sweep(uint32_t* s, int elems, int& stride) {
  for (int d = elems >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) {
      const int lo = stride * (2 * threadIdx.x + 1) - 1;
      const int hi = stride * (2 * threadIdx.x + 2) - 1;
      s[PAD(hi)] += s[PAD(lo)];
    }
    stride <<= 1;
  }
}

__device__ void down_sweep(uint32_t* s, int elems, int& stride) {
  for (int d = 1; d < elems; d <<= 1) {
    stride >>= 1;
    __syncthreads();
    if (threadIdx.x < d) {
      const int lo = stride * (2 * threadIdx.x + 1) - 1;
      const int hi = stride * (2 * threadIdx.x + 2) - 1;
      const uint32_t t = s[PAD(lo)];
      s[PAD(lo)] = s[PAD(hi)];
      s[PAD(hi)] += t;
    }
  }
}

__global__ void exclusive_scan_rows(const uint32_t* __restrict__ in, uint32_t* __restrict__ out,
                                    uint32_t* __restrict__ totals, int width, int elems) {
  extern __shared__ uint32_t s[];
  const size_t base = size_t(blockIdx.x) * width;
  const int a = threadIdx.x, b = threadIdx.x + (elems >> 1);
  s[PAD(a)] = a < width ? in[base + a] : 0u;
  s[PAD(b)] = b < width ? in[base + b] : 0u;

  int stride = 1;
  up_sweep(s, elems, stride);
  if (threadIdx.x == 0) {
    const int last = PAD(elems - 1);
    totals[blockIdx.x] = s[last];
    s[last] = 0;
  }
  down_sweep(s, elems, stride);
  __syncthreads();
  if (a < width) out[base + a] = s[PAD(a)];
  if (b < width) out[base + b] = s[PAD(b)];
}

int scan_rows(const uint32_t* in, uint32_t* out, uint32_t* totals, int rows, int width, cudaStream_t st = 0) {
  if (rows <= 0 || width <= 0 || width > 2048) return -1;
  const ScanPlan plan = ScanPlan::for_size(width);
  assert(plan.threads <= 1024);
  exclusive_scan_rows<<<rows, plan.threads, plan.smem, st>>>(in, out, totals, width, plan.elems);
  return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

int main() {
  uint32_t *in, *out, *tot;
  cudaMalloc(&in, 4 * 64 * 2048);
  cudaMalloc(&out, 4 * 64 * 2048);
  cudaMalloc(&tot, 4 * 64);
  cudaMemset(in, 1, 4 * 64 * 2048);
  int rc = 0;
  for (int w = 1; w <= 2048; w = w * 3 + 1) rc |= scan_rows(in, out, tot, 64, w);
  cudaDeviceSynchronize();
  cudaFree(in); cudaFree(out); cudaFree(tot);
  return rc;
}
