#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int kProducers = 32;
constexpr int kConsumers = 128;
constexpr int kAll = kProducers + kConsumers;
constexpr int kWords = kProducers * 16;  // key stream words per stage

struct ChaChaKey {
    uint32_t key[8];
    uint32_t nonce[3];
};

enum BarrierId { FULL0 = 1, EMPTY0 = 3 };

__device__ __forceinline__ void barSync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void barArrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

__device__ __forceinline__ uint32_t rotl(uint32_t x, int n) { return __funnelshift_l(x, x, n); }
#define QR(a, b, c, d)              \
    a += b; d = rotl(d ^ a, 16);    \
    c += d; b = rotl(b ^ c, 12);    \
    a += b; d = rotl(d ^ a, 8);     \
    c += d; b = rotl(b ^ c, 7);

__device__ void chachaBlock(const ChaChaKey& k, uint32_t counter, uint32_t* out) {
    uint32_t s[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u,
                      k.key[0], k.key[1], k.key[2], k.key[3], k.key[4], k.key[5], k.key[6], k.key[7],
                      counter, k.nonce[0], k.nonce[1], k.nonce[2]};
    uint32_t x[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = s[i];
    for (int r = 0; r < 10; ++r) {
        QR(x[0], x[4], x[8], x[12]) QR(x[1], x[5], x[9], x[13])
        QR(x[2], x[6], x[10], x[14]) QR(x[3], x[7], x[11], x[15])
        QR(x[0], x[5], x[10], x[15]) QR(x[1], x[6], x[11], x[12])
        QR(x[2], x[7], x[8], x[13]) QR(x[3], x[4], x[9], x[14])
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) out[i] = x[i] + s[i];
}

// Warp 0 makes the key stream, the other warps apply it.
__global__ void __launch_bounds__(kAll) chachaXor(ChaChaKey key, uint32_t* text, int words, int chunksPerBlock) {
    __shared__ uint32_t stream[2][kWords];
    const int chunks = (words + kWords - 1) / kWords;
    const int begin = blockIdx.x * chunksPerBlock;
    const int end = min(begin + chunksPerBlock, chunks);

    if (threadIdx.x < kProducers) {
        for (int c = begin; c < end; ++c) {
            const int s = (c - begin) & 1;
            if (c - begin >= 2) barSync(EMPTY0 + s, kAll);
            chachaBlock(key, uint32_t(c * kProducers + threadIdx.x), &stream[s][threadIdx.x * 16]);
            __threadfence_block();
            barArrive(FULL0 + s, kAll);
        }
    } else {
        const int t = threadIdx.x - kProducers;
        for (int c = begin; c < end; ++c) {
            const int s = (c - begin) & 1;
            barSync(FULL0 + s, kAll);
            for (int i = t; i < kWords; i += kConsumers) {
                const int w = c * kWords + i;
                if (w < words) text[w] ^= stream[s][i];
            }
            if (c + 2 < end) barArrive(EMPTY0 + s, kAll);
        }
    }
}

int main(int argc, char** argv) {
    const int words = (argc > 1 ? std::atoi(argv[1]) : 1 << 20) / 4;
    ChaChaKey key{};
    for (int i = 0; i < 8; ++i) key.key[i] = 0x03020100u + 0x04040404u * i;
    std::vector<uint32_t> h(words, 0u);
    uint32_t* d = nullptr;
    if (cudaMalloc(&d, words * sizeof(uint32_t)) != cudaSuccess) return 1;
    cudaMemcpy(d, h.data(), words * sizeof(uint32_t), cudaMemcpyHostToDevice);
    const int chunks = (words + kWords - 1) / kWords;
    const int per = 8;
    chachaXor<<<(chunks + per - 1) / per, kAll>>>(key, d, words, per);
    cudaError_t e = cudaMemcpy(h.data(), d, words * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    std::printf("%08x %08x (%s)\n", h[0], h[words - 1], cudaGetErrorString(e));
    cudaFree(d);
    return e != cudaSuccess;
}
