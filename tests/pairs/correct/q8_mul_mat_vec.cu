// Quantised matrix-vector product (q8 blocks of 32), in the manner of ggml.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define GGML_LIKE_ASSERT(x) do { if (!(x)) { fprintf(stderr, "assert %s:%d %s\n", __FILE__, __LINE__, #x); abort(); } } while (0)
#define WARP_SIZE 32

constexpr int QK = 32;
struct block_q8 { float d; int8_t qs[QK]; };
static_assert(sizeof(block_q8) == 36, "");

typedef float (*vec_dot_t)(const block_q8&, const block_q8&, int);

__device__ __forceinline__ float dot_q8_q8(const block_q8& a, const block_q8& b, int iqs)
{
    const int* x = reinterpret_cast<const int*>(a.qs) + iqs;
    const int* y = reinterpret_cast<const int*>(b.qs) + iqs;
    int s = __dp4a(x[0], y[0], 0);
    s = __dp4a(x[1], y[1], s);
    return a.d * b.d * (float)s;
}

__global__ void quantize(const float* __restrict__ x, block_q8* __restrict__ y, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= k) return;             // k % 32 == 0, so a warp is in or out as a whole
    const float v = x[i];
    float amax = fabsf(v);
    #pragma unroll
    for (int m = 16; m > 0; m >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffff, amax, m, WARP_SIZE));
    const float d = amax / 127.f;
    y[i / QK].qs[i % QK] = amax == 0.f ? 0 : (int8_t)roundf(v / d);
    if (i % QK == 0) y[i / QK].d = d;
}

template <vec_dot_t DOT>
__global__ void mul_mat_vec(const block_q8* __restrict__ w, const block_q8* __restrict__ y, float* __restrict__ dst, int ncols, int nrows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= nrows) return;       // threadIdx.y is the warp
    const int nb = ncols / QK;
    const int perWarp = WARP_SIZE / 4;
    float tmp = 0.f;
    for (int i = threadIdx.x / 4; i < nb; i += perWarp)
        tmp += DOT(w[(size_t)row * nb + i], y[i], 2 * (threadIdx.x % 4));
    #pragma unroll
    for (int m = 16; m > 0; m >>= 1) tmp += __shfl_xor_sync(0xffffffff, tmp, m, WARP_SIZE);
    if (threadIdx.x == 0) dst[row] = tmp;
}

void mmv(const block_q8* w, const float* x, block_q8* xq, float* dst, int ncols, int nrows, cudaStream_t s)
{
    GGML_LIKE_ASSERT(ncols > 0 && ncols % QK == 0);
    GGML_LIKE_ASSERT(nrows > 0);
    quantize<<<(ncols + 255) / 256, 256, 0, s>>>(x, xq, ncols);
    const dim3 dims(WARP_SIZE, 2, 1);
    mul_mat_vec<dot_q8_q8><<<(nrows + 1) / 2, dims, 0, s>>>(w, xq, dst, ncols, nrows);
}
