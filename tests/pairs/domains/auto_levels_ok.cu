#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 256
#define CHECK_CUDA(expr)                                                   \
    do {                                                                   \
        cudaError_t rc = (expr);                                           \
        if (rc != cudaSuccess) {                                           \
            fprintf(stderr, "%s (%s:%d)\n", cudaGetErrorString(rc), __FILE__, __LINE__); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

typedef struct {
    int lo;
    int hi;
} range_t;

__device__ unsigned int g_ticket = 0;

__device__ range_t merge(range_t a, range_t b) {
    range_t r;
    r.lo = a.lo < b.lo ? a.lo : b.lo;
    r.hi = a.hi > b.hi ? a.hi : b.hi;
    return r;
}

__device__ range_t block_merge(range_t v, range_t *s) {
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = THREADS / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] = merge(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

__global__ void find_range(const unsigned short *img, int n, range_t *partial, range_t *result) {
    __shared__ range_t s[THREADS];
    __shared__ int s_last;
    range_t r = {0x7fffffff, -1};
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        range_t p = {img[i], img[i]};
        r = merge(r, p);
    }
    r = block_merge(r, s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = r;
        __threadfence();
        s_last = atomicAdd(&g_ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (s_last) {
        __threadfence();
        range_t t = {0x7fffffff, -1};
        for (int b = threadIdx.x; b < gridDim.x; b += THREADS) t = merge(t, partial[b]);
        t = block_merge(t, s);
        if (threadIdx.x == 0) {
            *result = t;
            g_ticket = 0;
        }
    }
}

__global__ void stretch(unsigned short *img, int n, const range_t *range) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int span = range->hi - range->lo;
        img[i] = span > 0 ? (unsigned short)((img[i] - range->lo) * 65535LL / span) : img[i];
    }
}

int main(int argc, char **argv) {
    int w = argc > 1 ? atoi(argv[1]) : 1920;
    int h = argc > 2 ? atoi(argv[2]) : 1080;
    int n = w * h;
    int blocks = 256;
    unsigned short *host = (unsigned short *)malloc(n * sizeof(unsigned short));
    unsigned short *dimg;
    range_t *dpart, *dres, res;
    for (int i = 0; i < n; i++) host[i] = (unsigned short)(1000 + rand() % 12000);
    CHECK_CUDA(cudaMalloc((void **)&dimg, n * sizeof(unsigned short)));
    CHECK_CUDA(cudaMalloc((void **)&dpart, blocks * sizeof(range_t)));
    CHECK_CUDA(cudaMalloc((void **)&dres, sizeof(range_t)));
    CHECK_CUDA(cudaMemcpy(dimg, host, n * sizeof(unsigned short), cudaMemcpyHostToDevice));
    find_range<<<blocks, THREADS>>>(dimg, n, dpart, dres);
    stretch<<<(n + 255) / 256, 256>>>(dimg, n, dres);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&res, dres, sizeof res, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(host, dimg, n * sizeof(unsigned short), cudaMemcpyDeviceToHost));
    printf("range %d..%d first %u\n", res.lo, res.hi, host[0]);
    cudaFree(dimg);
    cudaFree(dpart);
    cudaFree(dres);
    free(host);
    return 0;
}
