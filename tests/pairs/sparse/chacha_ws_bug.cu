/*
 * ChaCha20 encryption. Two warps of a block make key stream, six warps xor it
 * with the text; they meet at named barriers, two buffers.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N_PROD 64
#define N_CONS 192
#define N_ALL (N_CONS + 32)
#define WORDS (N_PROD * 16)

#define BAR_FULL(b) (1 + (b))
#define BAR_FREE(b) (3 + (b))

__device__ __forceinline__ void bar_sync(int id, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ __forceinline__ void bar_arrive(int id, int count)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

struct chacha_key {
    uint32_t k[8];
    uint32_t nonce[3];
};

__device__ __forceinline__ uint32_t rotl(uint32_t v, int n) { return __funnelshift_l(v, v, n); }

#define QR(a, b, c, d)                    \
    a += b; d = rotl(d ^ a, 16);          \
    c += d; b = rotl(b ^ c, 12);          \
    a += b; d = rotl(d ^ a, 8);           \
    c += d; b = rotl(b ^ c, 7)

__device__ void chacha_block(const chacha_key &key, uint32_t counter, uint32_t *out)
{
    uint32_t s[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
    for (int i = 0; i < 8; ++i) s[4 + i] = key.k[i];
    s[12] = counter;
    for (int i = 0; i < 3; ++i) s[13 + i] = key.nonce[i];
    uint32_t x[16];
    for (int i = 0; i < 16; ++i) x[i] = s[i];
    for (int r = 0; r < 10; ++r) {
        QR(x[0], x[4], x[8], x[12]);
        QR(x[1], x[5], x[9], x[13]);
        QR(x[2], x[6], x[10], x[14]);
        QR(x[3], x[7], x[11], x[15]);
        QR(x[0], x[5], x[10], x[15]);
        QR(x[1], x[6], x[11], x[12]);
        QR(x[2], x[7], x[8], x[13]);
        QR(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < 16; ++i) out[i] = x[i] + s[i];
}

__global__ void __launch_bounds__(N_PROD + N_CONS)
encrypt(chacha_key key, const uint32_t *__restrict__ in, uint32_t *__restrict__ out, uint32_t chunks)
{
    __shared__ uint32_t stream[2][WORDS];
    int b = 0, use = 0;
    if (threadIdx.x < N_PROD) {
        for (uint32_t c = blockIdx.x; c < chunks; c += gridDim.x, b ^= 1, ++use) {
            if (use >= 2)
                bar_sync(BAR_FREE(b), N_ALL);
            chacha_block(key, c * N_PROD + threadIdx.x, &stream[b][threadIdx.x * 16]);
            bar_arrive(BAR_FULL(b), N_ALL);
        }
    } else {
        const int t = threadIdx.x - N_PROD;
        for (uint32_t c = blockIdx.x; c < chunks; c += gridDim.x, b ^= 1) {
            bar_sync(BAR_FULL(b), N_ALL);
            for (int w = t; w < WORDS; w += N_CONS) {
                const size_t g = (size_t)c * WORDS + w;
                out[g] = in[g] ^ stream[b][w];
            }
            if (c + 2 * (uint64_t)gridDim.x < chunks)
                bar_arrive(BAR_FREE(b), N_ALL);
        }
    }
}

int main(void)
{
    const uint32_t chunks = 5000;
    const size_t bytes = (size_t)chunks * WORDS * 4;
    uint32_t *h = (uint32_t *)malloc(bytes), *in, *out;
    for (size_t i = 0; i < bytes / 4; ++i) h[i] = (uint32_t)(i * 2654435761u);
    if (cudaMalloc(&in, bytes) || cudaMalloc(&out, bytes)) return 1;
    cudaMemcpy(in, h, bytes, cudaMemcpyHostToDevice);
    chacha_key key;
    for (int i = 0; i < 8; ++i) key.k[i] = 0x01020304u * (i + 1);
    for (int i = 0; i < 3; ++i) key.nonce[i] = 77u + i;
    encrypt<<<216, N_PROD + N_CONS>>>(key, in, out, chunks);
    encrypt<<<216, N_PROD + N_CONS>>>(key, out, in, chunks);
    cudaMemcpy(h, in, bytes, cudaMemcpyDeviceToHost);
    size_t bad = 0;
    for (size_t i = 0; i < bytes / 4; ++i) bad += h[i] != (uint32_t)(i * 2654435761u);
    printf("%zu words differ\n", bad);
    free(h);
    return bad != 0;
}
