// cuwarp-run: any share block=32
// cuwarp-emu: race
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void share(int *out, const int *in) {
    __shared__ int s[32];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[threadIdx.x] = in[threadIdx.x];
    tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 8];
}
