// Newton iteration for Kepler's equation; a warp goes on until all its lanes have converged,
// and every 4 iterations the lanes trade residual statistics.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned FULL = 0xffffffffu;

struct Orbit { const float *mean_anomaly; const float *ecc; float *anomaly; int n; int *iters; };

__device__ __forceinline__ float warp_max(float v)
{
    for (int d = 16; d; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
    return v;
}

__global__ void kepler(Orbit o, float tol, int max_iter)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool live = i < o.n;
    const float m = live ? o.mean_anomaly[i] : 0.0f;
    const float e = live ? o.ecc[i] : 0.0f;
    float E = m, res = live ? 1.0f : 0.0f;
    float damp = 1.0f;
    int it = 0;
    while (__any_sync(FULL, res > tol) && it < max_iter) {
        if (res > tol) {
            const float f = E - e * __sinf(E) - m;
            const float step = damp * f / (1.0f - e * __cosf(E));
            E -= step;
            res = fabsf(step);
        }
        if ((++it & 3) == 0) {
            const float worst = warp_max(res);
            damp = worst > 1.0f ? 0.5f : 1.0f;
        }
    }
    if (live) {
        o.anomaly[i] = E;
        if ((threadIdx.x & 31) == 0)
            o.iters[i >> 5] = it;
    }
}

int main()
{
    const int n = 77777;
    std::vector<float> m(n), e(n);
    for (int i = 0; i < n; ++i) {
        m[i] = (i % 628) * 0.01f;
        e[i] = (i % 90) * 0.01f;
    }
    Orbit o{};
    o.n = n;
    float *dm, *de;
    cudaMalloc(&dm, n * sizeof(float));
    cudaMalloc(&de, n * sizeof(float));
    cudaMalloc(&o.anomaly, n * sizeof(float));
    cudaMalloc(&o.iters, (n + 31) / 32 * sizeof(int));
    cudaMemcpy(dm, m.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(de, e.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    o.mean_anomaly = dm;
    o.ecc = de;
    kepler<<<(n + 127) / 128, 128>>>(o, 1e-6f, 50);
    cudaMemcpy(m.data(), o.anomaly, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %s\n", m[100], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
