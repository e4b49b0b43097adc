// Hash join: build side with CAS-claimed slots and payload columns, probe side gather.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

namespace db {

constexpr int64_t kFree = INT64_MIN;

struct BuildSide {
  const int64_t* key;     // primary key of the dimension table (unique)
  const int32_t* group;
  const double* rate;
  int rows;
};

struct JoinTable {
  long long* key;
  int32_t* group;
  double* rate;
  uint32_t mask;
};

__device__ __forceinline__ uint32_t slot_for(int64_t k, uint32_t mask) {
  uint64_t h = (uint64_t)k * 0x9E3779B97F4A7C15ull;
  return (uint32_t)(h >> 32) & mask;
}

__global__ void init_table(JoinTable t) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= t.mask) t.key[i] = kFree;
}

__global__ void build(BuildSide b, JoinTable t) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= b.rows) return;
  const int64_t k = b.key[r];
  uint32_t s = slot_for(k, t.mask);
  for (;;) {
    const unsigned long long old = atomicCAS(reinterpret_cast<unsigned long long*>(&t.key[s]),
                                             (unsigned long long)kFree, (unsigned long long)k);
    if (old == (unsigned long long)kFree) {
      t.group[s] = b.group[r];
      t.rate[s] = b.rate[r];
      return;
    }
    s = (s + 1) & t.mask;
  }
}

struct FactSide {
  const int64_t* fk;
  const double* amount;
  int rows;
};

__global__ void probe(FactSide f, JoinTable t, int32_t* out_group, double* out_value) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= f.rows) return;
  const int64_t k = f.fk[r];
  uint32_t s = slot_for(k, t.mask);
  int32_t g = -1;
  double v = 0.0;
  while (t.key[s] != kFree) {
    if (t.key[s] == k) {
      g = t.group[s];
      v = f.amount[r] * t.rate[s];
      break;
    }
    s = (s + 1) & t.mask;
  }
  out_group[r] = g;
  out_value[r] = v;
}

int hash_join(const BuildSide& b, const FactSide& f, int32_t* d_group, double* d_value, cudaStream_t st) {
  uint32_t cap = 16;
  while (cap < 2u * (uint32_t)b.rows) cap *= 2;
  JoinTable t;
  t.mask = cap - 1;
  cudaMallocAsync(&t.key, cap * sizeof(long long), st);
  cudaMallocAsync(&t.group, cap * sizeof(int32_t), st);
  cudaMallocAsync(&t.rate, cap * sizeof(double), st);
  init_table<<<(cap + 255) / 256, 256, 0, st>>>(t);
  if (b.rows > 0) build<<<(b.rows + 255) / 256, 256, 0, st>>>(b, t);
  if (f.rows > 0) probe<<<(f.rows + 255) / 256, 256, 0, st>>>(f, t, d_group, d_value);
  cudaFreeAsync(t.key, st);
  cudaFreeAsync(t.group, st);
  cudaFreeAsync(t.rate, st);
  return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

}  // namespace db
