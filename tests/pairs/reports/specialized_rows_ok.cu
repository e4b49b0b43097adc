#include <cuda_runtime.h>

namespace ws {

constexpr int kProducers = 32;
constexpr int kConsumers = 96;
constexpr int kThreads = kProducers + kConsumers;
constexpr int kRow = 768;
constexpr int kStages = 2;

enum BarrierId { kFull0 = 1, kFull1, kEmpty0, kEmpty1 };

__device__ __forceinline__ void bar_sync(int id) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(kThreads) : "memory");
}

__device__ __forceinline__ void bar_arrive(int id) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "n"(kThreads) : "memory");
}

struct RowArgs {
  const float* x;      // [rows, kRow]
  const float* gain;   // [kRow]
  float* y;            // [rows, kRow]
  int rows;
  int rows_per_block;
};

__device__ void produce(const RowArgs& a, float (*stage)[kRow], int first, int count) {
  const int lane = threadIdx.x;
  for (int t = 0; t < count; ++t) {
    const int s = t % kStages;
    if (t >= kStages) bar_sync(kEmpty0 + s);
    const float4* src = reinterpret_cast<const float4*>(a.x + (size_t)(first + t) * kRow);
    float4* dst = reinterpret_cast<float4*>(stage[s]);
    for (int i = lane; i < kRow / 4; i += kProducers) dst[i] = src[i];
    bar_arrive(kFull0 + s);
  }
}

__device__ void consume(const RowArgs& a, float (*stage)[kRow], int first, int count) {
  const int c = threadIdx.x - kProducers;
  for (int t = 0; t < count; ++t) {
    const int s = t % kStages;
    bar_sync(kFull0 + s);
    const bool reuse = t + kStages < count;
    float peak = 0.f;
    for (int i = 0; i < kRow; ++i) peak = fmaxf(peak, fabsf(stage[s][i]));
    const float inv = peak > 0.f ? 1.f / peak : 0.f;
    float* out = a.y + (size_t)(first + t) * kRow;
    for (int i = c; i < kRow; i += kConsumers) out[i] = stage[s][i] * inv * a.gain[i];
    if (reuse) bar_arrive(kEmpty0 + s);
  }
}

__global__ void __launch_bounds__(kThreads) normalize_rows(RowArgs a) {
  __shared__ __align__(16) float stage[kStages][kRow];
  const int first = blockIdx.x * a.rows_per_block;
  const int count = min(a.rows_per_block, a.rows - first);
  if (threadIdx.x < kProducers)
    produce(a, stage, first, count);
  else
    consume(a, stage, first, count);
}

cudaError_t normalize(const float* x, const float* gain, float* y, int rows, cudaStream_t s) {
  if (rows <= 0) return cudaErrorInvalidValue;
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  const int target = sms > 0 ? sms * 4 : 256;
  RowArgs a;
  a.x = x;
  a.gain = gain;
  a.y = y;
  a.rows = rows;
  a.rows_per_block = (rows + target - 1) / target;
  const int grid = (rows + a.rows_per_block - 1) / a.rows_per_block;
  normalize_rows<<<grid, kThreads, 0, s>>>(a);
  return cudaGetLastError();
}

}  // namespace ws
