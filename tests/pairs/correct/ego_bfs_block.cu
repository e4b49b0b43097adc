// One block explores the two-level (or deeper) neighbourhood of a seed vertex with
// a frontier queue in shared memory.
#include <cuda_runtime.h>
#include <stdexcept>

constexpr int CAP = 2048;

struct Csr { const int* rowPtr; const int* col; int n; };

__global__ void __launch_bounds__(128)
egoNets(Csr g, const int* __restrict__ seeds, int depth, unsigned* __restrict__ visitedAll, int words, int* __restrict__ sizes)
{
    __shared__ int queue[2][CAP];
    __shared__ int qlen[2];
    __shared__ int total;
    unsigned* visited = visitedAll + (size_t)blockIdx.x * words;

    for (int i = threadIdx.x; i < words; i += blockDim.x) visited[i] = 0u;
    __syncthreads();
    if (threadIdx.x == 0) {
        const int s = seeds[blockIdx.x];
        queue[0][0] = s;
        qlen[0] = 1;
        qlen[1] = 0;
        total = 1;
        atomicOr(&visited[s >> 5], 1u << (s & 31));
    }
    __syncthreads();

    int cur = 0;
    for (int d = 0; d < depth; ++d) {
        const int len = min(qlen[cur], CAP);
        if (len == 0) break;
        for (int q = threadIdx.x; q < len; q += blockDim.x) {
            const int v = queue[cur][q];
            for (int e = g.rowPtr[v]; e < g.rowPtr[v + 1]; ++e) {
                const int u = g.col[e];
                const unsigned bit = 1u << (u & 31);
                if (atomicOr(&visited[u >> 5], bit) & bit) continue;
                atomicAdd(&total, 1);
                const int slot = atomicAdd(&qlen[cur ^ 1], 1);
                if (slot < CAP) queue[cur ^ 1][slot] = u;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) qlen[cur] = 0;
        cur ^= 1;
        __syncthreads();
    }
    if (threadIdx.x == 0) sizes[blockIdx.x] = total;
}

void egoNetSizes(Csr g, const int* seeds, int numSeeds, int depth, unsigned* visited, int* sizes, cudaStream_t s)
{
    if (g.n <= 0 || depth < 0 || depth > 32) throw std::invalid_argument("ego");
    if (numSeeds <= 0) return;
    const int words = (g.n + 31) / 32;
    egoNets<<<numSeeds, 128, 0, s>>>(g, seeds, depth, visited, words, sizes);
}
