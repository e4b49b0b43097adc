// Merge pairs of sorted runs; every warp finds its part by a merge-path search, and
// lanes place elements at ranks that form a permutation.
#include <cuda_runtime.h>
#include <stdexcept>

__device__ __forceinline__ int mergePath(const int* a, int na, const int* b, int nb, int diag)
{
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1; else hi = mid;
    }
    return lo;
}

__global__ void __launch_bounds__(128)
mergePass(const int* __restrict__ src, int* __restrict__ dst, int n, int run)
{
    __shared__ int stage[4][64];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int* buf = stage[warp];
    const int slices = (n + 31) / 32;
    for (int s = blockIdx.x * 4 + warp; s < slices; s += gridDim.x * 4) {
        const int d0 = s * 32;
        const int pair = d0 / (2 * run) * (2 * run);    // 2*run is a multiple of 32
        const int na = min(run, n - pair);
        const int nb = min(run, n - pair - na);
        const int* a = src + pair;
        const int* b = a + na;
        const int off = d0 - pair;
        const int len = min(32, na + nb - off);
        const int i0 = mergePath(a, na, b, nb, off);
        const int i1 = mergePath(a, na, b, nb, off + len);
        const int j0 = off - i0;
        const int ca = i1 - i0, cb = len - ca;
        if (lane < ca) buf[lane] = a[i0 + lane];
        if (lane < cb) buf[32 + lane] = b[j0 + lane];
        __syncwarp();
        if (lane < ca) {
            const int v = buf[lane];
            int r = 0;
            while (r < cb && buf[32 + r] < v) ++r;      // equal: a first
            dst[d0 + lane + r] = v;
        }
        if (lane < cb) {
            const int v = buf[32 + lane];
            int r = 0;
            while (r < ca && buf[r] <= v) ++r;
            dst[d0 + lane + r] = v;
        }
        __syncwarp();
    }
}

// On entry runs of 16 are sorted. Returns the buffer with the result.
int* mergeSorted16(int* a, int* b, int n, cudaStream_t s)
{
    if (n < 0 || n > (1 << 28) || a == b) throw std::length_error("mergeSorted16");
    int grid = ((n + 31) / 32 + 3) / 4;
    if (grid > 1024) grid = 1024;
    for (int run = 16; run < n; run *= 2) {
        mergePass<<<grid, 128, 0, s>>>(a, b, n, run);
        int* t = a; a = b; b = t;
    }
    return a;
}
