#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace kmeans {

constexpr int DIM = 16;
constexpr int TILE = 32;    // centroids per stage
constexpr int STAGES = 3;
constexpr int THREADS = TILE * DIM / 4;

struct Problem {
    const float* points;
    const float* centroids;
    int numPoints;
    int numCentroids;  // multiple of TILE
};

template <int PENDING>
__device__ __forceinline__ void waitGroups() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

__device__ __forceinline__ void issue(float* smem, const float* gmem, bool valid) {
    if (valid) {
        const unsigned dst = (unsigned)__cvta_generic_to_shared(smem + threadIdx.x * 4);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(dst), "l"(gmem + threadIdx.x * 4) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void __launch_bounds__(THREADS) assign(Problem pb, int* label) {
    extern __shared__ __align__(16) float ring[];
    constexpr int kStageFloats = TILE * DIM;
    const int p = blockIdx.x * THREADS + threadIdx.x;
    const int tiles = pb.numCentroids / TILE;

    float x[DIM];
#pragma unroll
    for (int d = 0; d < DIM; ++d) x[d] = p < pb.numPoints ? pb.points[(size_t)p * DIM + d] : 0.f;

    for (int s = 0; s < STAGES - 1; ++s)
        issue(ring + s * kStageFloats, pb.centroids + (size_t)s * kStageFloats, s < tiles);

    float best = FLT_MAX;
    int arg = 0;
    for (int k = 0; k < tiles; ++k) {
        const int ahead = k + STAGES - 1;
        waitGroups<STAGES - 2>();
        __syncthreads();
        issue(ring + (ahead % STAGES) * kStageFloats, pb.centroids + (size_t)ahead * kStageFloats, ahead < tiles);
        const float* c = ring + (k % STAGES) * kStageFloats;
        for (int j = 0; j < TILE; ++j) {
            float d2 = 0.f;
#pragma unroll
            for (int d = 0; d < DIM; ++d) {
                const float diff = x[d] - c[j * DIM + d];
                d2 += diff * diff;
            }
            if (d2 < best) {
                best = d2;
                arg = k * TILE + j;
            }
        }
    }
    waitGroups<0>();
    if (p < pb.numPoints) label[p] = arg;
}

cudaError_t run(const Problem& pb, int* label, cudaStream_t stream) {
    const size_t smem = STAGES * TILE * DIM * sizeof(float);
    assign<<<(pb.numPoints + THREADS - 1) / THREADS, THREADS, smem, stream>>>(pb, label);
    return cudaGetLastError();
}

}  // namespace kmeans

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 100000;
    const int k = 256;
    std::vector<float> pts(size_t(n) * kmeans::DIM), cen(size_t(k) * kmeans::DIM);
    for (auto& v : pts) v = std::rand() / float(RAND_MAX);
    for (auto& v : cen) v = std::rand() / float(RAND_MAX);
    float *dP, *dC;
    int* dL;
    cudaMalloc(&dP, pts.size() * sizeof(float));
    cudaMalloc(&dC, cen.size() * sizeof(float));
    cudaMalloc(&dL, n * sizeof(int));
    cudaMemcpy(dP, pts.data(), pts.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, cen.data(), cen.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaError_t e = kmeans::run(kmeans::Problem{dP, dC, n, k}, dL, nullptr);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    int l0 = -1;
    cudaMemcpy(&l0, dL, sizeof l0, cudaMemcpyDeviceToHost);
    std::printf("label[0]=%d %s\n", l0, cudaGetErrorString(e));
    cudaFree(dP);
    cudaFree(dC);
    cudaFree(dL);
    return 0;
}
