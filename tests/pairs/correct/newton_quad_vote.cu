#include <cuda_runtime.h>
#include <cuComplex.h>
#include <cstdio>

// Durand-Kerner on monic quartics: lane j of a quad refines root j.
namespace {

__device__ cuFloatComplex shfl_c(unsigned mask, cuFloatComplex z, int src)
{
    return make_cuFloatComplex(__shfl_sync(mask, z.x, src, 4), __shfl_sync(mask, z.y, src, 4));
}

__global__ void quartic_roots(const float4 *coef, int n, cuFloatComplex *roots, int *iterations)
{
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const int poly = tid / 4;
    const int j = tid % 4;
    if (poly >= n)
        return;
    const unsigned quad = 0xfu << (threadIdx.x & 28);
    const float4 c = coef[poly];

    cuFloatComplex z = make_cuFloatComplex(0.4f + 0.3f * j, 0.9f - 0.5f * j);
    int it = 0;
    bool moving = true;
    while (__any_sync(quad, moving) && it < 100) {
        cuFloatComplex p = z;
        p = cuCaddf(p, make_cuFloatComplex(c.x, 0.f));
        p = cuCaddf(cuCmulf(p, z), make_cuFloatComplex(c.y, 0.f));
        p = cuCaddf(cuCmulf(p, z), make_cuFloatComplex(c.z, 0.f));
        p = cuCaddf(cuCmulf(p, z), make_cuFloatComplex(c.w, 0.f));
        cuFloatComplex q = make_cuFloatComplex(1.f, 0.f);
        for (int k = 0; k < 4; ++k) {
            const cuFloatComplex other = shfl_c(quad, z, k);
            if (k != j)
                q = cuCmulf(q, cuCsubf(z, other));
        }
        const float q2 = q.x * q.x + q.y * q.y;
        if (q2 > 1e-30f) {
            const cuFloatComplex step = cuCdivf(p, q);
            z = cuCsubf(z, step);
            moving = cuCabsf(step) > 1e-6f;
        } else {
            z.x += 1e-3f * (j + 1);
            moving = true;
        }
        ++it;
    }
    roots[4 * poly + j] = z;
    if (j == 0)
        iterations[poly] = it;
}

}  // namespace

int solve_quartics(const float4 *coef, int n, cuFloatComplex *roots, int *iterations)
{
    if (n <= 0 || n > 200000000 || !coef || !roots || !iterations)
        return -1;
    const int block = 128;
    const int grid = (4 * n + block - 1) / block;
    quartic_roots<<<grid, block>>>(coef, n, roots, iterations);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        std::printf("solve_quartics: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -2;
}
