// Smith-Waterman score by anti-diagonals: 32 query letters per warp, shuffles pass the front.
#include <cuda_runtime.h>

struct Scoring {
    int match, mismatch, gap;
};

__device__ __forceinline__ int max3(int a, int b, int c)
{
    int m = a > b ? a : b;
    return m > c ? m : c;
}

// Queries are exactly 32 letters long; targets have any length.
__global__ void align32(const char* __restrict__ queries, const char* __restrict__ targets,
                        const int* __restrict__ tbegin, int pairs, Scoring sc,
                        int* __restrict__ score)
{
    const int lane = threadIdx.x & 31;
    const int pair = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (pair >= pairs) return;

    const char q  = queries[pair * 32 + lane];
    const int  t0 = tbegin[pair];
    const int  tl = tbegin[pair + 1] - t0;

    int left = 0;         // H(lane, j-1)
    int diag = 0;         // H(lane-1, j-1)
    int best = 0;
    for (int step = 0; step < tl + 31; ++step) {
        int up = __shfl_up_sync(0xffffffffu, left, 1);   // H(lane-1, j)
        if (lane == 0) up = 0;
        const int j = step - lane;
        if (j >= 0 && j < tl) {
            const int sub = targets[t0 + j] == q ? sc.match : sc.mismatch;
            int h = max3(diag + sub, up + sc.gap, left + sc.gap);
            if (h < 0) h = 0;
            best = h > best ? h : best;
            left = h;
            diag = up;
        }
    }
    best = __reduce_max_sync(0xffffffffu, best);
    if (lane == 0) score[pair] = best;
}

cudaError_t score_pairs(const char* q, const char* t, const int* tb, int pairs, Scoring sc,
                        int* score, cudaStream_t s)
{
    if (pairs <= 0) return cudaSuccess;
    if (sc.gap >= 0 || sc.match <= 0) return cudaErrorInvalidValue;
    const int warps = 4;
    align32<<<(pairs + warps - 1) / warps, warps * 32, 0, s>>>(q, t, tb, pairs, sc, score);
    return cudaGetLastError();
}
