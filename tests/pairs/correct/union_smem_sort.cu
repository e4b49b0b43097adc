// One-bit radix sort of a block's keys; scan and exchange phases share memory in a union.
#include <cuda_runtime.h>

constexpr int N = 256;

union Scratch {
    int scan[N];
    unsigned keys[N];
};

__device__ int exclusive_ones(Scratch& s, int flag, int& total)
{
    const int t = threadIdx.x;
    s.scan[t] = flag;
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        const int v = t >= d ? s.scan[t - d] : 0;
        __syncthreads();
        s.scan[t] += v;
        __syncthreads();
    }
    total = s.scan[N - 1];
    const int r = s.scan[t] - flag;
    __syncthreads();          // the union is about to change its role
    return r;
}

__global__ void radix_sort_blocks(unsigned* data, int n)
{
    __shared__ Scratch s;
    const int i = blockIdx.x * N + threadIdx.x;
    unsigned key = i < n ? data[i] : 0xffffffffu;
    for (int bit = 0; bit < 32; ++bit) {
        const int one = (key >> bit) & 1u;
        if (!__syncthreads_or(one)) continue;      // no key has this bit
        int ones;
        const int before = exclusive_ones(s, one, ones);
        const int dst = one ? (N - ones) + before : (int)threadIdx.x - before;
        s.keys[dst] = key;
        __syncthreads();
        key = s.keys[threadIdx.x];
        __syncthreads();
    }
    if (i < n) data[i] = key;
}

void sort_blocks(unsigned* data, int n, cudaStream_t s)
{
    if (n > 0) radix_sort_blocks<<<(n + N - 1) / N, N, 0, s>>>(data, n);
}
