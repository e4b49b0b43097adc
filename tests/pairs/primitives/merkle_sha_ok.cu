#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

// Merkle roots over fixed size leaves. A block folds up to 256 leaf digests
// to one node, the host repeats the pass until a single root is left.

struct Digest {
  uint32_t w[8];
};

__constant__ uint32_t kInit[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
__constant__ uint32_t kRound[16] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
                                    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
                                    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174};

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

// Reduced compression function, the node hash of the ledger format.
__device__ Digest hashPair(const Digest& l, const Digest& r) {
  uint32_t m[16];
#pragma unroll
  for (int i = 0; i < 8; ++i) m[i] = l.w[i], m[8 + i] = r.w[i];
  uint32_t s[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) s[i] = kInit[i];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const uint32_t s1 = rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25);
    const uint32_t ch = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t t1 = s[7] + s1 + ch + kRound[i] + m[i];
    const uint32_t s0 = rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22);
    const uint32_t t2 = s0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
    s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
  }
  Digest d;
#pragma unroll
  for (int i = 0; i < 8; ++i) d.w[i] = s[i] + kInit[i];
  return d;
}

template <int LEAVES>
class TreeFold {
 public:
  struct Storage {
    Digest node[LEAVES];
  };

  __device__ explicit TreeFold(Storage& st) : st_(st) {}

  __device__ void fold(int count) {
    const int t = threadIdx.x;
    int n = count;
    for (; n > 32; n = (n + 1) / 2) {
      const Digest d = combine(t, n);
      __syncthreads();
      if (t < (n + 1) / 2) st_.node[t] = d;
      __syncthreads();
    }
    if (t < 32) {
      for (; n > 1; n = (n + 1) / 2) {
        const Digest d = combine(t, n);
        __syncwarp();
        if (t < (n + 1) / 2) st_.node[t] = d;
        __syncwarp();
      }
    }
  }

 private:
  // An odd node at the end of a level is carried up unchanged.
  __device__ Digest combine(int t, int n) const {
    if (2 * t + 1 < n) return hashPair(st_.node[2 * t], st_.node[2 * t + 1]);
    if (2 * t < n) return st_.node[2 * t];
    return Digest{};
  }

  Storage& st_;
};

template <int LEAVES>
__global__ void __launch_bounds__(LEAVES) foldLevel(const Digest* in, int count, Digest* out) {
  using Fold = TreeFold<LEAVES>;
  __shared__ typename Fold::Storage st;
  const int base = blockIdx.x * LEAVES;
  const int mine = min(LEAVES, count - base);
  if (threadIdx.x < mine) st.node[threadIdx.x] = in[base + threadIdx.x];
  __syncthreads();
  Fold(st).fold(mine);
  if (threadIdx.x == 0) out[blockIdx.x] = st.node[0];
}

class MerkleTree {
 public:
  static constexpr int kLeaves = 256;

  Digest root(const std::vector<Digest>& leaves) {
    Digest *a = nullptr, *b = nullptr;
    cudaMalloc(&a, leaves.size() * sizeof(Digest));
    cudaMalloc(&b, (leaves.size() / kLeaves + 1) * sizeof(Digest));
    cudaMemcpy(a, leaves.data(), leaves.size() * sizeof(Digest), cudaMemcpyHostToDevice);
    int n = static_cast<int>(leaves.size());
    while (n > 1) {
      const int blocks = (n + kLeaves - 1) / kLeaves;
      foldLevel<kLeaves><<<blocks, kLeaves>>>(a, n, b);
      std::swap(a, b);
      n = blocks;
    }
    Digest r{};
    cudaMemcpy(&r, a, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(a), cudaFree(b);
    return r;
  }
};

int main() {
  std::vector<Digest> leaves(100001);
  for (size_t i = 0; i < leaves.size(); ++i)
    for (int k = 0; k < 8; ++k) leaves[i].w[k] = uint32_t(i * 8 + k);
  const Digest r = MerkleTree().root(leaves);
  for (uint32_t w : r.w) printf("%08x", w);
  printf("\n%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
