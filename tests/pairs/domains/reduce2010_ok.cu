#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BLOCK_SIZE 256
#define MAX_BLOCKS 64

#define cutilSafeCall(err) __cudaSafeCall(err, __FILE__, __LINE__)
static inline void __cudaSafeCall(cudaError_t err, const char* file, const int line) {
    if (cudaSuccess != err) {
        fprintf(stderr, "%s(%i): %s\n", file, line, cudaGetErrorString(err));
        exit(-1);
    }
}

#define FOLD(off) { sum = sum + sdata[tid + (off)]; __syncwarp(); sdata[tid] = sum; __syncwarp(); }

/* dot product of two vectors, grid-stride, one partial result per block */
__global__ void dotKernel(const float* g_a, const float* g_b, float* g_out, unsigned int n) {
    __shared__ volatile float sdata[BLOCK_SIZE];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * BLOCK_SIZE + tid;
    const unsigned int gridSize = BLOCK_SIZE * gridDim.x;
    float sum = 0.0f;

    while (i < n) {
        sum += g_a[i] * g_b[i];
        i += gridSize;
    }
    sdata[tid] = sum;
    __syncthreads();

    if (tid < 128) { sdata[tid] = sum = sum + sdata[tid + 128]; }
    __syncthreads();
    if (tid < 64) { sdata[tid] = sum = sum + sdata[tid + 64]; }
    __syncthreads();

    if (tid < 32) {
        FOLD(32)
        FOLD(16)
        FOLD(8)
        FOLD(4)
        FOLD(2)
        FOLD(1)
    }
    if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

static void getNumBlocks(unsigned int n, int* blocks) {
    int b = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    *blocks = b < MAX_BLOCKS ? b : MAX_BLOCKS;
}

int main(int argc, char** argv) {
    unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 1u << 20;
    int blocks, i;
    float *h_a, *h_b, h_part[MAX_BLOCKS];
    float *d_a, *d_b, *d_part;
    double gpu = 0.0, cpu = 0.0;

    h_a = (float*)malloc(n * sizeof(float));
    h_b = (float*)malloc(n * sizeof(float));
    for (i = 0; i < (int)n; i++) {
        h_a[i] = (rand() & 0xff) / 255.0f;
        h_b[i] = (rand() & 0xff) / 255.0f;
        cpu += (double)h_a[i] * h_b[i];
    }
    cutilSafeCall(cudaMalloc((void**)&d_a, n * sizeof(float)));
    cutilSafeCall(cudaMalloc((void**)&d_b, n * sizeof(float)));
    cutilSafeCall(cudaMalloc((void**)&d_part, MAX_BLOCKS * sizeof(float)));
    cutilSafeCall(cudaMemcpy(d_a, h_a, n * sizeof(float), cudaMemcpyHostToDevice));
    cutilSafeCall(cudaMemcpy(d_b, h_b, n * sizeof(float), cudaMemcpyHostToDevice));

    getNumBlocks(n, &blocks);
    dotKernel<<<blocks, BLOCK_SIZE>>>(d_a, d_b, d_part, n);
    cutilSafeCall(cudaGetLastError());
    cutilSafeCall(cudaMemcpy(h_part, d_part, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    for (i = 0; i < blocks; i++) gpu += h_part[i];
    printf("gpu %f cpu %f\n", gpu, cpu);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_part);
    free(h_a);
    free(h_b);
    return 0;
}
