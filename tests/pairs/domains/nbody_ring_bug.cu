#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CUDA_SAFE(x)                                                       \
    {                                                                      \
        cudaError_t err = (x);                                             \
        if (err != cudaSuccess) {                                          \
            printf("%s at %s:%d\n", cudaGetErrorString(err), __FILE__, __LINE__); \
            return 1;                                                      \
        }                                                                  \
    }

constexpr int kBodiesPerTile = 128;
constexpr int kStages = 2;

struct NBodyArgs {
    const float4* pos;
    float4* acc;
    int n;
    float soft2;
};

__device__ __forceinline__ float3 interact(float3 a, float4 pi, float4 pj, float soft2) {
    const float dx = pj.x - pi.x;
    const float dy = pj.y - pi.y;
    const float dz = pj.z - pi.z;
    const float r2 = dx * dx + dy * dy + dz * dz + soft2;
    const float inv = rsqrtf(r2);
    const float s = pj.w * inv * inv * inv;
    a.x += dx * s;
    a.y += dy * s;
    a.z += dz * s;
    return a;
}

__device__ __forceinline__ float4 fetchBody(const NBodyArgs& args, int j) {
    return j < args.n ? args.pos[j] : make_float4(0.f, 0.f, 0.f, 0.f);
}

__global__ void __launch_bounds__(kBodiesPerTile) gravity(NBodyArgs args) {
    __shared__ float4 ring[kStages][kBodiesPerTile];
    const int i = blockIdx.x * kBodiesPerTile + threadIdx.x;
    const int tiles = (args.n + kBodiesPerTile - 1) / kBodiesPerTile;
    const float4 me = fetchBody(args, i);
    float3 a = make_float3(0.f, 0.f, 0.f);

    ring[0][threadIdx.x] = fetchBody(args, threadIdx.x);
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles)
            ring[(t + 1) % kStages][threadIdx.x] = fetchBody(args, (t + 1) * kBodiesPerTile + threadIdx.x);
        __syncthreads();
        const float4* tile = ring[t % kStages];
#pragma unroll 8
        for (int j = 0; j < kBodiesPerTile; ++j)
            a = interact(a, me, tile[j], args.soft2);
    }
    if (i < args.n) args.acc[i] = make_float4(a.x, a.y, a.z, 0.f);
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    float4* h = (float4*)malloc(n * sizeof(float4));
    srand(3);
    for (int i = 0; i < n; ++i) {
        h[i].x = rand() / (float)RAND_MAX;
        h[i].y = rand() / (float)RAND_MAX;
        h[i].z = rand() / (float)RAND_MAX;
        h[i].w = 1.0f / n;
    }
    float4 *dPos, *dAcc;
    CUDA_SAFE(cudaMalloc((void**)&dPos, n * sizeof(float4)));
    CUDA_SAFE(cudaMalloc((void**)&dAcc, n * sizeof(float4)));
    CUDA_SAFE(cudaMemcpy(dPos, h, n * sizeof(float4), cudaMemcpyHostToDevice));
    NBodyArgs args = {dPos, dAcc, n, 1e-4f};
    gravity<<<(n + kBodiesPerTile - 1) / kBodiesPerTile, kBodiesPerTile>>>(args);
    CUDA_SAFE(cudaGetLastError());
    CUDA_SAFE(cudaMemcpy(h, dAcc, n * sizeof(float4), cudaMemcpyDeviceToHost));
    printf("a0 = %g %g %g\n", h[0].x, h[0].y, h[0].z);
    cudaFree(dPos);
    cudaFree(dAcc);
    free(h);
    return 0;
}
