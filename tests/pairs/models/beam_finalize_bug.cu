// Final scoring of beam search hypotheses: cut at EOS, length penalty, repetition count.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>

constexpr int kSub = 16;      // lanes for one hypothesis
constexpr int kThreads = 128;

struct BeamArgs {
    const int *tokens;        // [num_hyps, max_len]
    const float *logp;        // [num_hyps, max_len]
    const int *lengths;       // [num_hyps]
    float *score;             // [num_hyps]
    int *final_len;           // [num_hyps]
    int num_hyps, max_len;
    int eos;
    float alpha;              // exponent of the length penalty
};

__device__ __forceinline__ unsigned sub_mask() {
    return 0xffffu;
}

template <typename T>
__device__ __forceinline__ T sub_sum(T v) {
    const unsigned m = sub_mask();
#pragma unroll
    for (int o = kSub / 2; o > 0; o >>= 1) v += __shfl_xor_sync(m, v, o, kSub);
    return v;
}

// position of the first EOS of this hypothesis, or len
__device__ int find_eos(const int *tok, int len, int eos) {
    const int sub = threadIdx.x % kSub;
    for (int base = 0; base < len; base += kSub) {
        const bool hit = base + sub < len && tok[base + sub] == eos;
        unsigned b = __ballot_sync(sub_mask(), hit);
        b = (b >> (threadIdx.x & 16)) & 0xffffu;
        if (b) return base + __ffs(b) - 1;
    }
    return len;
}

__global__ void __launch_bounds__(kThreads) finalize_beams(BeamArgs a) {
    const int hyp = (blockIdx.x * kThreads + threadIdx.x) / kSub;
    if (hyp >= a.num_hyps) return;
    const int sub = threadIdx.x % kSub;

    const int *tok = a.tokens + (size_t)hyp * a.max_len;
    const float *lp = a.logp + (size_t)hyp * a.max_len;
    const int raw = min(a.lengths[hyp], a.max_len);
    const int len = find_eos(tok, raw, a.eos);

    float sum = 0.f;
    int repeats = 0;
    for (int t = sub; t < len; t += kSub) {
        sum += lp[t];
        if (t > 0 && tok[t] == tok[t - 1]) ++repeats;
    }
    sum = sub_sum(sum);
    repeats = sub_sum(repeats);

    if (sub == 0) {
        const float pen = powf((5.f + len) / 6.f, a.alpha);
        a.score[hyp] = len > 0 ? sum / pen - 0.01f * repeats : -FLT_MAX;
        a.final_len[hyp] = len;
    }
}

// best hypothesis of each request; num_beams is small, a thread does one request
__global__ void pick_best(const float *score, int *best, int requests, int num_beams) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= requests) return;
    int arg = 0;
    float top = score[(size_t)r * num_beams];
    for (int i = 1; i < num_beams; ++i) {
        const float s = score[(size_t)r * num_beams + i];
        if (s > top) {
            top = s;
            arg = i;
        }
    }
    best[r] = arg;
}

int finalize_beam_search(const int *tokens, const float *logp, const int *lengths, float *score,
                         int *final_len, int *best, int requests, int num_beams, int max_len, int eos,
                         float alpha, cudaStream_t stream) {
    if (requests <= 0 || num_beams <= 0 || max_len <= 0) return -1;
    BeamArgs a{tokens, logp, lengths, score, final_len, requests * num_beams, max_len, eos, alpha};
    const int per_block = kThreads / kSub;
    finalize_beams<<<(a.num_hyps + per_block - 1) / per_block, kThreads, 0, stream>>>(a);
    pick_best<<<(requests + 63) / 64, 64, 0, stream>>>(score, best, requests, num_beams);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
