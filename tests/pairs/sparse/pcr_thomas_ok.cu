/*
 * Batched tridiagonal solver, PCR + Thomas hybrid.
 * log2(SUBSYS) steps of parallel cyclic reduction split every system in
 * SUBSYS interleaved systems, which are then solved sequentially, one per
 * thread.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define SUBSYS 32

template <typename T>
struct SystemBatch {
    const T *lo, *di, *up, *rhs;
    T *x;
    int n;
};

template <typename T>
struct RowsView {
    T *a, *b, *c, *d, *x;
    __device__ RowsView(T *base, int n)
        : a(base), b(base + n), c(base + 2 * n), d(base + 3 * n), x(base + 4 * n) {}
};

template <typename T>
__device__ __forceinline__ void pcrStep(RowsView<T> &sh, int i, int n, int h)
{
    T a = sh.a[i], b = sh.b[i], c = sh.c[i], d = sh.d[i];
    T na = 0, nc = 0;
    if (i - h >= 0) {
        T k = a / sh.b[i - h];
        b -= k * sh.c[i - h];
        d -= k * sh.d[i - h];
        na = -k * sh.a[i - h];
    }
    if (i + h < n) {
        T k = c / sh.b[i + h];
        b -= k * sh.a[i + h];
        d -= k * sh.d[i + h];
        nc = -k * sh.c[i + h];
    }
    __syncthreads();
    sh.a[i] = na; sh.b[i] = b; sh.c[i] = nc; sh.d[i] = d;
    __syncthreads();
}

template <typename T>
__device__ void thomasStrided(RowsView<T> &sh, int first, int n)
{
    int i = first;
    sh.c[i] /= sh.b[i];
    sh.d[i] /= sh.b[i];
    for (i = first + SUBSYS; i < n; i += SUBSYS) {
        T m = T(1) / (sh.b[i] - sh.a[i] * sh.c[i - SUBSYS]);
        sh.c[i] *= m;
        sh.d[i] = (sh.d[i] - sh.a[i] * sh.d[i - SUBSYS]) * m;
    }
    i -= SUBSYS;
    sh.x[i] = sh.d[i];
    for (i -= SUBSYS; i >= 0; i -= SUBSYS)
        sh.x[i] = sh.d[i] - sh.c[i] * sh.x[i + SUBSYS];
}

template <typename T>
__global__ void pcrThomasKernel(SystemBatch<T> s)
{
    extern __shared__ __align__(16) unsigned char raw[];
    RowsView<T> sh(reinterpret_cast<T *>(raw), s.n);
    const int i = threadIdx.x;
    const size_t g = (size_t)blockIdx.x * s.n + i;

    sh.a[i] = i > 0 ? s.lo[g] : T(0);
    sh.b[i] = s.di[g];
    sh.c[i] = i < s.n - 1 ? s.up[g] : T(0);
    sh.d[i] = s.rhs[g];
    __syncthreads();

    for (int h = 1; h < SUBSYS; h <<= 1)
        pcrStep(sh, i, s.n, h);

    if (i < SUBSYS)
        thomasStrided(sh, i, s.n);
    __syncthreads();

    s.x[g] = sh.x[i];
}

/* n must be between 64 and 1024: one thread per unknown */
extern "C" int pcrThomasSolve(const float *lo, const float *di, const float *up,
                              const float *rhs, float *x, int n, int batch)
{
    if (n < 64 || n > 1024 || batch < 1)
        return -1;
    SystemBatch<float> s = {lo, di, up, rhs, x, n};
    pcrThomasKernel<float><<<batch, n, 5 * n * sizeof(float)>>>(s);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

int main(void)
{
    const int n = 512, batch = 256;
    const size_t bytes = (size_t)n * batch * sizeof(float);
    float *h = (float *)malloc(bytes), *lo, *di, *up, *rhs, *x;
    cudaMalloc(&lo, bytes); cudaMalloc(&di, bytes); cudaMalloc(&up, bytes);
    cudaMalloc(&rhs, bytes); cudaMalloc(&x, bytes);
    for (int i = 0; i < n * batch; ++i) h[i] = -1.f;
    cudaMemcpy(lo, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(up, h, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < n * batch; ++i) h[i] = 4.f;
    cudaMemcpy(di, h, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < n * batch; ++i) h[i] = (float)(i % 7);
    cudaMemcpy(rhs, h, bytes, cudaMemcpyHostToDevice);
    if (pcrThomasSolve(lo, di, up, rhs, x, n, batch)) return 1;
    cudaMemcpy(h, x, bytes, cudaMemcpyDeviceToHost);
    printf("x[0]=%g x[%d]=%g\n", h[0], n - 1, h[n - 1]);
    free(h);
    return 0;
}
