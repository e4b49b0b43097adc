// cuwarp-run: warp-reduce by_tile block=96
// cuwarp-run: block-reduce by_block block=96
// Tiles shuffle, their sync orders memory, and the block's does.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void by_tile(const int *in, int *out, int n) {
    __shared__ int s[96];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (int d = 8; d > 0; d /= 2)
        v += warp.shfl_down(v, d);
    s[threadIdx.x] = v;
    warp.sync();
    if (warp.thread_rank() == 0 && i < n)
        out[i / 32] = s[threadIdx.x] + s[threadIdx.x + 16];
}

__global__ void by_block(const int *in, int *out, int n) {
    __shared__ int s[96];
    cg::thread_block block = cg::this_thread_block();
    int i = blockIdx.x * block.size() + block.thread_rank();
    s[block.thread_rank()] = i < n ? in[i] : 0;
    block.sync();
    if (block.thread_rank() == 0) {
        int sum = 0;
        for (int k = 0; k < 96; k++)
            sum += s[k];
        out[blockIdx.x] = sum;
    }
}
