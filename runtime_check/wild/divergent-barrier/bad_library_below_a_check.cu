// A reduction of the whole block, by a library, stands below a check of the index, which part of the last block does not pass.
// cuwarp-run: block-reduce total block=256 grid=2 n=300
// cuwarp-emu: cannot the emulation has no CUB
#include <cub/block/block_reduce.cuh>

__global__ void total(const int *in, int *out, int n) {
    using Reduce = cub::BlockReduce<int, 256>;
    __shared__ typename Reduce::TempStorage storage;
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        int sum = Reduce(storage).Sum(in[i]); //~ error: divergent-barrier
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

void run(const int *in, int *out) {
    total<<<16, 256>>>(in, out, 3900);
}
// cuwarp-gpu: divergent-barrier corrected=good_library_below_a_check grid=16 n=3900
