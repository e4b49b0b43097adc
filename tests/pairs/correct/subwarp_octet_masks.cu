// Octets (8 lanes) process variable-length postings independently; every collective
// names only its octet.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

__device__ __forceinline__ unsigned octetMask() { return 0xffu << (threadIdx.x & 24); }

__device__ __forceinline__ float octetSum(unsigned m, float v)
{
    v += __shfl_xor_sync(m, v, 4, 8);
    v += __shfl_xor_sync(m, v, 2, 8);
    v += __shfl_xor_sync(m, v, 1, 8);
    return v;
}

__global__ void __launch_bounds__(256)
scoreDocs(const int* __restrict__ off, const uint32_t* __restrict__ term, const float* __restrict__ tf, int docs,
          const float* __restrict__ idf, float threshold, float* __restrict__ score, uint8_t* __restrict__ pass)
{
    const unsigned m = octetMask();
    const int sub = threadIdx.x & 7;
    const int perBlock = blockDim.x >> 3;
    for (int d = blockIdx.x * perBlock + (threadIdx.x >> 3); d < docs; d += gridDim.x * perBlock) {
        const int b = off[d], e = off[d + 1];
        float acc = 0.f;
        // Trip count depends on the document only, the same for the octet.
        for (int base = b; base < e; base += 8) {
            const int k = base + sub;
            const float c = k < e ? idf[term[k]] * tf[k] : 0.f;
            acc += octetSum(m, c);
            if (acc > 1e6f) break;      // acc is equal in all lanes of the octet
        }
        if (acc <= threshold) {
            if (sub == 0) { score[d] = 0.f; pass[d] = 0; }
            continue;
        }
        const unsigned bits = __ballot_sync(m, sub < e - b) >> (threadIdx.x & 24) & 0xffu;
        if (sub == 0) { score[d] = acc / (float)max(1, __popc(bits)); pass[d] = 1; }
    }
}

void scoreAll(const int* off, const uint32_t* term, const float* tf, int docs, const float* idf, float thr, float* score,
              uint8_t* pass, cudaStream_t s)
{
    if (docs < 0 || docs > (1 << 28)) throw std::invalid_argument("docs");
    if (docs == 0) return;
    int grid = (docs + 31) / 32;
    if (grid > 2048) grid = 2048;
    scoreDocs<<<grid, 256, 0, s>>>(off, term, tf, docs, idf, thr, score, pass);
}

int main()
{
    const int docs = 5;
    const int ho[docs + 1] = {0, 3, 20, 20, 41, 42};
    int* off; uint32_t* term; float *tf, *idf, *sc; uint8_t* ps;
    cudaMalloc(&off, sizeof ho); cudaMalloc(&term, 42 * 4); cudaMalloc(&tf, 42 * 4);
    cudaMalloc(&idf, 400); cudaMalloc(&sc, docs * 4); cudaMalloc(&ps, docs);
    cudaMemcpy(off, ho, sizeof ho, cudaMemcpyHostToDevice);
    cudaMemset(term, 0, 42 * 4); cudaMemset(tf, 0, 42 * 4); cudaMemset(idf, 0, 400);
    scoreAll(off, term, tf, docs, idf, 0.5f, sc, ps, 0);
    cudaDeviceSynchronize();
    cudaFree(off); cudaFree(term); cudaFree(tf); cudaFree(idf); cudaFree(sc); cudaFree(ps);
    return 0;
}
