// Histogram equalisation of 8-bit gray images.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK(x)                                                                      \
  do {                                                                                \
    cudaError_t e_ = (x);                                                             \
    if (e_ != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));      \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

typedef unsigned char uchar;
static const int BINS = 256;
static const int THREADS = 256;
static const int WARPS = THREADS / 32;

typedef unsigned int WarpHist[BINS];

__device__ void clear_bins(WarpHist *h) {
  unsigned int *flat = &h[0][0];
  for (int i = threadIdx.x; i < WARPS * BINS; i += blockDim.x) flat[i] = 0;
}

__device__ __forceinline__ void count4(unsigned int *bins, uchar4 p) {
  atomicAdd(&bins[p.x], 1u);
  atomicAdd(&bins[p.y], 1u);
  atomicAdd(&bins[p.z], 1u);
  atomicAdd(&bins[p.w], 1u);
}

__device__ void merge_bins(const WarpHist *h, unsigned int *out) {
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    unsigned int s = 0;
    for (int w = 0; w < WARPS; ++w) s += h[w][b];
    if (s) atomicAdd(&out[b], s);
  }
}

__global__ void histogram_kernel(const uchar *img, size_t n, unsigned int *hist) {
  __shared__ WarpHist sh[WARPS];
  clear_bins(sh);

  unsigned int *mine = sh[threadIdx.x / 32];
  const size_t n4 = n / 4;
  const uchar4 *img4 = reinterpret_cast<const uchar4 *>(img);
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride)
    count4(mine, img4[i]);

  // the 0..3 pixels at the end
  if (blockIdx.x == 0 && threadIdx.x < n % 4) atomicAdd(&mine[img[n4 * 4 + threadIdx.x]], 1u);

  __syncthreads();
  merge_bins(sh, hist);
}

// One block of BINS threads: inclusive scan and lookup table.
__global__ void lut_kernel(const unsigned int *hist, uchar *lut, unsigned int total) {
  __shared__ unsigned int buf[2][BINS];
  __shared__ unsigned int first;
  const int t = threadIdx.x;
  int src = 0;
  buf[0][t] = hist[t];
  if (t == 0) first = 0;
  __syncthreads();
  for (int d = 1; d < BINS; d <<= 1) {
    buf[src ^ 1][t] = buf[src][t] + (t >= d ? buf[src][t - d] : 0u);
    src ^= 1;
    __syncthreads();
  }
  const unsigned int cdf = buf[src][t];
  const unsigned int prev = t ? buf[src][t - 1] : 0u;
  // exactly one bin takes the running count from zero to something
  if (prev == 0 && cdf != 0) first = cdf;
  __syncthreads();
  const unsigned int lo = first;
  const float scale = total > lo ? 255.0f / (float)(total - lo) : 0.0f;
  lut[t] = cdf <= lo ? 0 : (uchar)(scale * (float)(cdf - lo) + 0.5f);
}

__global__ void apply_kernel(const uchar *in, uchar *out, size_t n, const uchar *lut) {
  __shared__ uchar s[BINS];
  if (threadIdx.x < BINS) s[threadIdx.x] = lut[threadIdx.x];
  __syncthreads();
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = s[in[i]];
}

void equalize(const uchar *d_in, uchar *d_out, int width, int height, cudaStream_t stream) {
  const size_t n = (size_t)width * height;
  if (n == 0) return;
  unsigned int *d_hist;
  uchar *d_lut;
  CHECK(cudaMallocAsync(&d_hist, BINS * sizeof(unsigned int), stream));
  CHECK(cudaMallocAsync(&d_lut, BINS, stream));
  CHECK(cudaMemsetAsync(d_hist, 0, BINS * sizeof(unsigned int), stream));
  size_t blocks = (n / 4 + THREADS - 1) / THREADS;
  if (blocks < 1) blocks = 1;
  if (blocks > 640) blocks = 640;
  histogram_kernel<<<(int)blocks, THREADS, 0, stream>>>(d_in, n, d_hist);
  lut_kernel<<<1, BINS, 0, stream>>>(d_hist, d_lut, (unsigned int)n);
  apply_kernel<<<(int)blocks, THREADS, 0, stream>>>(d_in, d_out, n, d_lut);
  CHECK(cudaGetLastError());
  CHECK(cudaFreeAsync(d_hist, stream));
  CHECK(cudaFreeAsync(d_lut, stream));
}
