// Column sums of a tall matrix: rows are streamed by bulk copies (TMA engine) with mbarriers.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace bulk {

constexpr int kStages = 4;
constexpr int kCols = 512;
constexpr int kThreads = 128;
constexpr uint32_t kRowBytes = kCols * sizeof(float);

__device__ __forceinline__ uint32_t smem(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void mbar_init(uint64_t* b, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(b)), "r"(count) : "memory");
}
__device__ __forceinline__ void mbar_expect(uint64_t* b, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(b)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void mbar_wait(uint64_t* b, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred p;\nLAB_WAIT_%=:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra DONE_%=;\nbra LAB_WAIT_%=;\nDONE_%=:\n}" ::"r"(smem(b)),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void bulk_load(void* dst, const void* src, uint32_t bytes, uint64_t* b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem(dst)),
               "l"(src), "r"(bytes), "r"(smem(b))
               : "memory");
}

struct Ring {
  alignas(128) float row[kStages][kCols];
  alignas(8) uint64_t full[kStages];
};

struct RowRange {
  int begin, end;
  __device__ int size() const { return end - begin; }
};

__device__ RowRange my_rows(int rows) {
  const int per = (rows + gridDim.x - 1) / gridDim.x;
  const int b = min(rows, (int)blockIdx.x * per);
  return {b, min(rows, b + per)};
}

__global__ void __launch_bounds__(kThreads) column_sum(const float* __restrict__ x, float* __restrict__ out, int rows) {
  __shared__ Ring ring;
  const RowRange rr = my_rows(rows);
  const int n = rr.size();

  auto issue = [&](int k) {
    uint64_t* bar = &ring.full[k % kStages];
    mbar_expect(bar, kRowBytes);
    bulk_load(ring.row[k % kStages], x + (size_t)(rr.begin + k) * kCols, kRowBytes, bar);
  };

  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) mbar_init(&ring.full[s], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = 0; k < kStages && k < n; ++k) issue(k);

  float acc[kCols / kThreads] = {};
  for (int k = 0; k < n; ++k) {
    const int s = k % kStages;
    const uint32_t parity = k & 1;
    mbar_wait(&ring.full[s], parity);
#pragma unroll
    for (int c = 0; c < kCols / kThreads; ++c) acc[c] += ring.row[s][c * kThreads + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0 && k + kStages < n) issue(k + kStages);
  }
#pragma unroll
  for (int c = 0; c < kCols / kThreads; ++c) atomicAdd(&out[c * kThreads + threadIdx.x], acc[c]);
}

}  // namespace bulk

extern "C" int column_sum_512(const float* x, float* out, int rows, int max_blocks, cudaStream_t s) {
  if (rows < 0 || reinterpret_cast<uintptr_t>(x) % 16) return -1;
  cudaMemsetAsync(out, 0, bulk::kRowBytes, s);
  if (rows == 0) return 0;
  const int grid = std::max(1, std::min(rows / 8, max_blocks));
  bulk::column_sum<<<grid, bulk::kThreads, 0, s>>>(x, out, rows);
  return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

int main() {
  const int rows = 100000;
  float *x, *o;
  if (cudaMalloc(&x, sizeof(float) * (size_t)rows * bulk::kCols) || cudaMalloc(&o, bulk::kRowBytes)) return 1;
  cudaMemset(x, 0, sizeof(float) * (size_t)rows * bulk::kCols);
  if (column_sum_512(x, o, rows, 264, 0)) return 2;
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
