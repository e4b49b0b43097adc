#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Greedy LZ match finder. One warp works on one chunk, 32 positions a round. */

#define WARPS_PER_BLOCK 4
#define HASH_BITS       10
#define HASH_SIZE       (1 << HASH_BITS)
#define CHUNK           4096
#define MIN_MATCH       4
#define MAX_MATCH       64
#define NO_POS          0xffffu
#define FULL_MASK       0xffffffffu

struct lz_token {
  uint16_t literals;
  uint16_t match_len;
  uint16_t distance;
  uint16_t pos;
};

struct lz_job {
  const uint8_t *src;
  int            size;
  int            chunks;
  lz_token      *tokens;   /* CHUNK / MIN_MATCH per chunk */
  int           *n_tokens;
};

static __device__ __forceinline__ uint32_t load4(const uint8_t *p) {
  return (uint32_t)p[0] | ((uint32_t)p[1] << 8) | ((uint32_t)p[2] << 16) | ((uint32_t)p[3] << 24);
}

static __device__ __forceinline__ uint32_t hash4(uint32_t v) { return (v * 2654435761u) >> (32 - HASH_BITS); }

static __device__ int match_length(const uint8_t *a, const uint8_t *b, int limit) {
  int n = 0;
  while (n < limit && a[n] == b[n]) n++;
  return n;
}

static __device__ __forceinline__ void table_clear(uint16_t *table, int lane) {
  for (int i = lane; i < HASH_SIZE; i += 32) table[i] = NO_POS;
  __syncwarp();
}

/* Of the lanes that share a bucket only the last one is remembered. */
static __device__ __forceinline__ void table_insert(uint16_t *table, uint32_t h, bool valid, int pos, int lane) {
  __syncwarp();
  const unsigned same = __match_any_sync(FULL_MASK, valid ? h : HASH_SIZE + lane);
  if (valid && lane == 31 - __clz(same)) table[h] = (uint16_t)pos;
}

__global__ void __launch_bounds__(WARPS_PER_BLOCK * 32) lz_find(lz_job job) {
  __shared__ uint16_t tables[WARPS_PER_BLOCK][HASH_SIZE];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int chunk = blockIdx.x * WARPS_PER_BLOCK + warp;
  if (chunk >= job.chunks) return;

  uint16_t *table = tables[warp];
  const uint8_t *base = job.src + (size_t)chunk * CHUNK;
  const int len = min(CHUNK, job.size - chunk * CHUNK);
  lz_token *out = job.tokens + (size_t)chunk * (CHUNK / MIN_MATCH);
  int n_out = 0, lit_start = 0;

  table_clear(table, lane);

  int pos = 0;
  while (pos + MIN_MATCH <= len) {
    const int mine = pos + lane;
    const bool valid = mine + MIN_MATCH <= len;
    uint32_t h = 0;
    int cand = NO_POS, mlen = 0;
    if (valid) {
      h = hash4(load4(base + mine));
      cand = table[h];
      if (cand < mine) mlen = match_length(base + cand, base + mine, min(MAX_MATCH, len - mine));
    }
    const unsigned hits = __ballot_sync(FULL_MASK, mlen >= MIN_MATCH);
    table_insert(table, h, valid, mine, lane);

    if (hits == 0) {
      pos += 32;
      continue;
    }
    const int first = __ffs(hits) - 1;
    const int best = __shfl_sync(FULL_MASK, mlen, first);
    const int from = __shfl_sync(FULL_MASK, cand, first);
    if (lane == 0) {
      lz_token t;
      t.literals = (uint16_t)(pos + first - lit_start);
      t.match_len = (uint16_t)best;
      t.distance = (uint16_t)(pos + first - from);
      t.pos = (uint16_t)(pos + first);
      out[n_out] = t;
    }
    n_out++;
    pos += first + best;
    lit_start = pos;
  }
  if (lane == 0) job.n_tokens[chunk] = n_out;
}

int main(int argc, char **argv) {
  const int size = argc > 1 ? atoi(argv[1]) : 3000000;
  uint8_t *h = (uint8_t *)malloc(size);
  uint8_t *d;
  lz_job job;
  memset(h, 0, size);
  for (int i = 0; i < size; i++) h[i] = (uint8_t)("abracadabra"[i % 11] + (i / 1000) % 3);
  job.size = size;
  job.chunks = (size + CHUNK - 1) / CHUNK;
  cudaMalloc((void **)&d, size);
  cudaMalloc((void **)&job.tokens, sizeof(lz_token) * (size_t)job.chunks * (CHUNK / MIN_MATCH));
  cudaMalloc((void **)&job.n_tokens, sizeof(int) * job.chunks);
  cudaMemcpy(d, h, size, cudaMemcpyHostToDevice);
  job.src = d;
  lz_find<<<(job.chunks + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK, WARPS_PER_BLOCK * 32>>>(job);
  int first = 0;
  cudaMemcpy(&first, job.n_tokens, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d tokens in chunk 0 (%s)\n", first, cudaGetErrorString(cudaGetLastError()));
  free(h);
  return 0;
}
