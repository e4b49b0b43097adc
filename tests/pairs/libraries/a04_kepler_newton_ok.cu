// Mean anomaly -> eccentric anomaly for a catalogue of orbits.
// Whole warps iterate until their slowest orbit has converged.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

#define BLOCK 128
#define MAX_ITER 40

typedef struct {
    const double* ecc;
    const double* mean;
    double* eccAnom;
    int* blockIter;
    int n;
    double tol;
} OrbitArgs;

template <typename real> __device__ __forceinline__ void sc(real x, real* s, real* c);
template <> __device__ __forceinline__ void sc<float>(float x, float* s, float* c) { sincosf(x, s, c); }
template <> __device__ __forceinline__ void sc<double>(double x, double* s, double* c) { sincos(x, s, c); }

template <typename real>
__device__ int solveKepler(real e, real M, real tol, unsigned int mask, real* out)
{
    real E = e < real(0.8) ? M : real(3.14159265358979);
    int it = 0;
    real dE = real(1);
    while (__any_sync(mask, fabs(dE) > tol) && it < MAX_ITER) {
        real s, c;
        sc<real>(E, &s, &c);
        dE = (E - e * s - M) / (real(1) - e * c);
        E -= dE;
        ++it;
    }
    *out = E;
    return it;
}

__device__ int blockMax(int v)
{
    __shared__ int s[BLOCK];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    return s[0];
}

template <typename real>
__global__ void keplerKernel(OrbitArgs a)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    int it = 0;
    const unsigned int mask = __ballot_sync(0xffffffffu, i < a.n);
    if (i < a.n) {
        real E;
        const real twoPi = real(6.28318530717958648);
        real M = (real)a.mean[i];
        M -= twoPi * floor(M / twoPi);
        it = solveKepler<real>((real)a.ecc[i], M, (real)a.tol, mask, &E);
        a.eccAnom[i] = (double)E;
    }
    const int worst = blockMax(it);
    if (threadIdx.x == 0) a.blockIter[blockIdx.x] = worst;
}

// ---------------------------------------------------------------------------
class OrbitSolver {
public:
    explicit OrbitSolver(int capacity) : cap_(capacity), d_iter_(NULL)
    {
        cudaMalloc(&d_iter_, ((cap_ + BLOCK - 1) / BLOCK) * sizeof(int));
    }
    ~OrbitSolver() { cudaFree(d_iter_); }

    int solve(const double* d_ecc, const double* d_mean, double* d_out, int n, bool fast,
              cudaStream_t st = 0)
    {
        if (n <= 0 || n > cap_) return -1;
        const int blocks = (n + BLOCK - 1) / BLOCK;
        OrbitArgs a = {d_ecc, d_mean, d_out, d_iter_, n, fast ? 1e-6 : 1e-13};
        if (fast) keplerKernel<float><<<blocks, BLOCK, 0, st>>>(a);
        else      keplerKernel<double><<<blocks, BLOCK, 0, st>>>(a);
        std::vector<int> h(blocks);
        cudaMemcpyAsync(h.data(), d_iter_, blocks * sizeof(int), cudaMemcpyDeviceToHost, st);
        if (cudaStreamSynchronize(st) != cudaSuccess) return -1;
        int worst = 0;
        for (size_t k = 0; k < h.size(); ++k) worst = h[k] > worst ? h[k] : worst;
        return worst;
    }

private:
    OrbitSolver(const OrbitSolver&);
    int cap_;
    int* d_iter_;
};

int main()
{
    const int n = 10007;
    std::vector<double> e(n), m(n);
    for (int i = 0; i < n; ++i) { e[i] = 0.9 * (i % 101) / 101.0; m[i] = 0.001 * i; }
    double *de, *dm, *dE;
    cudaMalloc(&de, n * sizeof(double));
    cudaMalloc(&dm, n * sizeof(double));
    cudaMalloc(&dE, n * sizeof(double));
    cudaMemcpy(de, e.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dm, m.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    OrbitSolver s(n);
    printf("max iterations %d / %d\n", s.solve(de, dm, dE, n, true), s.solve(de, dm, dE, n, false));
    return 0;
}
