// Row-wise inclusive scan with carry, Hillis-Steele in two alternating buffers.
#include <cuda_runtime.h>
#include <cassert>

template <int BLOCK>
__global__ void rowScan(const float* __restrict__ in, float* __restrict__ out, int rows, int cols)
{
    __shared__ float buf[2][BLOCK];
    __shared__ float carry;
    const int row = blockIdx.x;
    if (row >= rows) return;
    const float* src = in + (size_t)row * cols;
    float* dst = out + (size_t)row * cols;
    const int tid = threadIdx.x;
    if (tid == 0) carry = 0.f;

    const int padded = (cols + BLOCK - 1) / BLOCK * BLOCK;
    int p = 0;
    for (int c = tid; c < padded; c += BLOCK) {
        buf[p][tid] = c < cols ? src[c] : 0.f;
        __syncthreads();
        for (int d = 1; d < BLOCK; d <<= 1) {
            const float v = buf[p][tid];
            buf[p ^ 1][tid] = tid >= d ? v + buf[p][tid - d] : v;
            p ^= 1;
            __syncthreads();
        }
        const float base = carry;
        const float incl = buf[p][tid];
        if (c < cols) dst[c] = base + incl;
        __syncthreads();
        if (tid == BLOCK - 1) carry = base + incl;
        // The next iteration's first barrier publishes `carry`.
        p ^= 1;
    }
}

void rowScanLaunch(const float* in, float* out, int rows, int cols, cudaStream_t s)
{
    assert(rows >= 0 && cols >= 0 && cols <= (1 << 24));
    if (rows == 0 || cols == 0) return;
    if (cols <= 128)
        rowScan<128><<<rows, 128, 0, s>>>(in, out, rows, cols);
    else
        rowScan<512><<<rows, 512, 0, s>>>(in, out, rows, cols);
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 100 * 3000 * sizeof(float));
    cudaMalloc(&b, 100 * 3000 * sizeof(float));
    cudaMemset(a, 0, 100 * 3000 * sizeof(float));
    rowScanLaunch(a, b, 100, 3000, 0);
    rowScanLaunch(a, b, 100, 70, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
