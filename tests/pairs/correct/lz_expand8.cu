// Expands LZ-type token lists, an octet to a chunk; chunks do not refer to one another.
#include <cuda_runtime.h>
#include <cstdint>

struct Token {
    uint16_t literals;  // copied from the literal stream
    uint16_t length;    // then copied from what was written before
    uint16_t distance;  // 1 .. bytes written so far
};

struct Chunk {
    uint32_t first_token, tokens;
    uint32_t literal_start;
    uint32_t out_start, out_size;
};

__global__ void expand(const Chunk *chunks, int n, const Token *tokens, const uint8_t *literals,
                       uint8_t *out, int *errors)
{
    const int id = (blockIdx.x * blockDim.x + threadIdx.x) >> 3;
    if (id >= n)
        return;
    const uint32_t sub = threadIdx.x & 7;
    const unsigned mask = 0xffu << (threadIdx.x & 24);
    const Chunk chunk = chunks[id];
    uint8_t *dst = out + chunk.out_start;
    const uint8_t *lit = literals + chunk.literal_start;

    uint32_t written = 0;
    bool bad = false;
    for (uint32_t t = 0; t < chunk.tokens; ++t) {
        const Token tok = tokens[chunk.first_token + t];
        const uint32_t after = written + tok.literals;
        if (after + tok.length > chunk.out_size || (tok.length && (tok.distance == 0 ||
                                                                   tok.distance > after))) {
            bad = true;
            break;
        }
        for (uint32_t k = sub; k < tok.literals; k += 8)
            dst[written + k] = lit[k];
        lit += tok.literals;
        written = after;
        __syncwarp(mask);

        // an overlapping match repeats its period, which lies wholly before `after`
        const uint8_t *src = dst + after - tok.distance;
        for (uint32_t k = sub; k < tok.length; k += 8)
            dst[after + k] = src[k % tok.distance];
        written += tok.length;
        __syncwarp(mask);
    }
    if (bad && sub == 0)
        atomicAdd(errors, 1);
}

int expand_chunks(const Chunk *chunks, int n, const Token *tokens, const uint8_t *literals,
                  uint8_t *out, int *errors, cudaStream_t stream)
{
    if (n < 0 || n > (1 << 27))
        return 1;
    if (cudaMemsetAsync(errors, 0, sizeof(int), stream) != cudaSuccess)
        return 2;
    if (n == 0)
        return 0;
    expand<<<(n + 31) / 32, 256, 0, stream>>>(chunks, n, tokens, literals, out, errors);
    return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
