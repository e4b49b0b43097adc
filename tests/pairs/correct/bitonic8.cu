#include <cuda_runtime.h>
#include <limits.h>

/* Sorts every run of eight consecutive keys (k-means tables hold 8 candidates). */
__device__ int exchange(int v, int partner_xor, bool keep_small)
{
    const int other = __shfl_xor_sync(0xffffffffu, v, partner_xor, 8);
    return keep_small ? min(v, other) : max(v, other);
}

__device__ int sort_octet(int v)
{
    const int r = threadIdx.x & 7;
    for (int size = 2; size <= 8; size <<= 1) {
        for (int d = size >> 1; d > 0; d >>= 1) {
            const bool up = (r & size) == 0 || size == 8;
            const bool lower = (r & d) == 0;
            v = exchange(v, d, lower == up);
        }
    }
    return v;
}

__global__ void sort_runs(int *keys, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? keys[i] : INT_MAX;
    v = sort_octet(v);
    if (i < n)
        keys[i] = v;
}

/* Median of the valid entries of each run. */
__global__ void run_medians(const int *keys, int n, int *medians)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int v = sort_octet(i < n ? keys[i] : INT_MAX);
    const unsigned valid = __ballot_sync(0xffffffffu, i < n);
    const int count = __popc(valid & (0xffu << (lane & ~7)));
    const int mid = __shfl_sync(0xffffffffu, v, count > 0 ? (count - 1) / 2 : 0, 8);
    if ((lane & 7) == 0 && count > 0)
        medians[i >> 3] = mid;
}

extern "C" int sort_and_median(int *keys, int n, int *medians, cudaStream_t stream)
{
    if (keys == NULL || medians == NULL || n <= 0 || n > INT_MAX - 256)
        return 1;
    const int block = 128;
    const int grid = (n + block - 1) / block;
    run_medians<<<grid, block, 0, stream>>>(keys, n, medians);
    sort_runs<<<grid, block, 0, stream>>>(keys, n);
    return cudaGetLastError() == cudaSuccess ? 0 : 2;
}
