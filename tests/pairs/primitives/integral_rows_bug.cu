#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/* Integral images (sum and squared sum) for the cascade detector. */

#define BLOCK 256
#define NWARP (BLOCK / 32)

typedef struct {
  uint32_t sum;
  unsigned long long sq;
} pair_t;

static __device__ __forceinline__ pair_t pair_add(pair_t a, pair_t b) {
  a.sum += b.sum;
  a.sq += b.sq;
  return a;
}

static __device__ __forceinline__ pair_t warp_scan(pair_t v, int lane) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    pair_t o;
    o.sum = __shfl_up_sync(0xffffffffu, v.sum, d);
    o.sq = __shfl_up_sync(0xffffffffu, v.sq, d);
    if (lane >= d) v = pair_add(v, o);
  }
  return v;
}

typedef struct {
  pair_t part[NWARP];
  pair_t carry;
} row_shared_t;

/* inclusive scan of one chunk, without the carry */
static __device__ pair_t chunk_scan(row_shared_t *sh, pair_t v) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_scan(v, lane);
  if (lane == 31) sh->part[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; w++) v = pair_add(v, sh->part[w]);
  return v;
}

__global__ void __launch_bounds__(BLOCK)
    integral_rows(const uint8_t *img, int width, size_t pitch, uint32_t *sum, unsigned long long *sq) {
  __shared__ row_shared_t sh;
  const int y = blockIdx.x;
  const uint8_t *row = img + y * pitch;
  if (threadIdx.x == 0) {
    sh.carry.sum = 0;
    sh.carry.sq = 0;
  }
  __syncthreads();

  for (int x0 = 0; x0 < width; x0 += BLOCK) {
    const int x = x0 + threadIdx.x;
    pair_t v;
    v.sum = x < width ? row[x] : 0;
    v.sq = (unsigned long long)v.sum * v.sum;
    v = chunk_scan(&sh, v);
    const pair_t r = pair_add(v, sh.carry);
    if (x < width) {
      sum[(size_t)y * width + x] = r.sum;
      sq[(size_t)y * width + x] = r.sq;
    }
    if (threadIdx.x == BLOCK - 1) sh.carry = r;
    __syncthreads();
  }
}

__global__ void integral_cols(uint32_t *sum, unsigned long long *sq, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  uint32_t s = 0;
  unsigned long long q = 0;
  for (int y = 0; y < height; y++) {
    const size_t i = (size_t)y * width + x;
    sum[i] = s += sum[i];
    sq[i] = q += sq[i];
  }
}

__global__ void window_variance(const uint32_t *sum, const unsigned long long *sq, int width, int height, int side,
                                float *var) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + side >= width || y + side >= height) return;
  const size_t a = (size_t)y * width + x, b = a + side, c = a + (size_t)side * width, d = c + side;
  const float n = (float)side * side;
  const float mean = (float)(sum[d] - sum[b] - sum[c] + sum[a]) / n;
  const float mean2 = (float)(sq[d] - sq[b] - sq[c] + sq[a]) / n;
  var[a] = mean2 - mean * mean;
}

static int process(const uint8_t *img, int w, int h, uint32_t *sum, unsigned long long *sq, float *var,
                   cudaStream_t s) {
  integral_rows<<<h, BLOCK, 0, s>>>(img, w, w, sum, sq);
  integral_cols<<<(w + 127) / 128, 128, 0, s>>>(sum, sq, w, h);
  dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
  window_variance<<<grid, block, 0, s>>>(sum, sq, w, h, 24, var);
  return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

int main(void) {
  const int w = 1280, h = 720;
  std::vector<uint8_t> img((size_t)w * h);
  for (size_t i = 0; i < img.size(); i++) img[i] = (uint8_t)(i * 31 + i / w);
  uint8_t *d;
  uint32_t *sum;
  unsigned long long *sq;
  float *var;
  cudaMalloc(&d, img.size());
  cudaMalloc(&sum, img.size() * sizeof(uint32_t));
  cudaMalloc(&sq, img.size() * sizeof(unsigned long long));
  cudaMalloc(&var, img.size() * sizeof(float));
  cudaMemcpy(d, img.data(), img.size(), cudaMemcpyHostToDevice);
  if (process(d, w, h, sum, sq, var, 0)) return 1;
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
