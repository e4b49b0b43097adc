// Variable-length records (run-length encoding of rows) in a pool that blocks carve
// up with one atomicAdd; each thread owns the sub-range its prefix sum gives.
#include <cuda_runtime.h>
#include <cstdint>
#include <cassert>

struct Run { int value; int length; };

struct Pool {
    Run* base;
    unsigned* used;
    unsigned capacity;
};

template <int B>
__global__ void __launch_bounds__(B)
encodeRows(const int* __restrict__ img, int rows, int cols, Pool pool, int2* __restrict__ slot)
{
    __shared__ unsigned scan[2][B];
    __shared__ unsigned blockBase;
    const int row = blockIdx.x * B + threadIdx.x;
    const bool live = row < rows;
    const int* r = img + (live ? (size_t)row * cols : 0);

    unsigned runs = 0;
    if (live)
        for (int c = 0; c < cols; ++c) runs += c == 0 || r[c] != r[c - 1];

    int p = 0;
    scan[0][threadIdx.x] = runs;
    __syncthreads();
    #pragma unroll
    for (int d = 1; d < B; d *= 2, p ^= 1) {
        unsigned v = scan[p][threadIdx.x];
        if ((int)threadIdx.x >= d) v += scan[p][threadIdx.x - d];
        scan[p ^ 1][threadIdx.x] = v;
        __syncthreads();
    }
    if (threadIdx.x == B - 1) {
        const unsigned total = scan[p][B - 1];
        unsigned at = atomicAdd(pool.used, total);
        blockBase = at <= pool.capacity && total <= pool.capacity - at ? at : ~0u;
    }
    __syncthreads();
    if (!live) return;
    if (blockBase == ~0u) {
        slot[row] = make_int2(-1, (int)runs);       // the host grows the pool and retries
        return;
    }
    const unsigned first = blockBase + scan[p][threadIdx.x] - runs;
    slot[row] = make_int2((int)first, (int)runs);
    unsigned w = first;
    int start = 0;
    for (int c = 1; c <= cols; ++c)
        if (c == cols || r[c] != r[c - 1]) {
            pool.base[w++] = Run{r[start], c - start};
            start = c;
        }
}

void encode(const int* img, int rows, int cols, Pool pool, int2* slot, cudaStream_t s)
{
    assert(rows >= 0 && cols > 0 && (long long)rows * cols < (1ll << 30) && pool.capacity < (1u << 30));
    cudaMemsetAsync(pool.used, 0, sizeof(unsigned), s);
    if (rows == 0) return;
    encodeRows<64><<<(rows + 63) / 64, 64, 0, s>>>(img, rows, cols, pool, slot);
}
