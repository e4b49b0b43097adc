#include <cuda_runtime.h>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CUDA_OK(call)                                                     \
  do {                                                                    \
    cudaError_t err__ = (call);                                           \
    if (err__ != cudaSuccess) {                                           \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err__)); \
      exit(EXIT_FAILURE);                                                 \
    }                                                                     \
  } while (0)

struct KeyVal {
  uint32_t key;
  uint32_t val;
};

__device__ __forceinline__ bool before(const KeyVal& a, const KeyVal& b) {
  return a.key < b.key || (a.key == b.key && a.val < b.val);
}

__device__ __forceinline__ KeyVal pick(KeyVal mine, KeyVal theirs, bool wantSmall) {
  const bool mineFirst = before(mine, theirs);
  return (mineFirst == wantSmall) ? mine : theirs;
}

__device__ __forceinline__ KeyVal shflXor(KeyVal v, int lanes) {
  KeyVal r;
  r.key = __shfl_xor_sync(0xffffffffu, v.key, lanes);
  r.val = __shfl_xor_sync(0xffffffffu, v.val, lanes);
  return r;
}

// Strides of 16 and below never leave the warp; they run in registers.
template <int SIZE>
__device__ KeyVal mergeRegisters(KeyVal v, int tid, int k, int jStart) {
  for (int j = jStart; j > 0; j >>= 1) {
    const bool up = (tid & k) == 0;
    const bool lower = (tid & j) == 0;
    v = pick(v, shflXor(v, j), up == lower);
  }
  return v;
}

template <int SIZE>
__device__ KeyVal mergeShared(KeyVal v, KeyVal* buf, int tid, int k) {
  for (int j = k >> 1; j >= 32; j >>= 1) {
    const bool up = (tid & k) == 0;
    const bool lower = (tid & j) == 0;
    const KeyVal other = buf[tid ^ j];
    v = pick(v, other, up == lower);
    __syncthreads();
    if (j > 32) {
      buf[tid] = v;
      __syncthreads();
    }
  }
  return v;
}

template <int SIZE>
__global__ void __launch_bounds__(SIZE) sortSegments(KeyVal* data, const int* segBegin, const int* segEnd) {
  static_assert((SIZE & (SIZE - 1)) == 0 && SIZE >= 64, "power of two");
  __shared__ KeyVal buf[SIZE];
  const int tid = threadIdx.x;
  const int beg = segBegin[blockIdx.x];
  const int len = min(segEnd[blockIdx.x] - beg, SIZE);
  if (len <= 1) return;

  KeyVal v;
  v.key = tid < len ? data[beg + tid].key : UINT_MAX;
  v.val = tid < len ? data[beg + tid].val : UINT_MAX;

  for (int k = 2; k <= 32; k <<= 1) v = mergeRegisters<SIZE>(v, tid, k, k >> 1);
  buf[tid] = v;
  __syncthreads();

  for (int k = 64; k <= SIZE; k <<= 1) {
    v = mergeShared<SIZE>(v, buf, tid, k);
    v = mergeRegisters<SIZE>(v, tid, k, 16);
    buf[tid] = v;
    __syncthreads();
  }

  if (tid < len) data[beg + tid] = v;
}

static void sortBySize(KeyVal* data, const int* b, const int* e, int segs, int longest, cudaStream_t s) {
  if (segs == 0) return;
  if (longest <= 128)
    sortSegments<128><<<segs, 128, 0, s>>>(data, b, e);
  else if (longest <= 256)
    sortSegments<256><<<segs, 256, 0, s>>>(data, b, e);
  else
    sortSegments<1024><<<segs, 1024, 0, s>>>(data, b, e);
  CUDA_OK(cudaGetLastError());
}

int main(int argc, char** argv) {
  const int segs = 64;
  const int longest = argc > 1 ? atoi(argv[1]) : 200;
  KeyVal* d;
  int *b, *e;
  CUDA_OK(cudaMallocManaged(&d, sizeof(KeyVal) * segs * longest));
  CUDA_OK(cudaMallocManaged(&b, sizeof(int) * segs));
  CUDA_OK(cudaMallocManaged(&e, sizeof(int) * segs));
  for (int i = 0; i < segs; ++i) {
    b[i] = i * longest;
    e[i] = b[i] + 1 + rand() % longest;
  }
  for (int i = 0; i < segs * longest; ++i) d[i] = {uint32_t(rand()), uint32_t(i)};
  sortBySize(d, b, e, segs, longest, 0);
  CUDA_OK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < segs; ++i)
    for (int p = b[i] + 1; p < e[i]; ++p) wrong += d[p].key < d[p - 1].key;
  printf("inversions: %d\n", wrong);
  return 0;
}
