// Max-abs reduction for small vectors: the participation mask of the last warp is
// computed with a ballot before anyone drops out.
#include <cuda_runtime.h>
#include <cstdio>

__device__ __forceinline__ float maskedMax(unsigned mask, float v, int width)
{
    // lanes [0, width) take part
    const int lane = threadIdx.x & 31;
    for (int o = 16; o > 0; o >>= 1) {
        const float t = __shfl_down_sync(mask, v, o);
        if (lane + o < width) v = fmaxf(v, t);
    }
    return v;
}

// One block handles one vector of at most 1024 entries; blockDim.x is len rounded up.
__global__ void maxAbs(const float* __restrict__ x, int len, int ld, float* __restrict__ result)
{
    __shared__ float warpMax[32];
    const int t = threadIdx.x;
    const int lane = t & 31, warp = t >> 5;
    const int warps = (len + 31) / 32;
    const unsigned mask = __ballot_sync(0xffffffffu, t < len);

    if (t < len) {
        float v = fabsf(x[(size_t)blockIdx.x * ld + t]);
        v = maskedMax(mask, v, __popc(mask));
        if (lane == 0) warpMax[warp] = v;
    }
    __syncthreads();
    if (t < 32) {
        const unsigned m2 = __ballot_sync(0xffffffffu, t < warps);
        if (t < warps) {
            const float v = maskedMax(m2, warpMax[t], warps);
            if (t == 0) result[blockIdx.x] = v;
        }
    }
}

int maxAbsColumns(const float* x, int len, int ld, int count, float* result, cudaStream_t s)
{
    if (len < 1 || len > 1024 || ld < len || count < 0) {
        fprintf(stderr, "maxAbsColumns: bad shape\n");
        return -1;
    }
    if (count == 0) return 0;
    const int block = (len + 31) & ~31;
    maxAbs<<<count, block, 0, s>>>(x, len, ld, result);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

int main()
{
    float *x, *r;
    cudaMalloc(&x, 1000 * 33 * sizeof(float));
    cudaMalloc(&r, 33 * sizeof(float));
    cudaMemset(x, 0, 1000 * 33 * sizeof(float));
    int rc = maxAbsColumns(x, 997, 1000, 33, r, 0);
    rc |= maxAbsColumns(x, 5, 1000, 33, r, 0);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(r);
    return rc;
}
