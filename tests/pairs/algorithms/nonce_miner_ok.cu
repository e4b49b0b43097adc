// Nonce search with a truncated ARX hash; results are collected in a small table.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#ifndef MAX_RESULTS
#define MAX_RESULTS 16
#endif
#define ROTL32(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

typedef struct {
  uint32_t header[8];
  uint32_t target;
  uint32_t start_nonce;
  uint32_t count;
} job_t;

typedef struct {
  uint32_t n;
  uint32_t pad;
  uint32_t nonce[MAX_RESULTS];
  uint32_t hash[MAX_RESULTS];
} result_t;

__constant__ job_t c_job;

__device__ __forceinline__ void quarter(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  a += b; d ^= a; d = ROTL32(d, 16);
  c += d; b ^= c; b = ROTL32(b, 12);
  a += b; d ^= a; d = ROTL32(d, 8);
  c += d; b ^= c; b = ROTL32(b, 7);
}

__device__ uint32_t hash_nonce(uint32_t nonce) {
  uint32_t s[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) s[i] = c_job.header[i];
  s[7] ^= nonce;
#pragma unroll 4
  for (int r = 0; r < 16; ++r) {
    quarter(s[0], s[2], s[4], s[6]);
    quarter(s[1], s[3], s[5], s[7]);
    quarter(s[0], s[3], s[4], s[7]);
    quarter(s[1], s[2], s[5], s[6]);
  }
  return s[0] ^ s[5];
}

__device__ void report(result_t* __restrict__ res, uint32_t nonce, uint32_t h) {
  const uint32_t slot = atomicAdd(&res->n, 1u);
  if (slot < MAX_RESULTS) {
    res->nonce[slot] = nonce;
    res->hash[slot] = h;
  }
}

template <int UNROLL>
__global__ void search(result_t* res) {
  const uint32_t tid = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t stride = gridDim.x * blockDim.x;
  for (uint32_t base = tid; base < c_job.count; base += stride * UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const uint32_t off = base + u * stride;
      if (off >= c_job.count) break;
      const uint32_t nonce = c_job.start_nonce + off;
      const uint32_t h = hash_nonce(nonce);
      if (h <= c_job.target) report(res, nonce, h);
    }
  }
}

extern "C" int miner_scan(int dev, const job_t* job, result_t* host_res, int intensity) {
  if (cudaSetDevice(dev) != cudaSuccess) return -1;
  result_t* d = nullptr;
  if (cudaMalloc(&d, sizeof(result_t)) != cudaSuccess) return -1;
  cudaMemset(d, 0, sizeof(result_t));
  cudaMemcpyToSymbol(c_job, job, sizeof(job_t));
  const int threads = 256;
  const int blocks = std::max(1, std::min(1 << intensity, 65535));
  if (intensity > 12)
    search<4><<<blocks, threads>>>(d);
  else
    search<1><<<blocks, threads>>>(d);
  cudaError_t e = cudaMemcpy(host_res, d, sizeof(result_t), cudaMemcpyDeviceToHost);
  cudaFree(d);
  if (e != cudaSuccess) return -1;
  host_res->n = std::min<uint32_t>(host_res->n, MAX_RESULTS);
  return (int)host_res->n;
}

int main() {
  job_t j = {{1, 2, 3, 4, 5, 6, 7, 8}, 0x00000fff, 0, 1u << 24};
  result_t r;
  int n = miner_scan(0, &j, &r, 10);
  for (int i = 0; i < n; ++i) printf("nonce %08x hash %08x\n", r.nonce[i], r.hash[i]);
  return n < 0;
}
