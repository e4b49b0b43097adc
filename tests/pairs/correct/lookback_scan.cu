// Single-pass inclusive scan with decoupled look-back; state and value share one 64-bit word.
#include <cstdio>
#include <vector>
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
enum : unsigned { NONE = 0, PARTIAL = 1, PREFIX = 2 };
using word = unsigned long long;

__device__ __forceinline__ word pack(unsigned st, int v) { return ((word)st << 32) | (unsigned)v; }

__device__ __forceinline__ int warp_inclusive(int v, int lane)
{
    for (int d = 1; d < 32; d <<= 1) {
        const int o = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += o;
    }
    return v;
}

__global__ void __launch_bounds__(BLOCK)
scan(const int *__restrict__ in, int *__restrict__ out, int n, word *state, int *next_tile)
{
    __shared__ int s_tile, s_prefix, s_warp[BLOCK / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0)
        s_tile = atomicAdd(next_tile, 1);
    __syncthreads();
    const int tile = s_tile;
    const int i = tile * BLOCK + threadIdx.x;
    int v = warp_inclusive(i < n ? in[i] : 0, lane);
    if (lane == 31)
        s_warp[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; ++w)
        v += s_warp[w];
    if (threadIdx.x == BLOCK - 1) {
        cuda::atomic_ref<word, cuda::thread_scope_device> mine(state[tile]);
        int prefix = 0;
        if (tile > 0) {
            mine.store(pack(PARTIAL, v), cuda::memory_order_relaxed);
            for (int t = tile - 1;;) {
                cuda::atomic_ref<word, cuda::thread_scope_device> prev(state[t]);
                const word w = prev.load(cuda::memory_order_relaxed);
                const unsigned st = (unsigned)(w >> 32);
                if (st == NONE)
                    continue;
                prefix += (int)(unsigned)w;
                if (st == PREFIX)
                    break;
                --t;
            }
        }
        mine.store(pack(PREFIX, prefix + v), cuda::memory_order_relaxed);
        s_prefix = prefix;
    }
    __syncthreads();
    if (i < n)
        out[i] = v + s_prefix;
}

int main()
{
    const int n = 1000003, tiles = (n + BLOCK - 1) / BLOCK;
    std::vector<int> h(n, 1);
    int *in, *out, *next;
    word *state;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&next, sizeof(int));
    cudaMalloc(&state, tiles * sizeof(word));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(next, 0, sizeof(int));
    cudaMemset(state, 0, tiles * sizeof(word));
    scan<<<tiles, BLOCK>>>(in, out, n, state, next);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[n - 1], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
