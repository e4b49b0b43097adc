// 1-D viscous Burgers equation, explicit upwind scheme, Dirichlet boundaries.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>

#define NTHR 256

struct Params {
    int n;
    float dtdx;      // dt / dx
    float nudtdx2;   // nu * dt / dx^2
    float left, right;
};

__device__ __forceinline__ float flux(float a, float b)
{
    const float m = 0.5f * (a + b);
    return m > 0.f ? 0.5f * a * a : 0.5f * b * b;
}

__device__ float advance(float um, float uc, float up, const Params &p)
{
    return uc - p.dtdx * (flux(uc, up) - flux(um, uc)) + p.nudtdx2 * (up - 2.f * uc + um);
}

__global__ void burgersStep(const float *__restrict__ in, float *__restrict__ out, Params p)
{
    __shared__ float u[NTHR + 2];
    const int tx = threadIdx.x;
    const int gi = blockIdx.x * NTHR + tx;

    u[tx + 1] = gi < p.n ? in[gi] : 0.f;
    if (tx == 0)
        u[0] = gi == 0 ? p.left : in[gi - 1];
    if (gi == p.n - 1)
        u[tx + 2] = p.right;
    else if (tx == NTHR - 1 && gi < p.n)
        u[NTHR + 1] = in[gi + 1];
    __syncthreads();

    if (gi < p.n)
        out[gi] = advance(u[tx], u[tx + 1], u[tx + 2], p);
}

__global__ void maxSpeed(const float *u, int n, unsigned *bits)
{
    __shared__ unsigned best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    unsigned m = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        m = max(m, __float_as_uint(fabsf(u[i])));
    atomicMax(&best, m);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(bits, best);
}

static int solve(float *host, int n, float nu, float tEnd)
{
    float *a, *b;
    unsigned *bits;
    if (n < 2) return 1;
    const float dx = 1.f / (n + 1);
    if (cudaMalloc(&a, n * sizeof(float)) || cudaMalloc(&b, n * sizeof(float)) ||
        cudaMalloc(&bits, sizeof(unsigned)))
        return 1;
    cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
    const int grid = (n + NTHR - 1) / NTHR;
    float t = 0.f;
    int steps = 0;
    while (t < tEnd && steps++ < 20000) {
        unsigned hb;
        cudaMemset(bits, 0, sizeof(unsigned));
        maxSpeed<<<64, NTHR>>>(a, n, bits);
        cudaMemcpy(&hb, bits, sizeof(hb), cudaMemcpyDeviceToHost);
        float vmax;
        memcpy(&vmax, &hb, sizeof(vmax));
        const float dt = fminf(0.4f * dx / (vmax + 1e-6f), 0.4f * dx * dx / nu);
        Params p = {n, dt / dx, nu * dt / (dx * dx), 0.f, 1.f};
        burgersStep<<<grid, NTHR>>>(a, b, p);
        float *s = a; a = b; b = s;
        t += dt;
    }
    const cudaError_t e = cudaMemcpy(host, a, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(a); cudaFree(b); cudaFree(bits);
    return e != cudaSuccess;
}

int main()
{
    const int n = 5024;
    float *h = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i) h[i] = sinf(6.2831853f * (i + 1) / (n + 1));
    if (solve(h, n, 1e-3f, 0.25f)) return 1;
    printf("u(mid) = %f\n", h[n / 2]);
    free(h);
    return 0;
}
