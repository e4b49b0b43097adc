// CTC forward variables; short targets, so several samples share a block
// (threadIdx.x: label state, threadIdx.y: sample within the block).
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ctc {

struct Batch {
    const float* log_probs;    // [T][N][C]
    const int* targets;        // [N][max_target]
    const int* input_lengths;  // [N]
    const int* target_lengths; // [N]
    float* alpha;              // [N][T][2 * max_target + 1], may be null
    float* loss;               // [N]
    float* block_loss;         // [blocks], length-normalised partial sums
    int T, N, C, max_target, blank;
};

__device__ __forceinline__ float log_add3(float a, float b, float c)
{
    const float m = fmaxf(a, fmaxf(b, c));
    if (m == -INFINITY) return m;
    return m + __logf(__expf(a - m) + __expf(b - m) + __expf(c - m));
}

template <int STATES, int SAMPLES>
struct AlphaRows {
    // ping-pong over time, two guard cells on the left
    float row[2][SAMPLES][STATES + 2];
    float norm_loss[SAMPLES];
};

template <int STATES, int SAMPLES>
__global__ void __launch_bounds__(STATES* SAMPLES) ctc_alpha_kernel(Batch p)
{
    __shared__ AlphaRows<STATES, SAMPLES> sm;
    const int s = threadIdx.x, y = threadIdx.y;
    const int n = blockIdx.x * SAMPLES + y;
    const bool valid = n < p.N;

    const int tlen = valid ? p.input_lengths[n] : 0;
    const int ulen = valid ? p.target_lengths[n] : 0;
    const int states = 2 * ulen + 1;
    const int width = 2 * p.max_target + 1;
    const int* target = p.targets + (size_t)(valid ? n : 0) * p.max_target;

    const bool in_use = valid && s < states;
    const int label = in_use && (s & 1) ? target[s / 2] : p.blank;
    const bool skip = in_use && (s & 1) && s >= 3 && target[s / 2 - 1] != label;

    for (int h = 0; h < 2; ++h) {
        sm.row[h][y][s + 2] = -INFINITY;
        if (s < 2) sm.row[h][y][s] = -INFINITY;
    }
    if (in_use && s < 2 && tlen > 0) sm.row[0][y][s + 2] = p.log_probs[(size_t)n * p.C + label];
    if (p.alpha && in_use && tlen > 0) p.alpha[(size_t)n * p.T * width + s] = sm.row[0][y][s + 2];
    __syncthreads();

    const int steps = p.T;
    for (int t = 1; t < steps; ++t) {
        const float* cur = sm.row[(t - 1) & 1][y];
        float* next = sm.row[t & 1][y];
        if (in_use && t < tlen) {
            const float a = log_add3(cur[s + 2], cur[s + 1], skip ? cur[s] : -INFINITY) +
                            p.log_probs[((size_t)t * p.N + n) * p.C + label];
            next[s + 2] = a;
            if (p.alpha) p.alpha[((size_t)n * p.T + t) * width + s] = a;
        }
        __syncthreads();
    }

    if (s == 0) {
        float l = valid ? -INFINITY : 0.f;
        if (tlen > 0) {
            const float* last = sm.row[(tlen - 1) & 1][y];
            l = log_add3(last[states - 1 + 2], ulen > 0 ? last[states - 2 + 2] : -INFINITY, -INFINITY);
        } else if (ulen == 0) {
            l = 0.f;
        }
        if (valid) p.loss[n] = -l;
        sm.norm_loss[y] = -l / max(1, ulen);
    }
    __syncthreads();
    if (s == 0 && y == 0) {
        float sum = 0.f;
        for (int k = 0; k < SAMPLES; ++k) sum += sm.norm_loss[k];
        p.block_loss[blockIdx.x] = sum;
    }
}

__global__ void mean_loss_kernel(const float* block_loss, int blocks, int n, float* out)
{
    float v = 0.f;
    for (int i = threadIdx.x; i < blocks; i += 32) v += block_loss[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x == 0) *out = v / n;
}

template <int STATES, int SAMPLES>
static int launch(const Batch& b, cudaStream_t s)
{
    const dim3 block(STATES, SAMPLES);
    const int blocks = (b.N + SAMPLES - 1) / SAMPLES;
    ctc_alpha_kernel<STATES, SAMPLES><<<blocks, block, 0, s>>>(b);
    return blocks;
}

int ctc_loss_forward(const Batch& b, float* d_mean, cudaStream_t s)
{
    if (b.N == 0) return 0;
    const int states = 2 * b.max_target + 1;
    int blocks = 0;
    if (states <= 32) blocks = launch<32, 8>(b, s);
    else if (states <= 64) blocks = launch<64, 4>(b, s);
    else if (states <= 256) blocks = launch<256, 1>(b, s);
    else if (states <= 1024) blocks = launch<1024, 1>(b, s);
    else {
        fprintf(stderr, "ctc: target of length %d\n", b.max_target);
        return -1;
    }
    if (d_mean) mean_loss_kernel<<<1, 32, 0, s>>>(b.block_loss, blocks, b.N, d_mean);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

}  // namespace ctc
