// Threads that do not pass the check of the index bring zero to the reduction of the whole block.
// cuwarp-run: block-reduce total block=256 grid=2 n=300
// cuwarp-emu: cannot the emulation has no CUB
#include <cub/block/block_reduce.cuh>

__global__ void total(const int *in, int *out, int n) {
    using Reduce = cub::BlockReduce<int, 256>;
    __shared__ typename Reduce::TempStorage storage;
    int i = blockIdx.x * 256 + threadIdx.x;
    int sum = Reduce(storage).Sum(i < n ? in[i] : 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

void run(const int *in, int *out) {
    total<<<16, 256>>>(in, out, 3900);
}
