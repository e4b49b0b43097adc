// Single-head attention forward with online softmax.  A block owns kWarps query
// rows, one per warp; keys and values are walked in tiles of 32 rows.
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdio>

namespace attn {

struct AttnParams {
    const float *q, *k, *v;
    float* out;
    float* lse;
    int seq_q, seq_k;
    int stride_batch_q, stride_batch_k;  // elements between (batch, head) slices
    float scale;
};

constexpr int kTile = 32;
constexpr int kWarps = 8;

template <int D>
struct KvTile {
    float k[kTile][D + 1];
    float v[kTile][D];
};

template <int D>
__device__ void load_tile(KvTile<D>& s, const float* k, const float* v, int j0, int seq_k)
{
    for (int i = threadIdx.x; i < kTile * D; i += kWarps * 32) {
        const int r = i / D, c = i % D;
        const bool ok = j0 + r < seq_k;
        s.k[r][c] = ok ? k[(size_t)(j0 + r) * D + c] : 0.f;
        s.v[r][c] = ok ? v[(size_t)(j0 + r) * D + c] : 0.f;
    }
    __syncthreads();
}

__device__ __forceinline__ float warp_max(float v)
{
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ __forceinline__ float warp_sum(float v)
{
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

template <bool CAUSAL>
__device__ __forceinline__ int keys_needed(const AttnParams& p, int row)
{
    if (!CAUSAL) return p.seq_k;
    return max(0, min(p.seq_k, row + 1 + p.seq_k - p.seq_q));
}

template <int D, bool CAUSAL>
__global__ void __launch_bounds__(kWarps * 32) flash_fwd(AttnParams p)
{
    extern __shared__ __align__(16) unsigned char raw[];
    KvTile<D>& s = *reinterpret_cast<KvTile<D>*>(raw);
    constexpr int E = D / 32;

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.x * kWarps + warp;
    const float* q = p.q + (size_t)blockIdx.y * p.stride_batch_q;
    const float* k = p.k + (size_t)blockIdx.y * p.stride_batch_k;
    const float* v = p.v + (size_t)blockIdx.y * p.stride_batch_k;

    float qr[E], acc[E] = {};
    for (int e = 0; e < E; ++e) qr[e] = row < p.seq_q ? q[(size_t)row * D + e * 32 + lane] : 0.f;
    float m = -FLT_MAX, l = 0.f;

    const int limit = keys_needed<CAUSAL>(p, row);
    const int end = keys_needed<CAUSAL>(p, blockIdx.x * kWarps + kWarps - 1);
    for (int j0 = 0; j0 < end; j0 += kTile) {
        load_tile<D>(s, k, v, j0, p.seq_k);

        float dot = 0.f;
#pragma unroll
        for (int c = 0; c < D; ++c) {
            const float qc = __shfl_sync(~0u, qr[c / 32], c % 32);
            dot += qc * s.k[lane][c];
        }
        dot = j0 + lane < limit ? dot * p.scale : -FLT_MAX;
        const float m_new = fmaxf(m, warp_max(dot));
        const float corr = __expf(m - m_new);
        const float prob = j0 + lane < limit ? __expf(dot - m_new) : 0.f;
        l = l * corr + warp_sum(prob);
        m = m_new;
#pragma unroll
        for (int e = 0; e < E; ++e) acc[e] *= corr;
        for (int j = 0; j < kTile; ++j) {
            const float pj = __shfl_sync(~0u, prob, j);
#pragma unroll
            for (int e = 0; e < E; ++e) acc[e] += pj * s.v[j][e * 32 + lane];
        }
        __syncthreads();
    }

    if (row >= p.seq_q) return;
    float* o = p.out + (size_t)blockIdx.y * p.stride_batch_q + (size_t)row * D;
    const float inv = l > 0.f ? 1.f / l : 0.f;
    for (int e = 0; e < E; ++e) o[e * 32 + lane] = acc[e] * inv;
    if (p.lse && lane == 0) p.lse[(size_t)blockIdx.y * p.seq_q + row] = m + __logf(fmaxf(l, 1e-37f));
}

template <int D>
static int run(const AttnParams& p, int slices, bool causal, cudaStream_t st)
{
    const dim3 grid((p.seq_q + kWarps - 1) / kWarps, slices);
    const int bytes = sizeof(KvTile<D>);
    auto* f = causal ? flash_fwd<D, true> : flash_fwd<D, false>;
    if (bytes > 48 << 10) cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    f<<<grid, kWarps * 32, bytes, st>>>(p);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}

int flash_attention_forward(const AttnParams& p, int batch, int heads, int head_dim, bool causal, cudaStream_t st)
{
    switch (head_dim) {
    case 32: return run<32>(p, batch * heads, causal, st);
    case 64: return run<64>(p, batch * heads, causal, st);
    case 128: return run<128>(p, batch * heads, causal, st);
    }
    fprintf(stderr, "head_dim %d is not supported\n", head_dim);
    return 2;
}

}  // namespace attn
