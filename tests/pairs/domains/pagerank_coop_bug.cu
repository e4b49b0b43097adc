#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

namespace cg = cooperative_groups;

struct Graph {
    int n;
    const int* inPtr;
    const int* inSrc;
    const float* invOutDeg;
};

constexpr int kThreads = 256;

__device__ float blockTotal(float v) {
    __shared__ float part[kThreads];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    const float t = part[0];
    __syncthreads();
    return t;
}

__global__ void pagerank(Graph g, float* rankA, float* rankB, float* delta, float damping, float eps, int maxIter, int* itersOut) {
    cg::grid_group grid = cg::this_grid();
    float* src = rankA;
    float* dst = rankB;
    int it = 0;
    for (; it < maxIter; ++it) {
        float diff = 0.f;
        for (int v = grid.thread_rank(); v < g.n; v += grid.size()) {
            float acc = 0.f;
            for (int e = g.inPtr[v]; e < g.inPtr[v + 1]; ++e) {
                const int u = g.inSrc[e];
                acc += src[u] * g.invOutDeg[u];
            }
            const float nv = (1.f - damping) / g.n + damping * acc;
            diff += fabsf(nv - src[v]);
            dst[v] = nv;
        }
        const float blockDiff = blockTotal(diff);
        if (threadIdx.x == 0) atomicAdd(&delta[it], blockDiff);
        grid.sync();
        if (blockDiff * gridDim.x < eps) break;
        float* t = src;
        src = dst;
        dst = t;
    }
    if (grid.thread_rank() == 0) *itersOut = it;
}

int main(int argc, char** argv) {
    int n = argc > 1 ? std::atoi(argv[1]) : 20000;
    int deg = 8, maxIter = 100;
    std::vector<int> ptr(n + 1), src(size_t(n) * deg);
    std::vector<float> inv(n, 0.f), rank(n, 1.f / n);
    std::vector<int> out(n, 0);
    for (int i = 0; i <= n; ++i) ptr[i] = i * deg;
    for (auto& s : src) out[s = (std::rand() % n) * (std::rand() % 2)]++;
    for (int i = 0; i < n; ++i) inv[i] = out[i] ? 1.f / out[i] : 0.f;

    int *dPtr, *dSrc, *dIt;
    float *dInv, *dA, *dB, *dDelta;
    cudaMalloc(&dPtr, ptr.size() * sizeof(int));
    cudaMalloc(&dSrc, src.size() * sizeof(int));
    cudaMalloc(&dIt, sizeof(int));
    cudaMalloc(&dInv, n * sizeof(float));
    cudaMalloc(&dA, n * sizeof(float));
    cudaMalloc(&dB, n * sizeof(float));
    cudaMalloc(&dDelta, maxIter * sizeof(float));
    cudaMemcpy(dPtr, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dSrc, src.data(), src.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dInv, inv.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dA, rank.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dDelta, 0, maxIter * sizeof(float));

    int perSm = 0;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, pagerank, kThreads, 0);
    int blocks = std::min(perSm * prop.multiProcessorCount, (n + kThreads - 1) / kThreads);
    Graph g{n, dPtr, dSrc, dInv};
    float damping = 0.85f, eps = 1e-6f;
    void* args[] = {&g, &dA, &dB, &dDelta, &damping, &eps, &maxIter, &dIt};
    cudaError_t e = cudaLaunchCooperativeKernel((void*)pagerank, dim3(blocks), dim3(kThreads), args, 0, 0);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    int it = 0;
    cudaMemcpy(&it, dIt, sizeof it, cudaMemcpyDeviceToHost);
    std::printf("%d iterations (%s)\n", it, cudaGetErrorString(e));
    return e != cudaSuccess;
}
