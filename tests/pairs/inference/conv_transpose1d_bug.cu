// Transposed 1-D convolution (vocoder upsampling), input-stationary accumulation in shared memory.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#define CDIV(a, b) (((a) + (b)-1) / (b))

namespace upsample {

constexpr int kThreads = 128;

struct ConvT1dParams {
  const __half *in;      // [batch, c_in, len_in]
  const __half *weight;  // [c_in, c_out, kernel]
  const float *bias;     // [c_out]
  __half *out;           // [batch, c_out, len_out]
  int c_in, c_out, len_in, len_out;
  int kernel, stride, pad;
};

struct ScatterAdd {
  float *base;
  int size;
  __device__ __forceinline__ void operator()(int pos, float v) const {
    if (pos >= 0 && pos < size) {
      base[pos] += v;
    }
  }
};

// one block: one (batch, c_out) row, tile of `tile` outputs
__global__ void __launch_bounds__(kThreads) conv_transpose1d(const ConvT1dParams p, int tile) {
  extern __shared__ float smem[];
  float *s_out = smem;
  float *s_w = smem + tile;

  const int co = blockIdx.y, b = blockIdx.z;
  const int out0 = blockIdx.x * tile;
  for (int i = threadIdx.x; i < tile; i += kThreads) s_out[i] = p.bias != nullptr ? p.bias[co] : 0.f;

  // inputs that touch [out0, out0 + tile): i * stride - pad + k
  const int lo = max(0, (out0 + p.pad - p.kernel + 1 + p.stride - 1) / p.stride);
  const int first = max(0, min(lo, (out0 + p.pad - p.kernel + 1) / p.stride));
  const int last = min(p.len_in - 1, (out0 + tile - 1 + p.pad) / p.stride);
  const ScatterAdd add{s_out, min(tile, p.len_out - out0)};

  for (int ci = 0; ci < p.c_in; ++ci) {
    __syncthreads();
    for (int k = threadIdx.x; k < p.kernel; k += kThreads)
      s_w[k] = __half2float(p.weight[(static_cast<int64_t>(ci) * p.c_out + co) * p.kernel + k]);
    __syncthreads();
    const __half *src = p.in + (static_cast<int64_t>(b) * p.c_in + ci) * p.len_in;
    for (int i = first + static_cast<int>(threadIdx.x); i <= last; i += kThreads) {
      const float x = __half2float(src[i]);
      const int pos0 = i * p.stride - p.pad - out0;
      for (int k = 0; k < p.kernel; ++k) add(pos0 + k, x * s_w[k]);
    }
  }
  __syncthreads();

  __half *dst = p.out + (static_cast<int64_t>(b) * p.c_out + co) * p.len_out;
  for (int i = threadIdx.x; i < tile && out0 + i < p.len_out; i += kThreads)
    dst[out0 + i] = __float2half(s_out[i]);
}

}  // namespace upsample

void conv_transpose1d_forward(const __half *in, const __half *weight, const float *bias, __half *out,
                              int batch, int c_in, int c_out, int len_in, int kernel, int stride, int pad,
                              cudaStream_t stream) {
  using namespace upsample;
  const int len_out = (len_in - 1) * stride - 2 * pad + kernel;
  if (len_out <= 0) return;
  const ConvT1dParams p{in, weight, bias, out, c_in, c_out, len_in, len_out, kernel, stride, pad};
  const int tile = std::min(1024, CDIV(len_out, 32) * 32);
  const dim3 grid(CDIV(len_out, tile), c_out, batch);
  conv_transpose1d<<<grid, kThreads, (tile + kernel) * sizeof(float), stream>>>(p, tile);
}
