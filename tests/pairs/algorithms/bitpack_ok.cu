// Frame-of-reference bit packing: 'bits' per value, one thread per value.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace codec {

constexpr int kBlockValues = 256;
constexpr int kMaxWords = kBlockValues;  // 32 bits a value at most

struct BlockHeader {
  uint32_t base;
  uint32_t bits;
};

struct Encoder {
  const uint32_t* in;
  uint32_t* out;  // kMaxWords words reserved for each block
  BlockHeader* hdr;
  int n;
};

__device__ __forceinline__ void warp_minmax(uint32_t& lo, uint32_t& hi) {
  lo = __reduce_min_sync(0xffffffffu, lo);
  hi = __reduce_max_sync(0xffffffffu, hi);
}

struct BitWriter {
  uint32_t* words;
  __device__ void put(uint32_t pos, uint32_t nbits, uint32_t v) {
    if (nbits == 0) return;
    const uint32_t w = pos >> 5, s = pos & 31;
    atomicOr(&words[w], v << s);
    if (s + nbits > 32) {
      atomicOr(&words[w + 1], v >> (32 - s));
    }
  }
};

__global__ void __launch_bounds__(kBlockValues) pack_blocks(Encoder e) {
  __shared__ uint32_t words[kMaxWords];
  __shared__ uint32_t lo_s[kBlockValues / 32], hi_s[kBlockValues / 32];
  const int t = threadIdx.x;
  const long long g = (long long)blockIdx.x * kBlockValues + t;
  const bool ok = g < e.n;
  const uint32_t v = ok ? e.in[g] : 0;

  uint32_t lo = ok ? v : 0xffffffffu, hi = ok ? v : 0u;
  warp_minmax(lo, hi);
  if ((t & 31) == 0) {
    lo_s[t >> 5] = lo;
    hi_s[t >> 5] = hi;
  }
  words[t] = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kBlockValues / 32; ++i) {
    lo = min(lo, lo_s[i]);
    hi = max(hi, hi_s[i]);
  }
  const uint32_t bits = hi == lo ? 0 : 32 - __clz(hi - lo);

  BitWriter bw{words};
  if (ok) bw.put(t * bits, bits, v - lo);
  __syncthreads();

  const int used = (kBlockValues * bits + 31) / 32;
  uint32_t* dst = e.out + (size_t)blockIdx.x * kMaxWords;
  if (t < used) dst[t] = words[t];
  if (t == 0) e.hdr[blockIdx.x] = BlockHeader{lo, bits};
}

__global__ void unpack_blocks(const uint32_t* __restrict__ packed, const BlockHeader* __restrict__ hdr,
                              uint32_t* __restrict__ out, int n) {
  const long long g = (long long)blockIdx.x * kBlockValues + threadIdx.x;
  if (g >= n) return;
  const BlockHeader h = hdr[blockIdx.x];
  const uint32_t* w = packed + (size_t)blockIdx.x * kMaxWords;
  uint32_t r = 0;
  if (h.bits) {
    const uint32_t pos = threadIdx.x * h.bits, i = pos >> 5, s = pos & 31;
    uint64_t two = w[i];
    if (s + h.bits > 32) two |= (uint64_t)w[i + 1] << 32;
    r = (uint32_t)((two >> s) & ((1ull << h.bits) - 1));
  }
  out[g] = h.base + r;
}

}  // namespace codec

extern "C" int for_encode(const uint32_t* in, int n, uint32_t* out, void* hdr, cudaStream_t s) {
  if (n <= 0) return 0;
  const int blocks = (int)(((long long)n + codec::kBlockValues - 1) / codec::kBlockValues);
  codec::Encoder e{in, out, (codec::BlockHeader*)hdr, n};
  codec::pack_blocks<<<blocks, codec::kBlockValues, 0, s>>>(e);
  return cudaGetLastError() == cudaSuccess ? blocks : -1;
}

extern "C" int for_decode(const uint32_t* packed, const void* hdr, uint32_t* out, int n, cudaStream_t s) {
  if (n <= 0) return 0;
  const int blocks = (int)(((long long)n + codec::kBlockValues - 1) / codec::kBlockValues);
  codec::unpack_blocks<<<blocks, codec::kBlockValues, 0, s>>>(packed, (const codec::BlockHeader*)hdr, out, n);
  return cudaGetLastError() == cudaSuccess ? blocks : -1;
}
