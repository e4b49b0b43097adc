#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* batched 512-point complex FFT, radix 4 and a last radix 2, 128 threads per transform */
#define FFT_N 512
#define FFT_T 128

typedef float2 cplx;

__device__ inline cplx cadd(cplx a, cplx b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline cplx csub(cplx a, cplx b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ inline cplx cmul(cplx a, cplx b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline cplx twiddle(int k, int n) {
    float s, c;
    sincospif(-2.0f * k / n, &s, &c);
    return make_float2(c, s);
}

__device__ inline void fft2(cplx& a, cplx& b) {
    cplx t = a;
    a = cadd(t, b);
    b = csub(t, b);
}

__device__ inline void fft4(cplx v[4]) {
    fft2(v[0], v[2]);
    fft2(v[1], v[3]);
    v[3] = make_float2(v[3].y, -v[3].x);
    fft2(v[0], v[1]);
    fft2(v[2], v[3]);
    cplx t = v[1]; v[1] = v[2]; v[2] = t;
}

__device__ void exchange(cplx v[4], float* buf, const int wr[4], int rd, int rdStride) {
    for (int i = 0; i < 4; ++i) buf[wr[i]] = v[i].x;
    __syncthreads();
    for (int i = 0; i < 4; ++i) v[i].x = buf[rd + i * rdStride];
    __syncthreads();
    for (int i = 0; i < 4; ++i) buf[wr[i]] = v[i].y;
    __syncthreads();
    for (int i = 0; i < 4; ++i) v[i].y = buf[rd + i * rdStride];
    __syncthreads();
}

__global__ void fft512(cplx* data) {
    __shared__ float buf[FFT_N];
    cplx* x = data + (size_t)blockIdx.x * FFT_N;
    const int t = threadIdx.x;
    cplx v[4];
    int wr[4];
    for (int i = 0; i < 4; ++i) v[i] = x[t + i * FFT_T];

    for (int ns = 1; ns <= 64; ns *= 4) {
        const int k = t % ns;
        for (int i = 1; i < 4; ++i) v[i] = cmul(v[i], twiddle(i * k, ns * 4));
        fft4(v);
        const int base = (t / ns) * ns * 4 + k;
        for (int i = 0; i < 4; ++i) wr[i] = base + i * ns;
        exchange(v, buf, wr, t, FFT_T);
    }
    /* 256 -> 512 */
    for (int h = 0; h < 2; ++h) {
        const int k = t + h * FFT_T;
        cplx a = v[h], b = cmul(v[h + 2], twiddle(k, FFT_N));
        fft2(a, b);
        x[k] = a;
        x[k + FFT_N / 2] = b;
    }
}

int main(int argc, char** argv) {
    int batch = argc > 1 ? atoi(argv[1]) : 64;
    size_t bytes = (size_t)batch * FFT_N * sizeof(cplx);
    cplx* h = (cplx*)malloc(bytes);
    for (size_t i = 0; i < (size_t)batch * FFT_N; ++i) {
        h[i].x = cosf(0.01f * i);
        h[i].y = 0.0f;
    }
    cplx* d;
    if (cudaMalloc((void**)&d, bytes) != cudaSuccess) return 1;
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    fft512<<<batch, FFT_T>>>(d);
    cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
    printf("X[0] = %f %f  %s\n", h[0].x, h[0].y, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    free(h);
    return 0;
}
