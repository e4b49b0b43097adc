#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Csr {
    int n;
    const int* rowPtr;
    const int* col;
};

struct Frontier {
    int* items;
    int* size;
};

static void die(const char* m) {
    std::fprintf(stderr, "%s: %s\n", m, cudaGetErrorString(cudaGetLastError()));
    std::exit(1);
}

template <int BLOCK>
__global__ void expand(Csr g, const int* cur, int curSize, Frontier next, int* dist, int level) {
    __shared__ int s_base[BLOCK / 32];
    const int lane = threadIdx.x & 31;
    const int wid = threadIdx.x >> 5;
    const int warp = (blockIdx.x * BLOCK + threadIdx.x) >> 5;
    const int warps = gridDim.x * BLOCK >> 5;

    // one warp per vertex, lanes over its edges
    for (int f = warp; f < curSize; f += warps) {
        const int u = cur[f];
        const int begin = g.rowPtr[u], end = g.rowPtr[u + 1];
        for (int e0 = begin; e0 < end; e0 += 32) {
            const int e = e0 + lane;
            int v = -1;
            bool fresh = false;
            if (e < end) {
                v = g.col[e];
                fresh = atomicCAS(&dist[v], -1, level) == -1;
            }
            const unsigned vote = __ballot_sync(0xffffffffu, fresh);
            if (vote == 0) continue;
            if (lane == 0) s_base[wid] = atomicAdd(next.size, __popc(vote));
            if (fresh) {
                const int rank = __popc(vote & ((1u << lane) - 1u));
                next.items[s_base[wid] + rank] = v;
            }
            __syncwarp();
        }
    }
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 50000;
    const int deg = argc > 2 ? std::atoi(argv[2]) : 16;
    std::vector<int> row(n + 1), col(size_t(n) * deg), dist(n, -1);
    for (int i = 0; i <= n; ++i) row[i] = i * deg;
    std::srand(11);
    for (auto& c : col) c = std::rand() % n;
    dist[0] = 0;

    int *dRow, *dCol, *dDist, *dQ[2], *dSize;
    if (cudaMalloc(&dRow, row.size() * 4) || cudaMalloc(&dCol, col.size() * 4) ||
        cudaMalloc(&dDist, n * 4) || cudaMalloc(&dQ[0], n * 4) ||
        cudaMalloc(&dQ[1], n * 4) || cudaMalloc(&dSize, 4))
        die("alloc");
    cudaMemcpy(dRow, row.data(), row.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dCol, col.data(), col.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dDist, dist.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(dQ[0], 0, 4);

    int size = 1, level = 1, reached = 1;
    while (size > 0) {
        cudaMemset(dSize, 0, 4);
        constexpr int B = 128;
        const int blocks = std::min((size * 32 + B - 1) / B, 1024);
        expand<B><<<blocks, B>>>(Csr{n, dRow, dCol}, dQ[(level - 1) & 1], size,
                                 Frontier{dQ[level & 1], dSize}, dDist, level);
        if (cudaMemcpy(&size, dSize, 4, cudaMemcpyDeviceToHost) != cudaSuccess) die("expand");
        reached += size;
        ++level;
    }
    std::printf("reached %d in %d levels\n", reached, level - 2);
    cudaFree(dRow); cudaFree(dCol); cudaFree(dDist);
    cudaFree(dQ[0]); cudaFree(dQ[1]); cudaFree(dSize);
    return 0;
}
