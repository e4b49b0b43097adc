#include <cuda/barrier>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kProducers = 32;
constexpr int kConsumers = 128;
constexpr int kStages = 2;
constexpr int kChunk = 512;

struct Packed {
    const uint16_t* deltas;
    const int* bases;
    int chunks;
};

__device__ void unpack(int* stage, const Packed& in, int chunk, int lane) {
    // 32 lanes, 16 deltas each, running sums inside a lane's piece
    int run = in.bases[chunk * kProducers + lane];
    const uint16_t* d = in.deltas + size_t(chunk) * kChunk + lane * 16;
    for (int i = 0; i < 16; ++i) {
        run += d[i];
        stage[lane * 16 + i] = run;
    }
}

__device__ void filterChunk(const int* stage, int threshold, int consumer, int& hits) {
    for (int i = consumer; i < kChunk; i += kConsumers) hits += stage[i] > threshold;
}

__global__ void __launch_bounds__(kProducers + kConsumers) decodeAndCount(Packed in, int threshold, int* total) {
    __shared__ int stage[kStages][kChunk];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ BlockBarrier ready[kStages];
    __shared__ BlockBarrier freed[kStages];
    if (threadIdx.x == 0)
        for (int s = 0; s < kStages; ++s) {
            init(&ready[s], kProducers + kConsumers);
            init(&freed[s], kProducers + kConsumers);
        }
    __syncthreads();

    const int mine = blockIdx.x < in.chunks ? (in.chunks - 1 - blockIdx.x) / gridDim.x + 1 : 0;
    if (threadIdx.x < kProducers) {
        for (int k = 0; k < mine; ++k) {
            const int s = k % kStages;
            freed[s].arrive_and_wait();
            unpack(stage[s], in, blockIdx.x + k * gridDim.x, threadIdx.x);
            (void)ready[s].arrive();
        }
    } else {
        const int c = threadIdx.x - kProducers;
        int hits = 0;
        for (int s = 0; s < kStages; ++s) (void)freed[s].arrive();
        for (int k = 0; k < mine; ++k) {
            const int s = k % kStages;
            ready[s].arrive_and_wait();
            filterChunk(stage[s], threshold, c, hits);
            (void)freed[s].arrive();
        }
        atomicAdd(total, hits);
    }
}

int main(int argc, char** argv) {
    const int chunks = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::vector<uint16_t> deltas(size_t(chunks) * kChunk);
    std::vector<int> bases(size_t(chunks) * kProducers);
    for (auto& d : deltas) d = std::rand() % 50;
    for (auto& b : bases) b = std::rand() % 5000;
    Packed in{};
    uint16_t* dDeltas;
    int *dBases, *dTotal;
    cudaMalloc(&dDeltas, deltas.size() * sizeof(uint16_t));
    cudaMalloc(&dBases, bases.size() * sizeof(int));
    cudaMalloc(&dTotal, sizeof(int));
    cudaMemcpy(dDeltas, deltas.data(), deltas.size() * sizeof(uint16_t), cudaMemcpyHostToDevice);
    cudaMemcpy(dBases, bases.data(), bases.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dTotal, 0, sizeof(int));
    in.deltas = dDeltas;
    in.bases = dBases;
    in.chunks = chunks;
    decodeAndCount<<<108, kProducers + kConsumers>>>(in, 2500, dTotal);
    int total = 0;
    cudaError_t e = cudaMemcpy(&total, dTotal, sizeof total, cudaMemcpyDeviceToHost);
    std::printf("%d rows pass (%s)\n", total, cudaGetErrorString(e));
    cudaFree(dDeltas);
    cudaFree(dBases);
    cudaFree(dTotal);
    return e != cudaSuccess;
}
