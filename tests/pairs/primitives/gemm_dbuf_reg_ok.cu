/*
 * Small batched GEMM used by the spectral element operator.
 * One block computes a TS x TS patch of one matrix of the batch.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define TS 32
#define TK 8
#define NTHR 256
#define IDX2(r, c, ld) ((size_t)(r) * (ld) + (c))

#define CHECK(x)                                                             \
  do {                                                                       \
    cudaError_t e_ = (x);                                                    \
    if (e_ != cudaSuccess) {                                                 \
      fprintf(stderr, "%s at line %d\n", cudaGetErrorString(e_), __LINE__);  \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

typedef struct {
  const double *a;
  const double *b;
  double *c;
  int n;
  int lda, ldb, ldc;
  long long stride_a, stride_b, stride_c;
} batch_gemm_t;

typedef struct {
  double a[2][TK][TS + 1];
  double b[2][TK][TS];
} stage_t;

static __device__ __forceinline__ double guarded(const double *m, int r, int c, int ld, int n) {
  return (r < n && c < n) ? m[IDX2(r, c, ld)] : 0.0;
}

static __device__ __forceinline__ void stage_store(stage_t *s, int buf, int tid, double ra, double rb) {
  s->a[buf][tid % TK][tid / TK] = ra;
  s->b[buf][tid / TS][tid % TS] = rb;
}

static __device__ __forceinline__ void stage_mul(const stage_t *s, int buf, int tr, int tc, double acc[4]) {
  int k;
#pragma unroll
  for (k = 0; k < TK; k++) {
    const double bv = s->b[buf][k][tc];
    acc[0] += s->a[buf][k][tr] * bv;
    acc[1] += s->a[buf][k][tr + 8] * bv;
    acc[2] += s->a[buf][k][tr + 16] * bv;
    acc[3] += s->a[buf][k][tr + 24] * bv;
  }
}

__global__ void __launch_bounds__(NTHR) batch_gemm_kernel(batch_gemm_t g) {
  __shared__ stage_t st;
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * TS, col0 = blockIdx.x * TS;
  const double *a = g.a + (long long)blockIdx.z * g.stride_a;
  const double *b = g.b + (long long)blockIdx.z * g.stride_b;
  double *c = g.c + (long long)blockIdx.z * g.stride_c;
  const int tr = tid / TS, tc = tid % TS;
  double acc[4] = {0.0, 0.0, 0.0, 0.0};
  double ra, rb;
  int buf = 0;
  int k0, i;

  ra = guarded(a, row0 + tid / TK, tid % TK, g.lda, g.n);
  rb = guarded(b, tid / TS, col0 + tid % TS, g.ldb, g.n);
  stage_store(&st, 0, tid, ra, rb);
  __syncthreads();

  for (k0 = 0; k0 < g.n; k0 += TK) {
    const int more = k0 + TK < g.n;
    if (more) {
      ra = guarded(a, row0 + tid / TK, k0 + TK + tid % TK, g.lda, g.n);
      rb = guarded(b, k0 + TK + tid / TS, col0 + tid % TS, g.ldb, g.n);
    }
    stage_mul(&st, buf, tr, tc, acc);
    if (more) {
      buf ^= 1;
      stage_store(&st, buf, tid, ra, rb);
      __syncthreads();
    }
  }

  for (i = 0; i < 4; i++) {
    const int r = row0 + tr + 8 * i;
    if (r < g.n && col0 + tc < g.n) c[IDX2(r, col0 + tc, g.ldc)] = acc[i];
  }
}

static void batch_gemm(const batch_gemm_t *g, int batch, cudaStream_t stream) {
  const int tiles = (g->n + TS - 1) / TS;
  dim3 grid(tiles, tiles, batch);
  batch_gemm_kernel<<<grid, NTHR, 0, stream>>>(*g);
  CHECK(cudaGetLastError());
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 45;
  const int batch = 300;
  const size_t bytes = sizeof(double) * (size_t)n * n * batch;
  batch_gemm_t g;
  double *a, *b;
  CHECK(cudaMalloc((void **)&a, bytes));
  CHECK(cudaMalloc((void **)&b, bytes));
  CHECK(cudaMalloc((void **)&g.c, bytes));
  CHECK(cudaMemset(a, 0, bytes));
  CHECK(cudaMemset(b, 0, bytes));
  g.a = a;
  g.b = b;
  g.n = g.lda = g.ldb = g.ldc = n;
  g.stride_a = g.stride_b = g.stride_c = (long long)n * n;
  batch_gemm(&g, batch, 0);
  CHECK(cudaDeviceSynchronize());
  puts("done");
  return 0;
}
