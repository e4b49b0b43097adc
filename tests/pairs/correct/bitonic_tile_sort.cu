// Key/value tile sort: one block sorts TILE pairs with TILE/2 threads.
#include <cuda_runtime.h>
#include <cstdint>
#include <cassert>

constexpr int TILE = 1024;
constexpr int THREADS = TILE / 2;

__device__ __forceinline__ void compareSwap(uint32_t& ka, uint32_t& va, uint32_t& kb, uint32_t& vb, bool up)
{
    if ((ka > kb) == up) {
        uint32_t k = ka; ka = kb; kb = k;
        uint32_t v = va; va = vb; vb = v;
    }
}

__global__ void __launch_bounds__(THREADS)
bitonicTileSort(uint32_t* keys, uint32_t* vals, int n)
{
    __shared__ uint32_t sk[TILE];
    __shared__ uint32_t sv[TILE];
    const int base = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE; i += THREADS) {
        bool in = base + i < n;
        sk[i] = in ? keys[base + i] : 0xffffffffu;
        sv[i] = in ? vals[base + i] : 0xffffffffu;
    }

    for (int size = 2; size <= TILE; size <<= 1) {
        const bool up = size == TILE || (threadIdx.x & (size / 2)) == 0;
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            // Insert a zero bit at the position of `stride`: every pair has one owner.
            const int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            compareSwap(sk[pos], sv[pos], sk[pos + stride], sv[pos + stride], up);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE; i += THREADS) {
        if (base + i < n) {
            keys[base + i] = sk[i];
            vals[base + i] = sv[i];
        }
    }
}

void sortTiles(uint32_t* d_keys, uint32_t* d_vals, int n, cudaStream_t stream)
{
    assert(n >= 0 && n < (1 << 30) && d_keys != d_vals);
    if (n == 0) return;
    bitonicTileSort<<<(n + TILE - 1) / TILE, THREADS, 0, stream>>>(d_keys, d_vals, n);
}
