// Document signatures: every block builds a 4096-bit Bloom filter of a document in shared memory.
#include <cuda_runtime.h>
#include <cstdint>

#define SIG_BITS  4096
#define SIG_WORDS (SIG_BITS / 32)
#define NUM_HASH  3

struct Corpus {
    const uint32_t *tokens;
    const uint32_t *doc_offset;     // docs + 1
    uint32_t docs;
};

static __device__ __forceinline__ uint32_t hash_k(uint32_t x, uint32_t k)
{
    x += 0x9e3779b9u * (k + 1);
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return (x ^ (x >> 16)) % SIG_BITS;
}

static __device__ void set_bit(uint32_t *sig, uint32_t bit)
{
    atomicOr(&sig[bit >> 5], 1u << (bit & 31));
}

__global__ void build_signatures(Corpus c, uint32_t *out)
{
    __shared__ uint32_t sig[SIG_WORDS];
    for (int w = threadIdx.x; w < SIG_WORDS; w += blockDim.x)
        sig[w] = 0;
    __syncthreads();
    const uint32_t doc = blockIdx.x;
    for (uint32_t i = c.doc_offset[doc] + threadIdx.x; i < c.doc_offset[doc + 1]; i += blockDim.x)
        for (uint32_t k = 0; k < NUM_HASH; ++k)
            set_bit(sig, hash_k(c.tokens[i], k));
    __syncthreads();
    for (int w = threadIdx.x; w < SIG_WORDS; w += blockDim.x)
        out[(size_t)doc * SIG_WORDS + w] = sig[w];
}

// candidates[d] = 1 when document d may contain all query tokens
__global__ void query_signatures(const uint32_t *sigs, uint32_t docs, const uint32_t *query, int nq,
                                 uint8_t *candidates)
{
    uint32_t d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= docs)
        return;
    const uint32_t *s = sigs + (size_t)d * SIG_WORDS;
    bool all = true;
    for (int q = 0; q < nq && all; ++q)
        for (uint32_t k = 0; k < NUM_HASH; ++k) {
            uint32_t b = hash_k(query[q], k);
            all = all && (s[b >> 5] >> (b & 31) & 1u);
        }
    candidates[d] = all;
}

cudaError_t sig_index(Corpus c, uint32_t *d_sigs, cudaStream_t st)
{
    if (c.docs)
        build_signatures<<<c.docs, 128, 0, st>>>(c, d_sigs);
    return cudaGetLastError();
}

cudaError_t sig_query(const uint32_t *d_sigs, uint32_t docs, const uint32_t *d_q, int nq, uint8_t *d_cand,
                      cudaStream_t st)
{
    query_signatures<<<(docs + 255) / 256, 256, 0, st>>>(d_sigs, docs, d_q, nq, d_cand);
    return cudaGetLastError();
}
