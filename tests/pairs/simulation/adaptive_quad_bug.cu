// Adaptive Simpson quadrature with a block-wide work stack. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>

namespace quad {

constexpr int kThreads = 128;
constexpr int kCapacity = 2048;

struct Interval {
    double a, b;
    double tol;
};

struct Stack {
    Interval item[kCapacity];
    int top;

    __device__ bool push2(const Interval& x, const Interval& y)
    {
        const int pos = atomicAdd(&top, 2);
        if (pos + 2 > kCapacity) {
            atomicSub(&top, 2);
            return false;
        }
        item[pos] = x;
        item[pos + 1] = y;
        return true;
    }
};

struct Oscillator {
    double w, damp;
    __device__ double operator()(double x) const { return exp(-damp * x) * cos(w * x * x); }
};

template <class F>
__device__ double simpson(const F& f, double a, double b)
{
    return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b));
}

// Refines the interval or returns its contribution.
template <class F>
__device__ double processInterval(const F& f, const Interval& it, Stack& st)
{
    const double mid = 0.5 * (it.a + it.b);
    const double whole = simpson(f, it.a, it.b);
    const double halves = simpson(f, it.a, mid) + simpson(f, mid, it.b);
    const double err = halves - whole;
    if (fabs(err) > 15.0 * it.tol && it.b - it.a > 1e-9 &&
        st.push2({it.a, mid, 0.5 * it.tol}, {mid, it.b, 0.5 * it.tol}))
        return 0.0;
    return halves + err / 15.0;
}

template <class F>
__global__ void __launch_bounds__(kThreads)
integrate(const F* __restrict__ funcs, const double2* __restrict__ limits, double tol,
          double* __restrict__ result)
{
    extern __shared__ __align__(16) unsigned char s_raw[];
    Stack& st = *reinterpret_cast<Stack*>(s_raw);
    const F f = funcs[blockIdx.x];
    const int tid = threadIdx.x;
    if (tid == 0) {
        const double2 l = limits[blockIdx.x];
        st.item[0] = {l.x, l.y, tol};
        st.top = 1;
    }
    __syncthreads();

    double sum = 0.0;
    for (;;) {
        const int n = st.top;
        if (n == 0)
            break;
        const int take = min(n, kThreads);
        __syncthreads();
        if (tid == 0)
            st.top = n - take;
        __syncthreads();
        if (tid < take) {
            const Interval it = st.item[n - 1 - tid];
            sum += processInterval(f, it, st);
        }
        __syncthreads();
    }

    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((tid & 31) == 0)
        atomicAdd(&result[blockIdx.x], sum);
}

cudaError_t integrateAll(const Oscillator* f, const double2* limits, int count, double tol,
                         double* result, cudaStream_t s)
{
    if (count <= 0)
        return cudaSuccess;
    const int bytes = int(sizeof(Stack));
    cudaError_t e = cudaFuncSetAttribute(integrate<Oscillator>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (e == cudaSuccess)
        e = cudaMemsetAsync(result, 0, count * sizeof(double), s);
    if (e != cudaSuccess)
        return e;
    integrate<Oscillator><<<count, kThreads, bytes, s>>>(f, limits, tol, result);
    return cudaGetLastError();
}

} // namespace quad
