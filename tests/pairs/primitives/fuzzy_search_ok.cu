#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// Hamming distance search of short reads in a reference. Each lane verifies
// one candidate position; the warp stops as soon as all have been decided.

namespace fuzzy {

constexpr unsigned kFull = 0xffffffffu;
constexpr int kChunk = 16;

struct Reference {
  const char* seq;
  int length;
};

struct Query {
  const char* seq;
  int length;
  int maxErrors;
};

struct Output {
  int* positions;
  int capacity;
  int* count;
};

__device__ __forceinline__ int mismatches(const char* a, const char* b, int n) {
  int e = 0;
  for (int i = 0; i < n; ++i) e += a[i] != b[i];
  return e;
}

// Number of errors, or maxErrors + 1 as soon as that is exceeded.
__device__ int verify(const Reference& ref, const Query& q, int pos) {
  int errors = pos + q.length <= ref.length ? 0 : q.maxErrors + 1;
  for (int done = 0; done < q.length; done += kChunk) {
    if (errors <= q.maxErrors)
      errors += mismatches(ref.seq + pos + done, q.seq + done, min(kChunk, q.length - done));
    if (__all_sync(kFull, errors > q.maxErrors)) break;
  }
  return min(errors, q.maxErrors + 1);
}

__device__ void report(const Output& out, bool hit, int pos) {
  const unsigned hits = __ballot_sync(kFull, hit);
  if (hits == 0) return;
  const int lane = threadIdx.x & 31;
  int base = 0;
  if (lane == 0) base = atomicAdd(out.count, __popc(hits));
  base = __shfl_sync(kFull, base, 0);
  const int at = base + __popc(hits & ((1u << lane) - 1u));
  if (hit && at < out.capacity) out.positions[at] = pos;
}

__global__ void __launch_bounds__(256) searchKernel(Reference ref, Query q, Output out) {
  const int step = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int rounds = (ref.length + step - 1) / step;
  for (int k = 0; k < rounds; ++k) {
    const int pos = first + k * step;
    const int errors = verify(ref, q, pos);
    report(out, errors <= q.maxErrors, pos);
  }
}

class Searcher {
 public:
  Searcher(const std::string& reference, int capacity) {
    char* d = nullptr;
    cudaMalloc(&d, reference.size());
    cudaMemcpy(d, reference.data(), reference.size(), cudaMemcpyHostToDevice);
    ref_ = {d, int(reference.size())};
    cudaMalloc(&out_.positions, capacity * sizeof(int));
    cudaMalloc(&out_.count, sizeof(int));
    cudaMalloc(&query_, kMaxQuery);
    out_.capacity = capacity;
  }
  ~Searcher() {
    cudaFree(const_cast<char*>(ref_.seq));
    cudaFree(out_.positions);
    cudaFree(out_.count);
    cudaFree(query_);
  }

  int find(const std::string& q, int maxErrors) {
    if (q.empty() || q.size() > kMaxQuery) return -1;
    cudaMemcpy(query_, q.data(), q.size(), cudaMemcpyHostToDevice);
    cudaMemset(out_.count, 0, sizeof(int));
    searchKernel<<<216, 256>>>(ref_, Query{query_, int(q.size()), maxErrors}, out_);
    int n = 0;
    if (cudaMemcpy(&n, out_.count, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
    return n;
  }

 private:
  static constexpr size_t kMaxQuery = 1024;
  Reference ref_{};
  Output out_{};
  char* query_ = nullptr;
};

}  // namespace fuzzy

int main() {
  std::string genome(2'000'000, 'A');
  uint32_t s = 7;
  for (char& c : genome) s = s * 1664525u + 1013904223u, c = "ACGT"[s >> 30];
  fuzzy::Searcher search(genome, 1 << 16);
  for (int len : {24, 50, 101}) {
    std::string q = genome.substr(size_t(len) * 1000, size_t(len));
    q[3] = q[3] == 'A' ? 'C' : 'A';
    printf("%d: %d\n", len, search.find(q, len / 12));
  }
  return 0;
}
