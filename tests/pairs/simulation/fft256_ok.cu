// Batched 256-point complex FFT, radix 4, 64 threads a transform. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>

namespace fft {

constexpr int N = 256;
constexpr int RADIX = 4;
constexpr int T = N / RADIX;
constexpr int BATCH = 4;

__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}
__device__ __forceinline__ float2 operator-(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ void butterfly4(float2 (&v)[RADIX])
{
    const float2 s02 = v[0] + v[2], d02 = v[0] - v[2];
    const float2 s13 = v[1] + v[3], d13 = v[1] - v[3];
    const float2 jd = make_float2(d13.y, -d13.x);
    v[0] = s02 + s13;
    v[1] = d02 + jd;
    v[2] = s02 - s13;
    v[3] = d02 - jd;
}

template <int NS>
__device__ void twiddle(float2 (&v)[RADIX], int j)
{
    const float a = -2.0f * float(j % NS) / float(NS * RADIX);
#pragma unroll
    for (int r = 1; r < RADIX; ++r) {
        float sn, cs;
        sincospif(a * r, &sn, &cs);
        v[r] = cmul(v[r], make_float2(cs, sn));
    }
}

template <int NS>
__device__ void exchange(float2 (&v)[RADIX], float* buf, int j)
{
    const int dst = (j / NS) * NS * RADIX + (j % NS);
#pragma unroll
    for (int r = 0; r < RADIX; ++r)
        buf[dst + r * NS] = v[r].x;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; ++r)
        v[r].x = buf[j + r * T];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; ++r)
        buf[dst + r * NS] = v[r].y;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; ++r)
        v[r].y = buf[j + r * T];
    __syncthreads();
}

__global__ void __launch_bounds__(T* BATCH)
fft256(const float2* __restrict__ in, float2* __restrict__ out, int batch)
{
    __shared__ float s_buf[BATCH][N];
    const int b = blockIdx.x * BATCH + threadIdx.y;
    const int j = threadIdx.x;
    const bool active = b < batch;
    float* buf = s_buf[threadIdx.y];

    float2 v[RADIX];
#pragma unroll
    for (int r = 0; r < RADIX; ++r)
        v[r] = active ? in[size_t(b) * N + j + r * T] : make_float2(0.f, 0.f);

    butterfly4(v);
    exchange<1>(v, buf, j);
    twiddle<4>(v, j);
    butterfly4(v);
    exchange<4>(v, buf, j);
    twiddle<16>(v, j);
    butterfly4(v);
    exchange<16>(v, buf, j);
    twiddle<64>(v, j);
    butterfly4(v);

    if (active) {
#pragma unroll
        for (int r = 0; r < RADIX; ++r)
            out[size_t(b) * N + j + r * T] = v[r];
    }
}

cudaError_t forward256(const float2* in, float2* out, int batch, cudaStream_t s)
{
    if (batch <= 0)
        return cudaSuccess;
    const dim3 block(T, BATCH);
    fft256<<<(batch + BATCH - 1) / BATCH, block, 0, s>>>(in, out, batch);
    return cudaGetLastError();
}

} // namespace fft
