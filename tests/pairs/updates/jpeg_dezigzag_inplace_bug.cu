// Dequantisation + de-zigzag + 8x8 inverse DCT, four blocks per thread block.
#include <cuda_runtime.h>

__constant__ unsigned char kZigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

__constant__ float kCos[8][8];

constexpr int kBlocksPerCta = 4;

__global__ void idct_blocks(const short* __restrict__ coeff, const unsigned short* __restrict__ quant, int nblocks,
                            int blocks_x, unsigned char* __restrict__ out, int pitch) {
  __shared__ float tile[kBlocksPerCta][64];
  __shared__ float tmp[kBlocksPerCta][64];
  const int i = threadIdx.x;      // 0..63
  const int lb = threadIdx.y;
  const int b = blockIdx.x * kBlocksPerCta + lb;
  const bool live = b < nblocks;

  tile[lb][i] = live ? float(coeff[b * 64 + i]) * quant[i] : 0.f;
  __syncthreads();
  tile[lb][kZigzag[i]] = tile[lb][i];
  __syncthreads();

  const int r = i / 8, q = i % 8;
  float s = 0.f;
  for (int k = 0; k < 8; ++k) s += kCos[k][q] * tile[lb][r * 8 + k];
  tmp[lb][i] = s;
  __syncthreads();
  s = 0.f;
  for (int k = 0; k < 8; ++k) s += kCos[k][r] * tmp[lb][k * 8 + q];
  if (live) {
    const int bx = b % blocks_x, by = b / blocks_x;
    const float v = fminf(255.f, fmaxf(0.f, s + 128.f));
    out[(by * 8 + r) * pitch + bx * 8 + q] = static_cast<unsigned char>(v + 0.5f);
  }
}

static void upload_cosines() {
  float h[8][8];
  for (int k = 0; k < 8; ++k)
    for (int x = 0; x < 8; ++x)
      h[k][x] = (k == 0 ? 0.35355339f : 0.5f) * cosf((2 * x + 1) * k * 3.14159265f / 16.f);
  cudaMemcpyToSymbol(kCos, h, sizeof(h));
}

void decode_plane(const short* d_coeff, const unsigned short* d_quant, int width, int height, unsigned char* d_out,
                  int pitch, cudaStream_t s) {
  static bool ready = false;
  if (!ready) {
    upload_cosines();
    ready = true;
  }
  const int bx = width / 8, by = height / 8;
  const int n = bx * by;
  idct_blocks<<<(n + kBlocksPerCta - 1) / kBlocksPerCta, dim3(64, kBlocksPerCta), 0, s>>>(d_coeff, d_quant, n, bx,
                                                                                        d_out, pitch);
}
