#include <cuda_runtime.h>
#include <stdexcept>

template <typename Real>
struct Body4;
template <>
struct Body4<float> {
    using type = float4;
};

template <typename Real, int THREADS>
__global__ void accelerations(const typename Body4<Real>::type *bodies, int n, Real eps2,
                              typename Body4<Real>::type *acc)
{
    using V = typename Body4<Real>::type;
    __shared__ V tile[THREADS];

    const int i = blockIdx.x * THREADS + threadIdx.x;
    const V me = bodies[min(i, n - 1)];
    Real ax = 0, ay = 0, az = 0;

    for (int base = 0; base < n; base += THREADS) {
        const int j = base + threadIdx.x;
        V b = bodies[min(j, n - 1)];
        if (j >= n)
            b.w = 0;
        tile[threadIdx.x] = b;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < THREADS; ++k) {
            const Real dx = tile[k].x - me.x;
            const Real dy = tile[k].y - me.y;
            const Real dz = tile[k].z - me.z;
            const Real r2 = dx * dx + dy * dy + dz * dz + eps2;
            const Real inv = Real(1) / sqrt(r2);
            const Real s = tile[k].w * inv * inv * inv;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        __syncthreads();
    }

    if (i >= n)
        return;
    V out;
    out.x = ax;
    out.y = ay;
    out.z = az;
    out.w = 0;
    acc[i] = out;
}

template <typename Real>
void compute(const typename Body4<Real>::type *bodies, int n, Real eps,
             typename Body4<Real>::type *acc, cudaStream_t s)
{
    if (n < 1 || n > (1 << 24) || !(eps > 0) || bodies == acc)
        throw std::invalid_argument("nbody");
    constexpr int threads = 128;
    accelerations<Real, threads><<<(n + threads - 1) / threads, threads, 0, s>>>(bodies, n,
                                                                                 eps * eps, acc);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("nbody: launch");
}

template void compute<float>(const float4 *, int, float, float4 *, cudaStream_t);
