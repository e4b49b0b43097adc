// GEMV with rows streamed by 1-D bulk copies and mbarriers.  nvcc -arch=sm_90
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace bulk {

constexpr int kThreads = 128;
constexpr int kStages = 2;

__device__ __forceinline__ uint32_t smem_u32(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void mbar_init(uint64_t *bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_u32(bar)), "r"(count) : "memory");
}
__device__ __forceinline__ void mbar_arrive_expect_tx(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_u32(bar)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void mbar_wait(uint64_t *bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(smem_u32(bar)), "r"(parity)
      : "memory");
}
__device__ __forceinline__ void bulk_g2s(void *dst, const void *src, uint32_t bytes, uint64_t *bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem_u32(dst)),
      "l"(src), "r"(bytes), "r"(smem_u32(bar))
      : "memory");
}

__device__ float block_sum(float v, float *scratch) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  float s = 0.f;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) s += scratch[w];
  __syncthreads();
  return s;
}

struct RowStream {
  const __half *w;
  __half *stages;
  uint64_t *bars;
  int k;

  __device__ __forceinline__ __half *stage(int s) const { return stages + static_cast<int64_t>(s) * k; }
  __device__ __forceinline__ void issue(int row, int s) const {
    const uint32_t bytes = k * sizeof(__half);
    mbar_arrive_expect_tx(bars + s, bytes);
    bulk_g2s(stage(s), w + static_cast<int64_t>(row) * k, bytes, bars + s);
  }
};

__global__ void __launch_bounds__(kThreads) gemv_bulk(const __half *__restrict__ w, const float *__restrict__ x,
                                                      float *__restrict__ y, int rows, int k) {
  extern __shared__ __align__(128) unsigned char smem[];
  __shared__ __align__(8) uint64_t bars[kStages];
  __shared__ float scratch[kThreads / 32];
  const RowStream rs{w, reinterpret_cast<__half *>(smem), bars, k};

  const int first = blockIdx.x, step = gridDim.x;
  const int n_it = first < rows ? (rows - first + step - 1) / step : 0;

  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) mbar_init(bars + s, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages && s < n_it; ++s) rs.issue(first + s * step, s);
  }

  for (int it = 0; it < n_it; ++it) {
    const int s = it % kStages;
    mbar_wait(bars + s, (it / kStages) & 1);

    const __half2 *row = reinterpret_cast<const __half2 *>(rs.stage(s));
    float acc = 0.f;
    for (int i = threadIdx.x; i < k / 2; i += kThreads) {
      const float2 f = __half22float2(row[i]);
      acc += f.x * x[2 * i] + f.y * x[2 * i + 1];
    }
    acc = block_sum(acc, scratch);

    if (threadIdx.x == 0) {
      y[first + it * step] = acc;
      if (it + kStages < n_it) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        rs.issue(first + (it + kStages) * step, s);
      }
    }
  }
}

}  // namespace bulk

// k must be a multiple of 8, w 16-byte aligned
bool gemv_bulk_forward(const __half *w, const float *x, float *y, int rows, int k, int num_sms,
                       cudaStream_t stream) {
  if (k % 8 != 0 || rows <= 0) return false;
  const int smem = bulk::kStages * k * static_cast<int>(sizeof(__half));
  if (smem > 200 * 1024) return false;
  cudaFuncSetAttribute(bulk::gemv_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  bulk::gemv_bulk<<<std::min(rows, 2 * num_sms), bulk::kThreads, smem, stream>>>(w, x, y, rows, k);
  return true;
}
