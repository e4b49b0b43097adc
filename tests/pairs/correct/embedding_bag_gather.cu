// EmbeddingBag forward (sum / mean / max) with offsets, vectorised gather.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cfloat>
#include <cstdint>

enum class BagMode : int { Sum, Mean, Max };

struct BagArgs {
  const int64_t* indices;    // [total], repeats possible
  const int64_t* offsets;    // [bags + 1]
  const float* per_sample_weight;   // may be null
  int bags;
  int dim;                   // multiple of 4
};

__device__ __forceinline__ float4 axpy4(float a, float4 x, float4 y) {
  return make_float4(fmaf(a, x.x, y.x), fmaf(a, x.y, y.y), fmaf(a, x.z, y.z), fmaf(a, x.w, y.w));
}

__device__ __forceinline__ float4 max4(float4 a, float4 b) {
  return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}

template <BagMode MODE>
__global__ void embedding_bag(BagArgs a, const float4* __restrict__ table, float4* __restrict__ out,
                              int64_t* __restrict__ bag_size) {
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= a.bags) return;
  const int d4 = a.dim / 4;
  const int64_t begin = a.offsets[bag], end = a.offsets[bag + 1];
  for (int d = threadIdx.x; d < d4; d += blockDim.x) {
    float4 acc = MODE == BagMode::Max ? make_float4(-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX) : make_float4(0, 0, 0, 0);
    for (int64_t i = begin; i < end; ++i) {
      const float4 row = table[a.indices[i] * d4 + d];
      if (MODE == BagMode::Max)
        acc = max4(acc, row);
      else
        acc = axpy4(a.per_sample_weight ? a.per_sample_weight[i] : 1.f, row, acc);
    }
    if (MODE == BagMode::Mean && end > begin) acc = axpy4(1.f / (end - begin), acc, make_float4(0, 0, 0, 0));
    if (MODE == BagMode::Max && end == begin) acc = make_float4(0, 0, 0, 0);
    out[(size_t)bag * d4 + d] = acc;
  }
  if (threadIdx.x == 0) bag_size[bag] = end - begin;
}

int embedding_bag_forward(const BagArgs& a, BagMode mode, const float* table, float* out, int64_t* bag_size,
                          cudaStream_t stream) {
  if (a.dim % 4) return -1;
  dim3 block(32, 4);
  dim3 grid((a.bags + block.y - 1) / block.y);
  const float4* t = reinterpret_cast<const float4*>(table);
  float4* o = reinterpret_cast<float4*>(out);
  switch (mode) {
    case BagMode::Sum:
      embedding_bag<BagMode::Sum><<<grid, block, 0, stream>>>(a, t, o, bag_size);
      break;
    case BagMode::Mean:
      embedding_bag<BagMode::Mean><<<grid, block, 0, stream>>>(a, t, o, bag_size);
      break;
    case BagMode::Max:
      embedding_bag<BagMode::Max><<<grid, block, 0, stream>>>(a, t, o, bag_size);
      break;
  }
  return cudaGetLastError();
}
