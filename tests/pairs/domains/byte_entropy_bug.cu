#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

typedef unsigned char byte;
typedef unsigned int uint;

#define WARP_SIZE 32
#define WARPS 6
#define BINS 256
#define THREADS (WARPS * WARP_SIZE)

/* byte statistics for the entropy coder: one histogram per block of the input */

__device__ void addByte(uint *warpBins, uint value) {
    warpBins[value & 0xffu]++;
}

__device__ void addWord(uint *warpBins, uint w) {
    addByte(warpBins, w >> 0);
    addByte(warpBins, w >> 8);
    addByte(warpBins, w >> 16);
    addByte(warpBins, w >> 24);
}

__global__ void histogramChunks(const uint *data, uint wordsPerChunk, uint totalWords, uint *hist) {
    __shared__ uint bins[WARPS][BINS];
    const uint wid = threadIdx.x / WARP_SIZE;
    const uint first = blockIdx.x * wordsPerChunk;
    uint last = first + wordsPerChunk;
    if (last > totalWords) last = totalWords;

    for (uint i = threadIdx.x; i < WARPS * BINS; i += THREADS) (&bins[0][0])[i] = 0;
    __syncthreads();

    for (uint i = first + threadIdx.x; i < last; i += THREADS) addWord(bins[wid], data[i]);
    __syncthreads();

    for (uint b = threadIdx.x; b < BINS; b += THREADS) {
        uint sum = 0;
        for (uint w = 0; w < WARPS; ++w) sum += bins[w][b];
        hist[blockIdx.x * BINS + b] = sum;
    }
}

static double entropy(const uint *hist, uint bytes) {
    double h = 0.0;
    for (int b = 0; b < BINS; ++b) {
        if (hist[b]) {
            double p = (double)hist[b] / bytes;
            h -= p * log2(p);
        }
    }
    return h;
}

int main(int argc, char **argv) {
    uint megabytes = argc > 1 ? (uint)atoi(argv[1]) : 16;
    uint words = megabytes << 18;
    uint wordsPerChunk = 16384;
    uint chunks = (words + wordsPerChunk - 1) / wordsPerChunk;
    byte *h_data = (byte *)malloc((size_t)words * 4);
    uint *d_data, *d_hist, *h_hist;
    for (size_t i = 0; i < (size_t)words * 4; ++i) h_data[i] = (byte)((rand() & 0x3f) + (rand() & 0x1f));

    if (cudaMalloc((void **)&d_data, (size_t)words * 4) != cudaSuccess ||
        cudaMalloc((void **)&d_hist, chunks * BINS * sizeof(uint)) != cudaSuccess) {
        fprintf(stderr, "out of device memory\n");
        return 1;
    }
    cudaMemcpy(d_data, h_data, (size_t)words * 4, cudaMemcpyHostToDevice);
    histogramChunks<<<chunks, THREADS>>>(d_data, wordsPerChunk, words, d_hist);
    h_hist = (uint *)malloc(chunks * BINS * sizeof(uint));
    cudaMemcpy(h_hist, d_hist, chunks * BINS * sizeof(uint), cudaMemcpyDeviceToHost);
    printf("chunk 0: %.4f bits per byte, %s\n", entropy(h_hist, wordsPerChunk * 4),
           cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_data);
    cudaFree(d_hist);
    free(h_data);
    free(h_hist);
    return 0;
}
