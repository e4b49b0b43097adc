// Per-row top-k: scores and indices live in one dynamic arena that is carved by
// alignment; k rounds of arg-max.
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

struct Arena {
    unsigned char* p;
    template <typename T> __host__ __device__ T* take(size_t n)
    {
        uintptr_t a = (reinterpret_cast<uintptr_t>(p) + alignof(T) - 1) & ~uintptr_t(alignof(T) - 1);
        p = reinterpret_cast<unsigned char*>(a + n * sizeof(T));
        return reinterpret_cast<T*>(a);
    }
};

struct __align__(8) Best { float v; int i; };

__device__ __forceinline__ Best better(Best a, Best b) { return (b.v > a.v || (b.v == a.v && b.i < a.i)) ? b : a; }

__global__ void topk(const float* __restrict__ scores, int cols, int k, float* __restrict__ ov, int* __restrict__ oi)
{
    extern __shared__ __align__(16) unsigned char raw[];
    Arena ar{raw};
    unsigned char* taken = ar.take<unsigned char>(cols);
    float* s = ar.take<float>(cols);
    Best* part = ar.take<Best>(blockDim.x / 32);

    const float* row = scores + (size_t)blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) { s[c] = row[c]; taken[c] = 0; }

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int r = 0; r < k; ++r) {
        // each thread scans only the columns it filled; `taken` is marked by their owner
        Best b{-INFINITY, 0x7fffffff};
        for (int c = threadIdx.x; c < cols; c += blockDim.x)
            if (!taken[c]) b = better(b, Best{s[c], c});
        #pragma unroll
        for (int o = 16; o > 0; o >>= 1) {
            Best q;
            q.v = __shfl_xor_sync(~0u, b.v, o);
            q.i = __shfl_xor_sync(~0u, b.i, o);
            b = better(b, q);
        }
        if (lane == 0) part[warp] = b;
        __syncthreads();
        b = part[0];
        for (int w = 1; w < (int)blockDim.x / 32; ++w) b = better(b, part[w]);
        if (b.i < cols && b.i % (int)blockDim.x == (int)threadIdx.x) taken[b.i] = 1;
        if (threadIdx.x == 0) {
            ov[(size_t)blockIdx.x * k + r] = b.v;
            oi[(size_t)blockIdx.x * k + r] = b.i < cols ? b.i : -1;
        }
        __syncthreads();
    }
}

void topkRows(const float* scores, int rows, int cols, int k, float* ov, int* oi, cudaStream_t st)
{
    if (rows <= 0) return;
    if (cols < 1 || cols > 8192 || k < 1 || k > cols) throw std::invalid_argument("topk");
    const int block = cols >= 1024 ? 256 : 64;
    Arena a{nullptr};
    a.take<unsigned char>(cols);
    a.take<float>(cols);
    a.take<Best>(block / 32);
    topk<<<rows, block, reinterpret_cast<size_t>(a.p), st>>>(scores, cols, k, ov, oi);
}
