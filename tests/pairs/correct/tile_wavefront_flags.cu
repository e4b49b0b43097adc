// Edit-distance table by tiles in one launch. A tile waits for its left and upper
// neighbours; tiles are drawn from a ticket in an order that is a topological one.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <stdexcept>

constexpr int T = 32;
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void __launch_bounds__(T)
editTiles(const char* __restrict__ a, const char* __restrict__ b, int n, int tiles, int* D /* (n+1)^2 */, int* done, int* ticket)
{
    __shared__ int cell[T + 1][T + 1];
    const int lane = threadIdx.x;
    const size_t ld = n + 1;
    for (;;) {
        int id = 0;
        if (lane == 0) id = atomicAdd(ticket, 1);
        id = __shfl_sync(0xffffffffu, id, 0);
        if (id >= tiles * tiles) return;
        const int ty = id / tiles, tx = id % tiles;     // row-major: left and upper come first

        if (lane == 0) {
            if (tx > 0) while (Flag(done[id - 1]).load(cuda::memory_order_acquire) == 0) { }
            if (ty > 0) while (Flag(done[id - tiles]).load(cuda::memory_order_acquire) == 0) { }
            __threadfence();
        }
        __syncwarp();
        const int r0 = ty * T, c0 = tx * T;
        cell[0][lane + 1] = ty ? __ldcg(&D[r0 * ld + c0 + lane + 1]) : c0 + lane + 1;
        cell[lane + 1][0] = tx ? __ldcg(&D[(r0 + lane + 1) * ld + c0]) : r0 + lane + 1;
        // the corner was published by the upper-left tile, before the left one finished
        if (lane == 0) cell[0][0] = (tx && ty) ? __ldcg(&D[r0 * ld + c0]) : r0 + c0;
        __syncwarp();
        const char ca = a[r0 + lane];
        for (int s = 0; s < 2 * T - 1; ++s) {
            const int c = s - lane;
            if (c >= 0 && c < T) {
                const int sub = cell[lane][c] + (ca != b[c0 + c]);
                cell[lane + 1][c + 1] = min(sub, min(cell[lane][c + 1], cell[lane + 1][c]) + 1);
            }
            __syncwarp();
        }
        for (int r = 0; r < T; ++r) D[(r0 + r + 1) * ld + c0 + lane + 1] = cell[r + 1][lane + 1];
        __threadfence();
        __syncwarp();
        if (lane == 0) Flag(done[id]).store(1, cuda::memory_order_release);
    }
}

void editDistance(const char* a, const char* b, int n, int* D, int* done, int* ticket, cudaStream_t s)
{
    if (n <= 0 || n % T || n > 32768) throw std::invalid_argument("length must be a multiple of 32");
    const int tiles = n / T;
    cudaMemsetAsync(done, 0, tiles * tiles * sizeof(int), s);
    cudaMemsetAsync(ticket, 0, sizeof(int), s);
    editTiles<<<tiles < 256 ? tiles : 256, T, 0, s>>>(a, b, n, tiles, D, done, ticket);
}
