// Persistent blocks fetch tiles from a global counter; the tile id travels
// through shared memory.
#include <cuda_runtime.h>
#include <cstdio>

struct Tile { int first; int count; };

__global__ void __launch_bounds__(256)
processTiles(const Tile* __restrict__ tiles, int numTiles, const float* __restrict__ x, float* __restrict__ y, unsigned* queue)
{
    __shared__ int s_tile;
    __shared__ float s_max[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    for (;;) {
        if (threadIdx.x == 0) s_tile = (int)atomicAdd(queue, 1u);
        __syncthreads();
        const int id = s_tile;
        if (id >= numTiles) break;
        const Tile t = tiles[id];

        float m = -3.4e38f;
        for (int i = threadIdx.x; i < t.count; i += blockDim.x) m = fmaxf(m, x[t.first + i]);
        for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
        if (lane == 0) s_max[warp] = m;
        __syncthreads();    // also: everybody has read s_tile
        m = s_max[0];
        #pragma unroll
        for (int w = 1; w < 8; ++w) m = fmaxf(m, s_max[w]);
        for (int i = threadIdx.x; i < t.count; i += blockDim.x) y[t.first + i] = x[t.first + i] - m;
        // s_max is rewritten only after the barrier at the head of the next round.
    }
}

cudaError_t runTiles(const Tile* d_tiles, int numTiles, const float* x, float* y, unsigned* d_queue, cudaStream_t st)
{
    if (numTiles <= 0) return cudaSuccess;
    int dev = 0, sms = 0, perSm = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, processTiles, 256, 0);
    int grid = sms * perSm;
    if (grid > numTiles) grid = numTiles;
    cudaError_t e = cudaMemsetAsync(d_queue, 0, sizeof(unsigned), st);
    if (e != cudaSuccess) return e;
    processTiles<<<grid, 256, 0, st>>>(d_tiles, numTiles, x, y, d_queue);
    return cudaGetLastError();
}

int main()
{
    const int nt = 100;
    Tile h[nt];
    for (int i = 0; i < nt; ++i) h[i] = Tile{i * 1000, 1000 - i};
    Tile* t; float *x, *y; unsigned* q;
    cudaMalloc(&t, sizeof(h)); cudaMalloc(&x, nt * 1000 * 4); cudaMalloc(&y, nt * 1000 * 4); cudaMalloc(&q, 4);
    cudaMemcpy(t, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemset(x, 0, nt * 1000 * 4);
    printf("%d\n", (int)runTiles(t, nt, x, y, q, 0));
    cudaDeviceSynchronize();
    cudaFree(t); cudaFree(x); cudaFree(y); cudaFree(q);
    return 0;
}
