// Run-length encoding of 512-element segments with cub block primitives sharing storage.
#include <cstdio>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>

constexpr int THREADS = 128;
constexpr int ITEMS = 4;
constexpr int SEG = THREADS * ITEMS;

using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
using Flag = cub::BlockDiscontinuity<int, THREADS>;
using Scan = cub::BlockScan<int, THREADS>;

struct NotEqual {
    __device__ bool operator()(int a, int b) const { return a != b; }
};

__global__ void __launch_bounds__(THREADS)
rle_segments(int *in, int *values, int *starts, int *runs)
{
    __shared__ union {
        typename Load::TempStorage load;
        typename Flag::TempStorage flag;
        typename Scan::TempStorage scan;
        int stage[SEG];
    } tmp;
    const int base = blockIdx.x * SEG;
    int item[ITEMS], head[ITEMS], rank[ITEMS], total;
    Load(tmp.load).Load(in + base, item);
    __syncthreads();
    Flag(tmp.flag).FlagHeads(head, item, NotEqual());
    __syncthreads();
    Scan(tmp.scan).ExclusiveSum(head, rank, total);
    __syncthreads();
    for (int k = 0; k < ITEMS; ++k)
        if (head[k])
            tmp.stage[rank[k]] = item[k];
    __syncthreads();
    for (int i = threadIdx.x; i < total; i += THREADS)
        values[base + i] = tmp.stage[i];
    __syncthreads();
    for (int k = 0; k < ITEMS; ++k)
        if (head[k])
            tmp.stage[rank[k]] = threadIdx.x * ITEMS + k;
    __syncthreads();
    for (int i = threadIdx.x; i < total; i += THREADS)
        starts[base + i] = tmp.stage[i];
    if (threadIdx.x == 0)
        runs[blockIdx.x] = total;
}

int main()
{
    const int segs = 100, n = segs * SEG;
    int *in, *val, *st, *runs;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&val, n * sizeof(int));
    cudaMalloc(&st, n * sizeof(int));
    cudaMalloc(&runs, segs * sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));
    rle_segments<<<segs, THREADS>>>(in, val, st, runs);
    int h = 0;
    cudaMemcpy(&h, runs, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %s\n", h, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
