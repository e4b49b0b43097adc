#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Bucketed hash join. Buckets are guarded by one spin lock each. */

#define BUCKET_SLOTS 14
#define EMPTY        0xffffffffu

typedef struct {
  int      lock;
  int      used;
  uint32_t key[BUCKET_SLOTS];
  uint32_t row[BUCKET_SLOTS];
} bucket_t;

typedef struct {
  bucket_t *buckets;
  uint32_t  mask;
  int      *overflow;
} table_t;

typedef struct {
  const uint32_t *key;
  int             rows;
} relation_t;

#define GPU(x)                                                                          \
  do {                                                                                  \
    const cudaError_t rc = (x);                                                         \
    if (rc != cudaSuccess) {                                                            \
      fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(rc));                   \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

__device__ __forceinline__ uint32_t hash32(uint32_t k) {
  k ^= k >> 16;
  k *= 0x85ebca6bu;
  k ^= k >> 13;
  k *= 0xc2b2ae35u;
  return k ^ (k >> 16);
}

__device__ __forceinline__ bool bucket_try_lock(bucket_t *b) {
  if (atomicCAS(&b->lock, 0, 1) != 0) return false;
  __threadfence();
  return true;
}

__device__ __forceinline__ void bucket_unlock(bucket_t *b) {
  atomicExch(&b->lock, 0);
}

/* caller holds the lock */
__device__ bool bucket_put(bucket_t *b, uint32_t key, uint32_t row) {
  volatile bucket_t *v = b;
  const int n = v->used;
  if (n == BUCKET_SLOTS) return false;
  v->key[n] = key;
  v->row[n] = row;
  v->used = n + 1;
  return true;
}

__device__ void table_insert(const table_t t, uint32_t key, uint32_t row) {
  bucket_t *b = t.buckets + (hash32(key) & t.mask);
  bool pending = true;
  while (pending) {
    if (bucket_try_lock(b)) {
      if (!bucket_put(b, key, row)) atomicAdd(t.overflow, 1);
      bucket_unlock(b);
      pending = false;
    }
  }
}

__global__ void build_kernel(table_t t, relation_t r) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < r.rows; i += step) table_insert(t, r.key[i], (uint32_t)i);
}

__global__ void probe_kernel(table_t t, relation_t r, uint2 *out, int capacity, int *matches) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < r.rows; i += step) {
    const bucket_t *b = t.buckets + (hash32(r.key[i]) & t.mask);
    for (int s = 0; s < b->used; ++s) {
      if (b->key[s] != r.key[i]) continue;
      const int at = atomicAdd(matches, 1);
      if (at < capacity) out[at] = make_uint2(b->row[s], (uint32_t)i);
    }
  }
}

static table_t table_create(int log2_buckets) {
  table_t t;
  const size_t n = (size_t)1 << log2_buckets;
  GPU(cudaMalloc((void **)&t.buckets, n * sizeof(bucket_t)));
  GPU(cudaMemset(t.buckets, 0, n * sizeof(bucket_t)));
  GPU(cudaMalloc((void **)&t.overflow, sizeof(int)));
  GPU(cudaMemset(t.overflow, 0, sizeof(int)));
  t.mask = (uint32_t)(n - 1);
  return t;
}

static relation_t relation_random(int rows, uint32_t domain, unsigned seed) {
  relation_t r;
  uint32_t *h = (uint32_t *)malloc(rows * sizeof(uint32_t)), *d;
  srand(seed);
  for (int i = 0; i < rows; ++i) h[i] = (uint32_t)rand() % domain;
  GPU(cudaMalloc((void **)&d, rows * sizeof(uint32_t)));
  GPU(cudaMemcpy(d, h, rows * sizeof(uint32_t), cudaMemcpyHostToDevice));
  free(h);
  r.key = d;
  r.rows = rows;
  return r;
}

int main(void) {
  const table_t t = table_create(17);
  const relation_t inner = relation_random(600000, 1000000u, 1), outer = relation_random(900000, 1000000u, 2);
  uint2 *out;
  int *n, h_n = 0, h_over = 0;
  const int capacity = 4000000;
  GPU(cudaMalloc((void **)&out, sizeof(uint2) * capacity));
  GPU(cudaMalloc((void **)&n, sizeof(int)));
  GPU(cudaMemset(n, 0, sizeof(int)));
  build_kernel<<<640, 256>>>(t, inner);
  probe_kernel<<<640, 256>>>(t, outer, out, capacity, n);
  GPU(cudaMemcpy(&h_n, n, sizeof(int), cudaMemcpyDeviceToHost));
  GPU(cudaMemcpy(&h_over, t.overflow, sizeof(int), cudaMemcpyDeviceToHost));
  printf("%d matches, %d lost\n", h_n, h_over);
  return 0;
}
