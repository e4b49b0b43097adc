// Conjugate gradients for many small dense SPD systems, one block for a system.
#include <cuda_runtime.h>
#include <cstdio>

template <int N>
struct CgShared {
    float p[N];
    float partial[N / 32];
    float result;
};

template <int N>
__device__ float block_dot(CgShared<N> &sh, float a, float b)
{
    float v = a * b;
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        sh.partial[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int w = 0; w < N / 32; ++w)
            s += sh.partial[w];
        sh.result = s;
    }
    __syncthreads();
    return sh.result;  // rewritten only behind the first barrier of the next call
}

template <int N>
__global__ void __launch_bounds__(N)
cg_solve(const float *mats, const float *rhs, float *xs, int n, int max_iter, float tol,
         int *iterations)
{
    __shared__ CgShared<N> sh;
    const int r = threadIdx.x;
    const float *a = mats + (size_t)blockIdx.x * n * n;
    const bool live = r < n;

    float x = 0.0f;
    float res = live ? rhs[(size_t)blockIdx.x * n + r] : 0.0f;
    float dir = res;
    float rr = block_dot(sh, res, res);
    const float stop = tol * tol * rr;

    int it = 0;
    while (it < max_iter && rr > stop) {
        sh.p[r] = dir;
        __syncthreads();
        float q = 0.0f;
        if (live)
            for (int c = 0; c < n; ++c)
                q += a[(size_t)c * n + r] * sh.p[c];  // symmetric
        const float pq = block_dot(sh, dir, q);       // its barriers also protect p
        if (!(pq > 0.0f))
            break;
        const float alpha = rr / pq;
        x += alpha * dir;
        res -= alpha * q;
        const float next = block_dot(sh, res, res);
        dir = res + (next / rr) * dir;
        rr = next;
        ++it;
    }
    if (live)
        xs[(size_t)blockIdx.x * n + r] = x;
    if (r == 0)
        iterations[blockIdx.x] = it;
}

int solve_batch(const float *mats, const float *rhs, float *xs, int n, int batch, float tol,
                int *iterations, cudaStream_t s)
{
    if (n < 1 || n > 256 || batch < 1 || tol <= 0.0f) {
        std::fprintf(stderr, "solve_batch: bad arguments\n");
        return -1;
    }
    if (n <= 64)
        cg_solve<64><<<batch, 64, 0, s>>>(mats, rhs, xs, n, 2 * n, tol, iterations);
    else
        cg_solve<256><<<batch, 256, 0, s>>>(mats, rhs, xs, n, 2 * n, tol, iterations);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
