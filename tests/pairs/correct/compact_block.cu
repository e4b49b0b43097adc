// Stable per-block stream compaction; the block base comes from one atomic.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / 32;

template <typename Pred>
__global__ void __launch_bounds__(BLOCK) compact(const int *__restrict__ in, int n, int *__restrict__ out,
                                                 int *__restrict__ counter, Pred pred)
{
    __shared__ int warp_base[WARPS];
    __shared__ int block_base;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int rounded = (n + BLOCK - 1) / BLOCK * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < rounded; i += gridDim.x * BLOCK) {
        const int v = i < n ? in[i] : 0;
        const bool keep = i < n && pred(v);
        const unsigned vote = __ballot_sync(0xffffffffu, keep);
        if (lane == 0)
            warp_base[warp] = __popc(vote);
        __syncthreads();
        if (warp == 0) {
            const int cnt = lane < WARPS ? warp_base[lane] : 0;
            int inc = cnt;
            for (int d = 1; d < WARPS; d <<= 1) {
                const int o = __shfl_up_sync(0xffffffffu, inc, d);
                if (lane >= d)
                    inc += o;
            }
            if (lane < WARPS)
                warp_base[lane] = inc - cnt;
            if (lane == WARPS - 1)
                block_base = atomicAdd(counter, inc);
        }
        __syncthreads();
        const int at = block_base + warp_base[warp] + __popc(vote & ((1u << lane) - 1));
        if (keep)
            out[at] = v;
        __syncthreads();
    }
}

struct Odd {
    int bias;
    __device__ bool operator()(int v) const { return (v + bias) & 1; }
};

int main()
{
    const int n = 123457;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i)
        h[i] = i * 3 + i / 7;
    int *in, *out, *cnt;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&cnt, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(cnt, 0, sizeof(int));
    compact<<<64, BLOCK>>>(in, n, out, cnt, Odd{1});
    int m = 0;
    cudaMemcpy(&m, cnt, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %s\n", m, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
