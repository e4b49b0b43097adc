// Particles: those that hit the wall within a warp exchange momentum around their ring.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Particles {
    float *x;
    float *v;
    int n;
};

// lane of the next set bit above `lane`, wrapping to the lowest
__device__ __forceinline__ int next_in(unsigned mask, int lane)
{
    const unsigned above = lane == 31 ? 0u : mask & (~0u << (lane + 1));
    return __ffs(above ? above : mask) - 1;
}

__global__ void wall_exchange(Particles p, float wall, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    const bool live = i < p.n;
    float x = live ? p.x[i] : 0.0f;
    float v = live ? p.v[i] : 0.0f;
    x += dt * v;
    const bool hit = live && x > wall;
    const unsigned group = __ballot_sync(0xffffffffu, hit);

    if (hit) {
        const int src = next_in(group, lane);
        const float other = __shfl_sync(group, v, src);
        const int cnt = __popc(group);
        v = cnt > 1 ? -0.5f * (v + other) : -v;
        // average over the ring, by walking it
        float sum = v, walk = v;
        for (int k = 1; k < cnt; ++k) {
            walk = __shfl_sync(group, walk, src);
            sum += walk;
        }
        v = 0.9f * v + 0.1f * sum / cnt;
        x = 2.0f * wall - x;
    }
    if (live) {
        p.x[i] = x;
        p.v[i] = v;
    }
}

int main()
{
    const int n = 100003;
    std::vector<float> x(n), v(n);
    for (int i = 0; i < n; ++i) {
        x[i] = (i % 97) / 97.0f;
        v[i] = ((i * 5) % 31 - 15) / 15.0f;
    }
    Particles p{nullptr, nullptr, n};
    cudaMalloc(&p.x, n * sizeof(float));
    cudaMalloc(&p.v, n * sizeof(float));
    cudaMemcpy(p.x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(p.v, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int step = 0; step < 10; ++step)
        wall_exchange<<<(n + 255) / 256, 256>>>(p, 1.0f, 0.01f);
    cudaMemcpy(x.data(), p.x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %s\n", x[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(p.x);
    cudaFree(p.v);
    return 0;
}
