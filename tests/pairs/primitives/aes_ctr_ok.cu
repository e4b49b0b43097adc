#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AES-128 counter mode, T-table version. The four rotated tables are derived
 * from one; it is replicated in shared memory to cut bank conflicts. */

#define THREADS 256
#define COPIES  8
#define ROUNDS  10

#define HANDLE(call)                                                              \
  do {                                                                            \
    cudaError_t rc_ = (call);                                                     \
    if (rc_ != cudaSuccess) {                                                     \
      fprintf(stderr, "cuda: %s (%s:%d)\n", cudaGetErrorString(rc_), __FILE__, __LINE__); \
      return -1;                                                                  \
    }                                                                             \
  } while (0)

typedef struct {
  uint32_t rk[4 * (ROUNDS + 1)];
} aes_key_t;

__constant__ aes_key_t c_key;

typedef struct {
  uint32_t te[256][COPIES];
} aes_tables_t;

__device__ __forceinline__ uint32_t lut(const aes_tables_t *t, uint32_t x, int byte, int copy) {
  return t->te[(x >> (8 * byte)) & 0xff][copy];
}

__device__ __forceinline__ uint32_t rol(uint32_t v, int n) { return __funnelshift_l(v, v, n); }

__device__ __forceinline__ void tables_load(aes_tables_t *t, const uint32_t *te0) {
  const uint32_t v = te0[threadIdx.x];
#pragma unroll
  for (int c = 0; c < COPIES; ++c) t->te[threadIdx.x][c] = v;
  __syncthreads();
}

__device__ uint4 aes_encrypt(const aes_tables_t *t, uint4 in) {
  const int copy = threadIdx.x % COPIES;
  uint32_t s0 = in.x ^ c_key.rk[0], s1 = in.y ^ c_key.rk[1];
  uint32_t s2 = in.z ^ c_key.rk[2], s3 = in.w ^ c_key.rk[3];
#pragma unroll
  for (int r = 1; r < ROUNDS; ++r) {
    const uint32_t *k = c_key.rk + 4 * r;
    const uint32_t t0 = lut(t, s0, 3, copy) ^ rol(lut(t, s1, 2, copy), 24) ^ rol(lut(t, s2, 1, copy), 16) ^
                        rol(lut(t, s3, 0, copy), 8) ^ k[0];
    const uint32_t t1 = lut(t, s1, 3, copy) ^ rol(lut(t, s2, 2, copy), 24) ^ rol(lut(t, s3, 1, copy), 16) ^
                        rol(lut(t, s0, 0, copy), 8) ^ k[1];
    const uint32_t t2 = lut(t, s2, 3, copy) ^ rol(lut(t, s3, 2, copy), 24) ^ rol(lut(t, s0, 1, copy), 16) ^
                        rol(lut(t, s1, 0, copy), 8) ^ k[2];
    const uint32_t t3 = lut(t, s3, 3, copy) ^ rol(lut(t, s0, 2, copy), 24) ^ rol(lut(t, s1, 1, copy), 16) ^
                        rol(lut(t, s2, 0, copy), 8) ^ k[3];
    s0 = t0, s1 = t1, s2 = t2, s3 = t3;
  }
  const uint32_t *k = c_key.rk + 4 * ROUNDS;
  uint4 o;
  o.x = (lut(t, s0, 3, copy) & 0xff00ff00u) ^ (lut(t, s1, 2, copy) & 0x00ff00ffu) ^ k[0];
  o.y = (lut(t, s1, 3, copy) & 0xff00ff00u) ^ (lut(t, s2, 2, copy) & 0x00ff00ffu) ^ k[1];
  o.z = (lut(t, s2, 3, copy) & 0xff00ff00u) ^ (lut(t, s3, 2, copy) & 0x00ff00ffu) ^ k[2];
  o.w = (lut(t, s3, 3, copy) & 0xff00ff00u) ^ (lut(t, s0, 2, copy) & 0x00ff00ffu) ^ k[3];
  return o;
}

__global__ void __launch_bounds__(THREADS)
    aes_ctr_kernel(const uint4 *in, uint4 *out, size_t blocks, uint4 nonce, const uint32_t *te0) {
  __shared__ aes_tables_t tables;
  const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
  tables_load(&tables, te0);
  if (i >= blocks) return;

  uint4 ctr = nonce;
  ctr.w += (uint32_t)i;
  ctr.z += (uint32_t)(i >> 32);
  const uint4 ks = aes_encrypt(&tables, ctr);
  const uint4 p = in[i];
  out[i] = make_uint4(p.x ^ ks.x, p.y ^ ks.y, p.z ^ ks.z, p.w ^ ks.w);
}

static int aes_ctr(const uint4 *in, uint4 *out, size_t bytes, uint4 nonce, const uint32_t *te0, cudaStream_t s) {
  const size_t blocks = (bytes + 15) / 16;
  const unsigned grid = (unsigned)((blocks + THREADS - 1) / THREADS);
  if (grid == 0) return 0;
  aes_ctr_kernel<<<grid, THREADS, 0, s>>>(in, out, blocks, nonce, te0);
  HANDLE(cudaGetLastError());
  return 0;
}

int main(void) {
  const size_t bytes = 10 * 1000 * 1000;
  uint4 *a;
  uint32_t *te;
  aes_key_t key;
  memset(&key, 0x5a, sizeof key);
  uint32_t h_te[256];
  for (uint32_t i = 0; i < 256; ++i) h_te[i] = i * 0x01010101u ^ 0x63c7a5u;
  HANDLE(cudaMalloc((void **)&a, bytes + 16));
  HANDLE(cudaMalloc((void **)&te, sizeof h_te));
  HANDLE(cudaMemset(a, 0, bytes + 16));
  HANDLE(cudaMemcpyToSymbol(c_key, &key, sizeof key));
  HANDLE(cudaMemcpy(te, h_te, sizeof h_te, cudaMemcpyHostToDevice));
  if (aes_ctr(a, a, bytes, make_uint4(1, 2, 3, 0), te, 0)) return 1;
  HANDLE(cudaDeviceSynchronize());
  return 0;
}
