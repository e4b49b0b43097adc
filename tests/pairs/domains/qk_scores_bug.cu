#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace attn {

struct Params {
    const __half* q;        // [heads, dim]
    const __half* k;        // [heads, maxLen, dim]
    float* scores;          // [heads, maxLen]
    const int* lens;        // [heads]
    int maxLen;
    float scale;
};

template <int LANES>
struct Group {
    static_assert(LANES < 32 && (LANES & (LANES - 1)) == 0, "sub-warp group");
    int rank;
    unsigned mask;
    __device__ Group() {
        const unsigned lane = threadIdx.x & 31u;
        rank = lane & (LANES - 1);
        mask = (1u << LANES) - 1u;
    }
    __device__ float sum(float v) const {
#pragma unroll
        for (int o = LANES / 2; o > 0; o /= 2) v += __shfl_xor_sync(mask, v, o, LANES);
        return v;
    }
};

template <int DIM, int LANES, int THREADS>
__global__ void __launch_bounds__(THREADS) qkScores(Params p) {
    constexpr int kPerLane = DIM / LANES;
    constexpr int kGroups = THREADS / LANES;
    const int head = blockIdx.y;
    const int len = p.lens[head];
    const Group<LANES> g;
    const int groupId = blockIdx.x * kGroups + threadIdx.x / LANES;
    const __half* q = p.q + head * DIM + g.rank * kPerLane;

    float qr[kPerLane];
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) qr[i] = __half2float(q[i]) * p.scale;

    for (int key = groupId; key < len; key += gridDim.x * kGroups) {
        const __half* k = p.k + (size_t(head) * p.maxLen + key) * DIM + g.rank * kPerLane;
        float acc = 0.f;
#pragma unroll
        for (int i = 0; i < kPerLane; ++i) acc += qr[i] * __half2float(k[i]);
        acc = g.sum(acc);
        if (g.rank == 0) p.scores[size_t(head) * p.maxLen + key] = acc;
    }
}

void launch(const Params& p, int heads, cudaStream_t s) {
    constexpr int T = 128;
    dim3 grid(4, heads);
    qkScores<64, 8, T><<<grid, T, 0, s>>>(p);
}

}  // namespace attn

int main(int argc, char** argv) {
    const int heads = 16, maxLen = argc > 1 ? std::atoi(argv[1]) : 333, dim = 64;
    std::vector<__half> q(heads * dim, __float2half(1.f)), k(size_t(heads) * maxLen * dim, __float2half(0.5f));
    std::vector<int> lens(heads);
    for (int h = 0; h < heads; ++h) lens[h] = maxLen - h;
    __half *dq, *dk;
    float* ds;
    int* dl;
    cudaMalloc(&dq, q.size() * sizeof(__half));
    cudaMalloc(&dk, k.size() * sizeof(__half));
    cudaMalloc(&ds, sizeof(float) * heads * maxLen);
    cudaMalloc(&dl, heads * sizeof(int));
    cudaMemcpy(dq, q.data(), q.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), k.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dl, lens.data(), heads * sizeof(int), cudaMemcpyHostToDevice);
    attn::launch(attn::Params{dq, dk, ds, dl, maxLen, 0.125f}, heads, nullptr);
    float s0 = 0;
    cudaError_t e = cudaMemcpy(&s0, ds, sizeof s0, cudaMemcpyDeviceToHost);
    std::printf("score %f (%s)\n", s0, cudaGetErrorString(e));
    cudaFree(dq); cudaFree(dk); cudaFree(ds); cudaFree(dl);
    return e != cudaSuccess;
}
