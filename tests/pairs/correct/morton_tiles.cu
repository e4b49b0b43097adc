// Re-order an image into Z-order tiles and build a small mip pyramid per tile.
#include <cuda_runtime.h>
#include <cstdint>
#include <cassert>

namespace morton {

__host__ __device__ constexpr uint32_t spread(uint32_t v) {
  v = (v | (v << 4)) & 0x0f0f0f0fu;
  v = (v | (v << 2)) & 0x33333333u;
  v = (v | (v << 1)) & 0x55555555u;
  return v;
}
__host__ __device__ constexpr uint32_t encode(uint32_t x, uint32_t y) { return spread(x) | (spread(y) << 1); }
static_assert(encode(15, 15) == 255, "16x16 tile is dense");

template <int TILE> struct PyramidSize { static constexpr int value = TILE * TILE + PyramidSize<TILE / 2>::value; };
template <> struct PyramidSize<1> { static constexpr int value = 1; };

template <int TILE>
__global__ void zorder_pyramid(const uint8_t* __restrict__ img, int width, int height, int pitch, float* __restrict__ pyr) {
  __shared__ float z[PyramidSize<TILE>::value];
  const uint32_t code = encode(threadIdx.x, threadIdx.y);
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  z[code] = (x < width && y < height) ? img[y * pitch + x] * (1.f / 255.f) : 0.f;
  __syncthreads();

  // children of a node are four consecutive codes of the finer level
  float* fine = z;
  const uint32_t lin = threadIdx.y * TILE + threadIdx.x;
  for (int n = TILE * TILE; n > 1; n /= 4) {
    float* coarse = fine + n;
    if (lin < n / 4)
      coarse[lin] = 0.25f * (fine[4 * lin] + fine[4 * lin + 1] + fine[4 * lin + 2] + fine[4 * lin + 3]);
    fine = coarse;
    __syncthreads();
  }
  const size_t tile = size_t(blockIdx.y) * gridDim.x + blockIdx.x;
  for (int i = lin; i < PyramidSize<TILE>::value; i += TILE * TILE) pyr[tile * PyramidSize<TILE>::value + i] = z[i];
}

struct Image {
  const uint8_t* data;
  int width, height, pitch;
};

template <int TILE>
size_t required_floats(const Image& im) {
  return size_t((im.width + TILE - 1) / TILE) * ((im.height + TILE - 1) / TILE) * PyramidSize<TILE>::value;
}

template <int TILE>
void build(const Image& im, float* out, cudaStream_t s) {
  static_assert((TILE & (TILE - 1)) == 0 && TILE <= 32, "power of two");
  assert(im.pitch >= im.width);
  const dim3 block(TILE, TILE);
  const dim3 grid((im.width + block.x - 1) / block.x, (im.height + block.y - 1) / block.y);
  zorder_pyramid<TILE><<<grid, block, 0, s>>>(im.data, im.width, im.height, im.pitch, out);
}

}  // namespace morton

int main() {
  uint8_t* d;
  size_t pitch;
  if (cudaMallocPitch(&d, &pitch, 1000, 600) != cudaSuccess) return 1;
  cudaMemset2D(d, pitch, 17, 1000, 600);
  morton::Image im{d, 1000, 600, int(pitch)};
  float *a, *b;
  cudaMalloc(&a, sizeof(float) * morton::required_floats<16>(im));
  cudaMalloc(&b, sizeof(float) * morton::required_floats<8>(im));
  morton::build<16>(im, a, 0);
  morton::build<8>(im, b, 0);
  const int rc = cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  cudaFree(a); cudaFree(b); cudaFree(d);
  return rc;
}
