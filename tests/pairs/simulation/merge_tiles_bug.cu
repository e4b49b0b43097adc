// Block merge sort of int keys, merge-path partition, 8 keys a thread. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <climits>
#include <cstdio>

namespace msort {

constexpr int NT = 128;
constexpr int VT = 8;
constexpr int NV = NT * VT;

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

template <class Comp>
__device__ void oddEvenSort(int (&k)[VT], Comp comp)
{
#pragma unroll
    for (int pass = 0; pass < VT; ++pass)
#pragma unroll
        for (int i = pass & 1; i < VT - 1; i += 2)
            if (comp(k[i + 1], k[i])) {
                const int t = k[i];
                k[i] = k[i + 1];
                k[i + 1] = t;
            }
}

template <class Comp>
__device__ int mergePath(const int* a, int na, const int* b, int nb, int diag, Comp comp)
{
    int lo = max(0, diag - nb);
    int hi = min(diag, na);
    while (lo < hi) {
        const int mid = (lo + hi) >> 1;
        if (!comp(b[diag - 1 - mid], a[mid]))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

template <class Comp>
__device__ void serialMerge(const int* keys, int aBeg, int aEnd, int bBeg, int bEnd,
                            int (&out)[VT], Comp comp)
{
#pragma unroll
    for (int i = 0; i < VT; ++i) {
        const bool takeA = bBeg >= bEnd || (aBeg < aEnd && !comp(keys[bBeg], keys[aBeg]));
        out[i] = takeA ? keys[aBeg++] : keys[bBeg++];
    }
}

template <class Comp>
__device__ void mergePasses(int* s_keys, int (&k)[VT], Comp comp)
{
    const int tid = threadIdx.x;
    for (int coop = 2; coop <= NT; coop <<= 1) {
        const int start = (tid & ~(coop - 1)) * VT;
        const int half = coop / 2 * VT;
        const int diag = (tid & (coop - 1)) * VT;
        const int mp = mergePath(s_keys + start, half, s_keys + start + half, half, diag, comp);
        serialMerge(s_keys, start + mp, start + half, start + half + diag - mp,
                    start + 2 * half, k, comp);
#pragma unroll
        for (int i = 0; i < VT; ++i)
            s_keys[tid * VT + i] = k[i];
        __syncthreads();
    }
}

__global__ void __launch_bounds__(NT) blockSort(const int* __restrict__ in,
                                                int* __restrict__ out, int n)
{
    __shared__ int s_keys[NV];
    const int base = blockIdx.x * NV;
    for (int i = threadIdx.x; i < NV; i += NT)
        s_keys[i] = base + i < n ? in[base + i] : INT_MAX;
    __syncthreads();

    int k[VT];
#pragma unroll
    for (int i = 0; i < VT; ++i)
        k[i] = s_keys[threadIdx.x * VT + i];
    oddEvenSort(k, Less());
#pragma unroll
    for (int i = 0; i < VT; ++i)
        s_keys[threadIdx.x * VT + i] = k[i];
    __syncthreads();

    mergePasses(s_keys, k, Less());
    for (int i = threadIdx.x; i < NV && base + i < n; i += NT)
        out[base + i] = s_keys[i];
}

cudaError_t sortTiles(const int* in, int* out, int n, cudaStream_t s)
{
    if (n > 0)
        blockSort<<<(n + NV - 1) / NV, NT, 0, s>>>(in, out, n);
    return cudaGetLastError();
}

} // namespace msort
