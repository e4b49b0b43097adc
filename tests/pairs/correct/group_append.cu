// Appends items to per-key lists, one atomic per distinct key in the warp.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Lists {
    int *count;    // per key
    int *items;    // keys * capacity
    int capacity;
    int keys;
};

__device__ int append_slot(int *count, int key)
{
    const unsigned active = __activemask();
    const unsigned peers = __match_any_sync(active, key);
    const int lane = threadIdx.x & 31;
    const int leader = __ffs(peers) - 1;
    const int rank = __popc(peers & ((1u << lane) - 1));
    int base = 0;
    if (lane == leader)
        base = atomicAdd(&count[key], __popc(peers));
    base = __shfl_sync(peers, base, leader);
    return base + rank;
}

__global__ void bin_items(const int *__restrict__ key, int n, Lists l)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int k = key[i];
    if (k < 0 || k >= l.keys)
        return;
    const int slot = append_slot(l.count, k);
    if (slot < l.capacity)
        l.items[(size_t)k * l.capacity + slot] = i;
}

int main()
{
    const int n = 50000, keys = 64;
    std::vector<int> key(n);
    for (int i = 0; i < n; ++i)
        key[i] = (i * 31 + i / 64) % (keys + 2) - 1;
    int *dk;
    Lists l{};
    l.keys = keys;
    l.capacity = 512;
    cudaMalloc(&dk, n * sizeof(int));
    cudaMalloc(&l.count, keys * sizeof(int));
    cudaMalloc(&l.items, (size_t)keys * l.capacity * sizeof(int));
    cudaMemcpy(dk, key.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(l.count, 0, keys * sizeof(int));
    bin_items<<<(n + 255) / 256, 256>>>(dk, n, l);
    std::vector<int> c(keys);
    cudaMemcpy(c.data(), l.count, keys * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %s\n", c[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(dk);
    cudaFree(l.count);
    cudaFree(l.items);
    return 0;
}
