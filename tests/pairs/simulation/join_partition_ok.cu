// Radix partitioning of (key, row id) tuples for a hash join. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>

namespace join {

constexpr int kThreads = 256;
constexpr int kParts = 64;
constexpr unsigned kFull = 0xffffffffu;

struct Tuple {
    unsigned key;
    unsigned rid;
};

struct PartitionState {
    int count[kParts];
    int offset[kParts];
    int base[kParts];
    Tuple staging[kThreads];
};

__device__ __forceinline__ int partOf(unsigned key, int shift)
{
    return int((key * 2654435761u) >> shift) & (kParts - 1);
}

// One warp, two partitions a lane.
__device__ void scanAndReserve(PartitionState& st, int* __restrict__ cursor)
{
    const int lane = threadIdx.x & 31;
    const int c0 = st.count[2 * lane];
    const int c1 = st.count[2 * lane + 1];
    int incl = c0 + c1;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int u = __shfl_up_sync(kFull, incl, d);
        if (lane >= d)
            incl += u;
    }
    const int excl = incl - c0 - c1;
    st.offset[2 * lane] = excl;
    st.offset[2 * lane + 1] = excl + c0;
    st.base[2 * lane] = c0 ? atomicAdd(&cursor[2 * lane], c0) : 0;
    st.base[2 * lane + 1] = c1 ? atomicAdd(&cursor[2 * lane + 1], c1) : 0;
}

__global__ void __launch_bounds__(kThreads)
partitionKernel(const Tuple* __restrict__ in, int n, Tuple* __restrict__ out,
                int* __restrict__ cursor, int shift)
{
    __shared__ PartitionState st;
    for (int base = blockIdx.x * kThreads; base < n; base += gridDim.x * kThreads) {
        if (threadIdx.x < kParts)
            st.count[threadIdx.x] = 0;
        __syncthreads();

        const int i = base + threadIdx.x;
        const bool valid = i < n;
        Tuple t{0u, 0u};
        int p = 0, rank = 0;
        if (valid) {
            t = in[i];
            p = partOf(t.key, shift);
            rank = atomicAdd(&st.count[p], 1);
        }
        __syncthreads();
        if (threadIdx.x < 32)
            scanAndReserve(st, cursor);
        __syncthreads();

        if (valid)
            st.staging[st.offset[p] + rank] = t;
        __syncthreads();
        const int total = min(kThreads, n - base);
        if (int(threadIdx.x) < total) {
            const Tuple s = st.staging[threadIdx.x];
            const int sp = partOf(s.key, shift);
            out[st.base[sp] + int(threadIdx.x) - st.offset[sp]] = s;
        }
        __syncthreads();
    }
}

// cursor holds the first output position of each partition.
cudaError_t partition(const Tuple* in, int n, Tuple* out, int* cursor, int shift,
                      cudaStream_t s)
{
    if (n <= 0)
        return cudaSuccess;
    const int grid = std::min((n + kThreads - 1) / kThreads, 2048);
    partitionKernel<<<grid, kThreads, 0, s>>>(in, n, out, cursor, shift);
    return cudaGetLastError();
}

} // namespace join
