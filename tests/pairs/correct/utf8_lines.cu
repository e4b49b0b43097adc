// Finds line starts in a text chunk per warp: 4 bytes per lane, ranks by shuffled scan.
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ unsigned newline_bits(uint32_t w)
{
    unsigned m = 0;
#pragma unroll
    for (int b = 0; b < 4; ++b)
        if (((w >> (8 * b)) & 0xffu) == '\n') m |= 1u << b;
    return m;
}

__global__ void count_lines(const uint32_t* __restrict__ text, int words, int chunk_words,
                            int* __restrict__ counts, int chunks)
{
    const int chunk = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (chunk >= chunks) return;
    const int lane = threadIdx.x & 31;
    const int b = chunk * chunk_words;
    const int e = min(b + chunk_words, words);
    int c = 0;
    for (int i = b + lane; i < e; i += 32) c += __popc(newline_bits(text[i]));
    c = __reduce_add_sync(0xffffffffu, c);
    if (lane == 0) counts[chunk] = c;
}

// offsets = exclusive scan of counts
__global__ void write_lines(const uint32_t* __restrict__ text, int words, int chunk_words,
                            const int* __restrict__ offsets, int* __restrict__ starts, int chunks)
{
    const int chunk = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (chunk >= chunks) return;
    const int lane = threadIdx.x & 31;
    const int b = chunk * chunk_words;
    const int e = min(b + chunk_words, words);
    int at = offsets[chunk];

    for (int i0 = b; i0 < e; i0 += 32) {
        const int i = i0 + lane;
        unsigned m = i < e ? newline_bits(text[i]) : 0u;
        const int own = __popc(m);
        if (!__any_sync(0xffffffffu, own > 0)) continue;

        int incl = own;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const int t = __shfl_up_sync(0xffffffffu, incl, d);
            if (lane >= d) incl += t;
        }
        int pos = at + incl - own;
        while (m) {
            const int k = __ffs(m) - 1;
            starts[pos++] = i * 4 + k + 1;
            m &= m - 1;
        }
        at += __shfl_sync(0xffffffffu, incl, 31);
    }
}

void run_count(const uint32_t* text, int words, int* counts, cudaStream_t s)
{
    const int cw = 2048, chunks = (words + cw - 1) / cw;
    if (chunks) count_lines<<<(chunks + 3) / 4, 128, 0, s>>>(text, words, cw, counts, chunks);
}

void run_write(const uint32_t* text, int words, const int* offsets, int* starts, cudaStream_t s)
{
    const int cw = 2048, chunks = (words + cw - 1) / cw;
    if (chunks) write_lines<<<(chunks + 3) / 4, 128, 0, s>>>(text, words, cw, offsets, starts, chunks);
}
