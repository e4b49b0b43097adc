#include <cuda_runtime.h>
#include <cstdio>

struct Accumulator {
    double sum;
    double sum_sq;
    unsigned long long count;
    unsigned arrived;
};

struct Moments {
    double mean, variance;
    unsigned long long count;
};

__device__ double warp_total(double v)
{
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void moments(const float *x, const unsigned char *valid, int n, Accumulator *acc,
                        Moments *out)
{
    double s = 0.0, q = 0.0;
    int c = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (!valid[i])
            continue;
        const double v = x[i];
        s += v;
        q += v * v;
        ++c;
    }
    __syncwarp();
    s = warp_total(s);
    q = warp_total(q);
    c = __reduce_add_sync(0xffffffffu, c);
    if ((threadIdx.x & 31) == 0 && c > 0) {
        atomicAdd(&acc->sum, s);
        atomicAdd(&acc->sum_sq, q);
        atomicAdd(&acc->count, (unsigned long long)c);
        __threadfence();
    }
    __syncthreads();

    if (threadIdx.x != 0)
        return;
    __threadfence();
    const unsigned before = atomicAdd(&acc->arrived, 1u);
    if (before != gridDim.x - 1)
        return;
    __threadfence();
    const unsigned long long n_all = atomicExch(&acc->count, 0ull);
    const double sum = __longlong_as_double(
        (long long)atomicExch((unsigned long long *)&acc->sum, 0ull));
    const double sq = __longlong_as_double(
        (long long)atomicExch((unsigned long long *)&acc->sum_sq, 0ull));
    atomicExch(&acc->arrived, 0u);
    out->count = n_all;
    out->mean = n_all ? sum / n_all : 0.0;
    out->variance = n_all ? fmax(sq / n_all - out->mean * out->mean, 0.0) : 0.0;
}

/* acc must be zero before the first call; every call leaves it zero. */
int compute_moments(const float *x, const unsigned char *valid, int n, Accumulator *acc,
                    Moments *out, cudaStream_t s)
{
    if (n < 0 || n > (1 << 30) || !acc || !out)
        return -1;
    int grid = (n + 255) / 256;
    grid = grid < 1 ? 1 : grid > 640 ? 640 : grid;
    moments<<<grid, 256, 0, s>>>(x, valid, n, acc, out);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        std::fprintf(stderr, "moments: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -2;
}
