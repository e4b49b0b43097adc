#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

struct Candidate {
    float score;
    int token;
};

struct BeamParams {
    int vocab;
    int beams;
    float lengthPenalty;
};

constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ Candidate better(Candidate a, Candidate b) {
    if (a.score > b.score) return a;
    if (b.score > a.score) return b;
    return a.token < b.token ? a : b;
}

__device__ __forceinline__ Candidate warpBest(Candidate c) {
#pragma unroll
    for (int off = 16; off > 0; off >>= 1) {
        Candidate o;
        o.score = __shfl_xor_sync(kAll, c.score, off);
        o.token = __shfl_xor_sync(kAll, c.token, off);
        c = better(c, o);
    }
    return c;
}

// One warp per beam; keeps the best token of every 32 and then the best K chunks.
template <int K>
__global__ void topkPerBeam(const float* __restrict__ logits, Candidate* __restrict__ out, BeamParams p) {
    const int beam = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (beam >= p.beams) return;
    const float* row = logits + size_t(beam) * p.vocab;

    Candidate best[K];
#pragma unroll
    for (int i = 0; i < K; ++i) best[i] = Candidate{-FLT_MAX, -1};

    for (int base = 0; base < p.vocab; base += 32) {
        const int c = base + lane;
        Candidate w{-FLT_MAX, 0x7fffffff};
        if (c < p.vocab) {
            w = Candidate{row[c] * p.lengthPenalty, c};
        }
        w = warpBest(w);
#pragma unroll
        for (int i = 0; i < K; ++i) {
            if (w.score > best[i].score) {
                const Candidate t = best[i];
                best[i] = w;
                w = t;
            }
        }
    }
    if (lane == 0)
        for (int i = 0; i < K; ++i) out[beam * K + i] = best[i];
}

template <int K>
cudaError_t launchTopk(const float* logits, Candidate* out, const BeamParams& p, cudaStream_t s) {
    const int threads = 128;
    const int blocks = (p.beams * 32 + threads - 1) / threads;
    topkPerBeam<K><<<blocks, threads, 0, s>>>(logits, out, p);
    return cudaGetLastError();
}

int main(int argc, char** argv) {
    BeamParams p{argc > 1 ? std::atoi(argv[1]) : 50257, argc > 2 ? std::atoi(argv[2]) : 10, 0.9f};
    std::vector<float> h(size_t(p.vocab) * p.beams);
    for (auto& v : h) v = std::rand() / float(RAND_MAX);
    float* dLogits;
    Candidate* dOut;
    cudaMalloc(&dLogits, h.size() * sizeof(float));
    cudaMalloc(&dOut, p.beams * 4 * sizeof(Candidate));
    cudaMemcpy(dLogits, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    if (launchTopk<4>(dLogits, dOut, p, 0) != cudaSuccess) return 1;
    Candidate r[4];
    cudaMemcpy(r, dOut, sizeof r, cudaMemcpyDeviceToHost);
    for (auto& c : r) std::printf("%d %.4f\n", c.token, c.score);
    cudaFree(dLogits);
    cudaFree(dOut);
    return 0;
}
