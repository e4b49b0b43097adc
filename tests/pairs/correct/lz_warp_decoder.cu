// LZ77 style block decompression; one warp per chunk, lanes copy the bytes of a sequence together.
#include <cuda_runtime.h>
#include <cstdint>

namespace lzw {

struct Chunk {
  const uint8_t* src;
  uint32_t src_len;
  uint32_t dst_off;      // chunks write disjoint windows of the output
  uint32_t dst_len;
};

struct Sequence {
  uint32_t literals;
  uint32_t offset;
  uint32_t match;
};

__device__ uint32_t varint(const uint8_t* s, uint32_t& pos) {
  uint32_t v = 0, shift = 0;
  uint8_t b;
  do {
    b = s[pos++];
    v |= (uint32_t)(b & 0x7f) << shift;
    shift += 7;
  } while (b & 0x80);
  return v;
}

__device__ void copy_literals(uint8_t* dst, const uint8_t* src, uint32_t n, int lane) {
  for (uint32_t i = lane; i < n; i += 32) dst[i] = src[i];
}

// Overlapping matches repeat the last `offset` bytes, all of which were written before the match starts.
__device__ void copy_match(uint8_t* dst, uint32_t offset, uint32_t n, int lane) {
  const uint8_t* from = dst - offset;
  for (uint32_t i = lane; i < n; i += 32) dst[i] = from[i % offset];
}

__global__ void decompress(const Chunk* __restrict__ chunks, int n, uint8_t* out, int* status) {
  const int c = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (c >= n) return;
  const Chunk ch = chunks[c];
  uint8_t* base = out + ch.dst_off;
  uint32_t sp = 0, dp = 0;
  int err = 0;
  while (sp < ch.src_len) {
    Sequence q;
    q.literals = varint(ch.src, sp);
    if (dp + q.literals > ch.dst_len) {
      err = 1;
      break;
    }
    copy_literals(base + dp, ch.src + sp, q.literals, lane);
    sp += q.literals;
    dp += q.literals;
    if (sp >= ch.src_len) break;
    q.offset = varint(ch.src, sp);
    q.match = varint(ch.src, sp);
    if (q.offset == 0 || q.offset > dp || dp + q.match > ch.dst_len) {
      err = 2;
      break;
    }
    __syncwarp();
    copy_match(base + dp, q.offset, q.match, lane);
    dp += q.match;
    __syncwarp();
  }
  if (lane == 0) status[c] = err ? -err : (int)dp;
}

int decompress_all(const Chunk* d_chunks, int n, uint8_t* d_out, int* d_status, int* h_status, cudaStream_t s) {
  const int warps_per_block = 4;
  decompress<<<(n + warps_per_block - 1) / warps_per_block, warps_per_block * 32, 0, s>>>(d_chunks, n, d_out, d_status);
  cudaMemcpyAsync(h_status, d_status, n * sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  int bad = 0;
  for (int i = 0; i < n; ++i) bad += h_status[i] < 0;
  return bad;
}

}  // namespace lzw
