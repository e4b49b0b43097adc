#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct PvParams {
    const float* probs;  // [heads, maxLen]
    const float* v;      // [heads, maxLen, HEAD_DIM]
    float* out;          // [heads, HEAD_DIM]
    int len;
    int maxLen;
};

template <int ID_BASE, int THREADS>
struct NamedBarrier {
    __device__ static void sync(int stage) {
        asm volatile("bar.sync %0, %1;" ::"r"(ID_BASE + stage), "n"(THREADS) : "memory");
    }
    __device__ static void arrive(int stage) {
        asm volatile("bar.arrive %0, %1;" ::"r"(ID_BASE + stage), "n"(THREADS) : "memory");
    }
};

template <int HEAD_DIM, int LOADERS, int ROWS>
struct PvTraits {
    static constexpr int kThreads = HEAD_DIM + LOADERS;
    static constexpr int kStages = 2;
    using Full = NamedBarrier<1, kThreads>;
    using Empty = NamedBarrier<1 + kStages, kThreads>;
    struct Shared {
        float v[kStages][ROWS][HEAD_DIM];
        float p[kStages][ROWS];
    };
};

template <int HEAD_DIM, int LOADERS, int ROWS>
__global__ void __launch_bounds__(HEAD_DIM + LOADERS) probsTimesV(PvParams prm) {
    using Tr = PvTraits<HEAD_DIM, LOADERS, ROWS>;
    __shared__ typename Tr::Shared sm;
    const int head = blockIdx.x;
    const float* probs = prm.probs + size_t(head) * prm.maxLen;
    const float* v = prm.v + size_t(head) * prm.maxLen * HEAD_DIM;
    const int tiles = (prm.len + ROWS - 1) / ROWS;

    if (threadIdx.x >= HEAD_DIM) {
        const int t = threadIdx.x - HEAD_DIM;
        for (int j = 0; j < tiles; ++j) {
            const int s = j % Tr::kStages;
            if (j >= Tr::kStages) Tr::Empty::sync(s);
            const int row0 = j * ROWS;
            for (int i = t; i < ROWS * HEAD_DIM; i += LOADERS) {
                const int r = i / HEAD_DIM, c = i % HEAD_DIM;
                sm.v[s][r][c] = row0 + r < prm.len ? v[size_t(row0 + r) * HEAD_DIM + c] : 0.f;
            }
            for (int r = t; r < ROWS; r += LOADERS) sm.p[s][r] = row0 + r < prm.len ? probs[row0 + r] : 0.f;
            __threadfence_block();
            Tr::Full::arrive(s);
        }
        return;
    }

    float acc = 0.f;
    for (int j = 0; j < tiles; ++j) {
        const int s = j % Tr::kStages;
        Tr::Full::sync(s);
#pragma unroll 8
        for (int r = 0; r < ROWS; ++r) acc += sm.p[s][r] * sm.v[s][r][threadIdx.x];
        if (j + Tr::kStages < tiles) Tr::Empty::arrive(s);
    }
    prm.out[head * HEAD_DIM + threadIdx.x] = acc;
}

int main(int argc, char** argv) {
    constexpr int D = 128, LOADERS = 64, ROWS = 32;
    const int heads = 32, len = argc > 1 ? std::atoi(argv[1]) : 1000, maxLen = 2048;
    if (len > maxLen) return 2;
    std::vector<float> p(size_t(heads) * maxLen, 1.f / len), v(size_t(heads) * maxLen * D);
    for (size_t i = 0; i < v.size(); ++i) v[i] = float(i % D);
    float *dp, *dv, *dout;
    cudaMalloc(&dp, p.size() * sizeof(float));
    cudaMalloc(&dv, v.size() * sizeof(float));
    cudaMalloc(&dout, heads * D * sizeof(float));
    cudaMemcpy(dp, p.data(), p.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    probsTimesV<D, LOADERS, ROWS><<<heads, D + LOADERS>>>(PvParams{dp, dv, dout, len, maxLen});
    std::vector<float> o(heads * D);
    cudaError_t e = cudaMemcpy(o.data(), dout, o.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("o[5] = %f (%s)\n", o[5], cudaGetErrorString(e));
    cudaFree(dp);
    cudaFree(dv);
    cudaFree(dout);
    return 0;
}
