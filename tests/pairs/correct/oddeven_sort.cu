// Odd-even transposition sort of short rows, two elements per thread.
#include <cassert>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Rows {
    int *data;
    int width; // even, at most 2 * blockDim.x
    int count;
};

__device__ __forceinline__ void order(int &a, int &b)
{
    if (a > b) {
        const int t = a;
        a = b;
        b = t;
    }
}

__global__ void oddeven_rows(Rows r)
{
    extern __shared__ int s[];
    const int row = blockIdx.x;
    int *g = r.data + (size_t)row * r.width;
    for (int i = threadIdx.x; i < r.width; i += blockDim.x)
        s[i] = g[i];
    __syncthreads();
    for (int round = 0; round < r.width; ++round) {
        const int i = 2 * threadIdx.x + (round & 1);
        if (i + 1 < r.width)
            order(s[i], s[i + 1]);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < r.width; i += blockDim.x)
        g[i] = s[i];
}

static void sort_rows(Rows r, cudaStream_t st)
{
    assert(r.width % 2 == 0 && r.width > 0 && r.width <= 2048);
    int threads = (r.width / 2 + 31) / 32 * 32;
    oddeven_rows<<<r.count, threads, r.width * sizeof(int), st>>>(r);
}

int main()
{
    Rows r{nullptr, 500, 64};
    std::vector<int> h(r.width * r.count);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = (int)(i * 2654435761u >> 8) % 10000;
    cudaMalloc(&r.data, h.size() * sizeof(int));
    cudaMemcpy(r.data, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);
    sort_rows(r, 0);
    cudaMemcpy(h.data(), r.data, h.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 1; i < r.width; ++i)
        if (h[i - 1] > h[i]) {
            printf("not sorted at %d\n", i);
            return 1;
        }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(r.data);
    return 0;
}
