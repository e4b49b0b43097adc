#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <cuda_runtime.h>

static const int KMER = 11;
static const int THREADS = 64;

struct ReadBatch {
    const char* bases;
    const int* offsets;
    int numReads;
};

static inline void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) {
        fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

__device__ __forceinline__ uint32_t encode(char c) {
    switch (c) {
        case 'A': return 0u;
        case 'C': return 1u;
        case 'G': return 2u;
        default: return 3u;
    }
}

__device__ uint32_t packKmer(const char* s) {
    uint32_t k = 0;
    for (int i = 0; i < KMER; ++i) k = (k << 2) | encode(s[i]);
    return k;
}

__device__ __forceinline__ uint32_t mix(uint32_t h) {
    h ^= h >> 16; h *= 0x85ebca6bu;
    h ^= h >> 13; h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* one block per read; picks the minimum hash of every run of THREADS windows */
__global__ void minimizers(ReadBatch b, uint32_t* out, int outStride) {
    __shared__ uint32_t hashes[THREADS];
    const int read = blockIdx.x;
    const char* seq = b.bases + b.offsets[read];
    const int len = b.offsets[read + 1] - b.offsets[read];
    const int nWin = len - KMER + 1;
    int round = 0;

    for (int p = threadIdx.x; p < nWin; p += THREADS) {
        hashes[threadIdx.x] = p < nWin ? mix(packKmer(seq + p)) : 0xffffffffu;
        __syncthreads();
        for (int s = THREADS / 2; s > 0; s >>= 1) {
            if (threadIdx.x < s) {
                uint32_t o = hashes[threadIdx.x + s];
                if (o < hashes[threadIdx.x]) hashes[threadIdx.x] = o;
            }
            __syncthreads();
        }
        if (threadIdx.x == 0 && round < outStride) out[read * outStride + round] = hashes[0];
        ++round;
        __syncthreads();
    }
}

int main(int argc, char** argv) {
    const int reads = argc > 1 ? atoi(argv[1]) : 4096;
    const int readLen = argc > 2 ? atoi(argv[2]) : 150;
    const int stride = (readLen + THREADS - 1) / THREADS;
    std::vector<char> seq((size_t)reads * readLen);
    std::vector<int> offs(reads + 1);
    for (size_t i = 0; i < seq.size(); ++i) seq[i] = "ACGT"[(i * 2654435761u >> 7) & 3];
    for (int i = 0; i <= reads; ++i) offs[i] = i * readLen;

    char* dSeq; int* dOff; uint32_t* dOut;
    check(cudaMalloc(&dSeq, seq.size()), "malloc seq");
    check(cudaMalloc(&dOff, offs.size() * sizeof(int)), "malloc off");
    check(cudaMalloc(&dOut, (size_t)reads * stride * sizeof(uint32_t)), "malloc out");
    check(cudaMemcpy(dSeq, seq.data(), seq.size(), cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(dOff, offs.data(), offs.size() * sizeof(int), cudaMemcpyHostToDevice), "copy");
    ReadBatch batch = {dSeq, dOff, reads};
    minimizers<<<reads, THREADS>>>(batch, dOut, stride);
    check(cudaDeviceSynchronize(), "kernel");
    uint32_t first;
    check(cudaMemcpy(&first, dOut, sizeof first, cudaMemcpyDeviceToHost), "copy back");
    printf("%08x\n", first);
    return 0;
}
