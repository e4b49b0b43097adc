#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 128;
constexpr int kTile = kThreads * 4;
constexpr int kTaps = 33;
constexpr int kLine = kTile + 64;

__constant__ float c_taps[kTaps];

__device__ __forceinline__ void cp16(void* smem, const void* gmem) {
    const unsigned s = static_cast<unsigned>(__cvta_generic_to_shared(smem));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(s), "l"(gmem) : "memory");
}
__device__ __forceinline__ void cpCommit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cpWait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

// copies one tile and the 64 samples behind it
__device__ void prefetch(float* line, const float* src) {
    cp16(line + threadIdx.x * 4, src + threadIdx.x * 4);
    if (threadIdx.x < 16) cp16(line + kTile + threadIdx.x * 4, src + kTile + threadIdx.x * 4);
}

// in: padded with 64 samples at the end; every block filters a run of tiles
__global__ void __launch_bounds__(kThreads) firFilter(const float* __restrict__ in, float* __restrict__ out, int tiles, int tilesPerBlock) {
    __shared__ alignas(16) float line[2][kLine];
    const int first = blockIdx.x * tilesPerBlock;
    const int last = min(first + tilesPerBlock, tiles);
    if (first >= last) return;

    prefetch(line[0], in + size_t(first) * kTile);
    cpCommit();
    for (int t = first; t < last; ++t) {
        const int cur = (t - first) & 1;
        if (t + 1 < last) {
            prefetch(line[cur ^ 1], in + size_t(t + 1) * kTile);
            cpCommit();
        }
        cpWait<1>();
        __syncthreads();
        for (int k = 0; k < 4; ++k) {
            const int i = threadIdx.x + k * kThreads;
            float acc = 0.f;
#pragma unroll
            for (int j = 0; j < kTaps; ++j) acc += c_taps[j] * line[cur][i + j];
            out[size_t(t) * kTile + i] = acc;
        }
        __syncthreads();
    }
}

int main(int argc, char** argv) {
    const int tiles = argc > 1 ? std::atoi(argv[1]) : 100;
    const size_t n = size_t(tiles) * kTile;
    std::vector<float> sig(n + 64, 0.f);
    for (size_t i = 0; i < n; ++i) sig[i] = (i % 50 < 25) ? 1.f : -1.f;
    float taps[kTaps];
    for (float& t : taps) t = 1.f / kTaps;

    float *dIn, *dOut;
    if (cudaMalloc(&dIn, sig.size() * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMalloc(&dOut, n * sizeof(float)) != cudaSuccess) return 1;
    cudaMemcpyToSymbol(c_taps, taps, sizeof taps);
    cudaMemcpy(dIn, sig.data(), sig.size() * sizeof(float), cudaMemcpyHostToDevice);
    const int per = 8;
    firFilter<<<(tiles + per - 1) / per, kThreads>>>(dIn, dOut, tiles, per);
    std::vector<float> res(n);
    cudaError_t e = cudaMemcpy(res.data(), dOut, n * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("y[n/2] = %f (%s)\n", res[n / 2], cudaGetErrorString(e));
    cudaFree(dIn);
    cudaFree(dOut);
    return 0;
}
