// Block-local LSD radix sort of 32-bit keys, one bit a pass. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define GPU_TRY(call)                                               \
    if (cudaError_t err = (call); err != cudaSuccess) {             \
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(err)); \
        std::abort();                                               \
    }

static const int kBlock = 256;
static const int kNumWarps = kBlock / 32;

// Number of set flags before this thread; *total gets the count of the block.
__device__ int flagRank(bool flag, int* warpCount, int* total)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned votes = __ballot_sync(0xffffffffu, flag);
    if (lane == 0)
        warpCount[warp] = __popc(votes);
    __syncthreads();
    int before = 0, sum = 0;
#pragma unroll
    for (int w = 0; w < kNumWarps; ++w) {
        const int c = warpCount[w];
        if (w < int(warp))
            before += c;
        sum += c;
    }
    __syncthreads();
    *total = sum;
    return before + __popc(votes & ((1u << lane) - 1u));
}

__global__ void sortTiles(uint32_t* __restrict__ keys, int n, int bits)
{
    __shared__ uint32_t s_keys[kBlock];
    __shared__ int s_count[kNumWarps];

    const int gid = blockIdx.x * kBlock + threadIdx.x;
    uint32_t key = gid < n ? keys[gid] : 0xffffffffu;

    for (int b = 0; b < bits; ++b) {
        const bool zero = ((key >> b) & 1u) == 0;
        int zeros;
        const int rank = flagRank(zero, s_count, &zeros);
        const int dst = zero ? rank : zeros + int(threadIdx.x) - rank;
        s_keys[dst] = key;
        __syncthreads();
        key = s_keys[threadIdx.x];
    }

    if (gid < n)
        keys[gid] = key;
}

void sortTilesOnDevice(uint32_t* d_keys, int n, int bits, cudaStream_t stream)
{
    const int grid = (n + kBlock - 1) / kBlock;
    if (grid == 0)
        return;
    sortTiles<<<grid, kBlock, 0, stream>>>(d_keys, n, bits);
    GPU_TRY(cudaGetLastError());
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 100000;
    uint32_t* d = nullptr;
    GPU_TRY(cudaMalloc(&d, n * sizeof(uint32_t)));
    GPU_TRY(cudaMemset(d, 0x5a, n * sizeof(uint32_t)));
    sortTilesOnDevice(d, n, 32, 0);
    GPU_TRY(cudaDeviceSynchronize());
    GPU_TRY(cudaFree(d));
    return 0;
}
