/*
 * psnr.cu - picture quality metrics for the encoder regression suite
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char uchar;

#define MAX_BLOCKS 64

typedef struct frame_s {
  uchar *y;
  int    width;
  int    height;
  int    stride;
} frame_t;

/* finish a block sum, only the first warp gets here */
template <unsigned int blockSize>
__device__ void warpReduce(volatile unsigned int *sdata, unsigned int tid) {
  unsigned int v = sdata[tid];
  if (blockSize >= 64) { v += sdata[tid + 32]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 32) { v += sdata[tid + 16]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 16) { v += sdata[tid + 8]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 8) { v += sdata[tid + 4]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 4) { v += sdata[tid + 2]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (blockSize >= 2) { v += sdata[tid + 1]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
}

static __device__ __forceinline__ unsigned int sq(int d) { return (unsigned int)(d * d); }

template <unsigned int blockSize>
__global__ void sse_kernel(const uchar *a, const uchar *b, int width, int height, int stride, unsigned int *partial) {
  extern __shared__ unsigned int sdata[];
  const unsigned int tid = threadIdx.x;
  unsigned int sum = 0;

  for (int row = blockIdx.x; row < height; row += gridDim.x) {
    const uchar *pa = a + row * stride, *pb = b + row * stride;
    for (int x = tid; x < width; x += blockSize) sum += sq((int)pa[x] - (int)pb[x]);
  }
  sdata[tid] = sum;
  __syncthreads();

  if (blockSize >= 512) { if (tid < 256) sdata[tid] += sdata[tid + 256]; __syncthreads(); }
  if (blockSize >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) sdata[tid] += sdata[tid + 64]; __syncthreads(); }

  if (tid < 32) warpReduce<blockSize>(sdata, tid);
  if (tid == 0) partial[blockIdx.x] = sdata[0];
}

static int launch_sse(const frame_t *a, const frame_t *b, unsigned int *partial, int threads, cudaStream_t st) {
  const int blocks = a->height < MAX_BLOCKS ? a->height : MAX_BLOCKS;
  const size_t smem = sizeof(unsigned int) * threads;
  switch (threads) {
    case 512: sse_kernel<512><<<blocks, 512, smem, st>>>(a->y, b->y, a->width, a->height, a->stride, partial); break;
    case 256: sse_kernel<256><<<blocks, 256, smem, st>>>(a->y, b->y, a->width, a->height, a->stride, partial); break;
    case 128: sse_kernel<128><<<blocks, 128, smem, st>>>(a->y, b->y, a->width, a->height, a->stride, partial); break;
    case 64: sse_kernel<64><<<blocks, 64, smem, st>>>(a->y, b->y, a->width, a->height, a->stride, partial); break;
    default: return -1;
  }
  return blocks;
}

static double psnr(const frame_t *a, const frame_t *b, unsigned int *d_partial) {
  unsigned int h[MAX_BLOCKS];
  int threads = 64, blocks, i;
  double sse = 0.0;
  while (threads < 512 && threads * 4 < a->width) threads *= 2;
  blocks = launch_sse(a, b, d_partial, threads, 0);
  if (blocks < 0) return -1.0;
  if (cudaMemcpy(h, d_partial, sizeof(unsigned int) * blocks, cudaMemcpyDeviceToHost) != cudaSuccess) return -1.0;
  for (i = 0; i < blocks; i++) sse += h[i];
  if (sse == 0.0) return 99.0;
  return 10.0 * log10(255.0 * 255.0 * a->width * a->height / sse);
}

static frame_t frame_alloc(int w, int h, int seed) {
  frame_t f;
  size_t i, n;
  uchar *host;
  f.width = w;
  f.height = h;
  f.stride = (w + 63) & ~63;
  n = (size_t)f.stride * h;
  host = (uchar *)malloc(n);
  for (i = 0; i < n; i++) host[i] = (uchar)((i * 13 + (i % 17) * seed) & 0xff);
  cudaMalloc((void **)&f.y, n);
  cudaMemcpy(f.y, host, n, cudaMemcpyHostToDevice);
  free(host);
  return f;
}

int main(void) {
  const int sizes[3][2] = {{176, 144}, {720, 576}, {1920, 1080}};
  unsigned int *d_partial;
  int i;
  cudaMalloc((void **)&d_partial, sizeof(unsigned int) * MAX_BLOCKS);
  for (i = 0; i < 3; i++) {
    frame_t a = frame_alloc(sizes[i][0], sizes[i][1], 1);
    frame_t b = frame_alloc(sizes[i][0], sizes[i][1], 2);
    printf("%dx%d %.3f dB\n", a.width, a.height, psnr(&a, &b, d_partial));
    cudaFree(a.y);
    cudaFree(b.y);
  }
  return 0;
}
