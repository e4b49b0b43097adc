// AdamW with clipping by the global gradient norm. The norm is finished by the last block of the
// reduction kernel, so the step needs two launches and no trip to the host.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <vector>

#define NORM_THREADS 256
#define MAX_NORM_BLOCKS 1024

struct NormWorkspace {
    float *partial;          // [MAX_NORM_BLOCKS]
    unsigned int *ticket;    // starts at zero, wraps around to zero by itself
    float *norm;
    float *clip_coef;
};

__device__ float block_sum(float v) {
    __shared__ float sh[NORM_THREADS / 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();  // sh may be in use by the previous call
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = v;
    __syncthreads();
    v = 0.f;
    if (threadIdx.x < 32) {
        if (threadIdx.x < NORM_THREADS / 32) v = sh[threadIdx.x];
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    }
    return v;  // valid in thread 0
}

__global__ void __launch_bounds__(NORM_THREADS)
grad_norm_kernel(const float *__restrict__ grad, int64_t n, NormWorkspace ws, float max_norm) {
    __shared__ bool is_last;
    float acc = 0.f;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        acc += grad[i] * grad[i];
    acc = block_sum(acc);

    if (threadIdx.x == 0) {
        ws.partial[blockIdx.x] = acc;
        const unsigned int t = atomicInc(ws.ticket, gridDim.x - 1);
        is_last = t == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;

    __threadfence();
    float s = 0.f;
    for (int i = threadIdx.x; i < gridDim.x; i += NORM_THREADS) s += ws.partial[i];
    s = block_sum(s);
    if (threadIdx.x == 0) {
        const float norm = sqrtf(s);
        *ws.norm = norm;
        *ws.clip_coef = fminf(1.f, max_norm / (norm + 1e-6f));
    }
}

struct AdamHyper {
    float lr, beta1, beta2, eps, decay;
    float corr1, corr2;  // 1 - beta^t
};

__global__ void adamw_kernel(float *__restrict__ p, const float *__restrict__ g,
                             float *__restrict__ m, float *__restrict__ v, int64_t n,
                             const float *__restrict__ coef, AdamHyper h) {
    const float c = *coef;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float gi = g[i] * c;
        const float mi = h.beta1 * m[i] + (1.f - h.beta1) * gi;
        const float vi = h.beta2 * v[i] + (1.f - h.beta2) * gi * gi;
        m[i] = mi;
        v[i] = vi;
        const float up = (mi / h.corr1) / (sqrtf(vi / h.corr2) + h.eps);
        p[i] -= h.lr * (up + h.decay * p[i]);
    }
}

class AdamW {
public:
    AdamW(float lr, float b1, float b2, float eps, float wd) : lr_(lr), b1_(b1), b2_(b2), eps_(eps), wd_(wd) {
        cudaMalloc(&ws_.partial, MAX_NORM_BLOCKS * sizeof(float));
        cudaMalloc(&ws_.ticket, sizeof(unsigned int));
        cudaMalloc(&ws_.norm, sizeof(float));
        cudaMalloc(&ws_.clip_coef, sizeof(float));
        cudaMemset(ws_.ticket, 0, sizeof(unsigned int));
    }
    ~AdamW() {
        cudaFree(ws_.partial);
        cudaFree(ws_.ticket);
        cudaFree(ws_.norm);
        cudaFree(ws_.clip_coef);
    }
    AdamW(const AdamW &) = delete;
    AdamW &operator=(const AdamW &) = delete;

    void step(float *p, const float *g, float *m, float *v, int64_t n, float max_norm, cudaStream_t st) {
        ++t_;
        if (n <= 0) return;
        int64_t blocks = (n + NORM_THREADS * 4 - 1) / (NORM_THREADS * 4);
        if (blocks > MAX_NORM_BLOCKS) blocks = MAX_NORM_BLOCKS;
        grad_norm_kernel<<<(int)blocks, NORM_THREADS, 0, st>>>(g, n, ws_, max_norm);
        AdamHyper h{lr_, b1_, b2_, eps_, wd_, 1.f - std::pow(b1_, (float)t_), 1.f - std::pow(b2_, (float)t_)};
        adamw_kernel<<<(int)blocks, NORM_THREADS, 0, st>>>(p, g, m, v, n, ws_.clip_coef, h);
    }

private:
    NormWorkspace ws_{};
    float lr_, b1_, b2_, eps_, wd_;
    int t_ = 0;
};

void adamw_step(AdamW &opt, float *p, const float *g, float *m, float *v, int64_t n, cudaStream_t st) {
    opt.step(p, g, m, v, n, 1.0f, st);
}
