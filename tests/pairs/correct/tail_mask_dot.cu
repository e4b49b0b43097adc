// Segmented dot products: 32 values per warp, the last warp is partly filled and its lanes leave.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// sum over the lanes below `count`, valid in lane 0; called by exactly those lanes
__device__ __forceinline__ float partial_warp_sum(float v, unsigned mask, int count)
{
    const int lane = threadIdx.x & 31;
    for (int d = 16; d > 0; d >>= 1) {
        const int src = lane + d;
        const float o = __shfl_sync(mask, v, src < count ? src : lane);
        if (src < count)
            v += o;
    }
    return v;
}

__global__ void dot_per_warp(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int first = i & ~31;
    const int count = min(32, n - first);
    const unsigned mask = count == 32 ? 0xffffffffu : (1u << count) - 1u;
    const float s = partial_warp_sum(a[i] * b[i], mask, count);
    if (i == first)
        out[first >> 5] = s;
}

__global__ void final_sum(const float *__restrict__ part, float *result, int m)
{
    __shared__ float sh[32];
    float v = 0.0f;
    for (int i = threadIdx.x; i < m; i += blockDim.x)
        v += part[i];
    v = partial_warp_sum(v, 0xffffffffu, 32);
    const int warp = threadIdx.x >> 5;
    if ((threadIdx.x & 31) == 0)
        sh[warp] = v;
    __syncthreads();
    const int warps = blockDim.x >> 5;
    if (threadIdx.x < warps) {
        v = partial_warp_sum(sh[threadIdx.x], warps == 32 ? 0xffffffffu : (1u << warps) - 1u, warps);
        if (threadIdx.x == 0)
            *result = v;
    }
}

int main()
{
    const int n = 100007;
    std::vector<float> h(n, 1.0f);
    float *a, *b, *part, *res, r = 0.0f;
    const int m = (n + 31) / 32;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&part, m * sizeof(float));
    cudaMalloc(&res, sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dot_per_warp<<<(n + 191) / 192, 192>>>(a, b, part, n);
    final_sum<<<1, 384>>>(part, res, m);
    cudaMemcpy(&r, res, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%f %s\n", r, cudaGetErrorString(cudaGetLastError()));
    return r == (float)n ? 0 : 1;
}
