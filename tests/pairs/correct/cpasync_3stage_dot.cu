// Batched inner products of long vectors, three cp.async stages.
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

constexpr int STAGES = 3;
constexpr int BLOCK = 128;
constexpr int TILE = BLOCK * 4; // one float4 per thread and operand

__global__ void __launch_bounds__(BLOCK)
batched_rdot(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out, int tiles)
{
    __shared__ __align__(16) float sx[STAGES][TILE];
    __shared__ __align__(16) float sy[STAGES][TILE];
    __shared__ float part[BLOCK / 32];
    const size_t base = (size_t)blockIdx.x * tiles * TILE;
    const int t4 = threadIdx.x * 4;

    auto fetch = [&](int tile) {
        if (tile < tiles) {
            const size_t o = base + (size_t)tile * TILE + t4;
            __pipeline_memcpy_async(&sx[tile % STAGES][t4], x + o, 16);
            __pipeline_memcpy_async(&sy[tile % STAGES][t4], y + o, 16);
        }
        __pipeline_commit(); // empty groups keep the count right in the tail
    };

    for (int s = 0; s < STAGES - 1; ++s)
        fetch(s);
    float acc = 0.0f;
    for (int k = 0; k < tiles; ++k) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(k + STAGES - 1);
        const float *a = sx[k % STAGES];
        const float *b = sy[k % STAGES];
        // y is stored reversed
        for (int j = 0; j < 4; ++j)
            acc += a[threadIdx.x + j * BLOCK] * b[TILE - 1 - (threadIdx.x + j * BLOCK)];
    }
    for (int d = 16; d; d >>= 1)
        acc += __shfl_down_sync(0xffffffffu, acc, d);
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (float p : part)
            s += p;
        out[blockIdx.x] = s;
    }
}

int main()
{
    const int batch = 64, tiles = 7;
    const size_t n = (size_t)batch * tiles * TILE;
    float *x, *y, *o;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&o, batch * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cudaMemset(y, 0, n * sizeof(float));
    batched_rdot<<<batch, BLOCK>>>(x, y, o, tiles);
    float h[batch];
    cudaMemcpy(h, o, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%f %s\n", h[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(x);
    cudaFree(y);
    cudaFree(o);
    return 0;
}
