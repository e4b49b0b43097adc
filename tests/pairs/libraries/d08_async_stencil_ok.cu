// Smoothing of long time series, one series per block: tiles with halo are
// prefetched with LDGSTS two stages ahead.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace series {

constexpr int kTile = 256;
constexpr int kHalo = 4;
constexpr int kStages = 2;
constexpr int kWidth = kTile + 2 * kHalo;

struct View {
    const float* data;
    int length, pitch;
    __device__ const float* row(int r) const { return data + (size_t)r * pitch; }
};

struct Stage {
    float x[kWidth];
};

// every call makes one commit, also past the end
__device__ __forceinline__ void prefetch(Stage& st, const float* row, int tile, int length)
{
    const int first = tile * kTile - kHalo;
    if (tile * kTile < length) {
        for (int i = threadIdx.x; i < kWidth; i += kTile) {
            const int g = min(max(first + i, 0), length - 1);
            __pipeline_memcpy_async(&st.x[i], row + g, sizeof(float));
        }
    }
    __pipeline_commit();
}

__device__ __forceinline__ void await_stage()
{
    __pipeline_wait_prior(kStages - 1);
    __syncthreads();
}

struct Boxcar {
    __device__ static float apply(const float* c)
    {
        float s = 0.f;
#pragma unroll
        for (int d = -kHalo; d <= kHalo; ++d) s += c[d];
        return s / (2 * kHalo + 1);
    }
};

struct Median3 {
    __device__ static float apply(const float* c)
    {
        const float a = c[-1], b = c[0], d = c[1];
        return fmaxf(fminf(a, b), fminf(fmaxf(a, b), d));
    }
};

template <class Filter>
__global__ void __launch_bounds__(kTile) filter_rows(View in, float* out, int out_pitch)
{
    __shared__ Stage stage[kStages];
    const float* row = in.row(blockIdx.x);
    float* dst = out + (size_t)blockIdx.x * out_pitch;
    const int tiles = (in.length + kTile - 1) / kTile;

#pragma unroll
    for (int s = 0; s < kStages; ++s) prefetch(stage[s], row, s, in.length);

    for (int t = 0; t < tiles; ++t) {
        Stage& st = stage[t % kStages];
        await_stage();
        const int g = t * kTile + threadIdx.x;
        if (g < in.length) dst[g] = Filter::apply(st.x + kHalo + threadIdx.x);
        __syncthreads();
        prefetch(st, row, t + kStages, in.length);
    }
}

__global__ void residual(View a, const float* smooth, int pitch, float* rms)
{
    float s = 0.f;
    const float* row = a.row(blockIdx.x);
    for (int i = threadIdx.x; i < a.length; i += blockDim.x) {
        const float d = row[i] - smooth[(size_t)blockIdx.x * pitch + i];
        s += d * d;
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(rms + blockIdx.x, s);
}

enum class Kind { boxcar, median };

cudaError_t smooth(Kind kind, View in, int rows, float* out, int out_pitch, float* rms, cudaStream_t s)
{
    if (rows <= 0 || in.length <= 0) return cudaSuccess;
    switch (kind) {
    case Kind::boxcar: filter_rows<Boxcar><<<rows, kTile, 0, s>>>(in, out, out_pitch); break;
    case Kind::median: filter_rows<Median3><<<rows, kTile, 0, s>>>(in, out, out_pitch); break;
    }
    if (rms) {
        cudaMemsetAsync(rms, 0, rows * sizeof(float), s);
        residual<<<rows, 128, 0, s>>>(in, out, out_pitch, rms);
    }
    return cudaGetLastError();
}

}  // namespace series

int main()
{
    const int rows = 8, len = 100000;
    float *x, *y, *r;
    cudaMallocManaged(&x, rows * len * sizeof(float));
    cudaMallocManaged(&y, rows * len * sizeof(float));
    cudaMallocManaged(&r, rows * sizeof(float));
    for (int i = 0; i < rows * len; ++i) x[i] = (float)(i % 37);
    for (auto k : {series::Kind::boxcar, series::Kind::median}) {
        series::smooth(k, {x, len, len}, rows, y, len, r, 0);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        printf("%g\n", r[0]);
    }
    return 0;
}
