// Repeated warp argmax: the k largest logits of a row, one after another.
#include <cuda_runtime.h>
#include <math_constants.h>

#define FULL 0xffffffffu

struct TopKParams {
    const float* logits;
    int   vocab;
    int   batch;
    int   k;
    float* out_val;
    int*   out_idx;
};

__device__ __forceinline__ void take_larger(float& v, int& i, float ov, int oi)
{
    if (ov > v || (ov == v && oi < i)) {
        v = ov;
        i = oi;
    }
}

__device__ __forceinline__ void warp_argmax(float& v, int& i)
{
#pragma unroll
    for (int m = 1; m < 32; m <<= 1) {
        const float ov = __shfl_xor_sync(FULL, v, m);
        const int   oi = __shfl_xor_sync(FULL, i, m);
        take_larger(v, i, ov, oi);
    }
}

__global__ void topk_rows(TopKParams p)
{
    const int lane = threadIdx.x & 31;
    const int row  = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= p.batch) return;
    const float* x = p.logits + (size_t)row * p.vocab;

    float last_v = CUDART_INF_F;
    int   last_i = -1;
    for (int round = 0; round < p.k; ++round) {
        float v = -CUDART_INF_F;
        int   i = 0x7fffffff;
        for (int c = lane; c < p.vocab; c += 32) {
            const float f = x[c];
            // strictly after the previous winner in (value desc, index asc) order
            const bool after = f < last_v || (f == last_v && c > last_i);
            if (after) take_larger(v, i, f, c);
        }
        warp_argmax(v, i);
        if (i == 0x7fffffff) {           // the row is exhausted, same in every lane
            if (lane == 0) {
                for (int r = round; r < p.k; ++r) {
                    p.out_val[(size_t)row * p.k + r] = -CUDART_INF_F;
                    p.out_idx[(size_t)row * p.k + r] = -1;
                }
            }
            break;
        }
        if (lane == 0) {
            p.out_val[(size_t)row * p.k + round] = v;
            p.out_idx[(size_t)row * p.k + round] = i;
        }
        last_v = v;
        last_i = i;
    }
}

int launch_topk(const TopKParams& p, cudaStream_t s)
{
    if (p.batch <= 0 || p.vocab <= 0 || p.k <= 0) return 1;
    topk_rows<<<(p.batch + 7) / 8, 256, 0, s>>>(p);
    return cudaGetLastError() == cudaSuccess ? 0 : 2;
}
