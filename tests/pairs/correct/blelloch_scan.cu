// Block-wide exclusive scan (Blelloch up and down sweep) of 1024 elements per block.
#include <cuda_runtime.h>

constexpr int kThreads = 512;
constexpr int kElems   = 2 * kThreads;

__device__ __forceinline__ int pad(int i) { return i + (i >> 5); }

__global__ void scan_blocks(const unsigned* in, unsigned* out,   // may be the same array
                            unsigned* __restrict__ sums, int n)
{
    extern __shared__ unsigned tmp[];
    const int t = threadIdx.x;
    const int base = blockIdx.x * kElems;

    const int ia = t, ib = t + kThreads;
    tmp[pad(ia)] = base + ia < n ? in[base + ia] : 0u;
    tmp[pad(ib)] = base + ib < n ? in[base + ib] : 0u;

    int offset = 1;
    for (int d = kElems >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            const int a = pad(offset * (2 * t + 1) - 1);
            const int b = pad(offset * (2 * t + 2) - 1);
            tmp[b] += tmp[a];
        }
        offset <<= 1;
    }
    __syncthreads();
    if (t == 0) {
        const int last = pad(kElems - 1);
        if (sums) sums[blockIdx.x] = tmp[last];
        tmp[last] = 0;
    }
    for (int d = 1; d < kElems; d <<= 1) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = pad(offset * (2 * t + 1) - 1);
            const int b = pad(offset * (2 * t + 2) - 1);
            const unsigned x = tmp[a];
            tmp[a] = tmp[b];
            tmp[b] += x;
        }
    }
    __syncthreads();
    if (base + ia < n) out[base + ia] = tmp[pad(ia)];
    if (base + ib < n) out[base + ib] = tmp[pad(ib)];
}

__global__ void add_sums(unsigned* __restrict__ out, const unsigned* __restrict__ sums, int n)
{
    const unsigned s = sums[blockIdx.x];
    for (int i = threadIdx.x; i < kElems; i += blockDim.x) {
        const int g = blockIdx.x * kElems + i;
        if (g < n) out[g] += s;
    }
}

// scratch holds at least ceil(n / 1024) + 1 words; n up to 1024 * 1024.
cudaError_t exclusive_scan(const unsigned* in, unsigned* out, unsigned* scratch, int n,
                           cudaStream_t s)
{
    if (n <= 0 || n > kElems * kElems) return cudaErrorInvalidValue;
    const int blocks = (n + kElems - 1) / kElems;
    const size_t smem = (kElems + kElems / 32) * sizeof(unsigned);
    scan_blocks<<<blocks, kThreads, smem, s>>>(in, out, blocks > 1 ? scratch : nullptr, n);
    if (blocks > 1) {
        unsigned* sums = scratch;
        scan_blocks<<<1, kThreads, smem, s>>>(sums, sums, nullptr, blocks);
        add_sums<<<blocks, kThreads, 0, s>>>(out, sums, n);
    }
    return cudaGetLastError();
}
