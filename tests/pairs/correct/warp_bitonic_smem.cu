// Each warp sorts 64 keys in its slice of shared memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int WARPS = 4;
constexpr int KEYS = 64;

__device__ __forceinline__ void cmp_swap(unsigned *s, int a, int b, bool up)
{
    const unsigned x = s[a], y = s[b];
    if ((x > y) == up) {
        s[a] = y;
        s[b] = x;
    }
}

__device__ void warp_sort64(unsigned *s, int lane)
{
    for (int size = 2; size <= KEYS; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            const int lo = 2 * lane - (lane & (stride - 1));
            const bool up = (lo & size) == 0;
            cmp_swap(s, lo, lo + stride, up);
            __syncwarp();
        }
    }
}

__global__ void __launch_bounds__(WARPS * 32)
sort_segments(unsigned *keys, const int *seg_begin, const int *seg_len, int segs)
{
    __shared__ unsigned buf[WARPS][KEYS];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    unsigned *mine = buf[warp];
    for (int s = blockIdx.x * WARPS + warp; s < segs; s += gridDim.x * WARPS) {
        const int beg = seg_begin[s], len = seg_len[s];
        for (int i = lane; i < KEYS; i += 32)
            mine[i] = i < len ? keys[beg + i] : 0xffffffffu;
        __syncwarp();
        warp_sort64(mine, lane);
        for (int i = lane; i < len; i += 32)
            keys[beg + i] = mine[i];
        // mine[i] is reloaded by the same lane, no barrier needed before the next segment
    }
}

int main()
{
    const int segs = 777;
    std::vector<int> beg(segs), len(segs);
    int total = 0;
    for (int i = 0; i < segs; ++i) {
        beg[i] = total;
        len[i] = 1 + (i * 29) % KEYS;
        total += len[i];
    }
    std::vector<unsigned> k(total);
    for (int i = 0; i < total; ++i)
        k[i] = i * 2654435761u;
    unsigned *dk;
    int *db, *dl;
    cudaMalloc(&dk, total * 4);
    cudaMalloc(&db, segs * 4);
    cudaMalloc(&dl, segs * 4);
    cudaMemcpy(dk, k.data(), total * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, beg.data(), segs * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dl, len.data(), segs * 4, cudaMemcpyHostToDevice);
    sort_segments<<<(segs + WARPS - 1) / WARPS, WARPS * 32>>>(dk, db, dl, segs);
    cudaMemcpy(k.data(), dk, total * 4, cudaMemcpyDeviceToHost);
    printf("%u %s\n", k[0], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
