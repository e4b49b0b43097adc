// LZ match finder: every block scans one chunk, stages tokens and flushes them in bursts.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

namespace lz {

constexpr int kThreads = 128;
constexpr int kCap = 256;
constexpr int kMinMatch = 4;
constexpr int kMaxMatch = 64;

struct Token {
  uint32_t pos;
  uint16_t dist;
  uint16_t len;
};

struct Input {
  const uint8_t* data;
  const uint32_t* prev;  // last earlier position with the same hash, or ~0
  uint32_t size;
  uint32_t chunk;
};

struct Output {
  Token* tok;
  unsigned* total;
  unsigned cap;
};

struct Staging {
  Token tok[kCap];
  unsigned cursor;
  unsigned out;
};

__device__ Token find_match(const Input& in, uint32_t pos, uint32_t end, uint32_t chunk_begin) {
  Token t{pos, 0, 0};
  if (pos + kMinMatch > end) return t;
  const uint32_t cand = in.prev[pos];
  if (cand == 0xffffffffu || cand < chunk_begin || cand >= pos || pos - cand > 65535u) return t;
  uint32_t l = 0;
  while (l < kMaxMatch && pos + l < end && in.data[cand + l] == in.data[pos + l]) ++l;
  if (l >= kMinMatch) {
    t.dist = (uint16_t)(pos - cand);
    t.len = (uint16_t)l;
  }
  return t;
}

__global__ void __launch_bounds__(kThreads) match_chunks(Input in, Output o) {
  __shared__ Staging s;
  const uint32_t begin = blockIdx.x * in.chunk;
  const uint32_t end = min(begin + in.chunk, in.size);
  unsigned fill = 0;
  if (threadIdx.x == 0) s.cursor = 0;

  auto flush = [&]() {
    __syncthreads();
    if (threadIdx.x == 0) {
      s.out = atomicAdd(o.total, fill);
      s.cursor = 0;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < fill; i += kThreads)
      if (s.out + i < o.cap) o.tok[s.out + i] = s.tok[i];
    __syncthreads();
    fill = 0;
  };

  for (uint32_t base = begin; base < end; base += kThreads) {
    const uint32_t pos = base + threadIdx.x;
    Token t{pos, 0, 0};
    if (pos < end) t = find_match(in, pos, end, begin);
    const unsigned add = __syncthreads_count(t.len != 0);
    if (t.len != 0 && fill + add > kCap) flush();
    if (t.len != 0) s.tok[atomicAdd(&s.cursor, 1u)] = t;
    fill += add;
  }
  if (fill != 0) flush();
}

static unsigned chunk_for(uint32_t size, int level) {
  const unsigned want = level >= 6 ? 1u << 16 : 1u << 14;
  return size < want ? (size + 127u) / 128u * 128u : want;
}

extern "C" long long lz_find(const uint8_t* data, const uint32_t* prev, uint32_t size, int level, Token* out,
                             unsigned cap, unsigned* d_total, cudaStream_t st) {
  if (size == 0) return 0;
  if (size > (1u << 30)) return -1;
  Input in{data, prev, size, chunk_for(size, level)};
  Output o{out, d_total, cap};
  if (cudaMemsetAsync(d_total, 0, sizeof(unsigned), st) != cudaSuccess) return -2;
  const unsigned grid = (size + in.chunk - 1) / in.chunk;
  match_chunks<<<grid, kThreads, 0, st>>>(in, o);
  unsigned n = 0;
  cudaMemcpyAsync(&n, d_total, sizeof(n), cudaMemcpyDeviceToHost, st);
  if (cudaStreamSynchronize(st) != cudaSuccess) return -3;
  return n < cap ? n : cap;
}

}  // namespace lz

int main() {
  const uint32_t n = 10u << 20;
  uint8_t* d;
  uint32_t* p;
  lz::Token* t;
  unsigned* tot;
  if (cudaMalloc(&d, n) || cudaMalloc(&p, n * 4) || cudaMalloc(&t, sizeof(lz::Token) * n) || cudaMalloc(&tot, 4)) return 1;
  cudaMemset(d, 'x', n);
  cudaMemset(p, 0xff, n * 4);
  printf("%lld tokens\n", lz::lz_find(d, p, n, 6, t, n, tot, 0));
}
