// AoS to SoA: a group of 4 lanes transposes 4x4 blocks of floats by shuffles.
#include <cuda_runtime.h>

// On entry lane q of the group holds row q; on exit it holds column q.
__device__ __forceinline__ void transpose4(float (&r)[4], unsigned mask)
{
    const int q = threadIdx.x & 3;
    // Rotate so that every lane sends a different element in each step.
#pragma unroll
    for (int bit = 1; bit < 4; bit <<= 1) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i & bit) continue;
            const int j = i | bit;
            const bool hi = (q & bit) != 0;
            const float send = hi ? r[i] : r[j];
            const float got = __shfl_xor_sync(mask, send, bit, 4);
            if (hi) r[i] = got;
            else    r[j] = got;
        }
    }
}

struct SoA {
    float* x;
    float* y;
    float* z;
    float* w;
};

__global__ void aos_to_soa(const float4* __restrict__ src, SoA dst, int quads)
{
    const int tid  = blockIdx.x * blockDim.x + threadIdx.x;
    const int quad = tid >> 2;
    const int q    = threadIdx.x & 3;
    if (quad >= quads) return;
    const unsigned mask = 0xfu << (threadIdx.x & 28);

    const float4 v = src[quad * 4 + q];
    float r[4] = {v.x, v.y, v.z, v.w};
    transpose4(r, mask);

    float* plane = q == 0 ? dst.x : q == 1 ? dst.y : q == 2 ? dst.z : dst.w;
    reinterpret_cast<float4*>(plane)[quad] = make_float4(r[0], r[1], r[2], r[3]);
}

__global__ void aos_tail(const float4* __restrict__ src, SoA dst, int from, int n)
{
    const int i = from + threadIdx.x;
    if (i < n) {
        const float4 v = src[i];
        dst.x[i] = v.x;
        dst.y[i] = v.y;
        dst.z[i] = v.z;
        dst.w[i] = v.w;
    }
}

void convert(const float4* src, SoA dst, int n, cudaStream_t s)
{
    const int quads = n / 4;
    if (quads > 0) {
        const int threads = 128;
        aos_to_soa<<<(quads * 4 + threads - 1) / threads, threads, 0, s>>>(src, dst, quads);
    }
    if (n & 3) aos_tail<<<1, 4, 0, s>>>(src, dst, quads * 4, n);
}
