// k-means assignment step with change statistics. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <vector>

namespace kmeans {

constexpr int kThreads = 128;
constexpr int kDim = 4;

struct Stats {
    unsigned long long moved;
    double gain;
};

struct ReduceScratch {
    int count[kThreads];
    float gain[kThreads];
};

template <int DIM>
__device__ float distance2(const float* __restrict__ p, const float* __restrict__ c)
{
    float d = 0.f;
#pragma unroll
    for (int k = 0; k < DIM; ++k) {
        const float t = p[k] - c[k];
        d = fmaf(t, t, d);
    }
    return d;
}

__device__ void accumulateMoves(ReduceScratch& s, int moved, float gain, Stats* stats)
{
    const int t = threadIdx.x;
    s.count[t] = moved;
    s.gain[t] = gain;
    __syncthreads();
    for (int h = kThreads / 2; h > 0; h >>= 1) {
        if (t < h) {
            s.count[t] += s.count[t + h];
            s.gain[t] += s.gain[t + h];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(&stats->moved, (unsigned long long)s.count[0]);
        atomicAdd(&stats->gain, double(s.gain[0]));
    }
}

template <int DIM>
__global__ void __launch_bounds__(kThreads)
assignKernel(const float* __restrict__ points, int n, const float* __restrict__ centres, int k,
             int* __restrict__ label, Stats* stats)
{
    extern __shared__ float s_centres[];
    __shared__ ReduceScratch scratch;
    for (int c = threadIdx.x; c < k * DIM; c += kThreads)
        s_centres[c] = centres[c];
    __syncthreads();

    const int i = blockIdx.x * kThreads + threadIdx.x;
    int moved = 0;
    float gain = 0.f;
    if (i < n) {
        float p[DIM];
#pragma unroll
        for (int d = 0; d < DIM; ++d)
            p[d] = points[size_t(i) * DIM + d];
        const int old = label[i];
        int best = -1;
        float bestD = FLT_MAX;
        for (int c = 0; c < k; ++c) {
            const float d2 = distance2<DIM>(p, s_centres + c * DIM);
            if (d2 < bestD) {
                bestD = d2;
                best = c;
            }
        }
        if (best != old) {
            moved = 1;
            gain = old >= 0 ? distance2<DIM>(p, s_centres + old * DIM) - bestD : bestD;
            label[i] = best;
        }
    }
    if (moved)
        accumulateMoves(scratch, moved, gain, stats);
}

class Clusterer {
public:
    Clusterer(int n, int k) : n_(n), k_(k) {}
    cudaError_t assign(const float* pts, const float* centres, int* label, Stats* stats,
                       cudaStream_t s) const
    {
        const int grid = (n_ + kThreads - 1) / kThreads;
        cudaError_t e = cudaMemsetAsync(stats, 0, sizeof(Stats), s);
        if (e != cudaSuccess || grid == 0)
            return e;
        const size_t bytes = size_t(k_) * kDim * sizeof(float);
        assignKernel<kDim><<<grid, kThreads, bytes, s>>>(pts, n_, centres, k_, label, stats);
        return cudaGetLastError();
    }

private:
    int n_, k_;
};

cudaError_t assignPoints(const float* pts, int n, const float* centres, int k, int* label,
                         Stats* stats, cudaStream_t s)
{
    return Clusterer(n, k).assign(pts, centres, label, stats, s);
}

} // namespace kmeans
