// Fused softmax + cross entropy, forward and backward, one block per row.
#include <cuda_runtime.h>
#include <cfloat>

template <int BLOCK>
__device__ float block_reduce(float v, float *scratch, bool is_max)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int o = 16; o > 0; o >>= 1) {
        const float u = __shfl_xor_sync(0xffffffffu, v, o);
        v = is_max ? fmaxf(v, u) : v + u;
    }
    __syncthreads();
    if (lane == 0)
        scratch[warp] = v;
    __syncthreads();
    v = scratch[0];
    for (int w = 1; w < BLOCK / 32; ++w)
        v = is_max ? fmaxf(v, scratch[w]) : v + scratch[w];
    return v;
}

struct CeArgs {
    int rows, classes;
    int ignore_index;
    float smoothing;
};

template <int BLOCK>
__global__ void ce_kernel(CeArgs a, const float *__restrict__ logits, const int *__restrict__ target, float *loss,
                          float *grad, float *class_hit)
{
    __shared__ float scratch[BLOCK / 32];
    const int r = blockIdx.x;
    const float *x = logits + (size_t)r * a.classes;
    float *g = grad + (size_t)r * a.classes;
    const int t = target[r];

    float m = -FLT_MAX;
    for (int c = threadIdx.x; c < a.classes; c += BLOCK)
        m = fmaxf(m, x[c]);
    m = block_reduce<BLOCK>(m, scratch, true);
    float s = 0.f, sx = 0.f;
    for (int c = threadIdx.x; c < a.classes; c += BLOCK) {
        s += __expf(x[c] - m);
        sx += x[c];
    }
    s = block_reduce<BLOCK>(s, scratch, false);
    sx = block_reduce<BLOCK>(sx, scratch, false);

    const float uniform = a.smoothing / a.classes;
    for (int c = threadIdx.x; c < a.classes; c += BLOCK)
        g[c] = t == a.ignore_index ? 0.f : __expf(x[c] - m) / s - uniform;
    __syncthreads();
    if (threadIdx.x == 0) {
        const float lse = m + __logf(s);
        float l = 0.f;
        if (t != a.ignore_index) {
            g[t] -= 1.f - a.smoothing;
            l = (1.f - a.smoothing) * (lse - x[t]) + a.smoothing * (lse - sx / a.classes);
            class_hit[(size_t)r * a.classes + t] = 1.f;
        }
        loss[r] = l;
    }
}

__global__ void scale_rows(float *grad, const float *__restrict__ row_weight, int classes)
{
    float *g = grad + (size_t)blockIdx.x * classes;
    for (int c = threadIdx.x; c < classes; c += blockDim.x)
        g[c] *= row_weight[blockIdx.x];
}

int ce_forward_backward(const CeArgs &a, const float *logits, const int *target, const float *row_weight, float *loss,
                        float *grad, float *class_hit, cudaStream_t s)
{
    constexpr int kBlock = 128;
    cudaMemsetAsync(class_hit, 0, sizeof(float) * (size_t)a.rows * a.classes, s);
    ce_kernel<kBlock><<<a.rows, kBlock, 0, s>>>(a, logits, target, loss, grad, class_hit);
    if (row_weight)
        scale_rows<<<a.rows, kBlock, 0, s>>>(grad, row_weight, a.classes);
    return cudaGetLastError();
}
