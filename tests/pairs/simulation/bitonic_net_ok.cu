// Bitonic sort of one tile of key/index pairs per block. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

template <int TILE>
struct SortTile {
    float key[TILE];
    int idx[TILE];

    __device__ void load(const float* src, int base, int n)
    {
        const int g = base + threadIdx.x;
        key[threadIdx.x] = g < n ? src[g] : FLT_MAX;
        idx[threadIdx.x] = g < n ? g : -1;
    }

    __device__ void exchange(int a, int b, bool up)
    {
        const float ka = key[a];
        const float kb = key[b];
        if ((ka > kb) == up) {
            key[a] = kb;
            key[b] = ka;
            const int t = idx[a];
            idx[a] = idx[b];
            idx[b] = t;
        }
    }
};

template <int TILE>
__device__ void bitonicSort(SortTile<TILE>& t)
{
    const int i = threadIdx.x;
    for (int k = 2; k <= TILE; k <<= 1) {
        // small stages stay inside a warp
        if (k > 32)
            __syncthreads();
        for (int j = k >> 1; j > 0; j >>= 1) {
            const int p = i ^ j;
            if (p > i)
                t.exchange(i, p, (i & k) == 0);
            if (j >= 32)
                __syncthreads();
            else
                __syncwarp();
        }
    }
}

template <int TILE>
__global__ void __launch_bounds__(TILE)
sortTileKernel(const float* __restrict__ in, float* __restrict__ outKey,
               int* __restrict__ outIdx, int n)
{
    __shared__ SortTile<TILE> tile;
    const int base = blockIdx.x * TILE;
    tile.load(in, base, n);
    __syncthreads();
    bitonicSort<TILE>(tile);
    const int g = base + threadIdx.x;
    if (g < n) {
        outKey[g] = tile.key[threadIdx.x];
        outIdx[g] = tile.idx[threadIdx.x];
    }
}

template <int TILE>
static cudaError_t launchSort(const float* in, float* k, int* v, int n, cudaStream_t s)
{
    const int grid = (n + TILE - 1) / TILE;
    if (grid > 0)
        sortTileKernel<TILE><<<grid, TILE, 0, s>>>(in, k, v, n);
    return cudaGetLastError();
}

cudaError_t sortTilesByKey(const float* in, float* k, int* v, int n, int tile,
                           cudaStream_t s)
{
    switch (tile) {
    case 128: return launchSort<128>(in, k, v, n, s);
    case 256: return launchSort<256>(in, k, v, n, s);
    case 512: return launchSort<512>(in, k, v, n, s);
    case 1024: return launchSort<1024>(in, k, v, n, s);
    default: return cudaErrorInvalidValue;
    }
}
