#include <cuda_runtime.h>
#include <math.h>

#define HEAD_COLS 16
#define NROWS 8

struct merge_args {
    const float * __restrict__ part;   // [n_q][2][head_dim] unnormalized partial outputs
    const float2 * __restrict__ meta;  // [n_q][2] (max, sum)
    float * __restrict__ dst;          // [n_q][head_dim]
    int n_q;
    int head_dim;
};

static __device__ __forceinline__ float safe_exp(float x) {
    return x < -80.0f ? 0.0f : expf(x);
}

static __global__ void flash_attn_merge_halves(const merge_args a) {
    __shared__ float  tile[NROWS / 2][HEAD_COLS];
    __shared__ float2 smeta[NROWS / 2];

    const int pair = threadIdx.y / 2;
    const int half = threadIdx.y % 2;
    const int q    = blockIdx.x * (NROWS / 2) + pair;
    const int col  = blockIdx.y * HEAD_COLS + threadIdx.x;
    const bool ok  = q < a.n_q && col < a.head_dim;

    float val = 0.0f;
    float2 m  = make_float2(-1e30f, 0.0f);
    if (q < a.n_q) {
        m = a.meta[q * 2 + half];
    }
    if (ok) {
        val = a.part[((size_t) q * 2 + half) * a.head_dim + col];
    }

    if (half == 0) {
        __syncthreads();
        const float2 o  = smeta[pair];
        const float mx  = fmaxf(m.x, o.x);
        const float s0  = safe_exp(m.x - mx);
        const float s1  = safe_exp(o.x - mx);
        const float den = m.y * s0 + o.y * s1;
        const float num = val * s0 + tile[pair][threadIdx.x] * s1;
        if (ok) {
            a.dst[(size_t) q * a.head_dim + col] = den > 0.0f ? num / den : 0.0f;
        }
    } else {
        tile[pair][threadIdx.x] = val;
        if (threadIdx.x == 0) {
            smeta[pair] = m;
        }
        __syncthreads();
    }
}

void flash_attn_merge_cuda(const float * part, const float2 * meta, float * dst,
                           int n_q, int head_dim, cudaStream_t stream) {
    merge_args a;
    a.part     = part;
    a.meta     = meta;
    a.dst      = dst;
    a.n_q      = n_q;
    a.head_dim = head_dim;
    const int qpb = NROWS / 2;
    const dim3 block(HEAD_COLS, NROWS, 1);
    const dim3 grid((n_q + qpb - 1) / qpb, (head_dim + HEAD_COLS - 1) / HEAD_COLS, 1);
    flash_attn_merge_halves<<<grid, block, 0, stream>>>(a);
}
