// Multi-pattern prefix filter over packet payloads, compacted hit list per warp.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#define WARP 32
#define FULL 0xffffffffu

namespace ids {

struct Packet {
  uint32_t off;
  uint32_t len;
};

struct Hit {
  uint32_t packet;
  uint32_t pos;
};

struct Filter {
  const uint32_t* bitmap;  // 2^16 bits over two-byte prefixes
  uint32_t min_len;
};

struct Sink {
  Hit* hits;
  unsigned* count;
  unsigned cap;
};

__device__ __forceinline__ bool test(const Filter& f, uint8_t a, uint8_t b) {
  const uint32_t k = ((uint32_t)a << 8) | b;
  return (__ldg(&f.bitmap[k >> 5]) >> (k & 31)) & 1u;
}

__device__ __forceinline__ void emit(const Sink& s, unsigned mask, int lane, bool hit, uint32_t pkt, uint32_t pos) {
  const int leader = __ffs(mask) - 1;
  unsigned base = 0;
  if (lane == leader) base = atomicAdd(s.count, __popc(mask));
  base = __shfl_sync(FULL, base, leader);
  if (hit) {
    const unsigned at = base + __popc(mask & ((1u << lane) - 1));
    if (at < s.cap) s.hits[at] = Hit{pkt, pos};
  }
}

__global__ void prefilter(const uint8_t* __restrict__ payload, const Packet* __restrict__ pkts, int npkt, Filter f,
                          Sink sink) {
  const int lane = threadIdx.x % WARP;
  const int warps = gridDim.x * (blockDim.x / WARP);
  for (int p = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; p < npkt; p += warps) {
    const Packet pk = pkts[p];
    if (pk.len < f.min_len || pk.len < 2) continue;
    const uint8_t* data = payload + pk.off;
    const uint32_t last = pk.len - 1;
    for (uint32_t base = 0; base < last; base += WARP) {
      const uint32_t i = base + lane;
      const bool hit = i < last && test(f, data[i], data[i + 1]);
      const unsigned mask = __ballot_sync(FULL, hit);
      if (mask == 0) continue;
      emit(sink, mask, lane, hit, (uint32_t)p, i);
    }
  }
}

class Engine {
 public:
  Engine(const std::vector<std::string>& patterns, unsigned cap) {
    std::vector<uint32_t> bm(2048, 0);
    for (const auto& s : patterns) {
      if (s.size() < 2) continue;
      const uint32_t k = ((uint32_t)(uint8_t)s[0] << 8) | (uint8_t)s[1];
      bm[k >> 5] |= 1u << (k & 31);
    }
    cudaMalloc(&bitmap_, bm.size() * 4);
    cudaMemcpy(bitmap_, bm.data(), bm.size() * 4, cudaMemcpyHostToDevice);
    cudaMalloc(&sink_.hits, sizeof(Hit) * cap);
    cudaMalloc(&sink_.count, sizeof(unsigned));
    sink_.cap = cap;
  }
  int scan(const uint8_t* payload, const Packet* pkts, int n, cudaStream_t s) {
    if (n <= 0) return 0;
    cudaMemsetAsync(sink_.count, 0, sizeof(unsigned), s);
    const int block = 256;
    int grid = (n * WARP + block - 1) / block;
    grid = grid > 4096 ? 4096 : grid;
    prefilter<<<grid, block, 0, s>>>(payload, pkts, n, Filter{bitmap_, 4}, sink_);
    unsigned h = 0;
    cudaMemcpyAsync(&h, sink_.count, sizeof(h), cudaMemcpyDeviceToHost, s);
    if (cudaStreamSynchronize(s) != cudaSuccess) return -1;
    return (int)(h < sink_.cap ? h : sink_.cap);
  }

 private:
  uint32_t* bitmap_ = nullptr;
  Sink sink_{};
};

}  // namespace ids

int main() {
  ids::Engine e({"GET ", "POST", "\x7f" "ELF"}, 1 << 20);
  uint8_t* pay;
  ids::Packet* pk;
  cudaMalloc(&pay, 1 << 20);
  cudaMalloc(&pk, sizeof(ids::Packet) * 1000);
  cudaMemset(pay, 'G', 1 << 20);
  cudaMemset(pk, 0, sizeof(ids::Packet) * 1000);
  printf("%d hits\n", e.scan(pay, pk, 1000, 0));
}
