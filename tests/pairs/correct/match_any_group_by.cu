// GROUP BY pre-aggregation: lanes with an equal key combine, the group's leader
// issues one atomic. The loop is padded, so that all lanes take every round.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

__device__ __forceinline__ int sumPeers(unsigned peers, int v)
{
    const int lane = threadIdx.x & 31;
    const unsigned all = peers;
    int rank = __popc(peers & ((1u << lane) - 1));
    // tree over the members of the group (peer reduction)
    peers &= ~1u << lane;       // members above me
    while (__any_sync(all, peers)) {
        const int next = __ffs(peers);
        const int t = __shfl_sync(all, v, next ? next - 1 : lane);
        if (next) v += t;
        const bool done = rank & 1;
        peers &= __ballot_sync(all, !done);
        rank >>= 1;
    }
    return v;
}

__global__ void __launch_bounds__(256)
groupBySum(const uint32_t* __restrict__ keys, const int* __restrict__ vals, int n, int* __restrict__ sums, uint32_t groups)
{
    const int step = gridDim.x * blockDim.x;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int padded = (n + 31) & ~31;
    for (int i = first; i < padded; i += step) {    // a warp's 32 indices lie in one aligned group
        const bool in = i < n;
        const uint32_t k = in ? keys[i] % groups : 0xffffffffu;
        const int v = in ? vals[i] : 0;
        const unsigned peers = __match_any_sync(0xffffffffu, k);
        const int s = sumPeers(peers, v);
        if (in && (threadIdx.x & 31) == (unsigned)(__ffs(peers) - 1)) atomicAdd(&sums[k], s);
        __syncwarp();
    }
}

void groupBy(const uint32_t* keys, const int* vals, int n, int* sums, uint32_t groups, cudaStream_t st)
{
    if (groups == 0 || groups > (1u << 30) || n < 0 || n > (1 << 30)) throw std::invalid_argument("groupBy");
    cudaMemsetAsync(sums, 0, groups * sizeof(int), st);
    if (n == 0) return;
    int grid = (n + 255) / 256;
    if (grid > 1024) grid = 1024;
    groupBySum<<<grid, 256, 0, st>>>(keys, vals, n, sums, groups);
}

int main()
{
    const int n = 100003;
    uint32_t* k; int *v, *s;
    cudaMalloc(&k, n * 4); cudaMalloc(&v, n * 4); cudaMalloc(&s, 64 * 4);
    cudaMemset(k, 0, n * 4); cudaMemset(v, 0, n * 4);
    groupBy(k, v, n, s, 64, 0);
    cudaDeviceSynchronize();
    cudaFree(k); cudaFree(v); cudaFree(s);
    return 0;
}
