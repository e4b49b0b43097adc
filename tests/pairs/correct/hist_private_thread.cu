// 64-bin byte histogram with private per-thread byte counters (no atomics in the hot loop).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int BINS = 64;
constexpr int THREADS = 64;
constexpr int MAX_PER_THREAD = 255; // a byte counter may not overflow

// [bin][thread]: neighbouring bytes belong to different threads
__global__ void __launch_bounds__(THREADS) hist64(const unsigned char *__restrict__ data, int n, unsigned *hist)
{
    __shared__ unsigned char cnt[BINS][THREADS];
    const int t = threadIdx.x;
#pragma unroll 8
    for (int b = 0; b < BINS; ++b)
        cnt[b][t] = 0;
    const int chunk = THREADS * MAX_PER_THREAD;
    const int beg = blockIdx.x * chunk;
    const int end = min(n, beg + chunk);
    for (int i = beg + t; i < end; i += THREADS)
        ++cnt[data[i] >> 2][t];
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < THREADS; ++k)
        sum += cnt[t][(k + t) & (THREADS - 1)]; // thread t adds up bin t
    if (sum)
        atomicAdd(&hist[t], sum);
}
static_assert(BINS == THREADS, "each thread merges one bin");

int main()
{
    const int n = 1 << 20;
    std::vector<unsigned char> h(n);
    for (int i = 0; i < n; ++i)
        h[i] = (unsigned char)(i * 7 + (i >> 5));
    unsigned char *d;
    unsigned *dh;
    cudaMalloc(&d, n);
    cudaMalloc(&dh, BINS * sizeof(unsigned));
    cudaMemcpy(d, h.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(dh, 0, BINS * sizeof(unsigned));
    const int chunk = THREADS * MAX_PER_THREAD;
    hist64<<<(n + chunk - 1) / chunk, THREADS>>>(d, n, dh);
    unsigned out[BINS];
    cudaMemcpy(out, dh, sizeof(out), cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; ++b)
        printf("%u ", out[b]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    cudaFree(dh);
    return 0;
}
