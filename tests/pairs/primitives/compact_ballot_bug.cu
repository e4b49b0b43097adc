#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

typedef unsigned int uint;

/* Keep the particles that are still alive; the order of survivors is free. */

struct Particle {
  float4 pos;
  float4 vel;
  int    state;
  int    cell;
};

struct AliveInBox {
  float3 lo, hi;
  __device__ bool operator()(const Particle& p) const {
    return p.state != 0 && p.pos.x >= lo.x && p.pos.x < hi.x && p.pos.y >= lo.y && p.pos.y < hi.y &&
           p.pos.z >= lo.z && p.pos.z < hi.z;
  }
};

struct InCell {
  int first, last;
  __device__ bool operator()(const Particle& p) const { return p.cell >= first && p.cell < last; }
};

__device__ __forceinline__ uint laneMaskLt() {
  uint m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  return m;
}

/* One atomic per warp, the leader hands out the base address. */
template <class Pred>
__device__ __forceinline__ int emitWarp(const Pred& pred, const Particle* src, int i, bool inside, int* dst,
                                         int* counter) {
  const bool keep = inside && pred(src[i]);
  const uint votes = __ballot_sync(0xffffffffu, keep);
  if (votes == 0) return 0;
  const int leader = __ffs(votes) - 1;
  int base = 0;
  if ((threadIdx.x & 31) == leader) base = atomicAdd(counter, __popc(votes));
  base = __shfl_sync(0xffffffffu, base, leader);
  if (keep) dst[base + __popc(votes & laneMaskLt())] = i;
  return keep ? 1 : 0;
}

template <class Pred, int UNROLL>
__global__ void compactIndices(Pred pred, const Particle* src, int n, int* dst, int* counter,
                               int* blockKept) {
  int kept = 0;
  const int step = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  const int chunk = step * UNROLL;
  const int body = n / chunk * chunk;
  for (; i < body; i += chunk) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) kept += emitWarp(pred, src, i + u * step, true, dst, counter);
  }

  /* what is left is at most one chunk */
  for (; i < n; i += step) kept += emitWarp(pred, src, i, true, dst, counter);

  /* load statistics for the next rebalance */
  for (int o = 16; o > 0; o >>= 1) kept += __shfl_xor_sync(0xffffffffu, kept, o);
  if ((threadIdx.x & 31) == 0 && kept) atomicAdd(blockKept + blockIdx.x, kept);
}

template <class Pred>
int compact(const Pred& pred, const Particle* src, int n, int* dst, int* d_counter, int* d_kept,
            cudaStream_t stream) {
  int dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  const int threads = 256;
  int blocks = (n + threads - 1) / threads;
  if (blocks > 4 * sms) blocks = 4 * sms;
  cudaMemsetAsync(d_counter, 0, sizeof(int), stream);
  cudaMemsetAsync(d_kept, 0, sizeof(int) * blocks, stream);
  compactIndices<Pred, 4><<<blocks, threads, 0, stream>>>(pred, src, n, dst, d_counter, d_kept);
  int h = 0;
  cudaMemcpyAsync(&h, d_counter, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return h;
}

int main(void) {
  const int n = 1000003;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].pos = make_float4(i % 10, i % 20, i % 30, 1.f);
    host[i].vel = make_float4(0, 0, 0, 0);
    host[i].state = i % 3;
    host[i].cell = i % 512;
  }
  Particle* d;
  int *idx, *cnt, *kept;
  cudaMalloc(&d, sizeof(Particle) * n);
  cudaMalloc(&idx, sizeof(int) * n);
  cudaMalloc(&cnt, sizeof(int));
  cudaMalloc(&kept, sizeof(int) * 4096);
  cudaMemcpy(d, host.data(), sizeof(Particle) * n, cudaMemcpyHostToDevice);
  AliveInBox box = {make_float3(1, 1, 1), make_float3(8, 8, 8)};
  InCell cells = {10, 20};
  printf("box   %d\n", compact(box, d, n, idx, cnt, kept, 0));
  printf("cells %d\n", compact(cells, d, n, idx, cnt, kept, 0));
  return cudaGetLastError() != cudaSuccess;
}
