#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Green's theorem moments of polygon contours, used for blob filtering. */

typedef struct { float x, y; } pt_t;

typedef struct {
  int first;
  int count;
} contour_t;

typedef struct {
  double m00, m10, m01;
} moments_t;

#define THREADS 128
#define FULL    0xffffffffu

static __device__ __forceinline__ double warp_sum(double v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(FULL, v, d);
  return v;
}

static __device__ __forceinline__ void warp_add(double *dst, double v) {
  v = warp_sum(v);
  if ((threadIdx.x & 31) == 0) atomicAdd(dst, v);
}

static __device__ __forceinline__ moments_t edge_moments(pt_t a, pt_t b) {
  const double cross = (double)a.x * b.y - (double)b.x * a.y;
  moments_t m;
  m.m00 = 0.5 * cross;
  m.m10 = cross * (a.x + b.x) / 6.0;
  m.m01 = cross * (a.y + b.y) / 6.0;
  return m;
}

/* blockIdx.y selects the contour */
__global__ void contour_moments(const pt_t *pts, const contour_t *contours, moments_t *out) {
  const contour_t c = contours[blockIdx.y];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c.count) return;

  const pt_t a = pts[c.first + i];
  const pt_t b = pts[c.first + (i + 1 == c.count ? 0 : i + 1)];
  const moments_t m = edge_moments(a, b);

  warp_add(&out[blockIdx.y].m00, m.m00);
  warp_add(&out[blockIdx.y].m10, m.m10);
  warp_add(&out[blockIdx.y].m01, m.m01);
}

__global__ void keep_blobs(const moments_t *m, int n, double min_area, int *keep) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) keep[i] = fabs(m[i].m00) >= min_area;
}

static int blob_filter(const pt_t *pts, const contour_t *contours, int n, int longest, double min_area,
                       moments_t *work, int *keep, cudaStream_t s) {
  if (n == 0) return 0;
  cudaMemsetAsync(work, 0, sizeof(moments_t) * n, s);
  dim3 grid((longest + THREADS - 1) / THREADS, n);
  contour_moments<<<grid, THREADS, 0, s>>>(pts, contours, work);
  keep_blobs<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(work, n, min_area, keep);
  return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

int main(void) {
  enum { N = 200 };
  contour_t h_c[N];
  int total = 0, longest = 0;
  for (int i = 0; i < N; ++i) {
    h_c[i].first = total;
    h_c[i].count = 20 + (i * 37) % 900;
    total += h_c[i].count;
    if (h_c[i].count > longest) longest = h_c[i].count;
  }
  pt_t *h_p = (pt_t *)malloc(sizeof(pt_t) * total), *pts;
  for (int i = 0; i < total; ++i) {
    h_p[i].x = (float)((i * 13) % 640);
    h_p[i].y = (float)((i * 29) % 480);
  }
  contour_t *c;
  moments_t *m;
  int *keep;
  cudaMalloc((void **)&pts, sizeof(pt_t) * total);
  cudaMalloc((void **)&c, sizeof h_c);
  cudaMalloc((void **)&m, sizeof(moments_t) * N);
  cudaMalloc((void **)&keep, sizeof(int) * N);
  cudaMemcpy(pts, h_p, sizeof(pt_t) * total, cudaMemcpyHostToDevice);
  cudaMemcpy(c, h_c, sizeof h_c, cudaMemcpyHostToDevice);
  const int rc = blob_filter(pts, c, N, longest, 50.0, m, keep, 0);
  printf("%d %s\n", rc, cudaGetErrorString(cudaDeviceSynchronize()));
  free(h_p);
  return rc != 0;
}
