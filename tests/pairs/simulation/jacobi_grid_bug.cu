// Jacobi iteration to convergence in one cooperative launch. Build: nvcc -arch=sm_80
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>
#include <utility>

namespace cg = cooperative_groups;

namespace solver {

constexpr int kThreads = 256;
constexpr int kSlots = 2;

struct Problem {
    const int* rowPtr;
    const int* col;
    const float* val;
    const float* diag;
    const float* rhs;
    int n;
};

struct State {
    float* x[2];
    double* residual; // kSlots entries, zero at launch
    int* iterations;
};

__device__ __forceinline__ float offDiagonal(const Problem& p, const float* x, int r)
{
    float s = 0.f;
    for (int k = p.rowPtr[r]; k < p.rowPtr[r + 1]; ++k) {
        const int c = p.col[k];
        if (c != r)
            s = fmaf(p.val[k], x[c], s);
    }
    return s;
}

__device__ __forceinline__ void accumulate(double* target, double v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(target, v);
}

__global__ void __launch_bounds__(kThreads)
jacobiPersistent(Problem p, State st, int maxIter, double tol2)
{
    cg::grid_group grid = cg::this_grid();
    const int first = blockIdx.x * kThreads + threadIdx.x;
    const int stride = gridDim.x * kThreads;
    float* cur = st.x[0];
    float* nxt = st.x[1];

    int it = 0;
    for (; it < maxIter; ++it) {
        double d2 = 0.0;
        for (int r = first; r < p.n; r += stride) {
            const float v = (p.rhs[r] - offDiagonal(p, cur, r)) / p.diag[r];
            const float d = v - cur[r];
            nxt[r] = v;
            d2 += double(d) * d;
        }
        accumulate(&st.residual[it % kSlots], d2);
        if (grid.thread_rank() == 0)
            st.residual[(it + 1) % kSlots] = 0.0;
        grid.sync();
        const double now = st.residual[it % kSlots];
        float* t = cur;
        cur = nxt;
        nxt = t;
        if (now < tol2)
            break;
    }
    if (grid.thread_rank() == 0)
        *st.iterations = it;
}

cudaError_t solve(Problem p, State st, int maxIter, double tol, cudaStream_t s)
{
    int dev = 0, sms = 0, perSm = 0;
    cudaError_t e = cudaGetDevice(&dev);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    if (e == cudaSuccess)
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, jacobiPersistent, kThreads, 0);
    if (e == cudaSuccess)
        e = cudaMemsetAsync(st.residual, 0, kSlots * sizeof(double), s);
    if (e != cudaSuccess || p.n <= 0)
        return e;
    const int grid = std::min(sms * perSm, (p.n + kThreads - 1) / kThreads);
    double tol2 = tol * tol;
    void* args[] = {&p, &st, &maxIter, &tol2};
    return cudaLaunchCooperativeKernel((const void*)jacobiPersistent, dim3(grid), dim3(kThreads),
                                       args, 0, s);
}

} // namespace solver
