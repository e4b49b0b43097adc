// Number of non-zeros per row of C = A * B (symbolic phase of SpGEMM).
// One warp per row, hash table of the warp in shared memory.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define WARPS_PER_BLOCK 4
#define HASH_SIZE 1024  // power of two
#define HASH_MASK (HASH_SIZE - 1)
#define EMPTY (-1)

struct Csr {
  int rows, cols;
  const int* ptr;
  const int* idx;
};

__device__ int hashInsert(int* table, int key) {
  unsigned h = (unsigned)key * 107u & HASH_MASK;
  while (true) {
    const int old = atomicCAS(&table[h], EMPTY, key);
    if (old == EMPTY) return 1;
    if (old == key) return 0;
    h = (h + 1) & HASH_MASK;
  }
}

__global__ void symbolic(Csr A, Csr B, const int* __restrict__ rowIds, int nIds, int* nnzC) {
  __shared__ int tables[WARPS_PER_BLOCK][HASH_SIZE];
  const int lane = threadIdx.x & 31;
  const int w = threadIdx.x >> 5;
  const int stride = gridDim.x * WARPS_PER_BLOCK;
  int* table = tables[w];

  for (int q = blockIdx.x * WARPS_PER_BLOCK + w; q < nIds; q += stride) {
    const int row = rowIds[q];
    for (int s = lane; s < HASH_SIZE; s += 32) table[s] = EMPTY;

    int fresh = 0;
    for (int k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const int j = A.idx[k];
      for (int t = B.ptr[j] + lane; t < B.ptr[j + 1]; t += 32)
        fresh += hashInsert(table, B.idx[t]);
    }
    for (int o = 16; o > 0; o >>= 1) fresh += __shfl_xor_sync(0xffffffffu, fresh, o);
    if (lane == 0) nnzC[row] = fresh;
    __syncwarp();
  }
}

// Rows whose upper bound does not fit in the table are counted with a bitmap per block.
__global__ void symbolicLarge(Csr A, Csr B, const int* __restrict__ rowIds, unsigned* bitmaps,
                              int words, int* nnzC) {
  __shared__ int count;
  unsigned* bits = bitmaps + (size_t)blockIdx.x * words;
  const int row = rowIds[blockIdx.x];
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
    const int j = A.idx[k];
    for (int t = B.ptr[j] + threadIdx.x; t < B.ptr[j + 1]; t += blockDim.x) {
      const unsigned bit = 1u << (B.idx[t] & 31);
      if (!(atomicOr(&bits[B.idx[t] >> 5], bit) & bit)) atomicAdd(&count, 1);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) nnzC[row] = count;
}

template <typename T>
static T* upload(const std::vector<T>& v) {
  T* d = nullptr;
  if (v.empty()) return d;
  if (cudaMalloc(&d, v.size() * sizeof(T)) != cudaSuccess) std::exit(1);
  cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  const int n = 20000;
  std::vector<int> ptr(1, 0), idx;
  for (int r = 0; r < n; ++r) {
    const int len = r % 1000 == 0 ? 300 : 4 + r % 8;
    for (int k = 0; k < len; ++k) idx.push_back((int)((r + 1LL * k * k * 37) % n));
    ptr.push_back((int)idx.size());
  }
  std::vector<int> small, large;
  for (int r = 0; r < n; ++r) {
    long long bound = 0;
    for (int k = ptr[r]; k < ptr[r + 1]; ++k) bound += ptr[idx[k] + 1] - ptr[idx[k]];
    (bound <= HASH_SIZE / 2 ? small : large).push_back(r);
  }
  const Csr A{n, n, upload(ptr), upload(idx)};
  int* nnz;
  if (cudaMalloc(&nnz, n * sizeof(int)) != cudaSuccess) return 1;
  if (!small.empty()) symbolic<<<512, WARPS_PER_BLOCK * 32>>>(A, A, upload(small), (int)small.size(), nnz);
  if (!large.empty()) {
    const int words = (n + 31) / 32;
    unsigned* bits;
    if (cudaMalloc(&bits, large.size() * words * sizeof(unsigned)) != cudaSuccess) return 1;
    cudaMemset(bits, 0, large.size() * words * sizeof(unsigned));
    symbolicLarge<<<(unsigned)large.size(), 256>>>(A, A, upload(large), bits, words, nnz);
  }
  std::vector<int> h(n);
  cudaMemcpy(h.data(), nnz, n * sizeof(int), cudaMemcpyDeviceToHost);
  long long total = 0;
  for (int v : h) total += v;
  std::printf("nnz(C) = %lld\n", total);
  return 0;
}
