// Min / max / sum of a depth image; used by the tone mapper every frame.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

#define WARP 32
#define FULL 0xffffffffu

struct Range { float lo, hi, sum; };

__device__ __forceinline__ Range rangeIdentity()
{
    Range r; r.lo = FLT_MAX; r.hi = -FLT_MAX; r.sum = 0.f; return r;
}

__device__ __forceinline__ void rangeJoin(Range& a, const Range& b)
{
    a.lo = fminf(a.lo, b.lo);
    a.hi = fmaxf(a.hi, b.hi);
    a.sum += b.sum;
}

__device__ __forceinline__ Range rangeDown(const Range& r, unsigned mask, int d)
{
    Range o;
    o.lo = __shfl_down_sync(mask, r.lo, d);
    o.hi = __shfl_down_sync(mask, r.hi, d);
    o.sum = __shfl_down_sync(mask, r.sum, d);
    return o;
}

// fold `count` lanes, lane 0 holds the result
__device__ __forceinline__ Range rangeFold(Range r, int count, unsigned mask)
{
    const int lane = threadIdx.x & (WARP - 1);
    for (int d = WARP / 2; d > 0; d >>= 1) {
        const Range o = rangeDown(r, mask, d);
        if (lane + d < count) rangeJoin(r, o);
    }
    return r;
}

__device__ Range blockRange(Range r)
{
    __shared__ Range part[WARP];
    const int lane = threadIdx.x & (WARP - 1);
    const int wid = threadIdx.x / WARP;
    const int nWarps = blockDim.x / WARP;

    r = rangeFold(r, WARP, FULL);
    if (lane == 0) part[wid] = r;
    __syncthreads();

    if (threadIdx.x < nWarps) {
        r = rangeFold(part[threadIdx.x], nWarps, FULL);
    }
    return r;
}

__global__ void imageRange(const float* img, int w, int h, int pitch, Range* out)
{
    Range r = rangeIdentity();
    for (int y = blockIdx.x; y < h; y += gridDim.x) {
        const float* row = img + (size_t)y * pitch;
        for (int x = threadIdx.x; x < w; x += blockDim.x) {
            const float v = row[x];
            if (v > 0.f) {  // zero marks a hole in the depth map
                Range o = {v, v, v};
                rangeJoin(r, o);
            }
        }
    }
    r = blockRange(r);
    if (threadIdx.x == 0) out[blockIdx.x] = r;
}

__global__ void finalRange(const Range* in, int n, Range* out)
{
    Range r = rangeIdentity();
    for (int i = threadIdx.x; i < n; i += blockDim.x) rangeJoin(r, in[i]);
    r = blockRange(r);
    if (threadIdx.x == 0) *out = r;
}

class DepthRange {
public:
    DepthRange() { cudaMalloc((void**)&d_part, (kBlocks + 1) * sizeof(Range)); }
    ~DepthRange() { cudaFree(d_part); }

    cudaError_t run(const float* d_img, int w, int h, int pitch, Range* host, cudaStream_t s)
    {
        const int threads = w >= 1024 ? 256 : w >= 512 ? 192 : 128;
        const int blocks = h < kBlocks ? h : kBlocks;
        imageRange<<<blocks, threads, 0, s>>>(d_img, w, h, pitch, d_part);
        finalRange<<<1, 128, 0, s>>>(d_part, blocks, d_part + kBlocks);
        cudaMemcpyAsync(host, d_part + kBlocks, sizeof(Range), cudaMemcpyDeviceToHost, s);
        return cudaStreamSynchronize(s);
    }

private:
    enum { kBlocks = 120 };
    Range* d_part;
};

int main(int argc, char**)
{
    const int w = argc > 1 ? 640 : 1920, h = 480;
    float* img;
    cudaMalloc((void**)&img, sizeof(float) * w * h);
    cudaMemset(img, 0x3f, sizeof(float) * w * h);
    DepthRange d;
    Range r;
    if (d.run(img, w, h, w, &r, 0) != cudaSuccess) return 1;
    printf("%g %g %g\n", r.lo, r.hi, r.sum);
    return 0;
}
