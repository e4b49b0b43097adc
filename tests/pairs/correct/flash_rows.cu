// Attention of a tile of queries against streamed K/V tiles with an online softmax.
#include <cuda_runtime.h>
#include <math_constants.h>

constexpr int D  = 64;      // head dimension
constexpr int BR = 16;      // queries per block
constexpr int BC = 32;      // keys per tile

struct AttnParams {
    const float* q; const float* k; const float* v;
    float* o;
    int len_q, len_k;
    float scale;
    bool causal;
};

struct AttnSmem {
    float q[BR][D];
    float k[BC][D + 1];
    float v[BC][D];
    float p[BR][BC];
};

// block = (32, 16): a warp per query row
__global__ void attention(AttnParams a)
{
    __shared__ AttnSmem sm;
    const int lane = threadIdx.x, r = threadIdx.y;
    const int tid = r * 32 + lane;
    const int q0 = blockIdx.x * BR;
    const size_t head = blockIdx.y;
    const float* Q = a.q + head * a.len_q * D;
    const float* K = a.k + head * a.len_k * D;
    const float* V = a.v + head * a.len_k * D;

    for (int i = tid; i < BR * D; i += 512)
        sm.q[i / D][i % D] = q0 + i / D < a.len_q ? Q[(size_t)q0 * D + i] * a.scale : 0.f;

    float m = -CUDART_INF_F, l = 0.f, acc0 = 0.f, acc1 = 0.f;
    const int q = q0 + r;
    int end = a.len_k;
    if (a.causal) end = min(end, q0 + BR);

    for (int c0 = 0; c0 < end; c0 += BC) {
        __syncthreads();                  // also covers sm.q on the first trip
        for (int i = tid; i < BC * D; i += 512) {
            const int kr = i / D, kc = i % D;
            const bool in = c0 + kr < a.len_k;
            sm.k[kr][kc] = in ? K[(size_t)(c0 + kr) * D + kc] : 0.f;
            sm.v[kr][kc] = in ? V[(size_t)(c0 + kr) * D + kc] : 0.f;
        }
        __syncthreads();

        float s = 0.f;
#pragma unroll 16
        for (int d = 0; d < D; ++d) s += sm.q[r][d] * sm.k[lane][d];
        const int key = c0 + lane;
        if (key >= a.len_k || (a.causal && key > q)) s = -CUDART_INF_F;

        float top = s;
        for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
        top = fmaxf(top, m);
        const float p = top == -CUDART_INF_F ? 0.f : __expf(s - top);
        const float fix = top == -CUDART_INF_F ? 1.f : __expf(m - top);
        float sum = p;
        for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
        l = l * fix + sum;
        m = top;

        sm.p[r][lane] = p;
        __syncwarp();
        acc0 *= fix;
        acc1 *= fix;
#pragma unroll 8
        for (int j = 0; j < BC; ++j) {
            acc0 += sm.p[r][j] * sm.v[j][lane];
            acc1 += sm.p[r][j] * sm.v[j][lane + 32];
        }
    }
    if (q < a.len_q) {
        const float inv = l > 0.f ? 1.f / l : 0.f;
        float* o = a.o + (head * a.len_q + q) * D;
        o[lane] = acc0 * inv;
        o[lane + 32] = acc1 * inv;
    }
}

cudaError_t attention_forward(const AttnParams& p, int heads, cudaStream_t s)
{
    if (heads <= 0 || p.len_q <= 0 || p.len_k <= 0) return cudaErrorInvalidValue;
    attention<<<dim3((p.len_q + BR - 1) / BR, heads), dim3(32, BR), 0, s>>>(p);
    return cudaGetLastError();
}
