#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

// Sponge hashing of many messages, one warp for each message. A lane of the
// warp holds one of the 25 lanes of the Keccak state.

namespace sponge {

constexpr int kLanes = 25;
constexpr int kRounds = 24;
constexpr int kRateWords = 17;
constexpr unsigned kMembers = (1u << kLanes) - 1u;

__constant__ uint64_t kIota[kRounds] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull,
    0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull,
    0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull,
    0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};
__constant__ int kRotate[kLanes] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                    25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};

struct Messages {
  const uint64_t* words;  // padded to the rate by the host
  const int* begin;       // first word of a message
  const int* blocks;      // number of rate blocks
  int count;
};

__device__ __forceinline__ uint64_t rotl(uint64_t v, int n) { return n ? (v << n) | (v >> (64 - n)) : v; }

__device__ __forceinline__ uint64_t from(uint64_t v, int lane) { return __shfl_sync(kMembers, v, lane); }

struct LaneMap {
  int x, y, self;
  int left, right, right2, source;

  __device__ explicit LaneMap(int lane) : x(lane % 5), y(lane / 5), self(lane) {
    left = (x + 4) % 5;
    right = (x + 1) % 5;
    right2 = (x + 2) % 5;
    source = (x + 3 * y) % 5 + 5 * x;
  }
};

__device__ uint64_t permute(uint64_t a, const LaneMap& m) {
  for (int r = 0; r < kRounds; ++r) {
    uint64_t col = a;
#pragma unroll
    for (int k = 1; k < 5; ++k) col ^= from(a, m.x + 5 * ((m.y + k) % 5));
    const uint64_t d = from(col, m.left) ^ rotl(from(col, m.right), 1);
    a ^= d;
    const uint64_t b = from(rotl(a, kRotate[m.self]), m.source);
    const uint64_t b1 = from(b, m.right + 5 * m.y), b2 = from(b, m.right2 + 5 * m.y);
    a = b ^ (~b1 & b2);
    if (m.self == 0) a ^= kIota[r];
  }
  return a;
}

template <int OUT_WORDS, int WARPS>
__global__ void __launch_bounds__(WARPS * 32) hashMessages(Messages msg, uint64_t* digest) {
  __shared__ uint64_t result[WARPS][OUT_WORDS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int step = gridDim.x * WARPS;

  for (int i = blockIdx.x * WARPS + warp; i < msg.count; i += step) {
    if (lane < kLanes) {
      const LaneMap map(lane);
      const uint64_t* w = msg.words + msg.begin[i];
      uint64_t a = 0;
      for (int b = 0; b < msg.blocks[i]; ++b, w += kRateWords) {
        if (lane < kRateWords) a ^= w[lane];
        a = permute(a, map);
      }
      if (lane < OUT_WORDS) result[warp][lane] = a;
    }
    __syncwarp();
    for (int k = lane; k < OUT_WORDS * 2; k += 32)
      reinterpret_cast<uint32_t*>(digest + size_t(i) * OUT_WORDS)[k] =
          reinterpret_cast<const uint32_t*>(result[warp])[k];
    __syncwarp();
  }
}

void hashAll(const Messages& m, uint64_t* out, int bits, cudaStream_t s) {
  constexpr int kWarps = 4;
  const int blocks = (m.count + kWarps - 1) / kWarps < 1024 ? (m.count + kWarps - 1) / kWarps : 1024;
  if (bits == 256)
    hashMessages<4, kWarps><<<blocks, kWarps * 32, 0, s>>>(m, out);
  else
    hashMessages<8, kWarps><<<blocks, kWarps * 32, 0, s>>>(m, out);
}

}  // namespace sponge

int main() {
  const int count = 20000;
  std::vector<int> begin(count), blocks(count);
  int words = 0;
  for (int i = 0; i < count; ++i) {
    begin[i] = words;
    blocks[i] = 1 + i % 9;
    words += blocks[i] * sponge::kRateWords;
  }
  std::vector<uint64_t> data(words);
  for (int i = 0; i < words; ++i) data[i] = i * 0x9e3779b97f4a7c15ull;
  uint64_t *w, *out;
  int *b, *n;
  cudaMalloc(&w, words * sizeof(uint64_t));
  cudaMalloc(&out, count * 8 * sizeof(uint64_t));
  cudaMalloc(&b, count * sizeof(int));
  cudaMalloc(&n, count * sizeof(int));
  cudaMemcpy(w, data.data(), words * sizeof(uint64_t), cudaMemcpyHostToDevice);
  cudaMemcpy(b, begin.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(n, blocks.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  sponge::hashAll({w, b, n, count}, out, 256, 0);
  sponge::hashAll({w, b, n, count}, out, 512, 0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
