// 256-point complex FFT, radix 4, four values per thread, 64 threads per
// transform. Values move between the passes through one float buffer.
#include <cuda_runtime.h>
#include <stdio.h>
#include <math.h>

#define FFT_N 256
#define FFT_T 64

__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ void fft4(float2 *v)
{
    float2 a = cadd(v[0], v[2]), b = csub(v[0], v[2]);
    float2 c = cadd(v[1], v[3]), d = csub(v[1], v[3]);
    d = make_float2(d.y, -d.x);
    v[0] = cadd(a, c);
    v[1] = cadd(b, d);
    v[2] = csub(a, c);
    v[3] = csub(b, d);
}

__device__ void twiddle(float2 *v, int k, int span)
{
    for (int r = 1; r < 4; ++r) {
        float s, c;
        sincospif(-2.0f * (float)(r * k) / (float)span, &s, &c);
        v[r] = cmul(v[r], make_float2(c, s));
    }
}

// dst: where this thread's value r goes; values come back at tid + r * FFT_T
__device__ void exchange(float2 *v, float *buf, int dst, int dstStride, int tid)
{
    for (int r = 0; r < 4; ++r) buf[dst + r * dstStride] = v[r].x;
    __syncthreads();
    for (int r = 0; r < 4; ++r) v[r].x = buf[tid + r * FFT_T];
    __syncthreads();
    for (int r = 0; r < 4; ++r) buf[dst + r * dstStride] = v[r].y;
    __syncthreads();
    for (int r = 0; r < 4; ++r) v[r].y = buf[tid + r * FFT_T];
}

__global__ void fft256(float2 *data)
{
    __shared__ float buf[FFT_N];
    const int tid = threadIdx.x;
    float2 *g = data + (size_t)blockIdx.x * FFT_N;
    float2 v[4];

    for (int r = 0; r < 4; ++r) v[r] = g[tid + r * FFT_T];

    // Stockham: passes with ns = 1, 4, 16 exchange, the pass 64 stays in registers
    for (int ns = 1; ns < 64; ns *= 4) {
        const int k = tid & (ns - 1);
        if (ns > 1) {
            twiddle(v, k, ns * 4);
            __syncthreads();
        }
        fft4(v);
        exchange(v, buf, (tid - k) * 4 + k, ns, tid);
    }
    twiddle(v, tid, FFT_N);
    fft4(v);

    for (int r = 0; r < 4; ++r) g[tid + r * FFT_T] = v[r];
}

static int run(float2 *host, int batch)
{
    float2 *dev;
    const size_t bytes = (size_t)batch * FFT_N * sizeof(float2);
    if (cudaMalloc((void **)&dev, bytes) != cudaSuccess) return 1;
    cudaMemcpy(dev, host, bytes, cudaMemcpyHostToDevice);
    fft256<<<batch, FFT_T>>>(dev);
    cudaError_t e = cudaGetLastError();
    cudaMemcpy(host, dev, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dev);
    return e != cudaSuccess;
}

int main()
{
    static float2 sig[16 * FFT_N];
    for (int i = 0; i < 16 * FFT_N; ++i) sig[i] = make_float2(cosf(0.1f * i), 0.f);
    if (run(sig, 16)) { fprintf(stderr, "fft failed\n"); return 1; }
    float e = 0.f;
    for (int i = 0; i < FFT_N; ++i) e += sig[i].x * sig[i].x + sig[i].y * sig[i].y;
    printf("energy %g\n", e);
    return 0;
}
