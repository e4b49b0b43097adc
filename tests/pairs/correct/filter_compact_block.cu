// Stream compaction: ballots inside warps, a scan of warp totals, one global
// atomicAdd per block.
#include <cuda_runtime.h>
#include <cassert>

template <typename Pred>
__global__ void __launch_bounds__(512)
compact(const int* __restrict__ in, int n, int* __restrict__ out, int* __restrict__ outCount, Pred pred)
{
    __shared__ int warpOff[32];
    __shared__ int blockBase;
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int nWarps = blockDim.x >> 5;
    const int rounds = (n + (int)(gridDim.x * blockDim.x) - 1) / (int)(gridDim.x * blockDim.x);

    for (int r = 0; r < rounds; ++r) {
        const int i = (r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        int v = 0;
        bool keep = false;
        if (i < n) { v = in[i]; keep = pred(v); }
        const unsigned b = __ballot_sync(0xffffffffu, keep);
        const int rank = __popc(b & ((1u << lane) - 1));
        if (lane == 0) warpOff[warp] = __popc(b);
        __syncthreads();
        if (warp == 0) {
            const int c = lane < nWarps ? warpOff[lane] : 0;
            int s = c;
            for (int d = 1; d < 32; d <<= 1) {
                const int o = __shfl_up_sync(0xffffffffu, s, d);
                if (lane >= d) s += o;
            }
            if (lane < nWarps) warpOff[lane] = s - c;
            if (lane == 31) blockBase = s ? atomicAdd(outCount, s) : 0;
        }
        __syncthreads();
        if (keep) out[blockBase + warpOff[warp] + rank] = v;
        __syncthreads();
    }
}

struct InRange {
    int lo, hi;
    __host__ __device__ bool operator()(int v) const { return v >= lo && v < hi; }
};

void filterRange(const int* in, int n, int* out, int* count, int lo, int hi, cudaStream_t s)
{
    assert(n >= 0 && n <= (1 << 29));
    assert(in != out);
    cudaMemsetAsync(count, 0, sizeof(int), s);
    if (n == 0) return;
    int block = n < 4096 ? 128 : 512;
    int grid = (n + block - 1) / block;
    if (grid > 640) grid = 640;
    compact<<<grid, block, 0, s>>>(in, n, out, count, InRange{lo, hi});
}
