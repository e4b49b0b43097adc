// Load-balanced expansion: outputs find their source by binary search in the prefix sums.
#include <cuda_runtime.h>

__device__ int upper_bound(const int* a, int n, int v)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (a[mid] <= v) lo = mid + 1;
        else             hi = mid;
    }
    return lo;
}

// prefix: n + 1 entries, exclusive, prefix[n] = total.
__global__ void expand(const int* __restrict__ prefix, int n, int total, const int* __restrict__ key,
                       int* __restrict__ out_key, int* __restrict__ out_rank)
{
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < total; o += gridDim.x * blockDim.x) {
        const int src = upper_bound(prefix, n + 1, o) - 1;
        out_key[o] = key[src];
        out_rank[o] = o - prefix[src];
    }
}

// A warp owns segment s of the output and turns it into running sums in place.
__global__ void running_sums(const int* __restrict__ prefix, int n, int* data)
{
    const int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (s >= n) return;
    const int lane = threadIdx.x % 32;
    const int b = prefix[s], e = prefix[s + 1];
    int carry = 0;
    for (int i0 = b; i0 < e; i0 += 32) {
        const int i = i0 + lane;
        int v = i < e ? data[i] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            const int t = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v += t;
        }
        v += carry;
        if (i < e) data[i] = v;
        carry = __shfl_sync(0xffffffffu, v, 31);
    }
}

cudaError_t expand_all(const int* prefix, int n, int total, const int* key, int* out_key,
                       int* out_rank, cudaStream_t s)
{
    if (n <= 0 || total < 0 || total > (1 << 30)) return cudaErrorInvalidValue;
    if (total == 0) return cudaSuccess;
    const int g = (total + 255) / 256;
    expand<<<g < 2048 ? g : 2048, 256, 0, s>>>(prefix, n, total, key, out_key, out_rank);
    running_sums<<<(n + 3) / 4, 128, 0, s>>>(prefix, n, out_key);
    return cudaGetLastError();
}
