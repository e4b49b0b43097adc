// Separable convolution with coefficients in constant memory and a launch table per radius.
#include <cuda_runtime.h>
#include <cmath>
#include <iterator>

constexpr int kMaxRadius = 8;
__constant__ float c_kernel[2 * kMaxRadius + 1];

struct Plane { int w, h, stride; };

template <int R, int BX, int BY, int STEPS>
__global__ void conv_rows(const float* __restrict__ in, float* __restrict__ out, Plane p) {
  __shared__ float s[BY][(STEPS + 2) * BX];
  static_assert(R <= BX, "");
  const int x0 = (blockIdx.x * STEPS - 1) * BX + threadIdx.x;
  const int y = blockIdx.y * BY + threadIdx.y;
  const bool row_ok = y < p.h;
#pragma unroll
  for (int i = 0; i < STEPS + 2; ++i) {
    const int x = x0 + i * BX;
    s[threadIdx.y][i * BX + threadIdx.x] = row_ok && x >= 0 && x < p.w ? in[y * p.stride + x] : 0.f;
  }
  __syncthreads();
#pragma unroll
  for (int i = 1; i <= STEPS; ++i) {
    float acc = 0.f;
#pragma unroll
    for (int j = -R; j <= R; ++j) acc += c_kernel[j + R] * s[threadIdx.y][i * BX + threadIdx.x + j];
    const int x = x0 + i * BX;
    if (row_ok && x < p.w) out[y * p.stride + x] = acc;
  }
}

template <int R, int BX, int BY, int STEPS>
__global__ void conv_cols(const float* __restrict__ in, float* __restrict__ out, Plane p) {
  __shared__ float s[BX][(STEPS + 2) * BY + 1];
  static_assert(R <= BY, "");
  const int x = blockIdx.x * BX + threadIdx.x;
  const int y0 = (blockIdx.y * STEPS - 1) * BY + threadIdx.y;
#pragma unroll
  for (int i = 0; i < STEPS + 2; ++i) {
    const int y = y0 + i * BY;
    s[threadIdx.x][i * BY + threadIdx.y] = x < p.w && y >= 0 && y < p.h ? in[y * p.stride + x] : 0.f;
  }
  __syncthreads();
#pragma unroll
  for (int i = 1; i <= STEPS; ++i) {
    float acc = 0.f;
#pragma unroll
    for (int j = -R; j <= R; ++j) acc += c_kernel[j + R] * s[threadIdx.x][i * BY + threadIdx.y + j];
    const int y = y0 + i * BY;
    if (x < p.w && y < p.h) out[y * p.stride + x] = acc;
  }
}

using ConvFn = void (*)(const float*, float*, float*, Plane, cudaStream_t);

template <int R>
void convolve(const float* in, float* tmp, float* out, Plane p, cudaStream_t s) {
  constexpr int RX = 16, RY = 4, RS = 8, CX = 16, CY = 8, CS = 8;
  conv_rows<R, RX, RY, RS><<<dim3((p.w + RX * RS - 1) / (RX * RS), (p.h + RY - 1) / RY), dim3(RX, RY), 0, s>>>(in, tmp, p);
  conv_cols<R, CX, CY, CS><<<dim3((p.w + CX - 1) / CX, (p.h + CY * CS - 1) / (CY * CS)), dim3(CX, CY), 0, s>>>(tmp, out, p);
}

static constexpr ConvFn kTable[] = {convolve<1>, convolve<2>, convolve<3>, convolve<4>, convolve<5>, convolve<6>, convolve<7>, convolve<8>};

bool gaussian(const float* in, float* tmp, float* out, Plane p, float sigma, cudaStream_t s) {
  if (p.w <= 0 || p.h <= 0 || p.stride < p.w || sigma <= 0.f || tmp == in || tmp == out) return false;
  const float want = std::ceil(3.f * sigma);
  const int r = want < 1.f ? 1 : want > kMaxRadius ? kMaxRadius : int(want);
  float k[2 * kMaxRadius + 1], sum = 0.f;
  for (int i = -r; i <= r; ++i) sum += k[i + r] = std::exp(-0.5f * i * i / (sigma * sigma));
  for (int i = 0; i <= 2 * r; ++i) k[i] /= sum;
  cudaStreamSynchronize(s);
  cudaMemcpyToSymbolAsync(c_kernel, k, sizeof(float) * (2 * r + 1), 0, cudaMemcpyHostToDevice, s);
  static_assert(std::size(kTable) == kMaxRadius, "");
  kTable[r - 1](in, tmp, out, p, s);
  return cudaStreamSynchronize(s) == cudaSuccess;
}
