// Histogram with warp-aggregated atomics by __match_any_sync.
#include <cuda_runtime.h>

template <int BITS>
__device__ __forceinline__ unsigned bucket_of(unsigned key, int shift)
{
    return (key >> shift) & ((1u << BITS) - 1u);
}

template <int BITS>
__global__ void radix_count(const unsigned* __restrict__ keys, unsigned n, int shift,
                            unsigned* __restrict__ counts)
{
    const unsigned lane = threadIdx.x & 31u;
    const unsigned stride = gridDim.x * blockDim.x;

    // The loop runs while the warp's first element is inside.
    for (unsigned base = blockIdx.x * blockDim.x + (threadIdx.x & ~31u); base < n; base += stride) {
        const unsigned i = base + lane;
        const bool ok = i < n;
        const unsigned active = __ballot_sync(0xffffffffu, ok);
        if (ok) {
            const unsigned b = bucket_of<BITS>(keys[i], shift);
            const unsigned peers = __match_any_sync(active, b);
            if (lane == static_cast<unsigned>(__ffs(peers) - 1))
                atomicAdd(&counts[b], static_cast<unsigned>(__popc(peers)));
        }
        __syncwarp();
    }
}

// Exclusive scan of the 2^BITS counters by one warp (BITS = 8: 8 counters per lane).
__global__ void scan_256(unsigned* counts)
{
    const int lane = threadIdx.x;
    unsigned c[8];
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        c[k] = counts[lane * 8 + k];
        sum += c[k];
    }
    unsigned incl = sum;
    for (int d = 1; d < 32; d <<= 1) {
        unsigned t = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += t;
    }
    unsigned run = incl - sum;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        counts[lane * 8 + k] = run;
        run += c[k];
    }
}

cudaError_t digit_offsets(const unsigned* keys, unsigned n, int shift, unsigned* counts,
                          cudaStream_t s)
{
    if (n >= (1u << 30)) return cudaErrorInvalidValue;
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), s);
    if (n) {
        unsigned blocks = (n + 255u) / 256u;
        if (blocks > 960u) blocks = 960u;
        radix_count<8><<<blocks, 256, 0, s>>>(keys, n, shift, counts);
    }
    scan_256<<<1, 32, 0, s>>>(counts);
    return cudaGetLastError();
}
