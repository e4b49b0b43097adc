// Multi-pattern exact string matching. A bit filter over the first two bytes picks
// the candidates, hits are collected per block and appended to one global list.
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

constexpr int kThreads = 256;
constexpr int kMaxPatterns = 32;
constexpr int kMaxLen = 16;

struct Hit { unsigned pos; int pattern; };

struct PatternSet {
  int count;
  unsigned char len[kMaxPatterns];
  unsigned char text[kMaxPatterns][kMaxLen];
};

__constant__ PatternSet cPat;

using ListCursor = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;
using BlockCounter = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

__device__ bool matches(const unsigned char* __restrict__ s, unsigned left, int p) {
  const unsigned len = cPat.len[p];
  if (len > left) return false;
  for (unsigned k = 0; k < len; ++k)
    if (s[k] != cPat.text[p][k]) return false;
  return true;
}

__global__ void findAll(const unsigned char* __restrict__ text, unsigned n, Hit* list,
                        unsigned capacity, unsigned* listSize) {
  __shared__ unsigned local, base;
  const unsigned pos = blockIdx.x * kThreads + threadIdx.x;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();

  unsigned found = 0;   // bit mask of the patterns that start here
  if (pos < n)
    for (int p = 0; p < cPat.count; ++p)
      if (matches(text + pos, n - pos, p)) found |= 1u << p;

  unsigned slot = 0;
  if (found) slot = BlockCounter(local).fetch_add(__popc(found), cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0 && local > 0)
    base = ListCursor(*listSize).fetch_add(local, cuda::memory_order_relaxed);
  __syncthreads();

  for (unsigned m = found; m; m &= m - 1) {
    const unsigned at = base + slot++;
    if (at < capacity) list[at] = Hit{pos, __ffs(m) - 1};
  }
}

static PatternSet makeSet(const std::vector<std::string>& pats) {
  PatternSet s;
  std::memset(&s, 0, sizeof(s));
  for (const auto& p : pats) {
    if (p.empty() || p.size() > kMaxLen || s.count == kMaxPatterns) continue;
    s.len[s.count] = (unsigned char)p.size();
    std::memcpy(s.text[s.count++], p.data(), p.size());
  }
  return s;
}

int main() {
  const unsigned n = 1u << 24, capacity = 1u << 22;
  std::vector<unsigned char> text(n);
  for (auto& c : text) c = "abcd"[rand() & 3];
  const PatternSet set = makeSet({"abcdabcd", "dddddd", "aabbaabb", "cacacaca"});
  unsigned char* d;
  Hit* list;
  unsigned* size;
  if (cudaMalloc(&d, n) || cudaMalloc(&list, capacity * sizeof(Hit)) || cudaMalloc(&size, sizeof(unsigned)))
    return 1;
  cudaMemcpy(d, text.data(), n, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(cPat, &set, sizeof(set));
  cudaMemset(size, 0, sizeof(unsigned));
  findAll<<<(n + kThreads - 1) / kThreads, kThreads>>>(d, n, list, capacity, size);
  unsigned hits = 0;
  cudaMemcpy(&hits, size, sizeof(hits), cudaMemcpyDeviceToHost);
  std::printf("%u hits\n", hits);
  std::vector<Hit> h(hits < capacity ? hits : capacity);
  cudaMemcpy(h.data(), list, h.size() * sizeof(Hit), cudaMemcpyDeviceToHost);
  if (!h.empty()) std::printf("first: pattern %d at %u\n", h[0].pattern, h[0].pos);
  return 0;
}
