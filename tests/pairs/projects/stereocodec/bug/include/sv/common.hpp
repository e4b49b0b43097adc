#pragma once
#include <cuda_runtime.h>
#include <opencv2/core/cuda.hpp>
#include <opencv2/core/cuda_types.hpp>
#include <opencv2/core/cuda_stream_accessor.hpp>

namespace sv {

using cv::cuda::PtrStepSz;
using cv::cuda::PtrStep;

#define SV_SAFE_CALL(expr)                                                     \
  do {                                                                         \
    const cudaError_t sv_e = (expr);                                           \
    if (sv_e != cudaSuccess) CV_Error(cv::Error::GpuApiCallError, cudaGetErrorString(sv_e)); \
  } while (0)

inline int div_up(int a, int b) { return (a + b - 1) / b; }
inline cudaStream_t raw(cv::cuda::Stream& s) { return cv::cuda::StreamAccessor::getStream(s); }

void box_blur(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, int radius, cv::cuda::Stream& s);
void tone_map(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, const float* lut, cv::cuda::Stream& s);
void sgm_horizontal(const uint8_t* cost, uint16_t* agg, int width, int height, int ndisp, int p1, int p2, cv::cuda::Stream& s);
void motion_search(const cv::cuda::GpuMat& cur, const cv::cuda::GpuMat& ref, short2* mv, cv::cuda::Stream& s);
void band_energy(const cv::cuda::GpuMat& a, const cv::cuda::GpuMat& b, int band_rows, unsigned long long* out, cv::cuda::Stream& s);
void dct_quant(const cv::cuda::GpuMat& src, int16_t* coef, const float* qtab, cv::cuda::Stream& s);
void symbol_model(const uint8_t* sym, int n, int chunk, unsigned* cum, cv::cuda::Stream& s);

}  // namespace sv
