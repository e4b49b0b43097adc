// Full search block motion estimation (16x16) over several reference frames.
// One warp stages the search windows, four warps compare candidates.
#include <cuda_runtime.h>
#include <cstdint>
#include "cutlass/arch/barrier.h"

namespace me {

constexpr int kMb = 16;
constexpr int kProducer = 32;
constexpr int kConsumer = 128;
constexpr int kAll = kProducer + kConsumer;

enum NamedBarriers : int { kFull0 = 1, kEmpty0 = 3, kConsumersOnly = 5 };

struct Frame {
  const uint8_t* luma;
  int pitch, width, height;
};

constexpr int kMaxRefs = 8;

struct SearchArgs {
  Frame cur;
  Frame ref[kMaxRefs];
  int num_refs;
  int2* mv;        // best vector for each macroblock
  int* ref_index;
  int* cost;
};

template <int RANGE>
struct Storage {
  static constexpr int kSide = kMb + 2 * RANGE;
  uint8_t window[2][kSide][kSide];
  uint8_t block[kMb][kMb];
  unsigned long long best;
};

__device__ __forceinline__ uint8_t pixel(const Frame& f, int x, int y) {
  x = min(max(x, 0), f.width - 1);
  y = min(max(y, 0), f.height - 1);
  return f.luma[(size_t)y * f.pitch + x];
}

template <int RANGE>
__device__ void produce(Storage<RANGE>& s, const SearchArgs& a, int x0, int y0) {
  constexpr int kSide = Storage<RANGE>::kSide;
  for (int r = 0; r < a.num_refs; ++r) {
    const int buf = r & 1;
    if (r >= 2) cutlass::arch::NamedBarrier::sync(kAll, kEmpty0 + buf);
    for (int i = threadIdx.x; i < kSide * kSide; i += kProducer)
      s.window[buf][i / kSide][i % kSide] = pixel(a.ref[r], x0 - RANGE + i % kSide, y0 - RANGE + i / kSide);
    cutlass::arch::NamedBarrier::arrive(kAll, kFull0 + buf);
  }
}

template <int RANGE>
__device__ void search(Storage<RANGE>& s, const SearchArgs& a, int tid) {
  constexpr int kCand = 2 * RANGE + 1;
  unsigned long long best = ~0ull;
  for (int r = 0; r < a.num_refs; ++r) {
    const int buf = r & 1;
    cutlass::arch::NamedBarrier::sync(kAll, kFull0 + buf);
    for (int c = tid; c < kCand * kCand; c += kConsumer) {
      const int cx = c % kCand, cy = c / kCand;
      unsigned sad = 0;
      for (int y = 0; y < kMb; ++y)
#pragma unroll
        for (int x = 0; x < kMb; ++x) sad += abs((int)s.block[y][x] - (int)s.window[buf][cy + y][cx + x]);
      // short vectors are cheaper
      const unsigned cost = sad + 2 * (abs(cx - RANGE) + abs(cy - RANGE));
      const unsigned long long key = ((unsigned long long)cost << 32) | (unsigned)(r << 20 | c);
      best = min(best, key);
    }
    // the buffer is filled again only if there is a frame for it
    if (r + 2 < a.num_refs) cutlass::arch::NamedBarrier::arrive(kConsumer, kEmpty0 + buf);
  }
  atomicMin(&s.best, best);
}

template <int RANGE>
__global__ void __launch_bounds__(kAll) motion_search(SearchArgs a) {
  constexpr int kCand = 2 * RANGE + 1;
  __shared__ Storage<RANGE> s;
  const int x0 = blockIdx.x * kMb, y0 = blockIdx.y * kMb;

  for (int i = threadIdx.x; i < kMb * kMb; i += kAll)
    s.block[i / kMb][i % kMb] = pixel(a.cur, x0 + i % kMb, y0 + i / kMb);
  if (threadIdx.x == 0) s.best = ~0ull;
  __syncthreads();

  if (threadIdx.x < kProducer) {
    produce<RANGE>(s, a, x0, y0);
    return;
  }
  const int tid = threadIdx.x - kProducer;
  search<RANGE>(s, a, tid);
  cutlass::arch::NamedBarrier::sync(kConsumer, kConsumersOnly);

  if (tid == 0) {
    const unsigned long long best = s.best;
    const int low = (int)(best & 0xffffffffu);
    const int c = low & 0xfffff;
    const int mb = blockIdx.y * gridDim.x + blockIdx.x;
    a.mv[mb] = make_int2(c % kCand - RANGE, c / kCand - RANGE);
    a.ref_index[mb] = low >> 20;
    a.cost[mb] = (int)(best >> 32);
  }
}

bool estimate_motion(const SearchArgs& a, int range, cudaStream_t st) {
  if (a.num_refs < 1 || a.num_refs > kMaxRefs || a.cur.width < 1 || a.cur.height < 1) return false;
  dim3 grid((a.cur.width + kMb - 1) / kMb, (a.cur.height + kMb - 1) / kMb);
  switch (range) {
    case 8: motion_search<8><<<grid, kAll, 0, st>>>(a); break;
    case 16: motion_search<16><<<grid, kAll, 0, st>>>(a); break;
    case 32: motion_search<32><<<grid, kAll, 0, st>>>(a); break;
    default: return false;
  }
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace me
