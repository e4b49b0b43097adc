// Work-efficient exclusive scan of 512 elements per block with conflict-free padding.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int N = 2 * THREADS;

__host__ __device__ constexpr int pad(int i) { return i + (i >> 5); }

template <bool STORE_SUM>
__global__ void __launch_bounds__(THREADS) prescan(int *data, int *sums, int n)
{
    __shared__ int s[pad(N - 1) + 1];
    const int t = threadIdx.x;
    const int base = blockIdx.x * N;
    s[pad(t)] = base + t < n ? data[base + t] : 0;
    s[pad(t + THREADS)] = base + t + THREADS < n ? data[base + t + THREADS] : 0;
    int off = 1;
    for (int d = THREADS; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            const int a = pad(off * (2 * t + 1) - 1), b = pad(off * (2 * t + 2) - 1);
            s[b] += s[a];
        }
        off <<= 1;
    }
    if (t == 0) { // thread 0 made the last update of the root
        if (STORE_SUM)
            sums[blockIdx.x] = s[pad(N - 1)];
        s[pad(N - 1)] = 0;
    }
    for (int d = 1; d < N; d <<= 1) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = pad(off * (2 * t + 1) - 1), b = pad(off * (2 * t + 2) - 1);
            const int x = s[a];
            s[a] = s[b];
            s[b] += x;
        }
    }
    __syncthreads();
    if (base + t < n)
        data[base + t] = s[pad(t)];
    if (base + t + THREADS < n)
        data[base + t + THREADS] = s[pad(t + THREADS)];
}

__global__ void __launch_bounds__(THREADS) add_base(int *data, const int *__restrict__ sums, int n)
{
    const int add = sums[blockIdx.x];
    for (int i = threadIdx.x; i < N; i += THREADS)
        if (blockIdx.x * N + i < n)
            data[blockIdx.x * N + i] += add;
}

int main()
{
    const int n = 200001;
    const int blocks = (n + N - 1) / N;
    if (blocks > N)
        return 1; // one level is enough here
    std::vector<int> h(n, 1);
    int *d, *sums;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    prescan<true><<<blocks, THREADS>>>(d, sums, n);
    prescan<false><<<1, THREADS>>>(sums, nullptr, blocks);
    add_base<<<blocks, THREADS>>>(d, sums, n);
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[n - 1], cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    cudaFree(sums);
    return 0;
}
