// Group-wise asymmetric int4 quantisation of weights (W4A16), one warp for each group of 256.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace w4 {

constexpr int kGroup = 256;
constexpr int kPerLane = kGroup / 32;
constexpr int kWarps = 4;

// Nibble order of the interleaved layout that the dequant kernel wants: 0 2 4 6 1 3 5 7
__device__ __forceinline__ int interleave(int j) { return (j & 1) ? 4 + (j >> 1) : (j >> 1); }

template <typename T> __device__ __forceinline__ float to_f(T v);
template <> __device__ __forceinline__ float to_f<__half>(__half v) { return __half2float(v); }
template <> __device__ __forceinline__ float to_f<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }

struct MinMax {
  float lo, hi;
};

__device__ __forceinline__ MinMax warp_minmax(MinMax m) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    m.lo = fminf(m.lo, __shfl_xor_sync(0xffffffffu, m.lo, o));
    m.hi = fmaxf(m.hi, __shfl_xor_sync(0xffffffffu, m.hi, o));
  }
  return m;
}

template <typename T>
__global__ void __launch_bounds__(kWarps * 32)
quantize_groups(const T* __restrict__ w, uint32_t* __restrict__ packed, __half* __restrict__ scales,
                uint8_t* __restrict__ zeros, int64_t num_groups) {
  __shared__ uint8_t stage_all[kWarps][kPerLane][32];

  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  uint8_t(*stage)[32] = stage_all[warp];

  const int64_t step = (int64_t)gridDim.x * kWarps;
  for (int64_t g = (int64_t)blockIdx.x * kWarps + warp; g < num_groups; g += step) {
    const T* src = w + g * kGroup;
    float v[kPerLane];
    MinMax mm{0.f, 0.f};  // zero has to be representable
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      v[i] = to_f<T>(src[i * 32 + lane]);
      mm.lo = fminf(mm.lo, v[i]);
      mm.hi = fmaxf(mm.hi, v[i]);
    }
    mm = warp_minmax(mm);

    const float scale = fmaxf((mm.hi - mm.lo) / 15.f, 1e-8f);
    const int zero = min(15, max(0, (int)rintf(-mm.lo / scale)));

#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      const int q = (int)rintf(v[i] / scale) + zero;
      stage[i][lane] = (uint8_t)min(15, max(0, q));
    }
    __syncwarp();

    // lane packs the 8 consecutive values 8*lane .. 8*lane+7
    const int row = lane / 4, col = (lane % 4) * 8;
    uint32_t word = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) word |= (uint32_t)stage[row][col + j] << (4 * interleave(j));
    packed[g * 32 + lane] = word;

    if (lane == 0) {
      scales[g] = __float2half(scale);
      zeros[g] = (uint8_t)zero;
    }
    __syncwarp();
  }
}

enum class WeightType { kHalf, kBf16 };

cudaError_t quantize(WeightType type, const void* w, int64_t rows, int64_t cols, uint32_t* packed,
                     __half* scales, uint8_t* zeros, cudaStream_t stream) {
  if (rows <= 0 || cols <= 0 || cols % kGroup != 0) return cudaErrorInvalidValue;
  const int64_t groups = rows * (cols / kGroup);
  int64_t grid = (groups + kWarps - 1) / kWarps;
  if (grid > 2048) grid = 2048;
  if (type == WeightType::kHalf) {
    quantize_groups<__half><<<(unsigned)grid, kWarps * 32, 0, stream>>>(
        static_cast<const __half*>(w), packed, scales, zeros, groups);
  } else {
    quantize_groups<__nv_bfloat16><<<(unsigned)grid, kWarps * 32, 0, stream>>>(
        static_cast<const __nv_bfloat16*>(w), packed, scales, zeros, groups);
  }
  return cudaGetLastError();
}

}  // namespace w4

std::vector<torch::Tensor> quantize_w4(torch::Tensor w) {
  TORCH_CHECK(w.is_cuda() && w.is_contiguous() && w.dim() == 2, "expected a contiguous CUDA matrix");
  const int64_t rows = w.size(0), cols = w.size(1);
  TORCH_CHECK(cols % w4::kGroup == 0, "columns must be a multiple of the group size");
  auto packed = torch::empty({rows, cols / 8}, w.options().dtype(torch::kInt));
  auto scales = torch::empty({rows, cols / w4::kGroup}, w.options().dtype(torch::kHalf));
  auto zeros = torch::empty({rows, cols / w4::kGroup}, w.options().dtype(torch::kUInt8));
  const auto type = w.scalar_type() == torch::kHalf ? w4::WeightType::kHalf : w4::WeightType::kBf16;
  const cudaError_t err = w4::quantize(
      type, w.data_ptr(), rows, cols, reinterpret_cast<uint32_t*>(packed.data_ptr<int>()),
      static_cast<__half*>(scales.data_ptr()), zeros.data_ptr<uint8_t>(), at::cuda::getCurrentCUDAStream());
  TORCH_CHECK(err == cudaSuccess, cudaGetErrorString(err));
  return {packed, scales, zeros};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("quantize_w4", &quantize_w4); }
