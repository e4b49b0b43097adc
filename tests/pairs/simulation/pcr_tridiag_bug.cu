// Batched tridiagonal systems by parallel cyclic reduction. Build: nvcc -arch=sm_80
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>

namespace cg = cooperative_groups;

namespace tri {

constexpr int kThreads = 128;
constexpr int kGroup = 16;

template <typename T>
struct Equation {
    T a, b, c, d;
};

template <typename T, int N>
struct SystemBatch {
    const T *lower, *diag, *upper, *rhs;
    T* x;
    int count;

    __device__ Equation<T> load(int sys, int row) const
    {
        if (sys >= count)
            return {T(0), T(1), T(0), T(0)};
        const size_t k = size_t(sys) * N + row;
        return {row > 0 ? lower[k] : T(0), diag[k], row < N - 1 ? upper[k] : T(0), rhs[k]};
    }
};

template <typename T>
__device__ __forceinline__ Equation<T> combine(const Equation<T>& lo, const Equation<T>& me,
                                               const Equation<T>& hi)
{
    const T k1 = me.a / lo.b;
    const T k2 = me.c / hi.b;
    return {-lo.a * k1, me.b - lo.c * k1 - hi.a * k2, -hi.c * k2, me.d - lo.d * k1 - hi.d * k2};
}

template <typename T, int N, class Group>
__device__ Equation<T> reduceSystem(Equation<T>* s, int row, const Group& g)
{
    const Equation<T> unit{T(0), T(1), T(0), T(0)};
    Equation<T> me = s[row];
#pragma unroll
    for (int step = 1; step < N; step <<= 1) {
        const Equation<T> lo = row >= step ? s[row - step] : unit;
        const Equation<T> hi = row + step < N ? s[row + step] : unit;
        g.sync();
        me = combine(lo, me, hi);
        s[row] = me;
        g.sync();
    }
    return me;
}

template <typename T, int N>
__global__ void __launch_bounds__(kThreads)
pcrKernel(SystemBatch<T, N> batch)
{
    static_assert(kThreads % N == 0 && N <= 32, "system size");
    __shared__ Equation<T> s_eq[kThreads];
    auto group = cg::tiled_partition<kGroup>(cg::this_thread_block());

    const int local = threadIdx.x / N;
    const int row = threadIdx.x % N;
    const int sys = blockIdx.x * (kThreads / N) + local;
    Equation<T>* s = s_eq + local * N;

    s[row] = batch.load(sys, row);
    group.sync();
    const Equation<T> e = reduceSystem<T, N>(s, row, group);
    if (sys < batch.count)
        batch.x[size_t(sys) * N + row] = e.d / e.b;
}

template <typename T, int N>
static cudaError_t launch(const T* l, const T* d, const T* u, const T* r, T* x, int count,
                          cudaStream_t s)
{
    const int per = kThreads / N;
    SystemBatch<T, N> b{l, d, u, r, x, count};
    pcrKernel<T, N><<<(count + per - 1) / per, kThreads, 0, s>>>(b);
    return cudaGetLastError();
}

template <typename T>
cudaError_t solveTridiagonal(const T* l, const T* d, const T* u, const T* r, T* x, int n,
                             int count, cudaStream_t s)
{
    if (count <= 0)
        return cudaSuccess;
    switch (n) {
    case 8: return launch<T, 8>(l, d, u, r, x, count, s);
    case 16: return launch<T, 16>(l, d, u, r, x, count, s);
    case 32: return launch<T, 32>(l, d, u, r, x, count, s);
    default: return cudaErrorInvalidValue;
    }
}

template cudaError_t solveTridiagonal<float>(const float*, const float*, const float*,
                                             const float*, float*, int, int, cudaStream_t);

} // namespace tri
