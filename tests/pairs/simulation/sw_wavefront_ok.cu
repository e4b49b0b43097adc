// Smith-Waterman scores, one sequence pair per block, anti-diagonal order. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>

namespace align {

constexpr int kMaxQuery = 256;
constexpr int kDiagonals = 3;

struct Scoring {
    int match, mismatch, gap;
    __device__ int operator()(char a, char b) const { return a == b ? match : mismatch; }
};

struct PairBatch {
    const char* query;
    const int* queryOffset;
    const char* target;
    const int* targetOffset;
    int count;
};

class DiagonalRing {
public:
    __device__ explicit DiagonalRing(int (*mem)[kMaxQuery + 1]) : mem_(mem) {}

    __device__ void clear()
    {
        for (int k = threadIdx.x; k < kDiagonals * (kMaxQuery + 1); k += blockDim.x)
            mem_[k / (kMaxQuery + 1)][k % (kMaxQuery + 1)] = 0;
    }
    // Row 0 is the zero boundary, so row r of the matrix sits at r + 1.
    __device__ int left(int d, int r) const { return mem_[(d + 2 * kDiagonals - 1) % kDiagonals][r + 1]; }
    __device__ int up(int d, int r) const { return mem_[(d + 2 * kDiagonals - 1) % kDiagonals][r]; }
    __device__ int diag(int d, int r) const { return mem_[(d + 2 * kDiagonals - 2) % kDiagonals][r]; }
    __device__ void put(int d, int r, int v) { mem_[d % kDiagonals][r + 1] = v; }

private:
    int (*mem_)[kMaxQuery + 1];
};

__global__ void __launch_bounds__(kMaxQuery)
scorePairs(PairBatch batch, Scoring sc, int* __restrict__ best)
{
    __shared__ int s_mem[kDiagonals][kMaxQuery + 1];
    __shared__ int s_best;

    const int pair = blockIdx.x;
    const char* q = batch.query + batch.queryOffset[pair];
    const char* t = batch.target + batch.targetOffset[pair];
    const int m = batch.queryOffset[pair + 1] - batch.queryOffset[pair];
    const int n = batch.targetOffset[pair + 1] - batch.targetOffset[pair];
    const int r = threadIdx.x;
    const char qc = r < m ? q[r] : '\0';

    DiagonalRing ring(s_mem);
    ring.clear();
    if (r == 0)
        s_best = 0;
    __syncthreads();

    int mine = 0;
    for (int d = 0; d < m + n - 1; ++d) {
        const int c = d - r;
        if (r < m) {
            int h = 0;
            if (c >= 0 && c < n) {
                h = max(h, ring.diag(d, r) + sc(qc, t[c]));
                h = max(h, ring.up(d, r) - sc.gap);
                h = max(h, ring.left(d, r) - sc.gap);
                mine = max(mine, h);
            }
            ring.put(d, r, h);
        }
        __syncthreads();
    }
    atomicMax(&s_best, mine);
    __syncthreads();
    if (r == 0)
        best[pair] = s_best;
}

cudaError_t scoreBatch(const PairBatch& b, const Scoring& sc, int maxQuery, int* best,
                       cudaStream_t s)
{
    if (maxQuery < 1 || maxQuery > kMaxQuery)
        return cudaErrorInvalidValue;
    if (b.count <= 0)
        return cudaSuccess;
    const int block = (maxQuery + 31) / 32 * 32;
    scorePairs<<<b.count, block, 0, s>>>(b, sc, best);
    return cudaGetLastError();
}

} // namespace align
