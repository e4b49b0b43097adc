#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

// 8x8 DCT codec stage. A warp takes four horizontally adjacent blocks, each
// thread one row and then one column of its block.

namespace jpeg {

constexpr int kN = 8;
constexpr int kWarps = 4;

struct PlaneView {
  uint8_t* px;
  int width, height, pitch;
};

__constant__ float kQuant[kN * kN] = {
    16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,  14, 13, 16, 24, 40,  57,
    69, 56, 14, 17, 22,  29,  51,  87,  80, 62, 18, 22, 37,  56,  68,  109, 103, 77, 24, 35, 55,  64,
    81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};

enum class Direction { Forward, Inverse };

template <Direction D>
__device__ __forceinline__ void dct8(float (&v)[kN]) {
  float o[kN];
#pragma unroll
  for (int k = 0; k < kN; ++k) {
    float s = 0.f;
#pragma unroll
    for (int n = 0; n < kN; ++n) {
      const int freq = D == Direction::Forward ? k : n;
      const int pos = D == Direction::Forward ? n : k;
      const float scale = freq == 0 ? 0.35355339f : 0.5f;
      s += v[n] * scale * cospif((2 * pos + 1) * freq / 16.f);
    }
    o[k] = s;
  }
#pragma unroll
  for (int k = 0; k < kN; ++k) v[k] = o[k];
}

// One block per group of eight lanes, one pad word for each row.
struct BlockBuffer {
  float at[kN][kN + 1];
};

template <Direction D>
__device__ __forceinline__ void transform(BlockBuffer& b, float (&v)[kN], int t) {
  dct8<D>(v);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kN; ++i) b.at[t][i] = v[i];
#pragma unroll
  for (int i = 0; i < kN; ++i) v[i] = b.at[i][t];
  dct8<D>(v);
}

__global__ void __launch_bounds__(kWarps * 32) roundTrip(PlaneView p, int16_t* coeff, int blocksX, int blocksY) {
  __shared__ BlockBuffer buf[kWarps][32 / kN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int sub = lane / kN, t = lane % kN;
  const int first = (blockIdx.x * kWarps + warp) * (32 / kN);
  if (first >= blocksX * blocksY) return;

  const int id = min(first + sub, blocksX * blocksY - 1);
  const bool own = id == first + sub;
  const int bx = id % blocksX * kN, by = id / blocksX * kN;
  BlockBuffer& b = buf[warp][sub];

  float v[kN];
  uint8_t* row = p.px + size_t(by + t) * p.pitch + bx;
#pragma unroll
  for (int i = 0; i < kN; ++i) v[i] = float(row[i]) - 128.f;

  transform<Direction::Forward>(b, v, t);

  int16_t* c = coeff + size_t(id) * kN * kN;
#pragma unroll
  for (int i = 0; i < kN; ++i) {
    const float q = kQuant[i * kN + t];
    const float r = rintf(v[i] / q);
    if (own) c[i * kN + t] = int16_t(r);
    v[i] = r * q;
  }

  transform<Direction::Inverse>(b, v, t);

#pragma unroll
  for (int i = 0; i < kN; ++i) {
    const float x = fminf(fmaxf(v[i] + 128.f, 0.f), 255.f);
    if (own) row[i] = uint8_t(x + 0.5f);
  }
}

cudaError_t compressPlane(const PlaneView& p, int16_t* coeff, cudaStream_t s) {
  const int bx = p.width / kN, by = p.height / kN;
  const int perBlock = kWarps * 32 / kN;
  if (bx * by == 0) return cudaSuccess;
  roundTrip<<<(bx * by + perBlock - 1) / perBlock, kWarps * 32, 0, s>>>(p, coeff, bx, by);
  return cudaGetLastError();
}

}  // namespace jpeg

int main() {
  jpeg::PlaneView y{nullptr, 1928, 1080, 2048}, u{nullptr, 968, 544, 1024};
  int16_t* coeff;
  cudaMalloc(&y.px, size_t(y.pitch) * y.height);
  cudaMalloc(&u.px, size_t(u.pitch) * u.height);
  cudaMemset(y.px, 100, size_t(y.pitch) * y.height);
  cudaMemset(u.px, 128, size_t(u.pitch) * u.height);
  cudaMalloc(&coeff, sizeof(int16_t) * 1928 * 1080);
  if (jpeg::compressPlane(y, coeff, 0) != cudaSuccess) return 1;
  if (jpeg::compressPlane(u, coeff, 0) != cudaSuccess) return 1;
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
