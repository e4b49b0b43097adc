#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>
#include "part.cuh"

// Variable length coder for prediction residuals, one block per tile. Each
// thread codes kPerThread symbols; zero symbols go to a significance list.

namespace vlc {

constexpr int kThreads = 256;
constexpr int kPerThread = 8;
constexpr int kTile = kThreads * kPerThread;

struct TileHeader {
  int nonZero;
  int bytes;
};

struct Encoder {
  const int16_t* residual;
  int count;
  TileHeader* headers;
  uint16_t* positions;  // kTile entries for each tile
  uint8_t* payload;     // 2 * kTile bytes for each tile
};

__device__ __forceinline__ uint32_t zigzag(int v) { return uint32_t((v << 1) ^ (v >> 31)) & 0xffffu; }
__device__ __forceinline__ int codeBytes(uint32_t z) { return z == 0 ? 0 : (z < 0xff ? 1 : 2); }

__device__ __forceinline__ uint8_t* put(uint8_t* p, uint32_t z) {
  if (z == 0) return p;
  if (z < 0xff) {
    *p++ = uint8_t(z);
  } else {
    *p++ = uint8_t(z >> 8) | 0x80u;
    *p++ = uint8_t(z);
  }
  return p;
}

__global__ void __launch_bounds__(kThreads) encodeTiles(Encoder enc) {
  using Scan = prim::BlockScan<int, kThreads>;
  __shared__ typename Scan::Storage scanMem;

  const int first = blockIdx.x * kTile + threadIdx.x * kPerThread;
  uint32_t sym[kPerThread];
  int nonZero = 0, bytes = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    sym[i] = first + i < enc.count ? zigzag(enc.residual[first + i]) : 0u;
    nonZero += sym[i] != 0;
    bytes += codeBytes(sym[i]);
  }

  int allNonZero, allBytes;
  Scan scan(scanMem);
  int slot = scan.exclusive(nonZero, allNonZero);
  const int at = scan.exclusive(bytes, allBytes);

  uint16_t* pos = enc.positions + size_t(blockIdx.x) * kTile;
  uint8_t* out = enc.payload + size_t(blockIdx.x) * kTile * 2 + at;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    if (sym[i]) pos[slot++] = uint16_t(threadIdx.x * kPerThread + i);
    out = put(out, sym[i]);
  }
  if (threadIdx.x == 0) enc.headers[blockIdx.x] = {allNonZero, allBytes};
}

}  // namespace vlc

int main() {
  using namespace vlc;
  const int n = 1920 * 1080;
  const int tiles = (n + kTile - 1) / kTile;
  std::vector<int16_t> h(n);
  for (int i = 0; i < n; ++i) h[i] = int16_t(i % 7 == 0 ? (i % 600) - 300 : 0);
  Encoder e{};
  int16_t* d;
  cudaMalloc(&d, n * sizeof(int16_t));
  cudaMemcpy(d, h.data(), n * sizeof(int16_t), cudaMemcpyHostToDevice);
  e.residual = d;
  e.count = n;
  cudaMalloc(&e.headers, tiles * sizeof(TileHeader));
  cudaMalloc(&e.positions, size_t(tiles) * kTile * sizeof(uint16_t));
  cudaMalloc(&e.payload, size_t(tiles) * kTile * 2);
  encodeTiles<<<tiles, kThreads>>>(e);
  std::vector<TileHeader> hd(tiles);
  cudaMemcpy(hd.data(), e.headers, tiles * sizeof(TileHeader), cudaMemcpyDeviceToHost);
  long long total = 0;
  for (auto& t : hd) total += t.bytes + t.nonZero * 2;
  printf("%lld bytes, %s\n", total, cudaGetErrorString(cudaGetLastError()));
  return 0;
}
