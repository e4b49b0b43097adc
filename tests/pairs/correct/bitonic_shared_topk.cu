// Per-row top-k of scores: bitonic sort of (score, index) pairs in shared memory.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

struct ScoredId {
    float score;
    int   id;
};

__device__ __forceinline__ bool before(const ScoredId &a, const ScoredId &b)
{
    return a.score > b.score || (a.score == b.score && a.id < b.id);
}

template <int N>
__device__ void bitonic_sort(ScoredId *s)
{
    for (int size = 2; size <= N; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int t = threadIdx.x; t < N / 2; t += blockDim.x) {
                const int lo = 2 * t - (t & (stride - 1));
                const int hi = lo + stride;
                const bool up = (lo & size) == 0;
                if (before(s[hi], s[lo]) == up) {
                    const ScoredId tmp = s[lo];
                    s[lo] = s[hi];
                    s[hi] = tmp;
                }
            }
        }
    }
    __syncthreads();
}

template <int N>
__global__ void topk_rows(const float *__restrict__ scores, int cols, int k, float *out_score, int *out_id)
{
    __shared__ ScoredId s[N];
    const float *row = scores + (size_t)blockIdx.x * cols;
    int loaded = 0;
    // keep the best k so far in s[0..k), refill the rest from the row
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        s[i].score = -FLT_MAX;
        s[i].id = 0x7fffffff;
    }
    __syncthreads();
    while (loaded < cols) {
        const int room = N - k;
        for (int i = threadIdx.x; i < room; i += blockDim.x) {
            const int c = loaded + i;
            s[k + i].score = c < cols ? row[c] : -FLT_MAX;
            s[k + i].id = c < cols ? c : 0x7fffffff;
        }
        loaded += room;
        bitonic_sort<N>(s);
    }
    for (int i = threadIdx.x; i < k; i += blockDim.x) {
        out_score[(size_t)blockIdx.x * k + i] = s[i].score;
        out_id[(size_t)blockIdx.x * k + i] = s[i].id;
    }
}

int topk(const float *d_scores, int rows, int cols, int k, float *d_score, int *d_id, cudaStream_t st)
{
    constexpr int kN = 1024;
    if (k < 1 || k > kN / 2) {
        fprintf(stderr, "topk: k=%d not supported\n", k);
        return -1;
    }
    topk_rows<kN><<<rows, 256, 0, st>>>(d_scores, cols, k, d_score, d_id);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
