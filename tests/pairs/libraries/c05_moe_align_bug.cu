// Groups (token, k) pairs by expert and pads every expert to a multiple of the
// GEMM block size.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

namespace moe {

#define CEILDIV(a, b) (((a) + (b) - 1) / (b))

struct AlignParams {
    int num_experts;
    int block_size;
    size_t numel;
    int32_t* sorted_ids;   // padded, filled with numel where empty
    int32_t* expert_ids;   // one per GEMM block
    int32_t* total_padded; // scalar
};

struct CountTable {
    int32_t* cnt;     // [threads + 1][experts]
    int32_t* cumsum;  // [experts + 1]
    int experts;
    __device__ int32_t& at(int row, int e) { return cnt[row * experts + e]; }
};

// column-wise inclusive prefix over the threads' private counters
__device__ __forceinline__ void prefix_columns(CountTable& t)
{
    for (int e = threadIdx.x; e < t.experts; e += blockDim.x) {
        t.at(0, e) = 0;
        for (int i = 1; i <= (int)blockDim.x; ++i) t.at(i, e) += t.at(i - 1, e);
    }
}

__device__ void pad_experts(CountTable& t, const AlignParams& p)
{
    if (threadIdx.x == 0) {
        t.cumsum[0] = 0;
        for (int e = 1; e <= t.experts; ++e)
            t.cumsum[e] = t.cumsum[e - 1] + CEILDIV(t.at(blockDim.x, e - 1), p.block_size) * p.block_size;
        *p.total_padded = t.cumsum[t.experts];
    }
    __syncthreads();
}

template <typename scalar_t>
__global__ void moe_align_block_size_kernel(const scalar_t* __restrict__ topk_ids, AlignParams p)
{
    extern __shared__ int32_t smem[];
    CountTable t{smem, smem + (blockDim.x + 1) * p.num_experts, p.num_experts};

    const size_t per_thread = CEILDIV(p.numel, blockDim.x);
    const size_t start = threadIdx.x * per_thread;
    const size_t stop = min(start + per_thread, p.numel);

    for (int e = 0; e < p.num_experts; ++e) t.at(threadIdx.x + 1, e) = 0;
    for (size_t i = start; i < stop; ++i) ++t.at(threadIdx.x + 1, (int)topk_ids[i]);
    __syncthreads();

    prefix_columns(t);
    pad_experts(t, p);

    for (int e = threadIdx.x; e < p.num_experts; e += blockDim.x)
        for (int i = t.cumsum[e]; i < t.cumsum[e + 1]; i += p.block_size) p.expert_ids[i / p.block_size] = e;

    // row threadIdx.x of the table is this thread's private cursor
    for (size_t i = start; i < stop; ++i) {
        const int e = (int)topk_ids[i];
        const int rank = t.at(threadIdx.x, e)++ + t.cumsum[e];
        p.sorted_ids[rank] = (int32_t)i;
    }
}

__global__ void fill_kernel(int32_t* x, int n, int32_t v)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = v;
}

template <typename scalar_t>
int moe_align_block_size(const scalar_t* topk_ids, size_t numel, int num_experts, int block_size, int32_t* sorted_ids,
                         int32_t* expert_ids, int32_t* total_padded, cudaStream_t stream)
{
    const int threads = num_experts <= 32 ? 64 : 32 * CEILDIV(num_experts, 32);
    const size_t smem = ((threads + 1) * num_experts + num_experts + 1) * sizeof(int32_t);
    int limit = 0;
    cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    if (smem > (size_t)limit || threads > 1024) {
        fprintf(stderr, "moe_align: %d experts do not fit\n", num_experts);
        return -1;
    }
    const int max_padded = (int)numel + num_experts * (block_size - 1);
    fill_kernel<<<CEILDIV(max_padded, 256), 256, 0, stream>>>(sorted_ids, max_padded, (int32_t)numel);

    auto kernel = moe_align_block_size_kernel<scalar_t>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem);
    const AlignParams p{num_experts, block_size, numel, sorted_ids, expert_ids, total_padded};
    kernel<<<1, threads, smem, stream>>>(topk_ids, p);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

template int moe_align_block_size<int32_t>(const int32_t*, size_t, int, int, int32_t*, int32_t*, int32_t*, cudaStream_t);
template int moe_align_block_size<int64_t>(const int64_t*, size_t, int, int, int32_t*, int32_t*, int32_t*, cudaStream_t);

}  // namespace moe
